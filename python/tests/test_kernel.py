"""Kernels of the user's own: built for a GPU that is not there, and the arguments of launches."""

import ctypes
import struct

import numpy as np
import pytest

import graft_cuda as graft
from graft_cuda._arguments import SlotState, parameters_of, place, taken

pytestmark = pytest.mark.usefixtures("has_compiler")

CODE = """
struct Line { float a, b; };
namespace lib {
__device__ float f(float x, const Line& s);
__global__ void apply(const float* x, float* y, int n, double scale, const __grid_constant__ Line s) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = scale * f(x[i], s);
}
}
"""
SOURCE = "struct Own { float b, a; }; __device__ float line(float x, const Own& s) { return s.a * x + s.b; }"
STATE = np.dtype([("b", "f4"), ("a", "f4")])
AUTHOR = """
__device__ float f(float x);
__device__ bool filter(int i);
extern __device__ const bool has_filter;
extern __device__ const int steps;
template <class T> __global__ void k(T* x) {
  const int i = threadIdx.x;
  if (has_filter && !filter(i)) return;
  for (int step = 0; step < steps; ++step) x[i] = f(x[i]);
}
"""


def fills():
    yield "source", SOURCE
    yield "lambda", "[](float x) { return 2 * x; }"
    yield "template", "template <class T> __device__ T same(T x) { return x; }"
    yield "formula", graft.formula("a * x + b", "f32 x; f32 a, b")
    yield "pack", graft.Callback.pack(graft.KernelCode(CODE).precompile_for("lib::f", SOURCE, ["sm_90"]))
    pytest.importorskip("numba.cuda", exc_type=ImportError)
    yield "numba", graft.numba_callback(lambda x, s: s.a * x + s.b, "f32(f32, state)", state=STATE)


def test_every_kind_of_callback_is_inlined():
    for name, callback in fills():
        report = graft.build_kernel(CODE, {"f": callback}, "sm_90").report
        assert report.inlined, (name, report)
        (slot,) = report["slots"]
        assert slot["declaration"] == "lib::f(float, const Line&)" and slot["how"] == "inlined", name
        assert slot["state_bytes"] == (0 if name in ("lambda", "template") else 8), name


def test_what_the_author_leaves_open():
    code = graft.KernelCode(
        AUTHOR,
        entries=["k<float>"],
        defaults={"f": "[](float x) { return x + 1; }"},
        optional={"filter": "has_filter"},
        constants={"steps": [2, 4]},
    )
    shape = code.describe("sm_90")
    assert [one.name for one in shape.entries] == ["k<float>"]
    assert shape.entries[0].types == ["float*"] and shape.entries[0].parameters == [8]
    assert sorted(one.name for one in shape.slots) == ["f", "filter"]
    assert shape.constants == ["has_filter", "steps"]

    def how(slots, **more):
        report = graft.build_kernel(code, slots, "sm_90", **more).report
        return {one["declaration"].partition("(")[0]: one["how"] for one in report["slots"]}

    assert how(None) == {"f": "inlined", "filter": "empty"}
    assert how({"filter": "[](int i) { return i % 2 == 0; }"}, constants={"steps": 8})["filter"] == "inlined"
    # What is not inlined is a call, as its author wishes.
    called = graft.KernelCode(
        AUTHOR,
        entries=["k<float>"],
        inlining={"f": "never"},
        optional={"filter": "has_filter"},
        constants={"steps": 2},
    )
    assert not graft.build_kernel(called, {"f": "[](float x) { return x + 1; }"}, "sm_90").report.inlined


def test_code_that_is_compiled_ahead(tmp_path):
    code = graft.KernelCode(CODE, headers={"more.h": "constexpr float kMore = 2;"})
    pack = code.precompile(["sm_75"])
    (tmp_path / "apply.graft").write_bytes(pack)
    more = '#include "more.h"\n__device__ float f(float x) { return kMore * x; }'
    for read in (graft.KernelCode.pack(pack), graft.KernelCode.file(tmp_path / "apply.graft")):
        assert graft.build_kernel(read, {"f": more}, "sm_90").report.inlined
    whole = graft.KernelCode(CODE, defaults={"f": SOURCE}).precompile(["sm_90"], "pack with cubins")
    assert graft.build_kernel(graft.KernelCode.pack(whole), None, "sm_90").report["slots"]
    (tmp_path / "apply.cu").write_text('#include "line.h"\n' + CODE.replace("struct Line { float a, b; };", ""))
    (tmp_path / "line.h").write_text("struct Line { float a, b; };")
    assert graft.build_kernel(graft.KernelCode.file(tmp_path / "apply.cu"), {"f": SOURCE}, "sm_90").report.inlined


