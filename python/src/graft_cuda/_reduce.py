"""Reductions: graft::Reduce for arrays of Python's libraries."""

from __future__ import annotations

import ctypes
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from . import _checks, _core
from ._callback import CallbackLike, architectures_and_format, as_callback, as_optional
from ._engine import Engine, engine_of
from ._error import GraftError
from ._jobs import Device, Out, ShapedJob, needs_out, state_or_parameters
from ._layout import Place, number_bytes
from ._libraries import Other, is_scalar, library_of, short_name
from ._spelling import type_of_spelling
from ._state import State

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ._options import BuildOptions, Options


def _reduced_axes(axis: int | Sequence[int] | None, rank: int) -> set[int]:
    if axis is None:
        return set(range(rank))
    axes = _checks.integers(axis, "axis")
    if rank == 0 and not isinstance(axis, (list, tuple)) and axes[0] in (0, -1):
        return set()  # NumPy takes these of an array without dimensions
    for one in axes:
        if not -rank <= one < rank:
            raise GraftError(
                "InvalidArgument", f"axis {one} of arrays of {rank} dimensions", "Pass an axis that they have."
            )
    reduced = {one % rank for one in axes}
    if len(reduced) != len(axes):
        raise GraftError("InvalidArgument", f"axis={axis!r} names an axis twice", "Name each axis once.")
    return reduced


def _accumulator_bytes(initial: Any, accumulator: str | None) -> tuple[bytes, str]:
    """Return the bytes and type of an initial accumulator: a number, or a struct of NumPy or ctypes."""
    dtype = getattr(initial, "dtype", None)
    is_struct = isinstance(initial, ctypes.Structure) or getattr(dtype, "names", None)
    if is_struct and getattr(initial, "shape", ()) == ():
        return (initial.tobytes() if dtype is not None else bytes(initial)), "class"
    if isinstance(initial, (bytes, bytearray)):
        return bytes(initial), "class"
    if not is_struct and dtype is not None and getattr(initial, "shape", None) == ():
        initial = initial[()]  # an array without dimensions: its number
        accumulator = accumulator or short_name(dtype)
    if accumulator in (None, "class") or not is_scalar(initial):
        raise GraftError(
            "TypeMismatch",
            f"initial is a {type(initial).__name__}, and the accumulator is "
            + ("a struct, or its type is not known" if accumulator in (None, "class") else str(accumulator)),
            'Pass a number and accumulator="f32" (or another type), or a struct of NumPy or ctypes.',
        )
    return number_bytes(initial, str(accumulator), "initial"), str(accumulator)


class _Call:
    """What a call asks for beside its arrays, and, once its outputs are made, the axes that it reduces."""

    def __init__(self, axis: int | Sequence[int] | None, offsets: Any, state: Any) -> None:
        self.axis, self.offsets, self.state = axis, offsets, state
        self.reduced: set[int] | None = None


