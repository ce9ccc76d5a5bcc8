"""Reads structs from the text of a callback in CUDA C++, as far as they have plain members."""

from __future__ import annotations

import re
from typing import Any

from ._layout import Layout, Number, Pointer, Repeated
from ._spelling import Pointee, pointee_of_spelling, resolved, type_of_spelling, types_at_end

_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.S)
_QUALIFIED = r"(?:\*|\s|\bconst\b|\bvolatile\b|\b__restrict(?:__)?\b)*"  # what may stand between a type and a name
_DECLARED = r"(\w+)\s*((?:\[\s*\d+\s*\]\s*)*)"  # the name, and the extents of an array
Names = dict[str, str | None]
_FIRST = re.compile(rf"\s*([\w:<>\s]+?)((?=[\s*]){_QUALIFIED}){_DECLARED}")
_NEXT = re.compile(rf"({_QUALIFIED}){_DECLARED}")


def without_comments(text: str) -> str:
    return _COMMENT.sub(" ", text)


def text_of(part: Any) -> str:
    return without_comments(part.bytes.decode(errors="replace")) if part.form == "source" else ""


def parted(types: str) -> list[str]:
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
        name, arguments = instance[1], parted(instance[2])
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
    parameters = parted(template[1]) if template else []
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
    text = text_of(callback)
    references = dict.fromkeys(name for name, _ in _TEMPLATE_REFERENCE.findall(text))
    if len(references) != 1:
        return None
    (name,) = references
    found = re.findall(rf"\btemplate\s*<([^<>]*)>\s*struct\s+{_ALIGNED}{name}\s*{_BODY}\s*;", text)
    if len(found) != 1:
        return None
    parameters = [_TEMPLATE_PARAMETER.fullmatch(one) for one in parted(found[0][0])]
    members: dict[str, list[str]] = {}
    for parameter in parameters:
        if not parameter:
            return None
        declared = re.findall(rf"(?<![\w:<])(?:const\s+)?{parameter[1]}\b(?![\w:<>])([^;]*);", found[0][2])
        members[parameter[1]] = [
            one for line in declared for one in re.findall(r"(\w+)\s*(?:\[[^\]]*\]\s*)*(?:,|$)", line)
        ]
    return name, members