def test_mistakes_in_code_and_callbacks(refused, tmp_path):
    def build(code, *slots, **more):
        return graft.build_kernel(code, *slots, "sm_90", **more)

    error = refused("SignatureMismatch", build, CODE, {"f": "__device__ double f(double x) { return x; }"})
    assert "float lib::f(float, const Line&)" in str(error) and "double f(double)" in str(error)
    refused("SlotEmpty", build, CODE, None)
    refused("NoSuchEntry", build, CODE, {"g": SOURCE})
    refused("InvalidArgument", build, CODE, {"f": SOURCE}, constants={"steps": 2})
    refused("InvalidArgument", build, CODE, [SOURCE])
    refused("InvalidArgument", build, CODE, {"f": 5})
    refused("InvalidArgument", build, 5, {"f": SOURCE})
    refused("InvalidArgument", build, CODE, {"f": SOURCE}, entry="apply")
    refused("InvalidArgument", build, CODE, {"f": SOURCE}, shared_bytes=16)
    refused("InvalidArgument", build, AUTHOR, {"f": SOURCE}, constants={"steps": 2.5})
    refused("RouteUnavailable", build, CODE, {"f": SOURCE}, route="host")
    refused("CompileFailed", build, "__global__ void k() { wrong; }", None)
    refused("InvalidArgument", graft.KernelCode, CODE, default={"f": SOURCE})
    refused("InvalidArgument", graft.KernelCode, CODE, inlining={"f": "sometimes"})
    refused("InvalidArgument", graft.KernelCode, CODE, floating_point={"route": "host"})
    refused("InvalidArgument", graft.KernelCode, CODE, floating_point={"fast_math": "yes"})
    refused("InvalidArgument", graft.KernelCode, CODE, constants={"steps": []})
    refused("ImageRefused", graft.KernelCode.pack, b"no pack")
    refused("FileUnreadable", graft.KernelCode.file, tmp_path / "missing.cu")


def test_the_cpu_runs_no_kernels(refused):
    try:
        graft.Kernel(CODE, {"f": SOURCE})
    except graft.GraftError as error:
        assert error.code == "NoDevice"
        assert "kernels of your own run on a GPU alone" in error.message and "build_kernel" in error.remedy
    with pytest.raises(graft.GraftError) as caught:
        graft.Kernel.create_async("__global__ void k() { wrong; }").result()
    assert caught.value.code in ("NoDevice", "CompileFailed")


# ---- Arguments ----

FREE = np.arange(4, dtype=np.float32)


class OnGpu:
    """What shows itself as an array in GPU memory; nothing here follows its pointer."""

    def __init__(self, array, read_only=False):
        self.array = array
        self.__cuda_array_interface__ = {**array.__array_interface__, "version": 3, "stream": 7}
        if read_only:
            self.__cuda_array_interface__["data"] = (array.ctypes.data, True)


@pytest.fixture(scope="module")
def apply():
    (entry,) = graft.KernelCode(CODE).describe("sm_90").entries
    return entry


@pytest.fixture(scope="module")
def plain():
    """A kernel whose symbol shows no types."""
    text = 'extern "C" __global__ void plain(float* x, int n, float a, double d, char c, long long k) { x[n] = a + d; }'
    (entry,) = graft.KernelCode(text).describe("sm_90").entries
    assert entry.types == [] and entry.parameters == [8, 4, 4, 8, 1, 8]
    return entry


def made(entry, *arguments, stream=None):
    parameters = parameters_of(entry)
    return taken(place(entry.name, parameters, arguments, stream), parameters)


class Own(ctypes.Structure):
    _fields_ = [("b", ctypes.c_float), ("a", ctypes.c_float)]


def test_numbers_have_the_types_of_the_parameters(apply):
    x, y = OnGpu(FREE), OnGpu(FREE.copy())
    line = np.array((1, 2), STATE)
    for given in (line, line[()], Own(1, 2), line.tobytes(), SlotState(line.tobytes())):
        first, second, n, scale, state = made(apply, x, y, 3, 2, given)
        assert isinstance(first, graft._core.Arrays) and first.on_device and first.types == ["f32"]
        assert isinstance(second, graft._core.Arrays)
        assert n == (struct.pack("i", 3), "i32")
        assert scale == (struct.pack("d", 2), "f64")
        assert state == (struct.pack("ff", 1, 2), "class")
    # NumPy's and ctypes' numbers keep their own types, which libgraft compares.
    assert made(apply, x, y, np.int64(3), np.float32(2), line)[2:4] == [
        (struct.pack("q", 3), "i64"),
        (struct.pack("f", 2), "f32"),
    ]
    assert made(apply, x, y, ctypes.c_int(3), np.array(2.0), line)[2:4] == [
        (struct.pack("i", 3), "class"),
        (struct.pack("d", 2), "f64"),
    ]
    assert made(apply, None, 4096, 3, 2.5, line)[:2] == [(bytes(8), "u64"), (struct.pack("Q", 4096), "u64")]


