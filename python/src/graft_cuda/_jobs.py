"""What transforms, reductions and FFTs share: kernels for the GPU and for the host, and the course of a call."""

from __future__ import annotations

import os
import sys
import types
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING, Any, Literal

from . import _core
from ._engine import Engine, engine_of
from ._error import GraftError
from ._layout import Place, number_bytes
from ._libraries import NumPy, library_name, library_of, stream_handle
from ._lock import Lock
from ._report import Report
from ._state import State

if TYPE_CHECKING:
    from typing_extensions import Self

Device = Literal["gpu", "host"]


_pool: ThreadPoolExecutor | None = None
_pool_lock = Lock()


def workers() -> ThreadPoolExecutor:
    global _pool
    with _pool_lock:
        if _pool is None:
            _pool = ThreadPoolExecutor(os.cpu_count(), "graft")
        return _pool


def _forget_workers() -> None:  # a forked process has the pool without its threads
    global _pool
    _pool = None


os.register_at_fork(after_in_child=_forget_workers)


class Out:
    """An output that a call makes: its shape, the short name of its type, and the size of its elements."""

    def __init__(self, shape: tuple[int, ...], name: str, size: int) -> None:
        self.shape, self.name, self.size = shape, name, size


class Facts:
    """What calls ask of a kernel's signature again and again."""

    def __init__(self, signature: _core.Signature) -> None:
        self.inputs = signature.inputs
        self.outputs = list(zip(signature.outputs, signature.output_sizes, strict=True))
        self.state = signature.state
        self.why_out_is_needed = None
        if signature.in_outs:
            self.why_out_is_needed = "a callback reads its outputs"
        elif signature.is_selective:
            self.why_out_is_needed = "the callback may leave elements of its outputs as they are"
        elif "opaque" in signature.outputs:
            self.why_out_is_needed = "a store callback decides about the outputs' type"

    def made(self, shape: tuple[int, ...]) -> list[Out]:
        """The outputs that a call makes, of one shape."""
        if self.why_out_is_needed:
            raise needs_out(self.why_out_is_needed)
        return [Out(shape, name, size) for name, size in self.outputs]


def check_device(device: Any) -> None:
    if device not in (None, "gpu", "host"):
        raise GraftError("InvalidArgument", f"device is {device!r}", 'Pass "gpu", "host" or None.')


class CallSignature:
    """What inspect.signature shows of an object that is called: the signature of its `_call_any`, unless a derived
    class has a `__call__` of its own."""

    def __get__(self, instance: Any, owner: type) -> Any:
        import inspect

        if instance is None:
            return None
        call = owner.__call__
        is_own = not isinstance(call, types.WrapperDescriptorType)
        return inspect.signature(types.MethodType(call, instance) if is_own else instance._call_any)


