"""The state of a callback, from a dictionary, a struct of NumPy, or a ctypes structure.

A layout is read from the callback: of a formula, from its parameters; of CUDA C++, from the struct that the text
defines. Values are then set by name, and a pointer takes an array. A struct with methods, templates or headers of its
own is not read; a state for it is a struct of NumPy or ctypes, of which graft compares the size.
"""

from __future__ import annotations

import ctypes
import numbers
import re
import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from . import _core
from ._error import GraftError
from ._libraries import is_scalar, library_of
from ._spelling import (
    NUMBERS,
    Pointee,
    macros,
    pointee_of_spelling,
    resolved,
    type_of_spelling,
    types_at_end,
)


class Place(NamedTuple):
    """Where a call runs: the arrays to which its state points must be there."""

    on_device: bool
    stream: int | None = None


class StateBytes(bytes):
    """The bytes of a state. It keeps the arrays to which the state points."""

    arrays: dict[str, Any]  # by what messages call them
    taken: list[_core.Arrays]


class Draft(bytearray):
    """The bytes of a state while they are written, for a call at `place`; None: there is no call yet."""

    def __init__(self, size: int, place: Place | None) -> None:
        super().__init__(size)
        self.place = place
        self.arrays: dict[str, Any] = {}
        self.taken: list[_core.Arrays] = []

    def finished(self) -> StateBytes:
        made = StateBytes(self)
        made.arrays, made.taken = self.arrays, self.taken
        return made


@dataclass
class Number:
    """A member that is a number, or a state that is one."""

    type: str

    @property
    def size(self) -> int:
        return NUMBERS[self.type][1]

    @property
    def alignment(self) -> int:
        return self.size

    def write(self, to: bytearray, offset: int, value: Any, name: str, role: str | None = None) -> None:
        """`role`: what a message calls the number, if it is no member of a state."""
        letters = NUMBERS[self.type][0]
        try:
            if isinstance(value, numbers.Complex) and not isinstance(value, numbers.Real) and len(letters) != 2:
                raise TypeError  # NumPy's complex numbers would lose a part
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
                f"{role or _member(name)} has the type {self.type}, which cannot hold {value!r}",
                "Pass a number of this type.",
            ) from error


_ADDRESSES = (ctypes._Pointer, ctypes.c_void_p)
_MOST_ADDRESS = (1 << 64) - 1


def _is_array(value: Any) -> bool:
    return not (value is None or is_scalar(value) or isinstance(value, (str, *_ADDRESSES)))


@dataclass
class Pointer(Number):
    """A member that is a pointer: it takes an array, an address, or None. Its type is that of an address."""

    spelling: str  # as messages show it: "const float*"
    is_const: bool  # whether the callback can only read
    target: Pointee | None  # what it points to; None: not known
    unknown: str = ""  # what the text does not explain, if that is not known: "REAL"
    meant: str = ""  # what the spelling means, if a name of the text is in it: "double"

    def write(self, to: bytearray, offset: int, value: Any, name: str, role: str | None = None) -> None:
        struct.pack_into("<Q", to, offset, self._address(to, value, role or _member(name)))

    def _address(self, to: bytearray, value: Any, role: str) -> int:
        if value is None:
            return 0
        if isinstance(value, _ADDRESSES):
            return ctypes.cast(value, ctypes.c_void_p).value or 0
        if is_scalar(value) and hasattr(value, "__index__") and 0 <= value.__index__() <= _MOST_ADDRESS:
            return value.__index__()
        if not _is_array(value):
            raise GraftError(
                "TypeMismatch",
                f"{role} is a pointer (`{self.spelling}`), and the value given is {value!r}",
                "Pass an array, an address as an integer (x.data.ptr, x.data_ptr(), x.ctypes.data), or None.",
            )
        return self._taken(to, value, role) if isinstance(to, Draft) else 0

    def _taken(self, to: Draft, array: Any, role: str) -> int:
        """The address of an array, which the state keeps."""
        library = library_of(array)
        library.refuse(array)
        if self.target is None:
            raise GraftError(
                "TypeMismatch",
                f"{role} is a `{self.spelling}`, and the callback's text does not show what `{self.unknown}` is: "
                "an array of another type could be read beyond its end",
                "Spell the type of the elements in the struct, such as `const float*`, or define the name once in the "
                "text or by defines=. An address (an integer, such as x.ctypes.data or x.data.ptr) is taken as it is, "
                "and so is any array for a `void*`.",
            )
        if to.place is None:
            raise GraftError(
                "InvalidArgument",
                f"{role} is an array, and its address would be compiled into the kernel",
                "Pass the state in each call, or an address as an integer.",
            )
        if not (self.is_const or library.can_be_written):
            raise GraftError(
                "InvalidArgument",
                f"{role} is an array of JAX, which cannot be written, and a `{self.spelling}`",
                "Pass an array of NumPy, CuPy or PyTorch, or declare a pointer to const.",
            )
        taken = _core.Arrays([array], not self.is_const, to.place.stream, to.place.on_device, role)
        self._check(taken, role)
        to.arrays[role] = array
        to.taken.append(taken)
        return taken.addresses[0]

    def _check(self, taken: _core.Arrays, role: str) -> None:
        """Refuse an array of another type than that to which the pointer points."""
        kind, size, target = taken.types[0], taken.sizes[0], self.target
        if target is None or target.is_anything:
            return
        shown = f"`{self.spelling}`" + (f" (`{self.meant}`)" if self.meant else "")
        is_of_size = kind == "class" and size == target.struct_size
        if not is_of_size and kind not in target.numbers:
            raise GraftError(
                "TypeMismatch",
                f"{role} is a {shown}, and the array given has elements of "
                + (kind if kind != "class" else f"{size} bytes" if target.struct_size else "structs"),
                "Pass an array of the pointer's type: nothing is converted.",
            )
        if taken.addresses[0] % target.alignment:
            raise GraftError(
                "Misaligned",
                f"{role} is a {shown}, and the array given begins at an address that is no multiple of "
                f"{target.alignment}",
                "Pass a copy: x.copy() is aligned.",
            )


