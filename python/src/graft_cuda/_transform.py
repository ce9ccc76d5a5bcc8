"""Elementwise kernels: graft::Transform for arrays of Python's libraries."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from . import _checks, _core
from ._callback import Callback, CallbackLike, architectures_and_format, as_callback, instance_of
from ._engine import Engine, engine_of
from ._error import GraftError
from ._jobs import (
    NO_GUARD,
    Device,
    Out,
    ShapedJob,
    check_device,
    current_stream,
    given_outputs,
    needs_out,
    refuse_two_devices,
    state_or_parameters,
    wrong_number_of_inputs,
)
from ._layout import Place
from ._libraries import library_of, short_name, stream_handle
from ._lock import Lock
from ._report import Report
from ._spelling import IN_CPP
from ._state import State
from ._struct import state_template

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
    members = State([callback], options).members(None)
    kind = getattr(members.layout, "type", "class")
    return {**options, "baked_state": (members.bytes_of(bake, None), kind, members.alignment)}


class Transform(ShapedJob):
    """A callback for each element of arrays of any shape.

    ``transform(x, y, out=z, state={"a": 2.0})`` repeats (broadcasts) inputs as NumPy does, and returns `out`, or new
    arrays in the library of the first input. Members of the state may be keywords of the call. Arrays in GPU memory are
    handled by a kernel on the current stream of their library, or on `stream`; the call returns when the launch is
    queued. Arrays in host memory are handled by the CPU before the call returns. Thread-safe.

    Of a template, or of a lambda with ``auto`` parameters, it is a `GenericTransform`.
    """

    def __new__(cls, callback: CallbackLike | None = None, *arguments: Any, **options: Any) -> Transform:
        is_generic = cls is Transform and callback is not None and _named(callback, options).takes_types
        return super().__new__(GenericTransform if is_generic else cls)

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
        self._state = State([whole], options)
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
        engine = engine_of(engine)
        return cls._loaded(_core.Transform.load(engine, image._core, dict(options)), engine, _state=State(None))

    def _call_any(
        self, /, *inputs: Any, out: Any = None, state: Any = None, stream: Any = None, **parameters: Any
    ) -> Any:
        """Queue one launch. Members of the state may be given as keywords. Raises GraftError."""
        if parameters:
            state = state_or_parameters(state, parameters)
        pointed = self._pointed(state)
        if not pointed:
            result = self._call_directly(inputs, out, stream, state)
            if result is not None:
                return result
        return self._call(inputs, out, stream, state, pointed)

    if TYPE_CHECKING:
        __call__ = _call_any

    def _outputs(self, kernel: Any, taken: _core.Arrays, call: Any) -> list[Out]:
        if not len(taken):
            raise needs_out("the callback has no inputs from which its shape could be taken")
        return self._facts_of(kernel).made(taken.broadcast_shape())

    def _launch(self, kernel: Any, taken: _core.Arrays, results: _core.Arrays, stream: int | None, call: Any) -> None:
        place = Place(stream is not None, stream)
        kernel.execute(taken, results, stream, None if call is None else self._state_bytes(kernel, call, place))

    def for_count(
        self, count: int, *, state: Any = None, stream: Any = None, device: Device | None = None, **parameters: Any
    ) -> None:
        """Call a callback without arrays for the indices 0 to `count` - 1; it writes through pointers in its state.

        The arrays to which the state points say where, and on which stream. For a state with addresses, `device` says
        it; without it, that is the place for which the kernel was made first.
        """
        number = _checks.count(count, "count")
        state = state_or_parameters(state, parameters)
        pointed = self._pointed(state)
        main = next(iter(pointed.values()), None)
        library = library_of(main)
        if device is None:
            on_device = self._is_first_on_device() if main is None else library.on_device(main)
        else:
            on_device = device == "gpu"
        if stream is not None and not on_device:
            raise GraftError("InvalidArgument", "a stream was given for the host", "Leave stream away.")
        kernel = self._kernel(on_device)
        facts = self._facts_of(kernel)
        if facts.inputs or facts.outputs:
            raise _no_count(
                f"the callback has {'arrays of elements' if facts.inputs else 'an output'}: {kernel.signature.text}",
                "transform(x)" if facts.inputs else "transform(..., out=numpy.empty(...))",
            )
        handle: int | None = None
        if on_device:
            refuse_two_devices((), (), pointed, [])
            arrays = tuple(pointed.values())
            handle = current_stream(arrays, (), [library_of(one) for one in arrays])
            handle = handle if stream is None else stream_handle(stream)
        with (library.guard(main) if on_device and main is not None else None) or NO_GUARD:
            given = self._state_bytes(kernel, state, Place(on_device, handle))
            kernel.execute_count(number, handle, given)

    def prepare_shapes(self, *inputs: Any, out: Any) -> None:
        """Make the kernel that serves arrays of these shapes best now; else the first such call makes it."""
        taken, results = _core.Arrays(inputs, False), _core.Arrays(given_outputs(out), True)
        self._kernel(results.on_device).prepare_shapes(taken, results)

    def describe_shapes(self, *inputs: Any, out: Any) -> str:
        """Say in one line how a call with arrays of these shapes is served."""
        taken, results = _core.Arrays(inputs, False), _core.Arrays(given_outputs(out), True)
        return self._kernel(results.on_device).describe_shapes(taken, results)


def _named(callback: CallbackLike, options: Mapping[str, Any]) -> Callback:
    """The callback, of which the option `entry` names the function."""
    whole, entry = as_callback(callback), options.get("entry")
    return whole.with_entry(entry) if isinstance(entry, str) and whole.form == "source" else whole


class GenericTransform(Transform):
    """The transforms of a template, or of a lambda with ``auto`` parameters: one for each combination of types.

    A call takes the types of its inputs, and a number of Python the type of the first array. The first call with other
    types makes another kernel. Thread-safe.
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
        """Compile nothing yet."""
        _core.Caller.__init__(self)
        check_device(device)
        _core.check_options(dict(options))
        self._callback = _named(callback, options)
        self._state_template = state_template(self._callback)
        self._create: dict[str, Any] = {"bake": bake, "device": device, "engine": engine, **options}
        self._create.pop("entry", None)
        self._transforms: dict[str, Transform] = {}  # by their types in one line
        self._with_outputs: set[str] = set()  # inputs from whose types those of the outputs do not follow
        self._lock = Lock()

    def __repr__(self) -> str:
        return f"<graft_cuda.GenericTransform {self._callback.name}>"

    def transform_for(self, types: str, device: Device | None = None) -> Transform:
        """Return the transform for arrays of these types, made now unless it is there; a new one is first for `device`.

        ``"f32, f64"`` are the inputs; ``"f32; f64 -> f32, i32"`` has the type of the state and those of the outputs
        too, which are needed if they do not follow from the inputs'. Structs have the names of the callback's text.
        """
        found = self._transforms.get(types)
        if found is None:
            with self._lock:
                found = self._transforms.get(types)
                if found is None:
                    create = {**self._create, "device": self._create["device"] or device}
                    found = self._transforms[types] = Transform(instance_of(self._callback, types), **create)
        return found

    def _of(self, inputs: tuple[Any, ...], out: Any, state: Any = None) -> Transform:
        """The transform for these arrays."""
        outs = given_outputs(out)
        types, device = _types_of(inputs)
        of_state = self._type_of_state(state)
        types += of_state
        if types not in self._with_outputs:
            try:
                return self._transforms.get(types) or self.transform_for(types, device)
            except GraftError as error:  # the outputs' types do not follow from those of the inputs
                self._refuse_number(error, len(inputs))
                if error.code == "AmbiguousEntry" and self._state_template and not of_state:
                    raise self._needs_type_of_state(types) from None
                if error.code != "AmbiguousEntry" or not outs:
                    raise
                self._with_outputs.add(types)
        return self.transform_for(f"{types} -> {_types_of(outs)[0]}", device)

    def _needs_type_of_state(self, inputs: str) -> GraftError:
        name, members = self._state_template or ("", {})
        those = ", ".join(dict.fromkeys(one for names in members.values() for one in names))
        arguments = ", ".join(["float"] * len(members))
        return GraftError(
            "AmbiguousEntry",
            f"no array shows the type {name}<{', '.join(members)}> of the state of {self._callback.name}",
            f"Pass an array, or a number of NumPy, for a member of each type ({those}), or name the types: "
            f'transform_for("{inputs}; {name}<{arguments}>")(...).',
        )

    def _type_of_state(self, state: Any) -> str:
        """The type of a state whose struct is a template: of its members, an array or a number of NumPy says it."""
        if self._state_template is None or not isinstance(state, Mapping):
            return ""
        name, members = self._state_template
        types = []
        for those in members.values():
            values = [state[one] for one in those if not _has_no_type(state.get(one))]
            if not values:
                return ""
            types.append(IN_CPP.get(_types_of((values[0],))[0], ""))
        return f"; {name}<{', '.join(types)}>" if all(types) else ""

    def _refuse_number(self, error: GraftError, given: int) -> None:
        """Say of a call with another number of inputs what a callback without a template says."""
        found = re.search(r" takes (\d+) inputs?, and \d+ types? (?:was|were) given", error.message)
        if found and int(found[1]) != given:
            raise wrong_number_of_inputs(int(found[1]), given, self._callback.name) from None

    def _takes_inputs(self) -> bool:
        try:
            self._callback.with_types("f32")
        except GraftError as error:
            return " takes 0 inputs" not in error.message
        return True

    def _call_any(
        self, /, *inputs: Any, out: Any = None, state: Any = None, stream: Any = None, **parameters: Any
    ) -> Any:
        """As `Transform`: queue one launch, of the transform for the types of these inputs."""
        if self._state_template is not None:
            state, parameters = state_or_parameters(state, parameters), {}
        transform = self._of(inputs, out, state)
        result = transform(*inputs, out=out, state=state, stream=stream, **parameters)
        if self._state_template is None and not self._with_outputs:  # then the inputs alone choose the transform
            _core.keep_instance(self, inputs, transform)
        return result

    def prepare_shapes(self, *inputs: Any, out: Any) -> None:
        self._of(inputs, out).prepare_shapes(*inputs, out=out)

    def describe_shapes(self, *inputs: Any, out: Any) -> str:
        return self._of(inputs, out).describe_shapes(*inputs, out=out)

    @property
    def _first(self) -> Any:
        state = f"; {self._state_template[0]}<float>" if self._state_template else ""
        types = f"f32{state}" if self._takes_inputs() else state or "-> f32"
        raise GraftError(
            "InvalidArgument",
            f"{self._callback.name} takes its types from the arrays, and has a kernel for each combination of types",
            f'Ask transform_for("{types}") for one of them.',
        )

    def _kernel(self, on_device: bool) -> Any:
        return self._first

    def for_count(self, count: int, *, state: Any = None, **call: Any) -> None:
        """As `Transform`, of the transform for the type that the arrays of the state say."""
        own = {name: call.pop(name) for name in ("stream", "device") if name in call}
        state = state_or_parameters(state, call)
        if self._takes_inputs():
            raise _no_count(f"{self._callback.name} takes arrays of elements", "transform(x)")
        if self._state_template is None:
            return self._first.for_count(count)  # which refuses it
        types = self._type_of_state(state)
        if not types:
            raise self._needs_type_of_state("")
        self.transform_for(types).for_count(count, state=state, **own)


