#!/usr/bin/env python3
"""Measures GB/s of graft and of its peers from Python, on arrays of 2 GiB, in one process.

Before anything is timed, every element of every result is compared with a reference in double precision. Then the
contenders and a cudaMemcpyAsync of the same bytes take turns in a random order in each round. One sample is one call
between two CUDA events. The call is queued behind a spinning kernel, so that the sample does not include the call's
host time. Two sets of random inputs, which are never zero, are used in turn. GB/s counts bytes read and bytes written.
"""

import os
import random

os.environ.setdefault("GRAFT_CACHE", "memory")

import arrays
import cases
import contenders
import gpu_time
import record

COPY = "cudaMemcpyAsync"
BYTES_OF_AN_ARRAY = 1 << 31
SETS = 2
JUDGED = (cases.RELU, cases.MUL)
GOALS = {  # lowest permitted value of graft's speed divided by the peer's
    "cuda.core JIT-LTO": 1.55,
    "CuPy ElementwiseKernel": 2.4,
    "PyTorch jiterator": 1.1,
    "torch.compile": 1.1,
    "Triton": 1.0,
    COPY: 0.995,
}


class Arrays:
    """One input and one output array, with a view of both for each holder."""

    def __init__(self, torch, case, count):
        self.x = torch.randn(count, dtype=getattr(torch, case.dtype), device="cuda")
        self.x.masked_fill_(self.x == 0, 1)
        self.y = torch.empty_like(self.x)
        self.views = {}

    def of(self, holder):
        if holder not in self.views:
            self.views[holder] = [arrays.view_of_tensor(holder, tensor) for tensor in (self.x, self.y)]
        return self.views[holder]


class Copy:
    """Copies the bytes without a callback. The speed of the copy is an upper bound for the other contenders."""

    name, holder = COPY, "plain"

    def make(self, case):
        return lambda x, y: arrays.copy_on_device(y.pointer, x.pointer, x.size * case.item_bytes)


def worst_distance(torch, case, x, result, chunk=1 << 26):
    """Returns the largest error divided by the permitted error. A result above 1 or NaN means a wrong result."""
    worst = 0.0
    for begin in range(0, x.numel(), chunk):
        values = x[begin : begin + chunk].double()
        expected = case.reference(values, torch.erf)
        distance = abs(result[begin : begin + chunk].double() - expected)
        distance = distance / case.tolerance(values, expected).clamp(min=1e-300)
        worst = max(worst, torch.nan_to_num(distance, nan=float("inf")).max().item())
    return worst


def verify(torch, case, contender, launch, data):
    data.y.fill_(float("nan"))
    result = launch(*data.of(contender.holder))
    torch.cuda.synchronize()
    result = data.y if contender.name == COPY or not torch.is_tensor(result) else result
    if contender.name == COPY:
        return 0.0 if torch.equal(data.x, data.y) else float("inf")
    return worst_distance(torch, case, data.x, result)


def measure(ready, sets, samples, failures):
    times = {contender.name: [] for contender, _ in ready}
    order = list(ready)
    for round_number in range(-gpu_time.WARMUP_ROUNDS, samples):
        random.shuffle(order)
        for contender, launch in list(order):
            x, y = sets[round_number % SETS].of(contender.holder)
            measured = contenders.attempt(
                failures, contender.name, "measuring", lambda: gpu_time.sample(lambda: launch(x, y))
            )
            if measured is None:
                order.remove((contender, launch))
            elif round_number >= 0:
                times[contender.name].append(measured[0])
    return {name: values for name, values in times.items() if len(values) == samples}


def cell_of(case, count, times, distances):
    moved = 2 * count * case.item_bytes
    cell = {"case": case.name, "elements": count, "bytes_moved": moved, "contenders": {}, "graft_over": {}}
    for name, milliseconds in times.items():
        speeds = [moved / value / 1e6 for value in milliseconds]
        cell["contenders"][name] = {
            **record.spread(speeds, "gbs"),
            **record.spread(milliseconds, "ms"),
            "samples_ms": milliseconds,
            "distance_of_allowed": distances[name],
        }
    for name, milliseconds in times.items():
        if "graft" in times and name != "graft":
            goal = GOALS.get(name) if case in JUDGED else None
            cell["graft_over"][name] = record.ratio_of(times["graft"], milliseconds, goal)
    return cell


def print_cell(cell):
    print(f"\n{cell['case']}, {cell['elements']} elements")
    for name, entry in sorted(cell["contenders"].items(), key=lambda item: -item[1]["median_gbs"]):
        over = cell["graft_over"].get(name, {})
        ratio = f"graft is {over['ratio']:.3f} ±{over['spread']:.3f} times as fast" if over else ""
        goal = f", goal {over['goal']}: {'met' if over['met'] else 'NOT met'}" if "goal" in over else ""
        spread = f"{entry['min_gbs']:>7.0f}..{entry['max_gbs']:<7.0f}"
        print(f"  {name:<32}{entry['median_gbs']:>7.0f} GB/s {spread} {ratio}{goal}", flush=True)


def run_case(torch, case, everyone, samples, array_bytes, failures):
    count = array_bytes // case.item_bytes
    sets = [Arrays(torch, case, count) for _ in range(SETS)]
    ready, distances = [], {}
    for contender in everyone:
        launch = contenders.attempt(failures, contender.name, f"making {case.name}", lambda: contender.make(case))
        if launch is None:
            continue
        worst = contenders.attempt(
            failures,
            contender.name,
            f"verifying {case.name}",
            lambda: max(verify(torch, case, contender, launch, data) for data in sets),
        )
        if worst is None:
            continue
        distances[contender.name] = worst
        if worst > 1:
            failures.append({"contender": contender.name, "during": case.name, "error": f"{worst} of permitted error"})
            print(f"  {contender.name}: WRONG, {worst} times the permitted error", flush=True)
            continue
        ready.append((contender, launch))
    return cell_of(case, count, measure(ready, sets, samples, failures), distances)


def run(arguments, everyone, wanted):
    import torch

    torch.zeros(1, device="cuda")
    result = record.environment(arguments, "throughput_python")
    result.update(cells=[], failures=[], samples=arguments.samples)
    failures = result["failures"]
    started = [c for c in everyone if contenders.attempt(failures, c.name, "starting", lambda: (c.start(), "done"))]
    for case in wanted:
        cell = contenders.attempt(
            failures,
            "all",
            case.name,
            lambda: run_case(torch, case, [Copy()] + started, arguments.samples, arguments.bytes, failures),
        )
        torch.cuda.empty_cache()
        if cell:
            result["cells"].append(cell)
            print_cell(cell)
        record.write(arguments, result)  # written after every case, so that an interrupted run keeps its results
    record.print_failures(result)


def main():
    options = record.parser(__doc__, "throughput_python", 41)
    options.add_argument("--bytes", type=int, default=BYTES_OF_AN_ARRAY, help="size of each array; default: %(default)s")
    options.add_argument("--cases", default="", help="comma-separated words: only cases whose name contains a word")
    arguments = options.parse_args()
    everyone = contenders.chosen(contenders.tuned(), arguments.peers)
    words = [word for word in arguments.cases.split(",") if word]
    wanted = [case for case in cases.THROUGHPUT if not words or any(word in case.name for word in words)]
    if arguments.dry_run:
        print(f"cases: {', '.join(case.name for case in wanted)}; arrays of {arguments.bytes} bytes")
        contenders.describe(everyone)
    else:
        run(arguments, everyone, wanted)


if __name__ == "__main__":
    main()
