#!/usr/bin/env python3
"""Writes numpy_values.txt: what NumPy computes for the formulas of this table, beside which numpy_test.cpp puts graft.

    python3 -B tests/formula/values/numpy_values.py        # needs NumPy; run by hand, and its output is committed

A row is a formula, or a formula and what it is in NumPy. A formula without one is its own NumPy expression, in which
the functions of formulas are those of NumPy (NAMES). f16 is computed by NumPy in float32 and rounded at the end, as
graft documents it. Where another rule of graft's differs from NumPy's, the row says so: the reason, and an expression
with graft's result. Such a row fails here if NumPy gives the same after all.
"""
import ast
import math
import os
import re
import sys

import numpy as np

# ---- the functions of formulas, in NumPy ----


def of(array_function, scalar_function=None):
    """Literals stay literals: sqrt(2) is a Python float, which takes the type that it meets."""
    def call(*arguments):
        if all(isinstance(a, (int, float)) and not isinstance(a, np.generic) for a in arguments):
            return (scalar_function or array_function)(*arguments)
        return array_function(*arguments)
    return call


def by_math(function):
    """A function that NumPy does not have, from Python's math, in double precision."""
    def compute(x):
        try:
            return function(float(x))
        except OverflowError:
            return math.inf
        except ValueError:
            return math.nan
    return lambda x: np.array([compute(v) for v in x]).astype(x.dtype)


def make_complex(x, y):
    type = np.result_type(x, y, np.complex64)
    x, y = np.broadcast_arrays(x, y)
    z = np.empty(x.shape, type)
    z.real, z.imag = x, y
    return z


def reduced(function):
    def call(*arguments):
        result = arguments[0]
        for argument in arguments[1:]:
            result = function(result, argument)
        return result
    return call


NAMES = {
    "np": np, "pi": math.pi, "e": math.e, "inf": math.inf, "nan": math.nan,
    "min": reduced(np.minimum), "max": reduced(np.maximum),
    "clamp": lambda x, low, high: np.minimum(np.maximum(x, low), high),
    "abs": np.abs, "sign": np.sign, "relu": lambda x: np.maximum(x, 0), "select": np.where,
    "step": lambda edge, x: np.where(x >= edge, 1, 0).astype(np.result_type(x, edge)),
    "lerp": lambda x, y, t: x + t * (y - x), "sigmoid": lambda x: 1 / (1 + np.exp(-x)),
    "floor": np.floor, "ceil": np.ceil, "trunc": np.trunc, "round": np.round, "fract": lambda x: x - np.floor(x),
    "sqrt": of(np.sqrt, math.sqrt), "rsqrt": lambda x: 1 / np.sqrt(x), "cbrt": np.cbrt, "hypot": np.hypot,
    "pow": of(np.power, math.pow), "exp": of(np.exp, math.exp), "exp2": np.exp2, "expm1": np.expm1,
    "log": of(np.log, math.log), "log2": of(np.log2, math.log2), "log10": of(np.log10, math.log10), "log1p": np.log1p,
    "sin": of(np.sin, math.sin), "cos": of(np.cos, math.cos), "tan": of(np.tan, math.tan),
    "asin": of(np.arcsin, math.asin),
    "acos": np.arccos, "atan": np.arctan, "atan2": np.arctan2, "sinh": np.sinh, "cosh": np.cosh, "tanh": np.tanh,
    "asinh": np.arcsinh, "acosh": np.arccosh, "atanh": np.arctanh, "erf": by_math(math.erf), "erfc": by_math(math.erfc),
    "gamma": by_math(math.gamma), "lgamma": by_math(math.lgamma), "fmod": np.fmod, "copysign": np.copysign,
    "isnan": np.isnan, "isinf": np.isinf, "isfinite": np.isfinite, "complex": make_complex,
    "polar": lambda r, t: make_complex(r * np.cos(t), r * np.sin(t)), "real": np.real, "imag": np.imag, "arg": np.angle,
    "norm": lambda z: np.real(z)**2 + np.imag(z)**2, "conj": np.conj,
    "square": np.square, "fabs": np.fabs, "rint": np.rint, "deg2rad": np.deg2rad, "rad2deg": np.rad2deg,
    "bool": lambda x: x != 0,
}
DTYPES = {
    "bool": np.bool_, "i8": np.int8, "i16": np.int16, "i32": np.int32, "i64": np.int64, "u8": np.uint8,
    "u16": np.uint16,
    "u32": np.uint32, "u64": np.uint64, "f16": np.float16, "f32": np.float32, "f64": np.float64, "c64": np.complex64,
    "c128": np.complex128,
}
TYPES = {np.dtype(dtype): name for name, dtype in DTYPES.items()}
for name, dtype in DTYPES.items():
    NAMES.setdefault(name, lambda x,
                     dtype=dtype: x.astype(dtype) if isinstance(x, (np.ndarray, np.generic)) else dtype(x))

