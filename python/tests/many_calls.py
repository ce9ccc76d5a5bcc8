"""Makes many calls of each kind from several threads, and prints how much memory is in use afterwards beyond before.

    many_calls.py [numpy|cupy|torch]      prints {"kind": {"calls": ..., "process": bytes, "gpu": bytes}} as JSON

It is a program of its own, because memory that a large process has freed before would hide what a call loses. The kind
"leak" loses 64 bytes a call on purpose.
"""

import gc
import json
import os
import sys
import threading

import numpy as np

import graft_cuda as graft
from graft_cuda._arguments import parameters_of, place, taken

THREADS = 8
KEPT = []
SCALE = "struct S { float a; }; __device__ float scale(float x, const S& s) { return s.a * x; }"
KERNEL = graft.KernelEntry("k", "k", [8, 4, 8], ["const float*", "int", "Line"])


class OnlyDlpack:
    def __init__(self, array):
        self.__dlpack__, self.__dlpack_device__ = array.__dlpack__, array.__dlpack_device__


class OnlyInterface:
    def __init__(self, array):
        self.array, self.__array_interface__ = array, array.__array_interface__


class OnGpu:
    """Shows itself as an array in GPU memory; nothing here follows its pointer."""

    def __init__(self, array):
        self.array, self.__cuda_array_interface__ = array, {**array.__array_interface__, "version": 3}


def refusing(call):
    def refused():
        try:
            call()
        except graft.GraftError:
            return
        raise AssertionError("not refused")

    return refused


def leak():
    KEPT.append(bytes(64 - sys.getsizeof(b"")))


def each_with(make, call):
    """Return what makes the call of a thread, in which each thread has something of its own."""

    def made():
        own = make()
        return lambda: call(own)

    return made


def kinds_for(library):
    """Return by kind what makes the call of a thread."""
    x = library.there(np.arange(16, dtype=np.float32))
    z = library.there(np.arange(16).astype(np.complex64))
    device = library.device

    def empty(count=16):
        return library.there(np.zeros(count, np.float32))

    scale = graft.Transform(SCALE, device=device)
    add = graft.Transform("[](float x, float y) { return x + y; }", device=device)
    norm = graft.reduction("a + b", map="x * x", device=device)
    fft = graft.Fft(16, device=device)
    twice = graft.transform("a * x", device=device)
    kinds = {
        "given output": each_with(empty, lambda out: scale(x, out=out, a=2)),
        "new output": lambda: lambda: add(x, x),
        "number as an input": lambda: lambda: add(x, 1.0),
        "formula": lambda: lambda: twice(x=x, a=2.5),
        "evaluate": lambda: lambda: graft.evaluate("2 * x + a", x=x, a=1),
        "reduction": lambda: lambda: norm(x),
        "fft": lambda: lambda: fft(z),
        "refused by libgraft": lambda: refusing(lambda: scale(x, out=empty(9), a=2)),
        "refused state": lambda: refusing(lambda: scale(x, b=2)),
        "leak": lambda: leak,
    }
    if device == "gpu":
        kernel = graft.Kernel(
            "struct S { float a; }; __device__ float f(float x, const S& s);"
            "__global__ void k(const float* x, float* y, int n, const __grid_constant__ S s)"
            "{ if (threadIdx.x < n) y[threadIdx.x] = f(x[threadIdx.x], s); }",
            {"f": SCALE},
        )
        kinds["kernel of your own"] = each_with(empty, lambda y: kernel(1, 32, (x, y, 16, kernel.state("f", a=2))))
        kinds["given stream"] = each_with(library.stream, lambda stream: add(x, 1.0, stream=stream))
    else:
        parameters, state = parameters_of(KERNEL), np.zeros((), "f4,f4")
        kinds["DLPack"] = each_with(empty, lambda out: scale(OnlyDlpack(x), out=OnlyDlpack(out), a=2))
        kinds["interface"] = each_with(empty, lambda out: scale(OnlyInterface(x), out=out, a=2))
        kinds["no array"] = lambda: refusing(lambda: scale(object(), out=x, a=2))
        kinds["arguments"] = lambda: lambda: taken(place("k", parameters, (OnGpu(x), 4, state), None), parameters)
    return kinds


class NumPy:
    device = "host"

    def there(self, array):
        return array

    def free_bytes(self):
        return 0


class CuPy:
    device = "gpu"

    def __init__(self):
        import cupy

        self.module = cupy

    def there(self, array):
        return self.module.asarray(array)

    def stream(self):
        return self.module.cuda.Stream(non_blocking=True)

    def free_bytes(self):
        self.module.cuda.Device().synchronize()
        gc.collect()
        self.module.get_default_memory_pool().free_all_blocks()
        return self.module.cuda.runtime.memGetInfo()[0]


class Torch:
    device = "gpu"

    def __init__(self):
        import torch

        self.module = torch

    def there(self, array):
        return self.module.from_numpy(array).cuda()

    def stream(self):
        return self.module.cuda.Stream()

    def free_bytes(self):
        self.module.cuda.synchronize()
        gc.collect()
        self.module.cuda.empty_cache()
        return self.module.cuda.mem_get_info()[0]


def run(make, calls):
    """Make the calls in several threads, which begin together."""
    problems, begin = [], threading.Barrier(THREADS)

    def work():
        try:
            call = make()
            begin.wait()
            for _ in range(calls // THREADS):
                call()
        except BaseException as error:
            problems.append(error)
            begin.abort()

    threads = [threading.Thread(target=work) for _ in range(THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if problems:
        raise problems[0]


def resident_bytes():
    gc.collect()
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def main():
    library = {"numpy": NumPy, "cupy": CuPy, "torch": Torch}[sys.argv[1] if len(sys.argv) > 1 else "numpy"]()
    grown = {}
    for kind, make in kinds_for(library).items():
        calls = 100_000 if kind == "given output" else 20_000
        run(make, calls // 5)
        free, before = library.free_bytes(), resident_bytes()
        run(make, calls)
        grown[kind] = {"calls": calls, "process": resident_bytes() - before, "gpu": free - library.free_bytes()}
    print(json.dumps(grown))


if __name__ == "__main__":
    main()
