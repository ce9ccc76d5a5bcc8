#!/usr/bin/env python3
"""Measures an FFT with a prolog and an epilog that are functions of Python, which Numba compiles: graft beside
nvmath-python, whose cuFFT links them as LTO-IR, and beside the same by hand: CuPy's FFT between two ElementwiseKernels.

The same two functions serve graft and nvmath-python: the prolog changes the sign of every second point, which centres
the spectrum, and the epilog multiplies the spectrum of each signal by an array. Every result is compared with NumPy's
in double precision. The time of an execute is that between two events (gpu_time.py). "first result" is the time from
the functions to the first result in memory, in a new process with empty caches, and "compile" and "plan" are its parts;
imports, the CUDA context and the arrays of a smaller batch exist before the clock starts.

Where nvmath-python cannot be imported, the others are measured alone. It needs numba-cuda, cuda-core, cuda-bindings and
cuda-pathfinder, and finds cuFFT and nvJitLink by the latter: in NVIDIA's wheels among Python's packages, else in the
toolkit of CUDA_HOME or on the loader's path. bench/README.md says how it comes to a machine without a network.
"""

import json
import os
import pathlib
import random
import sys
import time

import contenders
import gpu_time
import new_process
import numpy
import record

if not hasattr(numpy, "row_stack"):  # which NumPy 2.5 left out, and numba-cuda 0.30 asks for
    numpy.row_stack = numpy.vstack

POINTS, BATCH = 4096, 4096
MOST_ERROR = 1e-5  # of the largest result
SMALL_BATCH = 256  # of the new processes
BYTES_MOVED = 3 * POINTS * BATCH * 8  # what one kernel reads and writes: the signals, the factors, and the spectra


# ---- the functions ----


def centred(x, i):
    return -x if i & 1 else x


def filtered(z, h):
    return z * h


# ---- the contenders: each compiles the functions, plans with them, and returns a function of a call ----


class Graft:
    needs = ("graft_cuda", "numba.cuda")

    def start(self):
        from numba import cuda  # noqa: F401

        import graft_cuda

        graft_cuda.default_engine()

    def compile(self, torch):
        import graft_cuda

        architecture = "sm_{}{}".format(*torch.cuda.get_device_capability())
        prolog = graft_cuda.numba_callback(centred, "c64(c64, index)", architecture=architecture)
        return prolog, graft_cuda.numba_callback(filtered, "c64(c64, c64)", architecture=architecture)

    def plan(self, functions, x, h):
        import graft_cuda

        fft = graft_cuda.Fft(POINTS, load=functions[0], store=functions[1], directions="forward")
        return lambda: fft(x, h)


class Nvmath:
    needs = ("nvmath", "numba.cuda")

    def start(self):
        import nvmath.fft  # noqa: F401
        from cuda.pathfinder import load_nvidia_dynamic_lib
        from numba import cuda  # noqa: F401

        for name in ("nvJitLink", "cufft"):  # cuFFT then finds the nvJitLink that it opens by name
            load_nvidia_dynamic_lib(name)

    def compile(self, torch):
        import nvmath.fft
        from numba import cuda

        first = cuda.jit(device=True, inline="always")(centred)
        last = cuda.jit(device=True, inline="always")(filtered)

        def prolog(data_in, offset, info, reserved):
            return numpy.complex64(first(data_in[offset], offset))  # POINTS is even

        def epilog(data_out, offset, data, h, reserved):
            data_out[offset] = last(data, h[offset])

        return (
            nvmath.fft.compile_prolog(prolog, "complex64", "complex64"),
            nvmath.fft.compile_epilog(epilog, "complex64", "complex64"),
        )

    def plan(self, functions, x, h):
        import nvmath.fft

        fft = nvmath.fft.FFT(x, axes=[1])
        fft.plan(prolog={"ltoir": functions[0]}, epilog={"ltoir": functions[1], "data": h.data_ptr()})
        return fft.execute


class ByHand:
    needs = ("cupy",)

    def start(self):
        import cupy
        import cupyx.scipy.fft  # noqa: F401

        cupy.cuda.runtime.free(0)

    def compile(self, torch):
        import cupy

        return (
            cupy.ElementwiseKernel("complex64 x", "complex64 y", "y = i & 1 ? -x : x", "centred"),
            cupy.ElementwiseKernel("complex64 z, complex64 h", "complex64 y", "y = z * h", "filtered"),
        )

    def plan(self, functions, x, h):
        import cupy
        import cupyx.scipy.fft

        x, h = cupy.asarray(x), cupy.asarray(h)
        between, spectrum = cupy.empty_like(x), cupy.empty_like(x)
        plan = cupyx.scipy.fft.get_fft_plan(between, axes=1, value_type="C2C")

        def call():
            functions[0](x, between)
            plan.fft(between, spectrum, cupy.cuda.cufft.CUFFT_FORWARD)
            return functions[1](spectrum, h)

        return call


CONTENDERS = {"graft": Graft(), "nvmath-python": Nvmath(), "CuPy, two kernels and cuFFT": ByHand()}


# ---- what each new process, and the first one, measure ----


