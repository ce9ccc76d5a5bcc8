"""Streams, devices and arrays that a call makes, with stand-ins for the libraries of arrays on a GPU.

A stand-in records what is asked of it, and a kernel that launches nothing takes the place of graft's, so that the order
of a call is tested without a GPU.
"""

import sys
import types
from contextlib import contextmanager

import numpy as np
import pytest

import graft_cuda as graft
from graft_cuda._jobs import Job, Out


class Fake:
    """The part of CuPy that the package uses, and a log of it."""

    def __init__(self, has_from_external):
        self.log = []
        self.now = 0  # the current device
        self.current = {0: 100, 1: 101}  # the current stream of each device
        self.module = module = types.ModuleType("cupy")
        fake = self

        class Device:
            def __init__(self, number):
                self.id = number

            def use(self):
                fake.now = self.id
                fake.log.append(("use", self.id))

            def __enter__(self):
                self.before, fake.now = fake.now, self.id

            def __exit__(self, *exception):
                fake.now = self.before

        class Array:
            def __init__(self, device=0):
                self.device = Device(device)
                self.__cuda_array_interface__ = {
                    "shape": (3,), "typestr": "<f4", "data": (4096, False), "version": 3}  # fmt: skip

        Array.__module__ = "cupy"

        @contextmanager
        def external(handle, device=-1):
            before, fake.current[device] = fake.current[device], handle
            yield
            fake.current[device] = before

        def made(kind):
            fake.log.append((kind, fake.now, fake.current[fake.now]))
            return Array(fake.now)

        def stream_of(device=None):
            return types.SimpleNamespace(ptr=fake.current[fake.now if device is None else device])

        module.cuda = types.SimpleNamespace(
            get_current_stream=stream_of,
            Stream=types.SimpleNamespace(),
            runtime=types.SimpleNamespace(getDevice=lambda: fake.now),
        )
        if has_from_external:
            module.cuda.Stream.from_external = lambda stream: external(stream.__cuda_stream__()[1], fake.now)
        else:
            module.cuda.ExternalStream = external
        module.empty = lambda shape, dtype: made("empty")
        module.asarray = lambda value, dtype: made("full")
        self.Array = Array


@pytest.fixture(params=[True, False], ids=["CuPy 14", "CuPy 13"])
def cupy(monkeypatch, request):
    fake = Fake(request.param)
    monkeypatch.setitem(sys.modules, "cupy", fake.module)
    return fake


class Kernel:
    signature = types.SimpleNamespace(
        inputs=["f32", "f32"], outputs=["f32"], output_sizes=[4], state=None, in_outs=[], is_selective=False
    )


class Recorded(Job):
    """A job whose launches are recorded."""

    def __init__(self, fake, unprepared=0):
        self.log, self.unprepared = fake.log, unprepared
        super().__init__(lambda engine, options: Kernel(), graft.Engine(cache="off"), "gpu", {})

    def __call__(self, *inputs, out=None, stream=None, further=None):
        return self._call(inputs, out, stream, None, further)

    def _check_inputs(self, kernel, inputs):
        """Calls of these tests have one array or two."""

    def _outputs(self, kernel, taken, call):
        return [Out((3,), "f32", 4)]

    def _launch(self, kernel, taken, results, stream, call):
        if self.unprepared:
            self.unprepared -= 1
            raise graft.GraftError("NotPrepared", "not prepared", "Prepare it.")
        self.log.append(("launch", stream))


def test_what_a_call_makes_is_made_on_its_stream(cupy):
    job = Recorded(cupy)
    job(cupy.Array(), 2.5, stream=7)
    assert cupy.log == [("full", 0, 7), ("empty", 0, 7), ("launch", 7)]
    assert cupy.current == {0: 100, 1: 101}
    cupy.log.clear()
    job(cupy.Array(), 2.5)
    assert cupy.log == [("full", 0, 100), ("empty", 0, 100), ("launch", 100)]


def test_the_current_stream_is_that_of_the_arrays_device(cupy):
    Recorded(cupy)(cupy.Array(1))
    assert cupy.log == [("empty", 1, 101), ("launch", 101)]
    assert cupy.now == 0


class Plain:
    """An array in GPU memory that has no library."""

    def __init__(self, **further):
        self.__cuda_array_interface__ = {
            "shape": (3,), "typestr": "<f4", "data": (4096, False), "version": 3, **further}  # fmt: skip


