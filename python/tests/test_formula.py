"""The short forms: formulas whose types follow from the arrays."""

import re
from decimal import Decimal

import numpy as np
import pytest

import graft_cuda as graft

X = np.linspace(-2, 2, 9, dtype=np.float32)


def test_evaluate():
    y = graft.evaluate("a * max(x, 0) + b", x=X, a=2, b=1)
    assert y.dtype == np.float32
    assert np.array_equal(y, 2 * np.maximum(X, 0) + 1)
    out = np.zeros_like(X)
    assert graft.evaluate("a * max(x, 0) + b", x=X, a=3, b=-1, out=out) is out
    assert np.array_equal(out, 3 * np.maximum(X, 0) - 1)


def test_another_number_compiles_nothing():
    expression = graft.transform("x * a + 17", engine=(engine := graft.Engine(cache="memory")), device="host")
    expression(X, a=1)
    builds = engine.counters["builds"]
    assert builds == 1
    assert np.array_equal(expression(X, a=2.5), X * np.float32(2.5) + 17)
    assert engine.counters["builds"] == builds
    expression(X.astype(np.float64), a=2.5)
    assert engine.counters["builds"] == builds + 1


@pytest.mark.parametrize(
    "x, a",
    [
        (np.float32([1, 2]), 2.5),
        (np.float32([1, 2]), 3),
        (np.float32([1, 2]), np.float64(0.1)),
        (np.float64([1, 2]), 0.1),
        (np.int32([1, 2]), 3),
        (np.int32([1, 2]), 0.5),
        (np.int64([1, 2]), 2**40),
        (np.float32([1, 2]), True),
        (np.complex64([1 + 1j]), 2.5),
        (np.float32([1, 2]), 1 + 2j),
        (np.complex128([1 + 1j]), 2 - 1j),
        (np.float16([1, 2]), 0.5),
    ],
    ids=str,
)
def test_numbers_have_the_types_that_numpy_gives_them(x, a):
    y, expected = graft.evaluate("x + a", x=x, a=a), x + a
    assert y.dtype == expected.dtype
    assert np.array_equal(y, expected)


def test_types_in_a_line():
    line = graft.transform("sum = a * x + y; larger = x > y", "f32 x, y; f32 a", device="host")
    sums, larger = line(X, X[::-1], a=2)
    assert np.array_equal(sums, 2 * X + X[::-1])
    assert larger.dtype == bool and np.array_equal(larger, X > X[::-1])


def test_variables_by_place_and_by_name(refused):
    scale = graft.transform("a * x - y", "f32 x, y; f32 a", device="host")
    y = X[::-1]
    for result in (scale(X, y, 2), scale(X, y, a=2), scale(x=X, y=y, a=2), scale(X, a=2, y=y),
                   scale(X, y, state={"a": 2})):  # fmt: skip
        assert np.array_equal(result, 2 * X - y)
    assert "twice" in refused("InvalidArgument", scale, X, y, 2, x=X).message
    assert "variable y" in refused("CountMismatch", scale, X, a=2).message
    refused("CountMismatch", scale, X, y, 2, 3)
    refused("TypeMismatch", scale, X, y, 2, b=3)
    assert "variable a" in refused("CountMismatch", scale, X, y).message
    error = refused("TypeMismatch", scale, X.astype(np.float64), y, 2)
    assert error.message == "the formula: `x` holds float64, and must hold float32"


def test_variables_with_the_names_of_parameters_of_python():
    assert np.array_equal(graft.evaluate("text + self", text=X, self=1), X + 1)
    total = graft.reduction("a + b", map="self", device="host")
    assert total(self=np.float64([1, 2])) == 3


def test_mistakes(refused):
    error = refused("CompileFailed", graft.evaluate, "x + flor(x)", x=X)
    assert error.diagnostics[0].suggestion == "floor" and error.diagnostics[0].column == 5
    refused("CompileFailed", graft.evaluate, "x +", x=X)
    refused("InvalidArgument", graft.evaluate, "1 + 2")
    refused("InvalidArgument", graft.transform("x + y"), X)
    refused("InvalidArgument", graft.formula, "x", "f33 x")
    refused("TypeMismatch", graft.evaluate, "x", x=np.array([None]))
    refused("InvalidArgument", graft.evaluate, "x", x=[1, 2])
    refused("InvalidArgument", graft.evaluate, "x + a", x=X, a=np.str_("a"))
    refused("InvalidArgument", graft.evaluate, "x + a", x=X, a="a")
    refused("InvalidArgument", graft.evaluate, "x + a", x=np.int32([1]), a=2**70)


