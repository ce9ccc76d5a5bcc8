"""Transforms of callbacks in CUDA C++: states, forms, options, kernels without a GPU, reports, threads."""

import asyncio
import ctypes
import os
import pickle
import threading

import numpy as np
import pytest

import graft_cuda as graft

X = np.linspace(-2, 2, 9, dtype=np.float32)
SCALE = """
struct Inner { double d; unsigned char c; };   // a comment; with { braces }
struct Scale {
  float a, w[2];
  Inner inner;   /* int not_a_member; */
  bool negative = false;
  std::int16_t m[2][3];
};
__device__ double scale(float x, const Scale& s) {
  double y = s.a * x + s.w[1] + s.inner.d + s.inner.c + s.m[1][2];
  return s.negative ? -y : y;
}
"""
VALUES = {"a": 2.0, "w": [7, 3], "inner": {"d": 0.5, "c": 4}, "negative": True, "m": [[0, 0, 0], [0, 0, 9]]}
EXPECTED = -(2.0 * X.astype(np.float64) + 3 + 0.5 + 4 + 9)


class Inner(ctypes.Structure):
    _fields_ = [("d", ctypes.c_double), ("c", ctypes.c_ubyte)]


class Scale(ctypes.Structure):
    _fields_ = [
        ("a", ctypes.c_float),
        ("w", ctypes.c_float * 2),
        ("inner", Inner),
        ("negative", ctypes.c_bool),
        ("m", (ctypes.c_int16 * 3) * 2),
    ]


SCALE_DTYPE = np.dtype(
    [
        ("a", "f4"),
        ("w", "f4", 2),
        ("inner", [("d", "f8"), ("c", "u1")]),
        ("negative", "?"),
        ("m", "i2", (2, 3)),
    ]
)


NUMPY_VALUES = np.array([(2.0, [7, 3], (0.5, 4), True, [[0, 0, 0], [0, 0, 9]])], SCALE_DTYPE)[0]


@pytest.fixture(scope="module")
def scale():
    return graft.Transform(SCALE, device="host")


def test_a_state_by_name(scale):
    ctypes_state = Scale(2.0, (7, 3), Inner(0.5, 4), True, ((0, 0, 0), (0, 0, 9)))
    for state in (VALUES, dict(reversed(VALUES.items())), ctypes_state, NUMPY_VALUES, bytes(ctypes_state)):
        assert np.array_equal(scale(X, state=state), EXPECTED)
    assert np.array_equal(scale(X, **VALUES), EXPECTED)


@pytest.mark.parametrize(
    "changes, code, words",
    [
        ({"a": None}, "TypeMismatch", "lacks the member a"),
        ({"b": 1}, "TypeMismatch", "no member b"),
        ({"a": "x"}, "TypeMismatch", "member a"),
        ({"w": [1]}, "CountMismatch", "member w"),
        ({"w": 3}, "CountMismatch", "member w"),
        ({"inner": {"d": 1}}, "TypeMismatch", "inner.c"),
        ({"inner": {"d": 1, "c": 256}}, "TypeMismatch", "inner.c"),
        ({"inner": {"d": 1, "c": 1.5}}, "TypeMismatch", "inner.c"),
        ({"inner": 5}, "TypeMismatch", "inner"),
        ({"a": 1e300}, "TypeMismatch", "member a"),
    ],
    ids=str,
)
def test_states_that_are_not_the_callbacks(scale, changes, code, words, refused):
    state = {**VALUES, **changes}
    if changes.get("a", 0) is None:
        del state["a"]
    assert words in refused(code, scale, X, state=state).message


def test_more_states_that_are_refused(scale, refused):
    refused("TypeMismatch", scale, X)
    refused("TypeMismatch", scale, X, state=b"123")
    refused("TypeMismatch", scale, X, state=Inner(1, 2))
    refused("TypeMismatch", scale, X, state=3.0)
    refused("InvalidArgument", scale, X, state=VALUES, a=2)
    refused("TypeMismatch", graft.Transform("[](float x) { return x; }", device="host"), X, state={"a": 1})


TWO_STRUCTS = """
struct Other { int n; float b; };
struct Mine { float a; int k; };
__device__ inline int helper(const Other& o) { return o.n; }
template <class T> __device__ float mine(T x, const Mine& s) { Other o{s.k, 0}; return s.a * x + helper(o); }
"""