def _member(name: str) -> str:
    return f"the state's member {name}" if name else "the state"


def number_bytes(value: Any, kind: str, role: str) -> bytes:
    """Return the bytes of a number of the type `kind`. Raises GraftError(TypeMismatch) if the type cannot hold it."""
    if kind not in NUMBERS:
        valid = ", ".join(NUMBERS)
        raise GraftError(
            "TypeMismatch", f"{role} is a number, and its type is {kind}", f"Numbers have the types {valid}."
        )
    to = bytearray(NUMBERS[kind][1])
    Number(kind).write(to, 0, value, "", role)
    return bytes(to)


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
                f"{_member(name)} has {self.count} elements, and the value given is {value!r}",
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

    def packer(self) -> tuple[tuple[str, ...], struct.Struct] | None:
        """The members' names, and what packs their numbers in one step; None if not all are numbers that struct has."""
        letters, at = "<", 0
        for name, member in self.members.items():
            if not isinstance(member, Number) or len(NUMBERS[member.type][0]) != 1:
                return None
            letters += f"{self.offsets[name] - at}x{NUMBERS[member.type][0]}"  # that of a pointer is "Q"
            at = self.offsets[name] + member.size
        return tuple(self.members), struct.Struct(f"{letters}{self.size - at}x")

    def bytes_of(self, value: Any, place: Place | None = None) -> StateBytes:
        to = Draft(self.size, place)
        self.write(to, 0, value, "")
        return to.finished()


def _as_mapping(value: Any, name: str) -> Mapping[str, Any]:
    if isinstance(value, Mapping):
        return value
    if isinstance(value, ctypes.Structure):
        return {one[0]: getattr(value, one[0]) for one in getattr(value, "_fields_", ())}
    names = getattr(getattr(value, "dtype", None), "names", None)
    if names and getattr(value, "shape", None) == ():
        record = value[()]  # of an array without dimensions too, so that a member is a number and no array
        return {one: record[one] for one in names}
    raise GraftError(
        "TypeMismatch",
        f"the state{' member ' + name if name else ''} is a {type(value).__name__}",
        "Pass a dictionary, a structured scalar of NumPy, or a ctypes structure.",
    )


# ---- Reading the structs of CUDA C++ ----

_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.S)
_QUALIFIED = r"(?:\*|\s|\bconst\b|\bvolatile\b|\b__restrict(?:__)?\b)*"  # what may stand between a type and a name
_DECLARED = r"(\w+)\s*((?:\[\s*\d+\s*\]\s*)*)"  # the name, and the extents of an array
Names = dict[str, str | None]
_FIRST = re.compile(rf"\s*([\w:<>\s]+?)((?=[\s*]){_QUALIFIED}){_DECLARED}")
_NEXT = re.compile(rf"({_QUALIFIED}){_DECLARED}")


