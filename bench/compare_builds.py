#!/usr/bin/env python3
"""Compares the throughput of two builds of graft, cell by cell, to find cells in which the newer build is slower.

    bench/compare_builds.py OLD NEW [--rounds 2] [--out FILE] [-- ARGUMENTS...]

OLD and NEW are two bench_throughput programs. They run in turns and alternate in going first. ARGUMENTS are passed to
both. A cell is one operation, type, count and alignment. A cell's figure is the median of its rounds' medians in GB/s.
The spread of one build in a cell is the half interquartile range relative to the median, in the build's calmest round.
The spread of the cell is the larger spread of the two builds. The exit status is 1 if the geometric mean of new over
old is below 0.998, or if NEW is more than 1 % slower in a cell whose spread is below 0.5 %.
"""

import argparse
import json
import math
import os
import statistics
import subprocess
import sys
import tempfile

LEAST_MEAN = 0.998
CALM = 0.005
MOST_LOST = 0.01


def run(program, arguments, folder):
    record = os.path.join(folder, "record.json")
    # The exit status is not checked, because the record lists the failures.
    subprocess.run([program, "--out", record, *arguments], stdout=subprocess.DEVNULL, check=False)
    with open(record, encoding="utf-8") as file:
        result = json.load(file)
    os.remove(record)
    if result["failures"]:
        sys.exit(f"{program}: {result['failures']} wrong results")
    return {cell["cell"] + ("" if cell["part"] == "aligned" else " " + cell["alignment"]): cell["contenders"]["graft"]
            for cell in result["cells"] if "graft" in cell["contenders"]}, result


def spread(figures):
    low, high = figures["quartiles_gbs"]
    return (high - low) / 2 / figures["gbs"]


def compare(rounds):
    cells = []
    for name in rounds["new"][0]:
        old = [one[name] for one in rounds["old"] if name in one]
        if not old:
            continue
        new = [one[name] for one in rounds["new"]]
        medians = [statistics.median(figures["gbs"] for figures in side) for side in (old, new)]
        calmest = max(min(spread(figures) for figures in side) for side in (old, new))
        cells.append({"cell": name, "old_gbs": medians[0], "new_gbs": medians[1],
                      "ratio": medians[1] / medians[0], "spread": calmest})
    return cells


def main():
    words = sys.argv[1:]
    cut = words.index("--") if "--" in words else len(words)
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("old")
    parser.add_argument("new")
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--old-commit", default="")
    parser.add_argument("--new-commit", default="")
    parser.add_argument("--out")
    options = parser.parse_args(words[:cut])

    rounds = {"old": [], "new": []}
    with tempfile.TemporaryDirectory() as folder:
        for number in range(options.rounds):
            sides = ["old", "new"] if number % 2 == 0 else ["new", "old"]
            for side in sides:
                figures, record = run(getattr(options, side), words[cut + 1:], folder)
                rounds[side].append(figures)

    cells = compare(rounds)
    if not cells:
        sys.exit("no cell was measured by both programs")
    mean = math.exp(statistics.fmean(math.log(cell["ratio"]) for cell in cells))
    calm = [cell for cell in cells if cell["spread"] < CALM]
    slower = sorted((cell for cell in calm if cell["ratio"] < 1 - MOST_LOST), key=lambda cell: cell["ratio"])
    print(f"{len(cells)} cells, {len(calm)} with a spread under {CALM:.1%}; new over old: geometric mean {mean:.4f}")
    for cell in sorted(cells, key=lambda cell: cell["ratio"])[:10]:
        print(f"  {cell['cell']:40} {cell['old_gbs']:9.1f} {cell['new_gbs']:9.1f} GB/s  {cell['ratio']:.4f} +- {cell['spread']:.4f}")
    print(f"{len(slower)} calm cells lost more than {MOST_LOST:.0%}" + "".join("\n  " + cell["cell"] for cell in slower))
    if options.out:
        with open(options.out, "w", encoding="utf-8") as file:
            json.dump({"benchmark": "compare_builds", "gpu": record["gpu"], "driver": record["driver"],
                       "date": record["date"], "old_commit": options.old_commit, "new_commit": options.new_commit,
                       "rounds": options.rounds, "geometric_mean": mean,
                       "calm_cells": len(calm), "calm_cells_slower": [cell["cell"] for cell in slower],
                       "cells": cells}, file, indent=1)
            file.write("\n")
    sys.exit(1 if mean < LEAST_MEAN or slower else 0)


if __name__ == "__main__":
    main()
