// The keywords of C++ and CUDA that the lexical scan must recognise, and the macros that stand for some of them.
#pragma once

#include <span>
#include <string_view>
#include <unordered_map>

#include "reflect/text/lexer.hpp"

namespace graft::reflect {

bool is_among(std::span<const std::string_view> list, std::string_view word);

// Whether a macro stands for __device__ or __global__ in at least one of its definitions, in any branch of #if.
struct Macro {
  bool is_device = false;
  bool is_global = false;
};
using Macros = std::unordered_map<std::string_view, Macro>;

// Returns whether a word stands for __device__ or __global__. The word may be a macro or the specifier itself.
Macro marks(const Macros& macros, std::string_view word);

// Whether the word takes arguments in parentheses without being the name of a function: `alignas(16)`, `decltype(x)`,
// `__launch_bounds__(256)`.
bool takes_arguments(std::string_view word);

bool is_class_key(std::string_view word);

// Whether the word is a specifier that a function's declaration has in addition to the result type: `static`,
// `__device__`.
bool is_function_specifier(std::string_view word);

// Whether the word is any specifier or qualifier of a declaration: a function specifier, `const`, `constexpr`.
bool is_specifier(std::string_view word);
bool is_builtin_type(std::string_view word);

// Whether the word can be part of a type, but is no type by itself: `const`, `struct`.
bool is_qualifier(std::string_view word);

// Whether the word can occur only at the beginning of a declaration. If such a word comes right after a pair of
// parentheses, the text in front of the word was the call of a macro without a semicolon.
bool begins_declaration(std::string_view word);

// Whether the word is a function of CUDA's math library that takes dozens of instructions, with or without the suffix
// `f`. Returns false for fast intrinsics (`__expf`) and for roots (`sqrt`), because GPUs have instructions for them.
bool is_long_math(std::string_view word);

// Whether the word is a macro of <math.h> that graft/device.h defines: a constant (`M_PI`) or a special value (`NAN`).
bool is_math_macro(std::string_view word);

// Whether the user declares a variable or function with a name that CUDA or <math.h> has too, such as `half`. The user
// does if the token before the word may be a type and the token after it may continue a declarator.
bool declares(const Token& before, const Token& after);

// Whether the tokens begin a lambda, `[...](...) { ... }`, and not an attribute, `[[...]]`.
bool is_lambda(std::span<const Token> tokens);

}  // namespace graft::reflect
