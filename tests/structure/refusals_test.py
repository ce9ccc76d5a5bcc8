"""Gives refusals.py messages as GCC writes them, and checks which of them it complains about."""

import unittest

import refusals

SOURCE = """
  // refused: no pointer ... pass a count
  run(pointer);
  run(other);

  accepted();
"""

GOOD = """
a.hpp: In instantiation of 'void run(T)':
refusals.cpp:{line}:6:   required from here
a.hpp:7:2: error: static assertion failed: graft: no pointer here; pass a count
"""


class RefusalsTest(unittest.TestCase):
    def complaints(self, *messages):
        wrong = refusals.complaints(refusals.mistakes(SOURCE), refusals.errors("".join(messages), "refusals.cpp"))
        return [text.split("\n", maxsplit=1)[0] for text in wrong]

    def test_every_line_is_refused(self):
        self.assertEqual(self.complaints(GOOD.format(line=3), GOOD.format(line=4)), [])

    def test_one_line_is_accepted(self):
        self.assertEqual(self.complaints(GOOD.format(line=3)),
                         ["line 4: not refused with the words: no pointer ... pass a count"])

    def test_other_words(self):
        self.assertEqual(self.complaints(GOOD.format(line=3), GOOD.format(line=4).replace("count", "size")),
                         ["line 4: not refused with the words: no pointer ... pass a count"])

    def test_words_of_another_library(self):
        self.assertEqual(self.complaints(GOOD.format(line=3), GOOD.format(line=4).replace("graft: ", "")),
                         ["line 4: not refused with the words: no pointer ... pass a count"])

    def test_an_error_where_none_is_expected(self):
        self.assertEqual(self.complaints(GOOD.format(line=3), GOOD.format(line=4), "refusals.cpp:6:3: error: undeclared\n"),
                         ["line 6: an error in a line without a comment `refused:`"])

    def test_candidates(self):
        self.assertEqual(self.complaints(GOOD.format(line=3), "a.hpp:9:1: note: candidate: 'run(int)'\n",
                                         GOOD.format(line=4)),
                         ["line 3: the message lists candidates"])


if __name__ == "__main__":
    unittest.main()
