"""Calls on a GPU, with arrays of CuPy, PyTorch and JAX. Skipped where there is no GPU, or a library is missing."""

import math
import threading
import time

import numpy as np
import pytest
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

    def there(self, array):
        return self.module.asarray(array)

    def back(self, array):
        return self.module.asnumpy(array)

    def stream(self):
        self.module.cuda.Device().synchronize()
        return self.module.cuda.Stream(non_blocking=True)

    def current(self, stream):
        return stream


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
    if not graft._core.is_read_directly(there(x)):
        pytest.skip("this library has no functions that show its arrays to C")
    line = graft.Transform(
        "struct P { float a; }; __device__ float f(float x, float y, const P& p) { return p.a * x + y; }"
    )
    for shapes in ((there(x), there(y)), (there(y), there(x)), (there(x.T), there(x[:, 0])), (there(x)[::2], there(y))):
        line(*shapes, a=1)  # the first call with such shapes makes their kernel
    turned = there(np.zeros((6, 4), dtype=np.float32)).T
    line(there(x.T), there(x[:, 0]), out=turned, a=1)
    direct, state = line._kernels[True].call_directly, np.float32(3).tobytes()
    assert np.array_equal(back(direct((there(x), there(y)), None, state, True)), 3 * x + y)
    out = there(np.zeros_like(x))
    assert direct((there(x), there(y)), out, state, False) is out
    assert np.array_equal(back(out), 3 * x + y)
    assert direct((there(x), there(y)), (out,), state, False) == (out,)
    assert np.array_equal(back(direct((there(y), there(x)), None, state, True)), 3 * y + x)
    assert np.array_equal(back(line(there(x.T), there(y)[:1], a=3)), 3 * x.T + y[:1])
    assert direct((there(x.T), there(x[:, 0])), turned, state, False) is turned
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
        assert direct(inputs, to, state, False) is None
    assert direct((there(x.T).T.T, there(x[:, 0])), None, state, True) is not None
    assert direct((there(x)[::2], there(y)), None, state, True) is None
    assert np.array_equal(back(out), before)


def test_tensors_that_need_gradients(refused):
    torch = pytest.importorskip("torch")
    x = torch.ones(4, device="cuda", requires_grad=True)
    twice = graft.Transform("[](float x) { return 2 * x; }")
    refused("InvalidArgument", twice, x)
    assert twice(x.detach()).tolist() == [2, 2, 2, 2]


def test_host_time_of_a_call(library, record_property, capsys):
    there = library.there
    x = there(numbers(256))
    out = there(numbers(256))
    twice = graft.Transform("[](float x) { return 2 * x; }")
    times = {}
    for name, call in {"out": lambda: twice(x, out=out), "allocated": lambda: twice(x)}.items():
        rounds = []
        for _ in range(20):
            start = time.perf_counter()
            for _ in range(500):
                call()
            rounds.append((time.perf_counter() - start) / 500 * 1e6)
        times[name] = min(rounds)
        record_property(name, times[name])
    with capsys.disabled():
        print(f"\nhost time of a call: {times['out']:.2f} us with out=, {times['allocated']:.2f} us with a new array")
    assert times["out"] <= 100  # a call that compiles would take milliseconds
