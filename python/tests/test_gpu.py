"""Calls on a GPU, with arrays of CuPy, PyTorch and JAX. Skipped where there is no GPU, or a library is missing.

With GRAFT_TEST_EXACT=1, CuPy's arrays come from no pool, so that compute-sanitizer sees each access past the end of one
(PyTorch's variable for it is PYTORCH_NO_CUDA_MEMORY_CACHING). scripts/gpu.sh sets both.
"""

import math
import os
import threading
import time

import numpy as np
import pytest
from test_many_calls import lost_by_many_calls
from test_numpy_cases import FILES, SHAPES, distances, formula_of, name_of, values_of

import graft_cuda as graft


@pytest.fixture(scope="module", autouse=True)
def gpu():
    try:
        graft.Transform("[](float x) { return x; }", device="gpu")
    except graft.GraftError as error:
        if error.code not in ("NoDevice", "ToolMissing"):
            raise
        pytest.skip(error.message)


class CuPy:
    def __init__(self):
        self.module = pytest.importorskip("cupy")
        if "GRAFT_TEST_EXACT" in os.environ:
            self.module.cuda.set_allocator(None)

    def there(self, array):
        return self.module.asarray(array)

    def back(self, array):
        return self.module.asnumpy(array)

    def stream(self):
        self.module.cuda.Device().synchronize()
        return self.module.cuda.Stream(non_blocking=True)

    def current(self, stream):
        return stream

    def is_busy(self, stream):
        return not stream.done


class Torch:
    def __init__(self):
        self.module = pytest.importorskip("torch")

    def there(self, array):
        return self.module.from_numpy(np.array(array, order="C")).cuda()

    def back(self, array):
        return array.cpu().numpy()

    def stream(self):
        self.module.cuda.synchronize()
        return self.module.cuda.Stream()

    def current(self, stream):
        return self.module.cuda.stream(stream)

    def is_busy(self, stream):
        return not stream.query()


@pytest.fixture(params=[CuPy, Torch], ids=lambda kind: kind.__name__)
def library(request):
    return request.param()


def numbers(*shape, dtype=np.float32):
    return np.random.default_rng(3).standard_normal(shape).astype(dtype)


def test_formulas_and_views(library):
    there, back = library.there, library.back
    x, row = numbers(300, 500), numbers(500)
    on_gpu = there(x)
    y = graft.evaluate("a * max(x, 0) + r", x=on_gpu, r=there(row), a=2)
    assert type(y) is type(on_gpu)
    assert np.array_equal(back(y), 2 * np.maximum(x, 0) + row)
    every_seventh = on_gpu[::3, ::7]  # PyTorch has no negative strides
    z = graft.evaluate("x + y", x=every_seventh, y=1)
    assert np.array_equal(back(z), x[::3, ::7] + 1)
    turned = graft.evaluate("x + y", x=on_gpu.T, y=there(row)[:, None])
    assert np.array_equal(back(turned), x.T + row[:, None])


