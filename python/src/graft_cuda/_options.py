"""The names and types of options, for type checkers. graft itself checks them where they are used."""

from __future__ import annotations

from os import PathLike
from typing import Any, Literal, TypedDict

Route = Literal["lto", "program", "ptx", "indirect", "host"]


class FloatingPoint(TypedDict, total=False):
    """How floating-point numbers are computed."""

    fast_math: bool
    contraction: bool
    flush_to_zero: bool
    precise_division: bool
    precise_square_root: bool


class BuildOptions(FloatingPoint, total=False):
    """What can be asked for when a kernel is built. include/graft/options.hpp describes each."""

    entry: str
    headers: dict[str, str]
    include_paths: list[str | PathLike[str]]
    defines: dict[str, Any]
    standard: Literal[17, 20]
    any_shape: bool
    max_registers: int
    line_info: bool
    compiler_options: list[str]
    shared_bytes: int
    vector_width: int
    vectors_per_thread: int
    body: Literal["vector", "rolled"]
    block_threads: int
    programmatic_launch: bool
    route: Route
    forbidden_routes: list[Route]
    closed: bool | dict[str, Any]
    host_threads: int
    shipped_tuning: bool
    allow_thread_words: bool


class Options(BuildOptions, total=False):
    """What can be asked for when a kernel is built and loaded."""

    architecture: str
    devices: list[int]


class EngineOptions(TypedDict, total=False):
    """What can be asked for when an engine is made. include/graft/engine.hpp describes each."""

    cuda_path: str | PathLike[str] | None
    host_compiler: str | PathLike[str]
    program: str | PathLike[str]
    tuning_file: str | PathLike[str]
    cache: Literal["off", "memory", "read-only", "read-write", "forbid-compiling"]
    cache_folder: str | PathLike[str]
    cache_layers: list[str | PathLike[str]]
    cache_max_bytes: int
    exact_tools: bool
    threads: int
    max_builds: int
    max_unused_image_bytes: int
