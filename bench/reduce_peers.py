#!/usr/bin/env python3
"""Measures reductions of whole arrays beside PyTorch and CuPy, from 2^20 to 2^28 elements, in one process.

    reduce_peers.py LIBGRAFT [RECORD]      LIBGRAFT is libgraft.so; writes a record in JSON

graft is called through its C interface. Each time is that of calls one after the other, between two events of a stream.
Results are compared before they are measured.
"""
import json
import math
import os
import statistics
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "peers"))

import libgraft
import torch

try:
    import cupy
except ImportError:
    cupy = None

TORCH = {"f16": torch.float16, "f32": torch.float32, "f64": torch.float64, "i8": torch.int8, "i32": torch.int32,
         "i64": torch.int64, "c64": torch.complex64}
POWERS = (20, 22, 24, 26, 28)
SAMPLES = 15

ADD = "__device__ {0} add({0} a, {0} b) {{ return a + b; }}"
BEST = """struct Best { unsigned long long i; float v; };
__device__ Best one(float x, graft::Index i) { return {i, x}; }
__device__ Best better(Best a, Best b) { return b.v > a.v || (b.v == a.v && b.i < a.i) ? b : a; }
__device__ long long place(Best a) { return (long long)a.i; }
"""


class Case:
    def __init__(self, name, element, result, combine, of_torch, of_cupy, map=None, finish=None):
        self.name, self.element, self.result = name, element, result
        self.combine, self.map, self.finish = combine, map, finish
        self.of_torch, self.of_cupy = of_torch, of_cupy


CASES = [
    Case("f32 sum", "f32", "f32", ADD.format("float"), lambda x: torch.sum(x), lambda x: cupy.sum(x)),
    Case("f32 sum of squares", "f32", "f32", ADD.format("float"), lambda x: torch.dot(x, x), lambda x: cupy.dot(x, x),
         map="__device__ float square(float x) { return x * x; }"),
    Case("f16 sum in f32", "f16", "f32", ADD.format("float"), lambda x: torch.sum(x, dtype=torch.float32),
         lambda x: cupy.sum(x, dtype=cupy.float32),
         map="#include <cuda_fp16.h>\n__device__ float wide(__half x) { return x; }"),
    Case("i8 sum in i32", "i8", "i32", ADD.format("int"), lambda x: torch.sum(x, dtype=torch.int32),
         lambda x: cupy.sum(x, dtype=cupy.int32), map="__device__ int wide(signed char x) { return x; }"),
    Case("f64 largest", "f64", "f64", "__device__ double larger(double a, double b) { return a < b ? b : a; }",
         lambda x: torch.amax(x), lambda x: cupy.max(x)),
    Case("complex sum", "c64", "c64",
         "__device__ float2 add(float2 a, float2 b) { return {a.x + b.x, a.y + b.y}; }", lambda x: torch.sum(x),
         lambda x: cupy.sum(x)),
    Case("f32 argmax", "f32", "i64", (BEST, "better"), lambda x: torch.argmax(x), lambda x: cupy.argmax(x),
         map=(BEST, "one"), finish=(BEST, "place")),
]


def reduction_of(graft, case):
    def callback(given):
        text, entry = given if isinstance(given, tuple) else (given, None)
        return text and graft.callback(text, entry)

    return graft.reduction(callback(case.combine), callback(case.map), callback(case.finish))


def call_of(graft, reduction, array, out, case):
    taken = libgraft.array(array.data_ptr(), array.numel(), case.element)
    to = libgraft.array(out.data_ptr(), 1, case.result)
    return graft.reduce_call(reduction, torch.cuda.current_stream().cuda_stream, taken, to)


def microseconds(run, calls):
    times = []
    for _ in range(SAMPLES + 2):
        begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        begin.record()
        for _ in range(calls):
            run()
        end.record()
        end.synchronize()
        times.append(begin.elapsed_time(end) * 1000 / calls)
    return statistics.median(times[2:])


def random_array(element, count):
    if element == "i8":
        return torch.randint(-100, 100, (count,), dtype=torch.int8, device="cuda")
    if element == "c64":
        return torch.view_as_complex(torch.rand((count, 2), device="cuda") - 0.25)
    return (torch.rand(count, device="cuda", dtype=torch.float64 if element == "f64" else torch.float32) - 0.25).to(
        TORCH[element])


def expect_equal(what, found, expected, tolerance):
    found, expected = complex(found), complex(expected)
    if not abs(found - expected) <= tolerance * abs(expected):
        sys.exit(f"{what}: {found} instead of {expected}")


def measured(graft, case, reduction, power):
    count = 1 << power
    array = random_array(case.element, count)
    out = torch.zeros(1, dtype=TORCH[case.result], device="cuda")
    ways = {"graft": call_of(graft, reduction, array, out, case), "torch": lambda: case.of_torch(array)}
    if cupy:
        of_cupy = cupy.asarray(array)
        ways["cupy"] = lambda: case.of_cupy(of_cupy)
    ways["graft"]()
    torch.cuda.synchronize()
    tolerance = 0 if case.result in ("i32", "i64") or case.name == "f64 largest" else 1e-3
    for name in list(ways)[1:]:
        expect_equal(f"{case.name} of 2^{power}", out.item(), ways[name]().item(), tolerance)
    calls = 100 if power < 22 else 20 if power < 26 else 5
    record = {"case": case.name, "log2": power}
    for name, run in ways.items():
        record[name + "_us"] = microseconds(run, calls)
    for name in list(ways)[1:]:
        record["graft_to_" + name] = record[name + "_us"] / record["graft_us"]
    print(", ".join(f"{key} {value:.3f}" if isinstance(value, float) else f"{value}" for key, value in record.items()))
    return record


def main():
    graft = libgraft.Library(sys.argv[1])
    torch.zeros(1, device="cuda")
    torch.manual_seed(1)
    if cupy:
        cupy.cuda.ExternalStream(torch.cuda.current_stream().cuda_stream).use()
    record = {"benchmark": "reduce_peers", "gpu": torch.cuda.get_device_name(), "torch": torch.__version__,
              "cupy": cupy.__version__ if cupy else None, "cells": [],
              "driver": subprocess.run(["nvidia-smi", "--query-gpu=driver_version", "--format=csv,noheader"],
                                       capture_output=True, text=True).stdout.split("\n")[0]}
    for case in CASES:
        reduction = reduction_of(graft, case)
        for power in POWERS:
            if not (case.element in ("f64", "c64") and power > 27):
                record["cells"].append(measured(graft, case, reduction, power))
    for name in ("torch", "cupy") if cupy else ("torch",):
        logarithms = [math.log(cell["graft_to_" + name]) for cell in record["cells"]]
        record["geometric_mean_of_" + name] = math.exp(sum(logarithms) / len(logarithms))
        print(f"{name}: geometric mean {record['geometric_mean_of_' + name]:.3f}")
    if len(sys.argv) > 2:
        with open(sys.argv[2], "w", encoding="utf-8") as file:
            json.dump(record, file, indent=2)


if __name__ == "__main__":
    main()
