"""What the peers made of cuda.core share: where CUDA's headers are, and LTO-IR of a text."""

import os
import pathlib


def header_folders():
    """For cuda_fp16.h, which NVRTC does not carry."""
    named = [os.environ[name] for name in ("CUDA_HOME", "CUDA_PATH") if name in os.environ]
    folders = [pathlib.Path(place) / "include" for place in named + ["/usr/local/cuda"]]
    return [str(folder) for folder in folders if (folder / "cuda_fp16.h").exists()]


def architecture():
    from cuda.core import Device

    return f"sm_{Device().arch}"


def ltoir(text, target):
    """The compiled text, as cuda.core hands it to its linker."""
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
