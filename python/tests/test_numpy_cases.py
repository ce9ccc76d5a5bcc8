"""The cases with which NumPy tests its functions and its broadcasting, through graft.

NumPy is installed with the values of its own tests: umath-validation-set-FUNCTION.csv, lines of dtype, input, output
and the largest distance, with numbers as their bits.
"""

import csv
import itertools
import pathlib

import numpy as np
import pytest

import graft_cuda as graft

FOLDER = pathlib.Path(np.__file__).parent / "_core" / "tests" / "data"
FILES = sorted(FOLDER.glob("umath-validation-set-*.csv"))
BITS = {"np.float32": np.uint32, "np.float64": np.uint64}


def name_of(file):
    return file.stem.rpartition("-")[2]


def formula_of(file):
    """The function as formulas call it: `atan` is NumPy's arctan."""
    return f"{name_of(file).replace('arc', 'a')}(x)"


def values_of(file):
    """The inputs, outputs and largest distances of a file by dtype."""
    rows = {}
    with file.open() as lines:
        for row in csv.reader(line for line in lines if line[0] not in "$#"):
            if row and row[0] in BITS:
                rows.setdefault(row[0], []).append(row[1:4])
    for dtype, cells in rows.items():
        bits = BITS[dtype]
        inputs, outputs = (np.array([int(row[i], 16) for row in cells], dtype=bits) for i in (0, 1))
        floats = np.dtype(dtype.removeprefix("np."))
        yield inputs.view(floats), outputs.view(floats), np.array([int(row[2]) for row in cells])


def distances(a, b):
    """How many numbers are between those of two arrays: 0 for equal ones and for two NaNs."""
    whole = {4: np.int32, 8: np.int64}[a.dtype.itemsize]
    lowest = np.iinfo(whole).min

    def places(x):
        bits = x.view(whole)
        return np.where(bits < 0, lowest - bits, bits).astype(object)

    different = ~((a == b) | (np.isnan(a) & np.isnan(b)))
    found = np.zeros(a.shape, dtype=object)
    found[different] = abs(places(a[different]) - places(b[different]))
    found[np.isnan(a) != np.isnan(b)] = 2**64
    return found


@pytest.mark.skipif(not FILES, reason="this NumPy is installed without its tests")
def test_numpy_has_values_of_many_functions():
    assert len(FILES) >= 20


@pytest.mark.parametrize("file", FILES, ids=name_of)
def test_functions(file):
    compared = 0
    for x, expected, most in values_of(file):
        y = graft.evaluate(formula_of(file), x=x)
        assert y.dtype == x.dtype
        far = distances(y, expected) > most
        assert not far.any(), [*zip(x[far], y[far], expected[far], strict=True)][:5]
        compared += len(x)
    assert compared >= 100


# Pairs of shapes and the shape of both together; None: they do not fit.
SHAPES = [
    ((), (), ()), ((1,), (3,), (3,)), ((1, 3), (1, 3), (1, 3)), ((3, 1), (3, 3), (3, 3)), ((1, 3), (3, 1), (3, 3)),
    ((1,), (3, 3), (3, 3)), ((3,), (3, 3), (3, 3)), ((), (3, 3), (3, 3)), ((1, 1), (3, 3), (3, 3)),
    ((1, 1), (1, 1), (1, 1)), ((0,), (1,), (0,)), ((1, 0), (1, 1), (1, 0)), ((0, 0), (1,), (0, 0)),
    ((2, 0), (2, 1), (2, 0)), ((6, 7), (5, 6, 1), (5, 6, 7)), ((8, 1, 6, 1), (7, 1, 5), (8, 7, 6, 5)),
    ((256, 256, 3), (3,), (256, 256, 3)), ((15, 3, 5), (15, 1, 5), (15, 3, 5)), ((15, 3, 5), (3, 1), (15, 3, 5)),
    ((3,), (4,), None), ((2, 3), (2,), None), ((1, 3, 4), (2, 3, 3), None), ((3,), (3, 4), None), ((2,), (0,), None),
]  # fmt: skip


def numbers(shape):
    return np.random.default_rng(7).normal(size=shape).astype(np.float32)


@pytest.mark.parametrize("a, b, both", SHAPES, ids=str)
def test_shapes(a, b, both):
    for x, y in ((numbers(a), numbers(b)), (numbers(b), numbers(a))):
        if both is None:
            with pytest.raises(graft.GraftError):
                graft.evaluate("x - y", x=x, y=y)
            continue
        z = graft.evaluate("x - y", x=x, y=y)
        assert z.shape == both == np.broadcast_shapes(a, b)
        assert np.array_equal(z, x - y)


# As NumPy's tests of elementwise functions do: every step, sign and offset of both operands and of the output.
@pytest.mark.parametrize("steps", [*itertools.product((1, 2, -1, -3), repeat=3)], ids=str)
def test_strides(steps):
    line = numbers((3, 64))
    x, y, out = (row[1:][::step][:21] for row, step in zip(line, steps, strict=True))
    expected = x * y + 1
    before = line.copy()
    assert graft.evaluate("x * y + 1", x=x, y=y, out=out) is out
    assert np.array_equal(out, expected)
    out[...] = before[2][1:][:: steps[2]][:21]
    assert np.array_equal(line, before)


@pytest.mark.parametrize("order", [*itertools.permutations(range(3))], ids=str)
def test_orders_of_axes(order):
    x, y = numbers((4, 5, 6)).transpose(order), numbers((4, 5, 6)).transpose(order).copy()
    assert np.array_equal(graft.evaluate("x + 2 * y", x=x, y=y), x + 2 * y)
