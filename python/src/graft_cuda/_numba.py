"""Callbacks from functions of Python, which Numba compiles to LTO-IR.

Numba and nvcc pass structs in different ways, and NVIDIA's linker inlines a call only if both sides agree. So the
compiled function takes and returns plain numbers alone, and a few lines of CUDA C++, the glue, join it to graft:

    f32(c64, state, index)      Numba:  float f(float real, float imag, const State*, unsigned long long)
                                glue:   float callback(float2 x0, const State& s, graft::Index i) { return f(...); }

A small integer travels as one of 32 bits, a complex number as two numbers, and a complex result through two pointers.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable
from typing import Any

from ._callback import Callback
from ._error import GraftError
from ._layout import Layout, Number, Repeated
from ._libraries import DTYPES, short_name

# The short names of types: C++'s, that of the number that travels, and the number's in C++.
_TYPES = {
    "bool": ("bool", "u32", "unsigned"),
    "i8": ("signed char", "i32", "int"),
    "i16": ("short", "i32", "int"),
    "i32": ("int", "i32", "int"),
    "i64": ("long long", "i64", "long long"),
    "u8": ("unsigned char", "u32", "unsigned"),
    "u16": ("unsigned short", "u32", "unsigned"),
    "u32": ("unsigned", "u32", "unsigned"),
    "u64": ("unsigned long long", "u64", "unsigned long long"),
    "f32": ("float", "f32", "float"),
    "f64": ("double", "f64", "double"),
    "c64": ("float2", "f32", "float"),
    "c128": ("double2", "f64", "double"),
}
# NumPy's names of the types.
_DTYPES = {name: "bool_" if name == "bool" else DTYPES[name] for name in _TYPES}


def _refused(message: str, remedy: str) -> GraftError:
    return GraftError("UnsupportedParameter", message, remedy)


def _parsed(signature: str) -> tuple[str, list[str]]:
    """Read "f32(f32, state, index)": the result, and the parameters."""
    found = re.fullmatch(r"\s*(\w+)\s*\(([\w\s,]*)\)\s*", signature)
    if not found:
        raise _refused(f'the signature "{signature}" has no form that is known', 'Pass one such as "f32(f32, i32)".')
    parameters = [word.strip() for word in found[2].split(",")] if found[2].strip() else []
    for word in [found[1], *parameters]:
        if word not in _TYPES and not (word in ("state", "index") and word in parameters):
            raise _refused(
                f'the signature "{signature}" has the type "{word}"',
                f"Callbacks in Python have the types {', '.join(_TYPES)}, and the parameters state and index.",
            )
    for word in ("state", "index"):
        if parameters.count(word) > 1:
            raise _refused(f'the signature "{signature}" has two parameters {word}', "Leave one of them away.")
    return found[1], parameters


def _member_of(dtype: Any, name: str) -> Number | Repeated | Layout:
    if dtype.subdtype is not None:
        base, shape = dtype.subdtype
        member = _member_of(base, name)
        for extent in reversed(shape):
            member = Repeated(member, extent)  # type: ignore[arg-type]
        return member
    if dtype.names:
        layout = Layout()
        for one in dtype.names:
            if not re.fullmatch(r"[A-Za-z_]\w*", one):
                raise _refused(f"the state has a member {one!r}", "Give members names that C++ has.")
            layout.add(one, _member_of(dtype[one], one))
        return layout
    short = short_name(dtype)
    if short not in _TYPES or dtype.byteorder == ">":
        raise _refused(
            f"the state's member {name} has the type {dtype}", f"Members have the types {', '.join(_TYPES)}."
        )
    return Number(short)


def _dtype_of(member: Number | Repeated | Layout) -> Any:
    """The dtype with C++'s places for the members."""
    import numpy as np

    if isinstance(member, Number):
        return np.dtype(_DTYPES[member.type])
    if isinstance(member, Repeated):
        return np.dtype((_dtype_of(member.element), member.count))
    return np.dtype(
        {
            "names": list(member.members),
            "formats": [_dtype_of(one) for one in member.members.values()],
            "offsets": list(member.offsets.values()),
            "itemsize": member.size,
        }
    )


