"""The libraries of arrays: where an array is, its library's current stream, and new arrays for results.

A library is known by the module of an array's class, so that none of them is imported unless the caller's arrays are
its own. Arrays of other libraries serve too, if outputs are given.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any

from ._error import GraftError

# The short names of graft's element types, and those of dtypes.
DTYPES = {
    "bool": "bool",
    **{f"i{bits}": f"int{bits}" for bits in (8, 16, 32, 64)},
    **{f"u{bits}": f"uint{bits}" for bits in (8, 16, 32, 64)},
    "f16": "float16",
    "bf16": "bfloat16",
    "f32": "float32",
    "f64": "float64",
    "c32": "complex32",
    "c64": "complex64",
    "c128": "complex128",
}


# Those that NumPy and CuPy find themselves.
_PLAIN = {name: dtype for name, dtype in DTYPES.items() if name not in ("bf16", "c32")}


def _no_dtype(library: str, name: str) -> GraftError:
    return GraftError(
        "TypeMismatch", f"{library} has no element type for a result of type {name}", "Pass the array as out=."
    )


class NumPy:
    """Arrays in host memory; also those of buffers that have no library."""

    holds_numbers = False  # numbers, not arrays
    can_be_written = True

    def refuse(self, array: Any) -> None:
        """Refuse an array whose elements are not what its memory holds."""

    def on_device(self, array: Any) -> bool:
        return False

    def device(self, array: Any) -> int | None:
        """The number of the GPU that has the array; None if it is not known, or none."""
        return None

    def stream(self, array: Any) -> int | None:
        """The stream on which the array's library works now; None if the library does not say it."""
        return None

    def guard(self, array: Any) -> AbstractContextManager[Any] | None:
        """What makes the array's device the current one; None if it is."""
        return None

    def make_context(self, array: Any) -> None:
        """Give the thread a CUDA context on the array's device."""

    def on_stream(self, handle: int, array: Any) -> AbstractContextManager[Any] | None:
        """What makes `handle` the stream on which the library makes arrays; None if the library has no such thing."""
        return None

    def dtype(self, name: str, size: int, inputs: list[Any]) -> Any:
        import numpy as np

        if name == "class":  # the struct of an input, if it has this size
            for array in inputs:
                dtype: Any = getattr(array, "dtype", None)
                if getattr(dtype, "names", None) and dtype.itemsize == size:
                    return dtype
            return np.dtype(f"V{size}")
        if name == "bf16":
            try:
                import ml_dtypes
            except ImportError:
                raise _no_dtype("NumPy without the package ml_dtypes", name) from None
            return np.dtype(ml_dtypes.bfloat16)
        if name not in DTYPES or name == "c32":
            raise _no_dtype("NumPy", name)
        return np.dtype(DTYPES[name])

    def empty(self, shape: tuple[int, ...], name: str, size: int, inputs: list[Any]) -> Any:
        import numpy as np

        return np.empty(shape, _PLAIN.get(name) or self.dtype(name, size, inputs))

    def full(self, value: Any, name: str, like: Any) -> Any:
        """An array of one number, which the type can hold."""
        import numpy as np

        return np.asarray(value, self.dtype(name, 0, []))

    def finish(self, array: Any) -> Any:
        """What the caller gets for an array of `empty` that has been written."""
        return array


class Masked(NumPy):
    def refuse(self, array: Any) -> None:
        raise GraftError(
            "InvalidArgument",
            f"an array is a {type(array).__name__} of numpy.ma, whose mask graft does not read",
            "Pass x.filled(value), or the mask as an array of its own.",
        )


class _Stream:
    """A stream as the protocol shows it."""

    def __init__(self, handle: int) -> None:
        self._handle = handle

    def __cuda_stream__(self) -> tuple[int, int]:
        return 0, self._handle


@contextmanager
def _on_foreign_stream(handle: int) -> Iterator[None]:
    """Make CuPy work on a stream of the device that is current on entering."""
    import cupy

    with cupy.cuda.Stream.from_external(_Stream(handle)):
        yield


