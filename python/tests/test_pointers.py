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


@pytest.mark.parametrize("real, options", [("float", {}), ("REAL", {"defines": {"REAL": "float"}})])
def test_a_reduction_and_an_fft(real, options, refused):
    weighted = graft.Reduce(
        "__device__ float add(float a, float b) { return a + b; }",
        map=f"struct W {{ const {real}* w; }}; __device__ float f(float x, const W& s, graft::Index i) {{"
        " return s.w[i] * x; }",
        device="host",
        **options,
    )
    assert weighted(np.float32([1, 2, 3]), w=V) == 17
    for kind in (np.float64, np.uint8):
        refused("TypeMismatch", weighted, np.float32([1, 2, 3]), w=V.astype(kind))
    fft = graft.Fft(
        4,
        load=f"struct S {{ const {real}* window; }}; __device__ float2 f(float x, const S& s, graft::Index i) {{"
        " return make_float2(x * s.window[i % 4], 0); }",
        directions="forward",
        device="host",
        **options,
    )
    window, x = np.float32([0, 1, 1, 0]), np.float32([[1, 2, 3, 4], [5, 6, 7, 8]])
    assert np.allclose(fft(x, window=window), np.fft.fft(x * window), atol=1e-5)
    refused("TypeMismatch", fft, x, window=window.astype(np.uint8))


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
    made = members.bytes_of({"x": x, "n": 3}, None, graft._layout.Place(on_device=False))
    assert made.arrays == {"the state's member x": x} and np.frombuffer(made, np.uint64)[0] == x.ctypes.data
    with pytest.raises(ValueError):
        x.resize(1000)  # refused while somebody holds its buffer


# ---- Types by other names ----

LINE = "struct Line { const REAL* u; }; __device__ double twice(const Line& l, graft::Index i) { return 2 * l.u[i]; }"
NAMED = LINE.replace("REAL", "real")
U = np.float64([1, 2, 3])


@pytest.mark.parametrize(
    "text, options",
    [
        (LINE, {"defines": {"REAL": "double"}}),
        ("#define REAL double  // a comment\n" + LINE, {}),
        ("# define A \\\n double\n#define REAL A\n" + LINE, {}),
        ("#ifndef REAL\n#define REAL float\n#endif\n" + LINE, {"defines": {"REAL": "double"}}),
        ("#ifndef REAL\n#define REAL double\n#endif\n" + LINE, {}),
        ("#ifndef LINE_H\n#define LINE_H\nusing real = double;\n" + NAMED + "\n#endif\n", {}),
        ("using real = double;" + NAMED, {}),
        ("typedef const double real;" + NAMED, {}),
        ("#define A double\nusing B = A; typedef B real;" + NAMED, {}),
        ('extern "C" { typedef double real; }\n' + NAMED, {}),
        ("#include <cmath>\nusing real = double;" + NAMED, {}),
        ("namespace { using real = double; }" + NAMED, {}),
        ("using real = double; struct Other { using real = float; };" + NAMED, {}),
        ("template <class T> struct Of { const T* u; }; using Line = Of<double>;"
         "__device__ double twice(const Line& l, graft::Index i) { return 2 * l.u[i]; }", {}),
    ],
)  # fmt: skip
def test_a_name_of_the_text_is_the_type_that_it_means(refused, text, options):
    twice = graft.Transform(text, device="host", **options)
    assert np.array_equal(twice(u=U, out=np.zeros(3)), 2 * U)
    assert np.array_equal(twice(u=U.ctypes.data, out=np.zeros(3)), 2 * U)
    for other in ("f4", "u1", "i8", "f4,f4"):
        error = refused("TypeMismatch", twice, u=np.zeros(3, other), out=np.zeros(3))
        assert "the state's member u" in error.message and "double*" in error.message, error.message


@pytest.mark.parametrize(
    "text",
    [
        "#if 1\nusing real = double;\n#else\nusing real = float;\n#endif\n" + NAMED,
        "#if 1\nusing real = double;\n#endif\n" + NAMED,
        "#define real float\n#undef real\nusing real = double;\n" + NAMED,
        "#include <cmath>\n#ifndef real\n#define real double\n#endif\n" + NAMED,
        "namespace a { using real = double; }\nusing namespace a;\n" + NAMED,
        "template <class T> struct Of { using type = T; }; using real = Of<double>::type;" + NAMED,
        "struct real { double d; __device__ operator double() const { return d; } };" + NAMED,
    ],
)
def test_a_pointer_of_a_type_that_is_not_known_takes_no_array(refused, text):
    twice = graft.Transform(text, device="host")
    for x in (U, np.uint8([1])):
        error = refused("TypeMismatch", twice, u=x, out=np.zeros(3))
        assert "member u is a `const real*`" in error.message and "does not show what `real` is" in error.message
        for words in ("const float*", "address", "void*", "defines="):
            assert words in error.remedy
    assert np.array_equal(twice(u=U.ctypes.data, out=np.zeros(3)), 2 * U)


