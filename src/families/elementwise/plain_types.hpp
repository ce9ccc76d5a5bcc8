// The types of elements that a plain program reads and writes by words, and the C++ text that does it for each.
#pragma once

#include <span>
#include <string_view>

#include "graft/signature.hpp"

namespace graft::elementwise {

// How elements of a type lie in 4-byte words. `from_words` makes one of the words that hold it, `to_words` are the
// words of one; a narrow element is the low part of a word.
struct Packing {
  std::string_view type;
  int bytes;
  std::string_view from_words;
  std::string_view to_words;
};

// Types whose members the text behind the user's cannot name.
struct Pair {
  std::string_view type;
  std::string_view member;  // of both members
  std::string_view first;
  std::string_view second;
};

// The type of a parameter without `const` and `&`.
std::string_view bare(const Parameter& parameter);

// Of an array's element; null for a type that is none of them.
const Packing* packing_of(const Parameter& parameter);

std::span<const Pair> pairs();

}  // namespace graft::elementwise
