"""States whose members are pointers: arrays, addresses, and what is refused."""

import ctypes

import numpy as np
import pytest

import graft_cuda as graft

V = np.float32([1, 2, 4])
I = np.int32([2, 0, 1, 2])  # noqa: E741
PICK = graft.Callback("struct P { const float* x; long long n; };"
                      "__device__ float pick(int i, const P& p) { return i < p.n ? p.x[i] : 0; }")  # fmt: skip


@pytest.fixture(scope="module")
def pick():
    return graft.Transform(PICK, device="host")


class P(ctypes.Structure):
    _fields_ = [("x", ctypes.POINTER(ctypes.c_float)), ("n", ctypes.c_longlong)]


def test_an_array_and_its_address(pick):
    address = V.ctypes.data
    for x in (V, address, np.uint64(address), V.ctypes.data_as(ctypes.POINTER(ctypes.c_float)),
              ctypes.c_void_p(address), memoryview(V)):  # fmt: skip
        assert np.array_equal(pick(I, x=x, n=2), [0, 1, 2, 0])
        assert np.array_equal(pick(I, state={"x": x, "n": 3}), V[I])
    dtype = np.dtype([("x", "u8"), ("n", "i8")], align=True)
    assert np.array_equal(pick(I, state=np.array((address, 3), dtype)), V[I])
    assert np.array_equal(pick(I, state=P(V.ctypes.data_as(ctypes.POINTER(ctypes.c_float)), 3)), V[I])
    assert np.array_equal(pick(I, x=None, n=0), np.zeros(4))


@pytest.mark.parametrize(
    "x, code",
    [
        (V.astype(np.float64), "TypeMismatch"),
        (V.view(np.int32), "TypeMismatch"),
        (np.zeros(3, "f4,f4"), "TypeMismatch"),
        ("V", "TypeMismatch"),
        (1.5, "TypeMismatch"),
        (-1, "TypeMismatch"),
        (1 << 64, "TypeMismatch"),
        ([1.0, 2.0], "InvalidArgument"),
        (np.zeros(6, np.float32)[::2], "InvalidArgument"),
        (np.ma.array(V), "InvalidArgument"),
    ],
    ids=str,
)
def test_what_a_pointer_does_not_take(pick, refused, x, code):
    error = refused(code, pick, I, x=x, n=3)
    assert "the state's member x" in error.message or "numpy.ma" in error.message


def test_mistakes_of_a_state_with_a_pointer(pick, refused):
    assert "lacks the member x" in refused("TypeMismatch", pick, I, n=3).message
    assert "no member y" in refused("TypeMismatch", pick, I, y=V, n=3).message
    error = refused("InvalidArgument", graft.Transform, PICK, device="host", bake={"x": V, "n": 3})
    assert "compiled into the kernel" in error.message
    baked = graft.Transform(PICK, device="host", bake={"x": V.ctypes.data, "n": 3})
    assert np.array_equal(baked(I), V[I])


def test_pointers_through_which_a_callback_writes(refused):
    fill = graft.Transform(
        "struct To { float* p; double* const q; }; __device__ void fill(const To& to, graft::Index i) {"
        "  to.p[i] = i * i; if (to.q) to.q[i] = i; }",
        device="host",
    )
    p, q = np.zeros(6, np.float32), np.zeros((2, 3))
    fill.for_count(6, p=p, q=q)
    assert np.array_equal(p, np.arange(6) ** 2) and np.array_equal(q.ravel(), np.arange(6))
    fill.for_count(2, state={"p": p[4:], "q": None})
    assert p.tolist() == [0, 1, 4, 9, 0, 1]
    p.flags.writeable = False
    assert "read-only" in refused("InvalidArgument", fill.for_count, 6, p=p, q=q).message


def test_arrays_of_pointers_structs_and_anything():
    text = """
        struct Point { float x, y; };
        struct Many { const float *a, *b[2]; struct Point const* points; const void* any; Point last; };
        __device__ float many(int i, const Many& m) {
          return m.a[i] + m.b[0][i] + m.b[1][i] + m.points[i].y + ((const char*)m.any)[i] + m.last.x;
        }
    """
    many = graft.Transform(text, device="host")
    points = np.zeros(3, [("x", "f4"), ("y", "f4")])
    points["y"] = [100, 200, 300]
    state = {"a": V, "b": [10 * V, V], "points": points, "any": np.int8([1, 2, 3]), "last": {"x": 1000, "y": 0}}
    expected = 12 * V + points["y"] + [1, 2, 3] + 1000
    assert np.array_equal(many(np.arange(3, dtype=np.int32), state=state), expected)


def test_a_reduction_and_an_fft(refused):
    weighted = graft.Reduce(
        "__device__ float add(float a, float b) { return a + b; }",
        map="struct W { const float* w; }; __device__ float f(float x, const W& s, graft::Index i) {"
        " return s.w[i] * x; }",
        device="host",
    )
    assert weighted(np.float32([1, 2, 3]), w=V) == 17
    refused("TypeMismatch", weighted, np.float32([1, 2, 3]), w=V.astype(np.float64))
    fft = graft.Fft(
        4,
        load="struct S { const float* window; }; __device__ float2 f(float x, const S& s, graft::Index i) {"
        " return make_float2(x * s.window[i % 4], 0); }",
        directions="forward",
        device="host",
    )
    window, x = np.float32([0, 1, 1, 0]), np.float32([[1, 2, 3, 4], [5, 6, 7, 8]])
    assert np.allclose(fft(x, window=window), np.fft.fft(x * window), atol=1e-5)


def test_what_stays_unread_says_so(refused):
    hidden = graft.Transform(
        "struct S { const float* x; __device__ float at(int i) const { return x[i]; } };"
        "__device__ float f(int i, const S& s) { return s.at(i); }",
        device="host",
    )
    assert "cannot be read" in refused("TypeMismatch", hidden, I, x=V).message
    assert "address" in refused("TypeMismatch", hidden, I, x=V).remedy
    assert np.array_equal(hidden(I, state=np.array((V.ctypes.data,), [("x", "u8")])), V[I])


def test_a_state_keeps_the_arrays_to_which_it_points():
    members = graft._state.State([PICK]).members(None)
    x = V.copy()
    made = members.bytes_of({"x": x, "n": 3}, None, graft._state.Place(on_device=False))
    assert made.arrays == {"the state's member x": x} and np.frombuffer(made, np.uint64)[0] == x.ctypes.data
    with pytest.raises(ValueError):
        x.resize(1000)  # refused while somebody holds its buffer