def _without_comments(text: str) -> str:
    return _COMMENT.sub(" ", text)


def _parted(types: str) -> list[str]:
    """Return the types of a list that commas part."""
    parts, depth = [""], 0
    for character in types:
        depth += (character == "<") - (character == ">")
        if character == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += character
    return [one.strip() for one in parts]


def _pointee(text: str, spelling: str | None, depth: int) -> Pointee | None:
    if spelling is None:
        return None
    known = pointee_of_spelling(spelling)
    pointed = None if known else read_struct(text, spelling, depth + 1)
    return known or (Pointee((), pointed.size, pointed.alignment) if pointed else None)


def _declared_type(text: str, names: Names, base: str, qualified: str, depth: int) -> Number | Layout | None:
    """Return the type of a member that is declared as `base qualified name`; None if the text does not show it."""
    spelling = " ".join(word for word in base.split() if word not in ("struct", "const", "volatile"))
    meant = resolved(spelling, names)
    stars = qualified.count("*")
    if not stars:
        number = type_of_spelling(meant) if meant else None
        return Number(number) if number else read_struct(text, meant, depth + 1) if meant else None
    before_last = f"{base} {qualified[: qualified.rindex('*')]}"
    if stars > 1:  # an array of addresses
        pointed: Pointee | None = Pointee(("u64",), 0, 8)
        before_last = before_last[before_last.index("*") :]
    else:
        pointed = _pointee(text, meant, depth)
    is_const = "const" in before_last.replace("*", " ").split()
    shown = f"{'const ' if is_const else ''}{spelling}{'*' * stars}"
    has_name = meant is not None and meant != re.sub(r"\s*([<>,])\s*", r"\1", spelling)
    return Pointer("u64", shown, is_const, pointed, spelling, f"{meant}{'*' * stars}" if has_name else "")


_ALIGNED = r"(?:(?:__align__|alignas)\s*\(\s*(\d+)\s*\)\s*)?"
_BODY = r"\{([^{}()#]*)\}"


def _struct_of_text(text: str, name: str) -> tuple[str, int, int] | None:
    """Return the members of a struct as its text declares them, its least alignment, and where it is in the text."""
    arguments: list[str] = []
    if instance := re.fullmatch(r"([\w:]+)\s*<(.+)>", name):
        name, arguments = instance[1], _parted(instance[2])
    outer, _, name = name.rpartition("::")
    spaces = [one for one in outer.split("::") if one]
    if not all(re.search(rf"\bnamespace\s+(?:\w+::)*{one}\b", text) for one in spaces if one.isidentifier()):
        return None
    if not name.isidentifier():
        return None
    found = list(re.finditer(rf"\bstruct\s+{_ALIGNED}{name}\s*{_BODY}\s*;", text))
    if not found and not arguments:
        found = list(re.finditer(rf"\btypedef\s+struct\s+{_ALIGNED}(?:\w+\s*)?{_BODY}\s*{name}\s*;", text))
    if len(found) != 1:
        return None
    body, before = found[0][2], text[: found[0].start()]
    template = re.search(r"\btemplate\s*<([^<>]*)>\s*$", before)
    parameters = _parted(template[1]) if template else []
    if len(parameters) != len(arguments) or (arguments and re.search(rf"\bstruct\s+{name}\s*<", text)):
        return None  # another number of arguments, or a specialization
    for parameter, argument in zip(parameters, arguments, strict=True):
        words = re.findall(r"\w+", parameter.partition("=")[0])
        body = re.sub(rf"\b{words[-1]}\b", argument, body) if words else body
    return body, int(found[0][1] or 1), found[0].start()


def read_struct(text: str, name: str, depth: int = 0) -> Layout | None:
    """Return the layout of the struct that the text defines, or None if it is none of plain members."""
    found = _struct_of_text(text, name) if depth <= 8 else None
    if not found:
        return None
    body, alignment, place = found
    layout, names = Layout(alignment=alignment), types_at_end(text[:place])
    if names is None:
        return None
    for declaration in re.sub(r"=[^,;]*", "", body).split(";"):  # initial values do not change a layout
        if not declaration.strip():
            continue
        first, *others = declaration.split(",")
        head = _FIRST.fullmatch(first)
        if not head:
            return None
        for declared in [head.groups()[1:], *(found and found.groups() for found in map(_NEXT.fullmatch, others))]:
            base = declared and _declared_type(text, names, head[1], declared[0], depth)
            if not declared or not base or declared[1] in layout.members:
                return None
            member: Number | Repeated | Layout = base
            for count in reversed(re.findall(r"\d+", declared[2])):
                member = Repeated(member, int(count))  # type: ignore[arg-type]
            layout.add(declared[1], member)
    return layout if layout.members else None