MINE = np.dtype([("a", "f4"), ("k", "i4")])


def test_the_state_is_that_of_the_signature_and_not_of_a_helper(refused):
    mine = graft.Transform(TWO_STRUCTS, entry="mine<float>", device="host")
    assert np.array_equal(mine(X, a=2, k=3), 2 * X + 3)
    assert "n" in refused("TypeMismatch", mine, X, n=2, b=3).message
    error = refused("TypeMismatch", graft.Transform, TWO_STRUCTS, entry="mine<float>", device="host", bake={"n": 1})
    assert "cannot be read" in error.message
    part = graft.Callback(TWO_STRUCTS).with_entry("mine<float>")
    both = graft.Transform(graft.chain(graft.formula("x + d", "f32 x; f32 d"), part), device="host")
    assert np.array_equal(both(X, d=1, a=2, k=3), 2 * (X + 1) + 3)


def test_states_of_equal_names_in_two_parts():
    one = "struct S { float a; int b; }; __device__ float f(float x, const S& s) { return s.a * x + s.b; }"
    two = "struct S { int c; float d; }; __device__ float g(float x, const S& s) { return s.d * x + s.c; }"
    both = graft.Transform(graft.chain(one, two), device="host")
    assert np.array_equal(both(X, a=2, b=3, c=5, d=4), 4 * (2 * X + 3) + 5)


def test_an_output_by_its_place(refused):
    add = graft.Transform("__device__ float add(float x, float y) { return x + y; }", device="host")
    error = refused("CountMismatch", add, X, X, X.copy())
    assert "takes 2 inputs, and the call has 3" in error.message and "out=" in error.remedy
    error = refused("CountMismatch", add, X)
    assert "the call has 1" in error.message and "out=" not in error.remedy
    total = graft.Reduce("__device__ float add(float x, float y) { return x + y; }", device="host")
    assert "out=" in refused("CountMismatch", total, X, X.copy()).remedy


def test_a_keyword_without_a_state(refused):
    twice = graft.Transform("[](float x) { return 2 * x; }", device="host")
    assert "`outt`" in refused("TypeMismatch", twice, X, outt=X).message
    refused("TypeMismatch", graft.Fft(8, device="host"), np.zeros(8, np.complex64), outt=X)


def test_a_state_that_would_lose_a_part(refused):
    add = graft.Transform("__device__ float f(float x, const float& s) { return x + s; }", device="host")
    assert "the state has the type f32" in refused("TypeMismatch", add, X, state=np.complex64(1j)).message


def test_a_struct_that_the_text_does_not_show_is_compared_by_size(refused):
    hidden = graft.Transform(
        "struct S { float a; int b; __device__ float twice() const { return 2 * a; } };"
        "__device__ float f(float x, const S& s) { return s.twice() * x + s.b; }",
        device="host",
    )
    dtype = np.dtype([("a", "f4"), ("b", "i4")])
    assert np.array_equal(hidden(X, state=np.array([(2, 3)], dtype)[0]), 4 * X + 3)
    assert "cannot be read" in refused("TypeMismatch", hidden, X, state={"a": 2, "b": 3}).message
    refused("TypeMismatch", hidden, X, state=np.array([(2, 3)], [("a", "f8"), ("b", "i4")])[0])


@pytest.mark.parametrize(
    "type_, value", [("float", 2.5), ("int", -3), ("double", 0.1), ("float2", 1 + 2j), ("bool", True)]
)
def test_a_state_that_is_a_number(type_, value):
    read = {"float2": "s.x + s.y"}.get(type_, "s")
    add = graft.Transform(f"__device__ double add(float x, const {type_}& s) {{ return x + {read}; }}", device="host")
    expected = value.real + value.imag if isinstance(value, complex) else value
    assert np.array_equal(add(X, state=value), X.astype(np.float64) + expected)


