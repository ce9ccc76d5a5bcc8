#!/usr/bin/env python3
"""Runs `graft apply` on a GPU with sources and packs over .npy files, by each route. NumPy checks the results.

    apply_on_gpu.py GRAFT      GRAFT is the program; the exit status is 1 if a result differs
"""
import pathlib
import subprocess
import sys
import tempfile

import numpy

AXPY = """struct Scale { float a; };
__device__ float axpy(float x, float y, const Scale& s) { return s.a * x + y; }
"""
COMPLEX = "__device__ graft::complex<float> conjugate(graft::complex<float> z) { return {z.real(), -z.imag()}; }\n"
POSITIVE = "__device__ graft::Store positive(float x, float& y) { y = 2 * x; return graft::Store(x > 0); }\n"
PIXEL = """struct Rgb { unsigned char r, g, b; };
__device__ unsigned char green(Rgb p) { return p.g; }
"""


def graft(program, *words):
    subprocess.run([program, *words], check=True)


def expect(folder, name, expected):
    found = numpy.load(folder / name)
    if not numpy.array_equal(found, expected):
        sys.exit(f"{name}: {found} instead of {expected}")
    print(f"{name}: {found.dtype} {found.shape} ok")


def main():
    program = str(pathlib.Path(sys.argv[1]).resolve())
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        numbers = numpy.random.default_rng(1)
        x = numbers.integers(-99, 99, (101, 7)).astype(numpy.float32)
        y = numbers.integers(-99, 99, (101, 7)).astype(numpy.float32)
        z = (x + 1j * y).astype(numpy.complex64)
        pixels = numbers.integers(0, 255, (1001, 3), dtype=numpy.uint8).view([("r", "u1"), ("g", "u1"), ("b", "u1")])
        for array, file in ((x, "x.npy"), (y, "y.npy"), (z, "z.npy"), (pixels[:, 0], "pixels.npy")):
            numpy.save(folder / file, array)
        for text, file in ((AXPY, "axpy.cu"), (COMPLEX, "conjugate.cu"), (PIXEL, "green.cu"),
                           (POSITIVE, "positive.cu")):
            (folder / file).write_text(text)
        at = lambda file: str(folder / file)
        graft(program, "precompile", at("axpy.cu"), "--arch", "75", "-o", at("axpy.graft"))
        for callback in ("axpy.cu", "axpy.graft"):
            for route in ("lto", "program", "ptx", "indirect"):
                out = f"{callback}.{route}.npy"
                graft(program, "apply", at(callback), "--in", at("x.npy"), "--in", at("y.npy"), "--out", at(out),
                      "--state", "hex:00002040", "--route", route)
                expect(folder, out, numpy.float32(2.5) * x + y)
        graft(program, "apply", at("conjugate.cu"), "--in", at("z.npy"), "--out", at("c.npy"))
        expect(folder, "c.npy", z.conj())
        graft(program, "apply", at("green.cu"), "--in", at("pixels.npy"), "--out", at("g.npy"))
        expect(folder, "g.npy", pixels[:, 0]["g"])
        graft(program, "apply", at("positive.cu"), "--in", at("x.npy"), "--out", at("p.npy"))
        expect(folder, "p.npy", numpy.where(x > 0, 2 * x, numpy.float32(0)))


if __name__ == "__main__":
    main()
