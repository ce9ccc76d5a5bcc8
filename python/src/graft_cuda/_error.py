"""The one exception of the package."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, NamedTuple

from ._words import better_remedy, in_python


class Diagnostic(NamedTuple):
    """A compiler's message about the callback, or the mistake in a formula."""

    file: str
    line: int
    column: int
    severity: str
    text: str
    near: str
    suggestion: str


class GraftError(Exception):
    """Everything that graft refuses, and every failure of a tool.

    ``code`` is the name of the error, such as ``"CompileFailed"`` (docs/errors.md explains each). ``message`` says what
    was wrong and where, ``remedy`` what to do, and ``log`` is what the compiler or linker printed. ``versions`` has the
    versions of the tools by their names, and ``diagnostics`` the places in the callback or formula.
    """

    code: str
    message: str
    remedy: str
    log: str
    versions: dict[str, str]
    diagnostics: list[Diagnostic]

    def __init__(
        self,
        code: str,
        message: str,
        remedy: str = "",
        log: str = "",
        versions: dict[str, str] | None = None,
        diagnostics: list[Any] | None = None,
        text: str | None = None,
    ) -> None:
        versions, diagnostics = versions or {}, diagnostics or []
        super().__init__(code, message, remedy, log, versions, diagnostics, text)
        self.code, self.message, self.remedy, self.log = code, message, remedy, log
        self.versions = versions
        self.diagnostics = [Diagnostic(*each) for each in diagnostics]
        self._text = text or f"graft: {message} [{code}]" + (f"\nWhat to do: {remedy}" if remedy else "")

    def __str__(self) -> str:
        return self._text


def with_names(error: GraftError, names: Sequence[str]) -> GraftError:
    """Return the error with the names of the inputs in place of their numbers."""

    def named(text: str) -> str:
        return re.sub(r"\binput (\d+)\b", lambda found: _name(found, names), text)

    parts = (named(error.message), named(error.remedy), error.log, error.versions, error.diagnostics, named(str(error)))
    return GraftError(error.code, *parts)


def _name(found: re.Match[str], names: Sequence[str]) -> str:
    number = int(found[1])
    return f"`{names[number]}`" if number < len(names) else found[0]


def from_core(
    code: str, message: str, remedy: str, log: str, versions: dict[str, str], diagnostics: list[Any], text: str
) -> GraftError:
    """Make the exception of an error of libgraft, in Python's words; where a tool is missing, it names the extra."""
    for words in filter(None, (message, remedy)):
        text = text.replace(words, in_python(words))
    message, remedy = in_python(message), in_python(remedy)
    better = better_remedy(message, remedy, text)
    if better != remedy:
        remedy, text = better, text.replace(remedy, better) if remedy else f"{text}\nWhat to do: {better}"
    if code == "ToolMissing" and "host compiler" not in message:
        extra = " For Python: pip install graft-cuda[cuda13]."
        remedy, text = remedy + extra, text + extra
    return GraftError(code, message, remedy, log, versions, diagnostics, text)
