"""Ordinary calls, which the module makes without Python code: they give what all other calls give, or are left to them.

Arrays of NumPy stand for all: those of CuPy and PyTorch differ in how they are read alone (test_gpu.py).
"""

import copy
import gc
import inspect
import itertools
import pickle
import threading
import weakref

import ml_dtypes
import numpy as np
import pytest

import graft_cuda as graft

SUM = graft.Reduce("[](float a, float b) { return a + b; }", device="host")
LINE = graft.Transform(
    "struct P { float a; }; __device__ float f(float x, float y, const P& p) { return p.a * x + y; }", device="host"
)


def numbers(*shape):
    return np.arange(np.prod(shape, dtype=int), dtype=np.float32).reshape(shape) % 7


def leave_to_python(monkeypatch):
    """Have all calls made by Python code."""
    monkeypatch.setattr(
        graft._jobs.Job, "__call__", lambda self, /, *inputs, **words: self._call_any(*inputs, **words), raising=False
    )
    monkeypatch.setattr(graft._jobs.Job, "_direct_kernel", lambda *arguments: None)


@pytest.fixture
def direct_alone(monkeypatch):
    """Fail a call that is not made directly."""

    def call(*arguments):
        pytest.fail("the call was left to Python code")

    monkeypatch.setattr(graft._jobs.Job, "_call", call)


@pytest.fixture(params=["directly", "by Python code"])
def both_ways(request, monkeypatch):
    """Make a test's calls directly, and once more by Python code."""
    if request.param == "directly":
        request.getfixturevalue("direct_alone")
    else:
        leave_to_python(monkeypatch)


X = numbers(2, 3, 4)
VIEWS = [X, X.T, X[:, ::2], X[::-1, :, 1:], np.broadcast_to(X[:1], (5, 3, 4)), X[..., :1], X[:, :0], X.swapaxes(0, 1)]
AXES = [None, 0, -1, 1, (0, 2), [1, 0], (), (0, 1, 2), True]


@pytest.mark.parametrize("keepdims", [False, True])
@pytest.mark.parametrize("axis", AXES, ids=str)
def test_reductions(axis, keepdims, both_ways):
    total = graft.Reduce("[](float a, float b) { return a + b; }", initial=0, accumulator="f32", device="host")
    along = tuple(axis) if isinstance(axis, list) else axis if axis is not True else 1
    for x in VIEWS:
        expected = np.asarray(x.sum(axis=along, keepdims=keepdims))
        result = total(x, axis=axis, keepdims=keepdims)
        assert result.shape == expected.shape and result.dtype == np.float32 and np.array_equal(result, expected)
        for shape in {expected.shape, x.sum(axis=along, keepdims=True).shape}:
            for order in "CF":
                out = np.full(shape, -1, np.float32, order)
                assert total(x, axis=axis, keepdims=keepdims, out=out) is out
                assert np.array_equal(out.ravel(), expected.ravel())


def test_outputs_that_are_views(both_ways):
    whole = np.full((6, 8), -1, np.float32)
    SUM(X, axis=1, out=whole[::3, ::2])
    assert np.array_equal(whole[::3, ::2], X.sum(1)) and (whole[1::3] == -1).all() and (whole[:, 1::2] == -1).all()
    SUM(X, axis=0, out=whole[:4, :3].T)
    assert np.array_equal(whole[:4, :3].T, X.sum(0))


def test_several_inputs_and_outputs(both_ways):
    moments = graft.Reduce(
        graft.Callback("__device__ float add(float a, float b) { return a + b; }"),
        map=graft.formula("x * y", "f32 x, y"),
        device="host",
    )
    y = numbers(4)
    assert np.array_equal(moments(X, y, axis=-1), (X * y).sum(-1))
    assert np.array_equal(moments(y, X[:1], axis=(0, 2)), (X[:1] * y).sum((0, 2)))
    two = graft.transform("u = x + y; v = f64(x) * y", "f32 x, y", device="host")
    u, v = two(X, y)
    assert u.dtype == np.float32 and v.dtype == np.float64
    assert np.array_equal(u, X + y) and np.array_equal(v, X * y)
    outs = [np.zeros_like(u), np.zeros_like(v)]
    assert two(X, y, out=outs) is outs and np.array_equal(outs[1], v)


