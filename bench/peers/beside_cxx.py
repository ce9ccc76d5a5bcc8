#!/usr/bin/env python3
"""Measures whether kernels are as fast from Python as in C++: transforms, arrays that repeat, reductions, and an FFT
with callbacks.

Both ways take turns in one process, on the same memory: the package graft_cuda with torch's tensors, and libgraft.so,
which is called through its C interface. They must have the same bits, and agree with torch in double precision. For
transforms and FFTs, the record also has what the program `graft bench`, which is C++ alone, measures in this run.

--prefix is the folder of an installed graft, with lib/libgraft.so and bin/graft. All data is random; every call uses
other memory than the one before, so that at least half a GiB lies between two uses of an address.
"""

import itertools
import json
import os
import pathlib
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import contenders
import gpu_time
import libgraft
import record

PYTHON, CXX, PROGRAM = "graft_cuda", "libgraft.so", "graft bench"
GOAL = 0.99  # lowest permitted speed from Python, divided by that of libgraft.so; the spread is added
BETWEEN_USES = 1 << 29  # bytes
CHUNK = 1 << 26  # elements that are compared at once
LIMIT_SECONDS = 60
POINTS = 4096

MUL = "__device__ float mul(float a) { return 0.4f * a; }"
TRIAD = "__device__ double triad(double a, double b) { return a + 0.4 * b; }"
GELU = (
    "#include <cuda_fp16.h>\n__device__ __half gelu(__half h) { const float v = __half2float(h); "
    "return __float2half(0.5f * v * (1.0f + erff(0.70710678f * v))); }"
)
ADD = "__device__ {0} add({0} a, {0} b) {{ return a + b; }}"
MULTIPLY = "__device__ float multiply(float a, float b) { return a * b; }"
LOAD = "__device__ float2 sample(short x) { return make_float2(x / 32768.0f, 0); }"
STORE = "__device__ float power(float2 z) { return z.x * z.x + z.y * z.y; }"
NAMES = {"float16": "f16", "float32": "f32", "float64": "f64", "int16": "i16"}


@dataclass
class Case:
    name: str
    make_arrays: Callable[[], tuple[list[Any], Any]]  # random inputs, and the output
    make_python: Callable[[], Callable[[list[Any], Any], Callable[[], Any]]]  # compiles, and then binds arrays
    make_cxx: Callable[[], Callable[[list[Any], Any], Callable[[], Any]]]
    reference: Callable[[list[Any]], Any]  # of inputs in double precision
    tolerance: float  # relative to the largest result
    chunked: bool = False  # whether parts of the arrays can be compared
    program: list[str] = field(default_factory=list)  # arguments of `graft bench`


# ---- the two ways ----


def name_of_type(tensor):
    return NAMES[str(tensor.dtype).removeprefix("torch.")]


def dense(tensor):
    """Returns a tensor as an array of the C interface, without a shape."""
    return libgraft.array(tensor.data_ptr(), tensor.numel(), name_of_type(tensor))


def view_of(tensor, shape=None):
    """Returns a tensor as a view of the C interface. `shape` is that to which the tensor repeats."""
    view = tensor if shape is None else tensor.expand(shape)
    return libgraft.array(view.data_ptr(), view.numel(), name_of_type(view), tuple(view.shape), view.stride())


def python_transform(text):
    import graft_cuda

    transform = graft_cuda.Transform(text)

    def bind(inputs, output):
        transform.prepare_shapes(*inputs, out=output)
        return lambda: transform(*inputs, out=output)

    return bind


def cxx_transform(library, text):
    transform = library.transform(text)
    return lambda inputs, output: library.transform_call(
        transform, 0, [view_of(one, output.shape) for one in inputs], view_of(output)
    )


def python_reduction(text, axis):
    import graft_cuda

    reduce = graft_cuda.Reduce(text)
    return lambda inputs, output: lambda: reduce(*inputs, axis=axis, out=output)


def cxx_reduction(library, text):
    reduction = library.reduction(library.callback(text))
    return lambda inputs, output: library.reduce_call(reduction, 0, view_of(inputs[0]), view_of(output))


def python_fft():
    import graft_cuda

    fft = graft_cuda.Fft(POINTS, load=LOAD, store=STORE, directions="forward")
    return lambda inputs, output: lambda: fft(*inputs, out=output)


def cxx_fft(library):
    plan = libgraft.FftPlan(length=POINTS, directions=1)
    fft = library.fft(plan, library.callback(LOAD), library.callback(STORE))

    return lambda inputs, output: library.fft_call(fft, 0, dense(inputs[0]), dense(output))


# ---- the cases ----


