#!/usr/bin/env python3
"""Draws the pictures in docs/ from the records in bench/results. Needs matplotlib.

    bench/plot.py [--results bench/results] [--out docs] [NAME...]

Pictures whose records are missing are left out, and so are missing parts of a record. The output lists the pictures
that were written.
"""

import argparse
import json
import pathlib

from pictures import create, fft_speed, overhead, own_kernels, peers, routes, style, throughput

ROOT = pathlib.Path(__file__).resolve().parents[1]
PICTURES = {
    "throughput": throughput.draw,
    "peers": peers.draw,
    "routes": routes.draw,
    "create": create.draw,
    "overhead": overhead.draw,
    "own_kernels": own_kernels.draw,
    "fft_speed": fft_speed.draw,
}


def read(folder):
    """Returns the records by file name. Reports and skips a record that cannot be read."""
    records = {}
    for path in sorted(pathlib.Path(folder).glob("*.json")):
        try:
            records[path.stem] = json.loads(path.read_text())
        except ValueError as error:
            print(f"left out: {path} is not valid JSON: {error}")
    return records


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("names", nargs="*", metavar="NAME", help=f"pictures: {', '.join(PICTURES)}; default: all")
    options.add_argument("--results", default=ROOT / "bench/results")
    options.add_argument("--out", default=ROOT / "docs")
    arguments = options.parse_args()
    records = read(arguments.results)
    style.use()
    for name in arguments.names or PICTURES:
        figure = PICTURES[name](records)
        if figure is None:
            print(f"left out: {name}: its records are missing")
            continue
        path = pathlib.Path(arguments.out) / f"{name}.svg"
        style.save(figure, path)
        print(f"written: {path}")


if __name__ == "__main__":
    main()
