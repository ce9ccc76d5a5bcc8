#include "formula/elsewhere.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <vector>

#include "base/format.hpp"
#include "base/shown_piece.hpp"
#include "formula/cuda_names.hpp"
#include "formula/functions.hpp"
#include "formula/is_among.hpp"
#include "formula/mistake.hpp"
#include "formula/token.hpp"
#include "formula/type.hpp"

namespace graft::formulas {
namespace {

constexpr std::string_view kWholeArray = " is of a whole array, and a formula computes one element";
constexpr std::string_view kOneResult =
    " is of a whole array, and a formula computes one element: compute it first, by a reduction, and pass it as a "
    "parameter";
constexpr std::string_view kChangesNothing =
    " changes a variable, and a formula changes none: give the new value a name of its own";
constexpr std::string_view kTwoResults = " has two results, which are two outputs of a formula";
constexpr std::string_view kNearestQuotient = " is that of the nearest quotient; `x % y` has the sign of y";
constexpr std::string_view kAwayFromZero = " rounds halves away from zero, and is computed so of finite numbers";
constexpr std::string_view kOneExpression = " begins no formula, which is one expression";

constexpr Elsewhere kNamesElsewhere[] = {
    {"False", "bool(0)", {}},
    {"INFINITY", "inf", {}},
    {"Inf", "inf", {}},
    {"NAN", "nan", {}},
    {"NINF", "-inf", {}},
    {"NaN", "nan", {}},
    {"None", {}, " is no number; clamp with one bound is max or min"},
    {"PI", "pi", {}},
    {"PINF", "inf", {}},
    {"Pi", "pi", {}},
    {"True", "bool(1)", {}},
    {"acosd", "rad2deg(acos(x))", {}},
    {"acot", "atan(1 / x)", {}},
    {"arcctg", "atan(1 / x)", {}},
    {"arctg", "atan(x)", {}},
    {"asind", "rad2deg(asin(x))", {}},
    {"atan2d", "rad2deg(atan2(x, y))", {}},
    {"atand", "rad2deg(atan(x))", {}},
    {"betaln", "lgamma(x) + lgamma(y) - lgamma(x + y)", {}},
    {"bitwise_left_shift", "x * 2 ^ y", {}},
    {"bitwise_right_shift", "x // 2 ^ y", {}},
    {"bitwise_xor", {}, " works on bits, for which formulas have no operators; of conditions it is `!=`"},
    {"ceiling", "ceil(x)", {}},
    {"clamp_max", "min(x, y)", {}},
    {"clamp_min", "max(x, y)", {}},
    {"ch", "cosh(x)", {}},
    {"cosd", "cos(deg2rad(x))", {}},
    {"cosec", "1 / sin(x)", {}},
    {"cospi", "cos(pi * x)", {}},
    {"cot", "1 / tan(x)", {}},
    {"coth", "1 / tanh(x)", {}},
    {"csc", "1 / sin(x)", {}},
    {"csch", "1 / sinh(x)", {}},
    {"ctg", "1 / tan(x)", {}},
    {"cube", "x ^ 3", {}},
    {"div", "x / y", {}},
    {"divmod", "q = x // y; r = x % y", kTwoResults},
    {"elu", "x > 0 ? x : expm1(x)", {}},
    {"euler_gamma", "0.5772156649015329", {}},
    {"exp10", "10.0 ^ x", {}},
    {"false", "bool(0)", {}},
    {"fdim", "max(x - y, 0)", {}},
    {"factorial", "gamma(x + 1)", {}},
    {"fdivide", "x / y", {}},
    {"finfo",
     {},
     " tells of a type: write its number, such as 1.1920929e-07, the eps of f32, or 2.220446049250313e-16, of f64"},
    {"float_power", "f64(x) ^ y", {}},
    {"fmax", "isnan(x) || x < y ? y : x", " takes the number of a number and a nan"},
    {"fmin", "isnan(x) || x > y ? y : x", " takes the number of a number and a nan"},
    {"frac", "x - trunc(x)", {}},
    {"full_like", "y", " is the same number for all elements"},
    {"gelu", "x * (1 + erf(x / sqrt(2))) / 2", {}},
    {"hardtanh", "clamp(x, -1, 1)", {}},
    {"heaviside", "x == 0 ? y : 0.5 + 0.5 * sign(x)", {}},
    {"iinfo", {}, " tells of a type: write its number, such as 2147483647, the max of i32"},
    {"infinity", "inf", {}},
    {"infty", "inf", {}},
    {"inversesqrt", "rsqrt(x)", {}},
    {"iscomplex", "imag(x) != 0", {}},
    {"isreal", "imag(x) == 0", {}},
    {"isclose", "abs(x - y) <= 1e-8 + 1e-5 * abs(y)",
     " compares with tolerances, here those of NumPy for finite numbers"},
    {"lb", "log2(x)", {}},
    {"leaky_relu", "x > 0 ? x : 0.01 * x", {}},
    {"left_shift", "x * 2 ^ y", {}},
    {"lg", "log10(x)", {}},
    {"logaddexp", "max(x, y) + log1p(exp(-abs(x - y)))", " is computed so of finite numbers"},
    {"logical_xor", "bool(x) != bool(y)", {}},
    {"logistic", "sigmoid(x)", {}},
    {"logit", "log(x / (1 - x))", {}},
    {"llrint", "i64(rint(x))", {}},
    {"llround", "i64(trunc(x) + trunc(2 * (x - trunc(x))))", kAwayFromZero},
    {"lrint", "i64(rint(x))", {}},
    {"lround", "i64(trunc(x) + trunc(2 * (x - trunc(x))))", kAwayFromZero},
    {"mad", "x * y + z", {}},
    {"mag", "abs(x)", {}},
    {"magnitude", "abs(x)", {}},
    {"mix", "lerp(x, y, z)", {}},
    {"mish", "x * tanh(log1p(exp(x)))", {}},
    {"modf", "f = x - trunc(x); i = trunc(x)", kTwoResults},
    {"nan_to_num", {}, " replaces inf too; a nan alone is replaced by `isnan(x) ? 0 : x`"},
    {"nanf", "nan", {}},
    {"ndtr", "0.5 * erfc(-x / sqrt(2))", {}},
    {"nearbyint", "rint(x)", {}},
    {"norm3d", "hypot(hypot(x, y), z)", {}},
    {"normcdf", "0.5 * erfc(-x / sqrt(2))", {}},
    {"not", "!(x)", {}},
    {"ones_like", "1", " is the same number for all elements"},
    {"phase", "arg(x)", {}},
    {"polyval", "(a * x + b) * x + c", " has an array of coefficients, which are numbers or parameters of a formula"},
    {"rcbrt", "1 / cbrt(x)", {}},
    {"rcp", "1 / x", {}},
    {"reciprocal", "1 / x", {}},
    {"relu6", "clamp(x, 0, 6)", {}},
    {"rem", "fmod(x, y)", {}},
    {"remainderf", {}, kNearestQuotient},
    {"rhypot", "1 / hypot(x, y)", {}},
    {"right_shift", "x // 2 ^ y", {}},
    {"rnorm3d", "1 / hypot(hypot(x, y), z)", {}},
    {"roundf", "trunc(x) + trunc(2 * (x - trunc(x)))", kAwayFromZero},
    {"saturate", "clamp(x, 0, 1)", {}},
    {"sec", "1 / cos(x)", {}},
    {"sech", "1 / cosh(x)", {}},
    {"sh", "sinh(x)", {}},
    {"signbit", "copysign(1, x) < 0", {}},
    {"silu", "x * sigmoid(x)", {}},
    {"sind", "sin(deg2rad(x))", {}},
    {"sincos", "sine = sin(x); cosine = cos(x)", kTwoResults},
    {"sincospi", "sine = sin(pi * x); cosine = cos(pi * x)", kTwoResults},
    {"sinpi", "sin(pi * x)", {}},
    {"sinc", "x == 0 ? 1 : sin(pi * x) / (pi * x)", {}},
    {"softplus", "max(x, 0) + log1p(exp(-abs(x)))", {}},
    {"sqr", "x ^ 2", {}},
    {"swish", "x * sigmoid(x)", {}},
    {"tand", "tan(deg2rad(x))", {}},
    {"tau", "2 * pi", {}},
    {"tg", "tan(x)", {}},
    {"th", "tanh(x)", {}},
    {"true", "bool(1)", {}},
    {"xlogy", "x == 0 && !isnan(y) ? 0 : x * log(y)", {}},
    {"zeros_like", "0", " is the same number for all elements"},
};

// Functions of a whole array whose result is one number, and which reductions compute.
constexpr std::string_view kWithOneResult[] = {
    "all",    "allclose", "amax",      "amin", "any",    "argmax",  "argmin", "average", "count_nonzero",
    "dot",    "inner",    "logsumexp", "mean", "nanmax", "nanmean", "nanmin", "nanstd",  "nansum",
    "nanvar", "prod",     "ptp",       "std",  "sum",    "var",     "vdot",
};

// Other functions of whole arrays, and of their shapes.
constexpr std::string_view kOfArrays[] = {
    "arange",    "argsort",  "argwhere",     "array",       "asarray",  "concat",     "concatenate", "convolve",
    "correlate", "corrcoef", "cov",          "cross",       "cumprod",  "cumsum",     "cummax",      "cummin",
    "diff",      "einsum",   "flip",         "full",        "gradient", "histogram",  "interp",      "isin",
    "kron",      "len",      "linspace",     "log_softmax", "matmul",   "median",     "meshgrid",    "nancumsum",
    "nanmedian", "ndim",     "nonzero",      "ones",        "outer",    "percentile", "quantile",    "repeat",
    "reshape",   "roll",     "searchsorted", "shape",       "size",     "softmax",    "sort",        "stack",
    "swapaxes",  "take",     "tensordot",    "tile",        "trace",    "transpose",  "tril",        "triu",
    "unique",    "view",     "zeros",
};

// Functions that formulas do not have, and no short formula computes.
constexpr std::string_view kMissing[] = {
    "betainc",    "cyl_bessel_i0", "cyl_bessel_i1", "digamma",    "erfcinv", "erfcx",   "erfinv",    "exprel",
    "frexp",      "gammainc",      "gcd",           "i0",         "ilogb",   "j0",      "j1",        "jn",
    "lcm",        "ldexp",         "log_ndtr",      "logaddexp2", "logb",    "ndtri",   "nextafter", "norm4d",
    "normcdfinv", "normf",         "polygamma",     "print",      "rand",    "randn",   "random",    "remquo",
    "rnorm",      "rnorm4d",       "scalbln",       "scalbn",     "spacing", "uniform", "y0",        "y1",
    "yn",         "zeta",
};

// Methods of arrays that are functions of several values in a formula.
constexpr std::string_view kExtremes[] = {"max", "min"};
// Properties of arrays that are no functions.
constexpr std::string_view kProperties[] = {"T", "flat", "itemsize", "mT", "nbytes", "strides"};

constexpr std::string_view kLoops = " is of loops, which formulas do not have: write a callback in CUDA C++";

constexpr Elsewhere kWordsElsewhere[] = {
    {"def", {}, kOneExpression},
    {"div", "x // y", {}},
    {"elif", "c ? x : y", {}},
    {"else", "c ? x : y", {}},
    {"for", {}, kLoops},
    {"from", {}, kOneExpression},
    {"if", "c ? x : y", {}},
    {"import", {}, kOneExpression},
    {"in", "x == a || x == b", {}},
    {"is", "x == y", {}},
    {"lambda", {}, kOneExpression},
    {"mod", "x % y", {}},
    {"not", "!(x > 0)", {}},
    {"return", {}, kOneExpression},
    {"then", "c ? x : y", {}},
    {"while", {}, kLoops},
    {"xor", "bool(x) != bool(y)", {}},
};

constexpr std::string_view kNoText = " begins a text, and a formula has only numbers; types have no quotes: `u8(x)`";
constexpr std::string_view kNoIndex =
    " is no part of a formula, which sees one element of each array: write its name, and pass slices as variables";
constexpr std::string_view kNoBraces = " is no part of a formula: expressions are grouped by `(` and `)`";
constexpr std::string_view kNoSpace = "this space is no ASCII: type an ordinary one";
constexpr std::string_view kNoQuotes = "a quotation mark begins a text, and a formula has only numbers";

// A symbol that begins with another one comes first.
constexpr Elsewhere kSymbolsElsewhere[] = {
    {"===", "==", {}},
    {"!==", "!=", {}},
    {"<<=", {}, kChangesNothing},
    {">>=", {}, kChangesNothing},
    {"<>", "!=", {}},
    {"=>", ">=", " is no operator; it stands behind variables that are given with their formula"},
    {"=<", "<=", {}},
    {"~=", "!=", {}},
    {":=", "=", {}},
    {"::", {}, " is no part of a formula: functions have their names alone"},
    {"->", {}, " is no part of a formula; a field is `p.x`"},
    {".*", "*", {}},
    {"./", "/", {}},
    {".^", "^", {}},
    {"+=", {}, kChangesNothing},
    {"-=", {}, kChangesNothing},
    {"*=", {}, kChangesNothing},
    {"/=", {}, kChangesNothing},
    {"%=", {}, kChangesNothing},
    {"^=", {}, kChangesNothing},
    {"&=", {}, kChangesNothing},
    {"|=", {}, kChangesNothing},
    {"**=", {}, kChangesNothing},
    {"//=", {}, kChangesNothing},
    {"@", {}, " is the product of matrices, and a formula computes one element"},
    {"\"", {}, kNoText},
    {"'", {}, kNoText},
    {"/*", {}, " begins a comment of C++; comments of a formula begin with `#`"},
    {"[", {}, kNoIndex},
    {"]", {}, kNoIndex},
    {"{", {}, kNoBraces},
    {"}", {}, kNoBraces},
    {"\xc3\x97", "*", {}},            // ×
    {"\xc2\xb7", "*", {}},            // ·
    {"\xe2\x8b\x85", "*", {}},        // ⋅
    {"\xc3\xb7", "/", {}},            // ÷
    {"\xe2\x88\x92", "-", {}},        // −
    {"\xe2\x80\x93", "-", {}},        // –
    {"\xc2\xb2", "^2", {}},           // ²
    {"\xc2\xb3", "^3", {}},           // ³
    {"\xcf\x80", "pi", {}},           // π
    {"\xe2\x88\x9e", "inf", {}},      // ∞
    {"\xe2\x89\xa4", "<=", {}},       // ≤
    {"\xe2\x89\xa5", ">=", {}},       // ≥
    {"\xe2\x89\xa0", "!=", {}},       // ≠
    {"\xe2\x88\xa7", "&&", {}},       // ∧
    {"\xe2\x88\xa8", "||", {}},       // ∨
    {"\xc2\xac", "!", {}},            // ¬
    {"\xe2\x88\x9a", "sqrt(x)", {}},  // √
    {"\xce\xb1", "alpha", {}},        // α
    {"\xce\xb2", "beta", {}},         // β
    {"\xce\xb3", "gamma_", {}},       // γ
    {"\xce\xb4", "delta", {}},        // δ
    {"\xce\x94", "delta", {}},        // Δ
    {"\xce\xb5", "epsilon", {}},      // ε
    {"\xce\xb8", "theta", {}},        // θ
    {"\xce\xbb", "lambda_", {}},      // λ
    {"\xce\xbc", "mu", {}},           // μ
    {"\xc2\xb5", "mu", {}},           // µ, the micro sign
    {"\xcf\x81", "rho", {}},          // ρ
    {"\xcf\x83", "sigma", {}},        // σ
    {"\xcf\x84", "tau_", {}},         // τ
    {"\xcf\x86", "phi", {}},          // φ
    {"\xcf\x89", "omega", {}},        // ω
    {"\xc2\xa0", {}, kNoSpace},       // no-break space
    {"\xe2\x80\xaf", {}, kNoSpace},   // narrow no-break space
    {"\xe2\x80\x89", {}, kNoSpace},   // thin space
    {"\xe2\x80\x8b", {}, kNoSpace},   // zero width space
    {"\xe3\x80\x80", {}, kNoSpace},   // ideographic space
    {"\xef\xbb\xbf", {}, kNoSpace},   // byte order mark
    {"\xe2\x80\x98", {}, kNoQuotes},  // ‘
    {"\xe2\x80\x99", {}, kNoQuotes},  // ’
    {"\xe2\x80\x9c", {}, kNoQuotes},  // “
    {"\xe2\x80\x9d", {}, kNoQuotes},  // ”
};

constexpr std::string_view kOneElement =
    ": a formula computes one element; compute the extreme of an array first, by a reduction, and pass it as a "
    "parameter";

constexpr std::string_view kRoundToDigits = "round(x * 10 ^ y) / 10 ^ y";

constexpr CallElsewhere kCallsElsewhere[] = {
    {"abs", 2, "hypot(x, y)", {}},
    {"arg", 2, {}, ": in degrees, write `rad2deg(arg(z))`"},
    {"atan", 2, "atan2(x, y)", {}},
    {"complex", 1, "complex(x, 0)", {}},
    {"hypot", 3, "hypot(hypot(x, y), z)", {}},
    {"log", 2, "log(x) / log(y)", {}},
    {"max", 1, {}, kOneElement},
    {"min", 1, {}, kOneElement},
    {"round", 2, kRoundToDigits, {}},
    {"select", 1, {}, ": the places of a condition are of a whole array"},
    {"select", 2, "select(x, y, 0)", {}},
    {"step", 1, "step(0, x)", {}},
};

// The second arguments of the calls above.
struct Keyword {
  std::string_view function;
  std::string_view keyword;
};
constexpr Keyword kKeywords[] = {{"arg", "deg"}, {"log", "base"}, {"round", "decimals"}, {"round", "ndigits"}};

// What computes functions of complex numbers that formulas have of real ones alone.
struct OfComplexNumbers {
  std::string_view function;
  std::string_view here;
};
constexpr OfComplexNumbers kOfComplexNumbers[] = {
    {"acos", "-1j * log(x + 1j * sqrt(1 - x * x))"},
    {"acosh", "log(x + sqrt(x + 1) * sqrt(x - 1))"},
    {"asinh", "log(x + sqrt(x * x + 1))"},
    {"asin", "-1j * log(1j * x + sqrt(1 - x * x))"},
    {"atan", "1j / 2 * log((1j + x) / (1j - x))"},
    {"atanh", "(log(1 + x) - log(1 - x)) / 2"},
    {"exp2", "exp(x * log(2))"},
    {"expm1", "exp(x) - 1"},
    {"isfinite", "isfinite(real(x)) && isfinite(imag(x))"},
    {"isinf", "isinf(real(x)) || isinf(imag(x))"},
    {"isnan", "isnan(real(x)) || isnan(imag(x))"},
    {"lerp", "x + z * (y - x)"},
    {"log10", "log(x) / log(10)"},
    {"log1p", "log(1 + x)"},
    {"log2", "log(x) / log(2)"},
    {"rint", "complex(rint(real(x)), rint(imag(x)))"},
    {"round", "complex(round(real(x)), round(imag(x)))"},
    {"rsqrt", "1 / sqrt(x)"},
    {"sigmoid", "1 / (1 + exp(-x))"},
    {"sign", "x == 0 ? 0 : x / abs(x)"},
    {"tan", "sin(x) / cos(x)"},
    {"tanh", "sinh(x) / cosh(x)"},
};

// Methods whose value is not the first argument of the function of their name, or that take what it does not.
constexpr CallElsewhere kMethodsElsewhere[] = {
    {"clip", 2, "max(x, y)", {}},
    {"round", 2, kRoundToDigits, {}},
    {"where", 3, "select(y, x, z)", {}},
};

constexpr TypeElsewhere kTypesElsewhere[] = {
    {"b1", "bool", "bool"},
    {"bool8", "bool", "bool"},
    {"byte", "i8", "i8"},
    {"c16", "c128", "c128"},
    {"c8", "c64", "c64"},
    {"cdouble", "c128", "c128"},
    {"char", "i8", "i8"},
    {"complex", "c128", "c128"},
    {"csingle", "c64", "c64"},
    {"f2", "f16", "f16"},
    {"f4", "f32", "f32"},
    {"f8", "f64", "f64"},
    {"float", "f32", "f64"},
    {"float_", "f64", "f64"},
    {"i1", "i8", "i8"},
    {"i2", "i16", "i16"},
    {"i4", "i32", "i32"},
    {"int", "i32", "i64"},
    {"int16_t", "i16", "i16"},
    {"int32_t", "i32", "i32"},
    {"int64_t", "i64", "i64"},
    {"int8_t", "i8", "i8"},
    {"int_", "i64", "i64"},
    {"intc", "i32", "i32"},
    {"intp", "i64", "i64"},
    {"long", "i64", "i64"},
    {"long int", "i64", "i64"},
    {"long long", "i64", "i64"},
    {"long long int", "i64", "i64"},
    {"longlong", "i64", "i64"},
    {"ptrdiff_t", "i64", "i64"},
    {"short", "i16", "i16"},
    {"short int", "i16", "i16"},
    {"signed", "i32", "i32"},
    {"signed char", "i8", "i8"},
    {"signed int", "i32", "i32"},
    {"signed long long", "i64", "i64"},
    {"size_t", "u64", "u64"},
    {"u1", "u8", "u8"},
    {"u2", "u16", "u16"},
    {"u4", "u32", "u32"},
    {"ubyte", "u8", "u8"},
    {"uchar", "u8", "u8"},
    {"uint", "u32", "u64"},
    {"uint16_t", "u16", "u16"},
    {"uint32_t", "u32", "u32"},
    {"uint64_t", "u64", "u64"},
    {"uint8_t", "u8", "u8"},
    {"uintc", "u32", "u32"},
    {"uintp", "u64", "u64"},
    {"ulong", "u64", "u64"},
    {"unsigned", "u32", "u32"},
    {"unsigned char", "u8", "u8"},
    {"unsigned int", "u32", "u32"},
    {"unsigned long", "u64", "u64"},
    {"unsigned long int", "u64", "u64"},
    {"unsigned long long", "u64", "u64"},
    {"unsigned long long int", "u64", "u64"},
    {"unsigned short", "u16", "u16"},
    {"unsigned short int", "u16", "u16"},
    {"ushort", "u16", "u16"},
};

// The names of types in CuPy's kernels, and in templates.
constexpr std::string_view kTypeParameters[] = {"S", "T", "U", "V", "W"};

// Methods that convert a value to the type of their argument, and to their own.
constexpr std::string_view kConversions[] = {"astype", "to", "type"};

// ---- libraries ----

enum class Kind : std::uint8_t { NumPy, Math, Torch, Special };

struct Library {
  std::string_view path;
  Kind kind;
};
constexpr Library kLibraries[] = {
    {"F", Kind::Torch},
    {"cp", Kind::NumPy},
    {"cupy", Kind::NumPy},
    {"jax.numpy", Kind::NumPy},
    {"jnp", Kind::NumPy},
    {"math", Kind::Math},
    {"np", Kind::NumPy},
    {"numpy", Kind::NumPy},
    {"scipy.special", Kind::Special},
    {"sp.special", Kind::Special},
    {"special", Kind::Special},
    {"torch", Kind::Torch},
    {"torch.nn.functional", Kind::Torch},
    {"torch.special", Kind::Special},
    {"xp", Kind::NumPy},
};
// Those whose functions formulas do not take by their names.
constexpr std::string_view kOtherLibraries[] = {"Math",   "cmath", "jax", "linalg", "ne",  "numexpr",
                                                "random", "scipy", "sp",  "stats",  "std", "tf"};

constexpr Elsewhere kOfArray{{}, {}, kWholeArray};
constexpr Elsewhere kOfOneResult{{}, {}, kOneResult};

struct OtherMeaning {
  Kind kind;
  Elsewhere function;
};
constexpr OtherMeaning kOtherMeanings[] = {
    {Kind::NumPy, {"max", {}, kOneResult}},
    {Kind::NumPy, {"min", {}, kOneResult}},
    {Kind::NumPy, {"norm", {}, kOneResult}},
    {Kind::NumPy, {"select", "c ? x : d ? y : z", " chooses by lists of conditions, which stand in a row here"}},
    {Kind::Math, {"pow", "f64(x) ** f64(y)", " computes in f64"}},
    {Kind::Math, {"remainder", {}, kNearestQuotient}},
    {Kind::Torch, {"norm", {}, kOneResult}},
    {Kind::Torch, {"select", {}, kWholeArray}},
    {Kind::Torch, {"sign", "isnan(x) ? 0 : sign(x)", " of a nan is 0"}},
    {Kind::Torch, {"sgn", "isnan(x) ? 0 : sign(x)", " of a nan is 0"}},
};

template <class Table>
const Elsewhere* find_in(const Table& table, std::string_view typed) {
  const auto* const found = std::ranges::find(table, typed, &Elsewhere::typed);
  return found == std::end(table) ? nullptr : &*found;
}

const CallElsewhere* find_call(std::span<const CallElsewhere> calls, std::string_view function, std::size_t arguments) {
  for (const CallElsewhere& one : calls)
    if (one.function == function && one.arguments == arguments) return &one;
  return nullptr;
}

const Library* find_library(std::string_view path) {
  const auto* const found = std::ranges::find(kLibraries, path, &Library::path);
  return found == std::end(kLibraries) ? nullptr : &*found;
}

std::string_view last_name(std::string_view path) {
  return path.substr(path.rfind('.') + 1);  // npos + 1 is 0
}

// "u8" of "uint8", and nothing of what is no type. `in` is the language of the words that are no names of formulas.
std::string_view type_of_word(std::string_view word, std::string_view TypeElsewhere::*in) {
  if (const TypeElsewhere* const elsewhere = type_elsewhere(word)) return elsewhere->*in;
  const std::optional<Type> type = type_named(word);
  return type ? name(*type) : std::string_view();
}

// x and (x) mean the same behind a parenthesis or a comma.
bool stands_alone(std::string_view text, std::size_t at) {
  const std::string_view before = text.substr(0, at);
  const bool is_first = before.ends_with('(') || before.ends_with(", ");
  return at == 0 ? text.size() == 1 : is_first && at + 1 < text.size() && (text[at + 1] == ')' || text[at + 1] == ',');
}
std::string_view without_parentheses(std::string_view text) {
  return text.starts_with('(') && text.ends_with(')') ? text.substr(1, text.size() - 2) : text;
}

const Elsewhere* known_name(std::string_view name) {
  static constexpr Elsewhere kNone{{}, {}, " is a function that formulas do not have"};
  if (is_among(kMissing, name)) return &kNone;
  if (is_among(kWithOneResult, name)) return &kOfOneResult;
  return is_among(kOfArrays, name) ? &kOfArray : find_in(kNamesElsewhere, name);
}

}  // namespace

const Elsewhere* name_elsewhere(std::string_view name) {
  static constexpr Elsewhere kIntrinsic{
      {}, {}, " is not known here; intrinsic functions of CUDA are for a callback in CUDA C++"};
  static constexpr Elsewhere kRounds{
      {}, {}, " rounds in a direction that formulas do not have: write a callback in CUDA C++"};
  if (const Elsewhere* const known = known_name(name)) return known;
  const std::string_view plain = plain_name(name);
  if (const Elsewhere* const known = known_name(plain)) return known;
  if (!is_intrinsic(name) || find_function(plain) != nullptr || !formula_of_intrinsic(name).empty()) return nullptr;
  return rounds_elsewhere(name) ? &kRounds : &kIntrinsic;
}

const Elsewhere* property_elsewhere(std::string_view name) {
  if (is_among(kExtremes, name)) return &kOfOneResult;
  return is_among(kProperties, name) ? &kOfArray : name_elsewhere(name);
}

const Elsewhere* function_of_lists(std::string_view function) {
  const Elsewhere* known = find_in(kNamesElsewhere, function);
  if (known == nullptr) known = other_meaning("np", function);
  return known == nullptr || known->why.empty() || known->here.empty() ? nullptr : known;
}

std::string_view of_complex_numbers(std::string_view function) {
  const auto* const found = std::ranges::find(kOfComplexNumbers, function, &OfComplexNumbers::function);
  return found == std::end(kOfComplexNumbers) ? std::string_view() : found->here;
}

const Elsewhere* word_elsewhere(std::string_view word) {
  return find_in(kWordsElsewhere, word);
}

const Elsewhere* symbol_elsewhere(std::string_view text) {
  const auto* const found =
      std::ranges::find_if(kSymbolsElsewhere, [&](const Elsewhere& one) { return text.starts_with(one.typed); });
  return found == std::end(kSymbolsElsewhere) ? nullptr : &*found;
}

const CallElsewhere* call_elsewhere(std::string_view function, std::size_t arguments) {
  return find_call(kCallsElsewhere, function, arguments);
}

bool is_second_argument(std::string_view function, std::string_view keyword) {
  return std::ranges::any_of(kKeywords,
                             [&](const Keyword& one) { return one.function == function && one.keyword == keyword; });
}

const TypeElsewhere* type_elsewhere(std::string_view name) {
  const auto* const found = std::ranges::find(kTypesElsewhere, name, &TypeElsewhere::typed);
  return found == std::end(kTypesElsewhere) ? nullptr : &*found;
}

std::string_view type_in_c(std::string_view word) {
  return type_of_word(word, &TypeElsewhere::in_c);
}

bool is_type_parameter(std::string_view word) {
  return is_among(kTypeParameters, word);
}

Advice advice_on_type_parameter(std::string_view word, const std::string& literal) {
  const std::string said =
      in_quotes(word) + " is the type of an argument, and literals take the type of what they meet: leave it away";
  return {literal.empty() ? said + ", or name a type, as in `f32(x)`" : said, literal};
}

std::vector<std::string> all_hints() {
  std::vector<std::string> hints;
  const auto add = [&](std::string_view here) {
    if (!here.empty()) hints.emplace_back(here);
  };
  for (const Elsewhere& one : kNamesElsewhere) add(one.here);
  for (const Elsewhere& one : kWordsElsewhere) add(one.here);
  for (const CallElsewhere& one : kCallsElsewhere) add(one.here);
  for (const CallElsewhere& one : kMethodsElsewhere) add(one.here);
  for (const OfComplexNumbers& one : kOfComplexNumbers) add(one.here);
  for (const OtherMeaning& one : kOtherMeanings) add(one.function.here);
  for (const TypeElsewhere& one : kTypesElsewhere)
    for (const std::string_view type : {one.in_c, one.in_python}) add(base::format("{}(x)", type));
  return hints;
}

std::string filled_in(std::string_view here, std::span<const std::string> arguments) {
  constexpr std::string_view kPlaces = "xyz";
  const auto is_letter = [&](std::size_t i) { return i < here.size() && is_name(here.substr(i, 1)); };
  if (arguments.empty()) return std::string(here);
  std::string filled;
  std::size_t used = 0;
  for (std::size_t i = 0; i < here.size(); ++i) {
    const std::size_t place = kPlaces.find(here[i]);
    const bool is_word = place != kPlaces.npos && !is_letter(i + 1) && (i == 0 || !is_letter(i - 1));
    if (!is_word) {
      filled += here[i];
      continue;
    }
    if (place >= arguments.size() || arguments[place].empty()) return {};
    used = std::max(used, place + 1);
    filled += stands_alone(here, i) ? without_parentheses(arguments[place]) : std::string_view(arguments[place]);
  }
  return (used == 0 || used == arguments.size()) && filled.size() <= kLongestSuggestion ? filled : std::string();
}

Advice advice_on_name(const Elsewhere& known, std::string_view name, std::span<const std::string> arguments) {
  const std::string_view why = known.why.empty() ? " is not known here" : known.why;
  Advice advice{in_quotes(name) + std::string(why), filled_in(known.here, arguments)};
  if (advice.suggestion.empty() && !known.here.empty())
    advice.what += base::format("; of x, y and z it is `{}`", known.here);
  return advice;
}

Advice advice_on_method(std::string_view object, std::string_view method, std::span<const std::string> arguments) {
  if (const Elsewhere* const known = property_elsewhere(method); known == &kOfArray || known == &kOfOneResult)
    return advice_on_name(*known, method, {});
  if (object == "norm" && method == "cdf")
    return {"`norm.cdf` is a function that formulas do not have", filled_in("0.5 * erfc(-x / sqrt(2))", arguments)};
  std::vector<std::string> values = {std::string(object)};
  values.insert(values.end(), arguments.begin(), arguments.end());
  // x.astype(np.uint8) of NumPy, and x.float() of PyTorch, which means that of C.
  std::string_view type;
  if (is_among(kConversions, method) && !arguments.empty())
    type = type_of_word(last_name(arguments.front()), &TypeElsewhere::in_python);
  else if (arguments.empty()) type = type_in_c(method);
  std::string suggestion;
  if (!type.empty()) {
    suggestion = filled_in(base::format("{}(x)", type), std::span(values).first(1));
  } else if (const CallElsewhere* const call = find_call(kMethodsElsewhere, method, values.size())) {
    suggestion = filled_in(call->here, values);
  } else if (const Function* const function = find_function(method)) {
    constexpr std::string_view kArguments[] = {"(x)", "(x, y)", "(x, y, z)"};
    const auto takes = [&](std::size_t count) {
      return count >= function->least && count <= std::min<std::size_t>(function->most, std::size(kArguments));
    };
    if (!takes(values.size())) values.erase(values.begin());  // an unknown library
    if (takes(values.size()))
      suggestion = filled_in(base::format("{}{}", function->name, kArguments[values.size() - 1]), values);
  } else if (const Elsewhere* const known = name_elsewhere(method)) {
    suggestion = filled_in(known->here, values);
  }
  return {"values have no methods in a formula", suggestion};
}

bool is_library(std::string_view path) {
  return find_library(path) != nullptr;
}

bool begins_library(std::string_view first_name) {
  const auto begins = [&](const Library& one) { return one.path.substr(0, one.path.find('.')) == first_name; };
  return std::ranges::any_of(kLibraries, begins) || is_among(kOtherLibraries, first_name);
}

const Elsewhere* other_meaning(std::string_view library, std::string_view function) {
  const Library* const known = find_library(library);
  for (const OtherMeaning& one : kOtherMeanings)
    if (known != nullptr && one.kind == known->kind && one.function.typed == function) return &one.function;
  return nullptr;
}

}  // namespace graft::formulas
