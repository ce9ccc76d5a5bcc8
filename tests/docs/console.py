#!/usr/bin/env python3
"""Runs the commands of a page's console blocks, and compares what they print with what the page shows.

    console.py PAGE FOLDER      runs the commands in FOLDER; the exit status is 1 if a command prints something else

A block begins with ```console. Its lines that begin with "$ " are commands, and each is followed by what it prints.
"""

import os
import re
import signal
import subprocess
import sys
from pathlib import Path

MOST_SECONDS = 120  # for one command; the slowest, a first build of a kernel, takes a few seconds
BLOCK = re.compile(r"^```console\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def commands_of(page):
    """Yields each command of all console blocks, with the output that the page shows for the command."""
    for block in BLOCK.finditer(page):
        for part in re.split(r"^\$ ", block[1], flags=re.MULTILINE)[1:]:
            command, _, output = part.partition("\n")
            yield command, output


def run(command, folder):
    """Runs a command and returns its (exit status, standard output, standard error).

    Kills the command and the processes that it has started if the command takes longer than MOST_SECONDS.
    """
    process = subprocess.Popen(
        command,
        shell=True,
        cwd=folder,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    try:
        output, errors = process.communicate(timeout=MOST_SECONDS)
        return process.returncode, output, errors
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        output, errors = process.communicate()
        return process.returncode, output, f"{errors}killed after {MOST_SECONDS} seconds\n"


def main(page, folder):
    commands = list(commands_of(Path(page).read_text(encoding="utf-8")))
    failed = not commands
    for command, output in commands:
        status, printed, errors = run(command, folder)
        if (status, printed) != (0, output):
            failed = True
            print(f"$ {command}\nexit status {status}\n{printed}{errors}{page} shows:\n{output}")
    print(f"{len(commands)} commands of {page}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