# ---- literals of f16 ----


class LiteralsOfF16(ast.NodeTransformer):
    """Rounds what consists of literals alone to f16, after its value was computed in double precision."""
    CONSTANTS = {"pi": math.pi, "e": math.e}

    def visit(self, node):
        try:
            value = eval(compile(ast.Expression(node), "", "eval"), {"__builtins__": {}}, self.CONSTANTS)
        except Exception:
            return self.generic_visit(node)
        return ast.Constant(float(np.float16(value))) if isinstance(value, float) else node


def with_literals_of_f16(expression):
    return ast.unparse(ast.fix_missing_locations(LiteralsOfF16().visit(ast.parse(expression, mode="eval"))))


# ---- the table ----

# Of floating-point numbers x and y.
FLOATING = [
    "x + y", "x - y", "x * y", "x / y", "x // y", "x % y", "-x", "+x", "x ** 2", "x ** 3", "x ** 4", "abs(x) ** 0.5",
    "abs(x) ** y", "x ** -1", "x ** -2", "pow(abs(x), 1.5)", ("x ^ 2 + y ^ 2", "x ** 2 + y ** 2"), "2 ** x", "-x ** 2",
    "1/3 * x", "2 * x + 1", "x < y", "x <= y", "x > y", "x >= y", "x == y", "x != y",
    ("x > 0 && y > 0", "(x > 0) & (y > 0)"), ("x > 0 || y > 0", "(x > 0) | (y > 0)"), ("!(x > y)", "~(x > y)"),
    ("!x", "np.logical_not(x)"), ("x && y", "np.logical_and(x, y)"), ("x > 0 ? x : 0", "np.where(x > 0, x, 0)"),
    ("x > 0 ? x : 0.01 * x", "np.where(x > 0, x, 0.01 * x)"), "select(x > y, x, y)",
    ("x < 0 ? -1 : x < 1 ? 0 : y", "np.where(x < 0, -1, np.where(x < 1, 0, y))"),
    "isnan(x)", "isinf(x)", "isfinite(x / y)", "min(x, y)", "max(x, y)", "max(x, 0)", "min(x, y, 1, -x)",
    "clamp(x, -1, 1)", "relu(x)", "sign(x)", "step(y, x)", "lerp(x, y, 0.25)", "abs(x)", "floor(x)", "ceil(x)",
    "trunc(x)",
    "round(x)", "fract(x)", "round(x * 100) / 100", "sqrt(x)", "rsqrt(x)", "cbrt(x)", "hypot(x, y)", "exp(x)",
    "exp2(x)",
    "expm1(x)", "log(x)", "log2(x)", "log10(x)", "log1p(x)", "sin(x)", "cos(x)", "tan(x)", "asin(x)", "acos(x)",
    "atan(x)",
    "atan2(x, y)", "sinh(x)", "cosh(x)", "tanh(x)", "asinh(x)", "acosh(x)", "atanh(x)", "erf(x)", "erfc(x)",
    "gamma(abs(x) + 0.5)", "lgamma(abs(x) + 3)", "fmod(x, y)", "copysign(x, y)", "norm(x)", "real(x) + imag(x)",
    "x + inf",
    "x * nan", "x * pi", "e ** 2 + x",
    # finance
    "x * (1 + 0.05) ** 10", "max(x - 1.5, 0)", "0.5 * (1 + erf(x / sqrt(2)))", "x / y - 1",
    "100 * abs(x) * exp(-0.03 * abs(y))",
    # audio
    "20 * log10(abs(x) + 1e-3)", "10 ** (x / 20)", "0.5 - 0.5 * cos(2 * pi * x / 16)", "tanh(1.5 * x)",
    ("abs(x) > 1 ? sign(x) : 1.5 * x - 0.5 * x ** 3", "np.where(abs(x) > 1, sign(x), 1.5 * x - 0.5 * x ** 3)"),
    # images
    "0.299 * x + 0.587 * y", "abs(x) ** (1 / 2.2)", "1 - x", "clamp(255 * x, 0, 255)",
    ("abs(x) <= 0.04045 ? x / 12.92 : ((abs(x) + 0.055) / 1.055) ** 2.4",
     "np.where(abs(x) <= 0.04045, x / 12.92, ((abs(x) + 0.055) / 1.055) ** 2.4)"),
    # physics
    "exp(-x ** 2 / 2) / sqrt(2 * pi)", "x * cos(0.5) - y * sin(0.5)", "1 / (exp(abs(x)) + 1)", "9.81 / 2 * x ** 2",
    "sqrt(x * x + y * y)", "4 * ((1 / (abs(x) + 1)) ** 12 - (1 / (abs(x) + 1)) ** 6)",
    # statistics
    "(x - 0.5) / 2.25", "log1p(exp(-abs(x)))", ("isnan(x) ? 0 : x", "np.where(np.isnan(x), 0, x)"),
    "1 / (pi * (1 + x * x))", ("x < -1 || x > 1", "(x < -1) | (x > 1)"),
    # machine learning
    "sigmoid(x)", "x * sigmoid(x)", "0.5 * x * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 * x ** 3)))",
    ("x > 0 ? x : expm1(x)", "np.where(x > 0, x, expm1(x))"), "max(0, min(1, 0.2 * x + 0.5))",
    ("abs(x) < 1 ? 0.5 * x ** 2 : abs(x) - 0.5", "np.where(abs(x) < 1, 0.5 * x ** 2, abs(x) - 0.5)"),
    # as numexpr tests itself: operators, comparisons, functions and powers, often within a sum
    "x*y + y*x", "2*x + 3*y", "2*x + (cos(3) + 5)*sinh(cos(y))", "2*x + atan2(x, y)", "x + asin(0.5)",
    ("x != 0.0 ? 2 : x", "np.where(x != 0.0, 2, x)"), ("x > 1 ? y < x : y > x", "np.where(x > 1, y < x, y > x)"),
    ("0.25 * (x < 2) + 0.33 * (x >= 2)", None, "(0.25 * (x < 2) + 0.33 * (x >= 2)).astype(x.dtype)",
     "a literal with a bool takes the type of the inputs; NumPy's is float64"), "cos(1 + 1) + x", "(x + 1) + (y + 3)",
     "(x + 1) - (y + 3)", "(x + 1) * (y + 3)",
    "(x + 1) / (y + 3)", "(x + 1) % (y + 3)", "3 % (y + 3)", "(x + 1) % 4", "2 / (y + 3)", "(x + 1) / 0",
    "(x + 1) ** -1",
    "abs(x + 1) ** 0.5", "x / 2 + 5 < y", "x / 2 + 5 <= 7", "7 > y", "7.0 >= 5 * x", "x + sqrt(y + 9)",
    "x + floor(y + 0.5)",
    "x + hypot(y, x + 1)", "x + copysign(1, y)", "x + fmod(y + x, 3)", "abs(x + 1) ** -2.5", "abs(x + 1) ** 2.3",
    "2*x*x*x*y*y", "(x + 1) ** 3 - y",
]

