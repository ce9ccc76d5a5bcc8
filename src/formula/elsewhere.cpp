#include "formula/elsewhere.hpp"

#include <algorithm>
#include <cstddef>
#include <iterator>

#include "base/format.hpp"
#include "formula/functions.hpp"
#include "formula/mistake.hpp"
#include "formula/token.hpp"

namespace graft::formulas {
namespace {

constexpr std::string_view kWholeArray =
    " is of a whole array, and a formula computes one element; a reduction computes sums and extremes of arrays";
constexpr std::string_view kChangesNothing =
    " changes a variable, and a formula changes none: write the new value alone";
constexpr std::string_view kOneExpression = " begins no formula, which is one expression";

constexpr Elsewhere kNamesElsewhere[] = {
    {"False", "bool(0)", {}},
    {"IF", "select", {}},
    {"Inf", "inf", {}},
    {"NaN", "nan", {}},
    {"None", {}, " is no number"},
    {"True", "bool(1)", {}},
    {"absolute", "abs", {}},
    {"angle", "arg", {}},
    {"arccos", "acos", {}},
    {"arccosh", "acosh", {}},
    {"arcsin", "asin", {}},
    {"arcsinh", "asinh", {}},
    {"arctan", "atan", {}},
    {"arctan2", "atan2", {}},
    {"arctanh", "atanh", {}},
    {"astype", "f32", {}},
    {"clip", "clamp", {}},
    {"complex128", "c128", {}},
    {"complex64", "c64", {}},
    {"conjugate", "conj", {}},
    {"deg2rad", "x * pi / 180", {}},
    {"degrees", "x * 180 / pi", {}},
    {"equal", "x == y", {}},
    {"expit", "sigmoid", {}},
    {"fabs", "abs", {}},
    {"false", "bool(0)", {}},
    {"fix", "trunc", {}},
    {"float16", "f16", {}},
    {"float32", "f32", {}},
    {"float64", "f64", {}},
    {"float_power", "pow", {}},
    {"floor_divide", "x // y", {}},
    {"fmax", "max", {}},
    {"fmin", "min", {}},
    {"gammaln", "lgamma", {}},
    {"heaviside", "step(0, x)", {}},
    {"if", "select", {}},
    {"ifelse", "select", {}},
    {"iif", "select", {}},
    {"infinity", "inf", {}},
    {"ln", "log", {}},
    {"logical_and", "x && y", {}},
    {"logical_not", "!", {}},
    {"logical_or", "x || y", {}},
    {"logical_xor", "bool(x) != bool(y)", {}},
    {"mix", "lerp", {}},
    {"maximum", "max", {}},
    {"minimum", "min", {}},
    {"mod", "x % y", {}},
    {"multiply", "x * y", {}},
    {"nan_to_num", "isnan(x) ? 0 : x", {}},
    {"negative", "-x", {}},
    {"not", "!", {}},
    {"not_equal", "x != y", {}},
    {"power", "pow", {}},
    {"rad2deg", "x * 180 / pi", {}},
    {"radians", "x * pi / 180", {}},
    {"reciprocal", "1 / x", {}},
    {"remainder", "x % y", {}},
    {"rint", "round", {}},
    {"sgn", "sign", {}},
    {"sinc", "sin(pi * x) / (pi * x)", {}},
    {"square", "x^2", {}},
    {"tgamma", "gamma", {}},
    {"true", "bool(1)", {}},
    {"true_divide", "x / y", {}},
    {"where", "select", {}},
};

// Functions of whole arrays, and of their shapes.
constexpr std::string_view kOfArrays[] = {
    "all",    "amax",   "amin",    "any",      "argmax", "argmin", "argsort",   "array", "average", "convolve",
    "cumsum", "diff",   "dot",     "cumprod",  "einsum", "len",    "matmul",    "mean",  "median",  "nanmax",
    "nanmin", "nansum", "nanmean", "outer",    "prod",   "ptp",    "sort",      "std",   "sum",     "trace",
    "size",   "shape",  "reshape", "gradient", "roll",   "var",    "transpose", "ndim",
};
// Methods of arrays that are functions of several values in a formula.
constexpr std::string_view kExtremes[] = {"max", "min"};

// What functions are behind the point of, in Python and C++.
constexpr std::string_view kModules[] = {"F",     "Math",  "cmath", "cp",      "cupy", "jnp", "math",  "ne", "np",
                                         "numpy", "scipy", "sp",    "special", "std",  "tf",  "torch", "xp"};

constexpr Elsewhere kWordsElsewhere[] = {
    {"and", "&&", {}},
    {"def", {}, kOneExpression},
    {"div", "//", {}},
    {"else", "c ? x : y", {}},
    {"for", {}, " is of loops, which formulas do not have"},
    {"from", {}, kOneExpression},
    {"if", "c ? x : y", {}},
    {"import", {}, kOneExpression},
    {"in", "x == a || x == b", {}},
    {"is", "==", {}},
    {"lambda", {}, kOneExpression},
    {"mod", "%", {}},
    {"not", "!", {}},
    {"or", "||", {}},
    {"return", {}, kOneExpression},
    {"then", "c ? x : y", {}},
    {"while", {}, " is of loops, which formulas do not have"},
    {"xor", "!=", {}},
};

constexpr std::string_view kNoText = " begins a text, and a formula has only numbers";
constexpr std::string_view kNoIndex =
    " is no part of a formula, which sees one element of each array: write its name alone";

// A symbol that begins with another one comes first.
constexpr Elsewhere kSymbolsElsewhere[] = {
    {"===", "==", {}},
    {"!==", "!=", {}},
    {"<<", "* 2 ^ n", {}},
    {">>", "// 2 ^ n", {}},
    {"<>", "!=", {}},
    {"=>", ">=", {}},
    {"=<", "<=", {}},
    {"~=", "!=", {}},
    {".*", "*", {}},
    {"./", "/", {}},
    {".^", "^", {}},
    {"+=", {}, kChangesNothing},
    {"-=", {}, kChangesNothing},
    {"*=", {}, kChangesNothing},
    {"/=", {}, kChangesNothing},
    {"%=", {}, kChangesNothing},
    {"^=", {}, kChangesNothing},
    {"**=", {}, kChangesNothing},
    {"//=", {}, kChangesNothing},
    {"&", "&&", {}},
    {"|", "||", {}},
    {"~", "!", {}},
    {"@", {}, " is the product of matrices, and a formula computes one element"},
    {"#", {}, " is no part of a formula, which has no comments"},
    {"\"", {}, kNoText},
    {"'", {}, kNoText},
    {"[", {}, kNoIndex},
    {"]", {}, kNoIndex},
    {"{", "(", {}},
    {"}", ")", {}},
    {"\xc3\x97", "*", {}},         // ×
    {"\xc2\xb7", "*", {}},         // ·
    {"\xe2\x8b\x85", "*", {}},     // ⋅
    {"\xc3\xb7", "/", {}},         // ÷
    {"\xe2\x88\x92", "-", {}},     // −
    {"\xe2\x80\x93", "-", {}},     // –
    {"\xc2\xb2", "^2", {}},        // ²
    {"\xc2\xb3", "^3", {}},        // ³
    {"\xcf\x80", "pi", {}},        // π
    {"\xe2\x88\x9e", "inf", {}},   // ∞
    {"\xe2\x89\xa4", "<=", {}},    // ≤
    {"\xe2\x89\xa5", ">=", {}},    // ≥
    {"\xe2\x89\xa0", "!=", {}},    // ≠
    {"\xe2\x88\x9a", "sqrt", {}},  // √
};

constexpr std::string_view kOneElement =
    ": a formula computes one element, and a reduction computes the extremes of arrays";

constexpr CallElsewhere kCallsElsewhere[] = {
    {"abs", 2, "hypot(x, y)", {}},        {"atan", 2, "atan2(y, x)", {}},
    {"complex", 1, "complex(x, 0)", {}},  {"hypot", 3, "hypot(hypot(x, y), z)", {}},
    {"log", 2, "log(x) / log(b)", {}},    {"max", 1, {}, kOneElement},
    {"min", 1, {}, kOneElement},          {"round", 2, "round(x * 100) / 100", {}},
    {"select", 2, "select(c, x, 0)", {}},
};

template <class Names>
bool is_among(const Names& names, std::string_view name) {
  return std::ranges::find(names, name) != std::end(names);
}

template <class Table>
const Elsewhere* find_in(const Table& table, std::string_view typed) {
  const auto* const found = std::ranges::find(table, typed, &Elsewhere::typed);
  return found == std::end(table) ? nullptr : &*found;
}

}  // namespace

const Elsewhere* name_elsewhere(std::string_view name) {
  static constexpr Elsewhere kOfArray{{}, {}, kWholeArray};
  return is_among(kOfArrays, name) ? &kOfArray : find_in(kNamesElsewhere, name);
}

const Elsewhere* word_elsewhere(std::string_view word) {
  return find_in(kWordsElsewhere, word);
}

const Elsewhere* symbol_elsewhere(std::string_view text) {
  const auto* const found =
      std::ranges::find_if(kSymbolsElsewhere, [&](const Elsewhere& one) { return text.starts_with(one.typed); });
  return found == std::end(kSymbolsElsewhere) ? nullptr : &*found;
}

Advice advice_on_method(std::string_view object, std::string_view method) {
  const bool is_of_module = is_among(kModules, object);
  if (is_among(kOfArrays, method) || (!is_of_module && is_among(kExtremes, method)))
    return {in_quotes(method) + std::string(kWholeArray), {}};
  const Elsewhere* const known = name_elsewhere(method);
  const std::string_view here = known == nullptr || known->here.empty() ? method : known->here;
  return {is_of_module ? "functions have no point in their names" : "values have no methods in a formula",
          is_name(here) ? base::format("{}(...)", here) : std::string(here)};
}

const CallElsewhere* call_elsewhere(std::string_view function, std::size_t arguments) {
  for (const CallElsewhere& one : kCallsElsewhere)
    if (one.function == function && one.arguments == arguments) return &one;
  return nullptr;
}

}  // namespace graft::formulas
