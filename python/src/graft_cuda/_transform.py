"""Elementwise kernels: graft::Transform for arrays of Python's libraries."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from . import _core
from ._callback import CallbackLike, as_callback
from ._engine import Engine, default_engine
from ._error import GraftError
from ._jobs import (
    NO_GUARD,
    Device,
    Job,
    Out,
    current_stream,
    integers,
    needs_out,
    refuse_two_devices,
    state_or_parameters,
)
from ._libraries import library_of, stream_handle
from ._report import Report
from ._state import Place, State

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ._options import BuildOptions, Options


class Image:
    """A kernel that is linked for one architecture: what `build` makes without a GPU, for `Transform.load`."""

    def __init__(self, core: _core.Image) -> None:
        self._core = core

    @property
    def bytes(self) -> bytes:
        """The machine code: a cubin, or for the host route a shared object."""
        return self._core.bytes

    @property
    def signature(self) -> _core.Signature:
        return self._core.signature

    @property
    def report(self) -> Report:
        return Report(self._core.report_text, self._core.report_json)


def with_baked_state(options: dict[str, Any], callback: _core.Callback, bake: Any) -> dict[str, Any]:
    if bake is None:
        return options
    members = State([callback]).members(None)
    kind = getattr(members.layout, "type", "class")
    return {**options, "baked_state": (members.bytes_of(bake, None), kind, members.alignment)}


class Transform(Job):
    """A callback for each element of arrays of any shape.

    ``transform(x, y, out=z, state={"a": 2.0})`` repeats (broadcasts) inputs as NumPy does, and returns `out`, or new
    arrays in the library of the first input. Arrays in GPU memory are handled by a kernel on the current stream of
    their library, or on `stream`; the call returns when the launch is queued. Arrays in host memory are handled by the
    CPU before the call returns. Thread-safe.
    """

    def __init__(
        self,
        callback: CallbackLike,
        *,
        bake: Any = None,
        device: Device | None = None,
        engine: Engine | None = None,
        **options: Unpack[Options],
    ) -> None:
        """Compile and load the kernel. A str is CUDA C++; `graft.formula` makes callbacks of formulas."""
        whole = as_callback(callback)
        self._state = State([whole])
        super().__init__(
            lambda engine, words: _core.Transform.create(engine, whole, words),
            engine,
            device,
            with_baked_state(dict(options), whole, bake),
        )

    @classmethod
    def load(cls, image: Image, *, engine: Engine | None = None, **options: Unpack[Options]) -> Transform:
        """Load an image that `build` made for this GPU's architecture."""
        if not isinstance(image, Image):
            raise GraftError("InvalidArgument", f"the image is a {type(image).__name__}", "Pass what `build` returned.")
        engine = engine or default_engine()
        self = cls._loaded(_core.Transform.load(engine, image._core, dict(options)), engine)
        self._state = State(None)
        return self

    @property
    def signature(self) -> _core.Signature:
        return self._first.signature

    def __repr__(self) -> str:
        return f"<graft_cuda.Transform {self.signature.text}>"

    def _state_bytes(self, kernel: Any, state: Any, place: Place | None = None) -> bytes | None:
        if state is None:
            return None
        return self._state.bytes_of(state, self._facts_of(kernel).state, place)

    def __call__(
        self, /, *inputs: Any, out: Any = None, state: Any = None, stream: Any = None, **parameters: Any
    ) -> Any:
        """Queue one launch. Members of the state may be given as keywords. Raises GraftError."""
        if parameters:
            state = state_or_parameters(state, parameters)
        pointed = None if state is None else self._state.arrays(state, self._facts_of(self._first).state)
        kernel = self._kernels.get(True)
        if kernel is not None and stream is None and inputs and not pointed and _core.is_read_directly(inputs[0]):
            given = None if state is None else self._state_bytes(kernel, state)
            makes = out is None and self._facts_of(kernel).why_out_is_needed is None
            result = kernel.call_directly(inputs, out, given, makes)
            if result is not None:
                return result
        return self._call(inputs, out, stream, state, pointed)

    def _outputs(self, kernel: Any, taken: _core.Arrays, call: Any) -> list[Out]:
        if not len(taken):
            raise needs_out("the callback has no inputs from which its shape could be taken")
        return self._facts_of(kernel).made(taken.broadcast_shape())

    def _launch(self, kernel: Any, taken: _core.Arrays, results: _core.Arrays, stream: int | None, call: Any) -> None:
        place = Place(stream is not None, stream)
        kernel.execute(taken, results, stream, None if call is None else self._state_bytes(kernel, call, place))

    def _prepare(self, kernel: Any, taken: _core.Arrays, results: _core.Arrays, call: Any) -> None:
        kernel.prepare_shapes(taken, results)

    def for_count(
        self, count: int, *, state: Any = None, stream: Any = None, device: Device | None = None, **parameters: Any
    ) -> None:
        """Call a callback without arrays for the indices 0 to `count` - 1; it writes through pointers in its state.

        The arrays to which the state points say where, and on which stream. For a state with addresses, `device` says
        it; without it, that is the place for which the kernel was made first.
        """
        state = state_or_parameters(state, parameters)
        pointed = {} if state is None else self._state.arrays(state, self._facts_of(self._first).state)
        main = next(iter(pointed.values()), None)
        library = library_of(main)
        if device is None:
            on_device = self._is_first_on_device() if main is None else library.on_device(main)
        else:
            on_device = device == "gpu"
        if stream is not None and not on_device:
            raise GraftError("InvalidArgument", "a stream was given for the host", "Leave stream away.")
        kernel = self._kernel(on_device)
        handle: int | None = None
        if on_device:
            refuse_two_devices((), (), pointed, [])
            arrays = tuple(pointed.values())
            handle = current_stream(arrays, (), [library_of(one) for one in arrays])
            handle = handle if stream is None else stream_handle(stream)
        with (library.guard(main) if on_device and main is not None else None) or NO_GUARD:
            given = self._state_bytes(kernel, state, Place(on_device, handle))
            kernel.execute_count(integers(count, "count")[0], handle, given)

    def prepare_shapes(self, *inputs: Any, out: Any) -> None:
        """Make the kernel that serves arrays of these shapes best now; else the first such call makes it."""
        outs = out if isinstance(out, (tuple, list)) else (out,)
        taken, results = _core.Arrays(inputs, False), _core.Arrays(outs, True)
        self._kernel(results.on_device).prepare_shapes(taken, results)

    def describe_shapes(self, *inputs: Any, out: Any) -> str:
        """Say in one line how a call with arrays of these shapes is served."""
        outs = out if isinstance(out, (tuple, list)) else (out,)
        taken, results = _core.Arrays(inputs, False), _core.Arrays(outs, True)
        return self._kernel(results.on_device).describe_shapes(taken, results)


def build(
    callback: CallbackLike,
    architecture: str,
    *,
    bake: Any = None,
    engine: Engine | None = None,
    **options: Unpack[BuildOptions],
) -> Image:
    """Build the kernel for an architecture such as "sm_90". No GPU is needed."""
    whole = as_callback(callback)
    words = with_baked_state(dict(options), whole, bake)
    return Image(_core.build(engine or default_engine(), whole, architecture, words))


def precompile(
    callback: CallbackLike,
    architectures: list[str],
    format: str = "pack",
    *,
    bake: Any = None,
    engine: Engine | None = None,
    **options: Unpack[BuildOptions],
) -> bytes:
    """Compile a callback ahead of time: the bytes of a .graft file, for `Callback.pack` where no compiler is.

    `format` may also be "pack with cubins", "LTO-IR", "fatbin", "PTX" or "cubin" (include/graft/precompile.hpp).
    """
    whole = as_callback(callback)
    words = with_baked_state(dict(options), whole, bake)
    return _core.precompile(engine or default_engine(), whole, architectures, format, words)
