"""Short forms for formulas, whose types follow from the arrays of the call.

    graft.evaluate("a * max(x, 0) + b", x=x, a=2, b=1)

Arrays become inputs and numbers become parameters, so that another number compiles nothing. A number of Python counts
as if it were written into the formula (_weak.py); a number of NumPy has its own type.
"""

from __future__ import annotations

from difflib import get_close_matches
from functools import lru_cache
from typing import TYPE_CHECKING, Any, overload

from . import _checks, _core
from ._callback import Callback, checked_formula, formula_of, variables_of
from ._engine import Engine
from ._error import GraftError, with_names
from ._jobs import CallSignature, Device, state_or_parameters
from ._libraries import is_scalar, library_of
from ._lock import Lock
from ._names import Keywords, names_in, refuse_no_arrays, words_in
from ._reduce import Reduce, result_type
from ._spelling import IN_CPP
from ._transform import Transform
from ._weak import WeakCall, WeakText, callback_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from typing_extensions import Self, Unpack

    from ._options import Options


class Called(_core.FormulaCaller):
    """A formula without types. Calls like earlier ones take no Python code; all others are made by `_call_any`."""

    __signature__ = CallSignature()

    def __init__(self, keywords: Keywords) -> None:
        super().__init__()
        self._keywords = keywords
        self._jobs: dict[Any, Any] = {}  # by types, and by the callbacks of calls with numbers
        self._lock = Lock()
        _core.set_names(self, keywords.variables)

    def __copy__(self) -> Self:  # nothing changes a formula
        return self

    def _new(self, callback: Callback, device: Device | None) -> Any:
        raise NotImplementedError

    def _made(self, keys: tuple[Any, ...], callback: Callback, device: Device | None) -> Any:
        """Return the job that is known by one of the keys, or the new one of the callback."""
        with self._lock:
            found = next((self._jobs[key] for key in keys if key in self._jobs), None)
            if found is None:
                found = self._new(callback, device)
            self._jobs.update(dict.fromkeys(keys, found))
        return found

    def _job_of(self, weak: WeakCall, device: Device | None) -> Any:
        found = self._jobs.get(weak.callback)
        if found is None:
            callback = callback_of(weak.callback)  # for other kinds of numbers there is often an equal one
            found = self._made((weak.callback, callback), callback, device)
        return found

    def _keep(self, variables: dict[str, Any], weak: WeakCall | None, job: Transform | Reduce) -> None:
        """Let calls like this one be made without Python code."""
        if weak is None:
            _core.keep_call(self, variables, None, None, "", job)
        else:
            _core.keep_call(self, variables, weak.formula, weak.callback, weak.kinds, job)


class Expression(Called):
    """A formula without types: `transform` makes it. A kernel is made for each combination of types, at its first call.

    ``expression(x=x, a=2, b=1)``; a formula with one variable takes its array without a name.
    """

    def __init__(self, text: str, device: Device | None, engine: Engine | None, options: dict[str, Any]) -> None:
        super().__init__(Keywords([text], ("out", "stream")))
        self.text = text
        self._create = {"device": device, "engine": engine, **options}
        self._weak = WeakText(text)

    def __repr__(self) -> str:
        return f"<graft_cuda.Expression {self.text!r}>"

    def transform_for(
        self, types: Sequence[tuple[str, str]], parameters: Sequence[tuple[str, str]], device: Device | None = None
    ) -> Transform:
        """Return the transform for inputs and parameters of these names and types; a new one is first for `device`."""
        key = (tuple(types), tuple(parameters))
        found = self._jobs.get(key)
        if found is None:
            found = self._made((key,), formula_of(self.text, list(types), list(parameters)), device)
        return found

    def _new(self, callback: Callback, device: Device | None) -> Transform:
        return Transform(callback, **_with_device(self._create, device))

    def _call_any(self, /, *single: Any, out: Any = None, stream: Any = None, **variables: Any) -> Any:
        variables = self._keywords.with_single(single, variables)
        self._keywords.check(variables)
        arrays, parameters, types, device = _sorted(variables)
        try:
            weak = self._weak.for_call(types, parameters) if parameters else None
            transform = self._job_of(weak, device) if weak else self.transform_for(types, (), device)
            state = weak.state if weak else None
            result = transform(*arrays.values(), out=out, stream=stream, state=state)
            self._keep(variables, weak, transform)
            return result
        except GraftError as error:
            raise _of_call(error, self.text, variables, list(arrays)) from None

    if TYPE_CHECKING:
        __call__ = _call_any