# ---- Templates of structs ----

_TEMPLATE_REFERENCE = re.compile(r"\bconst\s+(\w+)\s*<([^&()<>]*)>\s*&")
_TEMPLATE_PARAMETER = re.compile(r"(?:class|typename)\s+(\w+)")


_MEMBER_NAME = re.compile(r"(\w+)\s*(?:\[[^\]]*\]\s*)*(?=[,;]|$)")


def state_template(callback: Any) -> tuple[str, dict[str, list[str]]] | None:
    """Return the template of a callback's state, and for each of its parameters the members of this type.

    A member may be a pointer: for `template <class T> struct Line { const T* u; T h; int n; };`, that is
    ("Line", {"T": ["u", "h"]}). None if the text does not show it.
    """
    text = _text_of(callback)
    references = dict.fromkeys(name for name, _ in _TEMPLATE_REFERENCE.findall(text))
    if len(references) != 1:
        return None
    (name,) = references
    found = re.findall(rf"\btemplate\s*<([^<>]*)>\s*struct\s+{_ALIGNED}{name}\s*{_BODY}\s*;", text)
    if len(found) != 1:
        return None
    parameters = [_TEMPLATE_PARAMETER.fullmatch(one) for one in _parted(found[0][0])]
    members: dict[str, list[str]] = {}
    for parameter in parameters:
        if not parameter:
            return None
        declared = re.findall(rf"(?<![\w:<])(?:const\s+)?{parameter[1]}\b(?![\w:<>])([^;]*);", found[0][2])
        members[parameter[1]] = [
            one for line in declared for one in re.findall(r"(\w+)\s*(?:\[[^\]]*\]\s*)*(?:,|$)", line)
        ]
    return name, members


# ---- Which struct is the state ----
#
# graft's signature spells the state's type: "const Scale&", or "const States<graft_text_0::Band, graft_text_1::Gain>&"
# for the parts of a composition that have one. Before a kernel is made (bake=), and for an FFT, whose callbacks are in
# several kernels, the text of a part shows its state only if it has one type const T&.

# A description of a state, as `Signature.state` has it: its type as text, its short name, its size and its alignment.
Described = tuple[str, str, int, int]
_REFERENCE = re.compile(r"\bconst\s+([\w:<>]+(?:\s+[\w:<>]+)*?)\s*&(?!&)|\b([\w:<>]+)\s+const\s*&(?!&)")


def _text_of(part: Any) -> str:
    return _without_comments(part.bytes.decode(errors="replace")) if part.form == "source" else ""


def _references(text: str) -> list[str]:
    """Return the types T of all const T& in a text."""
    return list(dict.fromkeys(one or other for one, other in _REFERENCE.findall(text)))


def _refers(text: str, spelling: str) -> bool:
    """Whether a text has the type as a const T&, or a type of its template."""
    name, has_arguments, _ = spelling.partition("<")
    if has_arguments and re.search(rf"\bconst\s+{re.escape(name.strip())}\s*<[^&()]*>\s*&", text):
        return True
    references = _references(text)
    if spelling in references or not references:
        return spelling in references
    names = types_at_end(text) or {}
    return any(resolved(one, names) == spelling for one in references)


def _leaves(callback: Any) -> list[Any]:
    parts = getattr(callback, "_parts", None)
    return [callback] if parts is None else [leaf for part in parts for leaf in _leaves(part)]


def _known(part: Any) -> list[Layout | Number] | None:
    """Return what the maker of a callback wrote down: a layout, or none for a callback without a state."""
    layouts: list[Layout | Number] | None = getattr(part, "_layouts", None)
    parameters: Sequence[tuple[str, str]] | None = getattr(part, "_parameters", None)
    if layouts is not None or parameters is None:
        return layouts
    layout = Layout()
    for name, kind in parameters:
        layout.add(name, Number(kind))
    return [layout] if parameters else []