def transforms(torch, library, largest):
    def case(name, dtype, text, inputs, reference, tolerance, power):
        def make_arrays():
            made = [torch.randn(1 << power, device="cuda").to(dtype) for _ in range(inputs)]
            return made, torch.empty_like(made[0])

        return Case(
            f"{name}, 2^{power}",
            make_arrays,
            lambda: python_transform(text),
            lambda: cxx_transform(library, text),
            reference,
            tolerance,
            True,
            [text, "--count", str(1 << power)],
        )

    for power in sorted({min(24, largest), largest}):
        yield case("f32 times 0.4", torch.float32, MUL, 1, lambda x: 0.4 * x[0], 1e-6, power)
        yield case("f64 triad", torch.float64, TRIAD, 2, lambda x: x[0] + 0.4 * x[1], 1e-15, power)
        yield case(
            "f16 gelu", torch.float16, GELU, 1, lambda x: 0.5 * x[0] * (1 + torch.erf(x[0] * 0.5**0.5)), 1e-3, power
        )


def repeated(torch, library, side):
    def case(name, text, shapes, reference):
        def make_arrays():
            return [torch.randn(shape, device="cuda") for shape in shapes], torch.empty(side, side, device="cuda")

        return Case(
            name,
            make_arrays,
            lambda: python_transform(text),
            lambda: cxx_transform(library, text),
            reference,
            1e-6,
        )

    whole, row, column = (side, side), (side,), (side, 1)
    add = ADD.format("float")
    yield case(f"f32, a row repeats, {side} x {side}", add, (whole, row), lambda x: x[0] + x[1])
    yield case(f"f32, a column repeats, {side} x {side}", add, (whole, column), lambda x: x[0] + x[1])
    yield case(f"f32, outer product, {side} x {side}", MULTIPLY, (column, row), lambda x: x[0] * x[1])


def reductions(torch, library, side):
    def case(name, dtype, axis):
        text = ADD.format("double" if dtype == torch.float64 else "float")

        def make_arrays():
            x = torch.rand(side, side, device="cuda", dtype=dtype)
            x = x.reshape(-1) if axis is None else x
            return [x], torch.empty_like(x.sum(0 if axis is None else axis, keepdim=True))

        return Case(
            f"{name}, {side} x {side}",
            make_arrays,
            lambda: python_reduction(text, axis),
            lambda: cxx_reduction(library, text),
            lambda x: x[0].sum(0 if axis is None else axis, keepdim=True),
            1e-12 if dtype == torch.float64 else 1e-5,
        )

    for kind, dtype in (("f32", torch.float32), ("f64", torch.float64)):
        yield case(f"{kind} sum of all", dtype, None)
        yield case(f"{kind} sum of rows", dtype, 1)
        yield case(f"{kind} sum of columns", dtype, 0)


def ffts(torch, library, batch):
    def make_arrays():
        x = torch.randint(-32768, 32768, (batch, POINTS), dtype=torch.int16, device="cuda")
        return [x], torch.empty(batch, POINTS, device="cuda")

    yield Case(
        f"FFT of {POINTS} samples of 16 bits, their power, batch {batch}",
        make_arrays,
        python_fft,
        lambda: cxx_fft(library),
        lambda x: torch.fft.fft(x[0] / 32768).abs() ** 2,
        1e-5,
        True,
        ["--fft", str(POINTS), "--load", LOAD, "--store", STORE, "--directions", "forward", "--count", str(batch)],
    )