def _declared(member: Number | Repeated | Layout, name: str) -> str:
    """The member as C++ declares it: "float w[2];"."""
    counts = ""
    while isinstance(member, Repeated):
        counts += f"[{member.count}]"
        member = member.element
    kind = _TYPES[member.type][0] if isinstance(member, Number) else _struct("", member)
    return f"{kind} {name}{counts};"


def _struct(name: str, layout: Layout) -> str:
    return f"struct {name}{{ {' '.join(_declared(member, one) for one, member in layout.members.items())} }}"


def _numba() -> Any:
    try:
        from numba import cuda
    except ImportError as error:
        raise GraftError(
            "ToolMissing", f"Numba with CUDA cannot be imported: {error}", "pip install graft-cuda[numba]."
        ) from error
    return cuda


def _wrapper(function: Any, result: str, parameters: list[str], state_is_number: bool) -> tuple[Any, list[Any], Any]:
    """Return the function that takes and returns plain numbers, and Numba's types of its parameters and result."""
    import numpy as np
    from numba import types

    numba = {name: getattr(types, _DTYPES[name].rstrip("_").replace("bool", "boolean")) for name in _TYPES}
    names: list[str] = []
    kinds: list[Any] = []
    arguments: list[str] = []
    for k, word in enumerate(parameters):
        if word == "state":
            names.append("s")
            kinds.append(None)
            arguments.append("s[0]" if state_is_number else "s")
        elif word == "index":
            names.append("i")
            kinds.append(types.uint64)
            arguments.append("i")
        elif word in ("c64", "c128"):
            names += [f"r{k}", f"q{k}"]
            kinds += [numba[_TYPES[word][1]]] * 2
            arguments.append(f"np.{_DTYPES[word]}(complex(r{k}, q{k}))")
        else:
            names.append(f"x{k}")
            kinds.append(numba[_TYPES[word][1]])
            arguments.append(f"np.{_DTYPES[word]}(x{k})" if word != _TYPES[word][1] else f"x{k}")
    call = f"function({', '.join(arguments)})"
    if result in ("c64", "c128"):
        body = f"    z = np.{_DTYPES[result]}({call})\n    real[0] = z.real\n    imag[0] = z.imag\n"
        names += ["real", "imag"]
        kinds += [types.CPointer(numba[_TYPES[result][1]])] * 2
        returned = types.void
    else:
        body = f"    return np.{_DTYPES[_TYPES[result][1]]}(np.{_DTYPES[result]}({call}))\n"
        returned = numba[_TYPES[result][1]]
    scope = {"np": np, "function": function}
    exec(f"def callback({', '.join(names)}):\n{body}", scope)
    return scope["callback"], kinds, returned


def _glue(name: str, entry: str, result: str, parameters: list[str], state: Number | Layout | None) -> str:
    raw: list[str] = []
    taken: list[str] = []
    passed: list[str] = []
    struct = ""
    for k, word in enumerate(parameters):
        if word == "state":
            if isinstance(state, Number):
                kind = _TYPES[state.type][0]
                raw.append(f"const {kind}*")
            else:
                assert state is not None
                kind, struct = "State", _struct("State ", state) + ";\n"
                raw.append("const void*")
            taken.append(f"const {kind}& s")
            passed.append("&s")
        elif word == "index":
            raw.append("unsigned long long")
            taken.append("graft::Index i")
            passed.append("i")
        else:
            kind, _, number = _TYPES[word]
            taken.append(f"{kind} x{k}")
            is_complex = word in ("c64", "c128")
            raw += [number] * (2 if is_complex else 1)
            passed += [f"x{k}.x", f"x{k}.y"] if is_complex else [f"x{k}"]
    kind, _, number = _TYPES[result]
    if result in ("c64", "c128"):
        raw += [f"{number}*"] * 2
        passed += ["&z.x", "&z.y"]
        returns, body = "void", f"{kind} z; {name}({', '.join(passed)}); return z;"
    else:
        returns, body = number, f"return {name}({', '.join(passed)});"
    return (
        f'extern "C" __device__ {returns} {name}({", ".join(raw)});\n{struct}'
        f"__device__ {kind} {entry}({', '.join(taken)}) {{ {body} }}\n"
    )