# By NumPy's names, of floating-point numbers x and y.
BY_NAMES = [
    "np.absolute(x)", "np.fabs(x)", "np.square(x)", "np.rint(x)", "np.fix(x)", "np.trunc(x)", "np.round(x)",
    "np.sign(x)", "np.clip(x, -1, 1)", "np.maximum(x, y)", "np.minimum(x, 0)", "np.where(x > y, x, y)",
    "np.where(np.isnan(x), 0, x)", "np.sqrt(x) + np.pi", "np.power(x, 2)", "np.arcsin(x)", "np.arccos(x)",
    "np.arctan(x)", "np.arctan2(x, y)", "np.arcsinh(x)", "np.arccosh(x)", "np.arctanh(x)", "np.deg2rad(x)",
    "np.radians(x)", "np.rad2deg(x)", "np.degrees(x)", "np.hypot(x, y)", "np.exp2(x)", "np.log1p(x)", "np.cbrt(x)",
    "np.fmod(x, y)", "np.copysign(x, y)", "np.mod(x, y)", "np.remainder(x, y)", "np.floor_divide(x, y)",
    "np.add(x, y)", "np.subtract(x, y)", "np.multiply(x, y)", "np.divide(x, y)", "np.true_divide(x, y)",
    "np.negative(x)", "np.positive(x)", "np.less(x, y)", "np.less_equal(x, y)", "np.greater(x, y)",
    "np.greater_equal(x, y)", "np.equal(x, y)", "np.not_equal(x, y)", "np.logical_and(x, y)", "np.logical_or(x, y)",
    "np.logical_not(x)", "np.isfinite(x)", "np.float64(x) + np.inf", "np.float32(y) / 3",
    ("clip(maximum(x, y), -1, 1)", "np.clip(np.maximum(x, y), -1, 1)"), ("arcsin(x)", "np.arcsin(x)"),
    ("math.sqrt(x) + math.e", "np.sqrt(x) + np.e"), ("x if x > y else y", "np.where(x > y, x, y)"),
    # Python's precedence, and its operators of conditions.
    "(x > 0) & (y < 1)", "(x > 0) | (y < 1) & (x != y)", "~(x > y)", "~(x > 0) & ~(y > 0) | (x == 1)",
    "(x > 0) & (y > 0) == (x > 1)", ("not x > 0", "~(x > 0)"),
    ("not x > 0 and y > 0 or x == 1", "~(x > 0) & (y > 0) | (x == 1)"),
    ("let t = x * y; t + 1 / t", "x * y + 1 / (x * y)"),
    # What a refusal says to type is what was typed.
    ("x == 0 ? 1 : sin(pi * x) / (pi * x)", "np.sinc(x)"), ("isnan(x) || x < y ? y : x", "np.fmax(x, y)"),
    ("isnan(x) || x > y ? y : x", "np.fmin(x, y)"), ("x == 0 ? y : 0.5 + 0.5 * sign(x)", "np.heaviside(x, y)"),
    ("bool(x) != bool(y)", "np.logical_xor(x, y)"), ("copysign(1, x) < 0", "np.signbit(x)"),
    ("f64(x) ^ y", "np.float_power(x, y)"), ("1 / x", "np.reciprocal(x)"),
    ("round(x * 10 ^ 2) / 10 ^ 2", "np.round(x, 2)"),
]
BY_NAMES_OF_INTEGERS = [
    "np.absolute(x)", "np.square(x)", "np.fix(x)", "np.trunc(x)", "np.round(x)", "np.sign(x)", "np.clip(x, 1, 100)",
    "np.maximum(x, y)", "np.where(x > y, x, y)", "np.power(x, 3)", "np.mod(x, y)", "np.floor_divide(x, y)",
    "np.add(x, y)", "np.multiply(x, y)", "np.negative(x)", "np.less(x, y)", "np.logical_or(x, y)", "np.float64(x) / 4",
    "(x > 0) & (y < 7)", "~(x == y)", ("x % 4", "x & 3"), ("-x - 1", "~x"), ("x * 2 ^ 2", "x << 2"),
    ("x // 2 ^ 1", "x >> 1"),
]
BY_NAMES_FROM_INTEGERS = ["np.fabs(x)", "np.rint(x)", "np.deg2rad(x)", "np.arctan2(x, y)", "np.divide(x, y)"]

