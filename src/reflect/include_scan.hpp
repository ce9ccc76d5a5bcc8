// What a text takes from elsewhere: its #includes on all branches, the names whose meaning depends on where and when it
// is compiled, and the types that need a header. The cache key rests on the first two, so they err on the side of
// finding too much.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "reflect/lexer.hpp"

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
  bool has_include = false;  // __has_include: what is missing matters too
  bool names_file = false;   // __FILE__ and its like
  bool names_time = false;   // __DATE__, __TIME__, __TIMESTAMP__
};

IncludeScan scan_includes(std::string_view text);
std::vector<IncludeDirective> find_includes(std::string_view text);

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
