#!/usr/bin/env python3
"""Finds every #include that points up the layers.

Each folder of src/ has a rank. Its files may include their own folder, folders of lower rank and the public headers, but
no other folder of equal rank. A public header may include only public headers, so that it compiles where graft is
installed, and may not name a namespace of src/.

    layers.py ROOT      prints each violation as file:line: message; exits with 1 if there is one
"""

import re
import sys
from pathlib import Path

RANKS = {
    "base": 0,
    "core": 1,
    "toolchain": 2,
    "format": 3,
    "reflect": 4,
    "codegen": 5,
    "plan": 5,
    "formula": 5,
    "families": 6,
    "own_kernels": 6,
    "store": 7,
    "launch": 7,
    "compile": 7,
    "link": 8,
    "routes": 9,
    "engine": 10,
    "api": 11,
    "c": 12,
    "cli": 13,
}
# The library's internal files that the command line tool may include, besides src/base.
CLI_EXCEPTIONS = {
    # for the messages between the tool and its child processes
    "core/fail.hpp",
    "core/image_data.hpp",
    "core/option_table.hpp",
    "engine/child_message.hpp",
    "engine/closed_child.hpp",
    # for the types of the arrays that `apply` reads and writes
    "core/element_spelling.hpp",
    # for the element types of ready-made reductions, and the shapes of calls of `reduce`
    "core/named_elements.hpp",
    "families/reduce/checks.hpp",
    "families/reduce/job.hpp",
    "families/reduce/kernels.hpp",
    # for the kernels for views that `inspect` and `warm` name
    "families/elementwise/shapes/shape_class.hpp",
    # for the words of a kernel's request in `cache explain`
    "format/key_fields.hpp",
    # for `--types`: the comparison after a build, and the function of an instance
    "api/instance_check.hpp",
    "reflect/callback/generic.hpp",
    # for the fields of the state that `apply --state` names
    "compile/state_object.hpp",
    "format/debug_types.hpp",
    # for measuring on a GPU
    "launch/device.hpp",
    "launch/device_memory.hpp",
    "toolchain/driver_timing.hpp",
    # for `tune`, and what `doctor` says of it: tuning files, where a cache has them, and for which callbacks
    "engine/tunings.hpp",
    "families/elementwise/measured.hpp",
    "families/fft/candidates.hpp",
    "families/fft/tuned_plans.hpp",
    "format/tuning_file.hpp",
    "store/tuning_place.hpp",
    # for the machine code that `inspect` shows
    "toolchain/disassembler.hpp",
    # for the shared memory of a kernel, which `inspect` tells
    "format/cubin.hpp",
    "format/elf.hpp",
    # for suggestions
    "reflect/callback/scan.hpp",
    # for a formula with its variables, and the parameters that `apply --state` names, which may have no types
    "formula/constant.hpp",
    "formula/free_names.hpp",
    "formula/parser.hpp",
    "formula/scope.hpp",
    "formula/token.hpp",
    "formula/variables.hpp",
    "formula/whole_text.hpp",
    # for a formula given in place of a callback
    "reflect/callback/mistaken_text.hpp",
    # for the commands `cache` and `warm`: the store, its settings, and the key of a request
    "engine/cache_settings.hpp",
    "engine/engine_impl.hpp",
    "engine/logger.hpp",
    "engine/taken_options.hpp",
    "store/disk.hpp",
    "store/folder.hpp",
    "store/maintenance.hpp",
    "store/place.hpp",
    "store/store.hpp",
    "store/uses.hpp",
    # for the command `inspect`: the content of a file
    "families/kept_kernels.hpp",
    "families/kernel_check.hpp",
    "families/registry.hpp",
    "format/binary_contents.hpp",
    "format/file_kind.hpp",
    "format/pack.hpp",
    # for the kernels of a job, which the tool builds one by one or compiles ahead of time
    "core/step.hpp",
    "engine/entries_ahead.hpp",
    "engine/job_ahead.hpp",
    "engine/job_kernels.hpp",
    "families/fft/job.hpp",
    "families/job.hpp",
    "families/own_kernels.hpp",
    "own_kernels/packed.hpp",
    # for the command `doctor` and the list of devices
    "compile/open_tools.hpp",
    "plan/fit.hpp",
    "toolchain/driver.hpp",
    "toolchain/host_compiler.hpp",
    "toolchain/toolkit.hpp",
}
# The host and the device share only these files of building_blocks/.
SHARED = {"contract.h", "fft/block.h", "fft/block_plan.h", "fft/butterfly.h", "fft/complex.h", "fft/refusals.h",
          "reduce/order.h", "reduce/refusals.h"}
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]', re.MULTILINE)
NAMESPACES = "base|cli|codegen|compile|elementwise|engine|families|format|formulas|launch|link|own_kernels|plan|reflect|routes|store|toolchain"
INTERNAL = re.compile(rf"(?<![:\w])(?:graft::)?(?:{NAMESPACES})::|\bnamespace (?:graft::)?(?:{NAMESPACES})\b")
SOURCES = {".cpp", ".hpp", ".h", ".cu", ".cuh"}


