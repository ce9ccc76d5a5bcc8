"""Puts libgraft's messages into Python's words: libgraft names the members and functions of its C++ interface."""

from __future__ import annotations

import re
from collections.abc import Callable

_IN_NUMPY = {"half": "float16", "float": "float32", "double": "float64"}

# In this order: whole phrases first.
_PHRASES: list[tuple[str, str | Callable[[re.Match[str]], str]]] = [
    (
        r"give the arrays' types: Transform::create\(callback, graft::types\(\"f32\"\)\), or for a part of "
        r"graft::Stages graft::GenericCallback\(part\)\.instance\(graft::types\(\"f32\"\)\)",
        'give the types of its arrays: Callback(text).with_types("f32")',
    ),
    (r"\bgraft_(?:transform|reduce)_\w*graft_formula \(.*?\)\): ", "the formula: "),
    (r"in Options::entry: (\"[^\"]*\")", r"by entry=\1"),
    (r"graft::types\((\"[^\"]*\")\)", r"with_types(\1)"),
    (
        r"Give one array for each input and each output, with graft::inputs\(\.\.\.\) and graft::outputs\(\.\.\.\)\.",
        "Give one array for each input and each output.",
    ),
    (r"Give the arrays, with graft::inputs\(\.\.\.\) and graft::outputs\(\.\.\.\):", "Give the arrays:"),
    (r'graft::KernelCallbacks\(\{\{"metric", callback\}\}, \{\{"tile", 8\}\}\)', 'constants={"tile": 8}'),
    (r"graft::Kernel::create or graft::build", "Kernel or build_kernel"),
    (r"Give KernelLaunch::shared_bytes", "Give shared_bytes= in the call"),
    (r"KernelCode::with_entry\b", "entries= of KernelCode"),
    (r"KernelCode::with_(default|link_input|header|constant)\b", r"\1s= of KernelCode"),
    (r"KernelCode::with_(\w+)", r"\1= of KernelCode"),
    (r"execute\(stream, graft::count\(n\), state\)", "for_count(n, state=...)"),
    (r"Give the state as the last argument of execute", "Give the state as state=, or its members by name"),
    (r"Leave the last argument out", "Leave the state out"),
    (r"Transform::create<float\(float\)>\(source\), or Callback::with_signature", "Callback.with_signature"),
    (r"(?:Options::)?routes\.required = graft::Route::Host", 'route="host"'),
    (r"Allow another route in Options::routes", "Allow another route by route= or forbidden_routes="),
    (r"(?:graft::)?Route::(\w+)", lambda found: f'"{found[1].lower()}"'),
    (r"Options::routes(?:\.\w+)?", "route="),
    (r"Options::(?:floating_point|policy|closed)\.(\w+)", r"\1="),
    (r"Options::floating_point", "contraction= and the options beside it"),
    (r"that field of Options::policy", "that option"),
    (r"Leave Options::baked_state empty", "Leave bake= out"),
    (r"Options::bake(?:d_state)?\b", "bake="),
    (r"EngineOptions::(\w+)", r"Engine(\1=...)"),
    (r"CacheOptions::policy", "Engine(cache=...)"),
    (r"CacheOptions::(\w+)", r"Engine(cache_\1=...)"),
    (r"\bin FftLaunch\b(?!::)", "in the call"),
    (r"(?:graft::)?\b(?:Options|FftPlan|FftLaunch|FftCallbacks|ReduceCallbacks)::(\w+)", r"\1="),
    (r"(?:graft::)?\b(Callback|Transform|Reduce|Fft|Engine|KernelCode|Kernel)::(\w+)", r"\1.\2"),
    (r"graft::(chain|build|precompile|formula)\b", r"graft_cuda.\1"),
    (r"graft::Stages\b", "graft_cuda.stages"),
    (
        r"Give a pointer to the first byte of an element\.|Begin (?:the array )?at a multiple of \d+ bytes\b[^.]*\.",
        "Pass a copy: x.copy() is aligned.",
    ),
    (r"graft_\w*graft_formula \(.*?\)\): ", "the formula: "),  # no name and signature that the caller did not write
    (
        r"holds (\w+), but the callback takes (\w+)\b",
        lambda found: f"holds {_IN_NUMPY.get(found[1], found[1])}, and must hold {_IN_NUMPY.get(found[2], found[2])}",
    ),
]


# What CuPy calls things, as words of the remedy for an option that there is not.
_OF_CUPY = {
    "reduce_type": 'Its name is accumulator=, an argument of `reduction` and `Reduce`: accumulator="f64".',
    "dtype": 'The type in which a reduction combines is accumulator="f64"; a formula converts by a cast, as f64(x).',
    "identity": "The result of no elements is initial= of `reduction` and `Reduce`: initial=0.",
    "map_expr": 'It is map= of `reduction` and `Reduce`: map="x * x".',
    "reduce_expr": 'It is the first argument of `reduction`: reduction("a + b").',
    "post_map_expr": 'It is finish= of `reduction` and `Reduce`: finish="sqrt(a)".',
    "in_params": 'The types of inputs and parameters are the second argument: transform("a * x", "f32 x; f32 a").',
    "out_params": 'A formula names its outputs, and their types are those of the expressions: "y = f32(a * x)".',
    "operation": 'It is the first argument: transform("y = a * x").',
    "preamble": "A callback in CUDA C++ may have functions beside it: Transform(source, entry=...).",
    "options": "Each option has a name here, such as fast_math=True; those without one are compiler_options=[...].",
}
_NO_OPTION = re.compile(r'"(\w+)" is no option of kernels')
_CHANGED = re.compile(r"`(\w+)` is a variable, which a formula does not change")
_CHANGING = re.compile(r"`(\W+=)` changes a variable")


def better_remedy(message: str, remedy: str, text: str) -> str:
    """Return what to do about an error, in words for Python; `text` shows the formula."""
    option = _NO_OPTION.search(message)
    if option:
        return _OF_CUPY.get(option[1], remedy)
    changed, changing = _CHANGED.search(message), _CHANGING.search(message)
    if changing:
        changed = re.search(rf"(\w+)\s*{re.escape(changing[1])}", text.partition("\n")[2])
    if changed:
        name = changed[1]
        value = f"{name} {changing[1][:-1]} ..." if changing else "..."
        return (
            f"Give the output another name, and write in place by out=: `new_{name} = {value}`, called with out={name}."
        )
    return remedy


# A text without any of these has none of the phrases.
_SIGNS = ("::", "argument", "FftLaunch", "graft_formula", "but the callback takes", "first byte", "at a multiple of")


def in_python(text: str) -> str:
    if any(word in text for word in _SIGNS):
        for phrase, words in _PHRASES:
            text = re.sub(phrase, words, text)
    return text