# Of integers x and y. The same text may be a formula of floating-point numbers.
INTEGERS = [
    "x + y", "x - y", "x * y", "x // y", "x % y", "-x", "+x", "x ** 2", "x ** 3", "abs(x)", "sign(x)", "relu(x)",
    "min(x, y)",
    "max(x, y, 3)", "clamp(x, 1, 100)", "step(y, x)", "floor(x)", "ceil(x) + round(y)", "x < y", "x <= y", "x == y",
    "x != y",
    "x >= 7", ("x > y ? x : 7", "np.where(x > y, x, np.array(7).astype(x.dtype))"), ("!x", "x == 0"),
    ("x && y", "(x != 0) & (y != 0)"), ("x || y", "(x != 0) | (y != 0)"), "select(x > 3, x, y)", "x // 2 * 2 + x % 2",
    "x // 3 % 5", "(x + y) // 2", "x * x - y * y", "2 * x + 3 * y", "x % 2 == 0", "real(x) * 3", "bool(x)",
    "f64(x) / 4",
    "f32(x) * 0.5", "(x > y) * x", "(x < 3) + x", "-x // 2", "x % 7", "x ** (y % 4)", "100 // y", "100 % y",
]
SIGNED = ["x % -7", "x // -3", "-x * -y"]
# Integers that become floating-point numbers by themselves.
FROM_INTEGERS = ["x / y", "x / 2", "x * 0.5", "sqrt(x)", "exp(x / 100)", "sin(x)", "atan2(x, y)", "x ** 0.5 + y",
                 "2.5 + x"]

