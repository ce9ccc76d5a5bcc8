// Finds everything outside a text on which the meaning of the text depends: #includes in all branches of #if, and
// special names, whose meaning depends on where (__FILE__) or when (__DATE__) the text is compiled, or on which other
// files exist (__has_include). A cache key must take all includes and special names into account. A missed one would
// give two different programs the same key, so in doubt the search may report an include or special name that is none.
//
// A paste operator can also form a special name, from pieces anywhere in the compiled text:
//
//     #define PASTE(a, b) a##b
//     PASTE(__FI, LE__)
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "reflect/text/lexer.hpp"
#include "reflect/text/text.hpp"

namespace graft::reflect {

enum class Circumstance : std::uint8_t {
  None,
  // The name of the text's own file: __FILE__, and names such as assert, whose macros in headers use __FILE__.
  File,
  Time,   // the time of the compile: __DATE__, __TIME__, __TIMESTAMP__
  Files,  // which other files exist: __has_include, __has_embed
};

// Returns the circumstance on which the meaning of a word depends.
Circumstance circumstance_of(std::string_view word);

// Collects the words of all texts of a compile, and tells whether pasting them could form a special name.
class NamePieces {
 public:
  void add(std::string_view word);

  // Returns the first special name that two or more of the words could form, or an empty name if there is none.
  std::string_view makes() const;

 private:
  std::set<std::string, std::less<>> pieces_;  // the collected words that are a part of a special name
};

struct IncludeDirective {
  std::string spelling;  // as written: "<cmath>", "\"mine.h\"", "HEADER(x)"
  std::string name;      // "cmath", "mine.h"; empty if `computed`
  bool angled = false;
  // Which file is included depends on a macro, or on the order of the include folders (#include_next).
  bool computed = false;
  int line = 0;
  bool operator==(const IncludeDirective&) const = default;
};

struct IncludeScan {
  std::vector<IncludeDirective> includes;
  // The text has __has_include or __has_embed, whose value changes when a file is added or removed.
  bool has_include = false;
  bool names_file = false;  // the text has __FILE__ or another name of Circumstance::File
  bool names_time = false;  // the text has __DATE__, __TIME__ or __TIMESTAMP__
  bool embeds = false;      // the text has an #embed directive
  bool imports = false;     // a line of the text begins with `import`, a directive of C++20
  bool pastes = false;      // the text has a paste operator (##)
  // True if compilers may disagree on how to read the text's lines, strings or characters.
  bool is_doubtful = false;
  bool may_spell_hash = false;  // the text has %: or a trigraph, which may stand for a #
};

// Scans a text. Adds the text's words to `pieces`, unless `pieces` is null.
IncludeScan scan_includes(const Text& text, NamePieces* pieces = nullptr);

// A fast check before scan_includes. If the check returns true, the text depends on nothing outside itself, and
// scan_includes would find nothing. If the check returns false, only scan_includes can tell.
bool stands_alone(std::string_view text);

// Reads an #include, #include_next or #import directive. Returns nothing for other directives.
std::optional<IncludeDirective> parse_include(const Directive& directive);

// Returns the name of the file behind an #include or #embed, with its quotes or brackets, as a part of directive.rest:
// "<cmath>" of "<cmath>  // why". Returns an empty name if a macro computes the name. The directive must have words.
std::string_view literal_name(const Directive& directive);

}  // namespace graft::reflect
