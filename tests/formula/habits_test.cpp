// Formulas as people type them who come from NumPy, C, MATLAB or spreadsheets: each works, or is refused in words that
// tell what to type instead.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>
#include <vector>

#include "base/format.hpp"
#include "formula/elsewhere.hpp"
#include "formula/formula_text.hpp"
#include "formula/hints.hpp"

namespace graft::test {
namespace {

constexpr const char* kHabits = "f32 x, y, i32 n, bool mask, c64 z; f32 a, b";

// ---- thirty formulas and more of several fields that work as they are typed ----

TEST(FormulaHabits, Work) {
  constexpr const char* kFormulas[] = {
      // finance
      "a * (1 + b) ** n",
      "max(x - a, 0)",
      "(log(x / y) + (a + b**2 / 2)) / b",
      "0.5 * (1 + erf(x / sqrt(2)))",
      "x / y - 1",
      "exp(-a * x) * 1e4",
      // audio
      "20 * log10(abs(x) + 1e-9)",
      "10 ** (x / 20)",
      "tanh(a * x)",
      "0.5 - 0.5 * cos(2 * pi * n / 1024)",
      "sin(2*pi*440*x)",
      "clamp(x, -1.0, 1.0)",
      // images
      "0.299*x + 0.587*y + .114*a",
      "x ** (1 / 2.2)",
      "x <= 0.04045 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4",
      "u8(255 * x)",
      "1. - x",
      // physics
      "exp(-x**2/2)/sqrt(2*pi)",
      "hypot(x, y)",
      "abs(z)**2",
      "x*cos(a) - y*sin(a)",
      "1 / (exp(x) - 1)",
      "exp(-(x - a)**2 / (2 * b**2))",
      // statistics
      "(x - a) / b",
      "log1p(exp(x))",
      "isnan(x) ? a : x",
      "x < a || x > b",
      // machine learning
      "1 / (1 + exp(-x))",
      "x * sigmoid(x)",
      "0.5 * x * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 * x**3)))",
      "x > 0 ? x : 0.01 * x",
      // integers and masks
      "n // 2 % 7",
      "n % 2 == 0",
      "mask * x",
      "(x > 0) * x",
      "!mask",
      "-n ** 2",
  };
  for (const char* text : kFormulas) EXPECT_NO_THROW(formula(text, kHabits)) << text;
}

// What is typed in another way elsewhere, and the formula that it means.
TEST(FormulaHabits, MeanTheSame) {
  constexpr std::pair<std::string_view, std::string_view> kSame[] = {
      // Names of libraries.
      {"np.where(x > 0, x, 0)", "select(x > 0, x, 0)"},
      {"where(x > 0, x, 0)", "select(x > 0, x, 0)"},
      {"IF(x > 0, x, 0)", "select(x > 0, x, 0)"},
      {"np.exp(-x**2/2)/np.sqrt(2*np.pi)", "exp(-x**2/2)/sqrt(2*pi)"},
      {"numpy.sqrt(x)", "sqrt(x)"},
      {"math.sqrt(x) + math.inf", "sqrt(x) + inf"},
      {"torch.clamp(x, 0, 1)", "clamp(x, 0, 1)"},
      {"F.relu(x)", "relu(x)"},
      {"torch.nn.functional.sigmoid(x)", "sigmoid(x)"},
      {"cp.maximum(x, y)", "max(x, y)"},
      {"scipy.special.erf(x)", "erf(x)"},
      {"special.expit(x)", "sigmoid(x)"},
      {"special.gammaln(x)", "lgamma(x)"},
      {"clip(x, 0, 1)", "clamp(x, 0, 1)"},
      {"np.minimum(np.maximum(x, 0), 1)", "min(max(x, 0), 1)"},
      {"arcsin(x) + arccos(x) + arctan(x)", "asin(x) + acos(x) + atan(x)"},
      {"np.arctan2(y, x)", "atan2(y, x)"},
      {"arcsinh(x) + arccosh(x) + arctanh(x)", "asinh(x) + acosh(x) + atanh(x)"},
      {"np.absolute(x)", "abs(x)"},
      {"np.angle(z)", "arg(z)"},
      {"np.conjugate(z)", "conj(z)"},
      {"radians(x) + degrees(y)", "deg2rad(x) + rad2deg(y)"},
      {"np.power(x, 3)", "x ** 3"},
      {"ln(x)", "log(x)"},
      {"np.sign(x) + sgn(x)", "sign(x) + sign(x)"},
      // Operators by names.
      {"np.add(x, y)", "x + y"},
      {"np.multiply(2, np.subtract(x, y))", "2 * (x - y)"},
      {"mod(x, 2)", "x % 2"},
      {"np.remainder(n, 7)", "n % 7"},
      {"np.floor_divide(x, y)", "x // y"},
      {"np.negative(x)", "-x"},
      {"logical_and(x > 0, y > 0)", "x > 0 && y > 0"},
      {"np.logical_or(x, mask)", "x || mask"},
      {"np.logical_not(x)", "!x"},
      {"np.less_equal(x, y)", "x <= y"},
      {"np.bitwise_and(mask, x > 0)", "mask && x > 0"},
      // Python's operators of conditions.
      {"(x > 0) & (y < 1)", "x > 0 && y < 1"},
      {"(x > 0) | (y < 1) & mask", "x > 0 || (y < 1 && mask)"},
      {"mask & mask == mask", "(mask && mask) == mask"},
      {"~mask", "!mask"},
      {"~(x > 0) & ~mask", "!(x > 0) && !mask"},
      {"x > 0 and y > 0 or mask", "x > 0 && y > 0 || mask"},
      {"not x > 0", "!(x > 0)"},
      {"not mask and x > 0", "!mask && x > 0"},
      {"not not mask", "!!mask"},
      {"not (x > 0) == mask", "!((x > 0) == mask)"},
      {"x if x > 0 else 0", "x > 0 ? x : 0"},
      {"x if mask else y if x > 0 else 0", "mask ? x : x > 0 ? y : 0"},
      {"(x if mask else y) + 1", "(mask ? x : y) + 1"},
      // Numbers and types.
      {"1j * x", "complex(0, 1) * x"},
      {"1 + 2.5j", "1 + complex(0, 2.5)"},
      {"exp(2J * pi * x)", "exp(complex(0, 2) * pi * x)"},
      {"np.float32(n)", "f32(n)"},
      {"float64(x) + float16(y) + np.uint8(x)", "f64(x) + f16(y) + u8(x)"},
      {"complex64(x) + np.complex128(x)", "c64(x) + c128(x)"},
      {"int32(x) + np.single(n) + np.double(x) + bool_(x)", "i32(x) + f32(n) + f64(x) + bool(x)"},
      // Comments and lines.
      {"x + 1  # one more", "x + 1"},
      {"# twice => 2\nx * 2  # \xce\xb1 'text' [", "x * 2"},
      {"r = x + y\ns = x - y", "r = x + y; s = x - y"},
      {"\n  r = x +\n    y  # sum\n\n  s = r * 2\n", "r = x + y; s = r * 2"},
      {"r = x + y;\ns = x - y;\n", "r = x + y; s = x - y"},
  };
  for (const auto& [typed, means] : kSame) EXPECT_EQ(formula(typed, kHabits), formula(means, kHabits)) << typed;
}

TEST(FormulaHabits, ATemporaryIsNoOutput) {
  EXPECT_EQ(written("let t = x * x; t + 1", "f32 x"),
            "  const float graft_y0 = (graft_x0 * graft_x0);\n  return (graft_y0 + 1.0f);\n");
  EXPECT_EQ(written("let t = x * x\ny = t + 1", "f32 x"), written("let t = x * x; t + 1", "f32 x"));
  EXPECT_EQ(written("y = x + 1; let t = y * y; z = t + t", "f32 x"),
            "  graft_o0 = (graft_x0 + 1.0f);\n"
            "  const float graft_y0 = graft_o0;\n"
            "  const float graft_y1 = (graft_y0 * graft_y0);\n"
            "  graft_o2 = (graft_y1 + graft_y1);\n");
  // It is not rounded, as the expression in its place would not be; a cast rounds it.
  EXPECT_EQ(written("let t = h * h; t + 1", "f16 h"),
            "  const float graft_y0 = (__half2float(graft_x0) * __half2float(graft_x0));\n"
            "  return __float2half_rn((graft_y0 + 1.0f));\n");
  EXPECT_EQ(written("let t = h * h; f16(t) + 1", "f16 h"),
            "  const float graft_y0 = (__half2float(graft_x0) * __half2float(graft_x0));\n"
            "  return __float2half_rn((__half2float(__float2half_rn(graft_y0)) + 1.0f));\n");
  // A literal stays one: it takes the type that it meets.
  EXPECT_EQ(written("let k = 1 / 3; let n = 300; u8_ * k + i * n"), written("u8_ * (1 / 3) + i * 300"));
  EXPECT_EQ(written("let = x + 1; r = let * 2", "f32 x"), written("q = x + 1; r = q * 2", "f32 x"));
}

// ---- those that are refused ----

struct Refused {
  std::string_view text;
  std::string_view near;  // the words at the mistake
  std::string_view said;  // with "did you mean" and the suggestion
};

constexpr std::string_view kOfArray =
    " is of a whole array, and a formula computes one element: compute it first, by a reduction, and pass it as a "
    "parameter";

constexpr std::string_view kMissing = " is a function that formulas do not have";

constexpr Refused kRefused[] = {
    // Functions that mean something else, or are not there.
    {"np.sinc(x)", "np.sinc", "`sinc` is not known here; did you mean `x == 0 ? 1 : sin(pi * x) / (pi * x)`?"},
    {"np.fmax(x, y)", "np.fmax",
     "`fmax` takes the number of a number and a nan; did you mean `isnan(x) || x < y ? y : x`?"},
    {"fmin(x + 1, 0)", "fmin",
     "`fmin` takes the number of a number and a nan; did you mean `isnan(x + 1) || (x + 1) > 0 ? 0 : (x + 1)`?"},
    {"np.heaviside(x, 0.5)", "np.heaviside",
     "`heaviside` is not known here; did you mean `x == 0 ? 0.5 : 0.5 + 0.5 * sign(x)`?"},
    {"np.nan_to_num(x)", "np.nan_to_num",
     "`nan_to_num` replaces inf too; a nan alone is replaced by `isnan(x) ? 0 : x`"},
    {"np.logaddexp2(x, y)", "np.logaddexp2", "`logaddexp2`..."},
    {"np.logaddexp(2 * x, y)", "np.logaddexp",
     "`logaddexp` is computed so of finite numbers; did you mean `max(2 * x, y) + log1p(exp(-abs((2 * x) - y)))`?"},
    {"leaky_relu(x, 0.2)", "leaky_relu", "`leaky_relu` is not known here; of x, y and z it is `x > 0 ? x : 0.01 * x`"},
    {"x.clip(0)", "x.clip", "values have no methods in a formula; did you mean `max(x, 0)`?"},
    {"x.view(np.int32)", "x.view", "`view` is of a whole array, and a formula computes one element"},
    {"np.isclose(x, y)", "np.isclose",
     "`isclose` compares with tolerances, here those of NumPy for finite numbers; did you mean `abs(x - y) <= 1e-8 + "
     "1e-5 * abs(y)`?"},
    {"divmod(n, 7)", "divmod",
     "`divmod` has two results, which are two outputs of a formula; did you mean `q = n // 7; r = n % 7`?"},
    {"np.modf(x)", "np.modf",
     "`modf` has two results, which are two outputs of a formula; did you mean `f = x - trunc(x); i = trunc(x)`?"},
    {"np.full_like(x, a + b)", "np.full_like",
     "`full_like` is the same number for all elements; did you mean `a + b`?"},
    {"x + np.ones_like(x)", "np.ones_like", "`ones_like` is the same number for all elements; did you mean `1`?"},
    {"np.zeros_like(x)", "np.zeros_like", "`zeros_like` is the same number for all elements; did you mean `0`?"},
    {"np.left_shift(n, 3)", "np.left_shift", "`left_shift` is not known here; did you mean `n * 2 ^ 3`?"},
    {"np.right_shift(n, 3)", "np.right_shift", "`right_shift` is not known here; did you mean `n // 2 ^ 3`?"},
    {"np.euler_gamma", "np.euler_gamma", "`euler_gamma` is not known here; did you mean `0.5772156649015329`?"},
    {"np.PI * x", "np.PI", "`PI` is not known here; did you mean `pi`?"},
    {"-np.NINF", "np.NINF", "`NINF` is not known here; did you mean `-inf`?"},
    {"np.flor + 1", "np.flor", "`flor` is not known here; did you mean `floor`?"},
    {"np.finfo(np.float32).eps", "np.finfo",
     "`finfo` tells of a type: write its number, such as 1.1920929e-07, the eps of f32, or 2.220446049250313e-16, of "
     "f64"},
    {"np.iinfo(np.int32).max", "np.iinfo",
     "`iinfo` tells of a type: write its number, such as 2147483647, the max of i32"},
    {"arctg(x)", "arctg", "`arctg` is not known here; did you mean `atan(x)`?"},
    {"sind(x)", "sind", "`sind` is not known here; did you mean `sin(deg2rad(x))`?"},
    {"lg(x)", "lg", "`lg` is not known here; did you mean `log10(x)`?"},
    {"mag(z)", "mag", "`mag` is not known here; did you mean `abs(z)`?"},
    {"np.intc(x)", "np.intc", "`intc` is no name of a type here; did you mean `i32(x)`?"},
    {"np.polyval([a, b, 1], x)", "[",
     "`polyval` has an array of coefficients, which are numbers or parameters of a formula; did you mean `(a * x + b) "
     "* x + c`?"},
    {"np.angle(z, 1)", "np.angle", "`angle` takes 1 argument, and has 2: in degrees, write `rad2deg(arg(z))`"},
    {"np.angle(z, deg=True)", "=",
     "the arguments of functions have no names in a formula: in degrees, write `rad2deg(arg(z))`"},
    {"np.round(x, decimals=2)", "=",
     "the arguments of functions have no names in a formula; did you mean `round(x * 10 ^ 2) / 10 ^ 2`?"},
    {"np.log(x, base=2)", "=",
     "the arguments of functions have no names in a formula; did you mean `log(x) / log(2)`?"},
    {"np.log(x, out=y)", "=", "the arguments of functions have no names in a formula: give all of them in their order"},
    {"np.mean(x, axis=0)", "mean", "`mean`+"},
    {"x.std(ddof=1)", "std", "`std`+"},
    // Functions of complex numbers.
    {"np.isnan(z)", "np.isnan", "`isnan` takes no complex numbers; did you mean `isnan(real(z)) || isnan(imag(z))`?"},
    {"np.log10(z)", "np.log10", "`log10` takes no complex numbers; did you mean `log(z) / log(10)`?"},
    {"tan(z + 1)", "tan", "`tan` takes no complex numbers; did you mean `sin(z + 1) / cos(z + 1)`?"},
    {"floor(z)", "floor", "`floor` takes no complex numbers"},
    {"np.i0(x)", "np.i0", "`i0`..."},
    {"norm.cdf(x)", "norm.cdf", "`norm.cdf`...; did you mean `0.5 * erfc(-x / sqrt(2))`?"},
    {"np.sqrtt(x)", "np.sqrtt", "`sqrtt` is not known here; did you mean `sqrt`?"},
    {"np.reciprocal(x)", "np.reciprocal", "`reciprocal` is not known here; did you mean `1 / x`?"},
    {"cot(2 * x)", "cot", "`cot` is not known here; did you mean `1 / tan(2 * x)`?"},
    {"frac(x)", "frac", "`frac` is not known here; did you mean `x - trunc(x)`?"},
    {"np.bitwise_xor(mask, mask)", "np.bitwise_xor",
     "`bitwise_xor` works on bits, for which formulas have no operators; of conditions it is `!=`"},
    {"logical_xor(x, y > 0)", "logical_xor", "`logical_xor` is not known here; did you mean `bool(x) != bool(y > 0)`?"},
    {"torch.sign(x)", "torch.sign", "`torch.sign` of a nan is 0; did you mean `isnan(x) ? 0 : sign(x)`?"},
    {"math.pow(n, 2)", "math.pow", "`math.pow` computes in f64; did you mean `f64(n) ** f64(2)`?"},
    {"math.remainder(x, y)", "math.remainder",
     "`math.remainder` is that of the nearest quotient; `x % y` has the sign of y"},
    {"math.tau * x", "math.tau", "`tau` is not known here; did you mean `2 * pi`?"},
    {"np.sqrt", "np.sqrt", "`sqrt` is a function; did you mean `sqrt(x)`?"},
    {"np.linalg.norm(x)", "np.linalg.norm", "`np.linalg` is no library whose functions formulas know by their names"},
    {"cmath.sqrt(x)", "cmath.sqrt", "`cmath` is no library whose functions formulas know by their names"},
    {"std::sqrt(x)", "::", "`::` is no part of a formula: functions have their names alone"},
    {"pi() * x", "pi", "`pi` is a constant; did you mean `pi`?"},
    {"log(x, 2)", "log", "`log` takes 1 argument, and has 2; did you mean `log(x) / log(2)`?"},
    {"np.round(x, 2)", "np.round", "`round` takes 1 argument, and has 2; did you mean `round(x * 10 ^ 2) / 10 ^ 2`?"},
    {"where(x > 0, y)", "where", "`where` takes 3 arguments, and has 2; did you mean `select(x > 0, y, 0)`?"},
    {"np.select([x > 0], [y])", "[",
     "`select` chooses by lists of conditions, which stand in a row here; did you mean `c ? x : d ? y : z`?"},
    {"max(abs(x), [y])", "[", "`[` begins a list, and a formula has none: pass each of its values by itself"},
    {"clip(x, min=0, max=1)", "=",
     "the arguments of functions have no names in a formula: give all of them in their order"},
    {"clamp(x, 0, None)", "None", "`None` is no number; clamp with one bound is max or min"},
    {"select + 1", "select", "`select` is a function; did you mean `select(c, x, y)`?"},
    // Whole arrays.
    {"abs(x).max()", ".max", "`max`+"},
    {"x.sum()", "x.sum", "`sum`+"},
    {"(x - x.mean()) / x.std()", "x.mean", "`mean`+"},
    {"np.sum(x)", "np.sum", "`sum`+"},
    {"np.max(x)", "np.max", "`np.max`+"},
    {"x / sum(x)", "sum", "`sum`+"},
    {"max(x)", "max",
     "`max` takes 2 arguments or more, and has 1: a formula computes one element; compute the extreme of an array "
     "first, by a reduction, and pass it as a parameter"},
    {"np.sum(x).max()", "np.sum", "`sum`+"},
    {"np.sort(x)", "np.sort", "`sort` is of a whole array, and a formula computes one element"},
    {"x[0]", "[",
     "`[` is no part of a formula, which sees one element of each array: write its name, and pass slices as variables"},
    {"x @ y", "@", "`@` is the product of matrices, and a formula computes one element"},
    {"x.T", "x.T", "`T` is of a whole array, and a formula computes one element"},
    {"(x + y).T", ".T", "`T` is of a whole array, and a formula computes one element"},
    // Members of values.
    {"z.real", "z.real", "`z` is no struct, and has no fields; did you mean `real(z)`?"},
    {"z.conj()", "z.conj", "values have no methods in a formula; did you mean `conj(z)`?"},
    {"(z * z).imag", ".imag", "values have no methods in a formula; did you mean `imag(z * z)`?"},
    {"x.astype(np.float32)", "x.astype", "values have no methods in a formula; did you mean `f32(x)`?"},
    {"x.astype(np.uint8)", "x.astype", "values have no methods in a formula; did you mean `u8(x)`?"},
    {"(x * 255).astype(int)", ".astype", "values have no methods in a formula; did you mean `i64(x * 255)`?"},
    {"x.to(torch.float64)", "x.to", "values have no methods in a formula; did you mean `f64(x)`?"},
    {"x.float()", "x.float", "values have no methods in a formula; did you mean `f32(x)`?"},
    {"x.clip(0, 1)", "x.clip", "values have no methods in a formula; did you mean `clamp(x, 0, 1)`?"},
    {"(x + y).fmax(0)", ".fmax",
     "values have no methods in a formula; did you mean `isnan(x + y) || (x + y) < 0 ? 0 : (x + y)`?"},
    // Casts.
    {"float(n)", "float", "`float` of C++ is `f32(n)`, and that of Python f64; did you mean `f64(n)`?"},
    {"int(x * 2)", "int", "`int` of C++ is `i32(x * 2)`, and that of Python i64; did you mean `i64(x * 2)`?"},
    {"f8(x)", "f8", "`f8` is no name of a type here; did you mean `f64(x)`?"},
    {"i4(x)", "i4", "`i4` is no name of a type here; did you mean `i32(x)`?"},
    {"(int)x + 1", "int", "a cast has the value in the parentheses; did you mean `i32(x)`?"},
    {"(float)(n + 1)", "float", "a cast has the value in the parentheses; did you mean `f32(n + 1)`?"},
    {"u8(z)", "u8", "a complex number is no u8; did you mean `u8(real(z))`?"},
    // Words.
    {"x or 0", "or",
     "`or` of numbers is one of them in Python, and conditions are meant here; did you mean `x ? x : 0`?"},
    {"x and y", "and",
     "`and` of numbers is one of them in Python, and conditions are meant here; did you mean `x ? y : x`?"},
    {"x if mask", "if", "`if` has no `else` behind it; did you mean `x if c else y`?"},
    {"not -x > 0", "not", "`not` is not known here; did you mean `!(x)`?"},
    {"lambda x: x", "lambda", "`lambda` begins no formula, which is one expression"},
    {"return x", "return", "`return` begins no formula, which is one expression"},
    {"x is y", "is", "`is` is no operator of formulas; did you mean `x == y`?"},
    {"n in (1, 2)", "in", "`in` is no operator of formulas; did you mean `x == a || x == b`?"},
    {"for n in x", "for", "`for` is of loops, which formulas do not have: write a callback in CUDA C++"},
    {"mask == True", "True", "`True` is not known here; did you mean `bool(1)`?"},
    {"mask ? False : x", "False", "`False` is not known here; did you mean `bool(0)`?"},
    {"x == None", "None", "`None` is no number; clamp with one bound is max or min"},
    {"0 < x < 1", "<",
     "comparisons in a row mean different things to different people; did you mean `0 < x && x < 1`?"},
    {"0 < x < y <= 1", "<",
     "comparisons in a row mean different things to different people; did you mean `a < b && b < c`?"},
    {"let t == x", "let", "`let` names a value; did you mean `let t = x * x; t + 1`?"},
    {"let t = x", "t", "a formula ends with an output, and `let` names none"},
    {"let t = x; y + 1", "t", "`t` is used by nothing; an output has no `let` before it"},
    {"x = x + 1", "x",
     "`x` is a variable, which a formula does not change: give the output another name; did you mean `out = x + 1`?"},
    {"r = x; r = y", "r", "`r` is the name of another value"},
    {"r = x\ny", "y", "a formula with several outputs names each of them; did you mean `y = a; z = b`?"},
    {"s = x + y; s*2", "s",
     "a formula with several outputs names each of them, and a value that is none has `let` before its name; did you "
     "mean `let s = x + y; s*2`?"},
    {"s = x + y # a sum\nlet t = s\ns * t", "s",
     "a formula with several outputs names each of them, and a value that is none has `let` before its name; did you "
     "mean `let s = x + y; let t = s; s * t`?"},
    {"s = x + # a sum\ny; s * 2", "s",
     "a formula with several outputs names each of them, and a value that is none has `let` before its name; did you "
     "mean `let t = x * x; t + 1`?"},
    {"(x, y)", ",",
     "`,` separates arguments of functions, and several outputs have names; did you mean `a = x; b = y`?"},
    {"x + y, x - y", ",",
     "`,` separates arguments of functions, and several outputs have names; did you mean `a = x; b = y`?"},
    // Operators.
    {"n & 3", "&", "`&` takes conditions, and formulas have no operators of bits; did you mean `n % 4`?"},
    {"n & 5", "&", "`&` takes conditions, and formulas have no operators of bits: bit k of n is `n // 2 ^ k % 2`"},
    {"n & 0xF0", "0xF0", "numbers are decimal; did you mean `240`?"},
    {"u8(n) & 255", "&", "`&` takes conditions, and formulas have no operators of bits; did you mean `u8(n)`?"},
    {"i8(n) & 127", "&",
     "`&` takes conditions, and formulas have no operators of bits; did you mean `i32(i8(n)) % 128`?"},
    {"i8(n) & 5", "&", "`&` takes conditions, and formulas have no operators of bits: bit k of n is `n // 2 ^ k % 2`"},
    {"(n ^ 3) & 1", "&", "`&` takes conditions, and formulas have no operators of bits, and their `^` is the power"},
    {"n >> 1 ^ 3", ">>", "formulas have no `>>`, and their `^` is the power"},
    {"mask ^ 1", "^", "`^` is the power, and not the exclusive or; did you mean `mask != 1`?"},
    {"n & 48", "&", "`&` takes conditions, and formulas have no operators of bits; did you mean `n // 16 % 4 * 16`?"},
    {"n | 48", "|",
     "`|` takes conditions, and formulas have no operators of bits; did you mean `n - n // 16 % 4 * 16 + 48`?"},
    {"n & 240", "&", "`&` takes conditions, and formulas have no operators of bits; did you mean `n // 16 % 16 * 16`?"},
    {"240 & n", "&", "`&` takes conditions, and formulas have no operators of bits; did you mean `n // 16 % 16 * 16`?"},
    {"n | 1", "|", "`|` takes conditions, and formulas have no operators of bits; did you mean `n - n % 2 + 1`?"},
    {"n & 4 != 0", "&", "`&` takes conditions, and formulas have no operators of bits; did you mean `n // 4 % 2 * 4`?"},
    {"(n & 4) != 0", "&",
     "`&` takes conditions, and formulas have no operators of bits; did you mean `n // 4 % 2 * 4`?"},
    {"n | n", "|", "`|` takes conditions, and formulas have no operators of bits: bit k of n is `n // 2 ^ k % 2`"},
    {"~n", "~", "`~` takes conditions, and formulas have no operators of bits; did you mean `-n - 1`?"},
    {"~x", "~", "`~` takes conditions, and its operand is a number"},
    {"np.invert(n + 1)", "np.invert",
     "`np.invert` takes conditions, and formulas have no operators of bits; did you mean `-(n + 1) - 1`?"},
    {"x > 0 & y > 0", "&",
     "`&` binds more tightly than comparisons, as in Python: put these in parentheses; did you mean `(x > 0) & (y > "
     "0)`?"},
    {"n == 0 & n > 0", "&",
     "`&` takes conditions, and binds more tightly than comparisons, as in Python: put these in parentheses; did you "
     "mean `(n == 0) & (n > 0)`?"},
    {"x & 1", "&", "`&` takes conditions, and an operand is a number; did you mean `(x > 0) & (y > 0)`?"},
    {"x == 0 | y == 0 | n == 0", "|",
     "`|` binds more tightly than comparisons, as in Python: put these in parentheses; did you mean `(a < b) | (c < "
     "d)`?"},
    {"x > 0 & mask", "&",
     "`&` takes conditions, and binds more tightly than comparisons, as in Python: put these in parentheses; did you "
     "mean `(x > 0) & mask`?"},
    {"mask & n == 0 & n > 0", "&",
     "`&` takes conditions, and binds more tightly than comparisons, as in Python: put these in parentheses; did you "
     "mean `(x > 0) & (y > 0)`?"},
    {"x > 0 | mask", "|",
     "`|` takes conditions, and binds more tightly than comparisons, as in Python: put these in parentheses; did you "
     "mean `(x > 0) | mask`?"},
    {"mask & x > 0", "&",
     "`&` takes conditions, and binds more tightly than comparisons, as in Python: put these in parentheses; did you "
     "mean `mask & (x > 0)`?"},
    {"mask ^ mask", "^", "`^` is the power, and not the exclusive or; did you mean `mask != mask`?"},
    {"mask & mask ^ mask & !mask ^ mask", "^",
     "`^` is the power, and not the exclusive or; did you mean `(a & b) != c`?"},
    {"n << 2", "<<", "`<<` is no operator of formulas; did you mean `n * 2 ^ 2`?"},
    {"n + 1 >> n", ">>", "`>>` is no operator of formulas; did you mean `(n + 1) // 2 ^ n`?"},
    {"n ^ -1", "^", "an integer to a negative power is no integer; did you mean `f64(n) ^ (-1)`?"},
    {"x <> y", "<>", "`<>` is no part of a formula; did you mean `!=`?"},
    {"x => y", "=>",
     "`=>` is no operator; it stands behind variables that are given with their formula; did you mean `>=`?"},
    {"x .* y", ".*", "`.*` is no part of a formula; did you mean `*`?"},
    {"x.^2", ".^", "`.^` is no part of a formula; did you mean `^`?"},
    {"x += 1", "+=",
     "`+=` changes a variable, and a formula changes none: give the new value a name of its own; did you mean "
     "`out = x + 1`?"},
    {"x **= 2", "**=",
     "`**=` changes a variable, and a formula changes none: give the new value a name of its own; did you mean "
     "`out = x ** 2`?"},
    {"x++", "+", "the formula ends too early; did you mean `x + 1`?"},
    {"y--", "-", "the formula ends too early; did you mean `y - 1`?"},
    {"2(x + 1)", "(", "an operator is missing before `(`; did you mean `2 * (x + 1)`?"},
    {"sin^2(x)", "(", "an operator is missing before `(`; did you mean `sin(x)^2`?"},
    // Numbers and texts.
    {"1i * x", "1i", "in `1i` a letter follows a number; did you mean `1j`?"},
    {"2x", "2x", "in `2x` a letter follows a number; did you mean `2 * x`?"},
    {"1_000 * x", "1_000", "in `1_000` a letter follows a number; did you mean `1000`?"},
    {"1.0f * x", "1.0f", "in `1.0f` a letter follows a number; did you mean `1.0`?"},
    {"1u * n", "1u", "in `1u` a letter follows a number; did you mean `1`?"},
    {"1d0 * x", "1d0", "in `1d0` a letter follows a number; did you mean `1e0`?"},
    {"n % 0b101", "0b101", "numbers are decimal; did you mean `5`?"},
    {"n % 0B101", "0B101", "numbers are decimal; did you mean `5`?"},
    {"n % 0o17", "0o17", "numbers are decimal; did you mean `15`?"},
    {"x.astype('f4')", "'", "`'` begins a text, and a formula has only numbers; types have no quotes: `u8(x)`"},
    {"\xce\xb8 * x", "??", "formulas are written in ASCII; did you mean `theta`?"},
    {"x\xc2\xa0+ 1", "??", "this space is no ASCII: type an ordinary one"},
    {"x == \xe2\x80\x9c"
     "a",
     "???", "a quotation mark begins a text, and a formula has only numbers"},
    {"\xce\xba * x", "?", "the byte 0xce is no ASCII, as formulas are"},
};

TEST(FormulaHabits, AreRefusedInWordsThatHelp) {
  for (const Refused& row : kRefused) {
    const Error error = error_of_formula(row.text, kHabits);
    ASSERT_EQ(error.diagnostics().size(), 1u) << row.text;
    std::string said(row.said);
    if (said.ends_with("`+")) said = said.substr(0, said.size() - 1) + std::string(kOfArray);
    if (const std::size_t at = said.find("`..."); at != said.npos) said.replace(at + 1, 3, kMissing);
    EXPECT_EQ(error.diagnostics()[0].text, said) << row.text;
    EXPECT_EQ(error.diagnostics()[0].near, row.near) << row.text;
    if (!error.diagnostics()[0].suggestion.empty()) {
      EXPECT_NO_THROW(formulas::parse(suggested(row.text, error.diagnostics()[0]))) << row.text;
    }
  }
}

// A literal that its type does not hold becomes one of a type that does.
TEST(FormulaHabits, LiteralsOutOfRangeGetATypeThatHoldsThem) {
  constexpr std::array<std::string_view, 3> kRows[] = {
      {"u8_ < 256", "`256` is out of the range of u8; did you mean `i32(256)`?", "u8_ < i32(256)"},
      {"i * 3000000000", "`3000000000` is out of the range of i32; did you mean `i64(3000000000)`?",
       "i * i64(3000000000)"},
      {"h + 1e5", "`1e+05` is out of the range of f16; did you mean `f32(1e+05)`?", "h + f32(1e+05)"},
  };
  for (const auto& [text, said, better] : kRows) {
    EXPECT_EQ(error_of_formula(text).diagnostics()[0].text, said);
    EXPECT_NO_THROW(formula(better, kVariables)) << better;
  }
}

// What the tables say to type is a formula, or a symbol.
TEST(FormulaHabits, AllHintsAreFormulas) {
  const std::vector<std::string> hints = formulas::all_hints();
  EXPECT_GT(hints.size(), 100u);
  for (const std::string& hint : hints) {
    EXPECT_NO_THROW(formula(hint, "f32 x, y, z, a, b, bool c, d")) << hint;
  }
}

// What a message suggests means, in its place, what was typed.
TEST(FormulaHabits, SuggestionsKeepTheirMeaningInTheirPlace) {
  constexpr std::pair<std::string_view, std::string_view> kRows[] = {
      {"y / {log(y, 2)}", "y / (log(y) / log(2))"},
      {"2 * {~n}", "2 * (-n - 1)"},
      {"({~n}) ** 2", "(-n - 1) ** 2"},
      {"-({n | 1})", "-(n - n % 2 + 1)"},
      {"({n & 240}) // 16", "(n // 16 % 16 * 16) // 16"},
      {"mask | {mask ^ mask}", "mask | (mask != mask)"},
      {"{(x > 0) & mask ^ (y > 0)}", "((x > 0) & mask) != (y > 0)"},
      {"mask | {mask ^ mask & (y > 0) & mask}", "mask | (mask != (mask & (y > 0) & mask))"},
      {"(x > 0) & ({mask ^ (y > 0)})", "(x > 0) & (mask != (y > 0))"},
      {"({mask ^ mask}) == mask", "(mask != mask) == mask"},
      {"not {mask ^ mask}", "not (mask != mask)"},
      {"1 - ({x or y})", "1 - (x ? x : y)"},
      {"({x or y}) * 2", "(x ? x : y) * 2"},
      {"mask == {x > 0 & y > 0}", "mask == ((x > 0) & (y > 0))"},
      {"mask && {n == 0 & n > 0}", "mask && ((n == 0) & (n > 0))"},
      {"mask == ({n == 0 & n > 0})", "mask == ((n == 0) & (n > 0))"},
      {"{0 < x < 1} ? x : y", "(0 < x && x < 1) ? x : y"},
      {"mask || {0 < x < 1}", "mask || (0 < x && x < 1)"},
      {"2 * {x.fmax(y)}", "2 * (isnan(x) || x < y ? y : x)"},
      {"{(-x).fmax(1)} + 1", "(isnan(-x) || -x < 1 ? 1 : -x) + 1"},
      {"2 ^ {x.reciprocal()}", "2 ^ (1 / x)"},
      {"x / {2(y + 1)}", "x / (2 * (y + 1))"},
      {"{2(y + 1)^2} - x", "2 * (y + 1)^2 - x"},
      {"x / {2y}", "x / (2 * y)"},
      {"x + {2y}", "x + 2 * y"},
      {"{2x}^2", "2 * x^2"},
      {"a * {(int)x} ^ 2", "a * i32(x) ^ 2"},
      {"1 / {math.tau} * x", "1 / (2 * pi) * x"},
      {"-{np.NINF}", "- -inf"},
      {"{np.NINF} ** 2", "(-inf) ** 2"},
      {"2 ** {n ^ -1}", "2 ** (f64(n) ^ (-1))"},
      {"({n ^ -1}) ** 2", "(f64(n) ^ (-1)) ** 2"},
      {"!{isnan(z)}", "!(isnan(real(z)) || isnan(imag(z)))"},
      {"1 / {tan(z)}", "1 / (sin(z) / cos(z))"},
      {"x * {torch.sign(y)}", "x * (isnan(y) ? 0 : sign(y))"},
      {"1 / {math.pow(n, 2)} // 2", "1 / (f64(n) ** f64(2)) // 2"},
  };
  for (const auto& [text, means] : kRows) {
    const Marked marked(text);
    const Diagnostic found = error_of_formula(marked.typed(), kHabits).diagnostics().at(0);
    ASSERT_FALSE(found.suggestion.empty()) << text;
    EXPECT_EQ(formula(marked.with(found.suggestion), kHabits), formula(means, kHabits))
        << marked.with(found.suggestion);
    if (text.find("({") != text.npos) {
      const std::string_view inside = std::string_view(found.suggestion).substr(1, found.suggestion.size() - 2);
      EXPECT_TRUE(found.suggestion.front() != '(' || first_mistake(parse_only, inside)) << text;
    }
  }
}

// The same of each hint, between all neighbours.
TEST(FormulaHabits, HintsKeepTheirMeaningBesideAllOperators) {
  constexpr std::string_view kPlaces[] = {
      "{}",
      "2 * {}",
      "{} * 2",
      "y - {}",
      "{} - y",
      "y / {}",
      "{} / y",
      "{} // 2",
      "2 % {}",
      "{} ^ 2",
      "2 ^ {}",
      "{} ** {}",
      "-{}",
      "y * -{}",
      "!{}",
      "!{} == mask",
      "y < {}",
      "{} < y",
      "mask == {}",
      "{} != mask",
      "mask && {}",
      "{} || mask",
      "not {}",
      "mask and not {}",
      "{} ? x : y",
      "mask ? {} : y",
      "mask ? y : {}",
      "{} if mask else y",
      "x if {} else y",
      "x if mask else {}",
      "max({}, y)",
      "max(y, {})",
      "({}) * 2",
      "r = {}; s = r",
      "r = y\ns = {}\nt = y",
      "y - {} # {}",
      "y -  # two\n {} * 2",
  };
  constexpr std::string_view kFunctions[] = {"sinc",       "fmax",     "fmin",        "cot",        "frac",
                                             "reciprocal", "exp10",    "logical_xor", "silu",       "heaviside",
                                             "mad",        "softplus", "signbit",     "left_shift", "right_shift",
                                             "leaky_relu", "xlogy",    "clamp_min"};
  const auto arguments_of = [](std::string_view name) {
    std::vector<std::string> arguments;
    for (const formulas::Token& token : formulas::tokenize(formulas::name_elsewhere(name)->here))
      for (const char* one : {"x", "y", "z"})
        if (token.in(formulas::name_elsewhere(name)->here) == one && !std::ranges::count(arguments, one))
          arguments.emplace_back(one);
    std::ranges::sort(arguments);
    std::ranges::replace(arguments, "z", "a");
    return arguments;
  };
  const auto with = [](std::string_view place, std::string_view piece) {
    std::string text(place);
    for (std::size_t at = text.find("{}"); at != text.npos; at = text.find("{}")) text.replace(at, 2, piece);
    return text;
  };
  for (const std::string_view name : kFunctions) {
    const std::vector<std::string> arguments = arguments_of(name);
    const std::string call = base::format("{}({})", name, base::join(arguments, ", "));
    const std::string meant = formulas::filled_in(formulas::name_elsewhere(name)->here, arguments);
    for (const std::string_view place : kPlaces) {
      const std::string typed = with(place, call);
      const std::string suggestion = error_of_formula(typed, kHabits).diagnostics().at(0).suggestion;
      const std::string corrected = with(place, suggestion);
      EXPECT_EQ(to_text(formulas::parse(corrected)), to_text(formulas::parse(with(place, "(" + meant + ")"))))
          << typed << ": " << corrected;
    }
  }
}

// A function that an application registers hides the one that it is named for, but not that of a library.
TEST(FormulaHabits, TakeNoNameFromFunctions) {
  const std::vector<FormulaFunction> functions = {
      {"where", "f32", {"f32"}, "__device__ float where(float x) { return x; }"},
      {"add", "f32", {"f32", "f32"}, "__device__ float add(float x, float y) { return x - y; }"},
      {"complex", "f32", {"f32", "f32"}, "__device__ float complex(float x, float y) { return x; }"}};
  const auto text_of = [&](std::string_view text) { return formula(text, {{"x", "f32"}}, {}, functions).text(); };
  EXPECT_NE(text_of("where(x)").find("where(graft_x0)"), std::string::npos);
  EXPECT_NE(text_of("add(x, 1)").find("add(graft_x0, 1.0f)"), std::string::npos);
  EXPECT_EQ(text_of("np.add(x, 1)"), text_of("x + 1"));
  EXPECT_EQ(text_of("np.where(x > 0, x, 0)"), text_of("x > 0 ? x : 0"));
  EXPECT_EQ(text_of("2j * x").find("complex(float x"), std::string::npos);
}

// The words of elsewhere are names like others.
TEST(FormulaHabits, TakeNoNameFromVariables) {
  EXPECT_EQ(written("sum + lambda * True", "f32 sum, lambda, True"), "  return (graft_x0 + (graft_x1 * graft_x2));\n");
  EXPECT_EQ(error_of_formula("T + 1", "f32 t1").diagnostics()[0].text, "`T` is not known here");
  EXPECT_EQ(error_of_formula("lambdo + 1", "f32 lambda").diagnostics()[0].suggestion, "lambda");
}

}  // namespace
}  // namespace graft::test
