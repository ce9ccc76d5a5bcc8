"""Numbers of Python in formulas have no type, as in NumPy: what consists of them alone is computed before it meets an
array, and takes the array's type there."""

import math
import threading

import numpy as np
import pytest

import graft_cuda as graft


def _of_numbers(name):
    """A function that is Python's of numbers, and NumPy's of arrays."""

    def function(*values):
        is_plain = all(isinstance(value, (int, float)) for value in values)
        return getattr(math, name)(*values) if is_plain else getattr(np, name)(*values)

    return function


FUNCTIONS = {name: _of_numbers(name) for name in ("sqrt", "exp", "log", "sin", "hypot")}
FUNCTIONS["floor"] = lambda a: float(math.floor(a))
FUNCTIONS["pi"] = math.pi
FUNCTIONS["max"] = lambda a, b: max(a, b) if isinstance(b, (int, float)) else np.maximum(a, b)

NUMBERS = {"N": 100, "M": 7, "k": -3, "big": 10**8 + 1, "bigger": 10**8, "a": 0.5, "t": 1e-3, "flag": True, "w": 1 + 2j}

# In the syntax that Python and formulas share.
EXPRESSIONS = [
    "x / (N * N)", "x // (N * N)", "x * (big - bigger)", "x + (big - bigger)", "x / (2 * N)", "x * M", "x * M * M",
    "x - M + N", "x + (M - N) * k // 100", "x % M", "x // M", "x // k", "x % k", "x + k", "k - x", "-k * x", "x * a",
    "x * (a + M)", "x / a", "x * (M / N)", "(x - a) / (t - a)", "M ** 2 / (2 * a) * x ** 2", "x + t * a", "x * t * N",
    "sqrt(N) * x", "exp(a) + x", "x * log(M) + sin(k)", "x * hypot(M, N)", "2 * pi * a * x", "x + floor(a * M)",
    "max(M, N) + x", "x + M ** 2", "x * 2 ** -2", "x * M ** k", "x * M ** 3 // (N * 10)", "x + flag",
    "x * (flag + flag)", "x * w", "x + (w - 1)", "(w * M - w) * x", "x < a", "x <= M", "x == (N - N)", "x != M / 7",
    "x + N - N", "(x + N) * M", "x * (M > N) + M", "x * (N ** 15 // N ** 15)", "x + (2 ** 70 - 2 ** 70 + 1)",
]  # fmt: skip
DTYPES = [np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint16, np.uint32, np.uint64, np.float16, np.float32,
          np.float64, np.complex64, np.complex128]  # fmt: skip
TOLERANCES = {np.dtype(np.float16): 2e-3, np.dtype(np.float32): 2e-6, np.dtype(np.complex64): 2e-6}


def dtype_here(expected, x):
    """Integers of up to 16 bits become float32 where NumPy's become float64 (docs/formulas.md)."""
    if x.dtype.kind in "iu" and x.dtype.itemsize <= 2 and expected.dtype.kind in "fc":
        return np.dtype(np.float32 if expected.dtype.kind == "f" else np.complex64)
    return expected.dtype


def numbers_in(text):
    words = "".join(c if c.isalnum() or c == "_" else " " for c in text).split()
    return {name: value for name, value in NUMBERS.items() if name in words}


def is_near(y, expected):
    if y.dtype.kind not in "fc":
        return np.array_equal(y, expected)
    # float16 is computed as float32, so that it overflows at the end alone.
    finite = np.isfinite(expected) if y.dtype == np.float16 else slice(None)
    rtol = TOLERANCES.get(y.dtype, 1e-14)
    return np.allclose(y[finite], expected.astype(y.dtype)[finite], rtol=rtol, atol=0, equal_nan=True)


