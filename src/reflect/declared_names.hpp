// Finds the names that a piece of C++ text declares for itself: parameters, local variables, members and enumerators.
//
//     float f(float x, const uint3& threadIdx) { int lane = 3, warp; auto [a, b] = g(x); ... }
//         ->  f  x  threadIdx  lane  warp  a  b
//
// Inside the piece these names hide the functions and variables of the same names elsewhere. The search is lexical: a
// word is declared if a type stands in front of it and the end of a declarator behind it. `T& lane)` is also an
// expression if T is a variable, so such names are only likely.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <unordered_set>

#include "reflect/lexer.hpp"

namespace graft::reflect {

struct DeclaredNames {
  std::unordered_set<std::string_view> certain;
  std::unordered_set<std::string_view> likely;
};

// Takes time linear in the number of tokens.
DeclaredNames find_declared_names(std::span<const Token> tokens);

// Whether the word at this place is the name of a member: `s.lane`, `p->lane`, `Launch::lane`, `Launch<3>::lane`. A
// name of the global namespace (`::lane`) is not.
bool is_member_name(std::span<const Token> tokens, std::size_t at);

}  // namespace graft::reflect
