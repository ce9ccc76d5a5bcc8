"""Arrays as they come: element types, shapes, strides, protocols, and what is refused."""

import array

import ml_dtypes
import numpy as np
import pytest

import graft_cuda as graft

TWICE = graft.Transform("__device__ float twice(float x) { return 2 * x; }", device="host")
SUM = graft.Transform("__device__ float sum(float x, float y) { return x + y; }", device="host")


def numbers(*shape):
    return np.arange(np.prod(shape), dtype=np.float32).reshape(shape)


@pytest.mark.parametrize(
    "dtype",
    ["bool", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8", "c8", "c16", ml_dtypes.bfloat16],
)
def test_every_element_type_goes_in_and_comes_out(dtype):
    x = np.array([0, 1, 3, 5]).astype(dtype)
    y = graft.evaluate("x", x=x)
    assert y.dtype == x.dtype
    assert np.array_equal(y, x)


@pytest.mark.parametrize(
    "x",
    [
        numbers(0),
        numbers(1),
        numbers(7),
        numbers(3, 4),
        numbers(3, 4).T,
        numbers(9)[::2],
        numbers(9)[::-1],
        numbers(4, 6)[1:3, ::-2],
        numbers(2, 3, 4).transpose(2, 0, 1),
        np.broadcast_to(numbers(4), (3, 4)),
        np.asfortranarray(numbers(3, 4)),
        np.array(2.5, np.float32),
    ],
    ids=lambda x: f"{x.shape}/{x.strides}",
)
def test_any_shape_and_strides(x):
    y = TWICE(x)
    assert y.shape == x.shape
    assert y.dtype == np.float32
    assert np.array_equal(y, 2 * x)


@pytest.mark.parametrize(
    "shapes", [((3, 4), (4,)), ((3, 1), (1, 4)), ((), (5,)), ((2, 1, 4), (3, 1)), ((0, 4), (1, 4))]
)
def test_inputs_repeat_as_numpys_do(shapes):
    x, y = numbers(*shapes[0]), numbers(*shapes[1])
    assert np.array_equal(SUM(x, y), x + y)


def test_a_number_is_an_input_that_repeats():
    assert np.array_equal(SUM(numbers(3), 2), numbers(3) + 2)
    assert np.array_equal(SUM(1.5, numbers(3)), numbers(3) + 1.5)


def test_an_output_that_is_given_is_written_and_returned():
    out = np.zeros((3, 4), np.float32)
    assert TWICE(numbers(3, 4), out=out) is out
    assert np.array_equal(out, 2 * numbers(3, 4))
    whole = np.zeros((4, 6), np.float32)
    TWICE(numbers(2, 3), out=whole[::2, ::2])
    assert np.array_equal(whole[::2, ::2], 2 * numbers(2, 3))
    assert np.count_nonzero(whole[1::2]) == 0


def test_in_place():
    x = numbers(5)
    TWICE(x, out=x)
    assert np.array_equal(x, 2 * numbers(5))


def test_buffers_and_dlpack_tensors():
    assert np.array_equal(TWICE(array.array("f", [1, 2, 3])), [2, 4, 6])
    assert np.array_equal(TWICE(memoryview(numbers(3))), [0, 2, 4])

    class Tensor:
        def __init__(self, array):
            self.array = array

        def __dlpack__(self, **words):
            return self.array.__dlpack__(**words)

        def __dlpack_device__(self):
            return self.array.__dlpack_device__()

    class OldTensor(Tensor):  # of a library that knows DLPack 0 alone
        def __dlpack__(self, stream=None):
            return self.array.__dlpack__()

    assert np.array_equal(TWICE(numbers(3).__dlpack__()), [0, 2, 4])
    for kind in (Tensor, OldTensor):
        x = numbers(3, 4)[:, ::2]
        assert np.array_equal(TWICE(kind(x)), 2 * x)
        out = np.zeros((3, 2), np.float32)
        TWICE(x, out=kind(out))
        assert np.array_equal(out, 2 * x)


def test_structs_are_elements():
    point = np.dtype([("x", np.float32), ("y", np.float32), ("n", np.int32)])
    swap = graft.Transform(
        "struct Point { float x, y; int n; }; __device__ Point swap(Point p) { return {p.y, p.x, p.n + 1}; }",
        device="host",
    )
    points = np.array([(1, 2, 3), (4, 5, 6)], point)
    swapped = swap(points)
    assert swapped.dtype == point
    assert swapped.tolist() == [(2, 1, 4), (5, 4, 7)]


def test_a_field_of_a_struct_is_a_view_where_its_strides_are_whole_elements(refused):
    even = np.zeros(3, np.dtype([("a", "f4"), ("b", "f4")]))
    even["b"] = [1, 2, 3]
    assert np.array_equal(TWICE(even["b"]), [2, 4, 6])
    odd = np.zeros(3, np.dtype([("a", "u1"), ("b", "f4")]))
    assert "bytes apart" in str(refused("InvalidArgument", TWICE, odd["b"]))


@pytest.mark.parametrize(
    "x, what, remedy",
    [
        (np.array([1, None], object), "Python objects", "astype(float)"),
        (np.array(["2020-01-01"], "M8[D]"), "dates or times as elements (datetime64[D])", "x.view(numpy.int64)"),
        (np.array(["a"], "U3"), "texts as elements (<U3)", "astype(float)"),
        (np.array([b"a"], "S1"), "texts as elements (|S1)", "astype(float)"),
        (np.array([1.0], ">f4"), "other byte order (>f4)", 'newbyteorder("=")'),
        (np.array([1.0], np.longdouble), "numpy.longdouble", "x.astype(numpy.float64)"),
        (np.array([1.0], np.clongdouble), "numpy.longdouble", "complex128"),
        (np.array([1.0]).astype(ml_dtypes.float8_e4m3fn), "(float8_e4m3fn)", "graft has bool"),
    ],
    ids=lambda x: str(getattr(x, "dtype", "")),
)
def test_element_types_that_graft_does_not_have(x, what, remedy, refused):
    error = refused("TypeMismatch", TWICE, x)
    assert "input 0 has " in error.message and what in error.message and remedy in error.remedy
    error = refused("TypeMismatch", graft.evaluate, "a * weights + 1", a=np.ones(1), weights=x)
    assert "`weights` has " in error.message and what in error.message and remedy in error.remedy


def test_buffers_and_interfaces_of_other_types(refused):
    assert "texts as elements" in refused("TypeMismatch", TWICE, array.array("u", "ab")).message
    for typestr, what in (
        (">f4", "byte order (>f4)"),
        ("|O8", "objects"),
        ("<f16", "longdouble"),
        ("<i3", "a type (<i3)"),
    ):
        error = refused("TypeMismatch", graft._core.Arrays, [OnDevice(typestr=typestr)], False)
        assert what in error.message, error.message


def test_shapes_that_do_not_repeat_name_their_arrays(refused):
    message = refused("CountMismatch", SUM, numbers(2, 3), numbers(2, 4)).message
    assert message == "input 0 has the extent 3 in dimension 1, and input 1 has 4"
    message = refused(
        "CountMismatch", graft.evaluate, "a + b * c", a=numbers(1, 3), b=numbers(5, 1), c=numbers(4, 1, 2)
    ).message
    assert message == "`a` has the extent 3 in dimension 2, and `c` has 2"


def test_read_only_inputs():
    x = numbers(3)
    x.flags.writeable = False
    assert np.array_equal(TWICE(x), [0, 2, 4])
    assert np.array_equal(TWICE(memoryview(x.tobytes()).cast("f")), [0, 2, 4])


@pytest.mark.parametrize("x", [None, "text", {}, object(), [1.0, 2.0]], ids=lambda x: type(x).__name__)
def test_objects_that_are_no_arrays(x, refused):
    assert "input 0 is a " in refused("InvalidArgument", TWICE, x).message


@pytest.mark.parametrize(
    "code, value",
    [("int", 1.7), ("int", 2**31), ("int", 1j), ("unsigned char", np.int32(300)), ("unsigned char", -1),
     ("float", 1e300), ("float", np.complex64(1j)), ("double", 1j)],
)  # fmt: skip
def test_a_number_that_the_inputs_type_cannot_hold(code, value, refused):
    add = graft.Transform(f"__device__ double add({code} x, {code} y) {{ return x + y; }}", device="host")
    x = np.ones(3, {"int": "i4", "unsigned char": "u1", "float": "f4", "double": "f8"}[code])
    assert "input 1" in refused("TypeMismatch", add, x, value).message
    assert "input 0" in refused("TypeMismatch", add, value, x).message
    assert add(x, np.int8(2)).tolist() == [3, 3, 3]


def test_masked_arrays(refused):
    x = np.ma.masked_array(numbers(3), [True, False, False])
    assert "mask" in refused("InvalidArgument", TWICE, x).message
    refused("InvalidArgument", TWICE, numbers(3), out=x)
    refused("InvalidArgument", graft.evaluate, "x", x=x)


def test_the_members_of_structs(refused):
    capital = np.dtype([("O", "f4"), (">", "f4")])
    swap = graft.Transform("struct P { float a, b; }; __device__ P f(P p) { return {p.b, p.a}; }", device="host")
    assert swap(np.array([(1, 2)], capital)).tolist() == [(2, 1)]
    swapped = np.array([(1, 2)], [("a", "<f4"), ("b", ">f4")])
    refused("TypeMismatch", swap, swapped)
    refused("TypeMismatch", swap, np.array([(1, (2,))], [("a", "<f4"), ("b", [("c", ">f4")])]))
    refused("TypeMismatch", swap, np.array([(None,)], [("a", object)]))
    for code, descr in (("TypeMismatch", swapped.dtype.descr), ("TypeMismatch", [("a", [("b", "|O8")])])):
        refused(code, graft._core.Arrays, [OnDevice(typestr="|V8", descr=descr)], False)
    assert graft._core.Arrays([OnDevice(typestr="|V8", descr=capital.descr)], False).types == ["class"]


def test_what_an_array_raises(refused):
    class Raises:
        reads = 0

        def __init__(self, error):
            self.error = error

        @property
        def __cuda_array_interface__(self):
            Raises.reads += 1
            raise AttributeError

        def __dlpack_device__(self):
            return 1, 0

        def __dlpack__(self, **words):
            raise self.error

    for error in (KeyboardInterrupt(), SystemExit(3)):
        with pytest.raises(type(error)):
            graft._core.Arrays([Raises(error)], False)
    message = refused("InvalidArgument", graft._core.Arrays, [Raises(ValueError("the words"))], False).message
    assert message.endswith("the words") and "Traceback" not in message
    assert Raises.reads == 3  # once for each array


def test_wrong_types_shapes_and_numbers_of_arrays(refused):
    x = numbers(3)
    assert "float64" in str(refused("TypeMismatch", TWICE, x.astype(np.float64)))
    refused("TypeMismatch", TWICE, x, out=np.zeros(3))
    refused("CountMismatch", TWICE, x, x)
    refused("CountMismatch", SUM, x)
    refused("CountMismatch", SUM, numbers(3), numbers(4))
    refused("CountMismatch", TWICE, x, out=np.zeros(4, np.float32))
    refused("CountMismatch", TWICE, x, out=(np.zeros(3, np.float32), np.zeros(3, np.float32)))
    refused("CountMismatch", TWICE, numbers(3, 4), out=np.zeros(4, np.float32))


def test_outputs_that_must_not_be_written(refused):
    out = np.zeros(3, np.float32)
    out.flags.writeable = False
    assert "output 0 is read-only" in refused("InvalidArgument", TWICE, numbers(3), out=out).message
    assert "read-only" in refused("InvalidArgument", TWICE, numbers(3), out=bytes(12)).message
    assert np.count_nonzero(out) == 0


def test_arrays_that_overlap(refused):
    x = numbers(10)
    before = x.copy()
    refused("Overlap", TWICE, x[:8], out=x[1:9])
    refused("Overlap", TWICE, x[:4], out=x[3::-1])
    refused("Overlap", TWICE, x[:3], out=np.lib.stride_tricks.as_strided(x, (3,), (0,)))
    assert np.array_equal(x, before)


def test_misaligned(refused):
    bytes_ = np.zeros(13, np.uint8)
    refused("Misaligned", TWICE, bytes_[1:].view(np.float32))


class OnDevice:
    """Claims to be an array in GPU memory; nothing reads it."""

    def __init__(self, **changes):
        self.__cuda_array_interface__ = {
            "shape": (3,),
            "typestr": "<f4",
            "data": (4096, False),
            "version": 3,
            **changes,
        }


def test_arrays_of_two_kinds_of_memory(refused):
    for call in (
        lambda: SUM(numbers(3), OnDevice()),
        lambda: TWICE(numbers(3), out=OnDevice()),
        lambda: TWICE(numbers(3), out=(np.zeros(3, np.float32), OnDevice())),
    ):
        assert "GPU memory" in refused("InvalidArgument", call).message
    refused("InvalidArgument", TWICE, numbers(3), stream=7)


@pytest.mark.parametrize(
    "changes",
    [
        {"shape": (1,) * 65},
        {"shape": (-3,)},
        {"strides": (4, 4)},
        {"typestr": "|O8"},
        {"typestr": "<f16"},
        {"mask": OnDevice()},
    ],
    ids=lambda changes: next(iter(changes)),
)
def test_interfaces_that_make_no_sense(changes, refused):
    code = "TypeMismatch" if "typestr" in changes else "InvalidArgument"
    refused(code, graft._core.Arrays, [OnDevice(**changes)], False)


def test_extents_that_no_memory_holds():
    class Huge:
        def __init__(self, shape):
            self.__array_interface__ = {"shape": shape, "typestr": "<f4", "data": (4096, False), "version": 3}

    for shape in ((2**62, 2**62), (2**63 - 1,), (2**40, 2**40)):
        with pytest.raises(graft.GraftError):
            TWICE(Huge(shape), out=Huge(shape[::-1]))
        with pytest.raises(graft.GraftError):
            TWICE(Huge(shape), out=numbers(3))


def test_interfaces_that_are_no_interfaces():
    for changes in ({"shape": 3}, {"data": "x"}, {"typestr": 7}, {"typestr": ""}, {"shape": ("a",)}):
        with pytest.raises(graft.GraftError):
            graft._core.Arrays([OnDevice(**changes)], False)


def test_arrays_of_pytorch():
    torch = pytest.importorskip("torch")
    x = torch.arange(12, dtype=torch.float32).reshape(3, 4)
    y = TWICE(x.t())
    assert isinstance(y, torch.Tensor)
    assert torch.equal(y, 2 * x.t())
    assert torch.equal(graft.evaluate("x * 2", x=x.to(torch.bfloat16)), (2 * x).to(torch.bfloat16))


def test_arrays_of_jax(refused):
    jax = pytest.importorskip("jax")
    x = jax.numpy.arange(12, dtype=jax.numpy.float32).reshape(3, 4)
    y = TWICE(x)
    assert isinstance(y, jax.Array)
    assert np.array_equal(y, 2 * x)
    refused("InvalidArgument", TWICE, x, out=x)


class Raising(type):
    @property
    def __module__(cls):
        raise RuntimeError("no module")


@pytest.mark.parametrize(
    "module",
    [None, 3, property(lambda self: "numpy"), "", "\ud800", b"numpy"],
    ids=lambda module: type(module).__name__,
)
def test_classes_without_a_module(module):
    """They belong to the library of the class from which they are derived."""
    own = type("Own", (np.ndarray,), {"__module__": module})
    x = np.arange(6, dtype=np.float32).reshape(2, 3)
    for call, expected in (
        (graft.transform("x + 1"), x + 1),
        (graft.transform("x + 1", "f32 x", device="host"), x + 1),
        (graft.reduction("a + b"), x.sum()),
    ):
        assert np.array_equal(call(x.view(own)), expected)
    out = np.zeros((2, 3), np.float32).view(own)
    assert graft.evaluate("x + 1", x=x, out=out) is out and np.array_equal(np.asarray(out), x + 1)


def test_a_class_whose_module_raises():
    class Array(metaclass=Raising):
        kept = np.ones(3, np.float32)
        __array_interface__ = kept.__array_interface__

    assert graft.evaluate("x + 1", x=Array()).tolist() == [2, 2, 2]


def test_misaligned_arrays(refused):
    shifted = np.zeros(33, np.uint8)[1:].view(np.float32)
    fft = graft.Fft(4, device="host")
    for call, x in (
        (graft.transform("x + 1"), shifted),
        (graft.reduction("a + b"), shifted),
        (fft, shifted.view(np.complex64)),
    ):
        error = refused("Misaligned", call, x)
        assert error.remedy == "Pass a copy: x.copy() is aligned." and error.remedy in str(error), error
        call(x.copy())
