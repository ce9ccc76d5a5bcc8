// How a mistake in a formula becomes an Error:
//
//     formula: column 9: `foo` is not known here; did you mean `floor`? [CompileFailed]
//     a * x + foo(x)
//             ^~~
//
// The same facts are in Error::diagnostics(): line, column, the words at the place, and what is probably meant.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace graft::formulas {

// The name of a formula's callback, which stands in place of a file's name in messages.
inline constexpr std::string_view kName = "formula";

// How many bytes a suggestion may have, which may hold names of the formula. Parentheses around it do not count.
inline constexpr std::size_t kLongestSuggestion = 120;

// A piece of the formula's text.
struct Place {
  std::size_t offset = 0;
  std::size_t length = 0;
};

// Throws Error(CompileFailed). `what` says what is wrong, without the place: "`foo` is not known here". `suggestion` is
// the text that the user probably meant, or empty.
[[noreturn, gnu::cold]] void fail_at(std::string_view text, Place place, const std::string& what,
                                     const std::string& suggestion = {});

// Returns a piece of a text for a message, in backquotes. The bytes of a formula come from anybody: what cannot be
// printed becomes '?', and of a long piece the beginning is kept.
std::string in_quotes(std::string_view piece);

}  // namespace graft::formulas