class Job(_core.Caller):
    """A kernel for the GPU and one for the host, each made when it is first needed.

    The first one is made by the constructor, so that a mistake in a callback shows there: that of `device`, or without
    it the GPU's, and the host's on a machine without a GPU.

    Caller makes ordinary calls, without Python code, and has the method `_call_any` make all others.
    """

    __signature__ = CallSignature()

    def __init__(
        self,
        make: Callable[[Engine, dict[str, Any]], Any],
        engine: Engine | None,
        device: Device | None,
        options: dict[str, Any],
    ) -> None:
        super().__init__()
        check_device(device)
        self._make = make
        self._engine = engine_of(engine)
        self._options = options
        self._lock = Lock()
        self._kernels: dict[bool, Any] = {}  # by whether they are for the GPU
        self._facts: dict[Any, Facts] = {}  # by kernel
        if device == "host" or options.get("route") == "host":
            self._first = self._kernel(False)
        else:
            try:
                self._first = self._kernel(True)
            except GraftError as error:
                if device == "gpu" or error.code != "NoDevice" or options.get("route"):
                    raise
                self._first = self._kernel(False)

    @classmethod
    def create_async(cls, *arguments: Any, **options: Any) -> Future[Self]:
        """Do what the constructor does on another thread. The future's result() raises the constructor's errors.

        Its cancel() gives up what has not begun. ``await asyncio.wrap_future(future)`` waits in a coroutine.
        """
        return workers().submit(cls, *arguments, **options)

    @classmethod
    def _loaded(cls, kernel: Any, engine: Engine, **members: Any) -> Self:
        """Return the job of a kernel that was loaded. `members` are those of a kind of job."""
        self = cls.__new__(cls)

        def make(engine: Engine, options: dict[str, Any]) -> Any:
            raise GraftError(
                "InvalidArgument",
                "this was loaded from compiled kernels, which do not run on the host",
                "Pass arrays in GPU memory, or create it from callbacks.",
            )

        self._make, self._engine, self._options = make, engine, {}
        self._lock = Lock()
        is_host = any(Report(*texts).route == "host" for texts in kernel.reports)
        self._kernels = {not is_host: kernel}
        self._facts = {}
        self._first = kernel
        self.__dict__.update(members)
        self._keep(kernel, not is_host)
        return self

    def _keep(self, kernel: Any, on_device: bool) -> None:
        """Let a kernel make ordinary calls, if it has such (_core.keep_kernel)."""

    def __copy__(self) -> Self:  # nothing changes a job
        return self

    def _kernel(self, on_device: bool) -> Any:
        kernel = self._kernels.get(on_device)
        if kernel is None:
            with self._lock:
                kernel = self._kernels.get(on_device)
                if kernel is None:
                    options = self._options if on_device else {**self._options, "route": "host"}
                    kernel = self._make(self._engine, options)
                    self._keep(kernel, on_device)
                    self._kernels[on_device] = kernel
        return kernel

    def _is_first_on_device(self) -> bool:
        return self._kernels.get(True) is self._first

    @property
    def reports(self) -> list[Report]:
        """The reports of the kernels that were made first."""
        return [Report(*texts) for texts in self._first.reports]

    @property
    def report(self) -> Report:
        return self.reports[0]

    def prepare(self, device: Device) -> None:
        """Make the kernel for the GPU or for the host now, so that no call has to."""
        self._kernel(device == "gpu")

    # ---- A call ----
    #
    # Each kind of job says what its calls make and how they are launched; `call` is what the caller asked for beside
    # arrays and stream.

    def _outputs(self, kernel: Any, taken: _core.Arrays, call: Any) -> list[Out]:
        """What a call without out= makes."""
        raise NotImplementedError

    def _launch(self, kernel: Any, taken: _core.Arrays, results: _core.Arrays, stream: int | None, call: Any) -> None:
        """Queue the work on a stream, or do it on the host, where there is none."""
        raise NotImplementedError

    def _prepare(self, kernel: Any, taken: _core.Arrays, results: _core.Arrays, call: Any) -> None:
        """Make the kernel for arrays of these shapes, which none serves."""

    def _facts_of(self, kernel: Any) -> Facts:
        facts = self._facts.get(kernel)
        if facts is None:
            facts = self._facts[kernel] = Facts(kernel.signature)
        return facts

    def _call(
        self, inputs: tuple[Any, ...], out: Any, stream: Any, call: Any, further: dict[str, Any] | None = None
    ) -> Any:
        """`further`: arrays that are neither inputs nor outputs, by what messages call them."""
        try:
            return self._call_by_libraries(inputs, out, stream, call, further)
        except ImportError:
            if not sys.is_finalizing():
                raise
            raise GraftError(
                "InvalidArgument",
                "the call was made while Python ends, and needs a library of arrays that Python has given up",
                "Make the call earlier: not in the __del__ of an object that lives until Python ends.",
            ) from None

    def _call_by_libraries(
        self, inputs: tuple[Any, ...], out: Any, stream: Any, call: Any, further: dict[str, Any] | None
    ) -> Any:
        given = given_outputs(out)
        kinds = [library_of(array) for array in (*inputs, *given)]
        main, library, has_numbers = _first_array(inputs, given, kinds)
        on_device = library.on_device(main)
        kernel = self._kernels.get(on_device) or self._kernel(on_device)
        self._check_inputs(kernel, inputs)
        handle: int | None = None
        guard = making = None
        if on_device:
            refuse_two_devices(inputs, given, further, kinds)
            guard = library.guard(main)
            handle = current_stream(inputs, given, kinds) if stream is None else stream_handle(stream)
            if stream is not None and (has_numbers or out is None):
                making = _making_on(handle, library, main)
        elif stream is not None:
            raise GraftError(
                "InvalidArgument",
                "a stream was given for arrays in host memory",
                "Leave stream away, or pass GPU arrays.",
            )
        with guard or NO_GUARD:
            with making or NO_GUARD:
                if has_numbers:
                    inputs = self._with_arrays(kernel, inputs, library, main)
                taken = _core.Arrays(inputs, False, handle, on_device)
                if out is None:
                    made = [*inputs, main]
                    given = tuple(
                        library.empty(one.shape, one.name, one.size, made) for one in self._outputs(kernel, taken, call)
                    )
            results = _core.Arrays(
                self._shaped(given, taken, call) if out is not None else given, True, handle, on_device
            )
            try:
                self._launch(kernel, taken, results, handle, call)
            except GraftError as error:
                if error.code != "NotPrepared":
                    raise
                if on_device:
                    library.make_context(main)
                self._launch_unprepared(kernel, taken, results, handle, call)
        if out is not None:
            return out
        finished = tuple(library.finish(array) for array in given)
        return finished[0] if len(finished) == 1 else finished

    def _direct_kernel(self, inputs: tuple[Any, ...]) -> Any:
        """Return the kernel of an ordinary call with a state or a stream (binding/direct.hpp).

        None if there is none yet, or for arrays of other libraries. The kernel's call_directly returns None for every
        call that is not ordinary, with nothing launched.
        """
        on_device = _core.directly_on_device(inputs[0]) if inputs else None
        return None if on_device is None else self._kernels.get(on_device)

    def _check_inputs(self, kernel: Any, inputs: tuple[Any, ...]) -> None:
        if not hasattr(kernel, "signature"):
            return
        number, given = len(self._facts_of(kernel).inputs), len(inputs)
        if given == number:
            return
        raise wrong_number_of_inputs(number, given, kernel.signature.text)

    def _shaped(self, given: tuple[Any, ...], taken: _core.Arrays, call: Any) -> tuple[Any, ...]:
        """The outputs that a call was given, in the shape in which they are written."""
        return given

    def _with_arrays(self, kernel: Any, inputs: tuple[Any, ...], library: Any, main: Any) -> tuple[Any, ...]:
        """Makes an array of each number among the inputs, with the type that the callback has there."""
        names = self._facts_of(kernel).inputs if hasattr(kernel, "signature") else []
        if len(names) < len(inputs):
            raise GraftError("TypeMismatch", "a number was given where there is no input", "Pass arrays as inputs.")
        arrays = list(inputs)
        for i, value in enumerate(inputs):
            if library_of(value).holds_numbers:
                number_bytes(value, names[i], f"input {i}")  # refuses what the type cannot hold
                arrays[i] = library.full(value, names[i], main)
        return tuple(arrays)

    def _launch_unprepared(
        self, kernel: Any, taken: _core.Arrays, results: _core.Arrays, stream: int | None, call: Any
    ) -> None:
        """Launch where graft has no kernel for the context or the shapes yet: make it first, as JIT compilers do."""
        kernel.prepare_current()
        try:
            self._launch(kernel, taken, results, stream, call)
        except GraftError as error:
            if error.code != "NotPrepared":
                raise
            self._prepare(kernel, taken, results, call)
            self._launch(kernel, taken, results, stream, call)


