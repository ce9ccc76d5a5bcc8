"""FFTs: graft::Fft for arrays of Python's libraries."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from . import _checks, _core
from ._callback import CallbackLike, architectures_and_format, as_optional
from ._engine import Engine, engine_of
from ._error import GraftError
from ._jobs import Device, Job, Out, needs_out, state_or_parameters
from ._layout import Place
from ._libraries import stream_handle
from ._state import Members, State

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ._options import BuildOptions, Options

Storage = Literal["same", "f16", "bf16"]


def _request(
    shape: int | Sequence[int],
    load: CallbackLike | None,
    between: CallbackLike | None,
    store: CallbackLike | None,
    inverse: tuple[CallbackLike | None, CallbackLike | None] | None,
    precision: str,
    kind: str,
    directions: str,
    scaling: str,
    storage: tuple[str, str],
    has_strides: bool,
    has_long_arrays: bool,
    batch: int,
) -> _core.FftRequest:
    if kind == "real" and (load is not None or store is not None) and inverse is None and directions == "both":
        directions = "forward"  # real numbers on one side: callbacks of one direction do not fit the other
    sides = _checks.pair(storage, "storage", '("f16", "same")')
    storage_in, storage_out = (_checks.text(side, "a side of storage", '"f16"') for side in sides)
    if inverse is not None:
        inverse = _checks.pair(inverse, "inverse", "(load, store)")
    return _core.FftRequest(
        shape=_checks.integers(shape, "shape"),
        precision=_checks.text(precision, "precision", '"f64"'),
        directions=_checks.text(directions, "directions", '"forward"'),
        scaling=_checks.text(scaling, "scaling", '"by length"'),
        kind=_checks.text(kind, "kind", '"real"'),
        storage_in=storage_in,
        storage_out=storage_out,
        has_strides=_checks.flag(has_strides, "has_strides"),
        has_long_arrays=_checks.flag(has_long_arrays, "has_long_arrays"),
        batch=_checks.count(batch, "batch"),
        load=as_optional(load),
        between=as_optional(between),
        store=as_optional(store),
        inverse=None if inverse is None else (as_optional(inverse[0]), as_optional(inverse[1])),
    )


def _axes_of(axes: int | Sequence[int] | None) -> list[int]:
    """Return the axes that a call names; none for the last ones."""
    if axes is None:
        return []
    named = _checks.integers(axes, "axes", 32)
    if not named:
        raise GraftError(
            "InvalidArgument",
            f"axes is {axes!r}, but an FFT has at least one dimension",
            "Name one axis for each dimension of the FFT, or leave axes= unset for the last ones.",
        )
    return named


class _Side(NamedTuple):
    """The output of a direction: its type, the size of its elements, and why a call must give it, if that is so."""

    name: str
    size: int
    why_out_is_needed: str | None


class _Call(NamedTuple):
    """What a call asks for beside its arrays."""

    inverse: bool
    axes: list[int]
    state: Any
    workspace: Any


class Fft(Job):
    """FFTs of one to three dimensions, with callbacks at load and store and between an FFT and its inverse.

    ``fft(x)`` transforms the last axes of an array of any number of dimensions, ``fft(x, inverse=True)`` back; the
    other axes are the batch. A call has `axes`, `out`, `state`, `stream` and `workspace` as well, an array in GPU
    memory of `workspace_bytes`; inputs of the store callback follow those of the load callback. The definition is that
    of numpy.fft without scaling, unless `scaling` is given.
    Thread-safe, except that calls which share a workspace must not run at the same time (include/graft/fft.hpp).
    """

    def __init__(
        self,
        shape: int | Sequence[int],
        *,
        load: CallbackLike | None = None,
        between: CallbackLike | None = None,
        store: CallbackLike | None = None,
        inverse: tuple[CallbackLike | None, CallbackLike | None] | None = None,
        precision: Literal["f32", "f64"] = "f32",
        kind: Literal["complex", "real"] = "complex",
        directions: Literal["both", "forward", "inverse"] = "both",
        scaling: Literal["none", "by length", "unitary"] = "none",
        storage: tuple[Storage, Storage] = ("same", "same"),
        has_strides: bool = False,
        has_long_arrays: bool = False,
        batch: int = 0,
        device: Device | None = None,
        engine: Engine | None = None,
        **options: Unpack[Options],
    ) -> None:
        """Plan, compile and load the kernels. `shape` is a length, or up to three. `inverse` are the load and store
        callbacks of the inverse, if it has others; without them, a real FFT with callbacks is a forward one unless
        `directions` says otherwise. `storage` is what the input and the output hold where no callback decides it:
        ``("f16", "same")`` reads halves. `batch` is the largest for which a workspace is allocated."""
        request = _request(
            shape,
            load,
            between,
            store,
            inverse,
            precision,
            kind,
            directions,
            scaling,
            storage,
            has_strides,
            has_long_arrays,
            batch,
        )
        self._states = [State([as_optional(load), as_optional(between), as_optional(store)], options)]
        if inverse is not None:
            of_inverse = [as_optional(inverse[0]), as_optional(between), as_optional(inverse[1])]
            self._states.append(State(of_inverse, options))
        self._between: bool | None = between is not None  # None: a pack does not tell
        self._sides: dict[tuple[Any, bool], _Side] = {}  # by kernel, and whether it is the inverse's
        super().__init__(lambda engine, words: _core.Fft.create(engine, request, words), engine, device, dict(options))

    @classmethod
    def load(cls, pack: bytes, *, batch: int = 0, engine: Engine | None = None, **options: Unpack[Options]) -> Fft:
        """Load what `precompile_fft` made. Calls need out= if the FFT has a store callback."""
        engine = engine_of(engine)
        kernel = _core.Fft.load(engine, _checks.code(pack, "pack"), _checks.count(batch, "batch"), dict(options))
        return cls._loaded(kernel, engine, _states=[State(None)], _between=None, _sides={})

    @property
    def shape(self) -> tuple[int, ...]:
        return tuple(self._first.shape)

    def __repr__(self) -> str:
        return f"<graft_cuda.Fft {' x '.join(map(str, self.shape))}>"

    def workspace_bytes(self, batch: int) -> int:
        """The device memory in bytes that a call with this batch needs; 0 for lengths of one kernel."""
        return self._first.workspace_bytes(_checks.count(batch, "batch"))

    def _side(self, kernel: Any, inverse: bool) -> _Side:
        found = self._sides.get((kernel, inverse))
        if found is None:
            # Those of the forward FFT's kernels, then those of the inverse's. All kernels of a direction have the same.
            signature = kernel.signatures[-1 if inverse else 0]
            reason, outputs = None, signature.outputs
            if len(outputs) != 1 or outputs[0] == "opaque":
                reason = "a callback decides about the output"
            elif kernel.is_real and self._between is None and not inverse and not outputs[0].startswith("c"):
                reason = "a pack does not tell whether its output are frequencies"
            name, size = (outputs[0], signature.output_sizes[0]) if outputs else ("opaque", 0)
            found = self._sides[kernel, inverse] = _Side(name, size, reason)
        return found

    def _output(self, kernel: Any, taken: _core.Arrays, inverse: bool, axes: list[int]) -> Out:
        side = self._side(kernel, inverse)
        if side.why_out_is_needed:
            raise needs_out(side.why_out_is_needed)
        shape = list(taken.broadcast_shape())
        if kernel.is_real and not self._between:
            last = axes[-1] if axes else -1
            if not -len(shape) <= last < len(shape):
                raise GraftError(
                    "InvalidArgument",
                    f"axis {last} of an array of {len(shape)} dimensions",
                    "Pass an array with at least one dimension, and axes that it has.",
                )
            shape[last] = kernel.shape[-1] if inverse else kernel.shape[-1] // 2 + 1
        return Out(tuple(shape), side.name, side.size)

    def _call_any(
        self,
        /,
        *inputs: Any,
        inverse: bool = False,
        axes: int | Sequence[int] | None = None,
        out: Any = None,
        state: Any = None,
        stream: Any = None,
        workspace: Any = None,
        **parameters: Any,
    ) -> Any:
        """Queue the FFTs of a batch. Raises GraftError.

        Inputs are the arrays of the load callback, then the further arrays of the store callback. `workspace` is an
        array in GPU memory of `workspace_bytes`, for long FFTs that have none of their own.
        """
        state = state_or_parameters(state, parameters)
        call = _Call(bool(inverse), _axes_of(axes), state, workspace)
        further = {} if workspace is None else {"workspace": workspace}
        if state is not None:
            further |= self._members(call).arrays(state)
        if not further:
            result = self._call_directly(inputs, out, stream, call)
            if result is not None:
                return result
        return self._call(inputs, out, stream, call, further)

    if TYPE_CHECKING:
        __call__ = _call_any

    def _keep(self, kernel: Any, on_device: bool) -> None:
        makes_outputs = [self._side(kernel, inverse).why_out_is_needed is None for inverse in (False, True)]
        _core.keep_kernel(self, kernel, on_device, makes_outputs, bool(self._between))

    def _call_directly(self, inputs: tuple[Any, ...], out: Any, stream: Any, call: _Call) -> Any:
        """Return the result of an ordinary call, or None."""
        kernel = self._direct_kernel(inputs)
        if kernel is None:
            return None
        handle = None if stream is None else stream_handle(stream)
        maker = self._members(call)
        state = None if call.state is None else maker.bytes_of(call.state, None)
        makes_outputs = out is None and self._side(kernel, call.inverse).why_out_is_needed is None
        return kernel.call_directly(
            inputs,
            out,
            handle,
            state,
            makes_outputs,
            call.inverse,
            call.axes,
            maker.alignment,
            bool(self._between),
        )

    def _members(self, call: _Call) -> Members:
        return self._states[-1 if call.inverse else 0].members(None)

    def _outputs(self, kernel: Any, taken: _core.Arrays, call: _Call) -> list[Out]:
        if not len(taken):
            raise needs_out("there are no inputs from which its shape could be taken")
        return [self._output(kernel, taken, call.inverse, call.axes)]

    def _launch(self, kernel: Any, taken: _core.Arrays, results: _core.Arrays, stream: int | None, call: _Call) -> None:
        maker = self._members(call)
        place = Place(stream is not None, stream)
        state = None if call.state is None else maker.bytes_of(call.state, None, place)
        space = (
            None
            if call.workspace is None
            else _core.Arrays([call.workspace], True, stream, stream is not None, "workspace")
        )
        kernel.execute(taken, results, stream, call.inverse, call.axes, state, maker.alignment, space)


def precompile_fft(
    shape: int | Sequence[int],
    architectures: list[str],
    format: str = "pack",
    *,
    load: CallbackLike | None = None,
    between: CallbackLike | None = None,
    store: CallbackLike | None = None,
    inverse: tuple[CallbackLike | None, CallbackLike | None] | None = None,
    precision: Literal["f32", "f64"] = "f32",
    kind: Literal["complex", "real"] = "complex",
    directions: Literal["both", "forward", "inverse"] = "both",
    scaling: Literal["none", "by length", "unitary"] = "none",
    storage: tuple[Storage, Storage] = ("same", "same"),
    has_strides: bool = False,
    has_long_arrays: bool = False,
    engine: Engine | None = None,
    **options: Unpack[BuildOptions],
) -> bytes:
    """Compile an FFT ahead of time, for `Fft.load`."""
    request = _request(
        shape,
        load,
        between,
        store,
        inverse,
        precision,
        kind,
        directions,
        scaling,
        storage,
        has_strides,
        has_long_arrays,
        0,
    )
    names, form = architectures_and_format(architectures, format)
    return _core.precompile_fft(engine_of(engine), request, names, form, dict(options))
