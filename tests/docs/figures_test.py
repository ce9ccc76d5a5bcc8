#!/usr/bin/env python3
"""Tests that bench/figures.py --check finds pages and pictures that differ from the records, and says where.

figures_test.py ROOT
"""

import json
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(sys.argv.pop(1))
# README.md has the summary, and bench/README.md most tables.
PAGES = {name: (ROOT / name).read_text(encoding="utf-8") for name in ("README.md", "bench/README.md")}


class Figures(unittest.TestCase):
    def run_on(self, pages, *arguments):
        """Runs figures.py on pages with these texts. Returns its exit status, its output, and the pages afterwards."""
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            for name, page in pages.items():
                (root / name).parent.mkdir(exist_ok=True)
                (root / name).write_text(page, encoding="utf-8")
            command = [sys.executable, "-B", ROOT / "bench/figures.py", "--root", root, *arguments]
            run = subprocess.run(command, capture_output=True, text=True, check=False)
            after = {name: (root / name).read_text(encoding="utf-8") for name in pages}
            return run.returncode, run.stdout + run.stderr, after

    def test_the_pages_agree_with_the_records(self):
        status, said, pages = self.run_on(PAGES, "--check")
        self.assertEqual((status, pages), (0, PAGES), said)

    def check_other_number(self, name, table):
        """Changes a number of a table, and checks that figures.py finds the change and undoes it."""
        page = PAGES[name]
        place = re.compile(r"\d\.\d\d").search(page, page.index(f"<!-- figures: {table} -->")).start()
        digit = "7" if page[place] != "7" else "8"
        changed = PAGES | {name: page[:place] + digit + page[place + 1 :]}
        status, said, after = self.run_on(changed, "--check")
        self.assertEqual((status, after), (1, changed))
        self.assertIn(name, said)
        self.assertIn(changed[name][place : place + 4], said)
        self.assertEqual(self.run_on(changed)[2], PAGES)

    def test_another_number_is_found(self):
        self.check_other_number("README.md", "summary")
        self.check_other_number("bench/README.md", "large")

    def test_a_missing_table_is_an_error(self):
        page = PAGES["bench/README.md"].replace("<!-- figures: large -->", "")
        status, said, _ = self.run_on(PAGES | {"bench/README.md": page}, "--check")
        self.assertNotEqual(status, 0)
        self.assertIn("the pages have the tables", said)

    def check_with_changed_picture(self, name, old, new):
        """Checks the pictures after a change of one. Returns the exit status and the output."""
        with tempfile.TemporaryDirectory() as folder:
            for picture in (ROOT / "docs").glob("*.svg"):
                text = picture.read_text(encoding="utf-8")
                if picture.stem == name:
                    text = re.sub(old, new, text)
                (pathlib.Path(folder) / picture.name).write_text(text, encoding="utf-8")
            status, said, _ = self.run_on(PAGES, "--check", "--pictures", folder)
        return status, said

    def test_a_picture_of_another_record_is_found(self):
        stamp = r"[0-9a-f]{7}, 20\d\d-\d\d-\d\d"
        status, said = self.check_with_changed_picture("routes", stamp, "0000000, 2020-01-01")
        self.assertEqual(status, 1)
        self.assertIn("routes.svg was not drawn from the present routes.json", said)

    def test_each_of_a_pictures_records_counts(self):
        record = json.loads((ROOT / "bench/results/cache.json").read_text(encoding="utf-8"))
        stamp = f"{record['commit']}, {record['date'][:10]}"
        status, said = self.check_with_changed_picture("create", stamp, "0000000, 2020-01-01")
        self.assertEqual(status, 1)
        self.assertIn("create.svg was not drawn from the present cache.json", said)


if __name__ == "__main__":
    unittest.main()
