#include "formula/functions.hpp"

#include <algorithm>
#include <array>

#include "base/format.hpp"
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
    Function{"deg2rad", 1, 1, Rule::Same, "", "#deg2rad", ""},
    Function{"erf", 1, 1, Rule::Same, "", "erf", ""},
    Function{"erfc", 1, 1, Rule::Same, "", "erfc", ""},
    Function{"exp", 1, 1, Rule::Same, "", "exp", "#exp"},
    Function{"exp2", 1, 1, Rule::Same, "", "exp2", ""},
    Function{"expm1", 1, 1, Rule::Same, "", "expm1", ""},
    Function{"fabs", 1, 1, Rule::Same, "", "fabs", ""},
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
    Function{"rad2deg", 1, 1, Rule::Same, "", "#rad2deg", ""},
    Function{"real", 1, 1, Rule::Part, "=", "=", "#real"},
    Function{"relu", 1, 1, Rule::Same, "#relu", "#relu", ""},
    Function{"rint", 1, 1, Rule::Same, "", "rint", ""},
    Function{"round", 1, 1, Rule::Same, "=", "rint", ""},
    Function{"rsqrt", 1, 1, Rule::Same, "", "rsqrt", ""},
    Function{"select", 3, 3, Rule::Select, "", "", ""},
    Function{"sigmoid", 1, 1, Rule::Same, "", "#sigmoid", ""},
    Function{"sign", 1, 1, Rule::Same, "#sign", "#sign", ""},
    Function{"sin", 1, 1, Rule::Same, "", "sin", "#sin"},
    Function{"sinh", 1, 1, Rule::Same, "", "sinh", "#sinh"},
    Function{"sqrt", 1, 1, Rule::Same, "", "sqrt", "#sqrt"},
    Function{"square", 1, 1, Rule::Same, "#square", "#square", "#square"},
    Function{"step", 2, 2, Rule::Same, "#step", "#step", ""},
    Function{"tan", 1, 1, Rule::Same, "", "tan", ""},
    Function{"tanh", 1, 1, Rule::Same, "", "tanh", ""},
    Function{"trunc", 1, 1, Rule::Same, "=", "trunc", ""},
};
static_assert(std::ranges::is_sorted(kFunctions, {}, &Function::name));

// What NumPy, PyTorch, SciPy, C and spreadsheets call these functions, where theirs mean the same; tests/formula/values
// compares those of NumPy.
struct Alias {
  std::string_view name;
  std::string_view here;
};
constexpr std::array kAliases = {
    Alias{"IF", "select"},       Alias{"absolute", "abs"},  Alias{"angle", "arg"},     Alias{"arccos", "acos"},
    Alias{"arccosh", "acosh"},   Alias{"arcsin", "asin"},   Alias{"arcsinh", "asinh"}, Alias{"arctan", "atan"},
    Alias{"arctan2", "atan2"},   Alias{"arctanh", "atanh"}, Alias{"clip", "clamp"},    Alias{"conjugate", "conj"},
    Alias{"degrees", "rad2deg"}, Alias{"expit", "sigmoid"}, Alias{"fix", "trunc"},     Alias{"gammaln", "lgamma"},
    Alias{"if", "select"},       Alias{"ifelse", "select"}, Alias{"iif", "select"},    Alias{"ln", "log"},
    Alias{"maximum", "max"},     Alias{"minimum", "min"},   Alias{"power", "pow"},     Alias{"radians", "deg2rad"},
    Alias{"sgn", "sign"},        Alias{"tgamma", "gamma"},  Alias{"where", "select"},
};
static_assert(std::ranges::is_sorted(kAliases, {}, &Alias::name));

constexpr std::array kNamedOperators = {
    NamedOperator{"add", TokenKind::Plus, 2},
    NamedOperator{"bitwise_and", TokenKind::BitAnd, 2},
    NamedOperator{"bitwise_not", TokenKind::BitNot, 1},
    NamedOperator{"bitwise_or", TokenKind::BitOr, 2},
    NamedOperator{"divide", TokenKind::Divide, 2},
    NamedOperator{"equal", TokenKind::Equal, 2},
    NamedOperator{"floor_divide", TokenKind::FloorDivide, 2},
    NamedOperator{"greater", TokenKind::Greater, 2},
    NamedOperator{"greater_equal", TokenKind::GreaterEqual, 2},
    NamedOperator{"invert", TokenKind::BitNot, 1},
    NamedOperator{"less", TokenKind::Less, 2},
    NamedOperator{"less_equal", TokenKind::LessEqual, 2},
    NamedOperator{"logical_and", TokenKind::And, 2},
    NamedOperator{"logical_not", TokenKind::Not, 1},
    NamedOperator{"logical_or", TokenKind::Or, 2},
    NamedOperator{"mod", TokenKind::Remainder, 2},
    NamedOperator{"mul", TokenKind::Times, 2},
    NamedOperator{"multiply", TokenKind::Times, 2},
    NamedOperator{"neg", TokenKind::Minus, 1},
    NamedOperator{"negative", TokenKind::Minus, 1},
    NamedOperator{"not_equal", TokenKind::NotEqual, 2},
    NamedOperator{"positive", TokenKind::Plus, 1},
    NamedOperator{"remainder", TokenKind::Remainder, 2},
    NamedOperator{"sub", TokenKind::Minus, 2},
    NamedOperator{"subtract", TokenKind::Minus, 2},
    NamedOperator{"true_divide", TokenKind::Divide, 2},
};
static_assert(std::ranges::is_sorted(kNamedOperators, {}, &NamedOperator::name));

// Null if the table, which is sorted, has no such name.
template <class Table>
auto* find_in_sorted(const Table& table, std::string_view name) {
  using Row = typename Table::value_type;
  const auto found = std::ranges::lower_bound(table, name, {}, &Row::name);
  return found != table.end() && found->name == name ? &*found : nullptr;
}

}  // namespace

std::span<const Function> functions() {
  return kFunctions;
}

const Function* find_function(std::string_view name) {
  const Alias* const alias = find_in_sorted(kAliases, name);
  return find_in_sorted(kFunctions, alias == nullptr ? name : alias->here);
}

const NamedOperator* find_operator(std::string_view name) {
  return find_in_sorted(kNamedOperators, name);
}

std::string example_of(const Function& function) {
  const std::string_view arguments = function.rule == Rule::Select ? "c, x, y"
                                     : function.least == 1         ? "x"
                                     : function.least == 2         ? "x, y"
                                                                   : "x, y, z";
  return base::format("{}({})", function.name, arguments);
}

}  // namespace graft::formulas
