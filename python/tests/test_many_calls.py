"""Many calls of each kind from eight threads lose no memory."""

import json
import subprocess
import sys
from pathlib import Path


def lost_by_many_calls(library):
    """Return the kinds of calls that lose memory: 32 bytes or more a call, or 4 MiB of the GPU in all."""
    program = Path(__file__).with_name("many_calls.py")
    done = subprocess.run([sys.executable, program, library], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    grown = json.loads(done.stdout)
    lost = {kind: one for kind, one in grown.items() if one["process"] >= 32 * one["calls"] or one["gpu"] >= 4 << 20}
    assert len(grown) > 10 and grown["given output"]["calls"] >= 100_000
    assert lost.pop("leak"), "the measurement must see 64 bytes a call"
    return lost


def test_calls_on_the_host():
    assert lost_by_many_calls("numpy") == {}
