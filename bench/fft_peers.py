#!/usr/bin/env python3
"""Measures cosine transforms beside CuPy, FFTs along an axis beside CuPy and PyTorch, and complex and real FFTs beside
CuPy (cuFFT) and VkFFT, where pyvkfft is installed, in one process.

    fft_peers.py LIBGRAFT [RECORD]      LIBGRAFT is libgraft.so; writes a record in JSON

graft is called through its C interface. Each time is that of one call between two events of a stream, in turns, on 256
MiB of numbers. Results are compared before they are measured.
"""
import json
import os
import statistics
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "peers"))

import cupy
import cupyx.scipy.fft
import libgraft
import numpy
import torch

try:
    import pyvkfft.cuda
    VKFFT = pyvkfft.cuda.vkfft_version()
except Exception as error:
    VKFFT = None
    print(f"no VkFFT: {error}")

NUMBERS = 1 << 26
SHAPES = ((64,), (256,), (1000,), (1024,), (4096,), (8192,), (65536,), (1 << 20,), (128, 128), (512, 512),
          (4096, 4096), (128, 128, 128))
LENGTHS = (64, 100, 128, 256, 512, 1000, 1024, 2048, 4096, 5000, 8192, 16384)
SAMPLES = 11


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


def array_of(x, shape=None):
    return libgraft.array(x.data.ptr, x.size, {"f": "f32", "F": "c64"}[x.dtype.char], shape)


def cosine_row(graft, length, text):
    batch = NUMBERS // length
    x = cupy.random.rand(batch, length, dtype=cupy.float32) - 0.5
    y = cupy.empty_like(x)
    info = cupy.array([length], dtype=cupy.uint32)
    fft = graft.fft(libgraft.FftPlan(length=length, directions=1, is_real=1, batch=batch),
                    graft.callback(text, "graft::callbacks::load_dct2<float>"),
                    graft.callback(text, "graft::callbacks::store_dct2<float>"))
    launch = libgraft.FftLaunch(has_batch=1, batch=batch, load_info=info.data.ptr, store_info=info.data.ptr)
    stream = cupy.cuda.get_current_stream().ptr
    ways = {"graft": graft.fft_call(fft, stream, array_of(x), array_of(y), launch),
            "cupy": lambda: cupyx.scipy.fft.dct(x, type=2, axis=-1)}
    ways["graft"]()
    agree(y, ways["cupy"]())
    return {"row": f"DCT-II of {length}", "microseconds": measured(ways)}


def axis_row(graft, shape, axis):
    x = cupy.random.rand(*shape, dtype=cupy.float32) + 1j * cupy.random.rand(*shape, dtype=cupy.float32)
    x = x.astype(cupy.complex64)
    y = cupy.empty_like(x)
    of_torch = torch.from_dlpack(x)
    fft = graft.fft(libgraft.FftPlan(length=shape[axis], directions=1, has_strides=1, batch=x.size // shape[axis]))
    launch = libgraft.FftLaunch(axis_count=1)
    launch.axes[0] = axis
    stream = cupy.cuda.get_current_stream().ptr
    ways = {"graft": graft.fft_call(fft, stream, array_of(x, shape), array_of(y, shape), launch),
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
    plan = libgraft.FftPlan(directions=1, is_real=int(is_real), batch=batch)
    if len(shape) == 1:
        plan.length = points
    else:
        plan.shape[:len(shape)] = shape
    fft = graft.fft(plan)
    stream = cupy.cuda.get_current_stream().ptr
    by_cupy = cupy.fft.rfftn if is_real else cupy.fft.fftn
    ways = {"graft": graft.fft_call(fft, stream, array_of(x), array_of(y)),
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
    graft = libgraft.Library(sys.argv[1])
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
