"""Finds and opens bench_graft_shim.so, which is in the benchmarks' folder unless GRAFT_BENCH_SHIM names the file."""

import ctypes
import functools
import os
import pathlib

ROOT = pathlib.Path(__file__).resolve().parents[2]


class Array(ctypes.Structure):
    """One array of any shape, as graft_shim.cpp declares it."""

    _fields_ = [
        ("pointer", ctypes.c_void_p),
        ("type", ctypes.c_char_p),
        ("rank", ctypes.c_uint),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
    ]


def path():
    named = os.environ.get("GRAFT_BENCH_SHIM")
    places = [named] if named else [ROOT / folder / "bin/bench_graft_shim.so" for folder in ("build-gpu", "build")]
    for place in places:
        if pathlib.Path(place).exists():
            return str(place)
    raise FileNotFoundError(f"no {', no '.join(map(str, places))}: build the benchmarks or set GRAFT_BENCH_SHIM")


@functools.cache
def library():
    loaded = ctypes.CDLL(path())
    pointer, count = ctypes.c_void_p, ctypes.c_ulonglong
    loaded.graft_shim_create.argtypes, loaded.graft_shim_create.restype = [ctypes.c_char_p], pointer
    loaded.graft_shim_destroy.argtypes, loaded.graft_shim_destroy.restype = [pointer], None
    loaded.graft_shim_error.restype = ctypes.c_char_p
    loaded.graft_shim_report.argtypes, loaded.graft_shim_report.restype = [pointer], ctypes.c_char_p
    for name in ("execute_float32", "execute_float16", "nothing"):
        getattr(loaded, f"graft_shim_{name}").argtypes = [pointer, pointer, pointer, pointer, count]
    array = ctypes.POINTER(Array)
    loaded.graft_shim_create_for.argtypes = [ctypes.c_char_p, array, ctypes.c_int, array]
    loaded.graft_shim_create_for.restype = pointer
    loaded.graft_shim_execute_views.argtypes = [pointer, pointer, array, ctypes.c_int, array]
    return loaded
