#!/usr/bin/env python3
"""Measures the time from a callback's source to its first result. Each sample is a new process.

Imports, the CUDA context and the arrays exist before the clock starts. The clock stops when the first result is in
memory. "cold" is the first callback of a process, "warm" is another callback in the same process. The caches of the
driver, NVRTC, graft, CuPy, Triton, torch.compile and jiterator are off. Caches that cannot be switched off start with
empty folders. The first process of each peer brings the libraries into the page cache and is not counted. The peers
run in random order.

With --programs FOLDER, the program bench_create_once in FOLDER is measured too. It times graft's create alone, in C++.
"""

import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import time

import arrays
import cases
import contenders
import record

COUNT = 1 << 16
SLOW = {"cuda.compute", "torch.compile", "Triton"}
SLOW_SAMPLES = 3
LIMIT_SECONDS = 120
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


def without_caches(folder):
    for name in ("cuda", "cupy", "triton", "inductor", "torch", "cccl", "xdg", "tmp"):
        (folder / name).mkdir()
    return {
        **os.environ,
        "CUDA_CACHE_DISABLE": "1",
        "CUDA_CACHE_PATH": str(folder / "cuda"),
        "GRAFT_CACHE": "off",
        "CUPY_CACHE_DIR": str(folder / "cupy"),
        "CUPY_CACHE_IN_MEMORY": "1",
        "TRITON_CACHE_DIR": str(folder / "triton"),
        "TORCHINDUCTOR_CACHE_DIR": str(folder / "inductor"),
        "USE_PYTORCH_KERNEL_CACHE": "0",
        "PYTORCH_KERNEL_CACHE_PATH": str(folder / "torch"),
        "CCCL_PCH_CACHE_DIR": str(folder / "cccl"),
        "XDG_CACHE_HOME": str(folder / "xdg"),
        "TMPDIR": str(folder / "tmp"),
    }


def command_of(name, programs):
    if name == IN_CXX:
        return [str(pathlib.Path(programs) / "bench_create_once")]
    return [sys.executable, str(pathlib.Path(__file__).resolve()), "--child", name]


def times_in_new_process(name, programs):
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        done = subprocess.run(
            command_of(name, programs),
            env=without_caches(pathlib.Path(folder)),
            capture_output=True,
            text=True,
            timeout=LIMIT_SECONDS,
        )
    if done.returncode != 0:
        words = done.stderr.strip() or done.stdout.strip() or "the process printed nothing"
        raise RuntimeError(f"status {done.returncode}: {' / '.join(words.splitlines()[-2:])}")
    times = json.loads(done.stdout.strip().splitlines()[-1])
    return {state: value["total"] if isinstance(value, dict) else value for state, value in times.items()}


def measure(names, arguments, failures):
    samples = {name: {"cold": [], "warm": []} for name in names}
    rounds = {name: SLOW_SAMPLES if name in SLOW else arguments.samples for name in names}
    for round_number in range(-1, max(rounds.values(), default=0)):
        due = [name for name in names if round_number < rounds[name] and not has_failed(failures, name)]
        for name in random.sample(due, len(due)):
            times = contenders.attempt(
                failures, name, "a new process", lambda: times_in_new_process(name, arguments.programs)
            )
            if times is None or round_number < 0:
                continue
            for state in ("cold", "warm"):
                samples[name][state].append(times[state])
    return samples


def has_failed(failures, name):
    return any(failure["contender"] == name for failure in failures)


def report(result, samples):
    print(f"\n{'':<32}{'cold':>9}{'min':>9}{'max':>9}{'warm':>9}   ms")
    for name, states in samples.items():
        if not states["cold"]:
            continue
        entry = {state: {**record.spread(values, "ms"), "samples_ms": values} for state, values in states.items()}
        result["contenders"][name] = entry
        cold = entry["cold"]
        print(
            f"{name:<32}{cold['median_ms']:>9.1f}{cold['min_ms']:>9.1f}{cold['max_ms']:>9.1f}"
            f"{entry['warm']['median_ms']:>9.1f}"
        )
    own = result["contenders"].get("graft")
    for name, goal in GOALS.items():
        if not own or name not in result["contenders"]:
            continue
        ratio = own["cold"]["median_ms"] / result["contenders"][name]["cold"]["median_ms"]
        result["graft_over"][name] = {"ratio": ratio, "goal": goal, "met": ratio <= goal}
        print(f"graft takes {ratio:.3f} of {name}'s time, goal at most {goal}: {'met' if ratio <= goal else 'NOT met'}")


def main():
    if len(sys.argv) == 3 and sys.argv[1] == "--child":
        return child(sys.argv[2])
    options = record.parser(__doc__, "first_call", 7)
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
    report(result, measure(names, arguments, result["failures"]))
    for failure in result["failures"]:
        print(f"FAILED: {failure['contender']}, {failure['during']}: {failure['error']}")
    record.write(arguments, result)


if __name__ == "__main__":
    main()