def _with_device(create: dict[str, Any], device: Device | None) -> dict[str, Any]:
    """What a kernel is made with: the device that the caller chose, else that of the first arrays."""
    return {**create, "device": create["device"] or device}


def _sorted(variables: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any], list[tuple[str, str]], Device]:
    """Return the arrays, the numbers, the arrays' names and types, and where the arrays are."""
    arrays: dict[str, Any] = {}
    parameters: dict[str, Any] = {}
    for name, value in variables.items():
        (parameters if library_of(value).holds_numbers else arrays)[name] = value
    if not arrays:
        raise GraftError("InvalidArgument", "a formula without arrays", "Pass an array for one of its variables.")
    known = _core.types_directly(tuple(arrays.values()))
    kinds, on_device = known if known else _taken_types(arrays)
    types = list(zip(arrays, kinds, strict=True))
    if "class" in kinds:
        raise GraftError(
            "TypeMismatch",
            f"{types[kinds.index('class')][0]} is an array of structs",
            "Write the formula with the types of its variables, or a callback in CUDA C++.",
        )
    return arrays, parameters, types, "gpu" if on_device else "host"


def _taken_types(arrays: dict[str, Any]) -> tuple[list[str], bool]:
    """Return the types of arrays of any library, and whether they are on a GPU. Messages call them by their names."""
    refuse_no_arrays(arrays)
    try:
        taken = _core.Arrays(list(arrays.values()), False)
    except GraftError as error:
        raise with_names(error, list(arrays)) from None
    return taken.types, taken.on_device


def _of_call(error: GraftError, text: str, variables: Mapping[str, Any], inputs: Sequence[str]) -> GraftError:
    """The error in the words of a call: the inputs by their names, and a name without a value as one."""
    missing = error.diagnostics[0].near if error.diagnostics and "is not known here" in error.message else ""
    if missing not in names_in(text) or missing in variables:
        return with_names(error, inputs)
    meant = get_close_matches(missing, variables, 1)
    is_comment = "`//` is the floor division" in error.message  # of C++
    return GraftError(
        "CountMismatch",
        f"the call has no value for `{missing}`, a variable of the formula {text!r}",
        f"Pass it by name: {missing}=..."
        + (f" Or did you mean `{meant[0]}` in the formula?" if meant else f" The call has {', '.join(variables)}.")
        + (" `//` is the floor division; comments begin with `#`." if is_comment else ""),
        diagnostics=error.diagnostics,
    )


