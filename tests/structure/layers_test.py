"""Plants includes in a small source tree and checks that layers.py reports the bad ones and no others."""

import tempfile
import unittest
from pathlib import Path

import layers

PUBLIC = {"include/graft/error.hpp": ""}


class LayersTest(unittest.TestCase):
    def violations(self, files):
        with tempfile.TemporaryDirectory() as folder:
            for name, text in {**PUBLIC, **files}.items():
                path = Path(folder) / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text, encoding="utf-8")
            return layers.violations(Path(folder))

    def including(self, file, include):
        return self.violations({file: f"// a file\n#include {include}\n"})

    def test_what_is_allowed(self):
        for file, include in [
            ("src/base/a.cpp", '"base/b.hpp"'),
            ("src/base/a.cpp", "<base.h>"),
            ("src/core/a.cpp", '"base/b.hpp"'),
            ("src/plan/a.cpp", '"reflect/b.hpp"'),
            ("src/routes/a.cpp", '"plan/b.hpp"'),
            ("src/api/a.cpp", '"store/b.hpp"'),
            ("src/cli/main.cpp", '"base/b.hpp"'),
            ("src/cli/cache/a.cpp", '"store/maintenance.hpp"'),
            ("src/codegen/a.cpp", '"contract.h"'),
            ("src/base/a.cpp", '"graft/error.hpp"'),
            ("include/graft/a.hpp", '"graft/error.hpp"'),
            ("include/graft/a.hpp", "<span>"),
        ]:
            with self.subTest(file=file, include=include):
                self.assertEqual(self.including(file, include), [])

    def test_every_step_up_is_found(self):
        for lower, lower_rank in layers.RANKS.items():
            for upper, upper_rank in layers.RANKS.items():
                if lower != upper and upper_rank >= lower_rank:
                    with self.subTest(lower=lower, upper=upper):
                        self.assertEqual(
                            self.including(f"src/{lower}/a.cpp", f'"{upper}/b.hpp"'),
                            [f"src/{lower}/a.cpp:2: src/{lower} must not include src/{upper}"],
                        )

    def test_compile_store_and_launch_do_not_know_one_another(self):
        for one in ("compile", "store", "launch"):
            for other in {"compile", "store", "launch"} - {one}:
                self.assertEqual(len(self.including(f"src/{one}/a.hpp", f'"{other}/b.hpp"')), 1)

    def test_the_command_line_tool_stands_on_the_public_headers(self):
        self.assertEqual(
            self.including("src/cli/cache/a.cpp", '"store/sweep.hpp"'),
            [
                "src/cli/cache/a.cpp:2: src/cli may include public headers and CLI_EXCEPTIONS (layers.py), "
                "but not store/sweep.hpp"
            ],
        )

    def test_spelling_does_not_hide_a_step_up(self):
        for include in ('"api/b.hpp"', "<api/b.hpp>", '"../api/b.hpp"', '"./b.hpp"', '"b.hpp"'):
            with self.subTest(include=include):
                self.assertEqual(len(self.including("src/base/a.cpp", include)), 1)
        self.assertEqual(len(self.violations({"src/base/a.hpp": '  #  include"api/b.hpp"'})), 1)

    def test_public_headers_include_public_headers_only(self):
        for include in ('"base/b.hpp"', "<base/b.hpp>", '"contract.h"', '"error.hpp"', '"graft/absent.hpp"'):
            with self.subTest(include=include):
                self.assertEqual(len(self.including("include/graft/a.hpp", include)), 1)

    def test_public_headers_name_no_internal_namespace(self):
        for text in ("launch::Arguments a;", "void f(graft::plan::Key);", "namespace launch {", "namespace graft::base {"):
            with self.subTest(text=text):
                self.assertEqual(len(self.violations({"include/graft/a.hpp": text})), 1)
        for text in ("std::launch::async;", "my_launch::f();", "// launch: a word", "namespace graft::detail {"):
            with self.subTest(text=text):
                self.assertEqual(self.violations({"include/graft/a.hpp": text}), [])

    def test_an_unknown_folder_is_found(self):
        found = self.violations({"src/misc/a.cpp": ""})
        self.assertEqual(found, ["src/misc/a.cpp:1: src/misc has no rank in layers.py"])


if __name__ == "__main__":
    unittest.main()
