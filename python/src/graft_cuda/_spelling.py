"""Types as C++ spells them, and what the text of a callback says of their names.

A pointer in a state takes an array only if it is known what the pointer points to. In

    #define REAL double
    using real = REAL;
    struct Line { const real* u; };

`real` is a double. A name is unknown if the text does not define it at its own level, defines it twice, or under a
condition that only the compiler can decide: then another definition, perhaps of a header, may be the one that holds.
"""

from __future__ import annotations

import re
from typing import NamedTuple

# The short names of element types: the letters of the module struct, and the size in bytes, which is the alignment too.
NUMBERS = {
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
    "ptrdiff_t": "i64",
    "intptr_t": "i64",
    "uintptr_t": "u64",
    "__half": "f16",
    "half": "f16",
    "__nv_bfloat16": "bf16",
    "nv_bfloat16": "bf16",
    "float": "f32",
    "double": "f64",
    "float2": "c64",
    "double2": "c128",
    "graft::complex<float>": "c64",
    "graft::complex<double>": "c128",
    **{f"int{bits}_t": f"i{bits}" for bits in (8, 16, 32, 64)},
    **{f"uint{bits}_t": f"u{bits}" for bits in (8, 16, 32, 64)},
}
_STANDARD = re.compile(r"^(?:::)?(?:(?:cuda::)?std::)?")
_INTEGER_WORDS = {"signed", "unsigned", "short", "long", "int", "char"}


def type_of_spelling(spelling: str) -> str | None:
    """Return the short name of a number's type in C++, or None if it is none."""
    words = _STANDARD.sub("", spelling).split()
    known = _SPELLINGS.get(" ".join(words))
    if known or not words or not _INTEGER_WORDS.issuperset(words):
        return known
    # C++ takes these words in any order, and "int" and "signed" where they change nothing.
    least = [*sorted({"unsigned"} & set(words)), *(one for one in words if one in ("short", "long", "char"))]
    return _SPELLINGS.get(" ".join(least) or "int")


# How a template's argument spells a type.
IN_CPP = {
    "bool": "bool",
    "i8": "signed char",
    "i16": "short",
    "i32": "int",
    "i64": "long long",
    "u8": "unsigned char",
    "u16": "unsigned short",
    "u32": "unsigned int",
    "u64": "unsigned long long",
    "f16": "__half",
    "bf16": "__nv_bfloat16",
    "f32": "float",
    "f64": "double",
    "c64": "graft::complex<float>",
    "c128": "graft::complex<double>",
}


class Pointee(NamedTuple):
    """What a pointer points to: which arrays it takes."""

    numbers: tuple[str, ...] = ()  # the types of arrays of numbers
    struct_size: int = 0  # the bytes of an element of an array of structs; 0: no structs
    alignment: int = 1
    is_anything: bool = False  # an array of any type


ANYTHING = Pointee(is_anything=True)
# An enumeration without a type of its own.
_ENUMERATION = "enumeration of int"
_OTHER_POINTEES = {
    "void": ANYTHING,
    "byte": ANYTHING,  # std::byte
    _ENUMERATION: Pointee(("i32", "u32"), 0, 4),
    "std::complex<float>": Pointee(("c64",), 0, 4),
    "std::complex<double>": Pointee(("c128",), 0, 8),
    "cuComplex": Pointee(("c64", "f32"), 8, 8),
    "cuFloatComplex": Pointee(("c64", "f32"), 8, 8),
    "cuDoubleComplex": Pointee(("c128", "f64"), 16, 16),
}
_VECTOR = re.compile(r"(u?(?:char|short|int|long|longlong)|float|double|__half|half|__nv_bfloat16|nv_bfloat16)([1-4])")
_ELEMENTS = {"longlong": "i64", "ulonglong": "u64", "uint": "u32", "uchar": "u8", "ushort": "u16", "ulong": "u64"}


def pointee_of_spelling(spelling: str) -> Pointee | None:
    """Return which arrays a pointer to this type takes, if it is a type that every text knows."""
    other = _OTHER_POINTEES.get(spelling.removeprefix("cuda::")) or _OTHER_POINTEES.get(_STANDARD.sub("", spelling))
    if other:
        return other
    vector = _VECTOR.fullmatch(spelling)
    if vector:
        kind, count = _ELEMENTS.get(vector[1]) or _SPELLINGS[vector[1]], int(vector[2])
        element = NUMBERS[kind][1]
        alignment = min(element * count, 16) if count in (2, 4) else element
        complex_kind = {("f32", 2): ("c64",), ("f64", 2): ("c128",)}.get((kind, count), ())
        return Pointee((*complex_kind, kind), element * count, alignment)
    number = type_of_spelling(spelling)
    return Pointee((number,), 0, NUMBERS[number][1]) if number else None


# ---- Names that a text gives to types ----

_DIRECTIVE = re.compile(r"\s*#\s*(\w+)\s*(.*)")
_DEFINED = re.compile(r"(\w+)(\(?)(.*)")
_USING = re.compile(r"(?:.*\s)?using\s+(\w+)\s*=\s*(.*?)\s*")
_TYPEDEF = re.compile(r"(?:.*\s)?typedef\s+(.*?)\s*\b(\w+)\s*")
_ENUM = re.compile(r".*\benum(?:\s+(?:class|struct))?\s+(\w+)\s*(?::\s*([\w:\s]+?))?\s*")
_OPEN_SCOPE = re.compile(r'.*\b(?:namespace\b[\w:\s]*|extern\s*"C"\s*)')
_PIECE = re.compile(r"[{};]|[^{};]+")
_TYPE = re.compile(r"[\w:<>,\s]*")
# What is known of a condition of the preprocessor, beside that NAME is not defined.
_MAYBE, _TAKEN, _SKIPPED = "?", "", "-"


