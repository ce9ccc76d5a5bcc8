// What a text takes from elsewhere: its #includes on all branches, the names whose meaning depends on where and when it
// is compiled, and the types that need a header. The cache key rests on the first two, so they err on the side of
// finding too much.
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
  bool computed = false;  // a macro decides, or the order of the folders does (#include_next)
  int line = 0;
  bool operator==(const IncludeDirective&) const = default;
};

struct IncludeScan {
  std::vector<IncludeDirective> includes;
  bool has_include = false;     // __has_include and __has_embed: what is missing matters too
  bool names_file = false;      // __FILE__ and its like
  bool names_time = false;      // __DATE__, __TIME__, __TIMESTAMP__
  bool embeds = false;          // #embed
  bool imports = false;         // a line that begins with import
  bool pastes = false;          // a paste operator
  bool is_doubtful = false;     // compilers do not agree on its lines, strings or characters
  bool may_spell_hash = false;  // %: or a trigraph
};

// Words go to `pieces` too, where there is one.
IncludeScan scan_includes(std::string_view text, NamePieces* pieces = nullptr);
std::vector<IncludeDirective> find_includes(std::string_view text);

// Whether the text could include, import or embed anything. Errs on the side of yes, and takes next to no time.
bool can_include(std::string_view text);

// Whether scan_includes is certain to find nothing in the text, so that its meaning depends on nothing else. Errs on
// the side of no, and takes next to no time.
bool stands_alone(std::string_view text);

// The include that a directive is, if it is one.
std::optional<IncludeDirective> parse_include(const Directive& directive);

// Names that decide how a text is compiled: those of cuda_fp16.h and cuda_bf16.h, textures and surfaces, and the
// mathematical functions that take dozens of instructions an element.
struct Mentions {
  bool half = false;
  bool bfloat16 = false;
  bool textures = false;
  bool long_math = false;
};
Mentions find_mentions(const Code& code);

}  // namespace graft::reflect