def test_numbers_of_python_are_packed_in_one_step(refused):
    text = """
        struct Mixed { bool on; double d; short h; float f; unsigned char c; long long k; bool last; };
        __device__ float mixed(float x, const Mixed& m) { return m.on ? m.d * x + m.h + m.f + m.c + m.k : m.last; }
    """
    members = graft._state.State([graft.Callback(text)]).members(None)
    values = {"on": True, "d": 2.5, "h": -3, "f": 7, "c": 255, "k": -(1 << 40), "last": False}
    assert graft._state._packed(members._packer, values) == members.layout.bytes_of(values)
    assert members.bytes_of(dict(reversed(values.items())), None) == members.layout.bytes_of(values)
    assert members.bytes_of({**values, "f": np.float32(7)}, None) == members.layout.bytes_of(values)
    for wrong in [{"h": 1 << 15}, {"h": 1.0}, {"f": 1e300}, {"c": -1}, {"d": "2"}, {"k": 1 << 63}, {"f": None}]:
        refused("TypeMismatch", members.bytes_of, {**values, **wrong}, None)
    refused("TypeMismatch", members.bytes_of, {**values, "other": 1}, None)
    refused("TypeMismatch", members.bytes_of, {"other" if name == "on" else name: 1 for name in values}, None)


def test_a_bfloat16_state_is_rounded_to_nearest():
    import ml_dtypes

    from graft_cuda._layout import Number

    for value in (1.0, 1.00390625, 1.005859375, -3.1415926, 1e-40, float("inf"), float("nan"), 65504.0):
        to = bytearray(2)
        Number("bf16").write(to, 0, value, "s")
        expected = np.array([value]).astype(np.float32).astype(ml_dtypes.bfloat16)
        assert np.array_equal(np.frombuffer(bytes(to), ml_dtypes.bfloat16), expected, equal_nan=True), value


def test_baked_state(refused):
    for state in (VALUES, NUMPY_VALUES):
        baked = graft.Transform(SCALE, bake=state, device="host")
        assert np.array_equal(baked(X), EXPECTED)
    refused("TypeMismatch", baked, X, state=VALUES)
    error = refused("InvalidArgument", graft.Transform, "[](float x) { return x; }", bake=b"1234", device="host")
    assert "Leave bake= out" in error.remedy
    # The text does not show which struct is the state: a struct of the same size is taken as it is.
    shown = graft.Transform(TWO_STRUCTS, entry="mine<float>", device="host", bake=np.array([(2, 3)], MINE)[0])
    assert np.array_equal(shown(X), 2 * X + 3)


def test_index_outputs_in_outs_and_selective_callbacks(refused):
    both = graft.Transform(
        "__device__ float both(float x, int& whole, graft::Index i) { whole = (int)x; return x + i; }", device="host"
    )
    sums, wholes = both(X)
    assert np.array_equal(sums, X + np.arange(9, dtype=np.float32))
    assert wholes.dtype == np.int32 and np.array_equal(wholes, X.astype(np.int32))

    total = graft.Transform("__device__ void add(float x, graft::InOut<float> sum) { sum += x; }", device="host")
    out = np.ones(9, np.float32)
    total(X, out=out)
    assert np.array_equal(out, X + 1)
    assert "out=" in str(refused("InvalidArgument", total, X))

    keep = graft.Transform(
        "__device__ graft::Store keep(float x, float& y) { y = x; return graft::Store(x > 0); }",
        device="host",
    )
    out = np.full(9, 7, np.float32)
    keep(X, out=out)
    assert np.array_equal(out, np.where(X > 0, X, 7))
    refused("InvalidArgument", keep, X)

    ramp = graft.Transform("__device__ float ramp(graft::Index i) { return i; }", device="host")
    assert np.array_equal(ramp(out=np.zeros(5, np.float32)), np.arange(5))
    refused("InvalidArgument", ramp)


def test_a_callback_without_arrays():
    fill = graft.Transform(
        "struct To { float* p; }; __device__ void fill(const To& to, graft::Index i) { to.p[i] = i * i; }",
        device="host",
    )
    out = np.zeros(6, np.float32)
    fill.for_count(np.int64(6), state=np.array([(out.ctypes.data,)], [("p", "u8")])[0])
    assert np.array_equal(out, np.arange(6) ** 2)