class Reduce(ShapedJob):
    """Combines the elements of arrays by a callback: all of them, or those along some axes.

    ``reduce(x, axis=1, keepdims=False, out=None, state=None, stream=None)`` returns the results in the library of the
    first input, as NumPy's reductions do. Members of the state may be keywords of the call. The bits of a result are
    the same in each run, and on every GPU on which the callbacks compute the same (docs/reduce.md). Thread-safe.
    """

    def __init__(
        self,
        combine: CallbackLike,
        *,
        map: CallbackLike | None = None,
        finish: CallbackLike | None = None,
        initial: Any = None,
        accumulator: str | None = None,
        device: Device | None = None,
        engine: Engine | None = None,
        **options: Unpack[Options],
    ) -> None:
        """`initial` is the result of no elements; `accumulator` is the name of its type ("f32"), if `combine` is no
        source or formula from whose text the type can be read."""
        callbacks = _callbacks(combine, map, finish, initial, accumulator)
        self._has_initial, self._has_finish = initial is not None, finish is not None
        self._state = State([as_optional(map), as_optional(finish)], options)
        super().__init__(
            lambda engine, words: _core.Reduce.create(engine, callbacks, words), engine, device, dict(options)
        )

    @classmethod
    def load(cls, pack: bytes, *, engine: Engine | None = None, **options: Unpack[Options]) -> Reduce:
        """Load what `precompile_reduce` made."""
        engine = engine_of(engine)
        kernel = _core.Reduce.load(engine, _checks.code(pack, "pack"), dict(options))
        return cls._loaded(
            kernel, engine, _state=State(None), _has_initial=False, _has_finish=False
        )  # a pack does not tell

    def _call_any(
        self,
        /,
        *inputs: Any,
        axis: int | Sequence[int] | None = None,
        keepdims: bool = False,
        out: Any = None,
        state: Any = None,
        stream: Any = None,
        **parameters: Any,
    ) -> Any:
        """Queue the reduction along `axis`, or of all elements. Raises GraftError.

        An output that is given has NumPy's shape, with or without `keepdims`: dimensions that are reduced have the
        extent 1, or are left out.
        """
        state = state_or_parameters(state, parameters)
        pointed = self._pointed(state)
        if not pointed:
            result = self._call_directly(inputs, out, stream, state, axis, bool(keepdims))
            if result is not None:
                return result
        call = _Call(axis, None, state)
        result = self._call(inputs, out, stream, call, pointed)
        if keepdims or call.reduced is None:
            return result
        results = result if isinstance(result, tuple) else (result,)
        shaped = tuple(
            one.reshape(tuple(extent for d, extent in enumerate(one.shape) if d not in call.reduced)) for one in results
        )
        return shaped if isinstance(result, tuple) else shaped[0]

    if TYPE_CHECKING:
        __call__ = _call_any

    def segments(
        self, /, *inputs: Any, offsets: Any, out: Any = None, state: Any = None, stream: Any = None, **parameters: Any
    ) -> Any:
        """Reduce the elements from ``offsets[s]`` to ``offsets[s + 1]`` to the result `s`, for each segment.

        Without an initial accumulator, results of empty segments are left as they are, so that `out` must be given.
        """
        kind = library_of(offsets)
        if offsets is None or kind.holds_numbers:
            raise GraftError(
                "InvalidArgument",
                f"offsets is {offsets!r}",
                "Pass an array of integers, one more than there are segments.",
            )
        kind.refuse(offsets)
        call = _Call(None, offsets, state_or_parameters(state, parameters))
        return self._call(inputs, out, stream, call, {"offsets": offsets, **self._pointed(call.state)})

    def _outputs(self, kernel: Any, taken: _core.Arrays, call: _Call) -> list[Out]:
        if call.offsets is not None:
            if not self._has_initial:
                raise needs_out("there is no initial accumulator for the results of empty segments")
            shape = _core.Arrays([call.offsets], False, role="offsets").broadcast_shape()
            return self._facts_of(kernel).made((max(shape[0] - 1, 0) if shape else 0,))
        shape = taken.broadcast_shape()
        call.reduced = _reduced_axes(call.axis, len(shape))
        return self._facts_of(kernel).made(tuple(1 if d in call.reduced else extent for d, extent in enumerate(shape)))

    def _shaped(self, given: tuple[Any, ...], taken: _core.Arrays, call: _Call) -> tuple[Any, ...]:
        if call.offsets is not None or not len(taken):
            return given
        shape = taken.broadcast_shape()
        reduced = _reduced_axes(call.axis, len(shape))
        kept = tuple(1 if d in reduced else extent for d, extent in enumerate(shape))
        left = tuple(extent for d, extent in enumerate(shape) if d not in reduced)
        views = []
        for i, array in enumerate(given):
            has = tuple(_core.Arrays([array], True, role=f"output {i}").broadcast_shape())
            if has == kept or (has == kept[len(kept) - len(has) :] and set(kept[: len(kept) - len(has)]) <= {1}):
                views.append(array)
            elif has == left and not isinstance(library_of(array), Other):
                views.append(array[tuple(None if d in reduced else slice(None) for d in range(len(shape)))])
            else:
                wanted = f"{left} or {kept}" if left != kept else f"{kept}"
                raise GraftError(
                    "CountMismatch",
                    f"output {i} has the shape {has}, and the reduction along axis={call.axis} has the shape {wanted}",
                    f"Pass an output of the shape {kept}.",
                )
        return tuple(views)

    def _launch(self, kernel: Any, taken: _core.Arrays, results: _core.Arrays, stream: int | None, call: _Call) -> None:
        state = self._state_bytes(kernel, call.state, Place(stream is not None, stream))
        if call.offsets is None:
            try:
                kernel.execute(taken, results, stream, state)
            except GraftError as error:
                raise self._of_output(error, results) from None
        else:
            kernel.execute_segments(
                taken,
                _core.Arrays([call.offsets], False, stream, stream is not None, "offsets"),
                results,
                stream,
                state,
            )

    def _of_output(self, error: GraftError, results: _core.Arrays) -> GraftError:
        """The error with what converts a result, if an output has another type than the results."""
        output = re.search(r"\boutput (\d+) holds \w+, but must hold", error.message)
        if error.code != "TypeMismatch" or not output:
            return error
        kind = results.types[int(output[1])]
        result = "sqrt(a)" if self._has_finish else "a"
        by_accumulator = "" if self._has_finish else f', or combine in this type: accumulator="{kind}"'
        return GraftError(
            error.code,
            error.message,
            f'Pass an array of that type, or let finish convert: `finish="{kind}({result})"` '
            f"of a formula, or the type that finish returns in C++{by_accumulator}.",
            error.log,
            error.versions,
        )

    def _prepare(self, kernel: Any, taken: _core.Arrays, results: _core.Arrays, call: _Call) -> None:
        if call.offsets is None:
            super()._prepare(kernel, taken, results, call)
        else:
            kernel.prepare_segments()