def _layout_of(text: str, spelling: str) -> Number | Layout | None:
    meant = resolved(spelling, types_at_end(text) or {}) or spelling
    number = type_of_spelling(meant)
    return Number(number) if number else read_struct(text, meant)


def _by_text(parts: Sequence[Any], text_of: Callable[[Any], str]) -> list[Number | Layout | None]:
    """Return the layouts of the parts' states by their texts alone; None for one that cannot be read."""
    layouts: list[Number | Layout | None] = []
    for part in parts:
        known = _known(part)
        if known is not None:
            layouts += known
            continue
        text = text_of(part)
        types = _references(text)
        if len(types) == 1:
            layouts.append(_layout_of(text, types[0]))
        elif types or part.form != "source":
            layouts.append(None)
    return layouts


def _spelled(described: Described) -> list[str]:
    """Return the types of the parts' states, without the namespaces that graft puts the parts' texts in."""
    spelling = re.sub(r"\bgraft_text_\d+::|\bconst\b|&", "", described[0]).strip()
    inner = re.fullmatch(r"(?:\w+::)*States<(.*)>", spelling)
    if not inner:
        return [spelling]
    return _parted(inner[1])


def _by_spelling(
    parts: Sequence[Any], described: Described, text_of: Callable[[Any], str]
) -> list[Number | Layout | None]:
    """Return the layouts of the states that a signature spells; None for one that cannot be read."""
    if described[1] in NUMBERS:
        return [Number(described[1])]
    types = _spelled(described)
    layouts: list[Number | Layout | None] = []
    rest = list(parts)
    for i, spelling in enumerate(types):
        found: Number | Layout | None = None
        while rest:
            part = rest.pop(0)
            known = _known(part)
            if known:
                found = known[0]
                break
            if known is not None or not _refers(text := text_of(part), spelling):
                continue
            found = _layout_of(text, spelling)
            # If a helper of this part takes the type, a later part may be the one whose state it is.
            later = [text_of(other) for other in rest if _known(other) is None]
            is_open = len(types) - i <= len(rest)
            if is_open and any(_refers(one, spelling) and _layout_of(one, spelling) != found for one in later):
                found = None
            break
        layouts.append(found)
    return layouts


class State:
    """Makes the bytes of a call's state."""

    def __init__(self, callbacks: Sequence[Any] | None, options: Mapping[str, Any] | None = None) -> None:
        """`callbacks`: None for what was loaded without them. `options`: those of the kernel, with its macros."""
        self._macros = macros(dict(options or {}))
        given = callbacks or []
        self._is_loaded = callbacks is None
        self._parts = [leaf for callback in given if callback is not None for leaf in _leaves(callback)]
        self._read: dict[str | None, Members] = {}

    def _text_of(self, part: Any) -> str:
        return self._macros + _text_of(part)

    def members(self, described: Described | None) -> Members:
        """Return the members of the state that a signature describes, or of that which the texts show."""
        key = described[0] if described else None
        found = self._read.get(key)
        if found is None:
            if described:
                layouts = _by_spelling(self._parts, described, self._text_of)
            else:
                layouts = [None] if self._is_loaded else _by_text(self._parts, self._text_of)
            found = self._read[key] = Members(layouts)
        return found

    def packer(self, described: Described | None) -> _core.StatePacker | None:
        """What makes the bytes of ordinary states; None for one with members that are neither numbers nor pointers."""
        members = self.members(described) if described else None
        return members.packer() if members else None

    def bytes_of(self, value: Any, described: Described | None, place: Place | None = None) -> bytes:
        """The bytes of the state that the signature of a kernel describes; None: it has no state."""
        if described is None:
            raise no_state(value)
        return self.members(described).bytes_of(value, described[2], place)

    def arrays(self, value: Any, described: Described | None) -> dict[str, Any]:
        """The arrays to which a state points, by what messages call them."""
        return self.members(described).arrays(value) if value is not None and described is not None else {}


def no_state(value: Any) -> GraftError:
    given = f"`{next(iter(value))}`" if isinstance(value, Mapping) and value else "a state"
    return GraftError(
        "TypeMismatch",
        f"the callback has no state, and the call has {given}",
        "Leave it away. A call has the keywords out, state and stream, and the members of the callback's state.",
    )


PLAIN = frozenset((bool, int, float))  # numbers of Python that struct packs


