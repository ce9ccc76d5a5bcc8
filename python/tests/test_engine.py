"""Engines, and NVIDIA's compiler among the packages of Python."""

import subprocess
import sys

import graft_cuda as graft


def test_options_and_counters(tmp_path, refused):
    engine = graft.Engine(cache="read-write", cache_folder=tmp_path, threads=2)
    made = graft.Transform("[](float x) { return x; }", engine=engine, device="host")
    assert engine.counters["builds"] == 1
    assert "Engine" in repr(engine)
    assert engine.release_unused() == 0
    del made
    assert engine.release_unused() == 1
    refused("InvalidArgument", graft.Engine, folder=tmp_path)
    refused("InvalidArgument", graft.Engine, cache="always")
    refused("InvalidArgument", graft.Engine, threads="two")
    refused("InvalidArgument", graft.Engine, cache_folder=5)
    refused("InvalidArgument", graft.Engine, cache_layers=str(tmp_path))


def test_wheels_are_found_beside_the_package(tmp_path, monkeypatch):
    for name in ("GRAFT_CUDA_PATH", "CUDA_HOME", "CUDA_PATH"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(sys, "path", [str(tmp_path)])
    assert graft.toolkit_folder() is None
    libraries = tmp_path / "nvidia" / "cu13" / "lib"
    libraries.mkdir(parents=True)
    (libraries / "libnvrtc.so.13").touch()
    assert graft.toolkit_folder() is None
    (libraries / "libnvJitLink.so.13").touch()
    assert graft.toolkit_folder() == str(tmp_path)
    monkeypatch.setenv("CUDA_HOME", "/usr/local/cuda")
    assert graft.toolkit_folder() is None


def test_a_toolkit_that_is_missing_names_the_extra(tmp_path, refused):
    error = refused(
        "ToolMissing",
        graft.build,
        "[](float x) { return x; }",
        "sm_90",
        engine=graft.Engine(cuda_path=tmp_path, cache="off"),
    )
    assert "graft-cuda[cuda13]" in str(error)


def test_the_import_opens_no_library_of_arrays():
    program = "import graft_cuda, sys; sys.exit(bool({'numpy', 'cupy', 'torch', 'jax'} & set(sys.modules)))"
    subprocess.run([sys.executable, "-c", program], check=True)
