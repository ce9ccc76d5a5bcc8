// Finds what a text takes from elsewhere: its #includes on all branches, special names, whose meaning depends on where
// and when the text is compiled (special_names.hpp), and types that need a header. The cache key rests on the first
// two, so their search finds too much rather than too little.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "reflect/lexer.hpp"
#include "reflect/special_names.hpp"

namespace graft::reflect {

struct IncludeDirective {
  std::string spelling;  // as written: "<cmath>", "\"mine.h\"", "HEADER(x)"
  std::string name;      // "cmath", "mine.h"; empty when computed
  bool angled = false;
  bool computed = false;  // the file depends on a macro, or on the order of the include folders (#include_next)
  int line = 0;
  bool operator==(const IncludeDirective&) const = default;
};

struct IncludeScan {
  std::vector<IncludeDirective> includes;
  bool has_include = false;     // __has_include or __has_embed: the absence of a file matters too
  bool names_file = false;      // __FILE__ and others of Circumstance::File
  bool names_time = false;      // __DATE__, __TIME__, __TIMESTAMP__
  bool embeds = false;          // #embed
  bool imports = false;         // a line that begins with import
  bool pastes = false;          // a paste operator (##)
  bool is_doubtful = false;     // compilers read its lines, strings or characters differently
  bool may_spell_hash = false;  // %: or a trigraph
};

// Also adds the text's words to `pieces`, unless that is null.
IncludeScan scan_includes(std::string_view text, NamePieces* pieces = nullptr);
std::vector<IncludeDirective> find_includes(std::string_view text);

// A fast check whether scan_includes would find nothing, so that the text's meaning depends on the text alone. May
// answer no wrongly, but never yes.
bool stands_alone(std::string_view text);

// Reads an #include, #include_next or #import directive. Nothing for other directives.
std::optional<IncludeDirective> parse_include(const Directive& directive);

// Names in a text that decide how graft compiles it: types and functions of cuda_fp16.h and cuda_bf16.h, textures and
// surfaces, and math functions that take dozens of instructions per element.
struct Mentions {
  bool half = false;
  bool bfloat16 = false;
  bool textures = false;
  bool long_math = false;
};
Mentions find_mentions(const Code& code);

}  // namespace graft::reflect
