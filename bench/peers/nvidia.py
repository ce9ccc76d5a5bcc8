"""Helpers of the peers that use cuda.core: they find CUDA's headers and compile source to LTO-IR."""

import os
import pathlib


def header_folders():
    """Returns the folders that contain cuda_fp16.h, which is not built into NVRTC."""
    named = [os.environ[name] for name in ("CUDA_HOME", "CUDA_PATH") if name in os.environ]
    folders = [pathlib.Path(place) / "include" for place in named + ["/usr/local/cuda"]]
    return [str(folder) for folder in folders if (folder / "cuda_fp16.h").exists()]


def architecture():
    from cuda.core import Device

    return f"sm_{Device().arch}"


def ltoir(text, target):
    """Compiles a source to LTO-IR, as input for cuda.core's linker."""
    from cuda.core import Program, ProgramOptions

    folders = header_folders() if "#include" in text else None
    options = ProgramOptions(
        arch=target,
        std="c++17",
        link_time_optimization=True,
        relocatable_device_code=True,
        include_path=folders or None,
    )
    return Program(text, "c++", options=options).compile("ltoir")
