#!/usr/bin/env python3
"""Finds every function or variable of a room of src/ that a lower room uses, as the object files show it.

layers.py reads #include lines. A header may be in a low room and the code behind it in a high one, which only the
linker sees: a member function of a public class, for example. This check reads the symbols of each object file by nm.

    symbols.py NM OBJECTS     OBJECTS is a file with the path of one object file on each line; prints each violation;
                              the exit status is 1 when there is any
"""

import re
import subprocess
import sys
from pathlib import Path

from layers import RANKS

# graft_objects.dir/families/elementwise/policy.cpp.o, or graft_objects.dir/Unity/unity_plan_cxx.cxx.o
ROOM = re.compile(r"graft_objects\.dir/(?:\./)?(?:Unity/unity_)?([a-z]+)[/_]")
INNER_ROOMS = {"elementwise": "families"}  # a unity file has the name of the innermost folder
DEFINED = set("TDBRV")


def room_of(path):
    """The room of an object file, or None for files that are generated."""
    match = ROOM.search(path)
    room = match and INNER_ROOMS.get(match[1], match[1])
    return room if room in RANKS else None


def read_symbols(nm, path):
    """(defined, used) by the object file, as mangled names."""
    output = subprocess.run([nm, "--format=posix", path], capture_output=True, text=True, check=True).stdout
    defined, used = set(), set()
    for line in output.splitlines():
        name, kind = line.split()[:2]
        if kind in DEFINED:
            defined.add(name)
        elif kind == "U":
            used.add(name)
    return defined, used


def violations(symbols):
    """Of [(room, defined, used)], the names that a room uses of one that is not below it, sorted."""
    owner = {name: room for room, defined, _ in symbols for name in defined}
    found = set()
    for room, _, used in symbols:
        for name in used:
            other = owner.get(name)
            if other and other != room and RANKS[other] >= RANKS[room]:
                found.add(f"src/{room} uses {name} of src/{other}")
    return sorted(found)


def main():
    nm, list_of_objects = sys.argv[1:]
    paths = Path(list_of_objects).read_text(encoding="utf-8").split()
    symbols = [(room, *read_symbols(nm, path)) for path in paths if (room := room_of(path))]
    rooms = {room for room, _, _ in symbols}
    missing = sorted(set(RANKS) - rooms - {"cli"})  # the command line tool is a program of its own
    if missing:
        sys.exit(f"no object files of {', '.join(missing)}")
    found = violations(symbols)
    print("\n".join(found) or "no symbol points up the layers")
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