@pytest.mark.parametrize("dtype", DTYPES, ids=lambda dtype: dtype.__name__)
def test_expressions_beside_numpy(dtype, refused):
    x = np.array([0, 1, 2, 3, 5, 7, 11, 100], dtype)
    expected = {}
    for text in EXPRESSIONS:
        if x.dtype.kind == "c" and "<" in text:
            refused("CompileFailed", graft.evaluate, text, x=x, **numbers_in(text))
            continue
        try:
            with np.errstate(all="ignore"):
                expected[text] = np.asarray(eval(text, dict(FUNCTIONS), {"x": x, **NUMBERS}))
        except OverflowError:  # an integer that the dtype does not hold
            refused("InvalidArgument", graft.evaluate, text, x=x, **numbers_in(text))
        except TypeError:  # complex numbers have no // and %
            refused("CompileFailed", graft.evaluate, text, x=x, **numbers_in(text))
    assert len(expected) >= 30
    texts = [*expected, "x"] if len(expected) % 8 == 1 else list(expected)
    expected["x"] = x
    for few in (texts[i : i + 8] for i in range(0, len(texts), 8)):  # which are compiled together
        names = {name: value for text in few for name, value in numbers_in(text).items()}
        results = graft.evaluate("; ".join(f"o{i} = {text}" for i, text in enumerate(few)), x=x, **names)
        for text, y in zip(few, results, strict=True):
            assert y.dtype == dtype_here(expected[text], x), text
            assert is_near(y, expected[text]), (text, y, expected[text])


I32 = np.int32([1, -7, 2_000_000_000])
U8 = np.uint8([0, 100, 200])
F32 = np.float32([1, 2, 3])


@pytest.mark.parametrize(
    "text, variables, expected",
    [
        ("n / (N * N)", {"n": I32, "N": 100_000}, I32 / 100_000**2),
        ("u / (2 * N)", {"u": U8, "N": 200}, (U8 / 400).astype(np.float32)),
        ("(u - a) / (b - a)", {"u": U8, "a": 0, "b": 255}, (U8 / 255).astype(np.float32)),
        ("x * (a - b)", {"x": F32, "a": 1e8 + 1, "b": 1e8}, F32),
        ("(u + a) * f", {"u": U8, "f": F32, "a": 100}, (U8 + 100) * F32),
        ("hbar ** 2 / (2 * m) * k ** 2", {"hbar": 1.0545718e-34, "m": 1e-66, "k": F32},
         F32**2 * np.float32(1.0545718e-34**2 / 2e-66)),
        ("i * a", {"i": np.int8([1, 2]), "a": 0.5}, np.float32([0.5, 1])),
        ("x > 1 ? a : b", {"x": F32, "a": 1, "b": 2.5}, np.float32([2.5, 1, 1])),
        ("a > b ? x : -x", {"x": F32, "a": 1, "b": 2.5}, -F32),
        ("max(x, a)", {"x": F32, "a": math.nan}, np.float32([math.nan] * 3)),
        ("min(x, a)", {"x": F32, "a": math.inf}, F32),
        ("x * complex(a, b)", {"x": F32, "a": 0, "b": 1}, F32 * 1j),
        ("i ** n", {"i": I32, "n": 2}, I32**2),
        ("x ** n", {"x": F32, "n": 3}, F32**3),
        ("x ** n", {"x": F32, "n": -1}, F32**-1.0),
        ("f64(a) * x", {"x": F32, "a": 0.1}, 0.1 * F32.astype(np.float64)),
        ("u8(a) + u", {"u": U8, "a": 300.5}, U8 + np.uint8(255)),
        ("m && flag ? x : y", {"m": np.array([True, False, True]), "flag": True, "x": F32, "y": -F32},
         np.float32([1, -2, 3])),
        ("x + a + s", {"x": F32, "a": 1, "s": np.float64(0.1)}, F32 + 1 + np.float64(0.1)),
        ("i + s * a", {"i": I32, "s": np.int16(3), "a": 2}, I32 + np.int16(3) * 2),
        ("d + a", {"d": np.float64([1]), "a": 2**70}, np.float64([1]) + 2**70),
        ("d * a", {"d": np.float64([1]), "a": 2**200}, np.float64([1]) * 2.0**200),
    ],
)  # fmt: skip
def test_values(text, variables, expected):
    y = graft.evaluate(text, **variables)
    assert y.dtype == expected.dtype
    assert np.allclose(y, expected, rtol=2e-7 if y.dtype.itemsize == 4 else 1e-15, atol=0, equal_nan=True)