def test_transforms_and_states(both_ways):
    for x in VIEWS:
        for y in (x[..., :1], x):
            assert np.array_equal(LINE(x, y, a=3), 3 * x + y)
    out = np.zeros((2, 5, 4), np.float32)
    assert LINE(numbers(4), numbers(5, 1), out=out, state={"a": 2}) is out
    assert np.array_equal(out, np.broadcast_to(2 * numbers(4) + numbers(5, 1), out.shape))
    assert LINE(np.array(3, np.float32), np.array(4, np.float32), a=2)[()] == 10


def test_ffts(both_ways):
    x = (numbers(4, 6, 16) + 1j * numbers(6, 16)).astype(np.complex64)
    fft = graft.Fft(16, device="host", scaling="by length", has_strides=True)
    frequencies = fft(x)
    assert np.allclose(frequencies, np.fft.fft(x), atol=1e-4) and frequencies.dtype == np.complex64
    assert np.allclose(fft(frequencies, inverse=True), x, atol=1e-4)
    assert np.allclose(fft(x.swapaxes(0, 2), axes=0), np.fft.fft(x.swapaxes(0, 2), axis=0), atol=1e-4)
    out = np.zeros_like(x)
    assert fft(x, out=out) is out and np.array_equal(out, frequencies)
    for length in (16, 15):
        real = graft.Fft(length, kind="real", device="host", scaling="by length", has_strides=True)
        y = numbers(3, 16)[:, :length]
        assert np.allclose(real(y), np.fft.rfft(y), atol=1e-4)
        assert np.allclose(real(real(y), inverse=True), y, atol=1e-4)
        assert np.allclose(real(y.T, axes=-2), np.fft.rfft(y, axis=1).T, atol=1e-4)
    gain = "struct G { float g; }; __device__ float2 f(float2 z, const G& s) { return {s.g * z.x, s.g * z.y}; }"
    assert np.allclose(graft.Fft(16, load=gain, device="host")(x, g=2), 2 * np.fft.fft(x), atol=1e-3)
    between = graft.Fft(16, kind="real", between=gain, device="host", scaling="by length")
    assert np.allclose(between(numbers(3, 16), g=3), 3 * numbers(3, 16), atol=1e-4)


@pytest.mark.parametrize("dtype", ["?", "i1", "u2", "i8", "f2", "f8", "c8", "c16"])
def test_element_types(dtype, direct_alone):
    same = graft.Transform("[](auto x) { return x; }", device="host")
    x = (numbers(3, 4) % 2).astype(dtype)
    name = same._of((x,), None).signature.inputs[0]
    assert graft._core.types_directly((x, x)) == ([name, name], False)
    result = same(x)
    assert result.dtype == x.dtype and np.array_equal(result, x)


class Own(np.ndarray):
    pass


READ_ONLY = numbers(3, 4)
READ_ONLY.flags.writeable = False


