// Finds and replaces the names of files that a text's directives have between quotes:
//
//     #include "x.h"     #embed "x.bin"     #if __has_include("x.h")
//
// Names that a macro computes are not found, and names in angle brackets only by find_included_names.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "reflect/text/text.hpp"

namespace graft::reflect {

struct QuotedName {
  std::string_view written;  // the part of the text from quote to quote, with line continuations inside
  std::string name;          // "x.h"

  bool is_angled() const { return written.starts_with('<'); }
};

// Finds the names between quotes, in the order of the text. `written` is valid as long as the text lives.
std::vector<QuotedName> find_quoted_names(const Text& text);

// The same for all names in #includes, also those in angle brackets.
std::vector<QuotedName> find_included_names(const Text& text);

// Returns a text, or a piece of it, with other names for those of its `names` that are inside. `new_name` returns a
// name, which is written between quotes, or an empty string for one that stays. Lines keep their numbers.
std::string replace_names(std::string_view text, const std::vector<QuotedName>& names,
                          const std::function<std::string(const QuotedName& name)>& new_name);

}  // namespace graft::reflect
