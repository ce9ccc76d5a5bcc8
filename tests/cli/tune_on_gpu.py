#!/usr/bin/env python3
"""Runs `graft tune` on a GPU: measures, looks at the file and at what `graft doctor` says, and measures what was improved
once more. The cache is a new folder.

    tune_on_gpu.py GRAFT [RECORD] [ONLY...]
                                       RECORD gets the figures as JSON. Measures what has one of the texts ONLY in its
                                       name; without any, everything. The exit status is 1 if a kept tuning is slower
                                       anywhere than graft's own beyond the spread, if a plan has wrong results, if a report
                                       does not say that the plan is tuned, or if a file is missing or remains
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

LONGEST_SECONDS = 580


def run(program, *words):
    done = subprocess.run([program, *words], stdout=subprocess.PIPE, text=True, check=False, timeout=LONGEST_SECONDS)
    if done.returncode != 0:
        sys.exit(f"graft {words} failed: {done.stdout}")
    return done.stdout


def half_range(times):
    return (times["q3_us"] - times["q1_us"]) / 2


def slower_rows(cell):
    """Returns the rows of a kept tuning that are slower than the rules', beyond the spread of both."""
    return [row for row in cell["rows"]
            if not row["tuned"]["median_us"] - row["rules"]["median_us"]
            <= half_range(row["tuned"]) + half_range(row["rules"])]


def show_plans(plans):
    for plan in plans:
        ratios = [row["rules"]["median_us"] / row["tuned"]["median_us"] for row in plan["rows"]]
        tuned = plan["tuned"]
        print(f"{plan['name']:26} radices {tuned['radices']}, threads {tuned['threads']}, FFTs {tuned['ffts']}, resident "
              f"{tuned['resident_blocks']}, apart {tuned['splits_complex']}: " + " ".join(f"{r:.3f}" for r in ratios))


def show(cells):
    for cell in cells:
        ratios = [row["rules"]["median_us"] / row["tuned"]["median_us"] for row in cell["rows"]]
        tuned = cell["tuned"]
        print(f"{cell['name']:26} {tuned['vector_width']:2} x {tuned['vectors_per_thread']}, {tuned['block_threads']:3} "
              f"threads, single below {tuned['single_below']:8}: " + " ".join(f"{ratio:.3f}" for ratio in ratios))


def measure(program, *words):
    begin = time.monotonic()
    result = json.loads(run(program, "tune", "--json", *words))
    plans = result["further"].get("fft", [])
    print(f"measured {len(result['cells'])} kinds of callbacks and {len(plans)} FFTs, "
          f"{sum(plan['tried'] for plan in plans)} plans, in {time.monotonic() - begin:.0f} s")
    improved = [cell for cell in result["cells"] if cell["tuned"] is not None]
    faster = [plan for plan in plans if plan["tuned"] is not None]
    slower = [(one["name"], slower_rows(one)) for one in improved + faster if slower_rows(one)]
    if slower:
        sys.exit(f"kept, and slower than the rules: {slower}")
    left_out = [(plan["name"], line) for plan in plans for line in plan["left_out"]]
    for name, line in left_out:
        print(f"{name}, left out: {line}")
    if any("its results differ" in line for _, line in left_out):
        sys.exit("a plan has wrong results")
    if any("tuned on this GPU" not in plan["tuned_plan"] for plan in faster):
        sys.exit("the report of a tuned plan does not say so")
    return result, improved, faster


def is_measured(program):
    return json.loads(run(program, "doctor", "--json"))["tuning"][0]["measured"]


def keep(figures):
    if len(sys.argv) > 2:
        pathlib.Path(sys.argv[2]).write_text(json.dumps(figures, indent=1) + "\n")


def main():
    program = sys.argv[1]
    with tempfile.TemporaryDirectory() as folder:
        os.environ.update({"GRAFT_CACHE_DIR": str(pathlib.Path(folder) / "cache"), "GRAFT_CACHE": "read-write"})
        if is_measured(program):
            sys.exit("an empty cache has a tuning file")
        result, improved, faster = measure(program, *(word for text in sys.argv[3:] for word in ("--only", text)))
        print(f"{result['gpu']}: {len(improved)} of {len(result['cells'])} kinds are faster; the speed relative to the "
              "rules, by number of elements:")
        show(improved)
        print(f"{len(faster)} FFTs are faster; the speed relative to graft's own plans, without callbacks and with them, on "
              "a small and a large batch:")
        show_plans(faster)
        written = json.loads(pathlib.Path(result["path"]).read_text())
        if written.get("fft", []) != [plan["tuned"] for plan in faster]:
            sys.exit("the file has other plans than those that are faster")
        if not is_measured(program):
            sys.exit("graft doctor does not find what was measured")
        exported = pathlib.Path(folder) / "exported.json"
        run(program, "tune", "--export", str(exported))
        if exported.read_text() != pathlib.Path(result["path"]).read_text():
            sys.exit("the exported file is another one")
        pathlib.Path(result["path"]).unlink()
        if is_measured(program):
            sys.exit("the file was deleted, and is still found")
        keep({"first": result, "again": []})
        if improved or faster:
            words = [word for one in improved + faster for word in ("--only", one["name"])]
            again = measure(program, *words)[1:]
            print(f"measured once more: {len(again[0])} kinds and {len(again[1])} FFTs are faster")
            show(again[0])
            show_plans(again[1])
            keep({"first": result, "again": again})


if __name__ == "__main__":
    main()
