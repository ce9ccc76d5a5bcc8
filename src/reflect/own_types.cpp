// A typedef's name is the word in front of its semicolon, and an alias' name the word behind `using`.
#include "reflect/own_types.hpp"

#include <algorithm>

#include "reflect/keywords.hpp"
#include "reflect/lexer.hpp"

namespace graft::reflect {
namespace {

bool is_wide_type(std::string_view word) {
  static constexpr std::string_view kNames[] = {"int64_t", "uint64_t", "intptr_t", "uintptr_t"};
  return is_among(kNames, word);
}

}  // namespace

std::vector<std::string> own_wide_types(const Text& whole_text) {
  const std::string& text = whole_text.source();
  if (text.find("64_t") == text.npos && text.find("ptr_t") == text.npos) return {};
  const std::vector<Token>& tokens = whole_text.code().tokens;
  std::vector<std::string> found;
  bool is_typedef = false;
  for (std::size_t i = 0; i + 1 < tokens.size(); ++i) {
    if (tokens[i].is("typedef")) is_typedef = true;
    const Token& next = tokens[i + 1];
    const bool is_alias = i > 0 && tokens[i - 1].is("using") && next.is("=");
    if (is_wide_type(tokens[i].text) && (is_alias || (is_typedef && next.is(";")))) {
      std::string name(tokens[i].text);
      const bool is_of_std = text.find("std::" + name) != text.npos;
      if (!is_of_std && std::ranges::find(found, name) == found.end()) found.push_back(std::move(name));
    }
    if (tokens[i].is(";")) is_typedef = false;
  }
  return found;
}

}  // namespace graft::reflect
