"""Runs the programs of docs/python.md and docs/from_*.md, each alone, and compares what they print with the pages. Runs
README.md's too.

GRAFT_PYTHON_PAGES names the folder of the pages for tests outside of the checkout, where README.md is beside them.
"""

import contextlib
import io
import os
import re
from pathlib import Path

import pytest

FOLDER = Path(os.environ.get("GRAFT_PYTHON_PAGES") or Path(__file__).parents[2] / "docs")
README = next(path for path in (FOLDER / "README.md", FOLDER.parent / "README.md") if path.exists())
PAGES = {path.name: path.read_text() for path in (FOLDER / "python.md", *sorted(FOLDER.glob("from_*.md")))}
PROGRAMS = {page: re.findall(r"```python\n(.*?)```\n```text\n(.*?)```", text, re.S) for page, text in PAGES.items()}


def test_every_program_of_the_pages_is_run():
    assert {page: len(programs) for page, programs in PROGRAMS.items()} == {
        page: text.count("```python") for page, text in PAGES.items()
    }
    assert len(PAGES) == 3 and len(PROGRAMS["python.md"]) >= 10


@pytest.mark.parametrize(
    "page, program, printed",
    [pytest.param(page, *one, id=f"{page}-{i}") for page, all in PROGRAMS.items() for i, one in enumerate(all)],
)
def test_a_program_prints_what_the_page_shows(page, program, printed, request):
    if "numba_callback" in program:
        pytest.importorskip("numba.cuda", exc_type=ImportError)
    if "build" in program:
        request.getfixturevalue("has_compiler")
    output = io.StringIO()
    with contextlib.redirect_stdout(output):
        exec(compile(program, page, "exec"), {})
    assert output.getvalue() == printed


def test_the_program_of_readme():
    import numpy as np

    (program,) = re.findall(r"```python\n(.*?)```", README.read_text(), re.S)
    names = {"x": np.float32([[3, -4], [0, 1]])}
    exec(compile(program, str(README), "exec"), names)
    assert names["y"].tolist() == [[7, 1], [1, 3]]
    assert names["relu"](names["x"]).tolist() == [[3, 0], [0, 1]]
    assert names["norms"].tolist() == [5, 1]