class ShapedJob(Job):
    """What transforms and reductions share: a signature with a state, and kernels for arrays of certain shapes.

    A kernel may serve shapes for which it was not made, but slower. The module makes the best one at the first launch
    with such shapes, for all calls (binding/shaped.hpp). FFTs have no such choice: their kernels follow from the plan.
    """

    _state: State
    _has_members_by_place = False  # whether members of the state follow the inputs in a call

    @property
    def signature(self) -> _core.Signature:
        return self._first.signature

    def __repr__(self) -> str:
        return f"<graft_cuda.{type(self).__name__} {self.signature.text}>"

    def _keep(self, kernel: Any, on_device: bool) -> None:
        facts = self._facts_of(kernel)
        makes_outputs = [facts.why_out_is_needed is None]
        packer = self._state.packer(facts.state)
        _core.keep_kernel(self, kernel, on_device, makes_outputs, False, packer, self._has_members_by_place)

    def _state_bytes(self, kernel: Any, state: Any, place: Place | None = None) -> bytes | None:
        if state is None:
            return None
        return self._state.bytes_of(state, self._facts_of(kernel).state, place)

    def _pointed(self, state: Any) -> dict[str, Any]:
        """The arrays to which a state points, by what messages call them."""
        return {} if state is None else self._state.arrays(state, self._facts_of(self._first).state)

    def _call_directly(self, inputs: tuple[Any, ...], out: Any, stream: Any, state: Any, *words: Any) -> Any:
        """Return the result of an ordinary call, or None. `words`: what the kernel's call_directly takes beside."""
        kernel = self._direct_kernel(inputs)
        if kernel is None:
            return None
        handle = None if stream is None else stream_handle(stream)
        makes_outputs = out is None and self._facts_of(kernel).why_out_is_needed is None
        return kernel.call_directly(inputs, out, handle, self._state_bytes(kernel, state), makes_outputs, *words)

    def _prepare(self, kernel: Any, taken: _core.Arrays, results: _core.Arrays, call: Any) -> None:
        kernel.prepare_shapes(taken, results)


