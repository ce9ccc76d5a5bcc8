#!/usr/bin/env python3
"""Measures cosine transforms beside CuPy, FFTs along an axis beside CuPy and PyTorch, and complex and real FFTs beside
CuPy (cuFFT) and VkFFT, where pyvkfft is installed, in one process.

    fft_peers.py LIBGRAFT [RECORD]      LIBGRAFT is libgraft.so; writes a record in JSON

graft is called through its C interface. Each time is that of one call between two events of a stream, in turns, on 256
MiB of numbers. Results are compared before they are measured.
"""
import ctypes
import json
import os
import statistics
import subprocess
import sys

import cupy
import cupyx.scipy.fft
import numpy
import torch

try:
    import pyvkfft.cuda
    VKFFT = pyvkfft.cuda.vkfft_version()
except Exception as error:
    VKFFT = None
    print(f"no VkFFT: {error}")

F32, C64 = 0x0004000400000004, 0x0006000800000008
NUMBERS = 1 << 26
SHAPES = ((64,), (256,), (1000,), (1024,), (4096,), (8192,), (65536,), (1 << 20,), (128, 128), (512, 512),
          (4096, 4096), (128, 128, 128))
LENGTHS = (64, 100, 128, 256, 512, 1000, 1024, 2048, 4096, 5000, 8192, 16384)
SAMPLES = 11


class Array(ctypes.Structure):
    _fields_ = [("pointer", ctypes.c_void_p), ("count", ctypes.c_size_t), ("type", ctypes.c_uint64),
                ("first_bit", ctypes.c_size_t), ("zeros", ctypes.c_void_p), ("keeps_rest", ctypes.c_uint32),
                ("rank", ctypes.c_uint32), ("shape", ctypes.c_void_p), ("strides", ctypes.c_void_p)]


class Plan(ctypes.Structure):
    _fields_ = [("length", ctypes.c_int64), ("is_double", ctypes.c_int32), ("directions", ctypes.c_int32),
                ("scaling", ctypes.c_int32), ("has_strides", ctypes.c_int32), ("batch", ctypes.c_size_t),
                ("has_long_arrays", ctypes.c_int32), ("is_real", ctypes.c_int32), ("shape", ctypes.c_int64 * 3),
                ("storage_in", ctypes.c_int32), ("storage_out", ctypes.c_int32), ("inverse_load", ctypes.c_void_p),
                ("inverse_store", ctypes.c_void_p), ("has_inverse_callbacks", ctypes.c_int32),
                ("reserved", ctypes.c_int32), ("reserved_more", ctypes.c_uint64 * 3)]


class Launch(ctypes.Structure):
    _fields_ = [("has_batch", ctypes.c_int32), ("reserved", ctypes.c_int32), ("batch", ctypes.c_size_t),
                ("in_stride", ctypes.c_size_t), ("in_distance", ctypes.c_size_t), ("out_stride", ctypes.c_size_t),
                ("out_distance", ctypes.c_size_t), ("workspace", ctypes.c_void_p),
                ("workspace_bytes", ctypes.c_size_t), ("state", ctypes.c_void_p), ("state_type", ctypes.c_uint64),
                ("load_info", ctypes.c_void_p), ("store_info", ctypes.c_void_p), ("axes", ctypes.c_int32 * 3),
                ("axis_count", ctypes.c_int32), ("reserved_more", ctypes.c_uint64 * 2)]


class Graft:
    def __init__(self, path):
        self.library = ctypes.CDLL(path)
        self.library.graft_error_message.restype = ctypes.c_char_p

    def check(self, error):
        if error:
            raise RuntimeError(self.library.graft_error_message(ctypes.c_void_p(error)).decode())

    def call(self, name, *arguments):
        function = getattr(self.library, name)
        function.restype = ctypes.c_void_p
        self.check(function(*arguments))

    def callback(self, text, entry):
        found = ctypes.c_void_p()
        self.call("graft_callback_from_source", text.encode(), b"dct.cuh", ctypes.byref(found))
        self.call("graft_callback_set_entry", found, entry.encode())
        return found

    def fft(self, plan, load=None, store=None):
        found = ctypes.c_void_p()
        self.call("graft_fft_create", None, ctypes.byref(plan), load, None, store, None, ctypes.byref(found))
        return found

    def execute(self, fft, stream, source, target, launch):
        self.call("graft_fft_execute", fft, ctypes.c_void_p(stream), ctypes.byref(source), ctypes.c_size_t(1),
                  ctypes.byref(target), 0, ctypes.byref(launch))


def measured(ways):
    """Microseconds of each way: the median of calls in turns."""
    times = {name: [] for name in ways}
    stream = cupy.cuda.get_current_stream()
    for turn in range(SAMPLES + 2):
        for name, way in ways.items():
            begin, end = cupy.cuda.Event(), cupy.cuda.Event()
            begin.record(stream)
            way()
            end.record(stream)
            end.synchronize()
            if turn >= 2:
                times[name].append(1000 * cupy.cuda.get_elapsed_time(begin, end))
    return {name: statistics.median(found) for name, found in times.items()}


def agree(found, expected, bound=1e-4):
    error = float(cupy.abs(found - expected).max() / cupy.abs(expected).max())
    if not error < bound:
        raise RuntimeError(f"the results differ by {error}")


def array_of(x, of_type, shape=None):
    return Array(x.data.ptr, x.size, of_type, 0, None, 0, len(shape or ()),
                 ctypes.cast(shape, ctypes.c_void_p) if shape else None, None)


