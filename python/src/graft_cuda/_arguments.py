"""The arguments of a launch of a kernel of the user's own: each array's pointer, and each value's bytes.

A number of Python gets the type of the kernel's parameter, which the kernel's symbol shows. That of an extern "C"
kernel shows sizes alone: an int is then an integer of the parameter's size, and a float a floating-point number.
libgraft compares what comes of it with the parameters.
"""

from __future__ import annotations

import ctypes
import struct
import sys
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from . import _core
from ._error import GraftError
from ._jobs import current_stream, refuse_two_devices
from ._layout import StateBytes, number_bytes
from ._libraries import NumPy, is_scalar, library_of, short_name, stream_handle
from ._spelling import NUMBERS, type_of_spelling
from ._state import PLAIN

if TYPE_CHECKING:
    from ._kernel import KernelEntry


_CTYPES = (ctypes.Structure, ctypes.Union, ctypes.Array, ctypes._SimpleCData, ctypes._Pointer)


class SlotState(StateBytes):
    """The state of a slot's callback. As an argument it fills the first bytes of a parameter that has room for more."""

    def __init__(self, made: bytes) -> None:
        self.arrays, self.taken = (made.arrays, made.taken) if isinstance(made, StateBytes) else ({}, [])


class Parameter:
    """A parameter of a kernel: its size in bytes and its type as C++ spells it, if the kernel's symbol shows that."""

    def __init__(self, role: str, size: int, spelling: str | None) -> None:
        self.role = role  # what messages call it: "argument 1 of knn"
        self.size, self.type = size, spelling
        self.is_pointer = spelling is not None and spelling.endswith("*")
        # Whether it is known that the kernel can write through the pointer.
        self.may_be_written = self.is_pointer and not str(spelling).startswith("const ")
        # The short name of a number's type; that of an address for a pointer.
        self.number = "u64" if self.is_pointer else type_of_spelling(spelling) if spelling else None

    def number_for(self, value: Any) -> str | None:
        """Return the short name of the type with which a number of Python is passed; None if it does not fit."""
        return self.number if self.type is not None else _by_size(value, self.size)


class Placed(NamedTuple):
    """Arguments: arrays as they were given, and the bytes and types of values; and where the launch is."""

    values: list[Any]
    arrays: dict[int, NumPy]  # the libraries of those that are arrays
    stream: int
    first: int | None  # the number of the first array


def parameters_of(entry: KernelEntry) -> list[Parameter]:
    types: Sequence[str | None] = entry.types or [None] * len(entry.parameters)
    return [
        Parameter(f"argument {i + 1} of {entry.name}", size, kind)
        for i, (size, kind) in enumerate(zip(entry.parameters, types, strict=True))
    ]


def place(name: str, parameters: list[Parameter], arguments: Sequence[Any], stream: Any) -> Placed:
    """Sort the arguments of a kernel into arrays and values, make the values' bytes, and find the stream."""
    if len(arguments) != len(parameters):
        raise GraftError(
            "CountMismatch",
            f"{name} takes {len(parameters)} arguments, and the launch has {len(arguments)}",
            "Give one argument for each parameter of the kernel.",
        )
    values: list[Any] = []
    arrays: dict[int, NumPy] = {}
    for i, (value, parameter) in enumerate(zip(arguments, parameters, strict=True)):
        made = value_bytes(value, parameter)
        values.append(value if made is None else made)
        if made is None:
            arrays[i] = _library_of(value, parameter)
    given = {parameters[i].role: values[i] for i in arrays}
    for value in arguments:
        if isinstance(value, SlotState):
            given |= value.arrays
    if len(given) > 1:
        refuse_two_devices((), (), given, [])
    if stream is None:
        handle = current_stream(tuple(given.values()), (), [library_of(array) for array in given.values()])
    else:
        handle = stream_handle(stream)
    return Placed(values, arrays, handle, next(iter(arrays), None))


def taken(placed: Placed, parameters: list[Parameter]) -> list[Any]:
    """The arrays as graft takes them, beside the values."""
    return [
        _core.Arrays([value], parameter.may_be_written, placed.stream, None, parameter.role)
        if i in placed.arrays
        else value
        for i, (value, parameter) in enumerate(zip(placed.values, parameters, strict=True))
    ]


def _library_of(array: Any, parameter: Parameter) -> NumPy:
    library = library_of(array)
    library.refuse(array)
    if not library.on_device(array):
        _core.Arrays([array], False, None, None, parameter.role)  # refuses what is no array
        raise GraftError(
            "InvalidArgument",
            f"{parameter.role} is in host memory, and kernels of your own run on the GPU alone",
            "Copy the array to the GPU, as an array of CuPy or PyTorch.",
        )
    if parameter.may_be_written and not library.can_be_written:
        raise GraftError(
            "InvalidArgument",
            f"{parameter.role} is an array of JAX, which cannot be written, and the parameter is `{parameter.type}`",
            "Pass an array of CuPy or PyTorch, or let the kernel take a pointer to const.",
        )
    return library


def value_bytes(value: Any, parameter: Parameter) -> tuple[bytes, str] | None:
    """Return the bytes of a value, and the short name of its type ("class": another); None for an array."""
    if type(value) in PLAIN:
        return _number(value, parameter)
    if isinstance(value, SlotState):
        return bytes(value).ljust(parameter.size, b"\0"), "class"
    if isinstance(value, (bytes, bytearray, *_CTYPES)):
        return bytes(value), "class"
    numpy = sys.modules.get("numpy")
    if numpy is not None:
        if isinstance(value, numpy.ndarray) and value.shape == ():
            value = value[()]
        if isinstance(value, numpy.generic):
            name = short_name(value.dtype)
            return value.tobytes(), name if name in NUMBERS else "class"
    if value is None or is_scalar(value):
        return _number(value, parameter)
    if isinstance(value, Mapping):
        raise GraftError(
            "TypeMismatch",
            f"{parameter.role} is a {type(value).__name__}",
            "Pass a structured scalar of NumPy or a ctypes structure; or for the state of a slot's callback "
            'kernel.state("slot", member=...).',
        )
    return None


# Without bool, as which struct packs every value.
_PACKERS = {name: struct.Struct(f"<{letters}") for name, (letters, _) in NUMBERS.items() if letters in "bhiqBHIQefd"}


def _number(value: Any, parameter: Parameter) -> tuple[bytes, str]:
    kind = parameter.number_for(value)
    if value is None:
        is_null = parameter.is_pointer or (parameter.type is None and parameter.size == 8)
        value, kind = (0, "u64") if is_null else (None, None)
    if kind is None:
        what = f"is `{parameter.type}`" if parameter.type else f"has {parameter.size} bytes"
        raise GraftError(
            "TypeMismatch",
            f"{parameter.role} is {value!r}, and the parameter {what}",
            "Pass an array or an address for a pointer, a number of NumPy or ctypes of the parameter's type, or a "
            "struct of NumPy or ctypes.",
        )
    try:
        return _PACKERS[kind].pack(value), kind
    except (KeyError, struct.error, OverflowError, TypeError):
        return number_bytes(value, kind, parameter.role), kind  # which says what is wrong


def _by_size(value: Any, size: int) -> str | None:
    if isinstance(value, bool):
        return "bool" if size == 1 else None
    if isinstance(value, int):
        if size not in (1, 2, 4, 8):
            return None
        return f"u{8 * size}" if value >= 1 << (8 * size - 1) else f"i{8 * size}"
    if isinstance(value, float):
        return {2: "f16", 4: "f32", 8: "f64"}.get(size)
    return {8: "c64", 16: "c128"}.get(size)
