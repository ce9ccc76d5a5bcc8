#!/usr/bin/env python3
"""Runs `graft tune` on a GPU: measures, looks at the file and at what `graft doctor` says, and measures what was improved
once more. The cache is a new folder.

    tune_on_gpu.py GRAFT [RECORD]      RECORD gets the figures as JSON. The exit status is 1 if a kept tuning is slower
                                       anywhere than the rules beyond the spread, or if a file is missing or remains
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

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


def show(cells):
    for cell in cells:
        ratios = [row["rules"]["median_us"] / row["tuned"]["median_us"] for row in cell["rows"]]
        tuned = cell["tuned"]
        print(f"{cell['name']:26} {tuned['vector_width']:2} x {tuned['vectors_per_thread']}, {tuned['block_threads']:3} "
              f"threads, single below {tuned['single_below']:8}: " + " ".join(f"{ratio:.3f}" for ratio in ratios))


def measure(program, *words):
    result = json.loads(run(program, "tune", "--json", *words))
    improved = [cell for cell in result["cells"] if cell["tuned"] is not None]
    slower = [(cell["name"], slower_rows(cell)) for cell in improved if slower_rows(cell)]
    if slower:
        sys.exit(f"kept, and slower than the rules: {slower}")
    return result, improved


def is_measured(program):
    return json.loads(run(program, "doctor", "--json"))["tuning"][0]["measured"]


def main():
    program = sys.argv[1]
    with tempfile.TemporaryDirectory() as folder:
        os.environ.update({"GRAFT_CACHE_DIR": str(pathlib.Path(folder) / "cache"), "GRAFT_CACHE": "read-write"})
        if is_measured(program):
            sys.exit("an empty cache has a tuning file")
        result, improved = measure(program)
        print(f"{result['gpu']}: {len(improved)} of {len(result['cells'])} kinds are faster; the speed relative to the "
              "rules, by number of elements:")
        show(improved)
        if not is_measured(program):
            sys.exit("graft doctor does not find what was measured")
        exported = pathlib.Path(folder) / "exported.json"
        run(program, "tune", "--export", str(exported))
        if exported.read_text() != pathlib.Path(result["path"]).read_text():
            sys.exit("the exported file is another one")
        pathlib.Path(result["path"]).unlink()
        if is_measured(program):
            sys.exit("the file was deleted, and is still found")
        again = []
        if improved:
            words = [word for cell in improved for word in ("--only", cell["name"])]
            again = measure(program, *words)[1]
            print(f"measured once more: {len(again)} of {len(improved)} kinds are faster")
            show(again)
        if len(sys.argv) > 2:
            pathlib.Path(sys.argv[2]).write_text(json.dumps({"first": result, "again": again}, indent=1))


if __name__ == "__main__":
    main()
