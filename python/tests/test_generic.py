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
    refused("SignatureMismatch", twice, np.zeros(2), np.zeros(2))
    refused("InvalidArgument", twice, 2.0)
    refused("InvalidArgument", twice, [1, 2])
    assert "Point" in refused("TypeMismatch", twice, np.zeros(2, "f4,f4")).remedy
    for attribute in ("signature", "report", "reports"):
        assert "transform_for" in refused("InvalidArgument", getattr, twice, attribute).remedy
    refused("InvalidArgument", twice.for_count, 3)
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
