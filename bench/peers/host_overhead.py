#!/usr/bin/env python3
"""Measures the host time of one call on 256 elements: graft through ctypes, and peers from Python.

A batch of calls is shorter than the stream's queue, so no call waits for the GPU. Between batches, outside of the timed
part, the script waits until the GPU is idle. The contenders take turns in a random order in each round. "ctypes,
nothing" is an empty function called through ctypes. graft's figure minus this contender's figure is graft's own cost.
"""

import gc
import os
import random
import time

os.environ.setdefault("GRAFT_CACHE", "memory")

import arrays
import cases
import contenders
import record

COUNT = 256
CALLS = 200
WARMUP_ROUNDS = 10
NOTHING = "ctypes, nothing"


class Nothing:
    name, holder = NOTHING, "plain"

    def start(self):
        import shim

        shim.library()

    def make(self, case):
        import shim

        nothing = shim.library().graft_shim_nothing

        def launch(x, y):
            if not nothing(None, None, x.pointer, y.pointer, x.size):
                raise RuntimeError("graft_shim_nothing must return 1")

        return launch


def prepare(contender, values):
    """Checks one result of the contender, then returns launch, x and y."""
    contender.start()
    launch = contender.make(cases.RELU)
    x = arrays.upload(contender.holder, values)
    y = arrays.empty_like(contender.holder, x)
    result = launch(x, y)
    arrays.synchronise(contender.holder)
    got = arrays.download(contender.holder, y if result is None else result)
    if contender.name != NOTHING and not (got == values * (values > 0)).all():
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


def main():
    arguments = record.parser(__doc__, "host_overhead_python", 101).parse_args()
    everyone = contenders.chosen([Nothing()] + contenders.plain(), arguments.peers)
    if arguments.dry_run:
        return contenders.describe([contender for contender in everyone if contender.name != NOTHING])
    import numpy

    values = numpy.random.default_rng().standard_normal(COUNT, dtype=numpy.float32)
    result = record.environment(arguments, "host_overhead_python")
    result.update(calls_per_batch=CALLS, contenders={}, failures=[])
    ready = {}
    for contender in everyone:
        made = contenders.attempt(result["failures"], contender.name, "starting", lambda: prepare(contender, values))
        if made:
            ready[contender.name] = made
    print(f"{'':<32}{'median':>9}{'min':>9}{'max':>9}   us for one call")
    for name, times in measure(ready, arguments.samples).items():
        entry = result["contenders"][name] = record.spread(times, "us")
        print(f"{name:<32}{entry['median_us']:>9.2f}{entry['min_us']:>9.2f}{entry['max_us']:>9.2f}")
    for failure in result["failures"]:
        print(f"FAILED: {failure['contender']}, {failure['during']}: {failure['error']}")
    record.write(arguments, result)


if __name__ == "__main__":
    main()
