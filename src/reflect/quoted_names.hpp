// Finds and replaces the names of files that a text's directives have between quotes:
//
//     #include "x.h"     #embed "x.bin"     #if __has_include("x.h")
//
// Names in angle brackets, and names that a macro computes, are not found.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace graft::reflect {

struct QuotedName {
  std::string_view written;  // the part of the text from quote to quote, with line continuations inside
  std::string name;          // "x.h"
};

// In the order of the text.
std::vector<QuotedName> find_quoted_names(std::string_view text);

// Returns the text with other names. `new_name` returns a name, or an empty string for one that stays. Lines keep their
// numbers.
std::string replace_quoted_names(std::string_view text,
                                 const std::function<std::string(const std::string& name)>& new_name);

}  // namespace graft::reflect