def test_chains_stages_and_templates():
    shift = graft.formula("x + d", "f32 x; f32 d")
    scale = graft.formula("x * f", "f32 x; f32 f")
    both = graft.Transform(graft.chain(shift, scale), device="host")
    assert np.array_equal(both(X, d=1, f=3), (X + 1) * 3)
    assert np.array_equal(both(X, state=[{"d": 1}, {"f": 3}]), (X + 1) * 3)

    loaded = graft.stages(
        load="__device__ float load(void* data, unsigned long long i, void*, void*) { return ((short*)data)[i]; }",
        op="__device__ float half(float x) { return x / 2; }",
    )
    short = np.arange(5, dtype=np.int16)
    assert np.array_equal(graft.Transform(loaded, device="host")(short), short / 2)

    template = "template <class T> __device__ T cube(T x) { return x * x * x; }"
    assert np.array_equal(graft.Transform(template, entry="cube<float>", device="host")(X), X * X * X)


def test_states_of_parts_with_equal_names(refused):
    part = graft.formula("x * f", "f32 x; f32 f")
    other = graft.formula("x + f", "f32 x; f32 f")
    both = graft.Transform(graft.chain(part, other), device="host")
    assert np.array_equal(both(X, state=[{"f": 2}, {"f": 1}]), X * 2 + 1)
    assert "same name" in refused("InvalidArgument", both, X, f=2).message


def test_arguments_of_another_type(refused):
    text = "[](float x) { return x; }"
    for callback in (5, b"x", None, lambda x: x):
        refused("InvalidArgument", graft.Transform, callback, device="host")
    refused("InvalidArgument", graft.Transform, text, baked_state=5, device="host")
    for seconds in (1e300, -1, 0, float("nan"), "x"):
        refused("InvalidArgument", graft.Transform, text, closed={"time": seconds}, device="host")
    refused("InvalidArgument", graft.Transform.load, b"bytes")


def test_folders_of_headers_and_macros(tmp_path, refused):
    (tmp_path / "k.h").write_text("#define K 3\n")
    text = '#include "k.h"\n__device__ float f(float x) { return K * x + ADD + !SKIP; }'
    macros = {"ADD": True, "SKIP": False}
    for folder in (tmp_path, str(tmp_path)):
        made = graft.Transform(text, include_paths=[folder], defines=macros, device="host")
        assert np.array_equal(made(X), 3 * X + 2)
    for wrong in (str(tmp_path), [5], [b"bytes"], 5):
        error = refused("InvalidArgument", graft.Transform, text, include_paths=wrong, device="host")
        assert "include_paths has the value" in error.message


def test_options(refused):
    text = '#include "k.h"\n__device__ float f(float x) { return K * x + ADD; }'
    made = graft.Transform(text, headers={"k.h": "#define K 3\n"}, defines={"ADD": 1}, device="host")
    assert np.array_equal(made(X), 3 * X + 1)
    assert '"fast" is no option' in refused("InvalidArgument", graft.Transform, text, fast=True).message
    refused("InvalidArgument", graft.Transform, text, max_registers="many")
    refused("InvalidArgument", graft.Transform, text, route="cpu")
    refused("InvalidArgument", graft.Transform, text, standard=98)
    refused("InvalidArgument", graft.Transform, text, device="tpu")
    refused("InvalidArgument", graft.Transform, text, architecture="sm_x")
    closed = refused("InvalidArgument", graft.Transform, "[](float x) { return x; }", closed=True, device="host")
    assert "host" in closed.message


def test_a_callback_that_does_not_compile(refused):
    wrong = graft.Callback.source("__device__ float f(float x) {\n  return y;\n}", "mine.cu")
    error = refused("CompileFailed", graft.Transform, wrong, device="host")
    assert "mine.cu" in error.log
    assert error.diagnostics[0].file == "mine.cu" and error.diagnostics[0].line == 2
    assert error.diagnostics[0].severity == "error"
    again = pickle.loads(pickle.dumps(error))
    assert (str(again), again.code, again.log, again.diagnostics) == (
        str(error),
        error.code,
        error.log,
        error.diagnostics,
    )