@pytest.mark.parametrize(
    "inputs, words",
    [
        ((), {}),
        ((2.0,), {"out": numbers(3, 1)}),
        ((numbers(3, 4).view(Own),), {}),
        ((memoryview(numbers(3, 4)),), {}),
        ((np.ma.array(numbers(3, 4)),), {}),
        ((numbers(3, 4).astype(">f4"),), {}),
        ((numbers(3, 4).astype(np.longdouble),), {}),
        ((numbers(3, 4).astype(np.clongdouble),), {}),
        ((numbers(3, 4).astype(ml_dtypes.bfloat16),), {}),
        ((numbers(3, 4).astype("U3"),), {}),
        ((numbers(3, 4).astype(object),), {}),
        ((numbers(3, 4).astype("M8[s]"),), {}),
        ((numbers(3, 4).astype("f8"),), {}),
        ((np.zeros((3, 4), [("a", "f4"), ("b", "i4")])["a"],), {}),  # a view with strides of whole elements
        ((np.zeros((3, 4), [("a", "f4"), ("b", "i2")])["a"],), {}),  # of none
        ((np.zeros((1,) * 9, np.float32),), {}),
        ((numbers(3, 4),), {"axis": 2}),
        ((numbers(3, 4),), {"axis": (0, 0)}),
        ((numbers(3, 4),), {"axis": 1.5}),
        ((numbers(3, 4),), {"axis": 1, "out": numbers(4)}),
        ((numbers(3, 4),), {"axis": 1, "out": numbers(3, 4)}),
        ((numbers(3, 4),), {"axis": 1, "out": numbers(3).astype("f8")}),
        ((numbers(3, 4),), {"axis": 1, "out": READ_ONLY[:, 0]}),
        ((numbers(3, 4),), {"axis": 1, "out": (numbers(3), numbers(3))}),
        ((numbers(3, 4),), {"axis": 1, "out": "text"}),
        ((numbers(3, 4),), {"out": numbers(), "stream": 7}),
        ((numbers(3, 4), numbers(3, 4)), {}),
        ((numbers(0, 4),), {"axis": 0}),
    ],
    ids=lambda value: type(value[0]).__name__ if isinstance(value, tuple) and value else str(value)[:20],
)
def test_calls_that_are_left_to_python_code(inputs, words, monkeypatch):
    """With the same results and errors as if there were no other calls."""
    out = words.get("out")
    before = np.copy(out) if isinstance(out, np.ndarray) else None

    def outcome():
        if before is not None:
            assert np.array_equal(out, before) or before.shape == (3, 1)
        try:
            return np.asarray(SUM(*inputs, **words)).tolist()
        except graft.GraftError as error:
            return error.code, error.message

    first = outcome()
    leave_to_python(monkeypatch)
    assert first == outcome()


def test_a_refused_call_names_what_is_wrong(refused):
    message = refused("CountMismatch", SUM, numbers(3, 4), axis=1, out=numbers(4)).message
    assert "output 0 has the shape (4,)" in message
    assert "read-only" in refused("InvalidArgument", SUM, numbers(3, 4), axis=0, out=READ_ONLY[0]).message
    assert "stream" in refused("InvalidArgument", SUM, numbers(3), out=numbers(), stream=7).message


class Swapped(tuple):
    """Shows its outputs in another order than that in which it holds them."""

    def __iter__(self):
        return reversed(self[:])


class SwappedList(list):
    __iter__ = Swapped.__iter__


@pytest.mark.parametrize("kind", [Swapped, SwappedList])
def test_sequences_of_a_class_of_their_own(kind):
    two = graft.transform("u = x + 1; v = x - 1", "f32 x", device="host")
    outs = kind([np.zeros_like(X), np.zeros_like(X)])
    assert two(X, out=outs) is outs
    assert np.array_equal(outs[0], X - 1) and np.array_equal(outs[1], X + 1)
    fft = graft.Fft((2, 4), device="host", has_strides=True)
    z = X.astype(np.complex64)
    assert np.allclose(fft(z, axes=kind([2, 0])), np.fft.fft2(z, axes=(0, 2)), atol=1e-4)

    class Other(kind):
        def __iter__(self):
            return iter((0,))

    assert np.array_equal(SUM(X, axis=Other([1, 2])), X.sum(0))


@pytest.mark.parametrize("axis", [0, -1, None, ()], ids=str)
@pytest.mark.parametrize("keepdims", [False, True])
def test_reductions_of_an_array_without_dimensions(axis, keepdims, refused):
    one = np.array(3, np.float32)
    result = SUM(one, axis=axis, keepdims=keepdims)
    assert result == 3 and result.shape == np.asarray(one.sum(axis=axis, keepdims=keepdims)).shape == ()
    out = np.zeros((), np.float32)
    assert SUM(one, axis=axis, keepdims=keepdims, out=out) is out and out == 3
    for other in (1, -2, (0,), (-1,), [0], (0, -1)):
        assert "axis" in refused("InvalidArgument", SUM, one, axis=other, keepdims=keepdims).message


