"""Computes reductions as docs/reduce.md says, and compares them with those of a program.

    order.py PROGRAM

The program prints lines `size count result`: the result of reducing count elements of size bytes on the host route. Element
i is mapped to i * 2654435761 + 12345 modulo 2^32, and combine(a, b) is a * 31 + b modulo 2^32, which is neither associative
nor commutative, so that every other order has another result.
"""
import subprocess
import sys

MASK = 0xFFFFFFFF


def mapped(i):
    return (i * 2654435761 + 12345) & MASK


def combine(a, b):
    return (a * 31 + b) & MASK


def tree(lanes):
    """Step 4."""
    for lane in range(32, len(lanes)):
        lanes[lane % 32] = combine(lanes[lane % 32], lanes[lane])
    for d in (16, 8, 4, 2, 1):
        for i in range(d):
            if i + d < len(lanes):
                lanes[i] = combine(lanes[i], lanes[i + d])
    return lanes[0]


def take(items):
    """Steps 3 and 5: each item is a list of accumulators, and lane t has the items t, t + 256, ..."""
    lanes = []
    for number, item in enumerate(items):
        for accumulator in item:
            if number < 256 and len(lanes) == number:
                lanes.append(accumulator)
            else:
                lanes[number % 256] = combine(lanes[number % 256], accumulator)
    return tree(lanes)


def reduce(size, count):
    width = max(1, 16 // size)
    groups = [[mapped(i) for i in range(g, min(g + width, count))] for g in range(0, count, width)]
    chunk = len(groups)
    if len(groups) > 2048:
        chunk = 256
        while chunk * 1024 < len(groups) or (chunk < 1024 and chunk * chunk < 4 * len(groups)):
            chunk += 256
    chunks = [take(groups[k:k + chunk]) for k in range(0, len(groups), chunk)]
    return chunks[0] if len(chunks) == 1 else take([[accumulator] for accumulator in chunks])


def main():
    lines = subprocess.run(sys.argv[1:], check=True, capture_output=True, text=True).stdout.split("\n")
    cases = [tuple(map(int, line.split())) for line in lines if line]
    wrong = [case for case in cases if reduce(*case[:2]) != case[2]]
    for size, count, result in wrong:
        print(f"{count} elements of {size} bytes: {result}, but the page says {reduce(size, count)}")
    print(f"{len(cases)} reductions, {len(wrong)} differ")
    return 1 if wrong or len(cases) < 40 else 0


if __name__ == "__main__":
    sys.exit(main())
