#!/usr/bin/env python3
"""Measures the host time of one call on 256 elements: graft's package with arrays of several libraries, and peers from
Python.

A batch of calls is shorter than the stream's queue, so no call waits for the GPU. Between batches, outside of the timed
part, the script waits until the GPU is idle. The contenders take turns in a random order in each round.

With --programs FOLDER, the program bench_host_overhead in FOLDER runs before and after. It measures graft's execute in
C++ and other launches; the record has both results under "cxx", and graft's host time from Python over that in C++.
"""

import gc
import json
import os
import pathlib
import random
import subprocess
import tempfile
import time

os.environ.setdefault("GRAFT_CACHE", "memory")

import arrays
import cases
import contenders
import record

COUNT = 256
CALLS = 200
WARMUP_ROUNDS = 10
LIMIT_SECONDS = 60
NEW_ARRAY = {"makes_output": True}
GRAFT = [  # the output is given, unless the name says otherwise
    contenders.Contender("graft", "graft", held="torch"),
    contenders.Contender("graft, new array", "graft", NEW_ARRAY, held="torch"),
    contenders.Contender("graft, CuPy's arrays", "graft", held="cupy"),
    contenders.Contender("graft, CuPy's arrays, new array", "graft", NEW_ARRAY, held="cupy"),
    contenders.Contender("graft, __cuda_array_interface__", "graft", held="plain"),
]
GOALS_US = {  # highest permitted host time of a call
    "graft": 3.5,
    "graft, new array": 5,
    "graft, CuPy's arrays": 3.5,
    "graft, CuPy's arrays, new array": 5,
}


def prepare(contender, values):
    """Checks one result of the contender, then returns launch, x and y."""
    contender.start()
    launch = contender.make(cases.RELU)
    x = arrays.upload(contender.holder, values)
    y = arrays.empty_like(contender.holder, x)
    result = launch(x, y)
    arrays.synchronise(contender.holder)
    got = arrays.download(contender.holder, y if result is None else result)
    if not (got == values * (values > 0)).all():
        raise RuntimeError("the result is wrong")
    return launch, x, y


def batch(launch, x, y):
    """Times a batch of calls and returns the microseconds per call."""
    begin = time.perf_counter_ns()
    for _ in range(CALLS):
        launch(x, y)
    return (time.perf_counter_ns() - begin) / CALLS / 1000


def measure(ready, samples):
    times = {name: [] for name in ready}
    gc.disable()
    for round_number in range(-WARMUP_ROUNDS, samples):
        for name in random.sample(list(ready), len(ready)):
            microseconds = batch(*ready[name])
            arrays.synchronise("plain")
            if round_number >= 0:
                times[name].append(microseconds)
    return times


def in_cxx(arguments):
    """Runs bench_host_overhead and returns its record."""
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder) / "record.json"
        program = pathlib.Path(arguments.programs) / "bench_host_overhead"
        command = [str(program), "--commit", arguments.commit, "--out", str(out)]
        subprocess.run(command, check=True, capture_output=True, timeout=LIMIT_SECONDS)
        return json.loads(out.read_text())


def add_cxx(result, arguments):
    if not arguments.programs:
        return
    found = contenders.attempt(result["failures"], "graft in C++", "measuring", lambda: in_cxx(arguments))
    if found:
        result["cxx"].append({"date": found["date"], "ways": found["ways"]})


def judge(result):
    """Compares graft's host times with the goals, and with the mean of the medians of C++."""
    own = {name: entry["median_us"] for name, entry in result["contenders"].items() if name.startswith("graft")}
    for name in own.keys() & GOALS_US.keys():
        result["goals"][name] = {"most_us": GOALS_US[name], "met": own[name] <= GOALS_US[name]}
    medians = [run["ways"]["graft"]["median_ns"] / 1000 for run in result["cxx"]]
    if medians:
        mean = sum(medians) / len(medians)
        result["over_cxx"] = {name: {"ratio": us / mean, "difference_us": us - mean} for name, us in own.items()}
        print(f"graft in C++, before and after: {', '.join(f'{us:.2f}' for us in medians)} us")


def main():
    options = record.parser(__doc__, "host_overhead_python", 101)
    options.add_argument("--programs", default="", help="also run bench_host_overhead of this folder")
    arguments = options.parse_args()
    everyone = contenders.chosen(
        GRAFT + [contender for contender in contenders.plain() if contender.peer != "graft"], arguments.peers
    )
    if arguments.dry_run:
        return contenders.describe(everyone)
    import numpy

    values = numpy.random.default_rng().standard_normal(COUNT, dtype=numpy.float32)
    result = record.environment(arguments, "host_overhead_python")
    result.update(calls_per_batch=CALLS, contenders={}, failures=[], cxx=[], goals={})
    add_cxx(result, arguments)
    ready = {}
    for contender in everyone:
        made = contenders.attempt(
            result["failures"], contender.name, "starting", lambda contender=contender: prepare(contender, values)
        )
        if made:
            ready[contender.name] = made
    print(f"{'':<36}{'median':>9}{'min':>9}{'max':>9}   us for one call")
    for name, times in measure(ready, arguments.samples).items():
        entry = result["contenders"][name] = record.spread(times, "us")
        print(f"{name:<36}{entry['median_us']:>9.2f}{entry['min_us']:>9.2f}{entry['max_us']:>9.2f}")
    add_cxx(result, arguments)
    judge(result)
    record.print_failures(result)
    record.write(arguments, result)


if __name__ == "__main__":
    main()
