#!/usr/bin/env python3
"""Calls graft from Python through ctypes and graft's C interface (graft.h).

NumPy arrays are handled on the CPU, by graft's host route. Arrays in GPU memory (CuPy, or CUDA tensors of PyTorch) are
handled by a kernel on the current device; nothing is copied.

    saxpy.py LIBRARY [numpy|cupy|torch]      LIBRARY is libgraft.so; without a second word, NumPy

The section Binding is the part that a package of its own would contain. It covers what the example needs;
graft.h has more.
"""

import ctypes
import json
import sys

# ---- Binding ----

ABI_VERSION = 1
OPTION_REQUIRED_ROUTE, ROUTE_HOST = 11, 4


class Error(Exception):
    """An error of graft. `code` is its name, such as "CompileFailed"."""

    def __init__(self, code, text, log):
        super().__init__(text)
        self.code, self.log = code, log


class Array(ctypes.Structure):  # graft_array
    _fields_ = [
        ("pointer", ctypes.c_void_p),
        ("count", ctypes.c_size_t),
        ("type", ctypes.c_uint64),
        ("first_bit", ctypes.c_size_t),
        ("zeros", ctypes.c_void_p),
        ("keeps_rest", ctypes.c_uint32),
        ("reserved", ctypes.c_uint32),
        ("reserved_more", ctypes.c_uint64 * 2),
    ]


class Launch(ctypes.Structure):  # graft_launch
    _fields_ = [
        ("state", ctypes.c_void_p),
        ("state_type", ctypes.c_uint64),
        ("count", ctypes.c_size_t),
        ("load_info", ctypes.c_void_p),
        ("store_info", ctypes.c_void_p),
        ("reserved", ctypes.c_uint64 * 4),
    ]


def open_library(path):
    """Opens libgraft.so and declares the functions that this file calls."""
    lib = ctypes.CDLL(path)
    pointer, text, size = ctypes.c_void_p, ctypes.c_char_p, ctypes.c_size_t
    result, arrays, launch = ctypes.POINTER(pointer), ctypes.POINTER(Array), ctypes.POINTER(Launch)

    def plain(name, returns, *arguments):
        function = getattr(lib, name)
        function.restype, function.argtypes = returns, arguments

    def checked(name, *arguments):
        """Declares a function that returns a graft_error*, which becomes an exception."""
        plain(name, pointer, *arguments)
        getattr(lib, name).errcheck = raise_error

    def raise_error(error, function, arguments):
        if error is None:
            return arguments
        try:
            raise Error(
                lib.graft_code_name(lib.graft_error_code(error)).decode(),
                lib.graft_error_text(error).decode(errors="replace"),
                lib.graft_error_log(error).decode(errors="replace"),
            )
        finally:
            lib.graft_error_destroy(error)

    plain("graft_abi_version", ctypes.c_uint32)
    plain("graft_version", text)
    plain("graft_code_name", text, ctypes.c_int32)
    plain("graft_error_code", ctypes.c_int32, pointer)
    plain("graft_error_text", text, pointer)
    plain("graft_error_log", text, pointer)
    plain("graft_bytes_data", pointer, pointer)
    plain("graft_bytes_size", size, pointer)
    plain("graft_transform_state_type", ctypes.c_uint64, pointer)
    for kind in ("error", "bytes", "options", "callback", "transform"):
        plain(f"graft_{kind}_destroy", None, pointer)
    checked("graft_type_named", text, ctypes.POINTER(ctypes.c_uint64))
    checked("graft_options_create", result)
    checked("graft_options_set", pointer, ctypes.c_int32, ctypes.c_int64)
    checked("graft_callback_from_source", text, text, result)
    checked("graft_transform_create", pointer, pointer, pointer, result)
    checked("graft_transform_execute", pointer, pointer, arrays, size, arrays, size, launch)
    checked("graft_transform_execute_host", pointer, arrays, size, arrays, size, launch)
    checked("graft_transform_report", pointer, result)
    if lib.graft_abi_version() != ABI_VERSION:
        raise ImportError(f"{path} is graft {lib.graft_version().decode()}, with another interface than this file's")
    return lib


class Handle:
    """Owns a handle of graft's, and destroys it. `make` is called with the place for the handle."""

    def __init__(self, lib, kind, make):
        self.value = ctypes.c_void_p()
        self._destroy = getattr(lib, f"graft_{kind}_destroy")
        make(ctypes.byref(self.value))

    def __del__(self):
        self._destroy(self.value)


