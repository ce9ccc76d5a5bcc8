#!/usr/bin/env python3
"""Finds the sources of src/ that name a family of kernels, outside the places that belong to the family.

A family is a folder of src/families/. All other code works through families::Family and names no family. The places of
the family X are src/families/X, src/api/X*, src/c/X*, src/cli/X and src/cli/commands/families/X*. The registries
(src/families/registry.cpp, src/cli/commands/families/job_options.cpp, the lists of commands) and the CMake lists name
all families.

X is named by its letters in any case, also within a name such as FftPlan. The words of NVIDIA's library cuFFT (cufft,
cufftXt.h, CUFFTAPI) do not name the family fft, and CUDA's functions (__reduce_add_sync) not the family reduce.

    family_names.py ROOT      prints each violation as file:line: message; exits with 1 if there is one
"""

import re
import sys
from pathlib import Path

# Families that other code may name. `elementwise` is the family of a callback for which no family is asked.
UNCHECKED = {"elementwise"}
EXCEPTIONS = set()
SOURCES = {".cpp", ".hpp", ".h"}
# The lists of all families: of the library, and of the command line; and those of all commands.
REGISTRIES = {
    "families/registry.cpp",
    "cli/commands/families/job_options.cpp",
    "cli/commands/families/job_options.hpp",
    "cli/commands/commands.hpp",
    "cli/help/examples.cpp",
    "cli/run_program.cpp",
}


def families(root):
    return sorted(path.name for path in (root / "src/families").iterdir() if path.is_dir())


def is_place_of(family, name):
    """Whether the file src/<name> belongs to the family."""
    fronts = (f"families/{family}/", f"api/{family}", f"c/{family}", f"cli/{family}/", f"cli/commands/families/{family}")
    return name.startswith(fronts)


def lines_naming(family, path):
    """Yields the numbers of the file's lines that name the family."""
    pattern = re.compile(rf"(?<!cu)(?<!__){family}", re.IGNORECASE)
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if pattern.search(line):
            yield number


def violations(root, unchecked=UNCHECKED, exceptions=EXCEPTIONS):
    found = []
    unused = set(exceptions)
    for path in sorted((root / "src").rglob("*")):
        name = path.relative_to(root / "src").as_posix()
        if path.suffix not in SOURCES or name in REGISTRIES:
            continue
        for family in families(root):
            if family in unchecked or is_place_of(family, name):
                continue
            lines = list(lines_naming(family, path))
            if lines and name in exceptions:
                unused.discard(name)
            elif lines:
                found += [f"src/{name}:{line}: names the family {family}" for line in lines]
    found += [f"src/{name} names no family, and EXCEPTIONS (family_names.py) lists it" for name in sorted(unused)]
    return found


def main():
    root = Path(sys.argv[1])
    if not set(families(root)) - UNCHECKED:
        sys.exit(f"{root}: no families in src/families/")
    found = violations(root)
    print("\n".join(found) or "no other file of src names a family")
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