def arrays(torch, batch):
    """Returns the signals and the factors on the GPU, and the results by NumPy."""
    random_numbers = numpy.random.default_rng()

    def signals():
        pairs = random_numbers.standard_normal((batch, 2 * POINTS), dtype=numpy.float32)
        return pairs.view(numpy.complex64)

    x, h = signals(), signals()
    signs = 1.0 - 2.0 * (numpy.arange(POINTS) % 2)
    expected = numpy.fft.fft(x * signs, axis=1) * h
    return torch.from_numpy(x).cuda(), torch.from_numpy(h).cuda(), expected


def verify(name, result, expected):
    found = result.cpu().numpy() if hasattr(result, "cpu") else result.get()  # of torch, or of CuPy
    error = float(abs(found - expected).max() / abs(expected).max())
    if not error <= MOST_ERROR:
        raise RuntimeError(f"{name} is wrong: {error} of the largest result")
    return error


def child(name):
    """Prints the milliseconds until the first result, by its steps."""
    import torch

    contender = CONTENDERS[name]
    contender.start()
    x, h, expected = arrays(torch, SMALL_BATCH)
    torch.cuda.synchronize()
    begin = time.perf_counter()
    functions = contender.compile(torch)
    compiled = time.perf_counter()
    call = contender.plan(functions, x, h)
    planned = time.perf_counter()
    result = call()
    torch.cuda.synchronize()
    end = time.perf_counter()
    verify(name, result, expected)
    seconds = {"compile": compiled - begin, "plan": planned - compiled, "first result": end - begin}
    print(json.dumps({step: 1000 * value for step, value in seconds.items()}))


def execute_times(torch, names, arguments, result):
    x, h, expected = arrays(torch, BATCH)
    ways = {}
    for name in names:

        def made(name=name):
            contender = CONTENDERS[name]
            contender.start()
            call = contender.plan(contender.compile(torch), x, h)
            result["contenders"][name] = {"error_of_largest": verify(name, call(), expected)}
            return call

        call = contenders.attempt(result["failures"], name, "making the FFT", made)
        if call:
            ways[name] = call
    calls = max((gpu_time.calls_of_a_sample(way) for way in ways.values()), default=1)
    times, late = gpu_time.in_turns(ways, arguments.samples, calls)
    for name, found in times.items():
        result["contenders"][name]["execute"] = {**record.spread(found, "ms"), "late_samples": late[name]}
        if name != "graft" and "graft" in times:
            result["graft_over"][name] = record.ratio_of(times["graft"], found)
        speed = BYTES_MOVED / record.spread(found, "ms")["median_ms"] / 1e6
        ratio = result["graft_over"].get(name, {}).get("ratio")
        words = f", graft is {ratio:.3f} times as fast" if ratio else ""
        print(f"{name:<32}{record.spread(found, 'ms')['median_ms']:>9.4f} ms, {speed:>6.0f} GB/s{words}", flush=True)


def cold_times(names, arguments, result):
    """Measures rounds of new processes. The result is written after each round, so that an interrupted run keeps it."""
    command = [sys.executable, str(pathlib.Path(__file__).resolve()), "--child"]
    samples = {name: [] for name in names}
    end = time.monotonic() + arguments.seconds
    for round_number in range(-1, arguments.processes):  # the first brings the libraries into the page cache
        if time.monotonic() > end:
            break
        for name in random.sample(names, len(names)):
            found = contenders.attempt(
                result["failures"], name, "a new process", lambda name=name: new_process.result_of([*command, name])
            )
            if found and round_number >= 0:
                samples[name].append(found)
                cold = {step: record.spread([one[step] for one in samples[name]], "ms") for step in found}
                result["contenders"].setdefault(name, {})["cold"] = {**cold, "processes": len(samples[name])}
        record.write(arguments, result)
    for name, found in samples.items():
        if found:
            cold = result["contenders"][name]["cold"]
            words = ", ".join(f"{step} {cold[step]['median_ms']:.0f} ms" for step in found[0])
            print(f"{name:<32}{words}, {len(found)} processes", flush=True)


def main():
    if len(sys.argv) == 3 and sys.argv[1] == "--child":
        child(sys.argv[2])
        return 0
    options = record.parser(__doc__, "fft_callbacks", 41)
    options.add_argument("--processes", type=int, default=5, help="new processes of each; default: %(default)s")
    options.add_argument("--seconds", type=float, default=float("inf"), help="starts no further round after this time")
    arguments = options.parse_args()
    words = [word.strip().lower() for word in arguments.peers.split(",") if word.strip()]
    names = [name for name in CONTENDERS if not words or any(word in name.lower() for word in words)]
    missing = {name: [one for one in CONTENDERS[name].needs if not contenders.is_installed(one)] for name in names}
    for name, packages in missing.items():
        print(f"{name:<32}{'missing: ' + ', '.join(packages) if packages else 'ready'}")
    if arguments.dry_run:
        return 0
    os.environ.setdefault("GRAFT_CACHE", "memory")
    import torch

    result = record.environment(arguments, "fft_callbacks")
    result.update(contenders={}, graft_over={}, failures=[], points=POINTS, batch=BATCH, bytes_moved=BYTES_MOVED)
    result["not_installed"] = {name: packages for name, packages in missing.items() if packages}
    names = [name for name in names if not missing[name]]
    execute_times(torch, names, arguments, result)
    record.write(arguments, result)
    cold_times(names, arguments, result)
    record.print_failures(result)
    record.write(arguments, result)
    return 1 if result["failures"] else 0


if __name__ == "__main__":
    sys.exit(main())