COMPLEX = [
    "z + w", "z - w", "z * w", "z / w", "-z", "2 * z", "z * x / 2", "x / z", "1 - z", "z ** 2", "z ** 3",
    "z * z * z * z",
    "z ** w", "z ** -1", "conj(z)", "exp(z)", "log(z)", "sqrt(z)", "sin(z)", "cos(z)", "sinh(z)", "cosh(z)",
    "complex(real(z), imag(w))", "polar(abs(z), arg(z))", ("z == w ? z : 2 * z", "np.where(z == w, z, 2 * z)"),
    "select(z != w, z, 1)", "real(z)", "imag(z)", "abs(z)", "arg(z)", "norm(z)", "z == w", "z != w",
    "real(z * conj(w))",
    "abs(z) ** 2", "z / abs(z)", "exp(complex(0, x))", "z * complex(0, 1)", "(z + 1) / (w + 3)", "x * z + w", "z + x",
    "(z + conj(z)) / 2", "sqrt(z * z + w * w)",
    "1j * z", "z + 2.5j", "np.exp(1j * x)", "np.conjugate(z)", "np.angle(z)", "np.absolute(z)", "np.square(z)",
    "np.real(z) + 3 * np.imag(w)", "np.multiply(z, w)", "np.where(x > 0, z, w)",
]

BOOLEAN = [
    ("m && n", "m & n"), ("m || n", "m | n"), ("!m", "~m"), "m == n", "m != n", "m < n", "m >= n",
    ("m ? n : !n", "np.where(m, n, ~n)"), "m * x", "x + m", ("m ? x : -x", "np.where(m, x, -x)"), "select(m, 1, x)",
    "min(m * x, 3)",
    "m & n", "m | n & ~m", "~m & (x > 1)", "m & n == n", "np.logical_and(m, n)", "np.bitwise_or(m, x > 1)",
    "np.invert(m)", ("m != n", "m ^ n"), ("not m or n", "~m | n"), "np.where(m & n, x, -x)",
    "i32(m)", "f64(m) / 2", ("m && x > 1", "m & (x > 1)"), "bool(x)",
]

# Of several types.
MIX = "i32 i, i64 k, u8 u, u64 v, f16 h, f32 x, f64 d, c64 z, bool m"
MIXED = [
    "u + i", "u * k", "u // i", "i % u", "i < u", "k < v", "k == v", "v > i", "x + d", "h + x", "h * d", "z * x",
    "z + d",
    "k * d", "i * d", "v // 3", "u * x", "u + h", "max(u, i)", ("m ? i : u", "np.where(m, i, u)"), "i ** 2 + k",
    "u8(i % 256)", "i32(x)", "i64(d) + 1", "f32(i) / 3", "f64(x) * 0.1", "f16(x)", "complex(x, d)",
    ("d > 0 ? d : x", "np.where(d > 0, d, x)"), "atan2(d, x)", "hypot(x, 3)", "abs(z) * x",
]

