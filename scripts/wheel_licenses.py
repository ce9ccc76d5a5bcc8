#!/usr/bin/env python3
"""Adds the licence texts of the libraries whose code is in a wheel of graft_cuda to the wheel (PEP 639): of those that
are compiled into its module, and of those that auditwheel has put beside the module. Their licences ask for the notices
in binary distributions. The texts are those of the Debian packages with which the wheel was built; nanobind's come from
the build (python/CMakeLists.txt).

    wheel_licenses.py WHEEL FOLDER      writes the wheel, with the same name, into FOLDER; needs the package `wheel`
"""

import re
import subprocess
import sys
import tempfile
from pathlib import Path

# Name of the library -> its Debian package, and its licence.
PACKAGES = {
    "fmt": ("libfmt-dev", "MIT"),
    "nlohmann-json": ("nlohmann-json3-dev", "MIT"),
    "xxhash": ("libxxhash-dev", "BSD-2-Clause"),
    "libzstd": ("libzstd1", "BSD-3-Clause"),
}
FROM_BUILD = {"nanobind": "BSD-3-Clause", "robin_map": "MIT"}


def check_libraries(unpacked: Path) -> None:
    """Refuses a library in the wheel that is not in the list: libzstd-4fd2c1a9.so.1.5.4 is libzstd."""
    for file in unpacked.glob("*.libs/*"):
        if re.sub(r"-[0-9a-f]{8,}\.so.*", "", file.name) not in PACKAGES:
            sys.exit(f"{file.name} is in the wheel, and its licence is not known: add it to {__file__}")


def add_texts(licenses: Path) -> None:
    for name, (package, _) in PACKAGES.items():
        text = Path("/usr/share/doc", package, "copyright")
        if not text.is_file():
            sys.exit(f"the wheel needs the licence text of {name}: {text} (Debian package {package}) is missing")
        (licenses / name).mkdir()
        (licenses / name / "copyright").write_bytes(text.read_bytes())
    for name in FROM_BUILD:
        if not any((licenses / name).glob("*")):
            sys.exit(f"the build has put no licence text of {name} into the wheel (python/CMakeLists.txt)")


def name_texts(metadata: Path, licenses: Path) -> None:
    """Lists all texts in the wheel's metadata, and the licences of all that the wheel has."""
    head, separator, description = metadata.read_text().partition("\n\n")
    lines = [line for line in head.splitlines() if not line.startswith(("License-File:", "License-Expression:"))]
    others = {licence for _, licence in PACKAGES.values()} | set(FROM_BUILD.values())
    lines.append("License-Expression: " + " AND ".join(["Apache-2.0", *sorted(others)]))
    texts = sorted(path.relative_to(licenses).as_posix() for path in licenses.rglob("*") if path.is_file())
    lines += [f"License-File: {text}" for text in texts]
    metadata.write_text("\n".join(lines) + separator + description)


def main(wheel: str, folder: str) -> None:
    with tempfile.TemporaryDirectory() as work:
        command = [sys.executable, "-m", "wheel"]
        subprocess.run([*command, "unpack", "-d", work, wheel], check=True, stdout=subprocess.DEVNULL)
        (unpacked,) = Path(work).iterdir()
        (metadata,) = unpacked.glob("*.dist-info/METADATA")
        licenses = metadata.parent / "licenses"
        check_libraries(unpacked)
        add_texts(licenses)
        name_texts(metadata, licenses)
        Path(folder).mkdir(parents=True, exist_ok=True)
        subprocess.run([*command, "pack", "-d", folder, unpacked], check=True, stdout=subprocess.DEVNULL)


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
