#!/usr/bin/env python3
"""Runs `graft bench` on a GPU: callbacks and FFTs, whose results it compares with the CPU route's. Compares its figures
with those of bench_throughput for the same cells.

    bench_on_gpu.py GRAFT [BENCH_THROUGHPUT]      the exit status is 1 if a result is wrong, or if a figure differs by
                                                  more than 2 % and more than twice the spreads of both
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

MOST = 0.02
LONGEST_SECONDS = 300
# A kernel that needs local memory may wait for the device when it is first launched. It is not compared.
WITH_LOCAL_ARRAY = ["__device__ float f(float x, graft::Index i) { float a[256]; for (int k = 0; k < 256; ++k) "
                    "a[(k * 7 + i) % 256] = x * k; return a[static_cast<unsigned>(x * 100) % 256]; }",
                    "--forbid-route", "host"]
IN_OUT = ["__device__ void f(graft::InOut<float> x) { x = x * 2 + 1; }", "--count", "1", "--samples", "1"]

# Callbacks of bench_throughput (bench/throughput/operations.hpp), by operation and type.
CELLS = {
    "copy f32": "__device__ float f(float a) { return a; }",
    "mul f32": "__device__ float f(float a) { return 0.4f * a; }",
    "triad f64": "__device__ double f(double a, double b) { return a + 0.4 * b; }",
    "scale f32x3": "__device__ float3 f(float3 a) { return make_float3(0.4f * a.x, 0.4f * a.y, 0.4f * a.z); }",
}
CALLBACKS = [
    ["__device__ float f(float x, graft::Index i) { return x + i % 1000; }"],
    ["__device__ void f(graft::InOut<float> x, double y) { x += static_cast<float>(y); }"],
    ["__device__ graft::Store f(float x, float& y) { y = x; return graft::Store(x > 0); }"],
    ["__device__ graft::Bit f(float x) { return x > 1; }"],
    ["struct Rgb { unsigned char r, g, b; }; __device__ Rgb f(Rgb p) { p.r += p.g; return p; }"],
    ["struct S { float a; char b; }; __device__ S f(float x) { S s; s.a = x; s.b = x > 0; return s; }"],
    ["__device__ int4 f(int4 v) { v.x += v.y; v.w = -v.z; return v; }"],
    ["-e", "f32 x => exp(-x * x) * sin(x)"],
    ["--fft", "4096"],
    ["--fft", "4096", "--directions", "inverse", "--precision", "f64"],
    ["--fft", "1000", "--kind", "real", "--storage", "f16"],
    ["--fft", "512x512"],
    ["--fft", "1048576"],
    ["--fft", "999999", "--count", "1"],
    ["--fft", "4096", "--store", "[](float2 z) { return z.x * z.x + z.y * z.y; }"],
]


def bench(program, words, is_compared=True):
    run = subprocess.run([program, "bench", *words, "--json"], stdout=subprocess.PIPE, text=True, check=False,
                         timeout=LONGEST_SECONDS)
    if run.returncode != 0:
        sys.exit(f"graft bench {words} failed: {run.stdout}")
    result = json.loads(run.stdout)
    if result["is_compared"] != is_compared or result["problems"]:
        sys.exit(f"graft bench {words}: {result.get('why_not_compared')} {result['problems']}")
    return result


def line(title, row):
    return (f"{title:40} {row['count']:12} {row['time']['median_us']:12.2f} us {row['gb_per_s']:8.1f} GB/s "
            f"{row['share_of_copy']:.3f} of a copy")


def cells(program):
    """Returns the cells of CELLS that bench_throughput measures: (operation and type, count, GB/s, its spread)."""
    with tempfile.TemporaryDirectory() as folder:
        name = str(pathlib.Path(folder) / "record.json")
        subprocess.run([program, "--filter", f"^({'|'.join(CELLS)}) ", "--part", "aligned", "--out", name],
                       stdout=subprocess.DEVNULL, check=True)
        record = json.loads(pathlib.Path(name).read_text())
    found = []
    for cell in record["cells"]:
        graft = cell["contenders"]["graft"]
        low, high = graft["quartiles_gbs"]
        found.append((f"{cell['operation']} {cell['type']}", cell["count"], graft["gbs"],
                      (high - low) / 2 / graft["gbs"]))
    return found


def main():
    program = str(pathlib.Path(sys.argv[1]).resolve())
    for words in CALLBACKS:
        result = bench(program, words)
        print(line(" ".join(words)[:40], result["rows"][-1]))
    print(line("a local array", bench(program, WITH_LOCAL_ARRAY, is_compared=False)["rows"][-1]))
    for _ in range(20):  # what is written before a launch has arrived when the kernel reads it
        bench(program, IN_OUT)
    if len(sys.argv) < 3 or not os.access(sys.argv[2], os.X_OK):
        return
    failed = False
    measured = cells(str(pathlib.Path(sys.argv[2]).resolve()))
    for name, count, speed, spread in measured:
        row = bench(program, [CELLS[name], "--count", str(count)])["rows"][0]
        own_spread = (row["time"]["q3_us"] - row["time"]["q1_us"]) / 2 / row["time"]["median_us"]
        ratio = row["gb_per_s"] / speed
        failed |= abs(ratio - 1) > max(MOST, 2 * (spread + own_spread))
        print(f"{line(name, row)}; bench_throughput {speed:8.1f} GB/s, ratio {ratio:.3f}")
    if not measured:
        sys.exit("bench_throughput measured no cell")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