class Transform:
    """An elementwise kernel for arrays of NumPy (on_host=True), or for arrays in GPU memory."""

    def __init__(self, lib, source, on_host):
        self.lib, self.on_host = lib, on_host
        options = Handle(lib, "options", lib.graft_options_create)
        if on_host:
            lib.graft_options_set(options.value, OPTION_REQUIRED_ROUTE, ROUTE_HOST)
        callback = Handle(
            lib, "callback", lambda place: lib.graft_callback_from_source(source.encode(), b"formula.cu", place)
        )
        self.handle = Handle(
            lib, "transform", lambda place: lib.graft_transform_create(None, callback.value, options.value, place)
        )

    def report(self):
        text = Handle(self.lib, "bytes", lambda place: self.lib.graft_transform_report(self.handle.value, place))
        data, size = self.lib.graft_bytes_data(text.value), self.lib.graft_bytes_size(text.value)
        return json.loads(ctypes.string_at(data, size))

    def __call__(self, inputs, outputs, state=None, stream=None):
        """`state` is a ctypes structure. `stream` is the address of a CUstream; None is the default stream."""
        launch = Launch()
        if state is not None:
            launch.state = ctypes.addressof(state)
            launch.state_type = self.lib.graft_transform_state_type(self.handle.value)
            if ctypes.sizeof(state) != launch.state_type & 0xFFFFFFFF:
                raise TypeError("the state is not as large as the callback's")
        arguments = (self._list(inputs), len(inputs), self._list(outputs), len(outputs), launch)
        if self.on_host:
            self.lib.graft_transform_execute_host(self.handle.value, *arguments)
        else:
            self.lib.graft_transform_execute(self.handle.value, stream, *arguments)

    def _list(self, arrays):
        return (Array * len(arrays))(*(self._array(each) for each in arrays))

    def _array(self, array):
        on_gpu = hasattr(array, "__cuda_array_interface__")
        if on_gpu == self.on_host:
            raise TypeError("the transform is for arrays in " + ("host" if self.on_host else "GPU") + " memory")
        view = array.__cuda_array_interface__ if on_gpu else array.__array_interface__
        if view.get("strides") is not None:
            raise ValueError("the array has gaps between its elements, or another order: pass a contiguous copy")
        if view["typestr"][1:] not in NAMES or view["typestr"][0] == ">":
            raise TypeError(f"graft has no element type for {view['typestr']}")
        count = 1
        for extent in view["shape"]:
            count *= extent
        kind = ctypes.c_uint64()
        self.lib.graft_type_named(NAMES[view["typestr"][1:]].encode(), ctypes.byref(kind))
        return Array(pointer=view["data"][0], count=count, type=kind)


# NumPy's type letters and sizes in bytes, and the names of graft's element types.
NAMES = {"b1": "bool", "c8": "c64", "c16": "c128"}
NAMES |= {f"{letter}{size}": f"{letter}{8 * size}" for letter in "iu" for size in (1, 2, 4, 8)}
NAMES |= {f"f{size}": f"f{8 * size}" for size in (2, 4, 8)}

# ---- The example ----

SOURCE = """
struct Scale { float a; };
__device__ float saxpy(float x, float y, const Scale& s) { return s.a * x + y; }
"""


class Scale(ctypes.Structure):
    _fields_ = [("a", ctypes.c_float)]


def arrays_of(name):
    """Returns x, y and the array for the result, and a function that makes a list of an array."""
    if name == "torch":
        import torch

        x = torch.arange(1000, dtype=torch.float32, device="cuda")
        return x, torch.ones_like(x), torch.empty_like(x), lambda array: array.cpu().tolist()
    if name == "cupy":
        import cupy as np
    else:
        import numpy as np
    x = np.arange(1000, dtype=np.float32)
    return x, np.ones_like(x), np.empty_like(x), lambda array: array.tolist()


def expect_error(code, work):
    try:
        work()
    except Error as error:
        assert error.code == code, error
        return error
    raise AssertionError(f"no {code}")


def main():
    lib = open_library(sys.argv[1])
    name = sys.argv[2] if len(sys.argv) > 2 else "numpy"
    x, y, out, to_list = arrays_of(name)
    saxpy = Transform(lib, SOURCE, on_host=name == "numpy")
    for a in (2.0, -3.0):
        saxpy([x, y], [out], Scale(a))
        assert to_list(out) == [a * i + 1 for i in range(1000)]
    print(f"{name}: 1000 elements by the route {saxpy.report()['route']}")

    # Errors are exceptions with graft's code, text and log.
    expect_error("CountMismatch", lambda: saxpy([x], [out], Scale(1.0)))
    wrong = expect_error("CompileFailed", lambda: Transform(lib, SOURCE.replace("s.a", "s.b"), saxpy.on_host))
    assert "formula.cu" in wrong.log, wrong.log
    print(f"a wrong formula: {wrong.code}")


if __name__ == "__main__":
    main()
