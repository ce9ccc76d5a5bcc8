"""The engine that kernels share, and where it finds NVIDIA's compiler among Python's packages."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from . import _core
from ._error import GraftError
from ._lock import Lock

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ._options import EngineOptions

_lock = Lock()
_default: Engine | None = None


def toolkit_folder() -> str | None:
    """Return the folder of packages that has NVIDIA's wheels of NVRTC and nvJitLink (the extra ``cuda13``), or None.

    None also if an environment variable names a toolkit (GRAFT_CUDA_PATH, CUDA_HOME, CUDA_PATH): graft takes that.
    """
    if any(os.environ.get(name) for name in ("GRAFT_CUDA_PATH", "CUDA_HOME", "CUDA_PATH")):
        return None
    for folder in filter(None, sys.path):
        for compiler, linker in (("cu13", "cu13"), ("cu12", "cu12"), ("cuda_nvrtc", "nvjitlink")):
            has_compiler = any(Path(folder, "nvidia", compiler, "lib").glob("libnvrtc.so.*"))
            if has_compiler and any(Path(folder, "nvidia", linker, "lib").glob("libnvJitLink.so.*")):
                return folder
    return None


class Engine(_core.Engine):
    """What kernels share: the toolkit, the caches on disk and in memory, and counters. Thread-safe.

    Most programs use ``default_engine()``, which is made at the first use.
    """

    def __init__(self, **options: Unpack[EngineOptions]) -> None:
        words: dict[str, Any] = dict(options)
        if words.get("cuda_path") is None:
            words["cuda_path"] = toolkit_folder()
        super().__init__(words)

    def __repr__(self) -> str:
        return f"<graft_cuda.Engine\n{self.describe_tools()}>"


def default_engine() -> Engine:
    """Return the engine of this process. The first call makes it, and reads the environment."""
    global _default
    with _lock:
        if _default is None:
            _default = Engine()
        return _default


def engine_of(engine: Any) -> Engine:
    """Return the engine that a caller gave, or the default one for None."""
    if engine is None:
        return default_engine()
    if not isinstance(engine, Engine):
        raise GraftError(
            "InvalidArgument",
            f"engine is a {type(engine).__name__}",
            "Pass a graft_cuda.Engine, or leave engine away for default_engine().",
        )
    return engine
