"""Templates and lambdas with `auto`, which take their types from the arrays of a call."""

import numpy as np
import pytest

import graft_cuda as graft

TWICE = "template <class T> __device__ T twice(T x) { return x + x; }"
MIX = "template <class T> __device__ T mix(T a, T b, const float& t) { return a + T(t) * (b - a); }"


@pytest.mark.parametrize("dtype", ["i1", "u2", "i4", "i8", "f4", "f8", "c8", "c16", "?", "f2"])
def test_a_template_takes_its_types_from_the_arrays(dtype):
    x = np.array([1, 0, 3]).astype(dtype)
    if dtype == "f2":
        text = "[](auto x) { return x; }"
        expected = x
    else:
        text, expected = TWICE, (x.astype(int) * 2).astype(bool) if dtype == "?" else x + x
    result = graft.Transform(text, device="host")(x)
    assert result.dtype == expected.dtype and np.array_equal(result, expected)


def test_one_kernel_for_each_combination_of_types():
    engine = graft.Engine(cache="memory")
    twice = graft.Transform(TWICE, engine=engine, device="host")
    assert isinstance(twice, graft.GenericTransform) and isinstance(twice, graft.Transform)
    assert engine.counters["builds"] == 0
    for _ in range(3):
        twice(np.float32([1, 2]))
    assert engine.counters["builds"] == 1
    twice(np.float64([1, 2]))
    assert engine.counters["builds"] == 2
    prepared = twice.transform_for("i32")
    assert engine.counters["builds"] == 3 and prepared.signature.inputs == ["i32"]
    out = np.zeros(2, np.int32)
    assert twice(np.int32([1, 2]), out=out) is out and out.tolist() == [2, 4]
    assert engine.counters["builds"] == 3
    assert "callback.cu" in repr(twice)


def test_lambdas_numbers_states_and_shapes():
    scale = graft.Transform("[](auto x, auto y) { return x * y; }", device="host")
    x = np.float64([[1], [2]])
    assert np.array_equal(scale(x, np.float32([3, 4])), x * np.float32([3, 4]))
    assert np.array_equal(scale(x, 2), 2 * x) and scale(x, np.float32(2)).dtype == np.float64
    assert np.array_equal(scale(0.5, x.T), 0.5 * x.T)
    mix = graft.Transform(MIX, device="host")
    assert np.array_equal(mix(x, 2 * x, state=0.5), 1.5 * x)
    assert mix(x.astype("f4"), 2 * x.astype("f4"), t=0.5).dtype == np.float32
    member = graft.Transform(
        "struct S { float gain; }; template <class T> __device__ T f(T x, const S& s) { return T(s.gain) * x; }",
        device="host",
    )
    assert np.array_equal(member(np.int32([1, 2]), gain=3), [3, 6])
    baked = graft.Transform(
        "struct S { float gain; }; template <class T> __device__ T f(T x, const S& s) { return T(s.gain) * x; }",
        device="host",
        bake={"gain": 4},
    )
    assert np.array_equal(baked(x), 4 * x)


def test_the_outputs_types_may_come_from_out(refused):
    widen = graft.Transform("template <class T, class U> __device__ void f(T x, U& y) { y = x; }", device="host")
    for dtype in (np.float64, np.int32, np.float64):
        out = np.zeros(2, dtype)
        assert widen(np.int8([1, -2]), out=out) is out and out.tolist() == [1, -2]
    error = refused("AmbiguousEntry", widen, np.int8([1, -2]))
    assert "with_types" in error.remedy and "types(" not in error.remedy.replace("with_types(", "")


def test_one_of_several_functions_and_named_arguments():
    text = TWICE + " template <class R, class T> __device__ R to(T x) { return R(x); }"
    x = np.float64([1, 2])
    assert np.array_equal(graft.Transform(text, entry="twice", device="host")(x), 2 * x)
    assert graft.Transform(text, entry="to<float>", device="host")(x).dtype == np.float32
    whole = graft.Transform(text, entry="twice<float>", device="host")
    assert type(whole) is graft.Transform and whole.signature.inputs == ["f32"]
    assert np.array_equal(graft.Transform(graft.Callback(text).with_entry("twice"), device="host")(x), 2 * x)


def test_chains_keep_the_names_of_states():
    shift = graft.formula("x + d", "f64 x; f64 d")
    whole = graft.Transform(graft.chain(TWICE, graft.chain(TWICE, shift)), device="host")
    assert type(whole) is graft.GenericTransform
    assert np.array_equal(whole(np.float64([1, 2]), d=3), [7, 11])
    assert np.array_equal(whole(np.float64([1, 2]), state={"d": 3}), [7, 11])


def test_types_are_given_where_there_are_no_arrays(has_compiler, refused):
    twice = graft.Callback(TWICE)
    assert twice.takes_types and not twice.with_types("f32").takes_types
    assert graft.build(twice.with_types("f64"), "sm_90").signature.inputs == ["f64"]
    total = graft.Reduce(
        graft.Callback("template <class T> __device__ T add(T a, T b) { return a + b; }").with_types("i32, i32"),
        device="host",
    )
    assert total(np.int32([1, 2, 3])) == 6
    for make in (lambda: graft.build(TWICE, "sm_90"), lambda: graft.Reduce(TWICE, device="host")):
        error = refused("AmbiguousEntry", make)
        assert 'with_types("f32")' in error.remedy and "Generic" not in error.remedy, error.remedy
    refused("InvalidArgument", twice.with_types, "f 32 +")


