"""What transforms, reductions and FFTs share: kernels for the GPU and for the host, and the course of a call."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from typing import Any, Literal, Union

from . import _core
from ._engine import Engine, default_engine
from ._error import GraftError
from ._libraries import is_scalar, library_of, stream_handle
from ._report import Report

Device = Literal["gpu", "host"]


class Out:
    """An output that a call makes: its shape, the short name of its type, and the size of its elements."""

    def __init__(self, shape: tuple[int, ...], name: str, size: int) -> None:
        self.shape, self.name, self.size = shape, name, size


class Job:
    """A kernel for the GPU and one for the host, each made when it is first needed.

    The first one is made by the constructor, so that a mistake in a callback shows there: that of `device`, or without
    it the GPU's, and the host's on a machine without a GPU.
    """

    def __init__(
        self,
        make: Callable[[Engine, dict[str, Any]], Any],
        engine: Engine | None,
        device: Device | None,
        options: dict[str, Any],
    ) -> None:
        if device not in (None, "gpu", "host"):
            raise GraftError("InvalidArgument", f"device is {device!r}", 'Pass "gpu", "host" or None.')
        self._make = make
        self._engine = engine or default_engine()
        self._options = options
        self._lock = threading.Lock()
        self._kernels: dict[bool, Any] = {}  # by whether they are for the GPU
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
    def _loaded(cls, kernel: Any, engine: Engine) -> Any:
        self = cls.__new__(cls)

        def make(engine: Engine, options: dict[str, Any]) -> Any:
            raise GraftError(
                "InvalidArgument",
                "this was loaded from compiled kernels, which do not run on the host",
                "Pass arrays in GPU memory, or create it from callbacks.",
            )

        self._make, self._engine, self._options = make, engine, {}
        self._lock = threading.Lock()
        is_host = any(Report(*texts).route == "host" for texts in kernel.reports)
        self._kernels = {not is_host: kernel}
        self._first = kernel
        return self

    def _kernel(self, on_device: bool) -> Any:
        kernel = self._kernels.get(on_device)
        if kernel is None:
            with self._lock:
                kernel = self._kernels.get(on_device)
                if kernel is None:
                    options = self._options if on_device else {**self._options, "route": "host"}
                    kernel = self._kernels[on_device] = self._make(self._engine, options)
        return kernel

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

    def _call(
        self,
        inputs: Sequence[Any],
        out: Any,
        stream: Any,
        types: Callable[[Any], list[str]],
        outputs: Callable[[Any, _core.Arrays], list[Out]],
        launch: Callable[[Any, _core.Arrays, _core.Arrays, Union[int, None]], None],
    ) -> Any:
        """`types`: the names of the types of the inputs, for numbers among them. `outputs`: what a call makes if `out`
        is None. `launch`: queues the work for a kernel, inputs, outputs and a stream, which is None on the host."""
        given = () if out is None else tuple(out) if isinstance(out, (tuple, list)) else (out,)
        arrays = list(inputs)
        main = next((array for array in (*arrays, *given) if not is_scalar(array)), self)
        if main is self:
            raise GraftError(
                "InvalidArgument", "the call has no array", "Pass an array as an input, or the output as out=."
            )
        for array in given:
            if type(array).__module__.partition(".")[0] in ("jax", "jaxlib"):
                raise GraftError(
                    "InvalidArgument", "out is an array of JAX, which cannot be written", "Pass an array of NumPy or CuPy."
                )
        library = library_of(main)
        on_device = library.on_device(main)
        kernel = self._kernel(on_device)
        handle: int | None = None
        if on_device:
            handle = stream_handle(stream) if stream is not None else library.stream(main) or 0
        elif stream is not None:
            raise GraftError(
                "InvalidArgument", "a stream was given for arrays in host memory", "Leave stream away, or pass GPU arrays."
            )
        if len(arrays) and any(is_scalar(array) for array in arrays):
            names = types(kernel)
            arrays = [
                library.full(array, names[i], main) if is_scalar(array) and i < len(names) else array
                for i, array in enumerate(arrays)
            ]
        with library.guard(main) if on_device else nullcontext():
            taken = _core.Arrays(arrays, False, handle)
            if out is None:
                given = tuple(
                    library.empty(one.shape, one.name, one.size, [main, *arrays]) for one in outputs(kernel, taken)
                )
            results = _core.Arrays(given, True, handle)
            launch(kernel, taken, results, handle)
        if out is not None:
            return out
        finished = tuple(library.finish(array) for array in given)
        return finished[0] if len(finished) == 1 else finished


def launch_prepared(launch: Callable[[], None], kernel: Any, shapes: Callable[[], None] | None) -> None:
    """Launch; where graft has no kernel for the context or the shapes yet, make it first, as JIT compilers do."""
    try:
        launch()
        return
    except GraftError as error:
        if error.code != "NotPrepared":
            raise
    kernel.prepare_current()
    try:
        launch()
        return
    except GraftError as error:
        if error.code != "NotPrepared" or shapes is None:
            raise
    shapes()
    launch()


def needs_out(reason: str) -> GraftError:
    return GraftError("InvalidArgument", f"the call has no out=, and {reason}", "Pass the output arrays as out=.")


def state_or_parameters(state: Any, parameters: dict[str, Any]) -> Any:
    if state is not None and parameters:
        raise GraftError(
            "InvalidArgument",
            f"the call has state= and the parameter {next(iter(parameters))}",
            "Pass either a state or its members by name.",
        )
    return parameters or None if state is None else state