ELEMENT = "struct S { const %s* p; }; __device__ double f(const S& s, graft::Index i) { return double(s.p[i]%s); }"
FLOATS = np.arange(8, dtype=np.float32)
PAIR = "struct P { float x, y; }; "


@pytest.mark.parametrize(
    "before, spelling, member, array, wrong",
    [
        ("", "float4", ".y", FLOATS, np.float64),
        ("struct P; typedef struct P P; struct P { float x, y; }; ", "P", ".y", FLOATS.view("f4,f4"), np.float32),
        ("", "float4", ".y", FLOATS.view([("v", "f4", 4)]), "f4,f4"),
        ("", "float2", ".y", FLOATS.view(np.complex64), np.complex128),
        ("", "float2", ".y", FLOATS, np.int32),
        ("", "uchar3", ".y", np.arange(6, dtype=np.uint8), np.int8),
        ("", "int2", ".y", np.arange(4, dtype=np.int32), np.uint32),
        ("", "double3", ".y", np.arange(6, dtype=np.float64), np.float32),
        ("", "unsigned long long int", "", np.uint64([0, 1]), np.int64),
        ("", "long int", "", np.int64([0, 1]), np.uint64),
        ("", "uint16_t", "", np.uint16([0, 1]), np.int16),
        ("", "__half", "", np.float16([0, 1]), np.int16),
        ("enum E { A, B }; ", "E", "", np.int32([0, 1]), np.int64),
        ("enum class E : unsigned char { A, B }; ", "E", "", np.uint8([0, 1]), np.int32),
        ("typedef struct { float x, y; } P; ", "P", ".y", FLOATS.view("f4,f4"), np.float32),
        ("struct __align__(8) P { float x, y; }; ", "P", ".y", FLOATS.view("f4,f4"), "f4,f4,f4"),
        ("namespace a { " + PAIR + "} ", "a::P", ".y", FLOATS.view("f4,f4"), np.float64),
        ("template <class T> struct Of { T x, y; }; ", "Of<float>", ".y", FLOATS.view("f4,f4"), "f8,f8"),
    ],
)
def test_types_that_can_be_checked(refused, before, spelling, member, array, wrong):
    element = graft.Transform(before + ELEMENT % (spelling, member), device="host")
    width = {"4": 4, "3": 3, "2": 2}.get(spelling[-1], 2 if member else 1)
    flat = array.view(np.float32) if array.dtype.kind in "Vc" else array
    expected = flat.reshape(-1, width)[:, 1 if member else 0].astype(np.float64)
    assert np.array_equal(element(p=array, out=np.full(len(expected), -1.0)), expected)
    refused("TypeMismatch", element, p=np.zeros(24, wrong), out=np.zeros(1))


def test_an_array_is_aligned_as_the_pointers_type(refused):
    element = graft.Transform(ELEMENT % ("float4", ".y"), device="host")
    offset = next(i for i in range(4) if FLOATS[i:].ctypes.data % 16)
    assert "16" in refused("Misaligned", element, p=FLOATS[offset:], out=np.zeros(1)).message


def test_spellings_of_numbers():
    of = graft._spelling.type_of_spelling
    for spelling in ("std::uint16_t", "cuda::std::uint16_t", "::uint16_t", "short unsigned", "unsigned short int"):
        assert of(spelling) == "u16", spelling
    assert (of("signed"), of("long long int"), of("signed char"), of("int long unsigned")) == (
        "i32",
        "i64",
        "i8",
        "u64",
    )
    for spelling in ("", "real", "a::int", "unsigned real", "std::vector<int>"):
        assert of(spelling) is None, spelling


def test_bytes_on_purpose():
    element = graft.Transform(
        "#include <cstddef>\nstruct S { const std::byte* p; }; __device__ double f(const S& s, graft::Index i) {"
        " return ((const float*)s.p)[i]; }",
        device="host",
    )
    assert np.array_equal(element(p=FLOATS, out=np.zeros(8)), FLOATS)


def test_members_that_are_numbers_by_other_names():
    text = "using real = double; struct S { real a; const real* u; };"
    text += "__device__ double f(const S& s, graft::Index i) { return s.a * s.u[i]; }"
    assert np.array_equal(graft.Transform(text, device="host")(a=3, u=U, out=np.zeros(3)), 3 * U)
