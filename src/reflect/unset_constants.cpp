#include "reflect/unset_constants.hpp"

#include <span>

#include "reflect/lexer.hpp"

namespace graft::reflect {
namespace {

// Returns the first name that a declaration declares: the last word before its array bounds. `rest` begins after
// __constant__. Returns an empty name if the variable has a value, or if `rest` is no variable.
std::string_view unset_name(std::span<const Token> rest) {
  std::string_view name;
  bool is_in_bounds = false;
  for (const Token& token : rest) {
    if (token.is(";") || token.is(",")) return name;
    if (token.is("=") || token.is("{") || token.is("(")) return {};
    is_in_bounds |= token.is("[");
    if (token.kind == Token::Word && !is_in_bounds) name = token.text;
  }
  return {};
}

}  // namespace

std::vector<std::string> unset_constants(const Text& text) {
  std::vector<std::string> names;
  const std::span<const Token> all = text.tokens().list;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (!all[i].is("__constant__") || (i > 0 && all[i - 1].is("extern"))) continue;
    if (const std::string_view name = unset_name(all.subspan(i + 1)); !name.empty()) names.emplace_back(name);
  }
  return names;
}

}  // namespace graft::reflect
