"""Tests of the package on the CPU: arrays of NumPy, and kernels that are built for a GPU that is not there."""

import os
import re

import pytest

os.environ.setdefault("GRAFT_CACHE", "memory")

import graft_cuda as graft  # noqa: E402


@pytest.fixture
def refused():
    """Check that a call raises GraftError with this code, and return the error."""

    def check(code, call, *arguments, **keywords):
        with pytest.raises(graft.GraftError) as caught:
            call(*arguments, **keywords)
        assert caught.value.code == code, str(caught.value)
        assert caught.value.remedy, "an error says what to do"
        words = caught.value.message + caught.value.remedy
        assert not re.search(r"(Options|Plan|Launch|Callbacks)::|graft::(in|out)puts|last argument|std::", words), words
        return caught.value

    return check


@pytest.fixture(scope="session")
def has_compiler():
    """Skip a test where NVRTC is not installed."""
    try:
        graft.default_engine().preload()
    except graft.GraftError as error:
        pytest.skip(f"no NVRTC: {error.message}")
