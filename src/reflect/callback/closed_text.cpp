#include "reflect/callback/closed_text.hpp"

#include <algorithm>
#include <array>

#include "reflect/text/include_scan.hpp"

namespace graft::reflect {
namespace {

// Words that an untrusted text must not contain: words that begin inline assembly, words that are preprocessor
// operators, and `import` and `module`, which begin directives of C++20 that have no `#`.
constexpr std::array<std::string_view, 8> kWordsBeyondC = {"asm",     "__asm",    "__asm__", "_asm",
                                                           "_Pragma", "__pragma", "import",  "module"};

struct Spelling {
  std::string_view text;
  const char* what;
};
// Characters that an untrusted text must not contain, and their names in messages: all spellings of `#`, which begins a
// directive, and characters that could hide a `#` or a forbidden word from this search.
constexpr std::array kSpellings = {
    Spelling{"#", "`#`"},
    Spelling{"%:", "`%:`, which is `#`,"},
    Spelling{"?\?=", "`?\?=`, which is `#`,"},
    Spelling{"?\?/", "`?\?/`, which is a backslash,"},
    Spelling{"\\u", "a universal character name (`\\u`)"},
    Spelling{"\\U", "a universal character name (`\\U`)"},
    Spelling{"\\N", "a universal character name (`\\N`)"},
    Spelling{std::string_view("\0", 1), "a zero byte"},
};

// Whether the word has the form of the compiler's own macro names: `_NV_EVAL`, `__CUDA_ARCH__`, `NV_IF_TARGET`.
bool is_macros_name(std::string_view word) {
  if (word.starts_with("NV_")) return true;
  const std::size_t letter = word.find_first_not_of('_');
  return letter != 0 && letter != word.npos && word[letter] >= 'A' && word[letter] <= 'Z';
}

// Does not use std::isalnum, because its result depends on the locale.
constexpr bool is_name_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

std::string_view word_at(std::string_view text) {
  return text.substr(0, static_cast<std::size_t>(std::ranges::find_if_not(text, is_name_character) - text.begin()));
}

// Whether the text begins with a backslash that ends its line. The backslash may have blanks behind it, because g++ and
// clang join such lines too.
bool is_continuation(std::string_view text) {
  if (text.front() != '\\') return false;
  const std::size_t next = text.find_first_not_of(" \t\v\f\r", 1);
  return next == text.npos || text[next] == '\n';
}

// If a forbidden construct is at the beginning of `text`, returns its name for messages; otherwise returns an empty
// text. `word` is the identifier with which `text` begins, or empty.
std::string forbidden_at(std::string_view text, std::string_view word) {
  if (std::ranges::find(kWordsBeyondC, word) != kWordsBeyondC.end()) return "the word `" + std::string(word) + "`";
  if (circumstance_of(word) == Circumstance::Files)
    return "`" + std::string(word) + "`, which tells whether a file exists,";
  if (is_macros_name(word)) return "`" + std::string(word) + "`, a name of the compiler's macros,";
  for (const Spelling& spelling : kSpellings)
    if (text.starts_with(spelling.text)) return spelling.what;
  return is_continuation(text) ? "a backslash at the end of a line" : "";
}

Forbidden at(std::string_view text, std::size_t place, std::string what) {
  const std::string_view before = text.substr(0, place);
  const std::size_t line_begin = before.rfind('\n') + 1;  // 0 if there is no newline
  return {std::move(what), static_cast<int>(std::ranges::count(before, '\n')) + 1,
          static_cast<int>(place - line_begin) + 1};
}

}  // namespace

std::optional<Forbidden> find_forbidden(std::string_view text) {
  for (std::size_t place = 0; place < text.size();) {
    const std::string_view rest = text.substr(place);
    const std::string_view word = word_at(rest);
    if (std::string what = forbidden_at(rest, word); !what.empty()) return at(text, place, std::move(what));
    place += std::max<std::size_t>(word.size(), 1);
  }
  return std::nullopt;
}

}  // namespace graft::reflect
