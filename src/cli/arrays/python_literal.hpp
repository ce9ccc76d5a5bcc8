// Parses the Python literals that an .npy header consists of: strings, integers, True, False, None, tuples, lists,
// dicts.
//
//     {'descr': [('r', '|u1'), ('g', '|u1')], 'fortran_order': False, 'shape': (480, 640), }
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace graft::cli {

struct Literal {
  enum class Kind { None, Bool, Integer, String, Tuple, List, Dict };
  Kind kind = Kind::None;
  std::uint64_t number = 0;    // value of an integer; 1 for True
  std::string text;            // value of a string, with escapes resolved
  std::string_view written;    // the literal as written in the parsed text
  std::vector<Literal> items;  // elements of a tuple or list; for a dict: key, value, key, value, ...

  bool is(Kind wanted) const noexcept { return kind == wanted; }
  // Returns the value of a key in a dict, or null unless the dict has the key exactly once.
  const Literal* find(std::string_view key) const noexcept;
};

// Parses a text that consists of exactly one literal, with optional spaces around it. Returns nothing for any other
// text, for negative numbers, for numbers beyond 64 bits, and for nesting deeper than 32.
std::optional<Literal> parse_literal(std::string_view text);

}  // namespace graft::cli