# Where graft's rules are not NumPy's: the formula, what NumPy has, graft's result, and the reason.
DIFFERENCES = [
    ("i + x", "i + x", "i.astype(np.float32) + x", "an integer takes the type of the number that it meets: f32"),
    ("k * x", "k * x", "k.astype(np.float32) * x", "an integer takes the type of the number that it meets: f32"),
    ("i + z", "i + z", "i.astype(np.float32) + z", "an integer takes the type of the number that it meets: c64"),
    ("(abs(d) * -inf) ** 0.5", "(abs(d) * -inf) ** 0.5", "abs(d) * inf",
     "the power is that of C, where -inf to the power 0.5 is inf; NumPy takes the square root"),
    ("i * h", "i * h", "(i.astype(np.float32) * h.astype(np.float32)).astype(np.float16)",
     "an integer takes the type of the number that it meets: f16"),
    ("u / 2", "u / 2", "u.astype(np.float32) / 2", "integers of up to 16 bits become f32"),
    ("u * 0.5", "u * 0.5", "u.astype(np.float32) * np.float32(0.5)", "integers of up to 16 bits become f32"),
    ("sqrt(u)", "np.sqrt(u)", "np.sqrt(u.astype(np.float32))", "integers of 8 bits become f32, as those of 16 bits"),
    ("h * 300 * 300 / 300", "h * 300 * 300 / 300",
     "(h.astype(np.float32) * np.float32(300) * np.float32(300) / np.float32(300)).astype(np.float16)",
     "f16 is computed in f32, and NumPy rounds each step to f16"),
    ("m + m", "m + m", "m.astype(np.int32) + m.astype(np.int32)", "bool counts as 0 and 1, and NumPy takes the or"),
    ("m * m", "m * m", "m.astype(np.int32) * m.astype(np.int32)", "bool counts as 0 and 1, and NumPy takes the and"),
    ("i ^ 2", "i ^ 2", "i ** 2", "^ is the power, as ** is; NumPy's is the exclusive or"),
    ("u8(i)", "i.astype(np.uint8)", "np.clip(i, 0, 255).astype(np.uint8)", "casts to integers saturate; NumPy's wrap"),
    ("i8(k)", "k.astype(np.int8)", "np.clip(k, -128, 127).astype(np.int8)", "casts to integers saturate; NumPy's wrap"),
    ("m ? 1 : 0", "np.where(m, 1, 0)", "np.where(m, 1, 0).astype(np.complex128).real",
     "literals that meet nothing take the type of the inputs; NumPy's are int64"),
    ("m / 2", "m / 2", "m.astype(np.float32) / 2", "bool becomes f32"),
]

# Conditions beside literals, which count in i32.
COUNTS = ["2 * (x > 3) - 1", "255 * (x > 3) * (y > 1)", ("(x > 3) ** 2 + 300", "((x > 3) * 1) ** 2 + 300"),
          ("let t = 200 * (x > 3); t + t", "400 * (x > 3)"), ("abs(2 * (x > 3) - 1)", "np.abs(2 * (x > 3) - 1)"),
          ("max(x > 3, 2)", "np.maximum(x > 3, 2)"), ("let t = where(x > 3, 200, 0); t + t", "np.where(x > 3, 400, 0)")]

# Choices between literals, with their least and largest value, and what they meet: nothing, or x.
CHOICES = [
    ("x > 3 ? 255 : 0", "np.where(x > 3, 255, 0)", 0, 255, False),
    ("where(x > 3, 1, 0) - 1", "np.where(x > 3, 1, 0) - 1", -1, 0, False),
    ("2 - where(x > 3, 30000, where(y > 1, -1, 7)) * 2", "2 - np.where(x > 3, 30000, np.where(y > 1, -1, 7)) * 2",
     -59998, 4, False),
    ("x > 3 ? 3000000000 : 0", "np.where(x > 3, 3000000000, 0)", 0, 3000000000, False),
    ("abs(where(x > 3, -1, 2))", "np.abs(np.where(x > 3, -1, 2))", -2 ** 62, 2 ** 62, False),
    ("x * where(y > 1, -1, 1)", "x * np.where(y > 1, -1, 1)", -1, 1, True),
    ("max(x, where(y > 1, -1, 300))", "np.maximum(x, np.where(y > 1, -1, 300))", -1, 300, True),
    ("y > 1 ? x : x > 3 ? -1 : 2", "np.where(y > 1, x, np.where(x > 3, -1, 2))", -1, 2, True),
]
COMPARED = [("x > where(y > 1, -1, 300)", "x > np.where(y > 1, -1, 300)"), ("x < 2 * (y > 1) - 1", None)]

# ---- inputs ----

PAIRS = [(0.5, 2), (-1.5, 0.25), (3, -2), (0.125, 7), (-7.25, 3), (1, 1), (2.5, -0.5), (40, 0.0625), (-0.03125, -3),
         (0, 1.5),
         (-0.0, -2), (math.inf, 2), (math.nan, 1), (-math.inf, -1)]
