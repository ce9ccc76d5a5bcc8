"""Runs a measurement in a new process, without the caches of the driver, the compilers and the packages."""

import json
import os
import pathlib
import subprocess
import tempfile

LIMIT_SECONDS = 120


def without_caches(folder):
    """Returns the environment. Caches that cannot be switched off are empty folders in `folder`."""
    for name in ("cuda", "cupy", "triton", "inductor", "torch", "cccl", "xdg", "tmp"):
        (folder / name).mkdir()
    return {
        **os.environ,
        "CUDA_CACHE_DISABLE": "1",
        "CUDA_CACHE_PATH": str(folder / "cuda"),
        "GRAFT_CACHE": "off",
        "CUPY_CACHE_DIR": str(folder / "cupy"),
        "CUPY_CACHE_IN_MEMORY": "1",
        "TRITON_CACHE_DIR": str(folder / "triton"),
        "TORCHINDUCTOR_CACHE_DIR": str(folder / "inductor"),
        "USE_PYTORCH_KERNEL_CACHE": "0",
        "PYTORCH_KERNEL_CACHE_PATH": str(folder / "torch"),
        "CCCL_PCH_CACHE_DIR": str(folder / "cccl"),
        "XDG_CACHE_HOME": str(folder / "xdg"),
        "TMPDIR": str(folder / "tmp"),
    }


def result_of(command):
    """Returns the JSON in the last line that the command prints. Raises RuntimeError if the command fails."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        done = subprocess.run(
            command,
            env=without_caches(pathlib.Path(folder)),
            capture_output=True,
            text=True,
            timeout=LIMIT_SECONDS,
        )
    if done.returncode != 0:
        words = done.stderr.strip() or done.stdout.strip() or "the process printed nothing"
        raise RuntimeError(f"status {done.returncode}: {' / '.join(words.splitlines()[-2:])}")
    return json.loads(done.stdout.strip().splitlines()[-1])
