"""The names of a formula's variables, as its text shows them, and what is said of keywords that are none of them."""

from __future__ import annotations

import re
import sys
from collections.abc import Collection, Iterable, Mapping
from decimal import Decimal
from difflib import get_close_matches
from fractions import Fraction
from typing import Any

from ._callback import checked_formula
from ._error import GraftError
from ._options import EngineOptions, Options

_COMMENT = re.compile(r"#[^\n]*")
_WORD = re.compile(r"(?<![\w.])([A-Za-z_]\w*)(?!\w|\s*\()")  # no function, and nothing behind a point or in a number
_LIBRARY = re.compile(r"(?<![\w.])([A-Za-z_]\w*)\s*\.")
_OUTPUT = re.compile(r"(\w+)\s*=(?!=)")
_NO_VARIABLES = {"pi", "e", "inf", "nan", "let", "and", "or", "not", "if", "else", "True", "False", "None"}
_NO_ARRAYS = frozenset((type(None), str, bytes, list, tuple, dict, set, Decimal, Fraction))


def words_in(text: str) -> list[str]:
    """Return all words that may be variables, in the order of the text."""
    return list(dict.fromkeys(_WORD.findall(_COMMENT.sub("", text))))


def names_in(text: str) -> list[str]:
    """Return the names of the variables: words that are neither outputs nor constants, and no libraries (np.pi)."""
    code = _COMMENT.sub("", text)
    others = _NO_VARIABLES | set(_OUTPUT.findall(code)) | set(_LIBRARY.findall(code))
    return [word for word in words_in(text) if word not in others]


class Keywords:
    """The keywords that a call with formulas takes: the variables, beside the call's own arguments."""

    def __init__(self, texts: Iterable[str], own: Collection[str]) -> None:
        texts = list(texts)
        for text in texts:
            checked_formula(text)
        self._own = own
        self.variables = list(dict.fromkeys(name for text in texts for name in names_in(text)))
        self._words = frozenset(word for text in texts for word in words_in(text))
        self._taken = next((name for name in self.variables if name in own), None)

    def with_single(self, single: tuple[Any, ...], named: dict[str, Any]) -> dict[str, Any]:
        """Return the variables of a call, of which an array without a name is the one that has none."""
        if not single:
            return named
        names = [name for name in self.variables if name not in named]
        if len(single) == len(names) == 1:
            return {names[0]: single[0], **named}
        if len(single) == len(self.variables) == 1:
            raise GraftError(
                "InvalidArgument",
                f"the variable {self.variables[0]} is given twice",
                "Pass it by its place or by name.",
            )
        number = "1 value" if len(single) == 1 else f"{len(single)} values"
        raise GraftError(
            "InvalidArgument",
            f"the call has {number} without a name, and the variables of the formula are "
            + (", ".join(self.variables) or "(none)"),
            f"Pass variables by name: {', '.join(f'{name}=...' for name in self.variables or ['x'])}"
            + (" (and outputs as out=...)" if len(single) > 1 else ""),
        )

    def check(self, variables: dict[str, Any]) -> None:
        if self._taken is not None:
            raise GraftError(
                "InvalidArgument",
                f"the formula has a variable {self._taken}, which is an argument of the call",
                "Rename the variable, or declare its type (graft_cuda.transform(text, variables)) and give it by its "
                "place.",
            )
        if not variables.keys() <= self._words:
            raise self._unknown(next(name for name in variables if name not in self._words))

    def _unknown(self, name: str) -> GraftError:
        options = {*Options.__annotations__, *EngineOptions.__annotations__, "device", "engine"}
        near = get_close_matches(name, [*self._words, *self._own], 1, 0.7) or get_close_matches(name, options, 1, 0.8)
        if near and near[0] in options:
            said = f"{near[0]} is an option of kernels, which graft_cuda.transform takes."
        elif near:
            said = f"Did you mean {near[0]}?"
        else:
            said = f"The formula has the words {', '.join(sorted(self._words)) or '(none)'}."
        return GraftError(
            "InvalidArgument", f"{name} is neither a variable of the formula nor an argument of the call", said
        )


def refuse_no_arrays(values: dict[str, Any]) -> None:
    """Raise an error for what is neither an array nor a number, such as lists, texts, and dates of NumPy.

    Bytes and scalars of NumPy show their memory as arrays do, and would be taken as arrays of bytes.
    """
    numpy = sys.modules.get("numpy")
    for name, value in values.items():
        if type(value) in _NO_ARRAYS or (numpy is not None and isinstance(value, numpy.generic)):
            raise GraftError(
                "InvalidArgument",
                f"{name} is a {type(value).__name__}, which is neither an array nor a number that formulas have",
                f"Pass numpy.asarray({name}), with the type that its elements shall have."
                if isinstance(value, (list, tuple))
                else "Pass an array, or a number of Python or NumPy.",
            )


def refuse_long_numbers(numbers: Mapping[str, Any]) -> None:
    """Raise an error for numpy.longdouble and its complex kind."""
    for name, value in numbers.items():
        if getattr(getattr(value, "dtype", None), "char", "") in ("g", "G"):
            raise GraftError(
                "TypeMismatch", f"{name} is a {type(value).__name__}, which graft does not have", f"Pass float({name})."
            )
