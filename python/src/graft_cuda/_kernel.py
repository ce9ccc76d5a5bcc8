"""Kernels of the user's own, with callbacks in their slots: graft::KernelCode and graft::Kernel (docs/kernels.md)."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from concurrent.futures import Future
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypedDict, Union

from . import _core
from ._arguments import SlotState, parameters_of, place, taken
from ._callback import Callback, CallbackLike, architectures_and_format, as_callback
from ._checks import integers
from ._engine import Engine, engine_of
from ._error import GraftError
from ._jobs import NO_GUARD, CallSignature, state_or_parameters, workers
from ._layout import Place
from ._options import FloatingPoint
from ._report import Report
from ._state import Members, State
from ._transform import Image

if TYPE_CHECKING:
    from typing_extensions import Self, Unpack

    from ._options import BuildOptions, Options


class KernelEntry(NamedTuple):
    """A kernel of the code: `parameters` are their sizes; `types` their types, unless the kernel is extern "C"."""

    name: str
    symbol: str
    parameters: list[int]
    types: list[str]


class KernelSlot(NamedTuple):
    """A function that a kernel calls and that nobody defines."""

    name: str
    declaration: str
    symbol: str


class KernelShape(NamedTuple):
    """What graft finds in the code of kernels. `constants` are those that a value must be given for."""

    entries: list[KernelEntry]
    slots: list[KernelSlot]
    constants: list[str]


class KernelAttributes(NamedTuple):
    """What a kernel has on the current device. Registers and local memory depend on the callbacks."""

    max_block_threads: int
    registers: int
    static_shared_bytes: int
    most_dynamic_shared_bytes: int
    local_bytes: int


class AuthorOptions(TypedDict, total=False):
    """What the author of a kernel says about its code."""

    entries: Sequence[str]  # further kernels: instances of templates ("lib::spmv<float, 8>")
    defaults: Mapping[str, CallbackLike]  # by slot: what fills it if the application gives nothing
    optional: Mapping[str, str]  # by slot that may stay empty: the constant that says whether it is filled
    constants: Mapping[str, Union[int, Sequence[int]]]  # by constant: its default value, and further ones
    inlining: Mapping[str, Literal["automatic", "always", "never"]]  # by slot
    headers: Mapping[str, str]  # that the code and its callbacks may include: texts by name
    thread_words: Sequence[str]  # the slots whose callbacks may use barriers, shared memory and thread indices
    folder: Union[str, os.PathLike[str]]  # where #include "..." looks
    link_inputs: Sequence[Callback]
    floating_point: FloatingPoint  # with which compiled code was compiled: {"fast_math": True}


class KernelCode:
    """The code of one or several kernels, with their slots. Nothing is compiled before it is used.

    ``KernelCode(text)`` takes CUDA C++; `file`, `ltoir`, `fatbin`, `ptx`, `object` and `pack` take the other forms. The
    keywords are the author's wishes (`AuthorOptions`; docs/kernels.md explains them).
    """

    def __init__(self, source: str, *, name: str = "kernel.cu", **author: Unpack[AuthorOptions]) -> None:
        self._finish(_core.KernelCode.source(source, name), author)

    @classmethod
    def file(cls, path: str | os.PathLike[str], **author: Unpack[AuthorOptions]) -> KernelCode:
        """Read a file of any of these forms, which graft tells by its content."""
        return cls._made(_core.KernelCode.file(os.fspath(path)), author)

    @classmethod
    def ltoir(cls, content: bytes, *, name: str = "kernel.ltoir", **author: Unpack[AuthorOptions]) -> KernelCode:
        return cls._made(_core.KernelCode.ltoir(content, name), author)

    @classmethod
    def fatbin(cls, content: bytes, *, name: str = "kernel.fatbin", **author: Unpack[AuthorOptions]) -> KernelCode:
        return cls._made(_core.KernelCode.fatbin(content, name), author)

    @classmethod
    def ptx(cls, text: str, *, name: str = "kernel.ptx", **author: Unpack[AuthorOptions]) -> KernelCode:
        return cls._made(_core.KernelCode.ptx(text, name), author)

    @classmethod
    def object(cls, cubin: bytes, *, name: str = "kernel.cubin", **author: Unpack[AuthorOptions]) -> KernelCode:
        return cls._made(_core.KernelCode.object(cubin, name), author)

    @classmethod
    def pack(cls, content: bytes, *, name: str = "kernel.graft", **author: Unpack[AuthorOptions]) -> KernelCode:
        """Take what `precompile` made."""
        return cls._made(_core.KernelCode.pack(content, name), author)

    @classmethod
    def _made(cls, core: _core.KernelCode, author: AuthorOptions) -> KernelCode:
        self = cls.__new__(cls)
        self._finish(core, author)
        return self

    def _finish(self, core: _core.KernelCode, author: AuthorOptions) -> None:
        _refuse_unknown(author, AuthorOptions, "a kernel's code")
        self._defaults = {slot: as_callback(one) for slot, one in author.get("defaults", {}).items()}
        for entry in author.get("entries", ()):
            core = core.with_entry(entry)
        for slot, callback in self._defaults.items():
            core = core.with_default(slot, callback)
        for slot, constant in author.get("optional", {}).items():
            core = core.with_optional(slot, constant)
        for slot, inlining in author.get("inlining", {}).items():
            core = core.with_inlining(slot, inlining)
        for constant, values in author.get("constants", {}).items():
            core = core.with_constant(constant, integers(values, f"the constant {constant}"))
        for header, text in author.get("headers", {}).items():
            core = core.with_header(header, text)
        for slot in author.get("thread_words", ()):
            core = core.with_thread_words(slot)
        if "folder" in author:
            core = core.with_folder(os.fspath(author["folder"]))
        for binary in author.get("link_inputs", ()):
            core = core.with_link_input(binary)
        if "floating_point" in author:
            _refuse_unknown(author["floating_point"], FloatingPoint, "floating_point")
            core = core.with_floating_point(dict(author["floating_point"]))
        self._core = core

    def __repr__(self) -> str:
        return f"<graft_cuda.KernelCode {self._core.name}, {self._core.form}>"

    def describe(
        self, architecture: str, *, engine: Engine | None = None, **options: Unpack[BuildOptions]
    ) -> KernelShape:
        """Read kernels, slots and constants, without callbacks and without a GPU."""
        entries, slots, constants = self._core.describe(engine_of(engine), architecture, dict(options))
        return KernelShape([KernelEntry(*one) for one in entries], [KernelSlot(*one) for one in slots], constants)

    def precompile(
        self,
        architectures: list[str],
        format: Literal["pack", "pack with cubins"] = "pack",
        *,
        engine: Engine | None = None,
        **options: Unpack[BuildOptions],
    ) -> bytes:
        """Compile the code ahead of time, for `KernelCode.pack`."""
        names, form = architectures_and_format(architectures, format)
        return self._core.precompile(engine_of(engine), names, form, dict(options))

    def precompile_for(
        self,
        slot: str,
        callback: CallbackLike,
        architectures: list[str],
        *,
        engine: Engine | None = None,
        **options: Unpack[BuildOptions],
    ) -> bytes:
        """Compile a callback for a slot ahead of time, for `Callback.pack`."""
        words = dict(options)
        names = architectures_and_format(architectures, "pack")[0]
        return self._core.precompile_for(engine_of(engine), slot, as_callback(callback), names, words)


def _refuse_unknown(words: Mapping[str, Any], known: type, whose: str) -> None:
    for word in words:
        if word not in known.__annotations__:
            valid = ", ".join(known.__annotations__)
            raise GraftError("InvalidArgument", f'"{word}" is no option of {whose}', f"The options are {valid}.")


def _as_code(code: KernelCode | str) -> KernelCode:
    if isinstance(code, KernelCode):
        return code
    if isinstance(code, str):
        return KernelCode(code)
    raise GraftError(
        "InvalidArgument",
        f"the code of a kernel is a {type(code).__name__}",
        "Pass CUDA C++ as a str, or a graft_cuda.KernelCode.",
    )


def _as_slots(callbacks: Mapping[str, CallbackLike] | None) -> dict[str, Callback]:
    if callbacks is not None and not isinstance(callbacks, Mapping):
        raise GraftError(
            "InvalidArgument",
            f"the callbacks are a {type(callbacks).__name__}",
            'Pass a dictionary of callbacks by slot: {"metric": text}.',
        )
    return {slot: as_callback(one) for slot, one in (callbacks or {}).items()}


def _as_constants(constants: Mapping[str, int] | None) -> list[tuple[str, int]]:
    return [(name, integers(value, f"the constant {name}")[0]) for name, value in (constants or {}).items()]


def build_kernel(
    code: KernelCode | str,
    callbacks: Mapping[str, CallbackLike] | None,
    architecture: str,
    *,
    constants: Mapping[str, int] | None = None,
    engine: Engine | None = None,
    **options: Unpack[BuildOptions],
) -> Image:
    """Build the kernels of the code, with callbacks in their slots, for an architecture. No GPU is needed."""
    slots = list(_as_slots(callbacks).items())
    whole = _as_code(code)._core
    engine = engine_of(engine)
    return Image(whole.build(engine, slots, _as_constants(constants), architecture, dict(options)))


_MOST = (1 << 32) - 1  # of a number of blocks, threads or bytes


def _number(value: Any, what: str) -> int:
    number = integers(value, what)
    if len(number) != 1 or not 0 <= number[0] <= _MOST:
        raise GraftError("InvalidArgument", f"{what} is {value!r}", f"Pass an integer from 0 to {_MOST}.")
    return number[0]


def _size(value: int | Sequence[int], what: str) -> tuple[int, int, int]:
    """Return the three extents of a grid, a block or a cluster."""
    extents = integers(value, what)
    if not 1 <= len(extents) <= 3 or not all(0 <= one <= _MOST for one in extents):
        raise GraftError(
            "InvalidArgument",
            f"{what} is {value!r}",
            "Pass an integer, or one to three integers that are not negative.",
        )
    x, y, z = (*extents, 1, 1)[:3]
    return x, y, z


class Kernel(_core.KernelCaller):
    """A kernel of your own, with callbacks in its slots. It runs on the GPU alone.

    ``Kernel(code, {"metric": callback})`` compiles and loads; ``kernel(grid, block, (x, y, n))`` launches. The arrays
    may be of any library. Thread-safe.
    """

    __signature__ = CallSignature()

    def __init__(
        self,
        code: KernelCode | str,
        callbacks: Mapping[str, CallbackLike] | None = None,
        *,
        constants: Mapping[str, int] | None = None,
        engine: Engine | None = None,
        **options: Unpack[Options],
    ) -> None:
        """`callbacks` by slot, and `constants` by name, which are defined when the kernel is linked."""
        super().__init__()
        whole, slots = _as_code(code), _as_slots(callbacks)
        self._engine = engine_of(engine)  # which must outlive the kernel
        try:
            core = _core.Kernel.create(
                self._engine, whole._core, list(slots.items()), _as_constants(constants), dict(options)
            )
        except GraftError as error:
            if error.code != "NoDevice":
                raise
            raise GraftError(
                error.code,
                f"kernels of your own run on a GPU alone, and {error.message}",
                "Run on a machine with an NVIDIA GPU and driver. build_kernel builds for a GPU that is elsewhere.",
                error.log,
                error.versions,
            ) from None
        self._take(core, {**whole._defaults, **slots}, None, options)
        self._serve()

    def _take(
        self,
        core: _core.Kernel,
        callbacks: dict[str, Callback],
        entry: str | None,
        options: Mapping[str, Any] | None = None,
    ) -> None:
        self._core, self._callbacks, self._options = core, callbacks, options
        self._states: dict[str, tuple[Members, int]] = {}  # by slot: its callback's, and its size
        self.entries = [KernelEntry(*one) for one in core.entries]
        named = [one for one in self.entries if entry in (None, one.name, one.symbol)]
        self._entry = named[0] if len(named) == 1 else None
        self._parameters = parameters_of(self._entry) if self._entry else []

    def _serve(self) -> None:
        """Let ordinary launches take no Python code."""
        if self._entry:
            _core.set_kernel(
                self, self._core, [(one.size, one.type, one.number, one.may_be_written) for one in self._parameters]
            )

    @classmethod
    def create_async(cls, *arguments: Any, **options: Any) -> Future[Self]:
        """Do what the constructor does on another thread, as ``Transform.create_async``."""
        return workers().submit(cls, *arguments, **options)

    def __repr__(self) -> str:
        names = [self._entry] if self._entry else self.entries
        return f"<graft_cuda.Kernel {', '.join(one.name for one in names)}>"

    def entry(self, name: str) -> Kernel:
        """Return a handle whose launch means this kernel, of a code with several."""
        other = Kernel.__new__(Kernel)
        other._engine = self._engine
        other._take(self._core.entry(name), self._callbacks, name, self._options)
        other._serve()
        return other

    def _call_any(
        self,
        grid: int | Sequence[int],
        block: int | Sequence[int],
        arguments: Sequence[Any] = (),
        *,
        shared_bytes: int = 0,
        stream: Any = None,
        cluster: int | Sequence[int] | None = None,
        cooperative: bool = False,
    ) -> None:
        """Queue one launch of `grid` blocks of `block` threads on the current stream of the first array's library, or
        on `stream`. Raises GraftError.

        An argument is an array in GPU memory, whose pointer the kernel gets; a number; a struct of NumPy or ctypes;
        what `state` returns; or an address as an int. `shared_bytes` is the dynamic shared memory of each block.
        """
        if self._entry is None:
            raise GraftError(
                "InvalidArgument", f"the code has {len(self.entries)} kernels", 'Choose one: kernel.entry("name")(...).'
            )
        if not isinstance(arguments, (tuple, list)):
            raise GraftError(
                "InvalidArgument",
                f"the arguments are a {type(arguments).__name__}",
                "Pass a tuple: kernel(grid, block, (x, y, n)).",
            )
        how = (
            _size(grid, "grid"),
            _size(block, "block"),
            None if cluster is None else _size(cluster, "cluster"),
            _number(shared_bytes, "shared_bytes"),
            bool(cooperative),
        )
        placed = place(self._entry.name, self._parameters, arguments, stream)
        library = None if placed.first is None else placed.arrays[placed.first]
        main = None if placed.first is None else arguments[placed.first]
        with (library.guard(main) if library else None) or NO_GUARD:
            given = taken(placed, self._parameters)
            try:
                self._core.launch(*how, placed.stream, given)
            except GraftError as error:
                if error.code != "NotPrepared":
                    raise
                if library:
                    library.make_context(main)
                self._core.prepare_current()
                self._core.launch(*how, placed.stream, given)

    if TYPE_CHECKING:
        __call__ = _call_any

    def state(self, slot: str, state: Any = None, /, **members: Any) -> SlotState:
        """Make the state of a slot's callback, to be given as the argument from which the kernel takes it.

        The members are given by name, or as a dictionary, a structured scalar of NumPy or a ctypes structure. What is
        made keeps the arrays to which it points.
        """
        known = self._states.get(slot)
        if known is None:
            known = self._states[slot] = self._members_of(slot)
        maker, size = known
        made = maker.bytes_of(state_or_parameters(state, members), size, Place(on_device=True))
        if len(made) != size:
            raise GraftError(
                "TypeMismatch",
                f"the state has {len(made)} bytes, and that of the callback of {slot} has {size}",
                "Pass a state with the members of the callback's struct, in their order.",
            )
        return SlotState(made)

    def _members_of(self, slot: str) -> tuple[Members, int]:
        """The members of the state of a slot's callback, and its size."""
        slots = {one["declaration"].partition("(")[0]: one for one in self.report["slots"]}
        found: dict[str, Any] | None = _of_slot(slots, slot)
        if found is None:
            raise GraftError(
                "NoSuchEntry", f"the kernel has no slot {slot}", f"Its slots are {', '.join(slots) or 'none'}."
            )
        if not found["state_bytes"]:
            raise GraftError("TypeMismatch", f"the callback of the slot {slot} has no state", "Leave the state away.")
        callback = _of_slot(self._callbacks, slot)
        return State(None if callback is None else [callback], self._options).members(None), found["state_bytes"]

    @property
    def report(self) -> Report:
        """How the kernel was made, and how each slot was filled (``report["slots"]``)."""
        return Report(*self._core.report)

    @property
    def image(self) -> Image:
        return Image(self._core.image)

    def prepare(self, device: int) -> None:
        """Load the kernel on a device now, so that no launch has to."""
        self._core.prepare(device)

    @property
    def attributes(self) -> KernelAttributes:
        return KernelAttributes(*self._core.attributes())

    def blocks_per_multiprocessor(self, block: int | Sequence[int], shared_bytes: int = 0) -> int:
        """How many blocks of this size a multiprocessor of the current device runs at the same time."""
        return self._core.blocks_per_multiprocessor(_size(block, "block"), _number(shared_bytes, "shared_bytes"))

    def symbol(self, name: str) -> tuple[int, int]:
        """Return the address and the size in bytes of a variable of the kernel or of a callback."""
        return self._core.symbol(name)

    @property
    def function(self) -> int:
        """The address of the CUfunction in the current context, for launches of the caller's own."""
        return self._core.function

    @property
    def handle(self) -> int:
        """The address of the CUkernel, which is a cudaKernel_t too."""
        return self._core.handle


def _of_slot(by_name: Mapping[str, Any], slot: str) -> Any:
    """What belongs to a slot, whose name may be given with or without its namespace."""
    if slot in by_name:
        return by_name[slot]
    found = [value for name, value in by_name.items() if name.endswith(f"::{slot}") or slot.endswith(f"::{name}")]
    return found[0] if len(found) == 1 else None