def test_a_library_that_makes_no_arrays_on_a_stream(cupy, refused):
    job = Recorded(cupy)
    assert "stream=" in refused("InvalidArgument", job, Plain(), stream=7).message
    refused("InvalidArgument", job, Plain(), 2.5, stream=7, out=Plain())
    job(Plain(), stream=7, out=Plain())
    assert cupy.log == [("launch", 7)]


def test_the_stream_is_that_of_the_first_array_that_has_one(cupy):
    job = Recorded(cupy)
    job(Plain(), out=cupy.Array())
    job(Plain(stream=9), out=cupy.Array())
    job(Plain(), out=Plain())
    assert cupy.log == [("launch", 100), ("launch", 9), ("launch", 0)]


def test_arrays_on_two_devices(cupy, refused):
    job = Recorded(cupy)
    here, there = cupy.Array(0), cupy.Array(1)
    message = refused("InvalidArgument", job, here, there).message
    assert "input 0 is on GPU 0" in message and "input 1 is on GPU 1" in message
    assert "output 0 is on GPU 1" in refused("InvalidArgument", job, Plain(), here, out=there).message
    assert "offsets" in refused("InvalidArgument", job, here, further={"offsets": there}).message
    assert cupy.log == []


def test_a_thread_without_a_context_gets_one_before_the_kernel_is_prepared(cupy):
    job = Recorded(cupy, unprepared=1)
    kernel = job._first
    kernel.prepare_current = lambda: cupy.log.append(("prepare", cupy.now))
    out = cupy.Array(1)
    job(cupy.Array(1), out=out)
    assert cupy.log == [("use", 1), ("prepare", 1), ("launch", 101)]


@pytest.mark.parametrize("is_conj, is_neg", [(True, False), (False, True)])
def test_a_lazy_conjugate_or_negative(is_conj, is_neg, refused, cupy):
    class Tensor:
        is_cuda = True
        device = types.SimpleNamespace(index=0)

        def is_conj(self):
            return is_conj

        def is_neg(self):
            return is_neg

    Tensor.__module__ = "torch"
    assert "lazy" in refused("InvalidArgument", Recorded(cupy), Tensor()).message
    assert "lazy" in refused("InvalidArgument", Recorded(cupy), cupy.Array(), out=Tensor()).message


def test_arrays_of_cupy_are_read_without_its_protocols(monkeypatch):
    class ndarray:
        def __init__(self, dtype, device=0, shape=(2, 3), strides=(24, 4)):
            self.dtype, self.shape, self.strides = np.dtype(dtype), shape, strides
            self.data = types.SimpleNamespace(ptr=4096, device_id=device)

    ndarray.__module__ = "cupy"
    module = types.ModuleType("cupy")
    module.ndarray = ndarray
    module.empty = module.empty_like = lambda *arguments: pytest.fail("nothing is made")
    module.cuda = types.SimpleNamespace(get_current_stream=lambda device: types.SimpleNamespace(ptr=100 + device))
    monkeypatch.setitem(sys.modules, "cupy", module)
    x = ndarray("f4", device=1)
    assert graft._core.directly_on_device(x) is True
    assert graft._core.stream_directly(x) == 101
    assert graft._core.types_directly((x, ndarray("c8", 1, strides=(24, 8)))) == (["f32", "c64"], True)
    assert graft._core.types_directly((x, np.zeros(3))) is None  # in two kinds of memory
    taken = graft._core.Arrays([x], False)
    assert taken.on_device and taken.broadcast_shape() == (2, 3)
    for other in (ndarray(">f4"), ndarray("f4", strides=(24, 6)), ndarray("f4", shape=(3,)), ndarray("V4")):
        assert graft._core.types_directly((other,)) is None
    subclass = type("Own", (ndarray,), {"__module__": "cupy"})
    assert graft._core.directly_on_device(subclass("f4")) is None


def test_jax_without_64_bits(refused, monkeypatch):
    jax = types.ModuleType("jax")
    jax.numpy = types.SimpleNamespace(asarray=lambda array: array.astype(np.float32))
    monkeypatch.setitem(sys.modules, "jax", jax)
    kind = graft._libraries.Jax()
    assert kind.finish(np.zeros(3, np.float32)).dtype == np.float32
    assert "float64" in refused("TypeMismatch", kind.finish, np.zeros(3)).message
