// Statements of C++, as people paste them from kernels such as CuPy's ElementwiseKernel, and the formulas that mean the
// same:
//
//     float d = x - y; d * d           ->   let d = x - y; d * d
//     if (x > 0) y = x; else y = -x;   ->   y = x > 0 ? x : -x
//     y += d                           ->   out = y + d
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "formula/token.hpp"

namespace graft::formulas {

// How many of the first tokens are the type of a variable that they declare: 2 of "const float d = x", 1 of "T d;", and
// 0 of what declares none.
std::size_t words_of_declaration(std::span<const Token> tokens, std::string_view text);

// The type that words name in C++, by its name in formulas: u8 of "const unsigned char"; empty for other words.
std::string_view type_of_words(std::span<const Token> words, std::string_view text);

// Whether the tokens begin with "if (x > 0) y" or "if (x > 0) {", and not with the function of this name.
bool is_if_statement(std::span<const Token> tokens, std::string_view text);

// What a message says of such a statement, behind `if`.
std::string said_of_if(const std::string& suggestion);

// Returns the whole text as a formula. Returns an empty text if some of it is more than such statements and formulas,
// or if the formula would be too long for a message.
std::string formula_of_statements(std::string_view text);

// Returns "out = x + 1" of "x += 1", whose symbol is at `piece`; empty if the text has other statements, or if the
// symbol is none of arithmetic.
std::string formula_of_change(std::string_view text, Place piece);

// A name for an output which the text does not have: "out".
std::string_view free_output(std::string_view text);

}  // namespace graft::formulas