def _packed(packer: tuple[tuple[str, ...], struct.Struct], values: dict[str, Any]) -> bytes | None:
    """Pack numbers of Python in one step. None if a value is another, or does not fit: `Layout` says what is wrong."""
    names, form = packer
    if len(values) != len(names):
        return None
    try:
        given = [values[name] for name in names]
        return form.pack(*given) if PLAIN.issuperset(map(type, given)) else None
    except (KeyError, struct.error, OverflowError):
        return None


def _has_pointers(member: Number | Repeated | Layout | None) -> bool:
    if isinstance(member, Repeated):
        return _has_pointers(member.element)
    if isinstance(member, Layout):
        return any(map(_has_pointers, member.members.values()))
    return isinstance(member, Pointer)


def _arrays_in(member: Number | Repeated | Layout | None, value: Any, name: str) -> dict[str, Any]:
    """The arrays that a value has where a member has pointers. Passes over what does not fit the member."""
    if isinstance(member, Pointer):
        return {_member(name): value} if _is_array(value) else {}
    found: dict[str, Any] = {}
    if isinstance(member, Repeated) and _has_pointers(member) and isinstance(value, (list, tuple)):
        for i, one in enumerate(value):
            found |= _arrays_in(member.element, one, f"{name}[{i}]")
    elif isinstance(member, Layout) and isinstance(value, Mapping):
        for key in member.members.keys() & value.keys():
            found |= _arrays_in(member.members[key], value[key], f"{name}.{key}" if name else key)
    return found


class Members:
    """The members of a state: those of its struct, or of the structs of several parts."""

    def __init__(self, layouts: Sequence[Number | Layout | None]) -> None:
        self.layout: Number | Layout | None = None
        self._has_pointers = any(_has_pointers(layout) for layout in layouts)
        self.names: list[list[str]] = []
        self.is_none = not layouts
        self._packer: tuple[tuple[str, ...], struct.Struct] | None = None
        if len(layouts) == 1:
            self.layout = layouts[0]
            self._packer = self.layout.packer() if isinstance(self.layout, Layout) else None
        elif layouts and all(isinstance(layout, Layout) for layout in layouts):
            self.layout = Layout()
            for i, layout in enumerate(layouts):
                self.layout.add(str(i), layout)  # type: ignore[arg-type]
                self.names.append(list(layout.members))  # type: ignore[union-attr]

    @property
    def alignment(self) -> int:
        return self.layout.alignment if self.layout else 1

    def packer(self) -> _core.StatePacker | None:
        if self._packer is None or not isinstance(self.layout, Layout):
            return None
        names, form = self._packer
        pointers: list[tuple[str, bool] | None] = []
        for name in names:
            member = self.layout.members[name]
            pointer = None
            if isinstance(member, Pointer):
                if type(member.target) is not Number:
                    return None
                pointer = member.target.type, member.is_const
            pointers.append(pointer)
        return _core.StatePacker(names, pointers, form.pack)

    def arrays(self, value: Any) -> dict[str, Any]:
        """The arrays to which a state points, by what messages call them. `bytes_of` refuses what is no such state."""
        if not self._has_pointers or not isinstance(value, (Mapping, list, tuple, ctypes.Structure)):
            return {}
        return _arrays_in(self.layout, self._by_part(value) if self.names else value, "")

    def bytes_of(self, value: Any, size: int | None, place: Place | None = None) -> bytes:
        """`size`: that of the callback's state, if it is known. `place`: that of the call, if there is one yet."""
        layout = self.layout if size is None or (self.layout and self.layout.size == size) else None
        if self._packer and layout and type(value) is dict:
            made = _packed(self._packer, value)
            if made is not None:
                return made
        if isinstance(value, (bytes, bytearray)):
            return bytes(value)
        if self.is_none and size is None:
            raise no_state(value)
        if layout is None:
            if isinstance(value, ctypes.Structure) or (hasattr(value, "dtype") and hasattr(value, "tobytes")):
                return value.tobytes() if hasattr(value, "tobytes") else bytes(value)
            raise GraftError(
                "TypeMismatch",
                "the members of the callback's state cannot be read from its text",
                "Pass the state as a structured scalar of NumPy (align=True) or a ctypes structure with these members. "
                'A pointer is an address there ("u8").',
            )
        if isinstance(layout, Number):
            to = bytearray(layout.size)
            if isinstance(value, Mapping) and len(value) == 1:
                value = next(iter(value.values()))
            layout.write(to, 0, value, "")
            return bytes(to)
        return layout.bytes_of(self._by_part(value) if self.names else value, place)

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