def test_numbers_take_the_type_of_what_they_meet(library):
    there, back = library.there, library.back
    x, u, i = numbers(1000), np.arange(200, dtype=np.uint8), np.arange(-500, 500, dtype=np.int32)
    engine = graft.default_engine()
    scaled = graft.transform("x * (a - b)")
    assert np.array_equal(back(scaled(x=there(x), a=10**8 + 1, b=10**8)), x)
    builds = engine.counters["builds"]
    assert np.array_equal(back(scaled(x=there(x), a=2.5, b=0.5)), 2 * x)
    assert engine.counters["builds"] == builds
    p, q = graft.evaluate("p = i / (N * N); q = i // (N - 1)", i=there(i), N=100_000)
    assert np.array_equal(back(p), i / 100_000**2) and np.array_equal(back(q), i // 99_999)
    shifted = graft.evaluate("(u + a) * complex(c, b)", u=there(u), a=50, b=1, c=0)
    assert np.array_equal(back(shifted), (u + 50).astype(np.complex64) * np.complex64(1j))


@pytest.mark.parametrize("dtype", ["bool", "i1", "u1", "i2", "i4", "i8", "f2", "f4", "f8", "c8", "c16"])
def test_element_types(library, dtype):
    there, back = library.there, library.back
    x = np.arange(70).astype(dtype)
    y = graft.evaluate("x", x=there(x))
    assert back(y).dtype == x.dtype and np.array_equal(back(y), x)


# CUDA's functions are up to 4 numbers away, and some of NumPy's cases allow less.
@pytest.mark.parametrize("file", FILES, ids=name_of)
def test_functions_at_numpys_cases(library, file):
    for x, expected, most in values_of(file):
        y = library.back(graft.evaluate(formula_of(file), x=library.there(x)))
        far = distances(y, expected) > np.maximum(most, 4)
        assert not far.any(), [*zip(x[far], y[far], expected[far], strict=True)][:5]


def test_shapes_of_numpys_cases(library):
    for a, b, both in SHAPES:
        x, y = numbers(*a), numbers(*b)
        if both is None:
            with pytest.raises(graft.GraftError):
                graft.evaluate("x - y", x=library.there(x), y=library.there(y))
        else:
            z = graft.evaluate("x - y", x=library.there(x), y=library.there(y))
            assert np.array_equal(library.back(z), np.subtract(x, y))


def test_streams_and_outputs(library):
    there, back = library.there, library.back
    x = numbers(1 << 20)
    on_gpu, out = there(x), there(np.zeros_like(x))
    twice = graft.Transform("[](float x) { return 2 * x; }")
    one = library.stream()
    assert twice(on_gpu, out=out, stream=one) is out
    one.synchronize()
    assert np.array_equal(back(out), 2 * x)
    with library.current(one):
        three = twice(twice(on_gpu))
    one.synchronize()
    assert np.array_equal(back(three), 4 * x)


def test_what_a_call_makes_is_ordered_by_its_stream(library):
    there, back = library.there, library.back
    x = numbers(1 << 22)
    on_gpu = there(x)
    add = graft.Transform("[](float x, float y) { return x + y; }")
    one = library.stream()
    add(on_gpu, 1.0, stream=one)
    for n in range(50):  # the number is copied, and the result allocated, while the library's own stream is busy
        graft.evaluate("sqrt(abs(x)) + exp(x)", x=on_gpu)
        result = add(on_gpu, float(n), stream=one)
        one.synchronize()
        assert np.array_equal(back(result), x + np.float32(n))


def test_a_thread_without_a_context(library):
    there, back = library.there, library.back
    x = numbers(1000)
    on_gpu, out = there(x), there(np.zeros_like(x))
    library.stream()  # synchronizes
    twice = graft.Transform("[](float x) { return 2 * x; }")
    problems = []

    def work():
        try:
            twice(on_gpu, out=out)
        except Exception as error:
            problems.append(error)

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert not problems
    assert np.array_equal(back(out), 2 * x)


def test_arrays_of_two_libraries():
    cupy, torch = CuPy(), Torch()
    x, y = numbers(1000), numbers(1000)[::-1].copy()
    add = graft.Transform("[](float x, float y) { return x - y; }")
    first, second = cupy.there(x), torch.there(y)
    made = add(first, second)
    assert type(made) is type(first) and np.array_equal(cupy.back(made), x - y)
    out = torch.there(np.zeros_like(x))
    assert add(second, first, out=out) is out
    assert np.array_equal(torch.back(out), y - x)


def test_lazy_conjugates_of_pytorch(refused):
    torch = pytest.importorskip("torch")
    z = torch.from_numpy((numbers(100) + 1j * numbers(100)[::-1]).astype(np.complex64)).cuda()
    assert np.array_equal(graft.evaluate("x", x=z.conj().resolve_conj()).cpu().numpy(), np.conj(z.cpu().numpy()))
    refused("InvalidArgument", graft.evaluate, "x", x=z.conj())
    refused("InvalidArgument", graft.evaluate, "x", x=z.conj().imag)
    refused("InvalidArgument", graft.evaluate, "x", x=z, out=torch.empty_like(z).conj())


def test_results_that_are_dropped_at_once(library):
    there, back = library.there, library.back
    x = numbers(1 << 18)
    on_gpu = there(x)
    twice = graft.Transform("[](float x) { return 2 * x; }")
    for _ in range(300):  # the library gives the memory of each result to the next
        last = twice(twice(on_gpu))
    assert np.array_equal(back(last), 4 * x)


# Keeps a stream busy for some tenths of a second.
WAIT = (
    "__global__ void wait(long long cycles) { const long long begin = clock64(); while (clock64() - begin < cycles); }"
)


def test_arrays_that_are_freed_before_the_launch_has_run(library):
    there, back = library.there, library.back
    x = numbers(1 << 16)
    twice = graft.Transform("[](float x) { return 2 * x; }")
    wait = graft.Kernel(WAIT)
    own = graft.Kernel(
        "__global__ void k(const float* x, float* y) { const int i = blockIdx.x * 256 + threadIdx.x; y[i] = 3 * x[i]; }"
    )
    one = library.stream()
    with library.current(one):
        inputs = [there(x + np.float32(n)) for n in range(20)]
        outputs = [there(np.zeros_like(x)) for _ in range(10)]
        graft.evaluate("0 * x + 7", x=twice(inputs[0]))
        own(256, 256, (inputs[0], outputs[0]))
        one.synchronize()
        wait(1, 1, (500_000_000,), stream=one)
        results = []
        for n in range(10):
            results.append(twice(inputs.pop(0)))
            own(256, 256, (inputs.pop(0), outputs[n]))
        others = [graft.evaluate("0 * x + 7", x=results[0]) for _ in range(20)]  # which get the memory of the inputs
        is_pooled = "GRAFT_TEST_EXACT" not in os.environ  # else freeing an array waits for the GPU
        assert not is_pooled or library.is_busy(one), "the launches had run before the arrays were freed"
        one.synchronize()
        for n in range(10):
            assert np.array_equal(back(results[n]), 2 * (x + np.float32(2 * n)))
            assert np.array_equal(back(outputs[n]), 3 * (x + np.float32(2 * n + 1)))
        assert all(np.array_equal(back(other), np.full_like(x, 7)) for other in others)


def test_a_tensor_that_is_recorded_on_the_stream_of_the_call():
    torch = Torch()
    x = numbers(1 << 16)
    twice = graft.Transform("[](float x) { return 2 * x; }")
    one = torch.stream()
    on_gpu, out = torch.there(x), torch.there(np.zeros_like(x))
    wait = graft.Kernel(WAIT)
    twice(on_gpu, out=out)
    out.zero_()
    torch.module.cuda.synchronize()
    wait(1, 1, (500_000_000,), stream=one)
    twice(on_gpu, out=out, stream=one)
    on_gpu.record_stream(one)
    del on_gpu
    others = [torch.module.full((1 << 16,), 7.0, device="cuda") for _ in range(20)]
    torch.module.cuda.current_stream().synchronize()
    assert torch.is_busy(one) or "GRAFT_TEST_EXACT" in os.environ
    one.synchronize()
    assert np.array_equal(torch.back(out), 2 * x) and len(others) == 20


@pytest.mark.skipif("GRAFT_TEST_EXACT" in os.environ, reason="measures, and arrays are not pooled")
def test_many_calls_from_many_threads(library):
    assert lost_by_many_calls(type(library).__name__.lower()) == {}


def test_reductions(library):
    there, back = library.there, library.back
    x = numbers(64, 1000, dtype=np.float64)
    norm = graft.reduction("a + b", map="x * x", finish="sqrt(a)")
    on_host = norm(x, axis=1)
    assert np.allclose(back(norm(there(x), axis=1)), on_host, rtol=1e-14)
    assert np.allclose(back(norm(there(x), axis=0)), np.linalg.norm(x, axis=0), rtol=1e-14)
    total = graft.reduction("a + b", initial=0).reduce_for([("x", "f64")], [])
    offsets = np.array([0, 10, 10, 64000], np.int32)
    sums = there(np.zeros(64))
    plain = graft.reduction("a + b", initial=0)
    assert plain(there(x), axis=1, out=sums) is sums
    assert np.allclose(back(sums), x.sum(axis=1), rtol=1e-12)
    parts = back(total.segments(there(x.ravel()), offsets=there(offsets)))
    assert np.allclose(parts, [x.ravel()[:10].sum(), 0, x.ravel()[10:].sum()])


def test_ffts(library):
    there, back = library.there, library.back
    x = numbers(20, 1000)
    fft = graft.Fft(1000, kind="real", scaling="by length")
    y = fft(there(x))
    expected = np.fft.rfft(x)
    assert np.linalg.norm(back(y) - expected) <= 1e-6 * np.linalg.norm(expected)
    assert np.linalg.norm(back(fft(y, inverse=True)) - x) <= 1e-6 * np.linalg.norm(x)


def test_ffts_with_functions_of_python(library):
    pytest.importorskip("numba.cuda", exc_type=ImportError)
    there, back = library.there, library.back
    x = np.random.default_rng(5).integers(-30000, 30000, (300, 1024)).astype(np.int16)
    gains = numbers(300, 1024)
    power = graft.Fft(
        1024,
        load=graft.numba_callback(lambda x: complex(x / 32768.0, 0.0), "c64(i16)"),
        store=graft.numba_callback(lambda z, g: g * (z.real * z.real + z.imag * z.imag), "f32(c64, f32)"),
        directions="forward",
    )
    assert all(report.inlined for report in power.reports)
    expected = gains * np.abs(np.fft.fft(x / 32768)) ** 2
    result = back(power(there(x), there(gains)))
    assert result.dtype == np.float32 and np.linalg.norm(result - expected) <= 1e-5 * np.linalg.norm(expected)


def test_an_epilog_beside_nvmath_python():
    cupy, nvmath = pytest.importorskip("cupy"), pytest.importorskip("nvmath")
    pytest.importorskip("numba.cuda", exc_type=ImportError)
    x = cupy.asarray((numbers(256, 1024) + 1j * numbers(256, 1024)[::-1]).astype(np.complex64))
    h = cupy.sin(x)

    def epilog(data_out, offset, data, h, unused):
        data_out[offset] = data * h[offset]

    try:
        ltoir = nvmath.fft.compile_epilog(epilog, "complex64", "complex64")
        theirs = nvmath.fft.fft(x, axes=[-1], epilog={"ltoir": ltoir, "data": h.data.ptr})
    except Exception as error:  # its releases want certain releases of Numba and cuFFT
        pytest.skip(f"nvmath-python: {error}")
    ours = graft.Fft(1024, store=graft.numba_callback(lambda z, h: z * h, "c64(c64, c64)"), directions="forward")
    assert float(cupy.linalg.norm(ours(x, h) - theirs)) <= 1e-6 * float(cupy.linalg.norm(theirs))


def test_functions_of_python(library):
    pytest.importorskip("numba.cuda", exc_type=ImportError)
    there, back = library.there, library.back
    x = numbers(1000)

    def run(function, signature, *arrays, state=None, values=None):
        transform = graft.Transform(graft.numba_callback(function, signature, state=state))
        assert transform.report.inlined
        return back(transform(*map(there, arrays), state=values))

    damped = run(lambda x, s: s.gain * math.exp(-x * x) if s.on else 0.0, "f32(f32, state)", x,
                 state=np.dtype([("on", "?"), ("gain", "f4")]), values={"on": True, "gain": 3})  # fmt: skip
    assert np.allclose(damped, 3 * np.exp(-(x.astype(np.float64) ** 2)), rtol=1e-6)
    assert np.array_equal(run(lambda x, s: s * x, "f32(f32, state)", x, state="f32", values=2), 2 * x)
    assert np.array_equal(run(lambda x, i: x + i, "f64(f32, index)", x), x + np.arange(1000.0))
    small = np.arange(-100, 100, dtype=np.int8)
    assert np.array_equal(run(lambda x, y: x > y, "bool(i8, i8)", small, small[::-1]), small > small[::-1])
    assert np.array_equal(run(lambda x: 3 * x, "i16(i8)", small), 3 * small.astype(np.int16))
    z = (x + 1j * x[::-1]).astype(np.complex64)
    assert np.allclose(run(lambda z, w: z * w.conjugate(), "c64(c64, c64)", z, z[::-1]), z * z[::-1].conj(), rtol=1e-5)


def test_arrays_of_jax(refused):
    jax = pytest.importorskip("jax")
    torch = pytest.importorskip("torch")
    if jax.default_backend() != "gpu":
        pytest.skip("JAX does not use the GPU")
    x = jax.numpy.arange(1000, dtype=jax.numpy.float32)
    twice = graft.Transform("[](float x) { return 2 * x; }")
    out = torch.empty(1000, device="cuda")
    twice(x, out=out, stream=torch.cuda.current_stream())
    assert np.array_equal(out.cpu().numpy(), 2 * np.asarray(x))
    refused("InvalidArgument", twice, x)


def test_mistakes_on_the_gpu(library, refused):
    there = library.there
    x = there(numbers(100))
    twice = graft.Transform("[](float x) { return 2 * x; }")
    refused("InvalidArgument", twice, x, out=np.zeros(100, np.float32))
    refused("Overlap", twice, x[:50], out=x[1:51])
    refused("InvalidArgument", twice, x, stream="default")
    refused("TypeMismatch", twice, there(numbers(10, dtype=np.float64)))


def test_ordinary_calls_are_read_directly(library):
    there, back = library.there, library.back
    x, y = np.arange(24, dtype=np.float32).reshape(6, 4), np.arange(4, dtype=np.float32)
    if graft._core.directly_on_device(there(x)) is None:
        pytest.skip("this library has no functions that show its arrays to C")
    line = graft.Transform(
        "struct P { float a; }; __device__ float f(float x, float y, const P& p) { return p.a * x + y; }"
    )
    for shapes in ((there(x), there(y)), (there(y), there(x)), (there(x.T), there(x[:, 0])), (there(x)[::2], there(y))):
        line(*shapes, a=1)  # the first call with such shapes makes their kernel
    turned = there(np.zeros((6, 4), dtype=np.float32)).T
    line(there(x.T), there(x[:, 0]), out=turned, a=1)
    direct, state = line._kernels[True].call_directly, np.float32(3).tobytes()
    assert np.array_equal(back(direct((there(x), there(y)), None, None, state, True)), 3 * x + y)
    out = there(np.zeros_like(x))
    assert direct((there(x), there(y)), out, None, state, False) is out
    assert np.array_equal(back(out), 3 * x + y)
    assert direct((there(x), there(y)), (out,), None, state, False) == (out,)
    assert np.array_equal(back(direct((there(y), there(x)), None, None, state, True)), 3 * y + x)
    assert np.array_equal(back(line(there(x.T), there(y)[:1], a=3)), 3 * x.T + y[:1])
    assert direct((there(x.T), there(x[:, 0])), turned, None, state, False) is turned
    assert np.array_equal(back(turned), 3 * x.T + x[:, 0])
    # Everything else is left to the protocols, with nothing launched.
    before = back(out)
    for inputs, to in [
        ((there(x), 2.0), out),
        ((there(x), y), out),
        ((there(x), there(y)), None),
        ((there(x.astype(np.float64)), there(y)), out),
        ((there(x), there(y)), np.zeros_like(x)),
        ((there(x), there(x.T)), out),
        ((there(x),), out),
        ((there(x), there(y)), out[:5]),
        ((), out),
    ]:
        assert direct(inputs, to, None, state, False) is None
    assert np.array_equal(back(out), before)
    for inputs in ((there(np.ascontiguousarray(x.T)).T.T, there(x[:, 0])), (there(x)[::2], there(y))):
        assert direct(inputs, None, None, state, True) is not None


def test_ordinary_reductions_are_read_directly(library, monkeypatch):
    there, back = library.there, library.back
    x = numbers(6, 5, 4)
    if graft._core.directly_on_device(there(x)) is None:
        pytest.skip("this library has no functions that show its arrays to C")
    total = graft.Reduce("[](double a, double b) { return a + b; }", map="[](float x) { return double(x); }")
    calls = [(axis, keepdims) for axis in (None, 0, -1, (0, 2), (0, 1, 2)) for keepdims in (False, True)]
    for axis, keepdims in calls:
        total(there(x), axis=axis, keepdims=keepdims)  # the first call makes the kernel
    stream = library.stream()

    def call(*arguments):
        pytest.fail("the call was left to Python code")

    monkeypatch.setattr(graft._jobs.Job, "_call", call)
    for axis, keepdims in calls:
        expected = x.astype(np.float64).sum(axis=axis, keepdims=keepdims)
        result = back(total(there(x), axis=axis, keepdims=keepdims))
        assert result.shape == expected.shape and np.allclose(result, expected, rtol=1e-5)
        out = there(np.zeros_like(expected))
        assert total(there(x), axis=axis, keepdims=keepdims, out=out) is out
        assert np.allclose(back(out), expected, rtol=1e-5)
        assert total(there(x), axis=axis, out=out, stream=stream) is out
    library.stream()  # which waits for all


def test_ordinary_calls_take_no_python_code(library, monkeypatch):
    there, back = library.there, library.back
    x, y = numbers(6, 4), numbers(4)
    if graft._core.directly_on_device(there(x)) is None:
        pytest.skip("this library has no functions that show its arrays to C")
    twice = graft.Transform("[](float x) { return 2 * x; }")
    place = graft.Transform("__device__ float f(float x, graft::Position<2> p) { return 100 * p[0] + p[1]; }")
    scaled = graft.Transform("struct P { float a; }; __device__ float f(float x, const P& p) { return p.a * x; }")
    line = graft.transform("a * x + y")
    norm = graft.reduction("a + b", map="k * x * x", initial=0)
    fft = graft.Fft(4, scaling="by length")
    pick = graft.Transform(PICK)
    either = graft.Transform("template <class T> __device__ T either(T x) { return x + x; }")
    either(there(x)), either(there(x.astype(np.float64)))
    indices = np.arange(3, -1, -1, dtype=np.int32)
    line(x=there(x), y=there(y), a=2), norm(there(x), k=2), norm(there(x), k=2, axis=1)  # later calls are like these

    def call(self, *arguments, **words):
        pytest.fail("the call was left to Python code")

    for kind in (graft.Transform, graft.GenericTransform, graft.Reduce, graft.Fft, type(line), type(norm)):
        monkeypatch.setattr(kind, "_call_any", call)
    assert np.array_equal(back(pick(there(indices), x=there(y), n=4)), y[::-1])
    assert np.array_equal(back(pick(there(indices), state={"x": there(y), "n": 2})), np.where(indices < 2, y[::-1], 0))
    for kind in (np.float32, np.float64):
        assert np.array_equal(back(either(there(x.astype(kind)))), 2 * x.astype(kind))
    out = there(np.zeros_like(x))
    assert twice(there(x), out=out) is out and np.array_equal(back(out), 2 * x)
    assert np.array_equal(back(twice(there(x))), 2 * x)
    assert np.array_equal(back(twice(there(x)[::2, 1:])), 2 * x[::2, 1:])
    assert np.array_equal(back(scaled(there(x), a=4)), 4 * x)
    assert np.array_equal(back(place(there(x))), 100 * np.arange(6)[:, None] + np.arange(4))
    assert np.allclose(back(line(x=there(x), y=there(y), a=-3)), -3 * x + y, atol=1e-5)
    assert np.allclose(back(norm(there(x), k=3)), 3 * (x * x).sum(), rtol=1e-5)
    assert np.allclose(back(norm(there(x), k=3, axis=1)), 3 * (x * x).sum(1), rtol=1e-5)
    z = x.astype(np.complex64)
    assert np.allclose(back(fft(there(z))), np.fft.fft(z), atol=1e-5)
    assert np.allclose(back(fft(fft(there(z)), inverse=True)), z, atol=1e-5)


def test_ordinary_launches_take_no_python_code(library, monkeypatch):
    there, back = library.there, library.back
    x = numbers(64)
    if graft._core.directly_on_device(there(x)) is None:
        pytest.skip("this library has no functions that show its arrays to C")
    parameters = "const float* x, float* y, int n, double scale, unsigned char add, bool minus"
    text = f"void scaled({parameters}) {{ const int i = blockIdx.x * blockDim.x + threadIdx.x; " + (
        "if (i < n) y[i] = (minus ? -1 : 1) * scale * x[i] + add; }"
    )
    with_types, without = graft.Kernel(f"__global__ {text}"), graft.Kernel(f'extern "C" __global__ {text}')
    shared = graft.Kernel(
        "__global__ void reversed(const float* x, float* y) { extern __shared__ float block[]; "
        "block[threadIdx.x] = x[threadIdx.x]; __syncthreads(); y[threadIdx.x] = block[blockDim.x - 1 - threadIdx.x]; }"
    )
    left = []
    call_any = graft.Kernel._call_any
    monkeypatch.setattr(
        graft.Kernel, "_call_any", lambda self, *given, **words: left.append(1) or call_any(self, *given, **words)
    )
    given = there(x)
    for kernel in (with_types, without):
        for grid, block in ((4, 16), ((4,), [16, 1]), ([2, 1, 1], (32,))):
            for arguments in ((2, 0.5, 7, False), (40, -3.0, 0, True)):
                y = there(np.zeros(64, np.float32))
                assert kernel(grid, block, (given, y, *arguments)) is None and not left
                n, scale, add, minus = arguments
                expected = np.where(np.arange(64) < n, (-1 if minus else 1) * np.float64(scale) * x + add, 0)
                assert np.allclose(back(y), expected)
    y = there(np.zeros(64, np.float32))
    shared(1, 64, [given, y], shared_bytes=256)
    assert not left and np.array_equal(back(y), x[::-1])
    with_types(4, 16, (given, y, 64, 2, 0, False))  # an int for a double
    assert not left and np.array_equal(back(y), 2 * x)
    # Everything else is left to Python code, with nothing launched.
    before = back(y)
    good = (given, y, 64, 0.5, 7, False)
    for arguments in (
        (given, y, 64.0, 0.5, 7, False),
        (given, y, 1 << 31, 0.5, 7, False),
        (given, y, 64, 0.5, 256, False),
        (given, y, 64, 0.5, -1, False),
        (given, y, 64, "1", 7, False),
        (given, y, 64, 0.5, 7),
        (x, y, 64, 0.5, 7, False),
        (there(x.astype(np.float64)), y, 64, 0.5, 7, False),
        (there(np.zeros(128, np.float32))[::2], y, 64, 0.5, 7, False),
    ):
        left.clear()
        with pytest.raises(graft.GraftError):
            with_types(4, 16, arguments)
        assert left
    for grid, block in ((0, 16), (-1, 16), (4, 1.5), ((), 16), ((1, 1, 1, 1), 16), (True, 16)):
        left.clear()
        try:
            with_types(grid, block, good)
        except graft.GraftError:
            library.stream()
            assert np.array_equal(back(y), before)
        assert left
    one = library.stream()
    left.clear()
    with_types(4, 16, (given, y, np.int32(64), np.float64(3), np.uint8(1), np.bool_(False)), stream=one)
    library.stream()
    assert left and np.allclose(back(y), 3 * x + 1)


def test_imaginary_parts_of_lazy_conjugates():
    torch = pytest.importorskip("torch")
    z = torch.randn(3, 4, dtype=torch.complex64, device="cuda")
    parts = z.conj().imag
    assert parts.is_neg()
    same = graft.Transform("[](float x) { return x; }")
    views = [parts, parts.T, parts[0], parts[:1], parts[:, :1], parts[0, 0], parts[0, 0].unsqueeze(0), parts[1:2, 1:2]]
    views += [parts[0, 0].expand(5), parts.reshape(2, 6), parts[:0], parts.detach()]
    for view in views:
        assert view.is_neg() and not graft._core.types_directly((view,)), view.shape
        try:
            got = same(view)
        except graft.GraftError as error:
            assert "resolve_neg" in str(error)  # what to do
        else:
            assert torch.equal(got, view.resolve_neg())
    assert torch.equal(same(parts.resolve_neg()), parts.resolve_neg())


def test_types_are_read_directly(library):
    there = library.there
    arrays = tuple(there(np.zeros(3, kind)) for kind in ("f4", "f8", "i2", "u1", "c8", "?", "f2"))
    if graft._core.directly_on_device(arrays[0]) is None:
        pytest.skip("this library has no functions that show its arrays to C")
    names, on_device = graft._core.types_directly(arrays)
    assert on_device and names == ["f32", "f64", "i16", "u8", "c64", "bool", "f16"]
    assert names == graft._core.Arrays(list(arrays), False).types
    assert graft._core.types_directly((arrays[0], np.zeros(3))) is None
    assert graft._core.types_directly((arrays[0], 2.0)) is None


def test_tensors_that_need_gradients(refused):
    torch = pytest.importorskip("torch")
    x = torch.ones(4, device="cuda", requires_grad=True)
    twice = graft.Transform("[](float x) { return 2 * x; }")
    refused("InvalidArgument", twice, x)
    assert twice(x.detach()).tolist() == [2, 2, 2, 2]


@pytest.mark.skipif("GRAFT_TEST_EXACT" in os.environ, reason="measures, and arrays are not pooled")
def test_host_time_of_a_call(library, record_property, capsys):
    there = library.there
    x = there(numbers(256))
    out = there(numbers(256))
    twice = graft.Transform("[](float x) { return 2 * x; }")
    total = graft.Reduce("[](float a, float b) { return a + b; }")
    norm = graft.reduction("a + b", map="x * x")
    own = graft.Kernel("__global__ void k(const float* x, float* y) { y[threadIdx.x] = 2 * x[threadIdx.x]; }")
    calls = {
        "out": lambda: twice(x, out=out),
        "allocated": lambda: twice(x),
        "formula": lambda: graft.evaluate("a * x", x=x, a=2.5, out=out),
        "reduce": lambda: total(x),
        "reduction": lambda: norm(x),
        "kernel": lambda: own(1, 256, (x, out)),
    }
    times = {}
    for name, call in calls.items():
        rounds = []
        for _ in range(20):
            start = time.perf_counter()
            for _ in range(500):
                call()
            rounds.append((time.perf_counter() - start) / 500 * 1e6)
        times[name] = min(rounds)
        record_property(name, times[name])
    with capsys.disabled():
        print(
            f"\nhost time of a call: {times['out']:.2f} us with out=, {times['allocated']:.2f} us with a new array, "
            f"{times['formula']:.2f} us of evaluate, {times['reduce']:.2f} us of a Reduce, "
            f"{times['reduction']:.2f} us of a reduction of formulas, {times['kernel']:.2f} us of a kernel of one's own"
        )
    assert times["out"] <= 100  # a call that compiles would take milliseconds


# ---- Kernels of the user's own ----

LINE = """
struct Line { float a, b; };
namespace lib {
__device__ float f(float x, const Line& s);
__device__ int touched = 5;
__global__ void apply(const float* x, float* y, int n, double scale, const __grid_constant__ Line s) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = scale * f(x[i], s);
}
__global__ void reversed(const float* x, float* y) {
  extern __shared__ float block[];
  block[threadIdx.x] = x[threadIdx.x];
  __syncthreads();
  y[threadIdx.x] = block[blockDim.x - 1 - threadIdx.x] + touched;
}
}
extern "C" __global__ void plain(float* x, int n, float a, double b) {
  if (threadIdx.x < n) x[threadIdx.x] += a + b;
}
"""


def line_fills():
    yield "struct Own { float b, a; }; __device__ float line(float x, const Own& s) { return s.a * x + s.b; }"
    yield graft.formula("a * x + b", "f32 x; f32 a, b")
    yield graft.Callback.pack(
        graft.KernelCode(LINE).precompile_for("lib::f", graft.formula("a * x + b", "f32 x; f32 a, b"), ["sm_75"])
    )
    pytest.importorskip("numba.cuda", exc_type=ImportError)
    state = np.dtype([("a", "f4"), ("b", "f4")])
    yield graft.numba_callback(lambda x, s: s.a * x + s.b, "f32(f32, state)", state=state)


def test_kernels_of_your_own(library):
    there, back = library.there, library.back
    x = numbers(1000)
    expected = (2.5 * (np.float32(3) * x.astype(np.float64) + 4)).astype(np.float32)
    for callback in line_fills():
        kernel = graft.Kernel(LINE, {"f": callback}).entry("lib::apply")
        assert kernel.report.inlined
        y = there(np.zeros_like(x))
        if isinstance(callback, graft.Callback) and callback.form == "pack":  # whose members are not known
            state = np.array((3, 4), np.dtype([("a", "f4"), ("b", "f4")]))
        else:
            state = kernel.state("f", a=3, b=4)
        kernel(8, 128, (there(x), y, 1000, 2.5, state))
        assert np.allclose(back(y), expected, rtol=1e-6, atol=1e-5)
        one = library.stream()
        with library.current(one):
            kernel(8, 128, (there(x), y, 500, 1.0, state))
        kernel((2, 2, 2), 128, (there(x[::-1].copy()), y, np.int32(0), 0.0, state), stream=one)
        one.synchronize()
        assert np.allclose(back(y)[:500], (3 * x + 4)[:500], rtol=1e-6, atol=1e-5)
        assert np.allclose(back(y)[500:], expected[500:], rtol=1e-6, atol=1e-5)


def test_several_kernels_of_one_code(library):
    there, back = library.there, library.back
    x = numbers(256)
    kernel = graft.Kernel.create_async(LINE, {"lib::f": "[](float x) { return x; }"}).result()
    y = there(np.zeros_like(x))
    turn = kernel.entry("lib::reversed")
    turn(1, 256, (there(x), y), shared_bytes=1024)
    assert np.array_equal(back(y), x[::-1] + np.float32(5))
    kernel.entry("plain")(1, 256, (y, 100, -5.0, 0.0))
    assert np.array_equal(back(y)[100:], (x[::-1] + np.float32(5))[100:])
    assert np.allclose(back(y)[:100], x[::-1][:100], atol=1e-5)
    assert turn.attributes.max_block_threads >= 256 and turn.attributes.registers > 0
    assert turn.blocks_per_multiprocessor(256, 1024) >= 1
    address, size = kernel.symbol("_ZN3lib7touchedE")
    assert address and size == 4
    assert turn.function and turn.handle and turn.image.bytes[:4] == b"\x7fELF"


def test_launches_that_are_refused(library, refused):
    there, back = library.there, library.back
    x = numbers(100)
    on_gpu, y = there(x), there(np.zeros_like(x))
    kernel = graft.Kernel(LINE, {"f": "[](float x) { return x; }"}).entry("lib::apply")
    state = np.zeros((), np.dtype([("a", "f4"), ("b", "f4")]))
    for code, grid, arguments in [
        ("TypeMismatch", 1, (there(x.astype(np.float64)), y, 100, 1.0, state)),
        ("TypeMismatch", 1, (there(np.arange(100, dtype=np.int32)), y, 100, 1.0, state)),
        ("TypeMismatch", 1, (on_gpu, y, np.int64(100), 1.0, state)),
        ("TypeMismatch", 1, (on_gpu, y, np.float32(100), 1.0, state)),
        ("TypeMismatch", 1, (on_gpu, y, 100, np.float32(1), state)),
        ("TypeMismatch", 1, (on_gpu, y, 100, on_gpu, state)),
        ("TypeMismatch", 1, (on_gpu, y, 100, 1.0, b"1234")),
        ("InvalidArgument", 1, (on_gpu[::2], y, 50, 1.0, state)),
        ("InvalidArgument", 1, (x, y, 100, 1.0, state)),
        ("InvalidArgument", 0, (on_gpu, y, 100, 1.0, state)),
        ("CountMismatch", 1, (on_gpu, y, 100, 1.0)),
    ]:
        refused(code, kernel, grid, 100, arguments)
    refused("LaunchFailed", kernel, 1, 4096, (on_gpu, y, 100, 1.0, state))
    assert not back(y).any()
    refused("NoSuchEntry", kernel.entry, "lib::other")
    refused("NoSuchSymbol", kernel.symbol, "other")


def test_the_kernel_of_the_page(library):
    from test_page import PROGRAMS

    (program,) = [text for text, _ in PROGRAMS["python.md"] if "graft.Kernel(" in text]
    names: dict = {}
    exec(program, names)
    x, y = numbers(1000), numbers(1000)[::-1].copy()
    d = library.there(np.zeros_like(x))
    names["distances"](library.there(x), library.there(y), d, 1000)
    assert np.allclose(library.back(d), np.minimum(np.abs(x - y), 0.5), atol=1e-6)


PICK = """
    struct P { const float* x; long long n; };
    __device__ float pick(int i, const P& p) { return i < p.n ? p.x[i] : 0; }
"""


def test_pointers_in_a_state(library, refused):
    there, back = library.there, library.back
    pick = graft.Transform(PICK, device="gpu")
    x, i = numbers(100), np.arange(99, -1, -1, dtype=np.int32)
    on_gpu, indices = there(x), there(i)
    assert np.array_equal(back(pick(indices, x=on_gpu, n=100)), x[::-1])
    one = library.stream()
    out = there(np.zeros_like(x))
    pick(indices, x=on_gpu, n=50, out=out, stream=one)
    one.synchronize()
    assert np.array_equal(back(out), np.where(i < 50, x[::-1], 0))
    refused("InvalidArgument", pick, indices, x=x, n=100)
    refused("TypeMismatch", pick, indices, x=there(x.astype(np.float64)), n=100)
    fill = graft.Transform(
        "struct To { float* p; }; __device__ void fill(const To& to, graft::Index i) { to.p[i] = i; }", device="host"
    )
    fill.for_count(100, p=out)  # where the array is, on its library's current stream
    assert np.array_equal(back(out), np.arange(100))
    slot = "struct P { const float* x; long long n; }; __device__ float f(int i, const P& p);"
    kernel = graft.Kernel(
        slot + "__global__ void g(float* y, const __grid_constant__ P p) { y[threadIdx.x] = f(threadIdx.x, p); }",
        {"f": PICK},
    )
    state = kernel.state("f", x=there(x), n=100)  # which keeps the array
    kernel(1, 100, (out, state))
    assert np.array_equal(back(out), x)
    refused("InvalidArgument", kernel.state, "f", x=x, n=100)


def test_a_template_takes_its_types_from_the_arrays(library):
    there, back = library.there, library.back
    twice = graft.Transform("template <class T> __device__ T twice(T x) { return x + x; }")
    for dtype in (np.float32, np.float64, np.int32, np.float32):
        x = np.arange(100).astype(dtype)
        result = back(twice(there(x)))
        assert result.dtype == dtype and np.array_equal(result, x + x)
    x = np.arange(6, dtype=np.float32).reshape(2, 3)
    assert np.array_equal(back(graft.Transform("[](auto x, auto y) { return x * y; }")(there(x), 2)), x * 2)


def test_each_shape_of_a_reduction_has_the_kernel_that_serves_it_best(library):
    x = library.there(numbers(4096, 256))
    total = graft.Reduce("[](float a, float b) { return a + b; }")
    for axis, shape in ((1, (4096, 1)), (0, (1, 256)), (None, (1, 1))):
        assert np.allclose(library.back(total(x, axis=axis)), numbers(4096, 256).sum(axis=axis), atol=1e-2)
        out = library.there(np.zeros(shape, np.float32))
        arrays = graft._core.Arrays((x,), False), graft._core.Arrays((out,), True)
        assert "would be fastest" not in total._kernels[True].describe_shapes(*arrays)


def test_each_shape_of_a_transform_has_the_kernel_that_serves_it_best(library):
    there, n = library.there, 1024
    x = there(numbers(n, n))
    add = graft.Transform("[](float x, float y) { return x + y; }")
    for inputs in ((x[:, ::2], x[:, 1::2]), (x.T, x), (x, x.T), (x.T, x[:1])):  # strided first, which serves all
        expected = library.back(inputs[0]) + library.back(inputs[1])
        assert np.array_equal(library.back(add(*inputs)), expected)
        assert "would be fastest" not in add.describe_shapes(*inputs, out=there(expected))


def test_reductions_of_complex_numbers(library):
    z = numbers(64, 100) + 1j * numbers(64, 100)[::-1]
    norms = graft.reduction("a + b", map="norm(z)")(z=library.there(z.astype(np.complex64)), axis=1)
    assert np.allclose(library.back(norms), (abs(z) ** 2).sum(axis=1), rtol=1e-5)