def test_the_best_kernel_is_asked_for_once():
    for job in (SUM, graft.Transform("[](float x) { return 2 * x; }", device="host")):
        kernel = job._kernels[False]

        def known(*shapes, kernel=kernel):
            arrays = [numbers(*shape) for shape in shapes]
            kernel.make_best(graft._core.Arrays(arrays[:1], False), graft._core.Arrays(arrays[1:], True), 0)
            return kernel.known_shapes

        start = kernel.known_shapes
        shapes = [(2, 3), (2, 3), (3, 2), (3, 2), (2, 3), (6,), (1, 6)]
        assert [known(shape, shape) - start for shape in shapes] == [1, 1, 2, 2, 2, 3, 4]


def test_classes_of_arrays_are_not_kept():
    class Array:
        def __init__(self):
            self.__array_interface__ = numbers(3).__array_interface__

    assert graft._core.directly_on_device(Array()) is None
    assert graft._core.Arrays([Array()], False).types == ["f32"]
    known = weakref.ref(Array)
    del Array
    gc.collect()
    assert known() is None


# ---- The class that makes the calls ----


@pytest.fixture
def no_python(monkeypatch):
    """Fail a call that takes Python code."""

    def call(self, *arguments, **words):
        pytest.fail("the call was left to Python code")

    for job in (graft.Transform, graft.Reduce, graft.Fft):
        monkeypatch.setattr(job, "_call_any", call)


def twice():
    return graft.Transform("[](float x) { return 2 * x; }", device="host")


def test_ordinary_calls_take_no_python_code(no_python):
    transform, out = twice(), np.zeros_like(X)
    assert np.array_equal(transform(X), 2 * X) and transform(X, out=out) is out and np.array_equal(out, 2 * X)
    assert np.array_equal(transform(X.T[1:], out=None), 2 * X.T[1:])
    both = (np.zeros_like(X), np.zeros_like(X))
    two = graft.Transform("__device__ float f(float x, float& y) { y = -x; return x + 1; }", device="host")
    assert two(X, out=both) is both and np.array_equal(both, (X + 1, -X))
    assert SUM(X) == X.sum() and np.array_equal(SUM(X, axis=1, keepdims=True), X.sum(1, keepdims=True))
    assert SUM(X.T[:2], axis=None, keepdims=False) == X.T[:2].sum()
    fft, z = graft.Fft(4, scaling="by length", device="host"), X.astype(np.complex64)
    assert np.allclose(fft(z), np.fft.fft(z), atol=1e-5)
    assert np.allclose(fft(fft(z), inverse=True, out=np.empty_like(z)), z, atol=1e-5)


def test_states_of_numbers_take_no_python_code(no_python):
    text = "struct P { bool flag; short n; double a; }; "
    line = graft.Transform(
        text + "__device__ double f(float x, const P& p) { return p.flag ? p.a * x + p.n : 0; }", device="host"
    )
    given = {"a": 2.5, "n": -3, "flag": True}
    expected = 2.5 * X.astype(np.float64) - 3
    assert np.array_equal(line(X, **given), expected) and np.array_equal(line(X, state=given), expected)
    out = np.zeros(X.shape)
    assert line(X, a=2, out=out, n=True, flag=1) is out and np.array_equal(out, 2 * X + 1)
    for words in (
        {"a": 2.5, "n": -3},
        {"a": 2.5, "n": -3, "flag": True, "b": 1},
        {"a": 2.5, "n": 1 << 15, "flag": True},
        {"a": 2.5, "n": 1.5, "flag": True},
        {"a": 1 << 1024, "n": 1, "flag": True},
        {"a": 1j, "n": 1, "flag": True},
        {"a": np.float64(2), "n": 1, "flag": True},
        {"a": 2.5, "n": -3, "flag": None},
        {"state": {"a": 2.5, "n": -3}},
        {"state": {**given, "b": 1}},
        {"state": given, "a": 2.5},
        {"state": (2.5, -3, True)},
        {},
    ):
        with pytest.raises(pytest.fail.Exception):
            line(X, **words)