def test_numbers_beside_a_symbol_without_types(plain):
    assert made(plain, OnGpu(FREE), 3, 2.5, 1.0, True, 2**63)[1:] == [
        (struct.pack("i", 3), "i32"),
        (struct.pack("f", 2.5), "f32"),
        (struct.pack("d", 1), "f64"),
        (b"\1", "bool"),
        (struct.pack("Q", 2**63), "u64"),
    ]
    assert made(plain, None, -1, 2.0, 1.0, 255, None)[4] == (b"\xff", "u8")


def test_a_slots_state_fills_a_parameter_that_has_room():
    text = """
        struct alignas(16) Room { char bytes[64]; };
        __device__ float f(float x, const Room& s);
        __global__ void k(float* x, const __grid_constant__ Room s) { *x = f(*x, s); }
    """
    (entry,) = graft.KernelCode(text).describe("sm_90").entries
    assert made(entry, None, SlotState(b"12345678"))[1] == (b"12345678" + bytes(56), "class")
    assert made(entry, None, b"12345678")[1] == (b"12345678", "class")  # which libgraft refuses


def test_arguments_that_are_refused(apply, plain, refused):
    x, line = OnGpu(FREE), np.array((1, 2), STATE)
    for code, arguments in [
        ("CountMismatch", (x, x, 3, 2.0)),
        ("CountMismatch", (x, x, 3, 2.0, line, 1)),
        ("TypeMismatch", (x, x, 3.0, 2.0, line)),
        ("TypeMismatch", (x, x, 2**31, 2.0, line)),
        ("TypeMismatch", (x, x, 3, 2j, line)),
        ("TypeMismatch", (x, x, None, 2.0, line)),
        ("TypeMismatch", (x, 2.5, 3, 2.0, line)),
        ("TypeMismatch", (x, -1, 3, 2.0, line)),
        ("TypeMismatch", (x, x, 3, 2.0, {"a": 1, "b": 2})),
        ("TypeMismatch", (x, x, 3, 2.0, 1j)),
        ("TypeMismatch", (x, x, 3, 2.0, 1)),
        ("TypeMismatch", (x, x, 3, 2.0, None)),
        ("InvalidArgument", (FREE, x, 3, 2.0, line)),
        ("InvalidArgument", (memoryview(FREE), x, 3, 2.0, line)),
        ("InvalidArgument", ("text", x, 3, 2.0, line)),
        ("InvalidArgument", ([1.0], x, 3, 2.0, line)),
        ("InvalidArgument", (object(), x, 3, 2.0, line)),
        ("InvalidArgument", (x, OnGpu(FREE, read_only=True), 3, 2.0, line)),
        ("InvalidArgument", (np.ma.array(FREE), x, 3, 2.0, line)),
        ("TypeMismatch", (OnGpu(FREE.astype(">f4")), x, 3, 2.0, line)),
    ]:
        refused(code, launched, apply, arguments)
    assert made(apply, OnGpu(FREE, read_only=True), x, 3, 2.0, line)
    refused("InvalidArgument", made, apply, x, x, 3, 2.0, line, stream="default")
    error = refused("InvalidArgument", made, apply, FREE, x, 3, 2.0, line)
    assert error.message.startswith("argument 1 of lib::apply is in host memory")
    for wrong in [
        (3, 1j, 1.0, 1, 1),
        (3, True, 1.0, 1, 1),
        (2**40, 2.0, 1.0, 1, 1),
        (3, 1e300, 1.0, 1, 1),
        (3, 2.0, 1.0, 2.0, 1),
    ]:
        refused("TypeMismatch", made, plain, x, *wrong)


# ---- The course of a launch ----


class Core:
    """A kernel that writes down how it is launched."""

    def __init__(self, image, entries):
        self.report = (image.report_text, image.report_json)
        self.entries = [tuple(one) for one in entries]
        self.launches = []
        self.prepared = 0
        self.refuses = 0

    def entry(self, name):
        return self

    def prepare_current(self):
        self.prepared += 1

    def launch(self, *how):
        if self.refuses:
            self.refuses -= 1
            raise graft.GraftError("NotPrepared", "not prepared", "Prepare.")
        self.launches.append(how)


@pytest.fixture(autouse=True)
def launches_by_python(monkeypatch):
    """The kernels of these tests are none of the module, which could launch them."""
    monkeypatch.setattr(graft.Kernel, "_serve", lambda self: None)


def kernel_of(text, slots, **options):
    code = graft.KernelCode(text)
    image = graft.build_kernel(code, slots, "sm_90", **options)._core
    kernel = graft.Kernel.__new__(graft.Kernel)
    kernel._engine = graft.default_engine()
    callbacks = {slot: graft._callback.as_callback(callback) for slot, callback in slots.items()}
    kernel._take(Core(image, code.describe("sm_90").entries), callbacks, None, options)
    return kernel


