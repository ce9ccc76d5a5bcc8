#!/usr/bin/env python3
"""Tests that bench/figures.py --check finds a page and pictures that differ from the records, and says where.

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
README = (ROOT / "README.md").read_text(encoding="utf-8")


class Figures(unittest.TestCase):
    def run_on(self, page, *arguments):
        """Runs figures.py on a page with this text. Returns its exit status, its output, and the page afterwards."""
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "page.md"
            path.write_text(page, encoding="utf-8")
            command = [sys.executable, "-B", ROOT / "bench/figures.py", "--page", path, *arguments]
            run = subprocess.run(command, capture_output=True, text=True, check=False)
            return run.returncode, run.stdout + run.stderr, path.read_text(encoding="utf-8")

    def test_the_page_agrees_with_the_records(self):
        status, said, page = self.run_on(README, "--check")
        self.assertEqual((status, page), (0, README), said)

    def test_another_number_is_found(self):
        table = README.index("<!-- figures: large -->")
        place = re.compile(r"\d\.\d\d").search(README, table).start()
        digit = "7" if README[place] != "7" else "8"
        changed = README[:place] + digit + README[place + 1 :]
        status, said, page = self.run_on(changed, "--check")
        self.assertEqual((status, page), (1, changed))
        self.assertIn(changed[place : place + 4], said)
        self.assertEqual(self.run_on(changed)[2], README)

    def test_a_missing_table_is_an_error(self):
        status, said, _ = self.run_on(README.replace("<!-- figures: large -->", ""), "--check")
        self.assertNotEqual(status, 0)
        self.assertIn("the page has the tables", said)

    def check_with_changed_picture(self, name, old, new):
        """Checks the pictures after a change of one. Returns the exit status and the output."""
        with tempfile.TemporaryDirectory() as folder:
            for picture in (ROOT / "docs").glob("*.svg"):
                text = picture.read_text(encoding="utf-8")
                if picture.stem == name:
                    text = re.sub(old, new, text)
                (pathlib.Path(folder) / picture.name).write_text(text, encoding="utf-8")
            status, said, _ = self.run_on(README, "--check", "--pictures", folder)
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