# What people type who know NumPy. Each is its own NumPy expression, or stands beside one.
M = X > 0
HABITS = [
    "np.where(x > 0, x, 0)", "np.clip(x, -1, 1)", "np.maximum(x, 0)", "np.sqrt(np.absolute(x)) + np.pi",
    "np.arctan2(x, np.square(x) + 1)", "np.deg2rad(x)", "(x > 0) & (x < 1)", "(x > 0) | ~m", "~(x > 1) & m == m",
    "np.logical_and(x, m)", "np.float32(x) * 2", "np.power(x, 2)", "np.mod(x, 0.75)", "np.exp(1j * x)",
]  # fmt: skip
PLAIN = {
    "where(x > 0, x, 0)": np.where(X > 0, X, 0),
    "clip(x, -1, 1)  # NumPy's": np.clip(X, -1, 1),
    "not x > 0": ~(X > 0),
    "x > 0 and not m or x < -1": (X > 0) & ~M | (X < -1),
    "x if x > 0 else -x": np.where(X > 0, X, -X),
    "let t = x * x; t + 1": X * X + 1,
    "math.sqrt(x * x)": np.sqrt(X * X),
    "float64(x) / 3": X.astype(np.float64) / 3,
    "# half\nx / 2\n": X / 2,
}


@pytest.mark.parametrize("text", HABITS)
def test_habits_of_numpy(text):
    variables = {name: value for name, value in {"x": X, "m": M}.items() if re.search(rf"\b{name}\b", text)}
    result = graft.evaluate(text, **variables)
    expected = np.broadcast_to(eval(text, {"np": np}, variables), X.shape)
    assert result.dtype == expected.dtype
    np.testing.assert_allclose(result, expected, rtol=1e-6, atol=1e-7)


def test_habits_without_prefixes():
    for text, expected in PLAIN.items():
        result = graft.evaluate(text, **({"x": X, "m": M} if re.search(r"\bm\b", text) else {"x": X}))
        assert result.dtype == expected.dtype, text
        np.testing.assert_allclose(result, expected, rtol=1e-6, err_msg=text)


def test_a_line_for_each_output():
    low, high = graft.evaluate("""
        let t = x * x    # no output
        low = np.minimum(t, 1)
        high = np.maximum(t, 1)
    """, x=X)  # fmt: skip
    assert np.array_equal(low, np.minimum(X * X, 1)) and np.array_equal(high, np.maximum(X * X, 1))
    assert np.array_equal(graft.transform("let t = 2 * y  # a, b\nt + np.pi * 0")(X), 2 * X)
    assert graft.reduction("a + b", map="x * x  # squares", accumulator="f64")(X) == np.sum(np.float64(X) ** 2)


@pytest.mark.parametrize(
    "text, suggestion",
    [
        ("np.sinc(x)", "x == 0 ? 1 : sin(pi * x) / (pi * x)"),
        ("np.fmax(x, 0)", "isnan(x) || x < 0 ? 0 : x"),
        ("x.astype(np.uint8)", "u8(x)"),
        ("x.where(x > 0, -1)", "select(x > 0, x, -1)"),
        ("x.round(2)", "round(x * 10 ^ 2) / 10 ^ 2"),
        ("np.bool_(1j * x)", "(complex(0, 1) * x) != 0"),
        ("float(x)", "f64(x)"),
        ("static_cast<float>(x)", "f32(x)"),
        ("fmaxf(x, 0)", "isnan(x) || x < 0 ? 0 : x"),
        ("float d = x - 1; d * d", "let d = x - 1; d * d"),
        ("if (x > 0) y = x; else y = -x", "y = x > 0 ? x : -x"),
        ("x += 1", "out = x + 1"),
        ("x * 2 // two times", "#"),
        ("x or 0", "x ? x : 0"),
        ("log(x, 2)", "log(x) / log(2)"),
        ("x.sum()", ""),
        ("np.logaddexp2(x, 1)", ""),
    ],
)
def test_refusals_say_what_to_type(text, suggestion, refused):
    found = refused("CompileFailed", graft.evaluate, text, x=X).diagnostics[0]
    assert found.suggestion == suggestion
    if suggestion and suggestion != "#":
        graft.evaluate(suggestion, x=X)


