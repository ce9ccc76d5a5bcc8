#!/usr/bin/env python3
"""Measures the time from a callback's source to its first result. Each sample is a new process.

Imports, the CUDA context and the arrays exist before the clock starts. The clock stops when the first result is in
memory. "cold" is the first callback of a process, "warm" is another callback in the same process. The caches of the
driver, NVRTC, graft, CuPy, Triton, torch.compile and jiterator are off. Caches that cannot be switched off start with
empty folders. The first process of each peer brings the libraries into the page cache and is not counted. The peers
run in random order.

graft is the package graft_cuda. With --programs FOLDER, the program bench_create_once in FOLDER is measured too. It
times graft's create alone, in C++.
"""

import json
import pathlib
import random
import sys
import time

import arrays
import cases
import contenders
import new_process
import record

COUNT = 1 << 16
SLOW = {"cuda.compute", "torch.compile", "Triton"}
SLOW_SAMPLES = 3
IN_CXX = "graft, create alone in C++"
GOALS = {  # highest permitted value of graft's time divided by the peer's
    "cuda.core JIT-LTO": 0.7,
    "CuPy ElementwiseKernel": 0.7,
    "PyTorch jiterator": 0.95,
    "cuda.compute": 0.06,
    "Triton": 0.08,
}


# ---- what each new process measures ----


def first_result(contender, case, x, y):
    """Returns the milliseconds until the callback's result is in memory, and the result."""
    begin = time.perf_counter()
    launch = contender.make(case)
    result = launch(x, y)
    arrays.synchronise(contender.holder)
    milliseconds = 1000 * (time.perf_counter() - begin)
    return milliseconds, y if result is None else result


def child(name):
    import numpy

    contender = contenders.Contender(name, name)
    contender.start()
    values = numpy.random.default_rng().standard_normal(COUNT, dtype=numpy.float32)
    x = arrays.upload(contender.holder, values)
    y = arrays.empty_like(contender.holder, x)
    arrays.synchronise(contender.holder)
    times = {}
    for state, case in (("cold", cases.RELU), ("warm", cases.GAIN)):
        times[state], result = first_result(contender, case, x, y)
        doubles = values.astype(numpy.float64)
        expected = case.reference(doubles)
        distance = abs(arrays.download(contender.holder, result) - expected)
        if not (distance <= 2 * case.tolerance(doubles, expected)).all():
            raise SystemExit(f"{name}: {case.name} is wrong")
    print(json.dumps(times))


# ---- the first process, which starts the others ----


def command_of(name, programs):
    if name == IN_CXX:
        return [str(pathlib.Path(programs) / "bench_create_once")]
    return [sys.executable, str(pathlib.Path(__file__).resolve()), "--child", name]


def times_in_new_process(name, programs):
    times = new_process.result_of(command_of(name, programs))
    return {state: value["total"] if isinstance(value, dict) else value for state, value in times.items()}


def measure(names, arguments, result):
    """Measures rounds of new processes. The result is written after each round, so that an interrupted run keeps it."""
    failures = result["failures"]
    samples = {name: {"cold": [], "warm": []} for name in names}
    rounds = {name: SLOW_SAMPLES if name in SLOW else arguments.samples for name in names}
    end = time.monotonic() + arguments.seconds
    for round_number in range(-1, max(rounds.values(), default=0)):
        if time.monotonic() > end:
            break
        due = [name for name in names if round_number < rounds[name] and not has_failed(failures, name)]
        for name in random.sample(due, len(due)):
            times = contenders.attempt(
                failures, name, "a new process", lambda name=name: times_in_new_process(name, arguments.programs)
            )
            if times is None or round_number < 0:
                continue
            for state in ("cold", "warm"):
                samples[name][state].append(times[state])
        if round_number >= 0:
            summarise(result, samples)
            record.write(arguments, result)


def has_failed(failures, name):
    return any(failure["contender"] == name for failure in failures)


def summarise(result, samples):
    for name, states in samples.items():
        if states["cold"]:
            result["contenders"][name] = {
                state: {**record.spread(values, "ms"), "samples_ms": values} for state, values in states.items()
            }
    own = result["contenders"].get("graft")
    for name, goal in GOALS.items():
        if own and name in result["contenders"]:
            ratio = own["cold"]["median_ms"] / result["contenders"][name]["cold"]["median_ms"]
            result["graft_over"][name] = {"ratio": ratio, "goal": goal, "met": ratio <= goal}


def print_table(result):
    print(f"\n{'':<32}{'cold':>9}{'min':>9}{'max':>9}{'warm':>9}   ms")
    for name, entry in result["contenders"].items():
        cold = entry["cold"]
        print(
            f"{name:<32}{cold['median_ms']:>9.1f}{cold['min_ms']:>9.1f}{cold['max_ms']:>9.1f}"
            f"{entry['warm']['median_ms']:>9.1f}"
        )
    for name, over in result["graft_over"].items():
        met = "met" if over["met"] else "NOT met"
        print(f"graft takes {over['ratio']:.3f} of {name}'s time, goal at most {over['goal']}: {met}")


def main():
    if len(sys.argv) == 3 and sys.argv[1] == "--child":
        return child(sys.argv[2])
    options = record.parser(__doc__, "first_call", 7)
    options.add_argument("--seconds", type=float, default=float("inf"), help="starts no further round after this time")
    options.add_argument("--programs", default="", help="also measure bench_create_once of this folder")
    arguments = options.parse_args()
    names = [contender.name for contender in contenders.chosen(contenders.plain(), arguments.peers)]
    if arguments.programs:
        names.append(IN_CXX)
    if arguments.dry_run:
        for name in names:
            print(f"{SLOW_SAMPLES if name in SLOW else arguments.samples} processes of {name}")
        return contenders.describe(contenders.chosen(contenders.plain(), arguments.peers))
    result = record.environment(arguments, "first_call")
    result.update(contenders={}, graft_over={}, failures=[])
    measure(names, arguments, result)
    print_table(result)
    record.print_failures(result)
    record.write(arguments, result)


if __name__ == "__main__":
    main()
