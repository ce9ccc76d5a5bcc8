"""Reductions of all elements, along axes, of segments, and those that are built without a GPU."""

import numpy as np
import pytest

import graft_cuda as graft

X = np.arange(24, dtype=np.float64).reshape(2, 3, 4)
SUM = graft.reduction("a + b", initial=0, device="host")


@pytest.mark.parametrize("axis", [None, 0, 1, -1, (0, 2), (0, 1, 2)])
@pytest.mark.parametrize("keepdims", [False, True])
def test_axes_are_those_of_numpy(axis, keepdims):
    result = SUM(X, axis=axis, keepdims=keepdims)
    expected = np.sum(X, axis=axis, keepdims=keepdims)
    assert result.shape == expected.shape
    assert np.array_equal(result, expected)


def test_views_repeat_and_empty_results_are_the_initial_value(refused):
    assert np.array_equal(SUM(X.T, axis=0), X.T.sum(axis=0))
    assert SUM(np.zeros((0, 3)), axis=0).tolist() == [0, 0, 0]
    dot = graft.reduction("a + b", map="x * y", device="host")
    assert np.array_equal(dot(x=X, y=np.ones(4), axis=2), X.sum(axis=2))
    refused("CountMismatch", dot, x=np.zeros(0), y=np.zeros(0))
    refused("InvalidArgument", SUM, X, axis=3)
    refused("InvalidArgument", dot, X, X)


def test_formulas_for_map_and_finish():
    norm = graft.reduction("a + b", map="x * x", finish="sqrt(a)", device="host")
    assert np.allclose(norm(X, axis=1), np.linalg.norm(X, axis=1), rtol=1e-15)
    weighted = graft.reduction("max(a, b)", map="w * x", device="host")
    assert weighted(x=X, w=2.0) == 46
    wide = graft.reduction("a + b", accumulator="f64", device="host")
    assert wide(np.full(1000, 0.1, np.float32)).dtype == np.float64
    counted = graft.reduction("a + b", map="i32(x > 3)", device="host")
    assert counted(X) == 20


Z = np.complex64([3 + 4j, -1j, 2])


@pytest.mark.parametrize(
    "text, expected",
    [
        ("norm(z)", 30),
        ("real(z)", 5),
        ("abs(z)", 8),
        ("max(real(z), 1)", 6),
        ("z * 2", 10 + 6j),
        ("z * conj(z)", 30),
        ("complex(real(z), 0)", 5),
        ("i32(norm(z) > 0)", 3),
    ],
)
@pytest.mark.parametrize("dtype", [np.complex64, np.complex128])
def test_maps_that_compute_with_complex_numbers(text, expected, dtype):
    result = graft.reduction("a + b", map=text, device="host")(z=Z.astype(dtype))
    assert result == expected
    if isinstance(expected, complex) or "conj" in text or "complex" in text:
        assert result.dtype == dtype


def test_a_map_that_makes_complex_numbers_of_real_ones():
    result = graft.reduction("a * b", map="complex(x, 1)", device="host")(np.float32([1, 2]))
    assert result == 1 + 3j and result.dtype == np.complex64


def test_the_result_of_a_function_beside_others():
    helper = "__device__ int helper(int i) { return i + 1; }"
    add = "static __device__ __forceinline__ float add(float a, float b) { return a + b; }"
    both = graft.Callback(f"{helper} {add}")
    assert graft._reduce.result_type(graft.Callback(add)) == "f32"
    assert graft._reduce.result_type(both) is None
    assert graft._reduce.result_type(both.with_entry("add")) == "f32"
    assert graft.Reduce(both.with_entry("add"), initial=2.5, device="host")(np.zeros(0, np.float32)) == 2.5


def test_keywords_that_a_reduction_does_not_have(refused):
    norm = graft.reduction("a + b", map="x * x", device="host")
    for wrong, near in (("axes", "axis"), ("keepdim", "keepdims"), ("ouput", "out"), ("X", None)):
        error = refused("InvalidArgument", norm, X, **{wrong: 1})
        assert error.message.startswith(f"{wrong} is neither")
        assert (f"Did you mean {near}?" in error.remedy) == (near is not None), error.remedy
        refused("InvalidArgument", norm, x=X, **{wrong: 1})
    out = np.full(3, 7.0)
    refused("InvalidArgument", norm, X, axis=(0, 2), ouput=out)
    assert np.all(out == 7)
    assert "s is neither" in refused("InvalidArgument", graft.reduction("a + b", map="sin(x)"), X, s=1).message


def test_small_integers_keep_their_type():
    largest = graft.reduction("max(a, b)", device="host")
    assert largest(np.array([3, 100, -7], np.int8)).dtype == np.int8
    assert largest(np.array([3, 100, -7], np.int8)) == 100


