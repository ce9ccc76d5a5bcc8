#!/usr/bin/env python3
"""Turns the records of bench/results into the pictures of docs/. Needs matplotlib.

    bench/plot.py [--results bench/results] [--out docs] [NAME...]

A picture whose records are not there is left out, and so is what a record lacks; the output says which were written.
"""

import argparse
import json
import pathlib

from pictures import create, overhead, peers, routes, style, throughput

ROOT = pathlib.Path(__file__).resolve().parents[1]
PICTURES = {
    "throughput": throughput.draw,
    "peers": peers.draw,
    "routes": routes.draw,
    "create": create.draw,
    "overhead": overhead.draw,
}


def read(folder):
    """Each record by its file's name; one that cannot be read is named and left out."""
    records = {}
    for path in sorted(pathlib.Path(folder).glob("*.json")):
        try:
            records[path.stem] = json.loads(path.read_text())
        except ValueError as error:
            print(f"not read: {path}: {error}")
    return records


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(PICTURES)}; default: all")
    options.add_argument("--results", default=ROOT / "bench/results")
    options.add_argument("--out", default=ROOT / "docs")
    arguments = options.parse_args()
    records = read(arguments.results)
    style.use()
    for name in arguments.names or PICTURES:
        figure = PICTURES[name](records)
        if figure is None:
            print(f"left out: {name}: its records are not there")
            continue
        path = pathlib.Path(arguments.out) / f"{name}.svg"
        style.save(figure, path)
        print(f"written: {path}")


if __name__ == "__main__":
    main()