def cases(torch, library, power):
    """Yields all cases; the largest arrays have 2^power elements."""
    side = 1 << (power // 2 - 1)
    yield from transforms(torch, library, power)
    yield from repeated(torch, library, side)
    yield from reductions(torch, library, side)
    yield from ffts(torch, library, max(1, (1 << power) // POINTS // 4))


# ---- measuring ----


def distance(torch, case, inputs, output):
    """Returns the largest error of a result, relative to the largest result; NaN if a result is NaN."""
    rows = len(output)
    step = max(1, CHUNK * rows // output.numel()) if case.chunked else rows
    worst = most = torch.zeros((), dtype=torch.float64, device="cuda")
    for begin in range(0, rows, step):
        part = slice(begin, begin + step) if case.chunked else slice(None)
        expected = case.reference([one[part].double() for one in inputs])
        worst = torch.maximum(worst, (output[part].double() - expected).abs().max())
        most = torch.maximum(most, expected.abs().max())
    return (worst / most).item()


def verify(torch, case, ways, inputs, output):
    """Compares one call of each way with torch, and both ways bit by bit. Returns the error."""
    results = []
    for name, call in ways.items():
        output.fill_(float("nan"))
        call()
        torch.cuda.synchronize()
        results.append(output.clone().view(torch.uint8))
        error = distance(torch, case, inputs, output)
        if not error <= case.tolerance:
            raise RuntimeError(f"{name} is wrong: {error} of the largest result")
    if not torch.equal(*results):
        raise RuntimeError("Python and C++ have other bits")
    return error


def by_program(arguments, case):
    """Returns the row of `graft bench`. Its own comparison of the results is part of it."""
    command = [str(arguments.prefix / "bin/graft"), "bench", *case.program, "--json"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=LIMIT_SECONDS)
    if done.returncode != 0:
        raise RuntimeError(f"status {done.returncode}: {(done.stderr or done.stdout).strip()[:300]}")
    row = json.loads(done.stdout)["rows"][0]
    return {"median_ms": row["time"]["median_us"] / 1000, "median_gbs": row["gb_per_s"], "row": row}


def moved_bytes(inputs, output):
    return sum(one.numel() * one.element_size() for one in [*inputs, output])


def in_a_ring(calls):
    """Returns a function that makes one call after the other, and begins anew after the last."""
    ring = itertools.cycle(calls)
    return lambda: next(ring)()


def run_case(torch, case, arguments, failures):
    inputs, output = case.make_arrays()
    moved = moved_bytes(inputs, output)
    bind = {PYTHON: case.make_python(), CXX: case.make_cxx()}
    error = verify(torch, case, {name: one(inputs, output) for name, one in bind.items()}, inputs, output)
    sets = [(inputs, output)] + [case.make_arrays() for _ in range(max(1, -(-BETWEEN_USES // moved)))]
    ways = {name: in_a_ring([one(*arrays) for arrays in sets]) for name, one in bind.items()}
    calls = gpu_time.calls_of_a_sample(ways[CXX])
    times, late = gpu_time.in_turns(ways, arguments.samples, calls)
    cell = {
        "case": case.name,
        "bytes_moved": moved,
        "calls_of_a_sample": calls,
        "error_of_largest": error,
        "contenders": {
            name: {
                **record.spread([moved / ms / 1e6 for ms in found], "gbs"),
                **record.spread(found, "ms"),
                "late_samples": late[name],
            }
            for name, found in times.items()
        },
        "python_over": {CXX: record.ratio_of(times[PYTHON], times[CXX], GOAL)},
    }
    if case.program:
        found = contenders.attempt(failures, PROGRAM, case.name, lambda: by_program(arguments, case))
        if found:
            cell["contenders"][PROGRAM] = found
            ratio = found["median_ms"] / cell["contenders"][PYTHON]["median_ms"]
            cell["python_over"][PROGRAM] = {"ratio": ratio}
    return cell


def print_cell(cell):
    speed = cell["contenders"][PYTHON]["median_gbs"]
    over = ", ".join(f"{name} {entry['ratio']:.3f}" for name, entry in cell["python_over"].items())
    met = "" if cell["python_over"][CXX]["met"] else ", goal NOT met"
    print(f"{cell['case']:<66}{speed:>6.0f} GB/s from Python, times as fast as {over}{met}", flush=True)


def library_in(prefix):
    for path in sorted(prefix.glob("lib*/**/libgraft.so")):
        return path
    raise FileNotFoundError(f"{prefix} has no lib*/libgraft.so: cmake --install BUILD --prefix {prefix}")


def run(arguments):
    os.environ.setdefault("GRAFT_CACHE", "memory")
    import torch

    torch.zeros(1, device="cuda")
    library = libgraft.Library(library_in(arguments.prefix))
    result = record.environment(arguments, "beside_cxx")
    result.update(cells=[], failures=[], samples=arguments.samples)
    for case in cases(torch, library, arguments.power):
        cell = contenders.attempt(
            result["failures"], "all", case.name, lambda case=case: run_case(torch, case, arguments, result["failures"])
        )
        torch.cuda.empty_cache()
        if cell:
            result["cells"].append(cell)
            print_cell(cell)
        record.write(arguments, result)  # after every case, so that an interrupted run keeps its results
    record.print_failures(result)
    return 1 if result["failures"] else 0


def main():
    options = record.parser(__doc__, "beside_cxx", 21)
    options.add_argument("--prefix", type=pathlib.Path, required=True, help="the folder of an installed graft")
    options.add_argument("--power", type=int, default=28, help="largest arrays have 2^POWER elements; default: 28")
    arguments = options.parse_args()
    if arguments.dry_run:
        missing = [name for name in ("torch", "graft_cuda") if not contenders.is_installed(name)]
        print(f"{library_in(arguments.prefix)}, missing packages: {', '.join(missing) or 'none'}")
        return 0
    return run(arguments)


if __name__ == "__main__":
    sys.exit(main())
