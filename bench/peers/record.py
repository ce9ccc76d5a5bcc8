"""The JSON record of one run: machine, versions, command line, and summaries of samples."""

import argparse
import datetime
import importlib.metadata
import json
import math
import os
import pathlib
import platform
import shlex
import statistics
import sys

PACKAGES = [
    "graft-cuda",
    "torch",
    "triton",
    "cupy-cuda13x",
    "cuda-core",
    "cuda-bindings",
    "cuda-cccl",
    "nvmath-python",
    "numba-cuda",
    "numpy",
]


def versions():
    found = {"python": platform.python_version()}
    for package in PACKAGES:
        try:
            found[package] = importlib.metadata.version(package)
        except importlib.metadata.PackageNotFoundError:
            found[package] = None
    return found


def gpu():
    """Returns the name and the CUDA versions of device 0. If they cannot be read, returns the reason."""
    try:
        from cuda.bindings import runtime

        properties = runtime.cudaGetDeviceProperties(0)[1]
        return {
            "gpu": properties.name.decode(),
            "compute_capability": f"{properties.major}.{properties.minor}",
            "driver_cuda": runtime.cudaDriverGetVersion()[1],
        }
    except Exception as error:  # the rest of the record is useful without these facts
        return {"gpu": f"unknown: {error}"}


def driver_module():
    try:
        return pathlib.Path("/proc/driver/nvidia/version").read_text().splitlines()[0]
    except OSError:
        return ""


def environment(arguments, name):
    return {
        "benchmark": name,
        **gpu(),
        "driver": driver_module(),
        "versions": versions(),
        "command_line": shlex.join(sys.argv),
        "commit": arguments.commit,
        "date": datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ"),
    }


def spread(samples, unit):
    """Returns median, quartiles and extremes of samples, under the names that the C++ programs' records use."""
    ordered = sorted(samples)
    quartiles = statistics.quantiles(ordered, n=4, method="inclusive") if len(ordered) > 1 else ordered * 3
    return {
        f"median_{unit}": statistics.median(ordered),
        f"min_{unit}": ordered[0],
        f"q1_{unit}": quartiles[0],
        f"q3_{unit}": quartiles[2],
        f"max_{unit}": ordered[-1],
    }


def ratio_of(own, peer, goal=None):
    """Returns how many times faster graft is than the peer, from the medians of milliseconds. The spread combines both
    half interquartile ranges, relative to their medians, as independent errors. The goal is missed if ratio plus spread
    is below the goal."""
    own, peer = spread(own, "ms"), spread(peer, "ms")
    parts = [(side["q3_ms"] - side["q1_ms"]) / 2 / side["median_ms"] for side in (own, peer)]
    ratio = peer["median_ms"] / own["median_ms"]
    result = {"ratio": ratio, "spread": ratio * math.hypot(*parts)}
    if goal:
        result.update(goal=goal, met=ratio + result["spread"] >= goal)
    return result


def print_failures(record):
    for failure in record["failures"]:
        print(f"FAILED: {failure['contender']}, {failure['during']}: {failure['error']}")


def parser(description, name, samples):
    result = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    folder = os.environ.get("OUT")
    result.add_argument("--samples", type=int, default=samples, help="default: %(default)s")
    result.add_argument("--out", default=f"{folder}/{name}.json" if folder else "", help="default: $OUT/NAME.json")
    result.add_argument("--commit", default="", help="the commit to name in the record")
    result.add_argument("--peers", default="", help="comma-separated words: only peers whose name contains a word")
    result.add_argument("--dry-run", action="store_true", help="print what would run and which packages are missing")
    return result


def write(arguments, record):
    if not arguments.out:
        return
    pathlib.Path(arguments.out).write_text(json.dumps(record, indent=2, sort_keys=True) + "\n")
    print(f"written: {arguments.out}", flush=True)