def test_callbacks_in_cpp_and_an_output_that_is_given(refused):
    arg = graft.Reduce(
        "struct At { float value; int index; };"
        "__device__ At best(At a, At b) {"
        "  return b.value > a.value || (b.value == a.value && b.index < a.index) ? b : a; }",
        map="struct At { float value; int index; };__device__ At at(float x, graft::Index i) { return {x, (int)i}; }",
        finish="struct At { float value; int index; }; __device__ int index(At a) { return a.index; }",
        device="host",
    )
    x = np.random.default_rng(1).random((5, 7), np.float32)
    assert np.array_equal(arg(x, axis=1), x.argmax(axis=1))
    out = np.zeros((1, 7), np.int32)
    assert arg(x, axis=0, out=out) is out
    assert np.array_equal(out[0], x.argmax(axis=0))
    refused("CountMismatch", arg, x, axis=0, out=np.zeros((1, 6), np.int32))
    refused("TypeMismatch", arg, x.astype(np.float64))


@pytest.mark.parametrize("axis", [None, 0, 1, -1, np.int64(2), (0, 2), (0, 1, 2)])
@pytest.mark.parametrize("keepdims", [False, True])
def test_an_output_that_is_given_has_the_shape_of_numpys(axis, keepdims, refused):
    x = np.arange(27, dtype=np.float64).reshape(3, 3, 3)
    expected = np.sum(x, axis=axis, keepdims=keepdims)
    out = np.zeros_like(expected, shape=expected.shape)
    assert SUM(x, axis=axis, out=out) is out
    assert np.array_equal(out, expected)
    every_second = np.zeros((*expected.shape, 2))[..., 0]
    SUM(x, axis=axis, out=every_second)
    assert np.array_equal(every_second, expected)
    other = np.full((*expected.shape, 3), 7.0)
    error = refused("CountMismatch", SUM, x, axis=axis, out=other)
    assert str(np.sum(x, axis=axis).shape) in error.message
    assert np.all(other == 7)


def test_axes_that_arrays_do_not_have(refused):
    for axis in (3, -4, (0, 0), 1.0, "x", (0, None)):
        refused("InvalidArgument", SUM, X, axis=axis)
        refused("InvalidArgument", SUM, X, axis=axis, out=np.zeros(3))


def test_a_state_of_map_and_finish():
    clipped = graft.Reduce(
        graft.formula("a + b", "f32 a, b"),
        map=graft.formula("min(x, limit)", "f32 x; f32 limit"),
        finish=graft.formula("a / n", "f32 a; f32 n"),
        device="host",
    )
    x = np.arange(8, dtype=np.float32)
    assert clipped(x, limit=4, n=8) == np.minimum(x, 4).sum() / 8


def test_segments(refused):
    offsets = np.array([0, 2, 2, 5], np.int32)
    assert SUM.reduce_for([("x", "f64")], []).segments(X.ravel()[:5], offsets=offsets).tolist() == [1, 0, 9]
    refused(
        "TypeMismatch", SUM.reduce_for([("x", "f64")], []).segments, X.ravel()[:5], offsets=offsets.astype(np.float32)
    )


def test_segments_that_are_refused(refused):
    total = SUM.reduce_for([("x", "f64")], [])
    x = np.arange(5.0)
    refused("InvalidArgument", total.segments, x, offsets=None)
    refused("InvalidArgument", total.segments, x, offsets=3)
    assert "offsets" in refused("InvalidArgument", total.segments, x, offsets=[0, 1]).message
    without = graft.reduction("a + b", device="host").reduce_for([("x", "f64")], [])
    offsets = np.array([0, 2, 2, 5], np.int64)
    assert "empty segments" in refused("InvalidArgument", without.segments, x, offsets=offsets).message
    out = np.full(3, 7.0)
    assert without.segments(x, offsets=offsets, out=out).tolist() == [1, 7, 9]


def test_initial_accumulators(refused):
    add = "__device__ float add(float a, float b) { return a + b; }"
    assert graft.Reduce(add, initial=2.5, device="host")(np.zeros(0, np.float32)) == 2.5
    refused("TypeMismatch", graft.Reduce, add, initial="x", device="host")
    pair = "struct P { float a, b; }; __device__ P add(P x, P y) { return {x.a + y.a, x.b + y.b}; }"
    for initial in (3.0, 8, np.zeros(2, np.float32), {"a": 1, "b": 2}, [0, 0], int):
        refused("TypeMismatch", graft.Reduce, pair, initial=initial, device="host")
    refused("UnsupportedParameter", graft.Reduce, pair, initial=np.float32(8), device="host")
    for accumulator in ("float", "f31", "", "index"):
        refused("TypeMismatch", graft.Reduce, add, initial=0, accumulator=accumulator, device="host")
    refused("TypeMismatch", graft.Reduce, add, initial=1e300, device="host")
    refused("TypeMismatch", graft.Reduce, add, initial=1j, device="host")
    assert graft.Reduce(add, initial=np.array(2.5), device="host")(np.zeros(0, np.float32)) == 2.5
    dtype = np.dtype([("a", "f4"), ("b", "f4")])
    total = graft.Reduce(pair, initial=np.zeros((), dtype), device="host")
    assert total(np.ones(3, dtype)).tolist() == (3, 3)


