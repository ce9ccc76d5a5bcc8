#!/usr/bin/env python3
"""Compares the time of create in a new process between two builds of graft.

    bench/compare_create.py OLD NEW [--samples 40] [--out FILE] [--no-gpu]

OLD and NEW are folders that have the program bench_create_once of a build. The programs run in turns and alternate in
going first; the first pair is not counted. Each pair is measured without graft's cache (GRAFT_CACHE=off) and with an
empty cache folder. The caches of the driver and of NVIDIA's tools are off. Prints the median and the quartiles in
milliseconds of the first create of a process ("cold") and of a later one ("warm"), and new over old.
"""

import argparse
import datetime
import json
import os
import statistics
import subprocess
import tempfile


def run(folder, cache, arguments):
    with tempfile.TemporaryDirectory() as empty:
        environment = dict(os.environ, CUDA_CACHE_DISABLE="1")
        environment.pop("GRAFT_CACHE", None)
        environment.update({"GRAFT_CACHE": "off"} if cache == "off" else {"GRAFT_CACHE_DIR": empty})
        done = subprocess.run([os.path.join(folder, "bench_create_once"), *arguments], env=environment,
                              stdout=subprocess.PIPE, check=True)
        return json.loads(done.stdout)


def figures(samples):
    low, middle, high = statistics.quantiles(samples, n=4)
    return {"median_ms": middle, "quartiles_ms": [low, high]}


def compare(builds, cache, count, arguments):
    samples = {"old": [], "new": []}
    for i in range(count + 1):
        for name in ("old", "new") if i % 2 else ("new", "old"):
            times = run(builds[name], cache, arguments)
            if i > 0:
                samples[name].append(times)
    result = {}
    for state in ("cold", "warm"):
        result[state] = {name: figures([times[state]["total"] for times in all_times])
                         for name, all_times in samples.items()}
        result[state]["ratio"] = result[state]["new"]["median_ms"] / result[state]["old"]["median_ms"]
        print(f"cache {cache:5} {state}: " + ", ".join(
            f"{name} {result[state][name]['median_ms']:.2f} ms "
            f"[{result[state][name]['quartiles_ms'][0]:.2f}, {result[state][name]['quartiles_ms'][1]:.2f}]"
            for name in samples) + f", new over old {result[state]['ratio']:.3f}", flush=True)
    return result


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("old")
    parser.add_argument("new")
    parser.add_argument("--samples", type=int, default=40)
    parser.add_argument("--out")
    parser.add_argument("--no-gpu", action="store_true")
    options = parser.parse_args()
    builds = {"old": options.old, "new": options.new}
    arguments = ["--no-gpu"] if options.no_gpu else []
    record = {"benchmark": "compare_create", "date": datetime.date.today().isoformat(), "samples": options.samples}
    for cache in ("off", "empty"):
        record[cache] = compare(builds, cache, options.samples, arguments)
    if options.out:
        with open(options.out, "w", encoding="utf-8") as file:
            json.dump(record, file, indent=2)


if __name__ == "__main__":
    main()
