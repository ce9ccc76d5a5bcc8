#include "reflect/text/keywords.hpp"

#include <algorithm>

namespace graft::reflect {

bool is_among(std::span<const std::string_view> list, std::string_view word) {
  return std::find(list.begin(), list.end(), word) != list.end();
}

Macro marks(const Macros& macros, std::string_view word) {
  if (const auto macro = macros.find(word); macro != macros.end()) return macro->second;
  return {word == "__device__" || word == "GRAFT_HOST_DEVICE", word == "__global__"};
}

bool takes_arguments(std::string_view word) {
  static constexpr std::string_view kWords[] = {
      "__attribute__", "__launch_bounds__", "__align__", "alignas", "decltype",
      "noexcept",      "__declspec",        "explicit",  "typeof",  "__maxnreg__",
      "__typeof__",    "__cluster_dims__",  "throw",     "_Pragma"};
  return is_among(kWords, word);
}

bool is_class_key(std::string_view word) {
  return word == "struct" || word == "class" || word == "union" || word == "enum";
}

bool is_function_specifier(std::string_view word) {
  static constexpr std::string_view kWords[] = {"__host__",   "__device__", "__forceinline__", "__noinline__",
                                                "__inline__", "inline",     "static",          "extern"};
  return is_among(kWords, word);
}

bool is_specifier(std::string_view word) {
  static constexpr std::string_view kOthers[] = {
      "__global__", "__constant__", "__shared__", "__managed__",       "constexpr",    "consteval",    "constinit",
      "const",      "volatile",     "typename",   "GRAFT_HOST_DEVICE", "__restrict__", "thread_local", "final"};
  return is_function_specifier(word) || is_among(kOthers, word);
}

bool is_builtin_type(std::string_view word) {
  static constexpr std::string_view kWords[] = {"void",    "bool",     "char",     "short",    "int",  "long",
                                                "float",   "double",   "signed",   "unsigned", "auto", "wchar_t",
                                                "char8_t", "char16_t", "char32_t", "__int128"};
  return is_among(kWords, word);
}

bool is_qualifier(std::string_view word) {
  return word == "const" || word == "volatile" || word == "typename" || is_class_key(word);
}

bool begins_declaration(std::string_view word) {
  static constexpr std::string_view kWords[] = {"__device__", "__global__",       "__host__",  "static",
                                                "inline",     "template",         "namespace", "extern",
                                                "constexpr",  "GRAFT_HOST_DEVICE"};
  return is_among(kWords, word);
}

bool is_math_macro(std::string_view word) {
  static constexpr std::string_view kNames[] = {"INFINITY", "NAN",    "HUGE_VALF",  "HUGE_VAL", "M_E",      "M_LOG2E",
                                                "M_LOG10E", "M_LN2",  "M_LN10",     "M_PI",     "M_PI_2",   "M_PI_4",
                                                "M_1_PI",   "M_2_PI", "M_2_SQRTPI", "M_SQRT2",  "M_SQRT1_2"};
  return is_among(kNames, word);
}

bool declares(const Token& before, const Token& after) {
  static constexpr std::string_view kNoType[] = {
      "return",          "const",        "constexpr", "static",   "inline",
      "typename",        "else",         "case",      "volatile", "__device__",
      "__forceinline__", "__constant__", "extern",    "__host__", "__shared__",
      "operator",        "and",          "or",        "not",      "throw"};
  static constexpr std::string_view kEnds[] = {"=", ";", "(", "{", "[", ",", ")"};
  return before.kind == Token::Word && !is_among(kNoType, before.text) && is_among(kEnds, after.text);
}

// If a callback calls a function of this list, each thread of the kernel processes more elements
// (Policy::vectors_per_thread), so that the instructions of one element fill the waiting times of another. Functions of
// about a dozen instructions (exp, log) are not in the list, because with more vectors per thread the f16 sigmoid,
// which calls exp, was 11 % slower.
bool is_long_math(std::string_view word) {
  static constexpr std::string_view kWords[] = {
      "acos",  "acosh",         "asin",  "asinh",   "atan",       "atan2", "atanh",  "cos",    "cosh",
      "cospi", "cyl_bessel_i0", "erf",   "erfc",    "erfcinv",    "erfcx", "erfinv", "expm1",  "j0",
      "j1",    "lgamma",        "log1p", "normcdf", "normcdfinv", "pow",   "sin",    "sincos", "sincospi",
      "sinh",  "sinpi",         "tan",   "tanh",    "tgamma",     "y0",    "y1"};
  if (is_among(kWords, word)) return true;
  return !word.empty() && word.back() == 'f' && is_among(kWords, word.substr(0, word.size() - 1));
}

bool is_lambda(std::span<const Token> tokens) {
  return !tokens.empty() && tokens[0].is("[") && !(tokens.size() > 1 && tokens[1].is("["));
}

}  // namespace graft::reflect
