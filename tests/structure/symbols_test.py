"""Gives made-up object files to symbols.py and checks that it reports the names that point up and no others."""

import unittest

import symbols


class SymbolsTest(unittest.TestCase):
    def test_a_use_of_a_higher_room_is_found(self):
        low = ("base", {"f"}, {"g"})
        high = ("api", {"g"}, {"f"})
        self.assertEqual(symbols.violations([low, high]), ["src/base uses g of src/api"])

    def test_rooms_of_equal_rank_are_strangers(self):
        self.assertEqual(len(symbols.violations([("store", {"f"}, set()), ("launch", set(), {"f"})])), 1)

    def test_what_is_allowed(self):
        within = [("plan", {"f"}, set()), ("plan", set(), {"f"})]
        outside = [("plan", set(), {"malloc"})]
        self.assertEqual(symbols.violations(within + outside), [])

    def test_the_room_is_in_the_path(self):
        for path, room in [
            ("src/CMakeFiles/graft_objects.dir/families/elementwise/policy.cpp.o", "families"),
            ("src/CMakeFiles/graft_objects.dir/plan/key.cpp.o", "plan"),
            ("src/CMakeFiles/graft_objects.dir/./plan/key.cpp.o", "plan"),
            ("src/CMakeFiles/graft_objects.dir/Unity/unity_plan_cxx.cxx.o", "plan"),
            ("src/CMakeFiles/graft_objects.dir/Unity/unity_elementwise_cxx.cxx.o", "families"),
            ("src/CMakeFiles/graft_objects.dir/graft_embedded.cpp.o", None),
        ]:
            with self.subTest(path=path):
                self.assertEqual(symbols.room_of(path), room)


if __name__ == "__main__":
    unittest.main()
