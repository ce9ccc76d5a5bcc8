#!/usr/bin/env python3
"""Runs `graft reduce` on a GPU over .npy files, along each set of axes. NumPy checks the results.

    reduce_on_gpu.py GRAFT      GRAFT is the program; the exit status is 1 if a result differs
"""
import itertools
import pathlib
import subprocess
import sys
import tempfile

import numpy

READY_MADE = {
    "sum": numpy.sum,
    "max": numpy.max,
    "argmin": numpy.argmin,
    "count": numpy.count_nonzero,
    "mean": numpy.mean,
    "variance": numpy.var,
}


def reduced(program, folder, words):
    out = str(folder / "out.npy")
    subprocess.run([program, "reduce", "--in", str(folder / "in.npy"), "--out", out, *words], check=True)
    return numpy.load(out)


def expect(what, found, expected):
    if found.shape != expected.shape or not numpy.allclose(found, expected, rtol=1e-5, atol=1e-5):
        sys.exit(f"{what}: {found} instead of {expected}")
    print(f"{what}: {found.dtype} {found.shape} ok")


def main():
    program = str(pathlib.Path(sys.argv[1]).resolve())
    numbers = numpy.random.default_rng(1)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        array = numbers.integers(-9, 9, (50, 7, 33)).astype(numpy.float32)
        numpy.save(folder / "in.npy", array)
        for count in range(4):
            for axes in itertools.combinations(range(3), count):
                words = [word for axis in axes for word in ("--axis", str(axis))]
                expect(f"sum of {axes or 'all'}", reduced(program, folder, ["--combine", "sum", *words]),
                       numpy.asarray(numpy.sum(array, axis=axes or None)))
        for combine, function in READY_MADE.items():
            expect(combine, reduced(program, folder, ["--combine", combine, "--axis", "1"]), function(array, axis=1))
        words = ["--map", "__device__ float f(float x, const float& a) { return a * x; }", "--combine",
                 "__device__ float add(float a, float b) { return a + b; }", "--state", "2", "--axis", "0", "--keepdims"]
        expect("map with a state", reduced(program, folder, words), 2 * numpy.sum(array, axis=0, keepdims=True))
        numpy.save(folder / "in.npy", numbers.random(5_000_000))
        expect("a long sum", reduced(program, folder, ["--combine", "sum"]), numpy.sum(numpy.load(folder / "in.npy")))


if __name__ == "__main__":
    main()