class _Scope(NamedTuple):
    """What an open brace belongs to."""

    kind: str  # "namespace", "body" of a class or a function, or "file": its names are those around it
    names: list[str]  # that are declared in it


class _Reader:
    """Reads a text without comments, line by line."""

    def __init__(self) -> None:
        self.names: dict[str, str | None] = {}  # None: not known
        self._conditions: list[str] = []
        self._scopes: list[_Scope] = []  # of each open brace
        self._declaration = ""
        self._has_headers = False

    @property
    def is_in_body(self) -> bool:
        """Whether names are not names of the file here, but of a class or a function."""
        return any(scope.kind == "body" for scope in self._scopes)

    def line(self, line: str) -> None:
        directive = _DIRECTIVE.fullmatch(line)
        if directive:
            self._direct(directive[1], directive[2].strip())
            return
        for piece in _PIECE.findall(line):
            if piece == "{":
                self._open()
            elif piece == "}":
                self._close()
            elif piece == ";":
                self._declare()
            else:
                self._declaration += f" {piece.strip()}"
                continue
            self._declaration = ""

    def _direct(self, word: str, rest: str) -> None:
        if word == "ifndef":
            is_open = _MAYBE if self._has_headers else rest  # a header may have defined the name
            self._conditions.append(_SKIPPED if rest in self.names else is_open)
        elif word in ("if", "ifdef"):
            self._conditions.append(_MAYBE)
        elif word.startswith("el") and self._conditions:
            self._conditions[-1] = _MAYBE
        elif word == "endif":
            self._conditions = self._conditions[:-1]
        elif word.startswith("include"):
            self._has_headers = True
        elif word == "undef":
            self.names[rest] = None
        elif word == "define" and (defined := _DEFINED.fullmatch(rest)):
            if self._conditions and self._conditions[-1] == defined[1]:
                self._conditions[-1] = _TAKEN  # whoever defined the name before would have been seen
            self._name(defined[1], None if defined[2] else defined[3].strip())

    def _open(self) -> None:
        enumeration = _ENUM.fullmatch(self._declaration)
        if enumeration and not self.is_in_body:
            has_int = re.search(r"\benum\s+(class|struct)\b", self._declaration)
            self._declare_name(enumeration[1], enumeration[2] or ("int" if has_int else _ENUMERATION))
        scope = _OPEN_SCOPE.fullmatch(self._declaration)
        is_named = scope and re.search(r"\bnamespace\s+\w", self._declaration)
        self._scopes.append(_Scope("namespace" if is_named else "file" if scope else "body", []))

    def _close(self) -> None:
        scope = self._scopes.pop() if self._scopes else _Scope("body", [])
        if scope.kind == "namespace":  # outside of it, the names may be those of something else
            self.names.update(dict.fromkeys(scope.names))
        elif self._scopes:
            self._scopes[-1].names.extend(scope.names)

    def _declare(self) -> None:
        if self.is_in_body:
            return
        if using := _USING.fullmatch(self._declaration):
            self._declare_name(using[1], using[2])
        elif typedef := _TYPEDEF.fullmatch(self._declaration):
            self._declare_name(typedef[2], typedef[1])

    def _declare_name(self, name: str, value: str) -> None:
        if self._scopes:
            self._scopes[-1].names.append(name)
        self._name(name, value)

    def _name(self, name: str, value: str | None) -> None:
        if _SKIPPED in self._conditions or (value and value.split()[-1] == name):  # typedef struct P P
            return
        if value is None or any(self._conditions) or not _TYPE.fullmatch(value):
            value = None
        elif name in self.names and self.names[name] != value:
            value = None
        self.names[name] = value


def types_at_end(text: str) -> dict[str, str | None] | None:
    """Return what a text, without comments, calls types and macros, as far as its end knows them, each with its
    definition, or None for one that is not known. None if the end is inside a class or a function."""
    reader = _Reader()
    for line in text.replace("\\\n", " ").splitlines():
        reader.line(line)
    return None if reader.is_in_body else reader.names


_NAME = re.compile(r"(?<![\w:])[A-Za-z_]\w*(?!\w|::)")
_NO_PARTS = ("struct", "class", "enum", "const", "volatile", "typename")


def resolved(spelling: str, names: dict[str, str | None]) -> str | None:
    """Return the type that a spelling means where these names are known; None if it is not known."""
    for _ in range(16):
        spelling = " ".join(word for word in spelling.split() if word not in _NO_PARTS)
        spelling = re.sub(r"\s*([<>,])\s*", r"\1", spelling)
        used = [name for name in _NAME.findall(spelling) if name in names]
        if not used:
            return spelling
        if any(names[name] is None for name in used):
            return None
        spelling = _NAME.sub(lambda found: f" {names.get(found[0], found[0])} ", spelling)
    return None


def macros(options: dict[str, object]) -> str:
    """Return the macros that options of a kernel define, as lines of a text."""
    defines = options.get("defines")
    lines = [f"#define {name} {value}\n" for name, value in defines.items()] if isinstance(defines, dict) else []
    return "".join(lines)