def given_outputs(out: Any) -> tuple[Any, ...]:
    """Return what a call was given as out=, an array or several, as a tuple."""
    if out is None:
        return ()
    return tuple(out) if isinstance(out, (tuple, list)) else (out,)


NO_GUARD = nullcontext()


def _first_array(inputs: tuple[Any, ...], given: tuple[Any, ...], kinds: list[NumPy]) -> tuple[Any, NumPy, bool]:
    """The first array and its library, and whether there are numbers. Refuses arrays that no call can have."""
    main, library, has_numbers = None, None, False
    for i, (array, kind) in enumerate(zip((*inputs, *given), kinds, strict=True)):
        if i < len(inputs) and kind.holds_numbers:
            has_numbers = True
            continue
        if i >= len(inputs) and not kind.can_be_written:
            raise GraftError(
                "InvalidArgument", "out is an array of JAX, which cannot be written", "Pass an array of NumPy or CuPy."
            )
        kind.refuse(array)
        if library is None:
            main, library = array, kind
    if library is None:
        raise GraftError(
            "InvalidArgument", "the call has no array", "Pass an array as an input, or the output as out=."
        )
    return main, library, has_numbers


def _making_on(handle: int, library: NumPy, main: Any) -> AbstractContextManager[Any]:
    """What makes the given stream the one on which the library of `main` makes the arrays of a call."""
    making = library.on_stream(handle, main)
    if making is None:
        raise GraftError(
            "InvalidArgument",
            f"stream= was given, and graft cannot make arrays of {library_name(main)} on a stream",
            "Pass the outputs as out=, and arrays in place of numbers.",
        )
    return making


def refuse_two_devices(
    inputs: tuple[Any, ...], given: tuple[Any, ...], further: dict[str, Any] | None, kinds: list[NumPy]
) -> None:
    arrays: tuple[Any, ...] = (*inputs, *given)
    if further:
        arrays = (*arrays, *further.values())
        kinds = kinds + [library_of(array) for array in further.values()]
    first = first_at = None
    for i, (array, kind) in enumerate(zip(arrays, kinds, strict=True)):
        device = kind.device(array)
        if device is None:
            continue
        if first is None:
            first, first_at = device, i
        elif device != first:
            roles = [f"input {k}" for k in range(len(inputs))] + [f"output {k}" for k in range(len(given))]
            roles += further or {}
            raise GraftError(
                "InvalidArgument",
                f"{roles[first_at or 0]} is on GPU {first}, and {roles[i]} is on GPU {device}",
                "Copy one of the arrays: all arrays of a call are on one device.",
            )


def current_stream(inputs: tuple[Any, ...], given: tuple[Any, ...], kinds: list[NumPy]) -> int:
    """The current stream of the first array's library that has one; else the legacy default stream."""
    for array, kind in zip((*inputs, *given), kinds, strict=True):
        stream = _core.stream_directly(array)
        if stream is None:
            stream = kind.stream(array)
        if stream is not None:
            return stream
    return 0


def needs_out(reason: str) -> GraftError:
    return GraftError("InvalidArgument", f"the call has no out=, and {reason}", "Pass the output arrays as out=.")


def wrong_number_of_inputs(number: int, given: int, callback: str) -> GraftError:
    return GraftError(
        "CountMismatch",
        f"the callback takes {number} input{'' if number == 1 else 's'}, and the call has {given}: {callback}",
        "Pass outputs as out=, and members of the state by name."
        if given > number
        else "Pass an array, or a number, for each input.",
    )


def state_or_parameters(state: Any, parameters: dict[str, Any]) -> Any:
    if state is not None and parameters:
        raise GraftError(
            "InvalidArgument",
            f"the call has state= and the parameter {next(iter(parameters))}",
            "Pass either a state or its members by name.",
        )
    return parameters or None if state is None else state