def test_built_without_a_gpu(has_compiler, refused):
    pack = graft.precompile_reduce("__device__ float add(float a, float b) { return a + b; }", ["sm_90"])
    assert len(pack) > 1000
    refused("ImageRefused", graft.Reduce.load, pack[:100])


# ---- What a user of CuPy's ReductionKernel tries first ----


@pytest.mark.parametrize("finish", ["sqrt(a / n)", "y = sqrt(a / n)"])
def test_finish_sees_the_accumulator_alone(refused, finish):
    x = np.float32([[3, 4], [6, 8]])
    norm = graft.reduction("a + b", map="x * x", finish=finish, device="host")
    for given in ({"n": 2}, {}):
        error = refused("CompileFailed", norm, x=x, axis=1, **given)
        assert "finish has `n`" in error.message and "`a` alone" in error.message
        for words in ("behind the reduction", "in map", "const long long& n", "n=..."):
            assert words in error.remedy
    both = graft.reduction("a + b", map="x * n", finish="a / n", device="host")
    assert "finish has `n`" in refused("CompileFailed", both, x=x, n=2).message
    mistaken = graft.reduction("a + b", map="x * x", finish="sqrt(a)", device="host")
    assert "neither a variable" in refused("InvalidArgument", mistaken, x=x, m=2).message


def test_a_mean_by_a_finish_in_cpp():
    x = np.float32([[3, 4], [6, 8]])
    mean = graft.Reduce(
        graft.formula("a + b", "f64 a, b"),
        map=graft.formula("f64(x * x)", "f32 x"),
        finish="__device__ float f(double a, const long long& n) { return sqrt(a / n); }",
        device="host",
    )
    result = mean(x, axis=1, n=2)
    assert result.dtype == np.float32 and np.array_equal(result, np.sqrt(np.float32([12.5, 50])))


@pytest.mark.parametrize(
    "name, words",
    [("reduce_type", "accumulator="), ("dtype", "accumulator="), ("identity", "initial="), ("map_expr", "map="),
     ("post_map_expr", "finish="), ("reduce_expr", "first argument"), ("out_params", "names its outputs"),
     ("in_params", "second argument"), ("preamble", "Transform("), ("options", "fast_math")],
)  # fmt: skip
def test_options_by_the_names_of_cupy(refused, name, words):
    for call in (
        lambda: graft.reduction("a + b", device="host", **{name: "double"})(np.zeros(2)),
        lambda: graft.Reduce("[](float a, float b) { return a + b; }", device="host", **{name: "double"}),
    ):
        error = refused("InvalidArgument", call)
        assert words in error.remedy and error.remedy in str(error) and name in error.message
    assert "accumulator" not in refused("InvalidArgument", graft.transform("x", nothing=1), np.zeros(2)).remedy


@pytest.mark.parametrize(
    "combine",
    ["[](double a, double b) { return a + b; }", "[](const double a, double const b) -> double { return a + b; }"],
)
def test_a_lambdas_parameters_are_the_accumulators_type(combine):
    total = graft.Reduce(combine, initial=0.5, device="host")
    assert total(np.float64([1, 2])) == 3 and total(np.zeros(0)) == 0.5


def test_lambdas_of_other_parameters_need_the_accumulators_type(refused):
    for combine in ("[](float a, double b) { return a + b; }", "[](auto a, auto b) { return a + b; }"):
        error = refused("TypeMismatch", graft.Reduce, combine, initial=0.0, device="host")
        assert "accumulator=" in error.remedy


def test_an_output_of_another_type_names_what_converts(refused):
    x, out = np.ones((2, 3), np.float32), np.empty(2, np.float32)
    wide = graft.reduction("a + b", map="x * x", finish="sqrt(a)", accumulator="f64", device="host")
    error = refused("TypeMismatch", wide, x=x, axis=1, out=out)
    assert 'finish="f32(sqrt(a))"' in error.remedy and "map" not in error.remedy and "accumulator" not in error.remedy
    wide = graft.reduction("a + b", map="x * x", accumulator="f64", device="host")
    error = refused("TypeMismatch", wide, x=x, axis=1, out=out)
    assert 'finish="f32(a)"' in error.remedy and 'accumulator="f32"' in error.remedy
    named = graft.reduction("a + b", map="x * x", finish="f32(sqrt(a))", accumulator="f64", device="host")
    assert named(x=x, axis=1, out=out) is out and np.array_equal(out, np.sqrt(np.float32([3, 3])))
