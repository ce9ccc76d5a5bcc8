"""The state of a callback, from a dictionary, a struct of NumPy, or a ctypes structure.

A layout is read from the callback: of a formula, from its parameters; of CUDA C++, from the struct that the text
defines. Values are then set by name. A struct with methods, templates or headers of its own is not read; a state for it
is a struct of NumPy or ctypes, of which graft compares the size.
"""

from __future__ import annotations

import ctypes
import re
import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ._error import GraftError

# The short names of element types: struct's letter, the size and the alignment in bytes.
_NUMBERS = {
    "bool": ("?", 1),
    "i8": ("b", 1),
    "i16": ("h", 2),
    "i32": ("i", 4),
    "i64": ("q", 8),
    "u8": ("B", 1),
    "u16": ("H", 2),
    "u32": ("I", 4),
    "u64": ("Q", 8),
    "f16": ("e", 2),
    "bf16": ("bf16", 2),
    "f32": ("f", 4),
    "f64": ("d", 8),
    "c64": ("ff", 8),
    "c128": ("dd", 16),
}
# How C++ spells them.
_SPELLINGS = {
    "bool": "bool",
    "char": "i8",
    "signed char": "i8",
    "unsigned char": "u8",
    "short": "i16",
    "unsigned short": "u16",
    "int": "i32",
    "unsigned": "u32",
    "unsigned int": "u32",
    "long": "i64",
    "unsigned long": "u64",
    "long long": "i64",
    "unsigned long long": "u64",
    "size_t": "u64",
    "__half": "f16",
    "half": "f16",
    "__nv_bfloat16": "bf16",
    "float": "f32",
    "double": "f64",
    "float2": "c64",
    "double2": "c128",
    "graft::complex<float>": "c64",
    "graft::complex<double>": "c128",
    **{f"int{bits}_t": f"i{bits}" for bits in (8, 16, 32, 64)},
    **{f"uint{bits}_t": f"u{bits}" for bits in (8, 16, 32, 64)},
}


def type_of_spelling(spelling: str) -> str | None:
    """Return the short name of a number's type in C++, or None if it is none."""
    words = spelling.removeprefix("std::").split()
    return _SPELLINGS.get(" ".join(words))


@dataclass
class Number:
    """A member that is a number, or an array of numbers."""

    type: str

    @property
    def size(self) -> int:
        return _NUMBERS[self.type][1]

    @property
    def alignment(self) -> int:
        return self.size

    def write(self, to: bytearray, offset: int, value: Any, name: str) -> None:
        letters = _NUMBERS[self.type][0]
        try:
            if letters == "bf16":
                bits = struct.unpack("<I", struct.pack("<f", value))[0]
                is_nan = value != value
                half = 0x7FC0 if is_nan else (bits + 0x7FFF + ((bits >> 16) & 1)) >> 16
                struct.pack_into("<H", to, offset, half)
            elif len(letters) == 2:
                number = complex(value)
                struct.pack_into(f"<{letters}", to, offset, number.real, number.imag)
            elif letters in "bhiqBHIQ":
                struct.pack_into(f"<{letters}", to, offset, value.__index__())
            else:
                struct.pack_into(f"<{letters}", to, offset, value)
        except (struct.error, AttributeError, TypeError, ValueError, OverflowError) as error:
            raise GraftError(
                "TypeMismatch",
                f"the state's member {name} has the type {self.type}, which cannot hold {value!r}",
                "Pass a number of this type.",
            ) from error


@dataclass
class Repeated:
    """An array of members: float weights[4]."""

    element: Number | Layout
    count: int

    @property
    def size(self) -> int:
        return self.element.size * self.count

    @property
    def alignment(self) -> int:
        return self.element.alignment

    def write(self, to: bytearray, offset: int, value: Any, name: str) -> None:
        try:
            number = len(value)
        except TypeError:
            number = -1
        if number != self.count:
            raise GraftError(
                "CountMismatch",
                f"the state's member {name} has {self.count} elements, and the value given is {value!r}",
                f"Pass a sequence of {self.count} values.",
            )
        for i in range(self.count):
            self.element.write(to, offset + i * self.element.size, value[i], f"{name}[{i}]")


