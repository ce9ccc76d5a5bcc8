#include "reflect/joined_literals.hpp"

#include <algorithm>
#include <iterator>

#include "reflect/string_literal.hpp"

namespace graft::reflect {
namespace {

// Macros that name each other, or themselves, end here.
constexpr int kDeepest = 8;
constexpr int kMostReplaced = 1000;

}  // namespace

std::span<const MacroLiterals::Replacement> MacroLiterals::find(std::string_view name) const {
  const auto found = replacements_.find(name);
  return found == replacements_.end() ? std::span<const Replacement>() : found->second;
}

bool JoinedLiterals::add(const Token& token) {
  const bool is_literal = token.kind == Token::String;
  const auto definitions =
      token.kind == Token::Word ? macros_.find(token.text) : std::span<const MacroLiterals::Replacement>();
  if (!is_literal && definitions.empty()) return false;
  begins_.emplace_back(text_.size(), &token);
  if (is_literal) text_ += literal_value(token.text);
  else add_macro(definitions, 0);
  return true;
}

void JoinedLiterals::add_macro(std::span<const MacroLiterals::Replacement> definitions, int depth) {
  if (depth == kDeepest) return;
  is_certain_ &= definitions.size() == 1 && definitions[0].is_always_compiled;
  for (const MacroLiterals::Replacement& definition : definitions)
    for (const Token& token : definition.tokens) {
      if (++replaced_ > kMostReplaced) return;
      if (token.kind == Token::String) text_ += literal_value(token.text);
      else if (const auto inner = macros_.find(token.text); token.kind == Token::Word && !inner.empty())
        add_macro(inner, depth + 1);
    }
}

const Token& JoinedLiterals::token_at(std::size_t offset) const {
  const auto behind = std::ranges::upper_bound(begins_, offset, {}, [](const auto& begin) { return begin.first; });
  return *std::prev(behind)->second;
}

}  // namespace graft::reflect
