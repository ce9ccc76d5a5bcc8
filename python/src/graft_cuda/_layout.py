"""Where the members of a state are, and how values become their bytes: numbers, pointers, arrays, structs."""

from __future__ import annotations

import ctypes
import numbers
import struct
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from . import _core
from ._error import GraftError
from ._libraries import is_scalar, library_of
from ._spelling import NUMBERS, Pointee


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
                f"{role or member_text(name)} has the type {self.type}, which cannot hold {value!r}",
                "Pass a number of this type.",
            ) from error


_ADDRESSES = (ctypes._Pointer, ctypes.c_void_p)
_MOST_ADDRESS = (1 << 64) - 1


def is_array(value: Any) -> bool:
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
        struct.pack_into("<Q", to, offset, self._address(to, value, role or member_text(name)))

    def _address(self, to: bytearray, value: Any, role: str) -> int:
        if value is None:
            return 0
        if isinstance(value, _ADDRESSES):
            return ctypes.cast(value, ctypes.c_void_p).value or 0
        if is_scalar(value) and hasattr(value, "__index__") and 0 <= value.__index__() <= _MOST_ADDRESS:
            return value.__index__()
        if not is_array(value):
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


def member_text(name: str) -> str:
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
                f"{member_text(name)} has {self.count} elements, and the value given is {value!r}",
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
        values = as_mapping(value, name)
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


def as_mapping(value: Any, name: str) -> Mapping[str, Any]:
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
