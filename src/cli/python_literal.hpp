// The few Python literals of which an .npy header is made: strings, integers, True, False, None, tuples, lists and
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
  std::uint64_t number = 0;    // of an integer; 1 for True
  std::string text;            // of a string, its escapes resolved
  std::string_view written;    // as it stands in the text
  std::vector<Literal> items;  // of a tuple or list; of a dict its keys and values, one after the other

  bool is(Kind wanted) const noexcept { return kind == wanted; }
  // The value of a dict's key, or null; null also for a key that stands there twice.
  const Literal* find(std::string_view key) const noexcept;
};

// Nothing for a text that is not exactly one literal, with spaces around it. Negative numbers, and numbers beyond 64
// bits, are none here; nor is anything nested deeper than 32.
std::optional<Literal> parse_literal(std::string_view text);

}  // namespace graft::cli
