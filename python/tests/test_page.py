"""Runs the programs of docs/python.md, each alone, and compares what they print with the page. Runs README.md's too.

GRAFT_PYTHON_PAGE names the page for tests outside of the checkout, where README.md is beside it.
"""

import contextlib
import io
import os
import re
from pathlib import Path

import pytest

PAGE = Path(os.environ.get("GRAFT_PYTHON_PAGE") or Path(__file__).parents[2] / "docs" / "python.md")
README = next(path for path in (PAGE.with_name("README.md"), PAGE.parents[1] / "README.md") if path.exists())
PROGRAMS = re.findall(r"```python\n(.*?)```\n```text\n(.*?)```", PAGE.read_text(), re.S)


def test_every_program_of_the_page_is_run():
    assert len(PROGRAMS) == PAGE.read_text().count("```python") >= 9


@pytest.mark.parametrize("program, printed", PROGRAMS, ids=range(len(PROGRAMS)))
def test_a_program_prints_what_the_page_shows(program, printed, request):
    if "numba_callback" in program:
        pytest.importorskip("numba.cuda", exc_type=ImportError)
    if "build" in program:
        request.getfixturevalue("has_compiler")
    output = io.StringIO()
    with contextlib.redirect_stdout(output):
        exec(compile(program, str(PAGE), "exec"), {})
    assert output.getvalue() == printed


def test_the_program_of_readme():
    import numpy as np

    (program,) = re.findall(r"```python\n(.*?)```", README.read_text(), re.S)
    names = {"x": np.float32([[3, -4], [0, 1]])}
    exec(compile(program, str(README), "exec"), names)
    assert names["y"].tolist() == [[7, 1], [1, 3]]
    assert names["relu"](names["x"]).tolist() == [[3, 0], [0, 1]]
    assert names["norms"].tolist() == [5, 1]
