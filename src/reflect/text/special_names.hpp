// Special names are names whose meaning depends on where (__FILE__) or when (__DATE__) a text is compiled, or on which
// other files exist (__has_include). Cache keys must take special names into account, because the same text with such a
// name may compile to different code. A paste operator can also form a special name, from pieces anywhere in the
// compiled text:
//
//     #define PASTE(a, b) a##b
//     PASTE(__FI, LE__)
#pragma once

#include <array>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>

namespace graft::reflect {

enum class Circumstance : std::uint8_t {
  None,
  // The name of the text's own file: __FILE__, and names such as assert, whose macros in headers use __FILE__.
  File,
  Time,   // the time of the compile: __DATE__, __TIME__, __TIMESTAMP__
  Other,  // which other files exist: __has_include, __has_embed
};

// Returns the circumstance on which the meaning of a word depends.
Circumstance circumstance_of(std::string_view word);

// Whether the text contains a special name anywhere, even in a comment or as a part of another word.
bool has_special_name(std::string_view text);

// Collects the words of all texts of a compile, and tells whether pasting them could form a special name.
class NamePieces {
 public:
  void add(std::string_view word);

  // Returns the first special name that two or more of the words could form, or an empty name if there is none.
  std::string_view makes() const;

 private:
  std::set<std::string, std::less<>> pieces_;  // the collected words that are a part of a special name
};

}  // namespace graft::reflect