@dataclass
class Layout:
    """A struct: its members by name, in order, where C++ puts them."""

    members: dict[str, Number | Repeated | Layout] = field(default_factory=dict)
    offsets: dict[str, int] = field(default_factory=dict)
    size: int = 0
    alignment: int = 1
    _end: int = 0

    def add(self, name: str, member: Number | Repeated | Layout) -> None:
        self.alignment = max(self.alignment, member.alignment)
        self.offsets[name] = -(-self._end // member.alignment) * member.alignment
        self.members[name] = member
        self._end = self.offsets[name] + member.size
        self.size = -(-self._end // self.alignment) * self.alignment

    def write(self, to: bytearray, offset: int, value: Any, name: str) -> None:
        values = _as_mapping(value, name)
        prefix = f"{name}." if name else ""
        unknown = [key for key in values if key not in self.members]
        missing = [key for key in self.members if key not in values]
        if unknown or missing:
            what = f"has no member {prefix}{unknown[0]}" if unknown else f"lacks the member {prefix}{missing[0]}"
            raise GraftError(
                "TypeMismatch",
                f"the state that was given {'is not that of the callback, which ' if unknown else ''}{what}",
                f"The callback's state has the members {', '.join(self.members)}.",
            )
        for key, member in self.members.items():
            member.write(to, offset + self.offsets[key], values[key], prefix + key)

    def bytes_of(self, value: Any) -> bytes:
        to = bytearray(self.size)
        self.write(to, 0, value, "")
        return bytes(to)


def _as_mapping(value: Any, name: str) -> Mapping[str, Any]:
    if isinstance(value, Mapping):
        return value
    if isinstance(value, ctypes.Structure):
        return {one[0]: getattr(value, one[0]) for one in getattr(value, "_fields_", ())}
    names = getattr(getattr(value, "dtype", None), "names", None)
    if names and getattr(value, "shape", None) == ():
        return {one: value[one] for one in names}
    raise GraftError(
        "TypeMismatch",
        f"the state{' member ' + name if name else ''} is a {type(value).__name__}",
        "Pass a dictionary, a structured scalar of NumPy, or a ctypes structure.",
    )


# ---- Reading the structs of CUDA C++ ----

_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.S)
_MEMBER = re.compile(r"\s*(\w+)\s*((?:\[\s*\d+\s*\]\s*)*)$")


def _without_comments(text: str) -> str:
    return _COMMENT.sub(" ", text)


def read_struct(text: str, name: str, depth: int = 0) -> Layout | None:
    """Return the layout of the struct that the text defines, or None if it is none of plain members."""
    found = re.findall(rf"\bstruct\s+{re.escape(name)}\s*\{{([^{{}}()#]*)\}}\s*;", text)
    if len(found) != 1 or depth > 8:
        return None
    layout = Layout()
    for declaration in re.sub(r"=[^,;]*", "", found[0]).split(";"):  # initial values do not change a layout
        if not declaration.strip():
            continue
        first, *others = declaration.split(",")
        head = re.match(r"\s*(.*?[\s>])\s*(\w+\s*(?:\[\s*\d+\s*\]\s*)*)$", first, re.S)
        if not head:
            return None
        spelling = re.sub(r"\bstruct\b", "", head[1]).strip()
        number = type_of_spelling(spelling)
        base = Number(number) if number else read_struct(text, spelling, depth + 1)
        if base is None:
            return None
        for declarator in [head[2], *others]:
            parts = _MEMBER.match(declarator)
            if not parts or parts[1] in layout.members:
                return None
            member: Number | Repeated | Layout = base
            for count in reversed(re.findall(r"\d+", parts[2])):
                member = Repeated(member, int(count))  # type: ignore[arg-type]
            layout.add(parts[1], member)
    return layout if layout.members else None


def _state_type(text: str) -> str | None:
    """Return the type of the first parameter const T& of a source, as it is spelled."""
    found = re.search(r"\bconst\s+([\w:<>]+(?:\s+[\w:<>]+)*?)\s*&", text) or re.search(r"([\w:<>]+)\s+const\s*&", text)
    return found[1] if found else None


def layouts_of(callback: Any) -> list[Number | Layout | None]:
    """Return the layouts of the states of a callback and its parts, in order; None for one that cannot be read."""
    known: list[Number | Layout | None] | None = getattr(callback, "_layouts", None)
    if known is not None:
        return known
    parts = getattr(callback, "_parts", None)
    if parts is not None:
        return [layout for part in parts for layout in layouts_of(part)]
    parameters: Sequence[tuple[str, str]] | None = getattr(callback, "_parameters", None)
    if parameters is not None:
        layout = Layout()
        for name, kind in parameters:
            layout.add(name, Number(kind))
        return [layout] if parameters else []
    if callback.form != "source":
        return [None]
    text = _without_comments(callback.bytes.decode(errors="replace"))
    spelling = _state_type(text)
    if spelling is None:
        return []
    number = type_of_spelling(spelling)
    return [Number(number) if number else read_struct(text, spelling)]


class State:
    """Makes the bytes of a call's state."""

    def __init__(self, callbacks: Sequence[Any]) -> None:
        layouts = [layout for callback in callbacks if callback is not None for layout in layouts_of(callback)]
        self.layout: Number | Layout | None = None
        self.names: list[list[str]] = []
        if len(layouts) == 1:
            self.layout = layouts[0]
        elif layouts and all(isinstance(layout, Layout) for layout in layouts):
            self.layout = Layout()
            for i, layout in enumerate(layouts):
                self.layout.add(str(i), layout)  # type: ignore[arg-type]
                self.names.append(list(layout.members))  # type: ignore[union-attr]

    @property
    def alignment(self) -> int:
        return self.layout.alignment if self.layout else 1

    def bytes_of(self, value: Any, size: int | None) -> bytes:
        """`size`: that of the callback's state, if it is known."""
        layout = self.layout if size is None or (self.layout and self.layout.size == size) else None
        if isinstance(value, (bytes, bytearray)):
            return bytes(value)
        if layout is None:
            if isinstance(value, ctypes.Structure) or (hasattr(value, "dtype") and hasattr(value, "tobytes")):
                return value.tobytes() if hasattr(value, "tobytes") else bytes(value)
            raise GraftError(
                "TypeMismatch",
                "the members of the callback's state cannot be read from its text",
                "Pass the state as a structured scalar of NumPy (align=True) or a ctypes structure with these members.",
            )
        if isinstance(layout, Number):
            to = bytearray(layout.size)
            if isinstance(value, Mapping) and len(value) == 1:
                value = next(iter(value.values()))
            layout.write(to, 0, value, "")
            return bytes(to)
        return layout.bytes_of(self._by_part(value) if self.names else value)

    def _by_part(self, value: Any) -> Any:
        """Sorts values by the parts of a composition: one mapping with all names, or a sequence with one for each."""
        if isinstance(value, (list, tuple)):
            return {str(i): one for i, one in enumerate(value)}
        values = dict(_as_mapping(value, ""))
        every = [name for part in self.names for name in part]
        if len(set(every)) != len(every):
            raise GraftError(
                "InvalidArgument",
                "several parts have a state with a member of the same name",
                "Pass a list with the state of each part, in their order.",
            )
        sorted_values: dict[str, Any] = {}
        for i, names in enumerate(self.names):
            sorted_values[str(i)] = {name: values.pop(name) for name in names if name in values}
        for name in values:
            raise GraftError(
                "TypeMismatch",
                f"the callbacks have no state with a member {name}",
                f"The members are {', '.join(every)}.",
            )
        return sorted_values