def test_outputs_have_types_of_their_own():
    p, q = graft.evaluate("p = f * a; q = g + 1", f=F32, g=np.float64([1, 2, 3]), a=2)
    assert p.dtype == np.float32 and q.dtype == np.float64


@pytest.mark.parametrize(
    "text, variables, message",
    [
        ("u + a", {"u": U8, "a": 300}, "`a` is 300, which u8 does not hold"),
        ("u - a", {"u": U8, "a": -1}, "`a` is -1, which u8 does not hold"),
        ("n + a * a", {"n": I32, "a": 100_000}, "`a * a` is 10000000000, which i32 does not hold"),
        ("n + a", {"n": I32, "a": 2**70}, "`a` is 1180591620717411303424, which i32 does not hold"),
        ("x * a", {"x": F32, "a": 1e39}, "`a` is 1e+39, which f32 does not hold"),
        ("x * a", {"x": F32, "a": 1e-50}, "`a` is 1e-50, which f32 does not hold"),
        ("n ** a", {"n": I32, "a": -1}, "`a` is -1, and an integer to a negative power is no integer"),
        ("n * (a // b)", {"n": I32, "a": 1, "b": 0}, "divides an integer by zero"),
        ("x * a", {"x": F32, "a": 10**400}, "larger than every floating-point number"),
    ],
)
def test_numbers_that_do_not_fit(text, variables, message, refused):
    assert message in refused("InvalidArgument", graft.evaluate, text, **variables).message


def test_only_another_kind_of_number_compiles():
    expression = graft.transform("i * (a - b)", engine=(engine := graft.Engine(cache="memory")), device="host")
    for a, b in ((3, 1), (10**8 + 1, 10**8), (-(2**62), -(2**62) - 5), (True, 4)):
        assert np.array_equal(expression(i=I32[:2], a=a, b=b), I32[:2] * (int(a) - int(b)))
        assert engine.counters["builds"] == 1
    assert expression(i=I32, a=3.5, b=1).dtype == np.float64
    assert expression(i=I32, a=3, b=0.25).dtype == np.float64
    assert engine.counters["builds"] == 2
    assert expression(i=I32, a=3j, b=1).dtype == np.complex128
    assert engine.counters["builds"] == 3
    # With floating-point numbers of another size, an integer has the type of a float, and the kernel is the same.
    floats = graft.transform("x * (a - b)", engine=engine, device="host")
    floats(x=F32, a=1, b=2)
    assert engine.counters["builds"] == 4
    floats(x=F32, a=1.5, b=2)
    assert engine.counters["builds"] == 4


def test_typed_transforms_of_an_expression():
    expression = graft.transform("x * (a - b)", device="host")
    typed = expression.transform_for([("x", "f32")], [("a", "f64"), ("b", "f64")])
    assert np.array_equal(typed(F32, a=3, b=1), 2 * F32.astype(np.float64))
    assert expression(x=F32, a=3, b=1).dtype == np.float32


def test_reductions():
    total = graft.reduction("a + b", map="x * (p - q)", device="host")
    assert total(x=F32, p=1e8 + 1, q=1e8) == 6
    wide = graft.reduction("a + b", map="u * n", accumulator="i64", device="host")
    with pytest.raises(graft.GraftError, match="does not hold"):
        wide(u=U8, n=300)
    assert wide(u=U8, n=2) == np.sum(U8 * np.uint8(2), dtype=np.int64)


def test_threads_may_share_an_expression():
    expression = graft.transform("x * (a + b)", device="host")
    results = {}

    def call(number):
        a = [number, number + 0.5, complex(number)][number % 3]
        results[number] = np.array_equal(expression(x=F32, a=a, b=1), F32 * (a + 1))

    threads = [threading.Thread(target=call, args=(number,)) for number in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == dict.fromkeys(range(12), True)