def cosine_row(graft, length, text):
    batch = NUMBERS // length
    x = cupy.random.rand(batch, length, dtype=cupy.float32) - 0.5
    y = cupy.empty_like(x)
    info = cupy.array([length], dtype=cupy.uint32)
    fft = graft.fft(Plan(length=length, directions=1, is_real=1, batch=batch),
                    graft.callback(text, "graft::callbacks::load_dct2<float>"),
                    graft.callback(text, "graft::callbacks::store_dct2<float>"))
    launch = Launch(has_batch=1, batch=batch, load_info=info.data.ptr, store_info=info.data.ptr)
    source, target = array_of(x, F32), array_of(y, F32)
    stream = cupy.cuda.get_current_stream().ptr
    ways = {"graft": lambda: graft.execute(fft, stream, source, target, launch),
            "cupy": lambda: cupyx.scipy.fft.dct(x, type=2, axis=-1)}
    ways["graft"]()
    agree(y, ways["cupy"]())
    return {"row": f"DCT-II of {length}", "microseconds": measured(ways)}


def axis_row(graft, shape, axis):
    x = cupy.random.rand(*shape, dtype=cupy.float32) + 1j * cupy.random.rand(*shape, dtype=cupy.float32)
    x = x.astype(cupy.complex64)
    y = cupy.empty_like(x)
    of_torch = torch.from_dlpack(x)
    extents = (ctypes.c_int64 * len(shape))(*shape)
    fft = graft.fft(Plan(length=shape[axis], directions=1, has_strides=1, batch=x.size // shape[axis]))
    launch = Launch(axis_count=1)
    launch.axes[0] = axis
    source, target = array_of(x, C64, extents), array_of(y, C64, extents)
    stream = cupy.cuda.get_current_stream().ptr
    ways = {"graft": lambda: graft.execute(fft, stream, source, target, launch),
            "cupy": lambda: cupy.fft.fft(x, axis=axis),
            "torch": lambda: torch.fft.fft(of_torch, dim=axis)}
    ways["graft"]()
    agree(y, ways["cupy"]())
    return {"row": f"FFT of {'x'.join(map(str, shape))} along axis {axis}", "microseconds": measured(ways)}


def plain_row(graft, shape, is_real):
    points = int(numpy.prod(shape))
    batch = NUMBERS // 2 // points
    axes = tuple(range(1, 1 + len(shape)))
    x = cupy.random.rand(batch, *shape, dtype=cupy.float32) - 0.5
    if is_real:
        y = cupy.empty((batch, *shape[:-1], shape[-1] // 2 + 1), cupy.complex64)
    else:
        x = (x + 1j * x[::-1]).astype(cupy.complex64)
        y = cupy.empty_like(x)
    plan = Plan(directions=1, is_real=int(is_real), batch=batch)
    if len(shape) == 1:
        plan.length = points
    else:
        plan.shape[:len(shape)] = shape
    fft = graft.fft(plan)
    source, target = array_of(x, F32 if is_real else C64), array_of(y, C64)
    stream = cupy.cuda.get_current_stream().ptr
    by_cupy = cupy.fft.rfftn if is_real else cupy.fft.fftn
    ways = {"graft": lambda: graft.execute(fft, stream, source, target, Launch()),
            "cupy": lambda: by_cupy(x, axes=axes)}
    ways["graft"]()
    expected = ways["cupy"]()
    agree(y, expected)
    if VKFFT:
        z = cupy.empty_like(y)
        app = pyvkfft.cuda.VkFFTApp(x.shape, numpy.float32 if is_real else numpy.complex64, ndim=len(shape),
                                    inplace=False, r2c=is_real)
        ways["vkfft"] = lambda: app.fft(x, z)
        ways["vkfft"]()
        agree(z, expected)
    kind = "real FFT" if is_real else "FFT"
    return {"row": f"{kind} of {'x'.join(map(str, shape))}", "microseconds": measured(ways)}


def main():
    graft = Graft(sys.argv[1])
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../callbacks/dct.cuh")) as file:
        text = file.read()
    rows = [lambda n=n: cosine_row(graft, n, text) for n in LENGTHS]
    rows += [lambda s=s, a=a: axis_row(graft, s, a)
             for s, a in (((1024, 32768), 0), ((32768, 1024), 0), ((64, 512, 1024), 1), ((512, 256, 256), 0))]
    rows += [lambda s=s, r=r: plain_row(graft, s, r) for r in (False, True) for s in SHAPES]
    found = []
    for row in rows:
        found.append(row())
        times = found[-1]["microseconds"]
        print(f"{found[-1]['row']:<40}" + "".join(f" {name} {value:9.1f} us" for name, value in times.items()) +
              f", {times['graft'] / times['cupy']:.3f} of CuPy's" +
              (f", {times['graft'] / times['vkfft']:.3f} of VkFFT's" if "vkfft" in times else ""), flush=True)
    gpu = subprocess.run(["nvidia-smi", "--query-gpu=name", "--format=csv,noheader"], capture_output=True, text=True)
    record = {"benchmark": "fft_peers", "gpu": gpu.stdout.strip().splitlines()[0], "cupy": cupy.__version__,
              "torch": torch.__version__, "vkfft": VKFFT, "numbers": NUMBERS, "rows": found}
    if len(sys.argv) > 2:
        with open(sys.argv[2], "w") as file:
            json.dump(record, file, indent=1)


main()
