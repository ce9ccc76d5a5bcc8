#!/usr/bin/env python3
"""Finds every function or variable of a folder of src/ that a lower folder uses, according to the object files.

layers.py reads only #include lines. It misses a function whose header is in a low folder and whose code is in a
higher folder, for example a member function of a public class. This script reads the symbols of each object file
with nm and therefore finds such functions.

    symbols.py NM OBJECTS     OBJECTS is a file with the path of one object file on each line. Prints each violation.
                              The exit status is 1 if there is any violation.
"""

import re
import subprocess
import sys
from pathlib import Path

from layers import RANKS

# Object files have paths such as graft_objects.dir/families/elementwise/policy.cpp.o, or
# graft_objects.dir/Unity/unity_plan_cxx.cxx.o in a unity build. The group matches the folder of
# src/ ("families", "plan").
ROOM = re.compile(r"graft_objects\.dir/(?:\./)?(?:Unity/unity_)?([a-z]+)[/_]")
# The file name of a unity build contains only the innermost folder. This table gives its folder of src/.
INNER_ROOMS = {
    "elementwise": "families",
    "fft": "families",
    "text": "reflect",
    "callback": "reflect",
    "signature": "reflect",
    "own": "own_kernels",
}
DEFINED = set("TDBR")


def room_of(path):
    """Returns the folder of src/ to which an object file belongs, or None for generated files."""
    match = ROOM.search(path)
    room = match and INNER_ROOMS.get(match[1], match[1])
    return room if room in RANKS else None


def read_symbols(nm, path):
    """Returns (defined, used): the mangled names that the object file defines and uses."""
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
    """Takes (room, defined names, used names) of each object file, where a room is a folder of src/.

    Returns a message for each name that a room uses of another room of equal or higher rank.
    """
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
    paths = Path(list_of_objects).read_text(encoding="utf-8").splitlines()
    symbols = [(room, *read_symbols(nm, path)) for path in paths if (room := room_of(path))]
    rooms = {room for room, _, _ in symbols}
    # The command line tool (cli) is a separate program and has no object files in this list.
    missing = sorted(set(RANKS) - rooms - {"cli"})
    if missing:
        sys.exit(f"no object files of {', '.join(missing)}")
    for room in sorted(rooms):
        if not any(defined for own, defined, _ in symbols if own == room):
            sys.exit(f"{nm} shows no symbols of {room}")
    found = violations(symbols)
    print("\n".join(found) or "no symbol points up the layers")
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
