#include "reflect/string_literal.hpp"

#include <algorithm>
#include <cstddef>

namespace graft::reflect {
namespace {

constexpr std::string_view kHexadecimal = "0123456789abcdef";

// The value of a digit in either case, or 16 for another character.
std::size_t digit(char c) {
  const char lower = c >= 'A' && c <= 'F' ? static_cast<char>(c - 'A' + 'a') : c;
  return std::min<std::size_t>(kHexadecimal.find(lower), 16);
}

// Reads digits of a base at `at`, at most so many, and moves `at` behind them.
char number(std::string_view text, std::size_t& at, std::size_t base, std::size_t most) {
  constexpr std::size_t kBeyondAscii = 128;
  std::size_t value = 0;
  for (std::size_t i = 0; i < most && at < text.size() && digit(text[at]) < base; ++i, ++at)
    value = std::min(value * base + digit(text[at]), kBeyondAscii);
  return value < kBeyondAscii ? static_cast<char>(value) : ' ';
}

// Reads the escape sequence behind the backslash at `at` - 1, and moves `at` behind it.
char escaped(std::string_view text, std::size_t& at) {
  constexpr std::string_view kLetters = "abfnrtv", kMeanings = "\a\b\f\n\r\t\v";
  if (digit(text[at]) < 8) return number(text, at, 8, 3);
  const char letter = text[at++];
  if (letter == 'x') return number(text, at, 16, text.size());
  if (letter == 'u') return number(text, at, 16, 4);
  if (letter == 'U') return number(text, at, 16, 8);
  const std::size_t known = kLetters.find(letter);
  return known == std::string_view::npos ? letter : kMeanings[known];
}

}  // namespace

std::string literal_value(std::string_view literal) {
  const std::size_t open = literal.find('"');
  if (open == std::string_view::npos || literal.size() < open + 2) return {};
  std::string_view inside = literal.substr(open + 1, literal.size() - open - 2);
  if (literal.substr(0, open).ends_with('R')) {  // R"delimiter(inside)delimiter"
    const std::size_t begin = inside.find('('), end = inside.rfind(')');
    return begin < end && end != std::string_view::npos ? std::string(inside.substr(begin + 1, end - begin - 1))
                                                        : std::string();
  }
  std::string value;
  for (std::size_t at = 0; at < inside.size();) {
    const char c = inside[at++];
    value += c == '\\' && at < inside.size() ? escaped(inside, at) : c;
  }
  return value;
}

}  // namespace graft::reflect
