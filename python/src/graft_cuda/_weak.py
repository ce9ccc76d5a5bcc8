"""The numbers of a formula's calls: how they become parameters.

A number of Python has no type, and counts as if it were written into the formula: what consists of such numbers and
literals alone is computed once for each call, and takes the type of what it meets. A number of NumPy has its type. In
both cases another number compiles nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from . import _core
from ._libraries import short_name
from ._lock import Lock
from ._names import refuse_long_numbers

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


class WeakCall(NamedTuple):
    """What a call with numbers needs: the callback for numbers of their kinds, and its state with these numbers."""

    formula: _core.WeakFormula
    kinds: str
    callback: _core.WeakCallback
    state: bytes | None


class WeakText:
    """The callbacks of one formula, for each combination of types and kinds of numbers. Thread-safe."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._formulas: dict[Any, _core.WeakFormula] = {}
        self._callbacks: dict[Any, _core.WeakCallback] = {}
        self._lock = Lock()

    def for_call(self, inputs: Sequence[tuple[str, str]], numbers: Mapping[str, Any]) -> WeakCall:
        """Return what a call with inputs of these names and types and with these numbers needs."""
        weak, typed = [], {}
        for name, value in numbers.items():
            if hasattr(value, "dtype"):
                typed[name] = value
            else:
                weak.append(name)
        names = (*inputs, None, *weak, *((name, short_name(value.dtype)) for name, value in typed.items()))
        formula = self._formulas.get(names)
        if formula is None:
            formula = self._formula(names, inputs, weak, typed)
        values = formula.values([numbers[name] for name in weak])
        key = (names, values.kinds)
        callback = self._callbacks.get(key)
        if callback is None:
            with self._lock:
                callback = self._callbacks.setdefault(key, formula.callback(values))
        state = callback.state(values, {name: value.item() for name, value in typed.items()})
        return WeakCall(formula, values.kinds, callback, state or None)

    def _formula(
        self, key: Any, inputs: Sequence[tuple[str, str]], weak: list[str], typed: Mapping[str, Any]
    ) -> _core.WeakFormula:
        refuse_long_numbers(typed)
        types = [(name, short_name(value.dtype)) for name, value in typed.items()]
        with self._lock:
            return self._formulas.setdefault(key, _core.WeakFormula(self.text, list(inputs), weak, types))


def callback_of(weak: _core.WeakCallback) -> _core.Callback:
    callback = weak.callback
    setattr(callback, "_parameters", weak.members)
    return callback
