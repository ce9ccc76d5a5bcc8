#!/usr/bin/env python3
"""Plants small mistakes in graft, one at a time, and checks that the tests notice them.

mutations.txt lists the mistakes, each with the tests that should notice it. For each mistake, the script changes the
file, builds the test programs, runs the tests, and restores the file, also after Ctrl-C. Run it by hand, in a checkout
without uncommitted changes:

    tests/mutation/mutate.py [BUILD]              BUILD is a configured build folder (default: build)
    tests/mutation/mutate.py --only 'fft|pack'    only the mistakes whose name or file matches
    tests/mutation/mutate.py --list               prints the mistakes
    tests/mutation/mutate.py --check              changes nothing: checks that each mistake can still be planted, and
                                                  that its tests exist (the test structure.mutations)

Before it plants anything, the script runs the tests on the unchanged checkout, as a test that fails anyway notices
nothing. A mistake is killed if a test fails, crashes or does not end. One that does not compile says nothing about the
tests and must be replaced. The exit status is 1 if one does not compile, or if one survives that mutations.txt does not
list as a survivor.
"""

import argparse
import contextlib
import dataclasses
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LIST = Path(__file__).with_name("mutations.txt")
MOST_SURVIVORS = 3
TEST_SECONDS = 900  # for one test program, as a mistake may make a test wait for ever
TEST_MACRO = re.compile(r"\bTEST(?:_F|_P)?\(\s*(\w+),\s*(\w+)\)")


@dataclasses.dataclass
class Mutation:
    name: str = ""  # what breaks, in words
    file: str = ""
    old: str = ""
    new: str = ""
    tests: list = dataclasses.field(default_factory=list)  # (test program, its --gtest_filter)
    survives: str = ""  # why no test can notice it


def parsed(text):
    """Returns the mutations of a text in the form that the head of mutations.txt describes."""
    mutations = []
    for block in re.split(r"^== ", text, flags=re.MULTILINE)[1:]:
        name, *lines = [line for line in block.splitlines() if line.strip() and not line.startswith("#")]
        mutation = Mutation(name=name)
        old, new = [], []
        for line in lines:
            mark, _, rest = line.partition(" ")
            if mark == "-":
                old.append(rest)
            elif mark == "+":
                new.append(rest)
            elif mark == "survives:":
                mutation.survives = rest
            elif not rest:
                mutation.file = mark
            else:
                mutation.tests.append((mark, rest))
        mutation.old, mutation.new = "\n".join(old), "\n".join(new)
        mutations.append(mutation)
    return mutations


# ---- the check of the list ----


def tests_in(root):
    """Returns the full names of all tests, without the prefixes and suffixes of their instances."""
    return {
        f"{suite}.{test}"
        for path in (root / "tests").rglob("*.cpp")
        for suite, test in TEST_MACRO.findall(path.read_text(encoding="utf-8"))
    }


def named_tests(gtest_filter):
    """Returns the names in a filter without those prefixes and suffixes: "All/Suite.Test/case" is "Suite.Test"."""
    for pattern in gtest_filter.split(":"):
        suite, _, test = pattern.partition(".")
        yield f"{suite.split('/')[-1]}.{test.split('/')[0]}"


def is_test(name, tests):
    return name in tests or (name.endswith(".*") and any(test.startswith(name[:-1]) for test in tests))


def objections(mutation, root, tests):
    """Yields what is wrong with an entry of the list."""
    path = root / mutation.file
    if not path.is_file():
        yield f"there is no file {mutation.file}"
    elif (count := path.read_text(encoding="utf-8").count(mutation.old) if mutation.old else 0) != 1:
        yield f"the old text is {count} times in {mutation.file}"
    if mutation.old == mutation.new:
        yield "the new text is the old one"
    if not mutation.tests:
        yield "no test is named"
    for program, gtest_filter in mutation.tests:
        for name in named_tests(gtest_filter):
            if not is_test(name, tests):
                yield f"there is no test {name} ({program})"


def check(mutations, root):
    """Returns what is wrong with the list."""
    tests = tests_in(root)
    found = [f"{one.name}: {objection}" for one in mutations for objection in objections(one, root, tests)]
    names = [one.name for one in mutations]
    found += [f"{name}: the name is there twice" for name in sorted(set(names)) if names.count(name) > 1]
    survivors = sum(bool(one.survives) for one in mutations)
    if survivors > MOST_SURVIVORS:
        found.append(f"{survivors} mutations survive, but at most {MOST_SURVIVORS} may")
    return found or ([] if mutations else ["there are no mutations"])


# ---- the run ----


@contextlib.contextmanager
def planted(mutation, root):
    """Changes the file, and restores it in any case."""
    path = root / mutation.file
    before = path.read_bytes()
    try:
        path.write_bytes(before.replace(mutation.old.encode(), mutation.new.encode()))
        yield
    finally:
        path.write_bytes(before)


