"""Checks that the fuzzers' longest input exceeds every length at which a reader changes its behaviour.

thresholds.py ROOT looks for constants named kLargest..., kLongest..., kMost..., kMax... or kDeepest...
in the readers of untrusted bytes, compares them with kLongestInput of longest_input.hpp, and prints the
large constants.
"""
import pathlib
import re
import sys

READERS = ["src/format", "src/families/kernel_check.cpp", "src/families/elementwise/policy.cpp", "src/base/demangle.cpp", "src/base/record.hpp", "src/core/fields.hpp",
           "src/reflect", "src/formula", "src/codegen", "src/cli/arrays/npy.cpp", "src/cli/arrays/npy.hpp",
           "src/cli/arrays/python_literal.cpp",
           "src/cli/commands/warm_list.cpp", "src/engine/child_message.cpp", "src/toolchain/library_file.cpp", "src/toolchain/loader_path.cpp"]

# These constants limit numbers that a file states, or are limits of base::read_file, and no lengths that a reader scans,
# so they are not compared.
CLAIMS = {"kLargestContent": "what a frame claims to contain; a frame of 4 MiB may claim 64 times as much",
          "kLargestCallback": "how much of a file is read", "kLargestSource": "how much of a file is read",
          "kMostSingle": "a count of elements, which are not in the file",
          "kLargest": "the largest integer of literals",
          "kMost": "the largest number of 64 bits, which npy.cpp compares products with"}

CONSTANT = re.compile(r"constexpr\s+[\w:]+\s+(k(?:Largest|Longest|Most|Max|Deepest)\w*)\s*=\s*([^;]+);")


def value_of(expression):
    """Returns the value of a constant such as `std::size_t{1} << 20`, `1ull << 32` or `49'152`, else None."""
    plain = re.sub(r"std::\w+|(?<=\d)'(?=\d)", "", expression)
    plain = re.sub(r"(?<=\d)(?:ull|ul|u|l)\b", "", plain, flags=re.IGNORECASE).replace("{", "(").replace("}", ")")
    return eval(plain) if re.fullmatch(r"[\d\s<>()+*-]+", plain) else None


def constants_of(root):
    for reader in READERS:
        path = root / reader
        for file in sorted(path.rglob("*.[ch]pp")) if path.is_dir() else [path]:
            for name, expression in CONSTANT.findall(file.read_text()):
                yield file.relative_to(root), name, value_of(expression)


def main():
    root = pathlib.Path(sys.argv[1])
    limit = dict((name, value) for name, value in (
        (name, value_of(expression)) for name, expression in
        CONSTANT.findall((root / "tests/fuzz/longest_input.hpp").read_text())))["kLongestInput"]
    compared, wrong = 0, 0
    for file, name, value in constants_of(root):
        if name in CLAIMS:
            continue
        compared += 1
        is_good = value is not None and value < limit
        wrong += not is_good
        if not is_good or value >= 4096:
            print(f"{file}: {name} = {value}{'' if is_good else f': not below {limit}'}")
    print(f"{compared} thresholds, longest input {limit}")
    return 1 if wrong or compared < 5 else 0


if __name__ == "__main__":
    sys.exit(main())
