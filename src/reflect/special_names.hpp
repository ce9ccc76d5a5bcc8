// Special names: their meaning depends on where (__FILE__) or when (__DATE__) a text is compiled, or on which other
// files exist (__has_include). Cache keys must know about them, because the text alone does not decide what it compiles
// to. A paste operator can also form such a name, of pieces from anywhere in the compiled text:
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
  File,   // the name of the text's own file: __FILE__, and assert and others, whose macros in headers use __FILE__
  Time,   // the time of the compile: __DATE__, __TIME__, __TIMESTAMP__
  Other,  // whether another file exists: __has_include, __has_embed
};

// What the meaning of one word depends on.
Circumstance circumstance_of(std::string_view word);

// Whether the text contains a special name anywhere, even in a comment or as a part of another word.
bool has_special_name(std::string_view text);

// Collects the words of all texts of a compile, and tells whether pasting them could form a special name.
class NamePieces {
 public:
  void add(std::string_view word);

  // The first special name that two or more of the words could form; empty if there is none.
  std::string_view makes() const;

 private:
  std::set<std::string, std::less<>> pieces_;  // words that are a part of a special name
};

}  // namespace graft::reflect
