// Names whose meaning depends on where, when or beside what a text is compiled: __FILE__, __DATE__, __has_include. They
// may also be put together by a paste operator, out of pieces that stand anywhere in what is compiled:
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
  File,   // the name of the text's own file: __FILE__, or assert and the like, which name it in a header of the tools
  Time,   // the time of the compile: __DATE__, __TIME__, __TIMESTAMP__
  Other,  // whether some file is there: __has_include, __has_embed
};

// Of one word of a text.
Circumstance circumstance_of(std::string_view word);

// Whether one stands anywhere in a text, in a comment too, or as a part of another word.
bool has_special_name(std::string_view text);

// Collects the words of all texts, and tells which special names can be put together from them.
class NamePieces {
 public:
  void add(std::string_view word);

  // The first special name that can, and is no word itself; empty when there is none.
  std::string_view makes() const;

 private:
  std::set<std::string, std::less<>> pieces_;  // words that are a part of a special name
};

}  // namespace graft::reflect