class Formula(Transform):
    """A transform of a formula with types: `transform` makes it.

    Its variables are given in the order of the line of types, inputs and then parameters, or by name.
    """

    _has_members_by_place = True

    def __init__(self, text: str, variables: str, **options: Any) -> None:
        inputs, parameters = variables_of(variables)
        self._inputs = [name for name, _ in inputs]
        self._names = self._inputs + [name for name, _ in parameters]
        super().__init__(formula_of(text, inputs, parameters), **options)

    def _call_any(
        self, /, *inputs: Any, out: Any = None, state: Any = None, stream: Any = None, **parameters: Any
    ) -> Any:
        if len(inputs) > len(self._names):
            raise GraftError(
                "CountMismatch",
                f"the call has {len(inputs)} values, and the formula has {len(self._names)} variables",
                f"The variables are {', '.join(self._names)}. Pass outputs as out=...",
            )
        is_by_place = len(inputs) == len(self._inputs) and parameters.keys().isdisjoint(self._inputs)
        # A number is no state: it is meant for a variable of this name.
        has_state = state is not None and not ("state" in self._names and is_scalar(state))
        if not is_by_place or (not has_state and len(inputs) + len(parameters) != len(self._names)):
            inputs, parameters = self._by_name(inputs, parameters, self._inputs if has_state else self._names)
        try:  # parameters are passed as a state, because they may have the names of the call's own arguments
            state = state_or_parameters(state, parameters)
            return super()._call_any(*inputs, out=out, state=state, stream=stream)
        except GraftError as error:
            raise with_names(error, self._inputs) from None

    def _by_name(
        self, inputs: tuple[Any, ...], named: dict[str, Any], needed: list[str]
    ) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """Returns the inputs in their order, and the rest."""
        values = dict(zip(self._names, inputs, strict=False))
        for name in named:
            if name in values:
                raise GraftError(
                    "InvalidArgument", f"the variable {name} is given twice", "Pass it by its place or by name."
                )
        values.update(named)
        missing = next((name for name in needed if name not in values), None)
        if missing is not None:
            raise GraftError(
                "CountMismatch",
                f"the call has no value for the variable {missing}",
                f"Give it by its place: {missing}= is an argument of the call. The variables are "
                f"{', '.join(self._names)}, in this order."
                if missing in ("out", "state", "stream")
                else f"The variables are {', '.join(self._names)}.",
            )
        return tuple(values.pop(name) for name in self._inputs), values


if TYPE_CHECKING:  # typing would keep the functions, and with them the kernels, until the process ends

    @overload
    def transform(
        text: str,
        variables: None = None,
        *,
        device: Device | None = None,
        engine: Engine | None = None,
        **options: Unpack[Options],
    ) -> Expression: ...

    @overload
    def transform(
        text: str,
        variables: str,
        *,
        device: Device | None = None,
        engine: Engine | None = None,
        **options: Unpack[Options],
    ) -> Formula: ...


def transform(
    text: str,
    variables: str | None = None,
    *,
    device: Device | None = None,
    engine: Engine | None = None,
    **options: Unpack[Options],
) -> Formula | Expression:
    """Make a transform from a formula. `variables` has the types: ``"f32 x; f32 a, b"``. Its calls take the variables
    in this order, or by name. Without it, the types follow from the arrays of each call, which are given by name."""
    if variables is None:
        return Expression(text, device, engine, dict(options))
    return Formula(text, variables, device=device, engine=engine, **options)


@lru_cache(maxsize=1024)
def _expression(text: str) -> Expression:
    return Expression(text, None, None, {})


def evaluate(text: str, /, *, out: Any = None, stream: Any = None, **variables: Any) -> Any:
    """Evaluate a formula with arrays and numbers by name. Kernels are kept for the next call with the same formula."""
    return _expression(text)(out=out, stream=stream, **variables)


