"""Checks of arguments that the module would refuse with the types of its C++ interface.

Each returns what it has checked. The GraftError that it raises names the argument, and says what to pass.
"""

from __future__ import annotations

import operator
from typing import Any

from ._error import GraftError


def text(value: Any, what: str, example: str) -> str:
    """A text, which UTF-8 can hold."""
    if not isinstance(value, str):
        raise _wrong_type(value, what, f"a str, such as {example}")
    try:
        value.encode()
    except UnicodeEncodeError as error:
        raise GraftError(
            "InvalidArgument",
            f"{what} has {value[error.start]!a} at place {error.start}, which is one half of a character alone",
            "Pass a text that UTF-8 can hold.",
        ) from None
    return value


def texts(value: Any, what: str, example: str) -> list[str]:
    """Several texts."""
    if not isinstance(value, (list, tuple)):
        raise _wrong_type(value, what, f"a list of str, such as {example}")
    return [text(one, f"item {i} of {what}", f"one of {example}") for i, one in enumerate(value)]


def pair(value: Any, what: str, example: str) -> tuple[Any, Any]:
    """Something for the one side and for the other."""
    if not isinstance(value, (list, tuple)):
        raise _wrong_type(value, what, f"two in a tuple, such as {example}")
    if len(value) != 2:
        raise GraftError("InvalidArgument", f"{what} has {len(value)} items", f"Pass two, such as {example}.")
    return value[0], value[1]


def flag(value: Any, what: str) -> bool:
    if not isinstance(value, bool):
        raise _wrong_type(value, what, "True or False")
    return value


def code(value: Any, what: str) -> bytes:
    """The bytes of compiled kernels."""
    if not isinstance(value, bytes):
        raise _wrong_type(value, what, "the bytes that a function precompile made")
    return value


def integers(value: Any, what: str, bits: int = 64) -> list[int]:
    """An integer, or the integers of a sequence, as a list: signed integers of so many bits hold them."""
    try:
        found = [operator.index(one) for one in (value if isinstance(value, (list, tuple)) else (value,))]
    except TypeError:
        raise GraftError(
            "InvalidArgument", f"{what} is {value!r}", "Pass an integer, or a list or tuple of integers."
        ) from None
    most = 1 << (bits - 1)
    if not all(-most <= one < most for one in found):
        raise GraftError("InvalidArgument", f"{what} has an integer of more than {bits} bits", "Pass smaller integers.")
    return found


def count(value: Any, what: str) -> int:
    """A number of things."""
    try:
        (number,) = integers(operator.index(value), what)
    except TypeError:
        raise _wrong_type(value, what, "an integer") from None
    if number < 0:
        raise GraftError("InvalidArgument", f"{what} is {number}", "Pass an integer that is not negative.")
    return number


def _wrong_type(value: Any, what: str, wanted: str) -> GraftError:
    return GraftError("InvalidArgument", f"{what} is a {type(value).__name__}", f"Pass {wanted}.")
