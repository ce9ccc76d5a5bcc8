// Finds the calls that NVRTC may find ambiguous, such as sqrt(2), because it declares the function for float and for
// double, and those of functions that it does not have. The names were tried with NVRTC 13.0.
#include "reflect/callback/math_calls.hpp"

#include <algorithm>
#include <cstddef>
#include <span>
#include <utility>

#include "base/immortal.hpp"
#include "reflect/text/keywords.hpp"

namespace graft::reflect {
namespace {

// The functions of each macro of math_calls.h, which depends on what arguments they take.
constexpr std::string_view kMissing = "GRAFT_MATH_OF_MISSING";  // those that NVRTC does not have at all
struct MathNames {
  std::string_view macro;
  std::string_view names;
};
constexpr MathNames kMathNames[] = {
    {"GRAFT_MATH_OF_INTEGERS",
     "acos acosh asin asinh atan atanh cbrt ceil cos cosh cospi cyl_bessel_i0 cyl_bessel_i1 erf erfc "
     "erfcinv erfcx erfinv exp exp10 exp2 expm1 fabs floor ilogb isfinite isinf isnan j0 j1 lgamma llrint "
     "llround log log10 log1p log2 logb lrint lround nearbyint normcdf normcdfinv rcbrt rint round rsqrt "
     "signbit sin sinh sinpi sqrt tan tanh tgamma trunc y0 y1"},
    {"GRAFT_MATH_OF_MIXED", "atan2 fdim fma fmax fmin fmod nextafter remainder"},
    {"GRAFT_MATH_OF_SIGN", "copysign"},
    {"GRAFT_MATH_OF_FIRST", "frexp ldexp scalbln scalbn"},
    {"GRAFT_MATH_OF_NORM", "hypot"},
    {"GRAFT_MATH_OF_SECOND", "jn yn"},
    {"GRAFT_MATH_OF_EXTREME", "max min"},
    {"GRAFT_MATH_OF_POWER", "pow"},
    {kMissing, "isgreater isgreaterequal isless islessequal islessgreater isnormal isunordered"},
};

const std::vector<MathFunction>& functions() {
  static const auto& all = base::immortal([] {
    std::vector<MathFunction> found;
    for (const MathNames& all_of : kMathNames)
      for (std::string_view rest = all_of.names; !rest.empty();) {
        const std::size_t end = std::min(rest.find(' '), rest.size());
        found.push_back({rest.substr(0, end), all_of.macro});
        rest.remove_prefix(std::min(end + 1, rest.size()));
      }
    std::ranges::sort(found, {}, &MathFunction::name);
    return found;
  }());
  return all;
}

// Returns the function of this name, or null if there is none.
const MathFunction* math_function(std::string_view name) {
  const auto found = std::ranges::lower_bound(functions(), name, {}, &MathFunction::name);
  return found != functions().end() && found->name == name ? &*found : nullptr;
}

bool is_float_literal(std::string_view number) {
  const bool is_hexadecimal = number.starts_with("0x") || number.starts_with("0X");
  const bool is_real = number.find_first_of(is_hexadecimal ? ".pP" : ".eE") != std::string_view::npos;
  return is_real && (number.back() == 'f' || number.back() == 'F');
}

// Whether the token is a number of another type than float: 2, 0.5, 'a', true, M_PI.
bool is_other_number(const Token& token) {
  if (token.kind == Token::Number) return !is_float_literal(token.text);
  return token.kind == Token::Character || token.is("true") || token.is("false") ||
         (token.text.starts_with("M_") && is_math_macro(token.text));
}

// Whether the word is, or may make, a value of another type than float: int, short2, uint8_t, auto, sizeof, __popc. The
// types of a user are found by their members' types.
bool may_make_other_numbers(std::string_view word) {
  static constexpr std::string_view kPrefixes[] = {
      "int",  "uint", "char", "uchar",  "short", "ushort",   "long",     "ulong", "double", "signed", "unsigned",
      "bool", "half", "nv_",  "__half", "__nv_", "__float2", "__double", "lrint", "lround", "ll"};
  static constexpr std::string_view kWords[] = {"auto",      "decltype", "sizeof",  "alignof", "enum",
                                                "template",  "Index",    "Bit",     "wchar_t", "__int128",
                                                "threadIdx", "blockIdx", "blockDim"};
  const auto begins = [&](std::string_view prefix) { return word.starts_with(prefix); };
  return word.ends_with("_t") || is_among(kWords, word) || std::ranges::any_of(kPrefixes, begins) ||
         word.starts_with("__popc") || word.starts_with("__clz") || word.starts_with("__ff");
}

// Returns the index of the token that closes the bracket at `open`, or the number of tokens if the bracket is open to
// the end.
std::size_t closing(std::span<const Token> tokens, std::size_t open) {
  int depth = 0;
  for (std::size_t i = open; i < tokens.size(); ++i) {
    if (tokens[i].is("(")) ++depth;
    if (tokens[i].is(")") && --depth == 0) return i;
  }
  return tokens.size();
}

// Whether the word at `at` names a member (`p.max`), or one of namespace std's own max and min.
bool is_other_name(std::span<const Token> tokens, std::size_t at) {
  if (at == 0) return false;
  if (tokens[at - 1].is(".") || tokens[at - 1].is("->")) return true;
  const bool is_of_std = at > 1 && tokens[at - 1].is("::") && tokens[at - 2].is("std");
  return is_of_std && (tokens[at].is("max") || tokens[at].is("min"));
}

}  // namespace

void MathCalls::read(const std::vector<Token>& tokens, bool is_macro) {
  std::vector<std::pair<std::size_t, const MathFunction*>> open;  // the calls around a token, with their ends
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const Token& token = tokens[i];
    std::erase_if(open, [&](const auto& call) { return call.first < i; });
    if (is_other_number(token))
      for (const auto& call : open) mixed_.insert(*call.second);
    if (token.kind != Token::Word) continue;
    has_other_numbers_ = has_other_numbers_ || may_make_other_numbers(token.text);
    const MathFunction* const function = math_function(token.text);
    if (function == nullptr || is_other_name(tokens, i)) continue;
    const bool is_call = i + 1 < tokens.size() && tokens[i + 1].is("(");
    if (is_call || is_macro) called_.insert(*function);  // the call of a macro is the call of its function
    if (is_call && function->macro == kMissing) mixed_.insert(*function);  // of floats too
    if (is_call) open.emplace_back(closing(tokens, i + 1), function);
  }
}

void MathCalls::read(const Text& text) {
  std::vector<Token> code;
  for (const Token& token : text.tokens().list)
    if (token.kind != Token::Directive) code.push_back(token);
  for (const Directive& directive : text.code().directives) {
    if (directive.name != "define") continue;
    has_other_numbers_ = true;  // a macro may hide a number of any type
    read(directive.words, true);
  }
  read(code, false);
}

void MathCalls::take_all() {
  called_.insert(functions().begin(), functions().end());
  has_other_numbers_ = true;
}

std::vector<MathFunction> MathCalls::ambiguous() const {
  const std::set<MathFunction>& all = has_other_numbers_ ? called_ : mixed_;
  return {all.begin(), all.end()};
}

}  // namespace graft::reflect