class CuPy(NumPy):
    def on_device(self, array: Any) -> bool:
        return True

    def device(self, array: Any) -> int | None:
        return array.device.id

    def stream(self, array: Any) -> int | None:
        import cupy

        return cupy.cuda.get_current_stream(array.device.id).ptr  # each device has its own

    def make_context(self, array: Any) -> None:
        array.device.use()

    def on_stream(self, handle: int, array: Any) -> AbstractContextManager[Any] | None:
        import cupy

        if hasattr(cupy.cuda.Stream, "from_external"):  # since CuPy 14, which deprecates ExternalStream
            return _on_foreign_stream(handle)
        return cupy.cuda.ExternalStream(handle, array.device.id)

    def guard(self, array: Any) -> AbstractContextManager[Any] | None:
        import cupy

        return None if cupy.cuda.runtime.getDevice() == array.device.id else array.device

    def empty(self, shape: tuple[int, ...], name: str, size: int, inputs: list[Any]) -> Any:
        import cupy

        if name == "bf16":
            raise _no_dtype("CuPy", name)
        return cupy.empty(shape, self.dtype(name, size, inputs))

    def full(self, value: Any, name: str, like: Any) -> Any:
        import cupy

        return cupy.asarray(value, self.dtype(name, 0, []))


class Torch(NumPy):
    def refuse(self, array: Any) -> None:
        if array.is_conj() or array.is_neg():
            raise GraftError(
                "InvalidArgument",
                "an array is a lazy conjugate or negative of PyTorch",
                "Pass x.resolve_conj().resolve_neg().",
            )

    def on_device(self, array: Any) -> bool:
        return array.is_cuda

    def device(self, array: Any) -> int | None:
        return array.device.index

    def stream(self, array: Any) -> int | None:
        import torch

        return torch.cuda.current_stream(array.device).cuda_stream if array.is_cuda else None

    def guard(self, array: Any) -> AbstractContextManager[Any] | None:
        import torch

        return None if torch.cuda.current_device() == array.device.index else torch.cuda.device(array.device)

    def make_context(self, array: Any) -> None:
        import torch

        torch.cuda.set_device(array.device)
        torch.cuda.mem_get_info(array.device)  # PyTorch leaves out to set the device that is the default

    def on_stream(self, handle: int, array: Any) -> AbstractContextManager[Any] | None:
        import torch

        return torch.cuda.stream(torch.cuda.ExternalStream(handle, array.device))

    def dtype(self, name: str, size: int, inputs: list[Any]) -> Any:
        import torch

        dtype = getattr(torch, DTYPES.get(name, name), None)
        if not isinstance(dtype, torch.dtype):
            raise _no_dtype("PyTorch", name)
        return dtype

    def empty(self, shape: tuple[int, ...], name: str, size: int, inputs: list[Any]) -> Any:
        import torch

        return torch.empty(shape, dtype=self.dtype(name, size, inputs), device=inputs[0].device)

    def full(self, value: Any, name: str, like: Any) -> Any:
        import torch

        return torch.full((), value, dtype=self.dtype(name, 0, []), device=like.device)


class Jax(NumPy):
    """JAX's arrays never change, so that a result is written into an array of NumPy, which JAX then takes over."""

    can_be_written = False

    def on_device(self, array: Any) -> bool:
        return next(iter(array.devices())).platform in ("gpu", "cuda")

    def empty(self, shape: tuple[int, ...], name: str, size: int, inputs: list[Any]) -> Any:
        if any(isinstance(library_of(array), Jax) and self.on_device(array) for array in inputs):
            raise GraftError(
                "InvalidArgument",
                "the inputs are JAX arrays on a GPU, and arrays of JAX cannot be written",
                "Pass out= an array of CuPy or PyTorch, and take it over with jax.dlpack.from_dlpack.",
            )
        return super().empty(shape, name, size, inputs)

    def finish(self, array: Any) -> Any:
        import jax

        result = jax.numpy.asarray(array)
        if result.dtype != array.dtype:  # JAX has 32 bits alone, unless it is told otherwise
            raise GraftError(
                "TypeMismatch",
                f"JAX makes an array of {result.dtype} of a result of {array.dtype}",
                'Call jax.config.update("jax_enable_x64", True), or pass an array of NumPy as out=.',
            )
        return result