_FUNCTION = re.compile(
    r"__device__\s+(?:(?:__forceinline__|__noinline__|inline|static|constexpr)\s+)*"
    r"([\w:<>]+(?:\s+[\w:<>]+)*?)\s+(\w+)\s*\("
)


def result_type(callback: Any) -> str | None:
    """Return the short name of the type that a source's function returns, or None if it cannot be read.

    Of several functions, as in the text of a formula, the callback's entry says which it is.
    """
    if callback.form != "source":
        return None
    functions = [(name, kind) for kind, name in _FUNCTION.findall(callback.bytes.decode(errors="replace"))]
    entry = callback.entry.partition("<")[0].rpartition("::")[2]
    kinds = {kind for name, kind in functions if entry in ("", name)}
    return type_of_spelling(kinds.pop()) if len(kinds) == 1 else None


_LAMBDA = re.compile(r"\s*\[[^\]]*\]\s*\(([^()]*)\)")


def _combined_type(callback: Any) -> str | None:
    """Return the short name of the type that a callback combines, or None if its text does not show it."""
    is_lambda = callback.form == "source" and _LAMBDA.match(callback.bytes.decode(errors="replace"))
    if not is_lambda:
        return result_type(callback)
    spellings = {re.sub(r"\bconst\b|\b\w+\s*$", " ", one.strip()) for one in is_lambda[1].split(",")}
    kinds = {type_of_spelling(one) for one in spellings}
    return kinds.pop() if len(kinds) == 1 else None


def _callbacks(
    combine: CallbackLike, map: CallbackLike | None, finish: CallbackLike | None, initial: Any, accumulator: str | None
) -> _core.ReduceCallbacks:
    whole = as_callback(combine)
    first = None
    if initial is not None:
        first = _accumulator_bytes(initial, _combined_type(whole) if accumulator is None else accumulator)
    return _core.ReduceCallbacks(as_optional(map), whole, as_optional(finish), first)


def precompile_reduce(
    combine: CallbackLike,
    architectures: list[str],
    format: str = "pack",
    *,
    map: CallbackLike | None = None,
    finish: CallbackLike | None = None,
    initial: Any = None,
    accumulator: str | None = None,
    engine: Engine | None = None,
    **options: Unpack[BuildOptions],
) -> bytes:
    """Compile a reduction ahead of time, for `Reduce.load`."""
    callbacks = _callbacks(combine, map, finish, initial, accumulator)
    names, form = architectures_and_format(architectures, format)
    return _core.precompile_reduce(engine_of(engine), callbacks, names, form, dict(options))