def test_a_comment_of_cpp_is_a_floor_division(refused):
    assert "comments begin with `#`" in refused("CountMismatch", graft.evaluate, "x * 2 // twice", x=X).remedy
    assert "#" not in refused("CountMismatch", graft.evaluate, "x * 2 // (twice + 1)", x=X).remedy


def test_true_is_no_variable(refused):
    error = refused("CompileFailed", graft.evaluate, "where(x > 0, True, x)", x=X)
    assert error.diagnostics[0].suggestion == "bool(1)"


def test_keywords_that_are_no_variables(refused):
    error = refused("InvalidArgument", graft.evaluate, "gain * x", x=X, gian=2)
    assert "gian" in error.message and "gain" in error.remedy
    assert "transform" in refused("InvalidArgument", graft.evaluate, "x + 1", x=X, fast_mth=True).remedy
    assert "transform" in refused("InvalidArgument", graft.evaluate, "x + 1", x=X, fast_math=True).remedy
    refused("InvalidArgument", graft.evaluate, "where(x > 0, x, 0)", x=X, where=X > 0)
    refused("InvalidArgument", graft.transform("x + 1"), x=X, y=X)
    refused("InvalidArgument", graft.reduction("a + b", map="x"), x=X, dim=0)
    assert "out" in refused("InvalidArgument", graft.evaluate, "2 * out", out=X).message
    assert np.array_equal(graft.transform("2 * out", "f32 out", device="host")(X), 2 * X)
    assert np.array_equal(graft.evaluate("out = x + e", x=X, e=1), X + 1)


@pytest.mark.parametrize("name", ["out", "state", "stream"])
def test_variables_with_the_names_of_arguments(name, refused):
    plus = graft.transform(f"x - {name}", f"f32 x; f32 {name}", device="host")
    out = np.zeros_like(X)
    assert np.array_equal(plus(X, 2), X - 2) and np.array_equal(plus(X, state={name: 3}), X - 3)
    assert plus(X, 4, out=out) is out and np.array_equal(out, X - 4)
    both = graft.transform(f"{name} - a * b", f"f32 {name}; f32 a, b", device="host")
    assert np.array_equal(both(X, 2, 3), X - 6) and np.array_equal(both(X, 2, b=3), X - 6)
    value = 2 if name == "state" else out
    error = refused("CountMismatch", plus, X, **{name: value})
    assert f"no value for the variable {name}" in error.message and "by its place" in error.remedy
    assert "state= and the parameter" in refused("InvalidArgument", plus, X, 2, state={name: 2}).message
    no_state = graft.transform("x * a", "f32 x; f32 a", device="host")
    assert "the state is a int" in refused("TypeMismatch", no_state, X, state=2).message


def test_no_arrays(refused):
    dates = np.array(["2020-01-01"], "M8[D]")
    for value in (dates[0], b"2", np.bytes_(b"2"), "2", None, Decimal(2), np.void(b"12345678")):
        assert refused("InvalidArgument", graft.evaluate, "x + k", x=np.zeros(8), k=value).message.startswith("k is a ")
    for value in (np.longdouble(2), np.clongdouble(2)):
        assert "float(k)" in refused("TypeMismatch", graft.evaluate, "x + k", x=X, k=value).remedy
    assert "asarray" in refused("InvalidArgument", graft.evaluate, "x + y", x=X, y=[1, 2]).remedy
    assert "the formula is a NoneType" in refused("InvalidArgument", graft.evaluate, None, x=X).message


HALF = "x + \ud800"
SOURCE = "[](float x) { return x; }"
LOADED = graft.Fft(4, device="host")