class Reduction(Called):
    """A reduction of formulas without types: `reduction` makes it. A kernel is made for each combination of types."""

    def __init__(
        self, combine: str, map: str, finish: str | None, initial: Any, accumulator: str | None, create: dict[str, Any]
    ) -> None:
        self.combine, self.map = checked_formula(combine, "combine", "a + b"), checked_formula(map, "map", "x * x")
        self.finish = None if finish is None else checked_formula(finish, "finish", "sqrt(a)")
        if accumulator is not None:
            _checks.text(accumulator, "accumulator", '"f64"')
        self._initial, self._accumulator, self._create = initial, accumulator, create
        self._map = WeakText(f"{accumulator}({map}\n)" if accumulator else map)  # a comment may end the map
        super().__init__(Keywords([map], ("axis", "keepdims", "out", "stream")))

    def __repr__(self) -> str:
        return f"<graft_cuda.Reduction {self.combine!r} of {self.map!r}>"

    def reduce_for(
        self, types: Sequence[tuple[str, str]], parameters: Sequence[tuple[str, str]], device: Device | None = None
    ) -> Reduce:
        """Return the reduction for inputs and parameters of these names and types; a new one is first for `device`."""
        key = (tuple(types), tuple(parameters))
        found = self._jobs.get(key)
        if found is None:
            found = self._made((key,), formula_of(self._map.text, list(types), list(parameters)), device)
        return found

    def _check_finish(self, variables: Mapping[str, Any]) -> None:
        """Refuse a variable that finish alone has."""
        if variables.keys() <= set(self._keywords.variables):
            return
        names = names_in(self.finish or "")
        unknown = next((name for name in variables if name in names and name not in words_in(self.map)), None)
        if unknown is not None:
            raise _unknown_in_finish(unknown, str(self.finish), self._accumulator or "f64")

    def _new(self, callback: Callback, device: Device | None) -> Reduce:
        """Return the reduction whose map is the callback."""
        kind = self._accumulator or result_type(callback)
        if kind is None:
            raise GraftError(
                "UnsupportedParameter",
                f"the formula {self.map!r} has no single result",
                "Pass a formula of one expression.",
            )
        combine = _as_type(formula_of(self.combine, [("a", kind), ("b", kind)], []), kind, self.combine)
        create = _with_device(self._create, device)
        finish = None if self.finish is None else _finish_of(self.finish, kind)
        return Reduce(combine, map=callback, finish=finish, initial=self._initial, accumulator=kind, **create)

    def _call_any(
        self,
        /,
        *single: Any,
        axis: int | Sequence[int] | None = None,
        keepdims: bool = False,
        out: Any = None,
        stream: Any = None,
        **variables: Any,
    ) -> Any:
        variables = self._keywords.with_single(single, variables)
        self._check_finish(variables)
        self._keywords.check(variables)
        arrays, parameters, types, device = _sorted(variables)
        try:
            weak = self._map.for_call(types, parameters) if parameters else None
            reduce = self._job_of(weak, device) if weak else self.reduce_for(types, (), device)
            state = weak.state if weak else None
            result = reduce(*arrays.values(), axis=axis, keepdims=keepdims, out=out, stream=stream, state=state)
            self._keep(variables, weak, reduce)
            return result
        except GraftError as error:
            raise _of_call(error, self.map, variables, list(arrays)) from None

    if TYPE_CHECKING:
        __call__ = _call_any


def _finish_of(text: str, kind: str) -> Callback:
    try:
        return formula_of(text, [("a", kind)], [])
    except GraftError as error:
        unknown = error.diagnostics[0].near if error.diagnostics and "is not known here" in error.message else ""
        if unknown not in names_in(text):
            raise
        raise _unknown_in_finish(unknown, text, kind, error) from None


def _unknown_in_finish(name: str, text: str, kind: str, error: GraftError | None = None) -> GraftError:
    in_cpp = IN_CPP.get(kind, "double")
    return GraftError(
        "CompileFailed",
        f"finish has `{name}`, and knows the accumulator `a` alone: {text!r}",
        f"Compute with it behind the reduction, or in map, which takes the call's variables (`x / {name}`). A finish "
        f'in C++ may take it: graft_cuda.Reduce(combine, map=..., finish="__device__ {in_cpp} f({in_cpp} a, const long '
        f'long& {name}) {{ return a / {name}; }}"), called with {name}=...',
        diagnostics=error.diagnostics if error else None,
    )


def _as_type(combined: Any, kind: str, text: str) -> Any:
    """The callback of `combine` with the accumulator's type as its result: i8 + i8 is an int."""
    if result_type(combined) == kind:
        return combined
    return formula_of(f"{kind}({text}\n)", [("a", kind), ("b", kind)], [])


def reduction(
    combine: str,
    map: str = "x",
    finish: str | None = None,
    *,
    initial: Any = None,
    accumulator: str | None = None,
    device: Device | None = None,
    engine: Engine | None = None,
    **options: Unpack[Options],
) -> Reduction:
    """Make a reduction from formulas: `combine` of ``a`` and ``b``, `map` of the call's arrays, `finish` of ``a``.

    ``norm = reduction("a + b", map="x * x", finish="sqrt(a)"); norm(x, axis=1)``. `accumulator` is the type in which
    elements are combined ("f64"); without it, the type of `map`.
    """
    create = {"device": device, "engine": engine, **options}
    return Reduction(combine, map, finish, initial, accumulator, create)
