#!/usr/bin/env python3
"""Runs the commands of a page's console blocks, and compares what they print with what the page shows.

    console.py PAGE FOLDER      the commands run in FOLDER; the exit status is 1 when one prints something else

A block begins with ```console. Its lines that begin with "$ " are commands, and behind each stands what it prints.
"""

import re
import subprocess
import sys
from pathlib import Path

BLOCK = re.compile(r"^```console\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def commands_of(page):
    """(command, what the page says that it prints) of all console blocks."""
    for block in BLOCK.finditer(page):
        for part in re.split(r"^\$ ", block[1], flags=re.MULTILINE)[1:]:
            command, _, output = part.partition("\n")
            yield command, output


def main(page, folder):
    commands = list(commands_of(Path(page).read_text(encoding="utf-8")))
    failed = not commands
    for command, output in commands:
        run = subprocess.run(command, shell=True, cwd=folder, capture_output=True, text=True, check=False)
        if (run.returncode, run.stdout) != (0, output):
            failed = True
            print(f"$ {command}\nexit status {run.returncode}\n{run.stdout}{run.stderr}{page} shows:\n{output}")
    print(f"{len(commands)} commands of {page}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