@pytest.mark.parametrize(
    "named, call",
    [
        ("the line of variables", lambda: graft.transform("x + 1", 3)),
        ("the line of variables", lambda: graft.formula("x + 1", HALF)),
        ("the formula", lambda: graft.transform(3, "f32 x")),
        ("the formula", lambda: graft.transform(b"x")),
        ("the formula", lambda: graft.evaluate(HALF, x=X)),
        ("the formula", lambda: graft.formula(HALF, "f32 x")),
        ("combine", lambda: graft.reduction(3)),
        ("map", lambda: graft.reduction("a + b", map=None)),
        ("finish", lambda: graft.reduction("a + b", finish=HALF)),
        ("accumulator", lambda: graft.reduction("a + b", accumulator=3)),
        ("the text of a callback", lambda: graft.Transform(HALF)),
        ("shape", lambda: graft.Fft(2**70)),
        ("kind", lambda: graft.Fft(4, kind=3)),
        ("precision", lambda: graft.Fft(4, precision=np.float32)),
        ("scaling", lambda: graft.Fft(4, scaling=None)),
        ("directions", lambda: graft.Fft(4, directions=True)),
        ("storage", lambda: graft.Fft(4, storage="f16")),
        ("a side of storage", lambda: graft.Fft(4, storage=(1, 2))),
        ("storage", lambda: graft.Fft(4, storage=("f16",))),
        ("inverse", lambda: graft.Fft(4, inverse=3)),
        ("has_strides", lambda: graft.Fft(4, has_strides=3)),
        ("has_long_arrays", lambda: graft.Fft(4, has_long_arrays="no")),
        ("batch", lambda: graft.Fft(4, batch=-1)),
        ("batch", lambda: graft.Fft(4, batch=2**70)),
        ("batch", lambda: LOADED.workspace_bytes(1.5)),
        ("pack", lambda: graft.Fft.load(3)),
        ("pack", lambda: graft.Reduce.load("pack")),
        ("engine", lambda: graft.Transform(SOURCE, engine=3)),
        ("engine", lambda: graft.Fft(4, engine="default")),
        ("architecture", lambda: graft.build(SOURCE, 90)),
        ("architectures", lambda: graft.precompile(SOURCE, "sm_90")),
        ("item 1 of architectures", lambda: graft.precompile_fft(4, ["sm_90", 90])),
        ("format", lambda: graft.precompile_reduce("[](float a, float b) { return a + b; }", ["sm_90"], 3)),
        ("count", lambda: graft.Transform(SOURCE, device="host").for_count(-1)),
        ("count", lambda: graft.Transform(SOURCE, device="host").for_count([2])),
    ],
)
def test_an_argument_of_another_type_is_named(named, call, refused):
    error = refused("InvalidArgument", call)
    assert error.message.startswith((f"{named} is a ", f"{named} has ", f"{named} is -1")), error.message
    assert error.remedy.startswith("Pass "), error.remedy


def test_a_variable_that_is_given_twice(refused):
    for call in (graft.transform("x + 1"), graft.transform("x + 1", "f32 x", device="host"), graft.reduction("a + b")):
        assert refused("InvalidArgument", call, X, x=X).message.endswith("the variable x is given twice")
    product = graft.transform("x * y")
    for arrays, number in (((X,), "1 value "), ((X, X), "2 values ")):
        error = refused("InvalidArgument", product, *arrays)
        assert number in error.message and "x, y" in error.message and "x=..., y=..." in error.remedy
    assert "(none)" in refused("InvalidArgument", graft.transform("2"), X).message


def test_the_text_of_an_error_has_one_form(refused):
    """Whether Python code or libgraft refuses: the message, the code, and what to do."""
    fft = graft.Fft(4, device="host")
    by_python = refused("InvalidArgument", fft, np.zeros(4, np.complex64), stream=1)
    by_libgraft = refused("InvalidArgument", graft.Fft(4, device="host", has_strides=True), X[:4] + 0j, axes=7)
    for error in (by_python, by_libgraft):
        assert str(error) == f"graft: {error.message} [{error.code}]\nWhat to do: {error.remedy}"