def _has_no_type(value: Any) -> bool:
    return value is None or (library_of(value).holds_numbers and not hasattr(value, "dtype"))


def _no_count(what: str, call: str) -> GraftError:
    return GraftError(
        "CountMismatch",
        f"for_count was called, and {what}",
        f"Call the transform itself, whose arrays contain the count: {call}. for_count is for callbacks that write "
        "through pointers in their state alone.",
    )


def _types_of(values: tuple[Any, ...]) -> tuple[str, Device | None]:
    """Return the types of arrays and numbers in one line, and where the arrays are."""
    known = _core.types_directly(values) if values else None
    if known:
        return ", ".join(known[0]), "gpu" if known[1] else "host"
    kinds = [library_of(value) for value in values]
    arrays = [value for value, kind in zip(values, kinds, strict=True) if not kind.holds_numbers]
    taken = _core.Arrays(arrays, False)
    of_arrays = iter(taken.types)
    names: list[str] = []
    for value, kind in zip(values, kinds, strict=True):
        if not kind.holds_numbers:
            names.append(next(of_arrays))
        elif hasattr(value, "dtype"):
            names.append(short_name(value.dtype))
        elif arrays:
            names.append(taken.types[0])
        else:
            raise GraftError("InvalidArgument", "the call has no array", "Pass an array, whose type numbers take.")
    if "class" in names:
        raise GraftError(
            "TypeMismatch",
            f"array {names.index('class')} of the call has structs, whose name the callback's text has alone",
            'Call transform_for("Point")(x), or choose the instance by entry="f<Point>".',
        )
    return ", ".join(names), None if not arrays else "gpu" if taken.on_device else "host"


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
    name = _checks.text(architecture, "architecture", '"sm_90"')
    return Image(_core.build(engine_of(engine), whole, name, words))


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
    names, form = architectures_and_format(architectures, format)
    return _core.precompile(engine_of(engine), whole, names, form, words)
