"""Tests that a wheel has the licence text of each library whose code is in it, and that its records are right.

    licenses_of_wheel.py WHEEL
"""

import base64
import csv
import hashlib
import re
import sys
import zipfile

# Names in the texts of the licences.
HOLDERS = {
    "LICENSE": "Apache License",
    "fmt/": "Victor Zverovich",
    "libzstd/": "Yann Collet",
    "nanobind/": "Wenzel Jakob",
    "nlohmann-json/": "Niels Lohmann",
    "robin_map/": "Thibaut Goetghebuer-Planchon",
    "xxhash/": "Yann Collet",
}
# What a licence says, whose text would be a notice without a licence otherwise.
TERMS = re.compile(r"redistribution|permission is hereby granted|apache license", re.IGNORECASE)

wheel = zipfile.ZipFile(sys.argv[1])
info = next(name for name in wheel.namelist() if name.endswith(".dist-info/RECORD")).removesuffix("RECORD")

texts = {name.removeprefix(info + "licenses/"): wheel.read(name).decode() for name in wheel.namelist()
         if name.startswith(info + "licenses/")}
for place, holder in HOLDERS.items():
    found = [text for name, text in texts.items() if name.startswith(place)]
    assert len(found) == 1, f"{place}: {len(found)} texts"
    assert holder in found[0] and TERMS.search(found[0]), f"{place} is no licence of {holder}"
assert len(texts) == len(HOLDERS), sorted(texts)

libraries = [name.split("/")[1] for name in wheel.namelist() if re.match(r"[^/]+\.libs/.", name)]
for library in libraries:
    assert re.sub(r"-[0-9a-f]+\.so.*", "/", library) in HOLDERS, f"the wheel has no licence of {library}"

head = wheel.read(info + "METADATA").decode().partition("\n\n")[0].splitlines()
listed = [line.split(": ")[1] for line in head if line.startswith("License-File: ")]
assert sorted(listed) == sorted(texts), listed
expressions = [line for line in head if line.startswith("License-Expression: ")]
assert expressions == ["License-Expression: Apache-2.0 AND BSD-2-Clause AND BSD-3-Clause AND MIT"], expressions
assert not any(line.startswith("Metadata-Version: ") and line < "Metadata-Version: 2.4" for line in head), head

recorded = {name: digest for name, digest, _ in csv.reader(wheel.read(info + "RECORD").decode().splitlines())}
files = [name for name in wheel.namelist() if not name.endswith("/")]
assert len(files) == len(set(files)) and set(files) == set(recorded), set(files) ^ set(recorded)
for name in files:
    digest = base64.urlsafe_b64encode(hashlib.sha256(wheel.read(name)).digest()).rstrip(b"=").decode()
    assert name == info + "RECORD" or recorded[name] == "sha256=" + digest, name
print(f"{len(texts)} licence texts, {len(libraries)} libraries beside the module")
