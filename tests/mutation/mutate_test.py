"""Plants mistakes in a list of mutations and in a small source tree, and checks what mutate.py says and leaves."""

import tempfile
import unittest
from pathlib import Path

import mutate

LIST = """
# a comment
== Two becomes three
src/a.cpp
- int two = 2;
-   int four = 4;
+ int two = 3;
+   int four = 4;
a_test Numbers.Two:Some/Numbers.All/1

== A line is lost
src/a.cpp
- lose();
a_test Numbers.*
survives: nobody calls it
"""
SOURCE = "int two = 2;\n  int four = 4;\nlose();\n"
TESTS = "TEST(Numbers, Two) {}\nTEST_P(Numbers, All) {}\n"


class MutateTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)
        self.write("src/a.cpp", SOURCE)
        self.write("tests/a_test.cpp", TESTS)

    def write(self, name, text):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def checked(self, text):
        return mutate.check(mutate.parsed(text), self.root)

    def test_a_list_is_read(self):
        first, second = mutate.parsed(LIST)
        self.assertEqual(first.name, "Two becomes three")
        self.assertEqual(first.file, "src/a.cpp")
        self.assertEqual(first.old, "int two = 2;\n  int four = 4;")
        self.assertEqual(first.new, "int two = 3;\n  int four = 4;")
        self.assertEqual(first.tests, [("a_test", "Numbers.Two:Some/Numbers.All/1")])
        self.assertEqual((second.old, second.new), ("lose();", ""))
        self.assertEqual(second.survives, "nobody calls it")
        self.assertEqual(self.checked(LIST), [])

    def test_what_can_not_be_planted_is_found(self):
        for change, words in [
            (("src/a.cpp", "src/b.cpp"), "there is no file src/b.cpp"),
            (("- lose();", "- gain();"), "the old text is 0 times in src/a.cpp"),
            (("- lose();", "- int"), "the old text is 2 times in src/a.cpp"),
            (("- lose();", "- lose();\n+ lose();"), "the new text is the old one"),
            (("Numbers.Two", "Numbers.Three"), "there is no test Numbers.Three (a_test)"),
            (("a_test Numbers.*\n", ""), "no test is named"),
            (("A line is lost", "Two becomes three"), "the name is there twice"),
        ]:
            with self.subTest(words=words):
                self.assertIn(words, "\n".join(self.checked(LIST.replace(*change))))
        self.assertEqual(self.checked(""), ["there are no mutations"])

    def test_survivors_are_few(self):
        def listed(count):
            entry = LIST[LIST.index("== A line") :]
            return self.checked("".join(entry.replace("lost", f"lost {i}") for i in range(count)))

        self.assertEqual(listed(mutate.MOST_SURVIVORS), [])
        self.assertEqual(len(listed(mutate.MOST_SURVIVORS + 1)), 1)

    def test_the_file_is_restored_in_any_case(self):
        mutation = mutate.parsed(LIST)[1]
        with self.assertRaises(SystemExit):
            with mutate.planted(mutation, self.root):
                self.assertEqual((self.root / "src/a.cpp").read_text(encoding="utf-8"), SOURCE.replace("lose();", ""))
                mutate.stop(2, None)
        self.assertEqual((self.root / "src/a.cpp").read_text(encoding="utf-8"), SOURCE)

    def test_how_a_program_ends_is_told(self):
        program = self.root / "bin/a_test"
        for script, words in [
            ("echo '[  PASSED  ] 2 tests.'", ""),
            ("echo '[  PASSED  ] 0 tests.'", "ran no test"),
            ("echo '[  FAILED  ] Numbers.Two (0 ms)'; exit 1", "Numbers.Two failed"),
            ("kill -SEGV $$", "was ended by signal 11"),
        ]:
            with self.subTest(script=script):
                self.write("bin/a_test", f"#!/bin/sh\n{script}\n")
                program.chmod(0o755)
                self.assertEqual(mutate.objection_of(self.root, "a_test", "*"), words)


if __name__ == "__main__":
    unittest.main()