def test_pointers_in_a_state_take_no_python_code(no_python):
    pick = graft.Transform(
        "struct P { const float* u; int* seen; int n; }; __device__ float f(float x, const P& p, graft::Index i) {"
        " if (p.seen) p.seen[i] += 1; return p.u ? x + p.u[i % p.n] : x; }",
        device="host",
    )
    x, u, seen = numbers(6), numbers(4) + 1, np.zeros(6, np.int32)
    expected = x + np.resize(u, 6)
    assert np.array_equal(pick(x, u=u, seen=seen, n=4), expected) and (seen == 1).all()
    assert np.array_equal(pick(x, state={"u": u.reshape(2, 2), "seen": None, "n": 4}), expected)
    assert np.array_equal(pick(x, u=u.ctypes.data, seen=seen.ctypes.data, n=4), expected) and (seen == 2).all()
    assert np.array_equal(pick(x, u=None, seen=0, n=4), x)
    for words in (
        {"u": u.astype(np.float64), "seen": None, "n": 4},
        {"u": u.astype(np.int32), "seen": None, "n": 4},
        {"u": u[::2], "seen": None, "n": 2},
        {"u": u, "seen": np.broadcast_to(seen[:1], 6), "n": 4},
        {"u": u, "seen": np.frombuffer(bytes(24), np.int32), "n": 4},  # read-only
        {"u": [1.0], "seen": None, "n": 4},
        {"u": 1.5, "seen": None, "n": 4},
        {"u": -1, "seen": None, "n": 4},
        {"u": u, "seen": None, "n": u},
        {"u": u, "n": 4},
    ):
        with pytest.raises(pytest.fail.Exception):
            pick(x, **words)
    assert (seen == 2).all()


def test_a_struct_under_a_pointer_is_left_to_python(no_python):
    by_class = graft.Transform(
        "struct Q { float a; }; struct P { const Q* q; }; "
        "__device__ float f(float x, const P& p) { return x + p.q->a; }",
        device="host",
    )
    with pytest.raises(pytest.fail.Exception):
        by_class(X, q=np.zeros(1, [("a", "f4")]))


def test_templates_take_no_python_code_for_known_types(monkeypatch):
    twice = graft.Transform("template <class T> __device__ T twice(T x) { return x + x; }", device="host")
    kinds = [np.float32, np.float64, np.int16, np.complex64]
    for kind in kinds:
        assert np.array_equal(twice(X.astype(kind)), 2 * X.astype(kind))

    def call(self, *arguments, **words):
        pytest.fail("the call was left to Python code")

    for job in (graft.Transform, graft.GenericTransform):
        monkeypatch.setattr(job, "_call_any", call)
    for kind in kinds:
        x, out = X.astype(kind), np.zeros(X.T.shape, kind)
        assert twice(x).dtype == kind and np.array_equal(twice(x), 2 * x)
        assert twice(x.T, out=out) is out and np.array_equal(out, 2 * x.T)
    for inputs in ((X.astype(np.int8),), (2.0,), (X, X), ()):
        with pytest.raises(pytest.fail.Exception):
            twice(*inputs)


def test_outputs_may_decide_about_a_template():
    cast = graft.Transform("template <class T, class U> __device__ void cast(T x, U& y) { y = U(x); }", device="host")
    for kind in (np.float64, np.int32, np.float64, np.int32):
        for _ in range(2):
            out = np.zeros(X.shape, kind)
            assert np.array_equal(cast(X, out=out), X.astype(kind))


def test_formulas_with_types_take_no_python_code(no_python, monkeypatch):
    monkeypatch.setattr(graft._expression.Formula, "_call_any", graft.Transform._call_any)
    f = graft.transform("a * x + b * y", "f32 x, y; f32 a, i16 b", device="host")
    for call in (f(X, X + 1, 2, 3), f(X, X + 1, a=2, b=3), f(X, X + 1, 2, b=3), f(X, X + 1, state={"b": 3, "a": 2})):
        assert np.array_equal(call, 2 * X + 3 * (X + 1))
    for inputs, words in (
        ((X,), {"y": X, "a": 2, "b": 3}),
        ((X, X, 2), {}),
        ((X, X, 2, 3, 4), {}),
        ((X, X, 2, 3), {"a": 2}),
        ((X, X, 2, 3), {"state": {"a": 2, "b": 3}}),
        ((X, X, 2, 3.5), {}),
        ((X, 2, 3, 4), {}),
    ):
        with pytest.raises(pytest.fail.Exception):
            f(*inputs, **words)


