// Finds the functions and variables at namespace scope by walking through the declarations token by token.
//
// The search has no C++ grammar. It skips everything between a pair of brackets, such as a function body, and it reads
// from the words in front of a parameter list what is declared. If these words are not enough to tell, for example
// because one of them is an unknown macro, the search sets SourceScan::uncertain.
#pragma once

#include <cstddef>
#include <vector>

#include "reflect/keywords.hpp"
#include "reflect/lexer.hpp"
#include "reflect/scan.hpp"

namespace graft::reflect {

// Returns the macros that the text defines. Sets `uncertain` if a macro may open or close a scope.
Macros find_macros(const Code& code, bool& uncertain);

// Appends the functions and variables to `found`.
void find_declarations(const Code& code, const Macros& macros, SourceScan& found);

// A statement at namespace scope, as a range of indices into Code::tokens: a function, a class, a variable, an alias,
// or the words that open or close a namespace.
struct Statement {
  std::size_t begin = 0;
  std::size_t end = 0;
  std::string_view name = {};  // the last part of the name that it declares: "f" of `float A::f(float x)`; may be empty
  bool is_class = false;
  bool is_kernel = false;
  // Macros may hide where the statement ends, so the statement may contain others: `BEGIN namespace math { ... }`.
  bool is_unclear = false;
};
// Returns the statements in the text's order. Together they contain every token. Sets `uncertain` if macros, #if or
// unbalanced brackets may hide where statements begin and end.
std::vector<Statement> find_statements(const Code& code, const Macros& macros, bool& uncertain);

}  // namespace graft::reflect
