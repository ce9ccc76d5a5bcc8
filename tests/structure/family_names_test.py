"""Plants names of families in a small source tree and checks that family_names.py reports the bad ones and no others."""

import tempfile
import unittest
from pathlib import Path

import family_names

FAMILIES = {"src/families/elementwise/elementwise.cpp": "", "src/families/fft/fft.cpp": "class Fft;"}


class FamilyNamesTest(unittest.TestCase):
    def violations(self, files, exceptions=()):
        with tempfile.TemporaryDirectory() as folder:
            for name, text in {**FAMILIES, **files}.items():
                path = Path(folder) / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text, encoding="utf-8")
            return family_names.violations(Path(folder), exceptions=set(exceptions))

    def test_the_places_of_a_family_name_it(self):
        for name in (
            "src/families/fft/plan.cpp",
            "src/families/registry.cpp",
            "src/api/fft.cpp",
            "src/c/fft.cpp",
            "src/cli/commands/families/fft_options.cpp",
            "src/CMakeLists.txt",
        ):
            with self.subTest(name=name):
                self.assertEqual(self.violations({name: "fft::family();"}), [])

    def test_other_places_do_not(self):
        for name in (
            "src/base/a.hpp",
            "src/families/family.hpp",
            "src/families/elementwise/a.cpp",
            "src/families/ffts.cpp",
            "src/cli/commands/fft_options.cpp",
            "src/engine/registry.cpp",
        ):
            with self.subTest(name=name):
                found = self.violations({name: "// a file\nfft::family();\n"})
                self.assertEqual(found, [f"{name}:2: names the family fft"])

    def test_every_spelling_is_found(self):
        for line in ('"fft"', "FftPlan plan;", "// of an FFT", "is_fft()", "graft_fft_load", "families/fft/plan.hpp"):
            with self.subTest(line=line):
                self.assertEqual(len(self.violations({"src/base/a.cpp": line})), 1)

    def test_words_of_cufft_name_no_family(self):
        line = "// cuFFT's callbacks: <cufftXt.h>, CUFFTAPI, kCufft, differences_from_cufft, IsCufft"
        self.assertEqual(self.violations({"src/base/a.cpp": line}), [])
        self.assertEqual(len(self.violations({"src/base/a.cpp": line + ", and an FFT"})), 1)

    def test_functions_of_cuda_name_no_family(self):
        files = {"src/families/reduce/a.cpp": "", "src/base/a.cpp": "// __reduce_add_sync, __reduce_{min,max}_sync"}
        self.assertEqual(self.violations(files), [])
        files["src/base/a.cpp"] += ", graft_reduce_add"
        self.assertEqual(len(self.violations(files)), 1)

    def test_a_new_family_is_checked(self):
        files = {"src/families/convolve/a.cpp": "", "src/base/a.cpp": "Convolve one;"}
        self.assertEqual(self.violations(files), ["src/base/a.cpp:1: names the family convolve"])

    def test_an_exception_must_be_needed(self):
        files = {"src/base/a.cpp": "// FFT", "src/base/b.cpp": ""}
        self.assertEqual(self.violations(files, ["base/a.cpp"]), [])
        for name in ("base/b.cpp", "base/absent.cpp"):
            with self.subTest(name=name):
                self.assertEqual(
                    self.violations(files, ["base/a.cpp", name]),
                    [f"src/{name} names no family, and EXCEPTIONS (family_names.py) lists it"],
                )


if __name__ == "__main__":
    unittest.main()