def test_shapes_stay_where_a_callback_takes_them(no_python):
    place = graft.Transform(
        "__device__ float f(float x, graft::Position<2> p) { return x + 100 * p[0] + p[1]; }", device="host"
    )
    x = numbers(3, 4)
    assert np.array_equal(place(x), x + 100 * np.arange(3)[:, None] + np.arange(4))


def test_words_that_no_ordinary_call_has(refused):
    transform, out = twice(), np.zeros_like(X)
    word = "".join(["o", "ut"])  # not the string that the module knows
    assert transform(X, **{word: out}) is out and np.array_equal(out, 2 * X)
    assert "no state" in refused("TypeMismatch", transform, X, axis=1).message
    assert "no state" in refused("TypeMismatch", transform, X, inverse=True).message
    with pytest.raises((TypeError, graft.GraftError)):
        SUM(X, axes=1)
    with pytest.raises((TypeError, graft.GraftError)):
        SUM(X, axis=1.5)
    assert np.array_equal(SUM(X, axis=1, keepdims=1), X.sum(1, keepdims=True))  # as NumPy takes it
    refused("InvalidArgument", transform)
    refused("CountMismatch", transform, X, X)


def test_a_job_shows_how_it_is_called():
    assert list(inspect.signature(twice()).parameters) == ["inputs", "out", "state", "stream", "parameters"]
    assert list(inspect.signature(SUM).parameters)[:4] == ["inputs", "axis", "keepdims", "out"]
    assert "callback" in inspect.signature(graft.Transform).parameters

    class OfOne(graft.Transform):
        def __call__(self, x, y=3):
            return super().__call__(x)

    assert list(inspect.signature(OfOne("[](float x) { return x; }", device="host")).parameters) == ["x", "y"]


def test_copies_and_subclasses():
    transform = twice()
    assert copy.copy(transform) is transform
    for make in (pickle.dumps, copy.deepcopy):
        with pytest.raises(TypeError, match="Transform|lock|pickle"):
            make(transform)

    class Twice(graft.Transform):
        def __call__(self, x):
            return super().__call__(super().__call__(x))

    assert np.array_equal(Twice("[](float x) { return 2 * x; }", device="host")(X), 4 * X)
    with pytest.raises(AttributeError):
        graft.Reduce.__new__(graft.Reduce)(X)  # nobody has called __init__
    with pytest.raises(TypeError):
        object.__new__(graft.Reduce)
    with pytest.raises(TypeError):
        graft._core.keep_kernel(3, transform._first, False, [True])
    with pytest.raises(TypeError):
        graft._core.keep_kernel(transform, 3, True, [True])


def test_a_job_ends_with_its_last_name():
    transform = twice()
    kernel = weakref.ref(transform)
    transform(X)
    del transform
    gc.collect()
    assert kernel() is None
    cycle = twice()
    cycle.itself, kernel = cycle, weakref.ref(cycle)
    cycle(X)
    del cycle
    gc.collect()
    assert kernel() is None


