// Whether what a message suggests can be typed.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>

#include "formula/parser.hpp"
#include "formula/token.hpp"
#include "graft/error.hpp"

namespace graft::test {

inline std::size_t offset_of(std::string_view text, const Diagnostic& found) {
  std::size_t begin = 0;
  for (int line = 1; line < found.line; ++line) begin = text.find('\n', begin) + 1;
  return begin + static_cast<std::size_t>(found.column) - 1;
}

// Where the first mistake is that `read` finds; nothing if there is none.
template <class Read>
std::optional<std::size_t> first_mistake(Read read, std::string_view text) {
  try {
    read(text);
    return std::nullopt;
  } catch (const Error& error) {
    return offset_of(text, error.diagnostics().at(0));
  }
}

inline void parse_only(std::string_view text) {
  (void)formulas::parse(text);
}

// What a message suggests to type: a formula, or the text with a symbol in place of what stands at the mistake.
inline std::string suggested(std::string_view text, const Diagnostic& found) {
  if (!first_mistake(parse_only, found.suggestion)) return found.suggestion;
  return std::string(text).replace(offset_of(text, found), found.near.size(), found.suggestion);
}

// Whether a suggestion is empty, or a formula, or a symbol with which the text has no mistake before the place that it
// is for, but one of which it may become a part: of `./` in `../`.
inline bool can_be_typed(std::string_view text, const Diagnostic& found) {
  if (found.suggestion.empty() || !first_mistake(parse_only, found.suggestion)) return true;
  const std::optional<std::size_t> next =
      first_mistake([](std::string_view one) { (void)formulas::tokenize(one); }, suggested(text, found));
  constexpr std::size_t kLongestSymbol = 3;
  return !next || *next + kLongestSymbol > offset_of(text, found);
}

// A formula with a mistake in it, and marks around the piece in whose place the suggestion is typed: "2 * {~n}".
class Marked {
 public:
  explicit Marked(std::string_view text) : text_(text) {}

  std::string typed() const { return with(text_.substr(open() + 1, close() - open() - 1)); }
  std::string with(std::string_view suggestion) const {
    return std::string(text_).replace(open(), close() + 1 - open(), suggestion);
  }

 private:
  std::size_t open() const { return text_.find('{'); }
  std::size_t close() const { return text_.find('}'); }

  std::string_view text_;
};

}  // namespace graft::test
