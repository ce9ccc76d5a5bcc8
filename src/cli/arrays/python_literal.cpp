// A recursive descent parser for Python literals. Its depth is limited, because a header is untrusted input and could
// otherwise overflow the stack.
#include "cli/arrays/python_literal.hpp"

#include <charconv>
#include <utility>

namespace graft::cli {
namespace {

constexpr int kDeepest = 32;

bool is_space(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

// Every function parses one construct, beginning at the position at_. It returns false at the first character that
// cannot belong to the construct.
class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  bool whole(Literal& literal) {
    if (!value(literal, 0)) return false;
    skip_spaces();
    return at_ == text_.size();
  }

 private:
  bool value(Literal& literal, int depth) {
    skip_spaces();
    if (depth == kDeepest || at_ == text_.size()) return false;
    const std::size_t begin = at_;
    const bool known = value_at(literal, depth);
    literal.written = text_.substr(begin, at_ - begin);
    return known;
  }

  bool value_at(Literal& literal, int depth) {
    switch (text_[at_]) {
      case '\'':
      case '"':
        return string(literal);
      case '(':
        return sequence(literal, Literal::Kind::Tuple, ')', depth);
      case '[':
        return sequence(literal, Literal::Kind::List, ']', depth);
      case '{':
        return dict(literal, depth);
      default:
        return word(literal) || integer(literal);
    }
  }

  bool word(Literal& literal) {
    if (take_word("None")) literal.kind = Literal::Kind::None;
    else if (take_word("False")) literal.kind = Literal::Kind::Bool;
    else if (take_word("True"))
      literal = {.kind = Literal::Kind::Bool, .number = 1, .text = {}, .written = {}, .items = {}};
    else return false;
    return true;
  }

  bool integer(Literal& literal) {
    literal.kind = Literal::Kind::Integer;
    const char* const begin = text_.data() + at_;
    const auto [end, error] = std::from_chars(begin, text_.data() + text_.size(), literal.number);
    if (error != std::errc()) return false;
    at_ += static_cast<std::size_t>(end - begin);
    take('L');  // Python 2 wrote (3L, 4L)
    return true;
  }

  bool string(Literal& literal) {
    literal.kind = Literal::Kind::String;
    const char quote = text_[at_++];
    while (at_ < text_.size() && text_[at_] != quote) {
      if (text_[at_] == '\n') return false;
      if (text_[at_] == '\\' && ++at_ == text_.size()) return false;  // keeps the character behind the backslash
      literal.text += text_[at_++];
    }
    return take(quote);
  }

  bool sequence(Literal& literal, Literal::Kind kind, char close, int depth) {
    literal.kind = kind;
    ++at_;
    bool comma = true;
    for (;;) {
      skip_spaces();
      // In Python, (3) without a comma is a number in parentheses and not a tuple, so it is refused.
      if (take(close)) return kind == Literal::Kind::List || literal.items.size() != 1 || comma;
      if (!comma || !value(literal.items.emplace_back(), depth + 1)) return false;
      skip_spaces();
      comma = take(',');
    }
  }

  bool dict(Literal& literal, int depth) {
    literal.kind = Literal::Kind::Dict;
    ++at_;
    bool comma = true;
    for (;;) {
      skip_spaces();
      if (take('}')) return true;
      if (!comma || !value(literal.items.emplace_back(), depth + 1)) return false;
      skip_spaces();
      if (!literal.items.back().is(Literal::Kind::String) || !take(':')) return false;
      if (!value(literal.items.emplace_back(), depth + 1)) return false;
      skip_spaces();
      comma = take(',');
    }
  }

  void skip_spaces() {
    while (at_ < text_.size() && is_space(text_[at_])) ++at_;
  }
  bool take(char c) {
    const bool there = at_ < text_.size() && text_[at_] == c;
    at_ += there;
    return there;
  }
  bool take_word(std::string_view word) {
    const bool there = text_.substr(at_).starts_with(word);
    at_ += there ? word.size() : 0;
    return there;
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace

const Literal* Literal::find(std::string_view key) const noexcept {
  const Literal* found = nullptr;
  for (std::size_t i = 0; i + 1 < items.size(); i += 2) {
    if (items[i].text != key) continue;
    if (found) return nullptr;
    found = &items[i + 1];
  }
  return found;
}

std::optional<Literal> parse_literal(std::string_view text) {
  Literal literal;
  if (!Parser(text).whole(literal)) return std::nullopt;
  return literal;
}

}  // namespace graft::cli