ANGLES = [(0.5, 2), (-1.5, 0.25), (3, -2), (0.125, 7), (-1, 0.5), (1, 1), (0.25, -0.125), (-2, -3)]


def integer_pairs(dtype):
    low, high = int(np.iinfo(dtype).min), int(np.iinfo(dtype).max)
    pairs = [(0, 1), (7, 3), (5, 0), (100, 10), (2, 5), (3, 4), (low, 1), (high, 2), (high, high), (50, 7), (1, 2)]
    if low < 0:
        pairs += [(-7, 3), (7, -3), (-100, -7), (low, -1), (-1, low)]
    return pairs


def columns(names, types, rows):
    with np.errstate(all="ignore"):
        return {name: np.array([row[k] for row in rows]).astype(DTYPES[type])
                for k, (name, type) in enumerate(zip(names, types))}


def mixed_columns():
    return {
        "i": np.array([7, -7, 300, -1, 100000, 2], np.int32), "k": np.array([3, -1, 1000, 2**40, -5, 0], np.int64),
        "u": np.array([2, 255, 10, 3, 1, 100], np.uint8), "v": np.array([1, 2**63, 1000, 2**64 - 1, 0, 7], np.uint64),
        "h": np.array([0.5, -2, 10, 0.125, 1.5, -0.25], np.float16), "x": np.array([0.5, -1.25, 3, 7.75, -0.125, 2],
        np.float32),
        "d": np.array([0.1, -2.5, 1e6, 3, 0.75, -1], np.float64),
        "z": np.array([1 + 2j, -1j, 0.5, 3 - 4j, -2 + 0.25j, 1], np.complex64), "m": np.array([1, 0, 1, 1, 0, 0],
        np.bool_),
    }

# ---- output ----


def text_of(value):
    if isinstance(value, np.complexfloating):
        return text_of(value.real) + "," + text_of(value.imag)
    if isinstance(value, np.floating):
        return str(value)
    return str(int(value))


def line(values):
    return " ".join(text_of(value) for value in values)


FUNCTIONS_THAT_ROUND = re.compile(
    r"\b(lerp|sigmoid|rsqrt|cbrt|hypot|pow|exp|exp2|expm1|log|log2|log10|log1p|sin|cos|tan|asin|acos|atan|atan2|"
    r"sinh|cosh|tanh|asinh|acosh|atanh|erf|erfc|gamma|lgamma|polar|arg|arcsin|arccos|arctan|arctan2|arcsinh|arccosh|"
    r"arctanh|deg2rad|radians|rad2deg|degrees|power|mod|remainder|floor_divide|angle)\(|\*\*|\^|//|%")


# Differences of nearly equal numbers have the errors of these numbers, which are more units of the difference.
CANCELLED = {"0.5 - 0.5 * cos(2 * pi * x / 16)": 16}


def allowed(text, dtype):
    """Units in the last place: 4 for each function of either side whose result may be rounded twice, 20 for a complex
    number, and those of CANCELLED. Integers are equal."""
    if dtype.kind not in "fc":
        return 0
    return 4 * len(FUNCTIONS_THAT_ROUND.findall(text)) + (20 if dtype.kind == "c" else 0) + CANCELLED.get(text, 0)


def evaluate(expression, values):
    length = len(next(iter(values.values())))
    with np.errstate(all="ignore"):
        return np.broadcast_to(eval(expression, dict(NAMES, **values)), (length,))