def build(folder, mutations):
    """Builds the test programs. Returns an empty text, or the end of the log."""
    programs = sorted({program for mutation in mutations for program, _ in mutation.tests})
    run = subprocess.run(
        ["cmake", "--build", str(folder), "--target", *programs],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
    )
    return "" if run.returncode == 0 else "\n".join(run.stdout.splitlines()[-20:])


def objection_of(folder, program, gtest_filter):
    """Runs tests. Returns how they noticed the mistake, or an empty text if all passed."""
    try:
        run = subprocess.run(
            [str(folder / "bin" / program), f"--gtest_filter={gtest_filter}"],
            cwd=folder,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            timeout=TEST_SECONDS,
        )
    except subprocess.TimeoutExpired:
        return f"does not end within {TEST_SECONDS} s"
    passed = re.search(r"\[  PASSED  \] (\d+) test", run.stdout)
    if run.returncode == 0:
        return "" if passed and int(passed[1]) > 0 else "ran no test"
    if run.returncode < 0:
        return f"was ended by signal {-run.returncode}"
    failed = re.findall(r"\[  FAILED  \] ([\w/.]+)", run.stdout)
    return f"{failed[0]} failed" if failed else f"returned {run.returncode}"


def noticed(folder, mutation):
    for program, gtest_filter in mutation.tests:
        if why := objection_of(folder, program, gtest_filter):
            return f"{program}: {why}"
    return ""


def tried(mutation, folder):
    """Returns the verdict on a mutation, and what led to it."""
    with planted(mutation, ROOT):
        if log := build(folder, [mutation]):
            return "does not compile", log
        why = noticed(folder, mutation)
        return ("killed", why) if why else ("SURVIVED", mutation.survives)


def require_clean_checkout():
    command = ["git", "-C", str(ROOT), "status", "--porcelain", "--untracked-files=no"]
    if changed := subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout:
        sys.exit(f"commit or stash these changes first, so that each file can be restored:\n{changed}")


def require_passing_tests(folder, mutations):
    print("on the unchanged checkout: ", end="", flush=True)
    if log := build(folder, mutations):
        sys.exit(f"the build fails\n{log}")
    for program, gtest_filter in sorted({test for mutation in mutations for test in mutation.tests}):
        if why := objection_of(folder, program, gtest_filter):
            sys.exit(f"{program} --gtest_filter='{gtest_filter}' {why}")
    print("all tests pass", flush=True)


def run(mutations, folder):
    require_clean_checkout()
    require_passing_tests(folder, mutations)
    verdicts = []
    for number, mutation in enumerate(mutations, 1):
        print(f"{number}/{len(mutations)} {mutation.name}: ", end="", flush=True)
        begin = time.monotonic()
        verdict, why = tried(mutation, folder)
        print(f"{verdict} after {time.monotonic() - begin:.0f} s ({why or mutation.file})", flush=True)
        verdicts.append((verdict, mutation))
    survivors = [one for verdict, one in verdicts if verdict == "SURVIVED"]
    unfit = [one for verdict, one in verdicts if verdict == "does not compile"]
    killed = len(verdicts) - len(survivors) - len(unfit)
    print(f"\n{killed} of {len(verdicts)} killed, {len(survivors)} survived, {len(unfit)} do not compile")
    for one in survivors:
        print(f"survived: {one.name} ({one.survives or 'not listed'})")
    for one in unfit:
        print(f"replace, as it does not compile: {one.name}")
    return 1 if unfit or any(not one.survives for one in survivors) else 0


def stop(number, _):
    raise SystemExit(128 + number)  # so that the file is restored


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", nargs="?", default=ROOT / "build", help="build folder (default: build)")
    parser.add_argument("--only", metavar="REGEX", default="", help="only mistakes whose name or file matches")
    parser.add_argument("--list", action="store_true", help="print the mistakes")
    parser.add_argument("--check", action="store_true", help="check the list")
    options = parser.parse_args()
    mutations = parsed(LIST.read_text(encoding="utf-8"))
    wrong = check(mutations, ROOT)
    if options.check or wrong:
        print("\n".join(wrong) or f"{len(mutations)} mutations can be planted")
        return 1 if wrong else 0
    chosen = [one for one in mutations if re.search(options.only, f"{one.name}\n{one.file}")]
    if not chosen:
        sys.exit(f"no mutation matches {options.only}")
    if options.list:
        for one in chosen:
            print(f"{one.file}: {one.name}")
        return 0
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, stop)
    return run(chosen, Path(os.path.abspath(options.build)))


if __name__ == "__main__":
    sys.exit(main())