def launched(entry, arguments):
    kernel = graft.Kernel.__new__(graft.Kernel)
    core = Core.__new__(Core)
    core.entries, core.refuses, core.launches = [tuple(entry)], 0, []
    kernel._take(core, {}, None)
    kernel(1, 1, arguments)
    return core.launches


def test_a_launch(refused):
    kernel = kernel_of(CODE, {"f": SOURCE})
    x, y = OnGpu(FREE), OnGpu(FREE.copy())
    arguments = (x, y, 4, 1.0, kernel.state("f", a=2, b=3))
    kernel(1, 128, arguments)
    kernel((2, 3), (4, 5, 6), list(arguments), shared_bytes=1024, stream=9, cluster=2, cooperative=True)
    first, second = kernel._core.launches
    assert first[:6] == ((1, 1, 1), (128, 1, 1), None, 0, False, 7)  # the stream that the first array names
    assert second[:6] == ((2, 3, 1), (4, 5, 6), (2, 1, 1), 1024, True, 9)
    assert first[6][2:] == [
        (struct.pack("i", 4), "i32"),
        (struct.pack("d", 1), "f64"),
        (struct.pack("ff", 3, 2), "class"),
    ]
    kernel._core.refuses = 1  # a context that the kernel has not seen
    kernel(1, 128, arguments)
    assert kernel._core.prepared == 1 and len(kernel._core.launches) == 3
    kernel._core.refuses = 2
    refused("NotPrepared", kernel, 1, 128, arguments)
    for grid, block, more in [
        (-1, 1, {}),
        (1.5, 1, {}),
        ((), 1, {}),
        ((1, 1, 1, 1), 1, {}),
        (1, 2**32, {}),
        (1, "x", {}),
        (1, 1, {"shared_bytes": -1}),
        (1, 1, {"shared_bytes": (1, 2)}),
        (1, 1, {"cluster": 0.5}),
    ]:
        refused("InvalidArgument", kernel, grid, block, arguments, **more)
    refused("InvalidArgument", kernel, 1, 1, x)
    assert len(kernel._core.launches) == 3


def test_the_state_of_a_slot(refused):
    for name, callback in fills():
        kernel = kernel_of(CODE, {"f": callback})
        if name in ("lambda", "template"):
            refused("TypeMismatch", kernel.state, "f", a=1)
            continue
        order = "ff" if name == "formula" else None
        expected = struct.pack("ff", 2, 3) if order else struct.pack("ff", 3, 2)
        if name == "pack":  # its members are not known
            refused("TypeMismatch", kernel.state, "f", a=2, b=3)
            assert kernel.state("f", np.array((3, 2), STATE)[()]) == expected
        else:
            assert kernel.state("f", a=2, b=3) == kernel.state("lib::f", {"a": 2, "b": 3}) == expected
            refused("TypeMismatch", kernel.state, "f", a=2)
            refused("TypeMismatch", kernel.state, "f", a=2, b=3, c=4)
            refused("TypeMismatch", kernel.state, "f", a="2", b=3)
        refused("TypeMismatch", kernel.state, "f", b"123")
        refused("NoSuchEntry", kernel.state, "g", a=2, b=3)
        refused("InvalidArgument", kernel.state, "f", {"a": 2}, b=3)


def test_macros_in_the_state_of_a_slot(refused):
    kernel = kernel_of(
        "struct W { const float* w; }; __device__ float f(float x, const W& s);"
        "__global__ void k(float* x, const W s) { *x = f(*x, s); }",
        {"f": "struct W { const REAL* w; }; __device__ float f(float x, const W& s) { return s.w[0] * x; }"},
        defines={"REAL": "float"},
    )
    w = OnGpu(np.float32([1, 2]))
    assert struct.unpack("Q", kernel.state("f", w=w)) == (w.__cuda_array_interface__["data"][0],)
    for one in (kernel, kernel.entry("k")):
        error = refused("TypeMismatch", one.state, "f", w=OnGpu(np.uint8([1, 2])))
        assert "`const REAL*` (`float*`)" in error.message


def test_one_of_several_kernels(refused):
    text = "__global__ void a(int* x) { *x = 1; } namespace n { __global__ void b(float x, float* y) { *y = x; } }"
    kernel = kernel_of(text, {})
    assert sorted(one.name for one in kernel.entries) == ["a", "n::b"]
    refused("InvalidArgument", kernel, 1, 1, (None,))
    one = kernel.entry("n::b")
    one(1, 1, (2, None))
    assert kernel._core.launches[0][6] == [(struct.pack("f", 2), "f32"), (bytes(8), "u64")]
    assert "n::b" in repr(one)