class Output:
    def __init__(self):
        self.lines = []
        self.formulas = set()

    def group(self, variables, values):
        self.lines += ["", "variables " + variables]
        for name, column in values.items():
            self.lines.append("input " + line(column))

    def row(self, text, result, reason=""):
        self.formulas.add(text)
        self.lines.append(f"formula {TYPES[result.dtype]} {allowed(text, result.dtype)} {text}")
        if reason:
            self.lines.append("differs " + reason)
        self.lines.append("values " + line(result))

    def compare(self, text, theirs, ours, reason):
        """A row that differs from NumPy in the type or in a value, where it does."""
        is_same = theirs.dtype == ours.dtype and np.array_equal(theirs, ours, equal_nan=ours.dtype.kind in "fc")
        self.row(text, ours, "" if is_same else reason)
        return not is_same

    def rows(self, rows, values, reason="", convert=None):
        """`convert`: the type that graft's rules give the inputs, and why."""
        for row in rows:
            text, theirs, *rest = row if isinstance(row, tuple) else (row, row)
            plain = evaluate(theirs or text, values)
            if rest:
                self.compare(text, plain, evaluate(rest[0], values), rest[1])
            elif convert is None:
                self.row(text, plain)
            else:
                self.compare(text, plain, evaluate(theirs or text, converted(values, convert)), reason)

    def rows_of_f16(self, rows, values):
        """Computed in float32, with literals of f16, and rounded at the end."""
        for row in rows:
            text, theirs, *rest = row if isinstance(row, tuple) else (row, row)
            expression = with_literals_of_f16(rest[0] if rest else theirs)
            result = evaluate(expression, converted(values, np.float32))
            with np.errstate(all="ignore"):
                self.row(text, result.astype(np.float16) if result.dtype.kind == "f" else result)


    def choices(self, values, dtype):
        for row in COUNTS:
            text, theirs = row if isinstance(row, tuple) else (row, row)
            result = evaluate(theirs, values)
            self.compare(text, result, result.astype(np.int32), "a condition counts in i32")
        for text, theirs, least, most, meets in CHOICES:
            result = evaluate(theirs, values)
            held = next(t for t in (dtype, np.int32, np.int64)
                        if np.iinfo(t).min <= least and most <= np.iinfo(t).max)
            self.compare(text, result, result.astype(np.promote_types(dtype, held) if meets else held),
                         "a choice between literals has the first of the integers' type, i32 and i64 that holds it")
        self.rows(COMPARED, values)


def converted(values, dtype):
    return {name: column.astype(dtype) for name, column in values.items()}


def main():
    out = Output()
    for type in ("f16", "f32", "f64"):
        values = columns("xy", (type, type), PAIRS)
        out.group(f"{type} x, y", values)
        if type == "f16":
            out.rows_of_f16(FLOATING, values)
        else:
            out.rows(FLOATING + BY_NAMES, values)
    for type in ("i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64"):
        values = columns("xy", (type, type), integer_pairs(DTYPES[type]))
        out.group(f"{type} x, y", values)
        out.rows(INTEGERS + BY_NAMES_OF_INTEGERS + (SIGNED if type[0] == "i" else []), values)
        out.choices(values, DTYPES[type])
        narrow = int(type[1:]) <= 16
        out.rows(FROM_INTEGERS + BY_NAMES_FROM_INTEGERS, values, "integers of up to 16 bits become f32",
                 convert=np.float32 if narrow else np.float64)
    for type, real in (("c64", "f32"), ("c128", "f64")):
        points = [1, 1j, -1 + 0.5j, 3 - 4j, 0.5 + 2j, -2 - 3j, 0.0625 - 0.5j, 1.5 + 4j]
        rows = [(z, w, x) for k, z in enumerate(points) for w, x in ((points[(k * 3 + 1) % 8], ANGLES[k][0]),)]
        values = columns("zwx", (type, type, real), rows)
        out.group(f"{type} z, w, {real} x", values)
        out.rows(COMPLEX, values)
    values = columns("mnx", ("bool", "bool", "f32"), [(1, 1, 0.5), (1, 0, -2), (0, 1, 4), (0, 0, 1.5), (1, 1, 0)])
    out.group("bool m, n, f32 x", values)
    out.rows(BOOLEAN, values)
    values = mixed_columns()
    out.group(MIX, values)
    out.rows(MIXED, values)
    for text, theirs, ours, reason in DIFFERENCES:
        if not out.compare(text, evaluate(theirs, values), evaluate(ours, values), reason):
            sys.exit(f"NumPy has graft's result of `{text}`")
    head = [f"# Written by numpy_values.py with NumPy {np.__version__}: {len(out.formulas)} formulas.",
            "# Of each: the type of the result, how many units in the last place are allowed, the text, the reason if",
            "# NumPy's own result differs, and the values."]
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "numpy_values.txt")
    with open(path, "w", encoding="ascii") as file:
        file.write("\n".join(head + out.lines) + "\n")
    print(f"{path}: {len(out.formulas)} formulas")


main()