def test_kernels_for_a_gpu_that_is_not_there(has_compiler, refused):
    relu = graft.Callback("__device__ float relu(float x) { return x > 0 ? x : 0; }")
    image = graft.build(relu, "sm_90")
    assert image.bytes[:4] == b"\x7fELF"
    assert image.report.inlined and image.report.route in ("lto", "program")
    assert image.report["architecture"] == "sm_90"
    assert image.signature.inputs == ["f32"]
    pack = graft.precompile(relu, ["sm_75", "sm_90"], "pack with cubins")
    assert graft.Callback.pack(pack).form == "pack"
    refused("ImageRefused", graft.Callback.pack, pack[: len(pack) // 2])
    refused("InvalidArgument", graft.precompile, relu, ["sm_90"], "zip")
    ltoir = graft.precompile(relu, ["sm_90"], "LTO-IR")
    linked = graft.build(graft.Callback.ltoir(ltoir).with_signature("float relu(float)"), "sm_90")
    assert linked.report.inlined
    half = graft.build(graft.formula("x * y", "f16 x; f16 y"), "sm_90", fast_math=True)
    assert half.report.inlined


def test_a_host_image_is_loaded():
    image = graft.build("[](float x) { return 3 * x; }", "sm_90", route="host")
    loaded = graft.Transform.load(image)
    assert np.array_equal(loaded(X), 3 * X)


def test_reports_signatures_and_callbacks_show_themselves(scale):
    assert scale.report.route == "host" and scale.report.inlined
    assert "host" in repr(scale.report) and repr(scale.report) == str(scale.report)
    html = scale.report._repr_html_()
    assert html.startswith("<table>") and html.endswith("</table>") and "const Scale&amp;" in html
    assert "double" in repr(scale) and "Scale" in scale.signature.describe()
    callback = graft.Callback.source(SCALE, "scale.cu")
    assert "scale.cu" in repr(callback)
    assert callback == graft.Callback.source(SCALE, "scale.cu") != graft.Callback(SCALE)
    assert hash(callback) == hash(graft.Callback.source(SCALE, "scale.cu"))
    assert callback != "text"
    shapes = scale.describe_shapes(X, out=np.zeros(18)[::2])
    assert "input 0 contiguous" in shapes and "output 0 contiguous" not in shapes and "host" in shapes


def test_calls_of_many_threads(scale):
    problems = []

    def work(number):
        state = {**VALUES, "a": number}
        expected = -(number * X.astype(np.float64) + 16.5)
        for _ in range(200):
            if not np.array_equal(scale(X, state=state), expected):
                problems.append(number)

    threads = [threading.Thread(target=work, args=(float(n),)) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not problems


def test_the_lock_of_python_is_free_while_a_kernel_is_made():
    steps, done = [], threading.Event()

    def count():
        while not done.is_set():
            steps.append(1)
            done.wait(0.001)

    thread = threading.Thread(target=count)
    thread.start()
    graft.Transform("[](float x) { return x + 77; }", device="host", engine=graft.Engine(cache="off"))
    done.set()
    thread.join()
    assert len(steps) > 10


def test_futures(refused):
    futures = [graft.Transform.create_async(f"[](float x) {{ return {n} + x; }}", device="host") for n in range(3)]
    for n, future in enumerate(futures):
        assert np.array_equal(future.result()(X), n + X)
    wrong = graft.Reduce.create_async("[](float a, float b) { return c; }", device="host")
    refused("CompileFailed", wrong.result)
    assert graft.Fft.create_async(8, device="host").result().shape == (8,)

    async def wait():
        return await asyncio.wrap_future(graft.Transform.create_async("[](float x) { return -x; }", device="host"))

    assert np.array_equal(asyncio.run(wait())(X), -X)


def resident_bytes():
    with open("/proc/self/statm") as status:
        return int(status.read().split()[1]) * os.sysconf("SC_PAGESIZE")


def test_calls_do_not_leak():
    import gc
    import sys

    twice = graft.Transform("[](float x) { return 2 * x; }", device="host")
    x = np.ones(1000, np.float32)
    before = sys.getrefcount(x)
    for _ in range(100):
        twice(x)
        with pytest.raises(graft.GraftError):
            twice(x.astype(">f4"))
        with pytest.raises(graft.GraftError):
            twice(x, x)
    gc.collect()
    assert sys.getrefcount(x) == before
    resident = resident_bytes()
    for _ in range(10_000):
        twice(x)
    with pytest.raises(graft.GraftError):
        twice(x, x)
    assert resident_bytes() - resident < 4 << 20  # a result that is kept would be 40 MB in all
    x.resize(10, refcheck=False)
    memory = bytearray(40)
    twice(memory_view := memoryview(memory).cast("f"))
    memory_view.release()
    memory.extend(b"x")  # refused while somebody holds a buffer of it
