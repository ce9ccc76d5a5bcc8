"""The state of a callback, from a dictionary, a struct of NumPy, or a ctypes structure.

A layout is read from the callback: of a formula, from its parameters; of CUDA C++, from the struct that the text
defines. Values are then set by name, and a pointer takes an array. A struct with methods, templates or headers of its
own is not read; a state for it is a struct of NumPy or ctypes, of which graft compares the size.
"""

from __future__ import annotations

import ctypes
import re
import struct
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from . import _core
from ._error import GraftError
from ._layout import Layout, Number, Place, Pointer, Repeated, as_mapping, is_array, member_text
from ._spelling import NUMBERS, Pointee, macros, resolved, type_of_spelling, types_at_end
from ._struct import parted, read_struct, text_of

# ---- Which struct is the state ----
#
# graft's signature spells the state's type: "const Scale&", or "const States<graft_text_0::Band, graft_text_1::Gain>&"
# for the parts of a composition that have one. Before a kernel is made (bake=), and for an FFT, whose callbacks are in
# several kernels, the text of a part shows its state only if it has one type const T&.

# A description of a state, as `Signature.state` has it: its type as text, its short name, its size and its alignment.
Described = tuple[str, str, int, int]
_REFERENCE = re.compile(r"\bconst\s+([\w:<>]+(?:\s+[\w:<>]+)*?)\s*&(?!&)|\b([\w:<>]+)\s+const\s*&(?!&)")


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
    return parted(inner[1])


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

    def text_of(self, part: Any) -> str:
        return self._macros + text_of(part)

    def members(self, described: Described | None) -> Members:
        """Return the members of the state that a signature describes, or of that which the texts show."""
        key = described[0] if described else None
        found = self._read.get(key)
        if found is None:
            if described:
                layouts = _by_spelling(self._parts, described, self.text_of)
            else:
                layouts = [None] if self._is_loaded else _by_text(self._parts, self.text_of)
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
        return {member_text(name): value} if is_array(value) else {}
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
        pointers: list[tuple[tuple[str, ...], int, bool, bool] | None] = []
        for member in map(self.layout.members.get, names):
            if isinstance(member, Pointer):
                target = member.target or Pointee()  # which takes no array
                pointers.append((target.numbers, target.alignment, target.is_anything, member.is_const))
            else:
                pointers.append(None)
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
        values = dict(as_mapping(value, ""))
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