class Other(NumPy):
    """Arrays that show themselves through a protocol alone."""

    def on_device(self, array: Any) -> bool:
        if hasattr(array, "__cuda_array_interface__"):
            return True
        if hasattr(array, "__dlpack_device__"):
            return array.__dlpack_device__()[0] in (2, 13)  # CUDA, and its managed memory
        return False

    def device(self, array: Any) -> int | None:
        known = getattr(array, "__dlpack_device__", None)
        return known()[1] if known else None

    def stream(self, array: Any) -> int | None:
        interface = getattr(array, "__cuda_array_interface__", {})
        stream = interface.get("stream") if isinstance(interface, dict) else None
        return None if stream is None else stream_handle(int(stream) if hasattr(stream, "__index__") else stream)

    def empty(self, shape: tuple[int, ...], name: str, size: int, inputs: list[Any]) -> Any:
        if any(self.on_device(array) for array in inputs):
            raise GraftError(
                "InvalidArgument",
                f"graft cannot make an array of {library_name(inputs[0])} for a result on the GPU",
                "Pass the array as out=.",
            )
        return super().empty(shape, name, size, inputs)


class Numbers(NumPy):
    """Numbers: Python's, and NumPy's without an array."""

    holds_numbers = True


_LIBRARIES: dict[str, NumPy] = {
    "numpy": NumPy(),
    "ml_dtypes": NumPy(),
    "cupy": CuPy(),
    "torch": Torch(),
    "jax": Jax(),
    "jaxlib": Jax(),
}
_OTHER = Other()
_MASKED = Masked()
_NUMBERS = Numbers()
_of_type: dict[type, NumPy] = {}


def module_of(kind: type) -> str:
    """The name of a class's module. Empty if the class shows none: it may have any object as its __module__."""
    try:
        name = kind.__module__
    except Exception:  # of a property of its metaclass
        return ""
    return name if isinstance(name, str) else ""


def library_name(array: Any) -> str:
    """What messages call the library of an array that is known by a protocol alone."""
    return module_of(type(array)) or f"the class {type(array).__name__}"


def library_of(array: Any) -> NumPy:
    kind = type(array)
    found = _of_type.get(kind)
    if found is None:
        if is_scalar(array):
            found = _NUMBERS
        for base in kind.__mro__:  # a subclass of a library's array belongs to the library
            module = module_of(base)
            if module.startswith("numpy.ma"):
                found = found or _MASKED
            found = found or _LIBRARIES.get(module.partition(".")[0])
        found = _of_type[kind] = found or _OTHER
    return found


def is_scalar(value: Any) -> bool:
    """Whether a value is a number: Python's, or NumPy's without an array."""
    if isinstance(value, (bool, int, float, complex)):
        return True
    numpy = sys.modules.get("numpy")
    return numpy is not None and isinstance(value, (numpy.number, numpy.bool_))


def short_name(dtype: Any) -> str:
    """Return the short name of a dtype of NumPy's numbers; of another dtype, a name that no element type has."""
    return "bool" if dtype.kind == "b" else f"{dtype.kind}{8 * dtype.itemsize}"


def _address(handle: int) -> int:
    if not 0 <= handle < 1 << 63:
        raise GraftError(
            "InvalidArgument",
            "the stream is an integer that is no address: it is negative, or has more than 63 bits",
            "Pass the address of a CUstream.",
        )
    return handle


def stream_handle(stream: Any) -> int:
    """Return the CUstream of what a caller gives as a stream."""
    if isinstance(stream, int) and not isinstance(stream, bool):
        return _address(stream)
    if hasattr(stream, "__cuda_stream__"):
        protocol = stream.__cuda_stream__
        return _address(int((protocol() if callable(protocol) else protocol)[1]))
    for attribute in ("cuda_stream", "ptr"):  # PyTorch's, CuPy's
        if isinstance(getattr(stream, attribute, None), int):
            return _address(getattr(stream, attribute))
    raise GraftError(
        "InvalidArgument",
        f"stream is a {type(stream).__name__}, which is no stream",
        "Pass the address of a CUstream, or an object with __cuda_stream__, such as a stream of CuPy or PyTorch.",
    )
