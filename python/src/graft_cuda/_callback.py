"""Callbacks: formulas, and several callbacks as one."""

from __future__ import annotations

import copyreg
from collections.abc import Callable
from typing import Any, Union

from . import _checks, _core
from ._core import Callback as Callback
from ._error import GraftError

# Python cannot read the members of a state from every callback, so that a callback keeps what its maker knows:
# `_parameters` of a formula, `_parts` of a composition, `_layouts` of a function of Python (_state.py reads them).
CallbackLike = Union[Callback, str]  # a str is CUDA C++


def as_callback(callback: CallbackLike) -> Callback:
    if isinstance(callback, str):
        return Callback(_checks.text(callback, "the text of a callback", repr("[](float x) { return x; }")))
    if isinstance(callback, Callback):
        return callback
    raise GraftError(
        "InvalidArgument",
        f"a callback is a {type(callback).__name__}",
        "Pass CUDA C++ as a str, a graft_cuda.Callback, or graft_cuda.numba_callback of a function of Python.",
    )


def as_optional(callback: CallbackLike | None) -> Callback | None:
    return None if callback is None else as_callback(callback)


def formula(text: str, variables: str) -> Callback:
    """Make a callback from a formula, which may come from a stranger (docs/formulas.md).

    `variables` are the inputs and, behind a semicolon, the parameters:
    ``formula("a * max(x, 0) + b", "f32 x; f32 a, b")``.
    """
    inputs, parameters = variables_of(variables)
    return formula_of(text, inputs, parameters)


def variables_of(line: str) -> tuple[list[tuple[str, str]], list[tuple[str, str]]]:
    """Return the names and types of the inputs and parameters that a line declares."""
    return _core.formula_variables(_checks.text(line, "the line of variables", repr("f32 x; f32 a, b")))


def checked_formula(text: Any, what: str = "the formula", example: str = "a * x + b") -> str:
    return _checks.text(text, what, repr(example))


def formula_of(text: str, inputs: list[tuple[str, str]], parameters: list[tuple[str, str]]) -> Callback:
    callback = _core.formula(checked_formula(text), inputs, parameters)
    setattr(callback, "_parameters", list(parameters))
    return callback


def chain(*parts: CallbackLike) -> Callback:
    """Make one callback that computes ``c(b(a(x)))`` for each element, from ``chain(a, b, c)``."""
    callbacks = [as_callback(part) for part in parts]
    callback = _core.chain(callbacks)
    setattr(callback, "_parts", callbacks)
    return callback


def stages(
    load: CallbackLike | None = None, op: CallbackLike | None = None, store: CallbackLike | None = None
) -> Callback:
    """Make one callback from load and store callbacks in cuFFT's shape, and an op between them."""
    given = [as_optional(load), as_optional(op), as_optional(store)]
    callback = _core.stages(*given)
    setattr(callback, "_parts", [one for one in given if one is not None])
    return callback


def architectures_and_format(architectures: Any, format: Any) -> tuple[list[str], str]:
    """What callbacks are compiled for ahead of time, and to what."""
    names = _checks.texts(architectures, "architectures", '["sm_90"]')
    return names, _checks.text(format, "format", '"pack"')


def instance_of(callback: Callback, types: str) -> Callback:
    """Return ``callback.with_types(types)`` with what the callback's makers know of its states."""
    instance = callback.with_types(types)
    if callback.composition and instance.composition:
        before, after = _single_parts(callback), _single_parts(instance)
        for old, new in zip(before, after, strict=True):
            for name in set(_NOTES) & vars(old).keys():
                setattr(new, name, getattr(old, name))
        setattr(instance, "_parts", after)
    return instance


def _single_parts(callback: Callback) -> list[Callback]:
    """The parts of a composition that are no compositions."""
    known: Any = getattr(callback, "_parts", None)
    if known is None and callback.composition:
        known = [part for part in callback.composition[1] if part is not None]
    return [callback] if known is None else [single for part in known for single in _single_parts(part)]


# ---- Pickling ----

_NOTES = ("_parameters", "_parts", "_layouts")
_MAKERS: dict[str, Callable[..., Callback]] = {
    "source": Callback.source,
    "LTO-IR": Callback.ltoir,
    "fatbin": Callback.fatbin,
    "PTX": Callback.ptx,
    "object": Callback.object,
    "pack": Callback.pack,
}


def _restored(form: str, content: Any, words: dict[str, Any], links: list[Callback], notes: dict[str, Any]) -> Callback:
    if form == "composition":
        kind, parts = content
        callback = _core.chain(parts) if kind == "chain" else _core.stages(*parts)
    elif form == "NVVM IR":
        callback = Callback.nvvm(content.decode("latin-1"), words["libdevice"], words["name"])
    else:
        text = content.decode(errors="surrogateescape") if form in ("source", "PTX") else content
        callback = _MAKERS[form](text, words["name"])
    if words["folder"]:
        callback = callback.with_folder(words["folder"])
    if words["entry"]:
        callback = callback.with_entry(words["entry"])
    if words["signature"]:
        callback = callback.with_signature(words["signature"])
    for link in links:
        callback = callback.with_link_input(link)
    for name, note in notes.items():
        setattr(callback, name, note)
    return callback


def _pickled(callback: Callback) -> tuple[Any, ...]:
    words = {name: getattr(callback, name) for name in ("name", "folder", "entry", "signature", "libdevice")}
    notes = {name: getattr(callback, name) for name in _NOTES if hasattr(callback, name)}
    content = callback.composition or callback.bytes
    return _restored, (callback.form, content, words, callback.link_inputs, notes)


copyreg.pickle(Callback, _pickled)
