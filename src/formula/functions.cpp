#include "formula/functions.hpp"

#include <algorithm>
#include <array>

#include "formula/bounds.hpp"

namespace graft::formulas {
namespace {

// min and max take two or more arguments, and are written as calls of two.
constexpr std::uint16_t kMany = kMostTokens;

// In the order of the names, for a binary search.
constexpr std::array kFunctions = {
    Function{"abs", 1, 1, Rule::Part, "#abs", "fabs", "#abs"},
    Function{"acos", 1, 1, Rule::Same, "", "acos", ""},
    Function{"acosh", 1, 1, Rule::Same, "", "acosh", ""},
    Function{"arg", 1, 1, Rule::Part, "", "#arg", "#arg"},
    Function{"asin", 1, 1, Rule::Same, "", "asin", ""},
    Function{"asinh", 1, 1, Rule::Same, "", "asinh", ""},
    Function{"atan", 1, 1, Rule::Same, "", "atan", ""},
    Function{"atan2", 2, 2, Rule::Same, "", "atan2", ""},
    Function{"atanh", 1, 1, Rule::Same, "", "atanh", ""},
    Function{"cbrt", 1, 1, Rule::Same, "", "cbrt", ""},
    Function{"ceil", 1, 1, Rule::Same, "=", "ceil", ""},
    Function{"clamp", 3, 3, Rule::Same, "#clamp", "#clamp", ""},
    Function{"complex", 2, 2, Rule::MakeComplex, "", "#complex", ""},
    Function{"conj", 1, 1, Rule::Same, "=", "=", "#conj"},
    Function{"copysign", 2, 2, Rule::Same, "", "copysign", ""},
    Function{"cos", 1, 1, Rule::Same, "", "cos", "#cos"},
    Function{"cosh", 1, 1, Rule::Same, "", "cosh", "#cosh"},
    Function{"erf", 1, 1, Rule::Same, "", "erf", ""},
    Function{"erfc", 1, 1, Rule::Same, "", "erfc", ""},
    Function{"exp", 1, 1, Rule::Same, "", "exp", "#exp"},
    Function{"exp2", 1, 1, Rule::Same, "", "exp2", ""},
    Function{"expm1", 1, 1, Rule::Same, "", "expm1", ""},
    Function{"floor", 1, 1, Rule::Same, "=", "floor", ""},
    Function{"fma", 3, 3, Rule::Same, "", "fma", ""},
    Function{"fmod", 2, 2, Rule::Same, "", "fmod", ""},
    Function{"fract", 1, 1, Rule::Same, "", "#fract", ""},
    Function{"gamma", 1, 1, Rule::Same, "", "tgamma", ""},
    Function{"hypot", 2, 2, Rule::Same, "", "hypot", ""},
    Function{"imag", 1, 1, Rule::Part, "#zero", "#zero", "#imag"},
    Function{"isfinite", 1, 1, Rule::Question, "", "#isfinite", ""},
    Function{"isinf", 1, 1, Rule::Question, "", "#isinf", ""},
    Function{"isnan", 1, 1, Rule::Question, "", "#isnan", ""},
    Function{"lerp", 3, 3, Rule::Same, "", "#lerp", ""},
    Function{"lgamma", 1, 1, Rule::Same, "", "lgamma", ""},
    Function{"log", 1, 1, Rule::Same, "", "log", "#log"},
    Function{"log10", 1, 1, Rule::Same, "", "log10", ""},
    Function{"log1p", 1, 1, Rule::Same, "", "log1p", ""},
    Function{"log2", 1, 1, Rule::Same, "", "log2", ""},
    Function{"max", 2, kMany, Rule::Same, "#max", "#max", ""},
    Function{"min", 2, kMany, Rule::Same, "#min", "#min", ""},
    Function{"norm", 1, 1, Rule::Part, "#square", "#square", "#norm"},
    Function{"polar", 2, 2, Rule::MakeComplex, "", "#polar", ""},
    Function{"pow", 2, 2, Rule::Power, "", "", ""},
    Function{"real", 1, 1, Rule::Part, "=", "=", "#real"},
    Function{"relu", 1, 1, Rule::Same, "#relu", "#relu", ""},
    Function{"round", 1, 1, Rule::Same, "=", "rint", ""},
    Function{"rsqrt", 1, 1, Rule::Same, "", "rsqrt", ""},
    Function{"select", 3, 3, Rule::Select, "", "", ""},
    Function{"sigmoid", 1, 1, Rule::Same, "", "#sigmoid", ""},
    Function{"sign", 1, 1, Rule::Same, "#sign", "#sign", ""},
    Function{"sin", 1, 1, Rule::Same, "", "sin", "#sin"},
    Function{"sinh", 1, 1, Rule::Same, "", "sinh", "#sinh"},
    Function{"sqrt", 1, 1, Rule::Same, "", "sqrt", "#sqrt"},
    Function{"step", 2, 2, Rule::Same, "#step", "#step", ""},
    Function{"tan", 1, 1, Rule::Same, "", "tan", ""},
    Function{"tanh", 1, 1, Rule::Same, "", "tanh", ""},
    Function{"trunc", 1, 1, Rule::Same, "=", "trunc", ""},
};
static_assert(std::ranges::is_sorted(kFunctions, {}, &Function::name));

}  // namespace

std::span<const Function> functions() {
  return kFunctions;
}

const Function* find_function(std::string_view name) {
  const auto* const found = std::ranges::lower_bound(kFunctions, name, {}, &Function::name);
  return found != kFunctions.end() && found->name == name ? &*found : nullptr;
}

}  // namespace graft::formulas
