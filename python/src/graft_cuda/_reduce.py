"""Reductions: graft::Reduce for arrays of Python's libraries."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from . import _core
from ._callback import CallbackLike, as_callback, as_optional
from ._engine import Engine, default_engine
from ._error import GraftError
from ._jobs import Device, Job, Out, launch_prepared, needs_out, state_or_parameters
from ._libraries import is_scalar
from ._state import Number, State, type_of_spelling

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ._options import BuildOptions, Options


def _reduced_axes(axis: int | Sequence[int] | None, rank: int) -> set[int]:
    if axis is None:
        return set(range(rank))
    axes = [axis] if isinstance(axis, int) else list(axis)
    for one in axes:
        if not -rank <= one < rank:
            raise GraftError("InvalidArgument", f"axis {one} of arrays of {rank} dimensions", "Pass an axis that they have.")
    return {one % rank for one in axes}


def _accumulator_bytes(initial: Any, accumulator: str | None) -> tuple[bytes, str]:
    """Return the bytes and type of an initial accumulator: a number, or a struct of NumPy or ctypes."""
    if accumulator is not None and accumulator != "class" and is_scalar(initial):
        number = Number(accumulator)
        to = bytearray(number.size)
        number.write(to, 0, initial, "initial")
        return bytes(to), accumulator
    if hasattr(initial, "tobytes"):
        return initial.tobytes(), "class"
    try:
        return bytes(initial), "class"
    except TypeError:
        raise GraftError(
            "TypeMismatch",
            f"initial is a {type(initial).__name__}, and the type of the accumulator is not known",
            'Pass accumulator="f32" (or another type), or a struct of NumPy or ctypes.',
        ) from None


class Reduce(Job):
    """Combines the elements of arrays by a callback: all of them, or those along some axes.

    ``reduce(x, axis=1)`` returns the results in the library of the first input, as NumPy's reductions do. The bits of a
    result do not depend on the GPU, the stream or the run (docs/reduce.md). Thread-safe.
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
        self._state = State([as_optional(map), as_optional(finish)])
        super().__init__(
            lambda engine, words: _core.Reduce.create(engine, callbacks, words), engine, device, dict(options)
        )

    @classmethod
    def load(cls, pack: bytes, *, engine: Engine | None = None, **options: Unpack[Options]) -> Reduce:
        """Load what `precompile_reduce` made."""
        engine = engine or default_engine()
        self = cls._loaded(_core.Reduce.load(engine, pack, dict(options)), engine)
        self._state = State([])
        return self

    @property
    def signature(self) -> _core.Signature:
        return self._first.signature

    def __repr__(self) -> str:
        return f"<graft_cuda.Reduce {self.signature.text}>"

    def _state_bytes(self, kernel: Any, state: Any) -> bytes | None:
        if state is None:
            return None
        wanted = kernel.signature.state
        return self._state.bytes_of(state, wanted[2] if wanted else None)

    def __call__(
        self,
        *inputs: Any,
        axis: int | Sequence[int] | None = None,
        keepdims: bool = False,
        out: Any = None,
        state: Any = None,
        stream: Any = None,
        **parameters: Any,
    ) -> Any:
        """Queue the reduction along `axis`, or of all elements. Raises GraftError.

        An output that is given has the extent 1 in each dimension that is reduced (or lacks those in front).
        """
        state = state_or_parameters(state, parameters)
        dropped: list[set[int]] = []

        def outputs(kernel: Any, taken: _core.Arrays) -> list[Out]:
            signature = kernel.signature
            if signature.in_outs:
                raise needs_out("a callback reads its outputs")
            shape = tuple(taken.broadcast_shape())
            axes = _reduced_axes(axis, len(shape))
            dropped.append(axes)
            kept = tuple(1 if d in axes else extent for d, extent in enumerate(shape))
            return [Out(kept, name, size) for name, size in zip(signature.outputs, signature.output_sizes)]

        def launch(kernel: Any, taken: _core.Arrays, results: _core.Arrays, stream: int | None) -> None:
            given = self._state_bytes(kernel, state)
            launch_prepared(
                lambda: kernel.execute(taken, results, stream, given),
                kernel,
                lambda: kernel.prepare_shapes(taken, results),
            )

        result = self._call(inputs, out, stream, lambda kernel: kernel.signature.inputs, outputs, launch)
        if keepdims or not dropped:
            return result
        results = result if isinstance(result, tuple) else (result,)
        shaped = tuple(
            one.reshape(tuple(extent for d, extent in enumerate(one.shape) if d not in dropped[0])) for one in results
        )
        return shaped if isinstance(result, tuple) else shaped[0]

    def segments(
        self, *inputs: Any, offsets: Any, out: Any = None, state: Any = None, stream: Any = None, **parameters: Any
    ) -> Any:
        """Reduce the elements from ``offsets[s]`` to ``offsets[s + 1]`` to the result `s`, for each segment.

        Without an initial accumulator, results of empty segments are left as they are; pass `out` then.
        """
        state = state_or_parameters(state, parameters)

        def outputs(kernel: Any, taken: _core.Arrays) -> list[Out]:
            signature = kernel.signature
            shape = (max(len(offsets) - 1, 0),)
            return [Out(shape, name, size) for name, size in zip(signature.outputs, signature.output_sizes)]

        def launch(kernel: Any, taken: _core.Arrays, results: _core.Arrays, stream: int | None) -> None:
            given, between = self._state_bytes(kernel, state), _core.Arrays([offsets], False, stream)
            launch_prepared(
                lambda: kernel.execute_segments(taken, between, results, stream, given),
                kernel,
                kernel.prepare_segments,
            )

        return self._call(inputs, out, stream, lambda kernel: kernel.signature.inputs, outputs, launch)


def result_type(callback: Any) -> str | None:
    """Return the short name of the type that a source returns, or None if it cannot be read."""
    if callback.form != "source":
        return None
    text = callback.bytes.decode(errors="replace")
    found = re.search(r"__device__\s+(?:__noinline__\s+|inline\s+)?([\w:<>]+(?:\s+[\w:<>]+)*?)\s+\w+\s*\(", text)
    return type_of_spelling(found[1]) if found else None


def _callbacks(
    combine: CallbackLike, map: CallbackLike | None, finish: CallbackLike | None, initial: Any, accumulator: str | None
) -> _core.ReduceCallbacks:
    whole = as_callback(combine)
    first = None
    if initial is not None:
        first = _accumulator_bytes(initial, accumulator or result_type(whole))
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
    return _core.precompile_reduce(engine or default_engine(), callbacks, architectures, format, dict(options))