def test_mistakes(refused):
    twice = graft.Transform(TWICE, device="host")
    assert "by name" in refused("CountMismatch", twice, np.zeros(2), np.zeros(2)).remedy
    mix = graft.Transform(MIX, device="host")
    assert "takes 2 inputs, and the call has 3" in refused("CountMismatch", mix, np.zeros(2), 1, 2).message
    assert "each input" in refused("CountMismatch", mix, np.zeros(2), t=1).remedy
    refused("InvalidArgument", twice, 2.0)
    refused("InvalidArgument", twice, [1, 2])
    assert "Point" in refused("TypeMismatch", twice, np.zeros(2, "f4,f4")).remedy
    for attribute in ("signature", "report", "reports"):
        assert "transform_for" in refused("InvalidArgument", getattr, twice, attribute).remedy
    assert "transform(x)" in refused("CountMismatch", twice.for_count, 3).remedy
    refused("InvalidArgument", twice.prepare, "host")
    body = graft.Transform("template <class T> __device__ T f(T x) { return x.y; }", device="host")
    refused("CompileFailed", body, np.zeros(2))
    refused("InvalidArgument", graft.Transform, TWICE, fast=True)
    future = graft.Transform.create_async(TWICE, device="host")
    assert np.array_equal(future.result()(np.float32([1])), [2])


def test_ready_made_callbacks(refused):
    relu = graft.Transform(graft.Callback.ready_made("relu"), device="host")
    assert relu(np.float32([-1, 2])).tolist() == [0, 2]
    assert "relu" in refused("NoSuchEntry", graft.Callback.ready_made, "rellu").remedy


# ---- States whose struct is a template ----

GRID = "template <class T> struct Grid { const T* u; T h; int n; }; "
GRID += "template <class T> __device__ T next(const Grid<T>& g, graft::Index i) { return g.h * g.u[(i + 1) % g.n]; }"


@pytest.mark.parametrize("dtype", ["f4", "f8", "i4", "u1", "c8", "c16"])
def test_a_states_type_is_that_of_its_arrays(dtype, refused):
    following = graft.Transform(GRID, device="host")
    u = np.arange(4).astype(dtype)
    out = following(u=u, h=2, n=4, out=np.zeros_like(u))
    assert out.dtype == u.dtype and np.array_equal(out, 2 * np.roll(u, -1))
    assert np.array_equal(following(state={"u": u, "h": 1, "n": 4}, out=out), np.roll(u, -1))
    other = np.zeros(4, "f4" if dtype != "f4" else "f8")
    refused("TypeMismatch", following, u=u, h=1, n=4, out=other)


def test_a_states_type_beside_inputs():
    text = GRID.replace("next(const", "next(T x, const").replace("g.h *", "x *")
    following = graft.Transform(text, device="host")
    for dtype in (np.float32, np.float64):
        u = np.arange(4).astype(dtype)
        result = following(u, u=u, h=0, n=4)
        assert result.dtype == dtype and np.array_equal(result, u * np.roll(u, -1))


def test_a_states_type_by_name(refused):
    following = graft.Transform(GRID, device="host")
    u = np.arange(4.0)
    double = following.transform_for("; Grid<double>")
    assert np.array_equal(double(u=u, h=1, n=4, out=np.zeros(4)), np.roll(u, -1))
    assert np.array_equal(double(u=u.ctypes.data, h=1, n=4, out=np.zeros(4)), np.roll(u, -1))
    refused("TypeMismatch", double, u=u.astype("f4"), h=1, n=4, out=np.zeros(4))
    error = refused("AmbiguousEntry", following, u=u.ctypes.data, h=1, n=4, out=np.zeros(4))
    assert "Grid<T>" in error.message and 'transform_for("; Grid<float>")' in error.remedy and "(u, h)" in error.remedy
    assert 'transform_for("; Grid<float>")' in refused("InvalidArgument", getattr, following, "signature").remedy
    assert np.array_equal(following(u=None, h=np.float32(1), n=0, out=np.zeros(0, "f4")), [])


def test_for_count_of_a_states_template(refused):
    scatter = graft.Transform(
        "template <class T, class I> struct To { T* y; const I* place; const T* x; }; template <class T, class I>"
        "__device__ void put(const To<T, I>& to, graft::Index i) { to.y[to.place[i]] = to.x[i]; }",
        device="host",
    )
    for value, index in (("f4", "i4"), ("f8", "i4"), ("f8", "i8")):
        y = np.zeros(4, value)
        scatter.for_count(2, y=y, place=np.array([3, 1], index), x=np.array([5, 7], value))
        assert y.tolist() == [0, 7, 0, 5]
    refused("TypeMismatch", scatter.for_count, 2, y=np.zeros(4), place=np.int32([3, 1]), x=np.float32([5, 7]))
    refused("AmbiguousEntry", scatter.for_count, 2, y=np.zeros(4), place=None, x=np.zeros(2))
    following = graft.Transform(GRID, device="host")
    for given in ({}, {"out": np.zeros(4)}):
        error = refused("CountMismatch", following.for_count, 4, u=np.zeros(4), h=1, n=4, **given)
        assert "an output" in error.message and "out=" in error.remedy
