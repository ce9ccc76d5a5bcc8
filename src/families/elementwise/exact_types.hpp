// Lists the element types that an exact adapter (exact_program.hpp) can name and convert from and to 4-byte words, and
// the C++ text of each conversion.
#pragma once

#include <span>
#include <string_view>

#include "graft/signature.hpp"

namespace graft::elementwise {

// Describes how elements of a named type (core/named_elements.hpp) are held in 4-byte words. `from_words` is the
// expression that makes an element from the words {0}, {1}, ... that hold it. `to_words` lists the words of the element
// {0}. Both are formats of base::format, so that a brace of C++ is written twice. A type with two members has a list of
// them in braces, without the type in front. An element of 1 or 2 bytes is in the low bits of its word.
struct Packing {
  std::string_view type;
  std::string_view from_words;
  std::string_view to_words;
};

// A type with two members, such as float2. Generated text that comes after the user's text cannot name the members,
// because `x` may be a macro of the user's.
struct Pair {
  std::string_view type;
  std::string_view member;  // the type of both members
  std::string_view first;
  std::string_view second;
};

// Returns how elements of the array's type are held in words. Null if the table of conversions does not have the type.
const Packing* packing_of(const Parameter& parameter);

// Returns all types with two members that exact adapters convert.
std::span<const Pair> pairs();

}  // namespace graft::elementwise
