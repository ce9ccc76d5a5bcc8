#include "formula/token.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <iterator>
#include <limits>
#include <string>
#include <system_error>

#include "base/format.hpp"
#include "formula/bounds.hpp"
#include "formula/cpp_statements.hpp"
#include "formula/elsewhere.hpp"
#include "formula/in_place.hpp"

namespace graft::formulas {
namespace {

constexpr bool is_digit(char c) noexcept {
  return c >= '0' && c <= '9';
}
constexpr bool is_letter(char c) noexcept {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
constexpr bool is_space(char c) noexcept {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

struct Symbol {
  std::string_view text;
  TokenKind kind;
};

// A symbol that begins with another one comes first.
constexpr Symbol kSymbols[] = {
    {"**", TokenKind::Power},        {"//", TokenKind::FloorDivide}, {"<=", TokenKind::LessEqual},
    {">=", TokenKind::GreaterEqual}, {"==", TokenKind::Equal},       {"!=", TokenKind::NotEqual},
    {"&&", TokenKind::And},          {"||", TokenKind::Or},          {"<<", TokenKind::ShiftLeft},
    {">>", TokenKind::ShiftRight},   {"&", TokenKind::BitAnd},       {"|", TokenKind::BitOr},
    {"~", TokenKind::BitNot},        {"+", TokenKind::Plus},         {"-", TokenKind::Minus},
    {"*", TokenKind::Times},         {"/", TokenKind::Divide},       {"%", TokenKind::Remainder},
    {"^", TokenKind::Power},         {"<", TokenKind::Less},         {">", TokenKind::Greater},
    {"!", TokenKind::Not},           {"?", TokenKind::Question},     {":", TokenKind::Colon},
    {",", TokenKind::Comma},         {"(", TokenKind::Open},         {")", TokenKind::Close},
    {".", TokenKind::Dot},           {"=", TokenKind::Assign},       {";", TokenKind::Semicolon},
};

class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {
    tokens_.reserve(std::min(text.size() / 2 + 2, kMostTokens + 1));
  }

  std::vector<Token> read() {
    while (true) {
      skip_spaces_and_comments();
      if (at_ == text_.size()) break;
      if (is_letter(text_[at_])) add(TokenKind::Name, end_of_name(at_));
      else if (is_number()) add_number();
      else add_symbol();
    }
    tokens_.push_back({TokenKind::End, static_cast<std::uint32_t>(text_.size()), 0});
    return std::move(tokens_);
  }

  std::optional<Token> first_name_or_symbol() {
    skip_spaces_and_comments();
    const auto from_here = [&](TokenKind kind, std::size_t length) {
      return Token{kind, static_cast<std::uint32_t>(at_), static_cast<std::uint32_t>(length)};
    };
    if (at_ == text_.size()) return from_here(TokenKind::End, 0);
    if (is_letter(text_[at_])) return from_here(TokenKind::Name, end_of_name(at_) - at_);
    if (is_number() || elsewhere() != nullptr || symbol() == nullptr) return std::nullopt;
    return from_here(symbol()->kind, symbol()->text.size());
  }

 private:
  bool is_number() const {
    return is_digit(text_[at_]) || (text_[at_] == '.' && at_ + 1 < text_.size() && is_digit(text_[at_ + 1]));
  }
  // The symbol here, or null.
  const Symbol* symbol() const {
    const std::string_view rest = text_.substr(at_);
    const auto* const found =
        std::ranges::find_if(kSymbols, [&](const Symbol& one) { return rest.starts_with(one.text); });
    return found == std::end(kSymbols) ? nullptr : found;
  }
  // The symbol of elsewhere that is here, or null; `+=` is no `+`.
  const Elsewhere* elsewhere() const {
    const Elsewhere* const found = symbol_elsewhere(text_.substr(at_));
    return found != nullptr && found->typed.size() > (symbol() == nullptr ? 0 : symbol()->text.size()) ? found
                                                                                                       : nullptr;
  }

  void skip_spaces_and_comments() {
    while (at_ < text_.size() && (is_space(text_[at_]) || text_[at_] == '#'))
      at_ = text_[at_] == '#' ? std::min(text_.find('\n', at_), text_.size()) : at_ + 1;
  }

  void add(TokenKind kind, std::size_t end) {
    if (tokens_.size() == kMostTokens)
      fail_at(text_, {at_, end - at_},
              base::format("the formula has more than {} words, numbers and symbols", kMostTokens));
    tokens_.push_back({kind, static_cast<std::uint32_t>(at_), static_cast<std::uint32_t>(end - at_)});
    at_ = end;
  }

  std::size_t end_of_name(std::size_t at) const {
    while (at < text_.size() && (is_letter(text_[at]) || is_digit(text_[at]))) ++at;
    return at;
  }
  std::size_t end_of_digits(std::size_t at) const {
    while (at < text_.size() && is_digit(text_[at])) ++at;
    return at;
  }

  // A number is digits with at most one point, and perhaps an exponent: "2", "0.5", ".5", "2.", "1e-3". With a j behind
  // it, it is imaginary: "2j".
  void add_number() {
    std::size_t end = end_of_digits(at_);
    if (end < text_.size() && text_[end] == '.') end = end_of_digits(end + 1);
    if (end < text_.size() && (text_[end] == 'e' || text_[end] == 'E')) {
      std::size_t digits = end + 1;
      if (digits < text_.size() && (text_[digits] == '+' || text_[digits] == '-')) ++digits;
      if (digits < text_.size() && is_digit(text_[digits])) end = end_of_digits(digits);
    }
    if (end < text_.size() && (text_[end] == 'j' || text_[end] == 'J') && end_of_name(end) == end + 1) ++end;
    if (end < text_.size() && is_letter(text_[end])) fail_behind_number(end);
    if (end < text_.size() && text_[end] == '.')
      fail_at(text_, {at_, end + 1 - at_},
              base::format("{} has two points", in_quotes(text_.substr(at_, end + 1 - at_))));
    add(TokenKind::Number, end);
  }

  // "0x10" is 16, "0o17" is 15 and "0b101" is 5.
  static std::string decimal(std::string_view number, int base) {
    std::uint64_t value = 0;
    const char* const end = number.data() + number.size();
    const std::from_chars_result read = std::from_chars(number.data() + 2, end, value, base);
    return read.ec == std::errc() && read.ptr == end ? base::format("{}", value) : std::string();
  }
  static int base_of(char letter) {
    switch (letter) {
      case 'x':
      case 'X':
        return 16;
      case 'o':
      case 'O':
        return 8;
      case 'b':
      case 'B':
        return 2;
      default:
        return 0;
    }
  }

  // "1_000" is 1000.
  static std::string without_underscores(std::string_view number) {
    std::string digits(number);
    std::erase(digits, '_');
    return std::ranges::all_of(digits, is_digit) ? digits : std::string();
  }

  // What "2x", "1.0f", "1_000", "2i" and "1d3" mean. `word` is what stands behind the number.
  static std::string product(std::string_view number, std::string_view word) {
    constexpr std::string_view kSuffixes[] = {"f", "F",  "L",  "U",   "UL", "ULL", "LL",  // of C
                                              "l", "ul", "ll", "ull", "u",  "lu",  "llu"};
    if (std::ranges::find(kSuffixes, word) != std::end(kSuffixes)) return std::string(number);
    if (word == "i" || word == "I") return base::format("{}j", number);
    if (word.front() == '_') return without_underscores(base::format("{}{}", number, word));
    const bool is_exponent = word.size() > 1 && std::ranges::all_of(word.substr(1), is_digit);
    if (is_exponent && (word.front() == 'd' || word.front() == 'D'))  // of Fortran
      return base::format("{}e{}", number, word.substr(1));
    return base::format("{} * {}", number, word);
  }

  // "2x", "1.0f", "0x10" and "1e".
  [[noreturn]] void fail_behind_number(std::size_t end) const {
    const std::string_view number = text_.substr(at_, end - at_);
    const std::size_t behind = end_of_name(end);
    const std::string_view word = text_.substr(end, behind - end);
    const Place place{at_, behind - at_};
    const std::string_view whole = text_.substr(at_, place.length);
    if (place.length > 32) fail_at(text_, place, base::format("in {} a letter follows a number", in_quotes(whole)));
    const int base = number == "0" ? base_of(word.front()) : 0;
    if (base != 0) fail_at(text_, place, "numbers are decimal", decimal(whole, base));
    if (word == "e" || word == "E")
      fail_at(text_, place, base::format("the exponent of {} has no digits", in_quotes(whole)));
    const std::string meant = product(number, word);
    const std::optional<Token> next = formulas::first_name_or_symbol(text_.substr(behind));
    const bool is_power = next && next->kind == TokenKind::Power;  // "2x^2" is 2 * x^2
    fail_at(text_, place, base::format("in {} a letter follows a number", in_quotes(whole)),
            is_power ? meant : in_place(text_, place, meant));
  }

  void add_symbol() {
    const std::string_view rest = text_.substr(at_);
    if (rest.starts_with('[')) fail_if_list();
    if (rest.starts_with('{')) fail_if_statement();
    if (const Elsewhere* const known = elsewhere()) fail_elsewhere(*known);
    if (const Symbol* const known = symbol()) return add(known->kind, at_ + known->text.size());
    const auto byte = static_cast<unsigned char>(rest.front());
    if (byte >= ' ' && byte <= '~')
      fail_at(text_, {at_, 1}, in_quotes(rest.substr(0, 1)) + " is no part of a formula" + note_on_comment());
    if (byte > '~') fail_at(text_, {at_, 1}, base::format("the byte 0x{:02x} is no ASCII, as formulas are", byte));
    fail_at(text_, {at_, 1}, base::format("the byte 0x{:02x} is no part of a formula", byte));
  }

  // What a message says of a byte behind "//".
  std::string note_on_comment() const {
    return comment_of_cpp(tokens_, text_, at_) == nullptr ? "" : ", whose comments begin with `#`, and not with `//`";
  }

  // Fails because of the brace of "if (x > 0) { y = x; }", or of a loop.
  void fail_if_statement() const {
    for (std::size_t i = 0; i + 1 < tokens_.size(); ++i) {
      const std::string_view word = tokens_[i].in(text_);
      if (tokens_[i + 1].kind != TokenKind::Open || (word != "if" && word != "for" && word != "while")) continue;
      const std::string suggestion = word == "if" ? formula_of_statements(text_) : std::string();
      fail_at(text_, {at_, 1},
              in_quotes(word) + (word == "if" ? said_of_if(suggestion) : std::string(word_elsewhere(word)->why)),
              suggestion);
    }
  }

  // Fails because of the list of "np.polyval([a, b], x)".
  void fail_if_list() const {
    if (tokens_.empty() || (tokens_.back().kind != TokenKind::Open && tokens_.back().kind != TokenKind::Comma)) return;
    const Elsewhere* const known = function_of_lists(enclosing_call());
    if (known == nullptr)
      fail_at(text_, {at_, 1}, "`[` begins a list, and a formula has none: pass each of its values by itself");
    fail_at(text_, {at_, 1}, in_quotes(known->typed) + std::string(known->why), std::string(known->here));
  }

  // The name of the function among whose arguments the end of the tokens is; empty if there is none.
  std::string_view enclosing_call() const {
    int closed = 0;
    for (std::size_t i = tokens_.size(); i-- > 1;) {
      if (tokens_[i].kind == TokenKind::Close) ++closed;
      if (tokens_[i].kind == TokenKind::Open && closed-- == 0)
        return tokens_[i - 1].kind == TokenKind::Name ? tokens_[i - 1].in(text_) : std::string_view();
    }
    return {};
  }

  [[noreturn]] void fail_elsewhere(const Elsewhere& elsewhere) const {
    const Place place{at_, elsewhere.typed.size()};
    const bool is_quote = elsewhere.typed == "'" || elsewhere.typed == "\"";
    if (const std::string note = note_on_comment(); is_quote && !note.empty())
      fail_at(text_, place, in_quotes(elsewhere.typed) + " is no part of a formula" + note);
    const bool is_ascii = static_cast<unsigned char>(elsewhere.typed.front()) < 0x80;
    const std::string_view why = !elsewhere.why.empty() ? elsewhere.why
                                 : is_ascii             ? " is no part of a formula"
                                                        : "formulas are written in ASCII";
    fail_at(text_, place, (is_ascii ? in_quotes(elsewhere.typed) : std::string()) + std::string(why),
            elsewhere.here.empty() ? formula_of_change(text_, place) : std::string(elsewhere.here));
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::vector<Token> tokens_;
};

}  // namespace

std::vector<Token> tokenize(std::string_view text) {
  if (text.size() > std::numeric_limits<std::uint32_t>::max() / 2)
    fail_at(text.substr(0, 64), {0, 0}, "the formula has more than 2 GiB");
  return Reader(text).read();
}

const Token* comment_of_cpp(std::span<const Token> before, std::string_view text, std::size_t at) {
  const std::size_t begin = text.substr(0, at).rfind('\n') + 1;  // npos + 1 is 0
  const Token* found = nullptr;
  int open = 0;
  for (const Token& token : before) {
    if (token.kind == TokenKind::Open) ++open;
    if (token.kind == TokenKind::Close) --open;
    if (token.kind == TokenKind::FloorDivide && token.offset >= begin && open <= 0 && found == nullptr) found = &token;
    if (token.kind != TokenKind::Semicolon) continue;
    open = 0;
    found = nullptr;
  }
  return found;
}

std::optional<Token> first_name_or_symbol(std::string_view text) {
  return Reader(text).first_name_or_symbol();
}

std::string_view symbol_text(TokenKind symbol) noexcept {
  const auto* const found = std::ranges::find(kSymbols, symbol, &Symbol::kind);
  return found == std::end(kSymbols) ? std::string_view() : found->text;
}

bool is_name(std::string_view text) noexcept {
  return !text.empty() && is_letter(text.front()) &&
         std::ranges::all_of(text, [](char c) { return is_letter(c) || is_digit(c); });
}

}  // namespace graft::formulas