def numba_callback(
    function: Callable[..., Any],
    signature: str,
    *,
    state: Any = None,
    architecture: str = "sm_75",
    fast_math: bool = False,
) -> Callback:
    """Make a callback of a function of Python, which Numba compiles to LTO-IR; nvJitLink inlines it like any other.

    ``numba_callback(lambda x, s: s.gain * x, "f32(f32, state)", state=np.dtype([("gain", "f4")]))``. Types are those of
    formulas, without halves. `state` is a structured dtype, or the name of a number's type; the function gets a record,
    or the number. `index` is an integer. `architecture` is the oldest on which the callback runs. Such a callback has
    no kernel for the host. Raises GraftError(ToolMissing) without Numba, and CompileFailed for what Numba refuses.
    """
    cuda = _numba()
    result, parameters = _parsed(signature)
    if ("state" in parameters) != (state is not None):
        raise _refused(
            "the signature and state= do not agree", 'Write "state" among the parameters, and pass its dtype.'
        )
    layout: Number | Layout | None = None
    if isinstance(state, str) and state in _TYPES:
        layout = Number(state)
    elif state is not None:
        import numpy as np

        member = _member_of(np.dtype(state), "")
        if not isinstance(member, Layout):
            raise _refused(f"the state is a {state}", "Pass a structured dtype, or the name of a number's type.")
        layout = member
    number = int(re.sub(r"\D", "", architecture) or 0)
    entry = re.sub(r"\W", "_", getattr(function, "__name__", "callback")).strip("_") or "callback"

    def compiled(name: str) -> bytes:
        from numba import types
        from numba.np.numpy_support import from_dtype

        # Inlined by Numba itself, because Numba compiles other calls for the current GPU, which need not be there.
        device = cuda.jit(device=True, inline="always")(getattr(function, "py_func", function))
        callback, kinds, returned = _wrapper(device, result, parameters, isinstance(layout, Number))
        for k, kind in enumerate(kinds):
            if kind is None:
                dtype = from_dtype(_dtype_of(layout))  # type: ignore[arg-type]
                kinds[k] = types.CPointer(dtype) if isinstance(layout, Number) else dtype
        code, _ = cuda.compile(
            callback,
            returned(*kinds),
            device=True,
            abi="c",
            abi_info={"abi_name": name},
            output="ltoir",
            cc=divmod(number, 10),
            fastmath=fast_math,
        )
        return bytes(code)

    try:
        # The name contains a hash of the code, so that equal names of different functions can be linked together.
        name = f"graft_numba_{hashlib.sha256(compiled('graft_numba')).hexdigest()[:16]}"
        code = compiled(name)
    except Exception as error:
        text = re.sub(r"\x1b\[[0-9;]*m", "", str(error))
        raise GraftError(
            "CompileFailed",
            f"Numba does not compile the function {entry}: {text.strip().splitlines()[0] if text.strip() else error!r}",
            "Correct the function, or the types of its signature; the log has Numba's message.",
            text,
        ) from error
    binary = Callback.ltoir(code, f"{entry}.ltoir")
    glue = _glue(name, entry if entry != "callback" else "graft_callback", result, parameters, layout)
    callback = Callback.source(glue, f"{entry}.py").with_link_input(binary)
    setattr(callback, "_layouts", [] if layout is None else [layout])
    return callback