def source_files(folder):
    return sorted(path for path in folder.rglob("*") if path.suffix in SOURCES)


def includes(path):
    """Yields (line, quoted, name) for each include in the file."""
    text = path.read_text(encoding="utf-8")
    for match in INCLUDE.finditer(text):
        line = text.count("\n", 0, match.start(1)) + 1
        yield line, match[1] == '"', match[2]


def internal_objection(layer, quoted, name):
    """Returns why a file of src/<layer> may not include `name`, or None."""
    folder = name.split("/")[0]
    if folder in RANKS and "/" in name:
        if folder != layer and RANKS[folder] >= RANKS[layer]:
            return f"src/{layer} must not include src/{folder}"
        if layer == "cli" and folder not in ("cli", "base") and name not in CLI_EXCEPTIONS:
            return f"src/cli may include public headers and CLI_EXCEPTIONS (layers.py), but not {name}"
    elif quoted and folder != "graft" and name not in SHARED:
        return f'"{name}" must name a folder of src/ first, be a public header, or be one of {sorted(SHARED)}'
    return None


def public_objection(root, quoted, name):
    """Returns why a public header may not include `name`, or None."""
    if name.startswith("graft/"):
        if not (root / "include" / name).is_file():
            return f"there is no public header {name}"
    elif quoted or ("/" in name and name.split("/")[0] in RANKS) or name in SHARED:  # <format> is the standard's
        return f"a public header must not include the internal {name}"
    return None


def violations(root):
    found = []

    def check(path, objection):
        for line, quoted, name in includes(path):
            message = objection(quoted, name)
            if message:
                found.append(f"{path.relative_to(root)}:{line}: {message}")

    for path in source_files(root / "src"):
        layer = path.relative_to(root / "src").parts[0]
        if layer not in RANKS:
            found.append(f"{path.relative_to(root)}:1: src/{layer} has no rank in layers.py")
            continue
        check(path, lambda quoted, name: internal_objection(layer, quoted, name))
    for path in source_files(root / "include"):
        check(path, lambda quoted, name: public_objection(root, quoted, name))
        text = path.read_text(encoding="utf-8")
        for match in INTERNAL.finditer(text):
            line = text.count("\n", 0, match.start()) + 1
            found.append(f"{path.relative_to(root)}:{line}: a public header must not name the internal {match[0]}")
    return found


def unused_exceptions(root):
    used = {name for path in source_files(root / "src/cli") for _, _, name in includes(path)}
    return [f"src/cli includes no {name}, which CLI_EXCEPTIONS names" for name in sorted(CLI_EXCEPTIONS - used)]


def main():
    root = Path(sys.argv[1])
    if not source_files(root / "src") or not source_files(root / "include"):
        sys.exit(f"{root}: no sources in src/ and include/")
    found = violations(root) + unused_exceptions(root)
    print("\n".join(found) or "no include points up the layers")
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
