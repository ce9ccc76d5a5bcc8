"""Times of calls on the GPU.

Contenders take turns, in a random order in each round. A sample is one call, or several, between two events of torch's
current stream. The calls are queued behind a spinning kernel, so that a sample contains no host time. If the kernel
ends before the calls are queued, the sample is repeated with a kernel that spins longer; a sample that contains host
time even then is counted as late.
"""

import random

SPIN_CYCLES = 2_000_000  # about a millisecond
LONGEST_SPIN = 8 * SPIN_CYCLES
WARMUP_ROUNDS = 3
SAMPLE_MS = 0.2  # shorter calls are repeated until a sample has this time
MOST_CALLS = 20


def sample(launch, calls=1):
    """Returns the milliseconds that a call of `launch` takes on the GPU, and whether they contain host time."""
    import torch

    spin = SPIN_CYCLES
    while True:
        begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        torch.cuda._sleep(spin)
        begin.record()
        for _ in range(calls):
            launch()
        is_late = begin.query()
        end.record()
        end.synchronize()
        if not is_late or spin >= LONGEST_SPIN:
            return begin.elapsed_time(end) / calls, is_late
        spin *= 2


def calls_of_a_sample(launch):
    milliseconds, _ = sample(launch)
    return min(MOST_CALLS, max(1, round(SAMPLE_MS / milliseconds)))


def in_turns(ways, samples, calls=1):
    """Measures functions by name. Returns the milliseconds of a call, and the number of late samples, by name."""
    times, late = {name: [] for name in ways}, dict.fromkeys(ways, 0)
    for round_number in range(-WARMUP_ROUNDS, samples):
        for name in random.sample(list(ways), len(ways)):
            milliseconds, is_late = sample(ways[name], calls)
            if round_number >= 0:
                times[name].append(milliseconds)
                late[name] += is_late
    return times, late