def test_a_variable_that_was_not_given(refused):
    for call in (graft.transform("x * y", device="host"), graft.reduction("a + b", map="x * y", device="host")):
        error = refused("CountMismatch", call, x=X)
        assert "no value for `y`" in error.message and "y=..." in error.remedy and error.diagnostics[0].column == 5
    assert "no value for `y`" in refused("CountMismatch", graft.evaluate, "x + y * a", x=X, a=2).message
    misspelt = refused("CountMismatch", graft.evaluate, "gain * gian + x", x=X, gain=2)
    assert "`gian`" in misspelt.message and "`gain`" in misspelt.remedy
    assert "flor" in refused("CompileFailed", graft.evaluate, "flor(x)", x=X).message
    finish = graft.reduction("a + b", map="x ** p", finish="a ** (1 / p)", device="host")
    assert "`p`" in refused("CompileFailed", finish, x=X, p=2).message


def test_messages_call_inputs_by_their_names(refused):
    short = np.zeros(2, np.float32)
    for call in (
        lambda: graft.transform("x - y", device="host")(x=X, y=short, out=X.copy()),
        lambda: graft.transform("x - y", "f32 x, y", device="host")(X, short, out=X.copy()),
        lambda: graft.transform("x - y", "f32 x, y", device="host")(X, X.astype(np.float64)),
    ):
        message = refused_message(refused, call)
        assert "`y`" in message and "input" not in message and "graft_formula" not in message, message
    product = graft.reduction("a + b", map="x * y", device="host").reduce_for([("x", "f32"), ("y", "f32")], [])
    assert "input 1" in refused("TypeMismatch", product, X, X.astype(np.float64)).message


def refused_message(refused, call):
    with pytest.raises(graft.GraftError) as caught:
        call()
    refused(caught.value.code, call)
    assert "input" not in str(caught.value)
    return caught.value.message


@pytest.mark.parametrize(
    "text",
    [
        "__device__ float f(float x) { return x; }",
        "[](float x) { return x; }",
        'x; system("id")',
        "x\n<x>",
        "asm(x)",
    ],
)
def test_a_formula_is_never_cpp(text, refused):
    refused("CompileFailed", graft.evaluate, text, x=X)
    refused("CompileFailed", graft.formula, text, "f32 x")


def test_a_directive_is_a_comment():
    assert np.array_equal(graft.evaluate("x\n#include <stdio.h>\n#error no", x=X), X)


# ---- What a user of CuPy's ElementwiseKernel tries first ----


def test_an_output_as_the_last_value(refused):
    x, out = np.float32([1, 2]), np.zeros(2, np.float32)
    typed = graft.transform("a * x", "f32 x; f32 a", device="host")
    assert "out=" in refused("CountMismatch", typed, x, 2, out).remedy
    assert "out=" in refused("InvalidArgument", graft.transform("a * x", device="host"), x, 2, out).remedy
    assert "out=" in refused("InvalidArgument", graft.transform("2 * x", device="host"), x, out).remedy


def test_a_cast_to_a_type_that_is_a_letter(refused):
    x = np.float32([1, 2])
    for call in (
        lambda: graft.transform("T(0.5) * x", device="host")(x=x),
        lambda: graft.transform("T(0.5) * x * a", device="host")(x=x, a=2),
        lambda: graft.transform("T(0.5) * x", "f32 x", device="host"),
        lambda: graft.reduction("a + b", map="T(0.5) * x", device="host")(x=x),
    ):
        error = refused("CompileFailed", call)
        assert "literals take the type of what they meet" in error.message
        assert error.diagnostics[0].suggestion == "0.5"
    assert "literals" not in refused("CountMismatch", graft.transform("T * x", device="host"), x=x).message


def test_outputs_that_are_also_inputs(refused):
    v, param, grad = np.float64([1, 2]), np.float64([5, 6]), np.float64([0.5, 4])
    for text in ("v = 2 * v - grad", "v += grad", "u = grad; v *= 2"):
        error = refused("CompileFailed", graft.transform(text, device="host"), v=v, grad=grad)
        assert "new_v = " in error.remedy and "out=v" in error.remedy and "out=v" in str(error)
    assert "out=v" in refused("CompileFailed", graft.transform, "v = 2 * v", "f32 v", device="host").remedy
    step = graft.transform("new_v = m * v - lr * grad; new_param = param + new_v", device="host")
    expected = 0.5 * v - 0.25 * grad, param + (0.5 * v - 0.25 * grad)
    step(v=v, param=param, grad=grad, m=0.5, lr=0.25, out=(v, param))
    assert np.array_equal(v, expected[0]) and np.array_equal(param, expected[1])
