// The words of C++ and CUDA that a lexical look must know, and the macros that stand for some of them.
#pragma once

#include <span>
#include <string_view>
#include <unordered_map>

#include "reflect/lexer.hpp"

namespace graft::reflect {

bool is_among(std::span<const std::string_view> list, std::string_view word);

// What a macro's definitions, on all branches, stand for.
struct Macro {
  bool is_device = false;
  bool is_global = false;
};
using Macros = std::unordered_map<std::string_view, Macro>;

// What a word says of the function behind it: a macro's meaning, or CUDA's own.
Macro marks(const Macros& macros, std::string_view word);

// Words that take arguments in parentheses and are neither a name nor, but for decltype, a type.
bool takes_arguments(std::string_view word);

bool is_class_key(std::string_view word);
bool is_specifier(std::string_view word);
bool is_builtin_type(std::string_view word);

// Begins something new: what stands in front of it has ended without a semicolon.
bool begins_declaration(std::string_view word);

// A function of the mathematical library that takes dozens of instructions, with or without the suffix of its type; not
// the fast ones (`__expf`), and not the roots, which are instructions of the GPU.
bool is_long_math(std::string_view word);

// `[...](...) { ... }`, and not `[[...]]`.
bool is_lambda(std::span<const Token> tokens);

}  // namespace graft::reflect