def test_a_call_whose_arrays_lose_their_names_while_it_runs():
    transform, results = twice(), []
    arrays = [numbers(1 << 16) for _ in range(64)]

    def calls():
        while arrays:
            try:
                results.append(transform(arrays.pop()))
            except IndexError:
                return

    threads = [threading.Thread(target=calls) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(results) == 64 and all(np.array_equal(one, 2 * numbers(1 << 16)) for one in results)


# ---- Formulas without types ----


@pytest.fixture
def known(monkeypatch):
    """Fail a call of a formula that takes Python code, once the test calls this."""

    def from_now_on():
        def call(self, *arguments, **words):
            pytest.fail("the call was left to Python code")

        for kind in (graft._expression.Expression, graft._expression.Reduction):
            monkeypatch.setattr(kind, "_call_any", call)

    return from_now_on


def test_calls_of_a_formula_like_earlier_ones(known):
    f, y, out = graft.transform("a * x + b * y"), X + 1, np.zeros_like(X)
    f(x=X, y=y, a=2, b=0.5), f(x=X, y=y, a=2.5, b=1j), f(y=y, x=X, b=True, a=7), f(X.astype(np.float64), y=y, a=2, b=3)
    graft.evaluate("x - a", x=X, a=1)
    known()
    assert np.array_equal(f(x=X, y=y, a=3, b=1.5), 3 * X + 1.5 * y)
    assert f(x=X, y=y, a=-1, b=0.25, out=out, stream=None) is out and np.array_equal(out, -X + 0.25 * y)
    assert np.array_equal(f(x=X, y=y, a=0.5, b=2j), (0.5 * X + 2j * y).astype(np.complex64))
    assert np.array_equal(f(y=y, x=X, b=False, a=2), 2 * X)
    assert f(X.astype(np.float64), y=y, a=1, b=1).dtype == np.float64
    assert np.array_equal(f(x=X.T, y=y[:1].T, a=2, b=0.5), 2 * X.T + 0.5 * y[:1].T)
    assert np.array_equal(graft.evaluate("x - a", x=X, a=4), X - 4)


def test_reductions_of_formulas_like_earlier_ones(known):
    norm = graft.reduction("a + b", map="k * x * x", finish="sqrt(a)", initial=0)
    norm(X, k=2), norm(x=X, k=0.5, axis=1)
    known()
    assert np.allclose(norm(X, k=3), np.sqrt(3 * (X * X).sum()))
    assert np.allclose(norm(X, k=3, axis=(0, 1)), np.sqrt(3 * (X * X).sum((0, 1))))
    assert norm(x=X, k=0.25, axis=1, keepdims=True).shape == (2, 1, 4)


def test_other_calls_of_a_formula_are_left_to_python(known):
    f = graft.transform("a * x")
    assert np.array_equal(f(x=X, a=2), 2 * X)
    known()
    for words in (
        {"x": X, "a": 2.5},  # another kind of number
        {"a": 2, "x": X},  # another order
        {"x": X.astype(np.int32), "a": 2},
        {"x": X, "a": np.float32(2)},
        {"x": X, "a": np.array(2.0)},
        {"x": [1.0], "a": 2},
        {"x": X, "a": X},
        {"x": X, "b": 2},
        {"x": X},
        {"x": X, "a": 2, "stream": 7},
        {},
    ):
        with pytest.raises(pytest.fail.Exception):
            f(**words)
    for inputs in ((X, X), (X, 2)):
        with pytest.raises(pytest.fail.Exception):
            f(*inputs)


def test_the_second_call_is_as_the_first():
    for x in (X, X.astype(np.float64), X.astype(np.int16)):
        for a in (2, 2.5, np.float64(2.5), np.float32(2.5), np.array(2.5), np.array(3, np.int64), True, np.int64(3)):
            first, second = (graft.evaluate("a * x", x=x, a=a) for _ in range(2))
            assert first.dtype == second.dtype and np.array_equal(first, second) and np.allclose(first, a * x)


def test_mistakes_are_said_at_every_call(refused):
    f = graft.transform("x + n")
    i = np.arange(4, dtype=np.int8)
    for _ in range(2):
        assert np.array_equal(f(x=i, n=3), i + 3)
        assert "does not hold" in refused("InvalidArgument", f, x=i, n=200).message
        assert "neither a variable" in refused("InvalidArgument", f, x=i, m=3).message
        assert "no value for `n`" in refused("CountMismatch", f, x=i).message
    g = graft.transform("x + 7 // n")
    for _ in range(2):
        assert np.array_equal(g(x=i, n=2), i + 3)
        assert "by zero" in refused("InvalidArgument", g, x=i, n=0).message


def test_variables_with_the_names_of_words():
    f = graft.transform("axis * x + state + inverse")
    for _ in range(2):
        assert np.array_equal(f(x=X, axis=2, state=1, inverse=3), 2 * X + 4)
    assert list(inspect.signature(f).parameters) == ["single", "out", "stream", "variables"]


def test_more_calls_than_are_kept():
    f = graft.transform("+".join(f"v{i} * x" for i in range(8)))
    names = [f"v{i}" for i in range(8)]
    for bits in range(256):
        numbers = {name: (1.5 if bits >> i & 1 else 1) for i, name in enumerate(names)}
        assert np.array_equal(f(x=X, **numbers), sum(numbers.values()) * X)
    for shift in range(70):
        order = names[shift % 8 :] + names[: shift % 8]
        numbers = {name: shift for name in (order if shift % 2 else order[::-1])}
        assert np.array_equal(f(x=X, **numbers), 8 * shift * X)


def test_many_threads_with_one_formula():
    f, wrong = graft.transform("a * x + b"), []

    def calls(seed):
        random = np.random.default_rng(seed)
        for _ in range(300):
            a, b = (int(one) if one % 2 else float(one) for one in random.integers(-50, 50, 2))
            if not np.array_equal(f(x=X, a=a, b=b), a * X + b):
                wrong.append((a, b))

    threads = [threading.Thread(target=calls, args=(seed,)) for seed in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_a_second_init_begins_anew():
    transform, x = twice(), numbers(4)
    assert np.array_equal(transform(x), 2 * x)
    transform.__init__("[](float x) { return 3 * x; }", device="host")
    assert np.array_equal(transform(x), 3 * x)
    formula = graft.transform("x + a")
    assert np.array_equal(formula(x=x, a=1), x + 1)
    formula.__init__("x - a", None, None, {})
    assert np.array_equal(formula(x=x, a=1), x - 1) and np.array_equal(formula(x=x, a=2), x - 2)
    generic = graft.Transform("template <class T> __device__ T f(T x) { return x + x; }", device="host")
    assert np.array_equal(generic(x), 2 * x)
    generic.__init__("template <class T> __device__ T f(T x) { return x * x; }", device="host")
    assert np.array_equal(generic(x), x * x)


def test_words_that_a_formula_does_not_have(refused):
    f, x = graft.transform("2 * x"), numbers(4)
    norm = graft.reduction("a + b", map="x * x")
    for _ in range(2):
        assert np.array_equal(f(x=x), 2 * x) and norm(x) == (x * x).sum()
        assert "state is neither" in refused("InvalidArgument", f, x=x, state=None).message
        assert "axis is neither" in refused("InvalidArgument", f, x=x, axis=None).message
        assert "inverse is neither" in refused("InvalidArgument", norm, x=x, inverse=False).message
    assert copy.copy(f) is f and copy.copy(norm) is norm


def test_names_of_a_class_of_their_own():
    class Name(str):
        pass

    f = graft.transform("a * x")
    for _ in range(70):
        assert np.array_equal(f(**{Name("x"): X, Name("a"): 2}), 2 * X)


def test_finalizers_that_call_the_formula():
    f, names, x = graft.transform("a * x + b - c * 2 - d * 4"), "xabcd", numbers(4).astype(np.float64)
    values = {"x": x, "a": 2 * 10**30, "b": 3 * 10**30, "c": 5 * 10**30, "d": 7 * 10**30}  # made by Python's to_bytes
    orders = [{name: values[name] for name in order} for order in itertools.permutations(names)][:80]
    expected, ended = f(**values), []

    class Cycle:
        def __init__(self):
            self.itself = self

        def __del__(self):
            for order in orders:
                f._call_any(**order)
            ended.append(1)

    threshold = gc.get_threshold()
    try:
        for count in range(60):
            Cycle()
            gc.set_threshold(gc.get_count()[0] + count % 8 + 2)
            for _ in range(8):
                assert np.array_equal(f(**values), expected)
    finally:
        gc.set_threshold(*threshold)
    gc.collect()
    assert len(ended) == 60


def test_a_state_whose_dictionary_changes_during_the_call():
    pick = graft.Transform(
        "struct P { const float* u; int n; }; __device__ float f(float x, const P& p, graft::Index i) {"
        " float sum = 0; for (int k = 0; k < 64; ++k) sum += p.u[(i + k) % p.n]; return sum; }",
        device="host",
    )
    x, state, stop = numbers(1 << 14), {"u": np.ones(1 << 14, np.float32), "n": 1 << 14}, threading.Event()

    def change():
        while not stop.is_set():
            state["u"] = np.ones(1 << 14, np.float32)

    thread = threading.Thread(target=change)
    thread.start()
    try:
        for _ in range(200):
            assert (pick(x, state=state) == 64).all()
    finally:
        stop.set()
        thread.join()
