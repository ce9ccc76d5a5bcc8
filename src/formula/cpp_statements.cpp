// The parser asks this file which formula a statement of C++ means, and this file asks the parser whether its answer is
// a formula. An answer holds no statement of C++ that the parser would ask about, so the questions end.
#include "formula/cpp_statements.hpp"

#include <algorithm>
#include <iterator>
#include <optional>
#include <vector>

#include "base/format.hpp"
#include "base/trimmed.hpp"
#include "formula/elsewhere.hpp"
#include "formula/in_place.hpp"
#include "formula/is_among.hpp"
#include "formula/mistake.hpp"
#include "formula/parser.hpp"
#include "formula/tree.hpp"
#include "formula/type.hpp"
#include "graft/error.hpp"

namespace graft::formulas {
namespace {

constexpr std::size_t kLongestText = 512;  // longer ones give no suggestion that is short enough

constexpr std::string_view kQualifiers[] = {"auto", "const", "constexpr", "register", "static", "volatile"};
// Between two values, where no statement begins.
constexpr std::string_view kOperators[] = {"and", "or", "if", "else"};

bool is_type_word(std::string_view word) {
  return is_among(kQualifiers, word) || is_type_parameter(word) || !type_in_c(word).empty();
}

// The token that closes the parenthesis at `open`, or the end.
std::size_t closing(std::span<const Token> tokens, std::size_t open) {
  std::size_t depth = 0;
  for (std::size_t i = open; i < tokens.size(); ++i) {
    if (tokens[i].kind == TokenKind::Open) ++depth;
    if (tokens[i].kind == TokenKind::Close && --depth == 0) return i;
  }
  return tokens.size() - 1;
}

// Whether each name has one value, unlike a variable of C++ that changes, and whether each `let` is used.
bool has_values_for_names(const Tree& tree) {
  return std::ranges::all_of(tree.statements, [&](const Statement& one) {
    const auto names_it = [&](const Node& node) { return node.kind == NodeKind::Name && node.text == one.name; };
    return one.name.empty() || (std::ranges::count(tree.statements, one.name, &Statement::name) == 1 &&
                                (one.is_output || std::ranges::any_of(tree.nodes, names_it)));
  });
}

// The text if it is a formula that is short enough for a message.
std::string if_formula(const std::string& text) {
  if (text.empty() || text.size() > kLongestSuggestion) return {};
  try {
    return has_values_for_names(parse(text)) ? text : std::string();
  } catch (const Error&) {
    return {};
  }
}

std::string with(std::string_view text, std::string_view bytes, char instead) {
  std::string changed(text);
  std::ranges::replace_if(
      changed, [&](char c) { return bytes.find(c) != bytes.npos; }, instead);
  return changed;
}

// Reads statements. A brace is a semicolon among the tokens, and a brace in the text.
class Statements {
 public:
  explicit Statements(std::string_view text)
      : text_(with(text, "\n\r\t", ' ')), plain_(with(text_, "{}", ';')), tokens_(tokenize(plain_)) {}

  std::optional<std::string> all() {
    std::vector<std::string> statements;
    while (true) {
      while (is(TokenKind::Semicolon)) ++at_;
      if (is(TokenKind::End)) return base::join(statements, "; ");
      const std::optional<std::string> one = statement();
      if (!one) return std::nullopt;
      statements.push_back(*one);
    }
  }

 private:
  struct Assignment {
    std::string name;  // empty for "return x"
    std::string value;
  };

  bool is(TokenKind kind) const { return tokens_[at_].kind == kind; }
  bool is_text(std::string_view text) const { return tokens_[at_].in(text_) == text; }
  std::span<const Token> rest() const { return std::span(tokens_).subspan(at_); }
  std::string piece(std::size_t first, std::size_t end) const {
    if (first >= end) return {};
    return text_.substr(tokens_[first].offset,
                        tokens_[end - 1].offset + tokens_[end - 1].length - tokens_[first].offset);
  }
  std::string to_semicolon() {
    const std::size_t first = at_;
    while (!is(TokenKind::Semicolon) && !is(TokenKind::End)) ++at_;
    return piece(first, at_);
  }

  std::optional<std::string> statement() {
    if (is_if_statement(rest(), text_)) {
      const std::optional<Assignment> chosen = choice();
      if (!chosen) return std::nullopt;
      return chosen->name.empty() ? chosen->value : base::format("{} = {}", chosen->name, chosen->value);
    }
    const std::size_t words = words_of_declaration(rest(), text_);
    return words == 0 ? to_semicolon() : declaration(words);
  }

  // Integers cut a value, and double widens it, so these types stay, as casts. Other values keep the type they have.
  std::optional<std::string> declaration(std::size_t words) {
    const std::string_view type_name = type_of_words(rest().first(words), text_);
    at_ += words;
    const std::string name = piece(at_, at_ + 1);
    ++at_;
    if (!is(TokenKind::Assign)) return std::nullopt;
    ++at_;
    const std::string value = to_semicolon();
    const std::optional<Type> type = type_named(type_name);
    if (type && (is_integer(*type) || type == Type::F64))
      return base::format("let {} = {}({})", name, type_name, value);
    return base::format("let {} = {}", name, value);
  }

  std::optional<Assignment> choice() {
    const std::size_t close = closing(tokens_, at_ + 1);
    const std::string condition = piece(at_ + 2, close);
    at_ = close + 1;
    const std::optional<Assignment> yes = branch();
    if (!yes || !is_text("else")) return std::nullopt;
    ++at_;
    const std::optional<Assignment> no = branch();
    if (!no || no->name != yes->name || condition.find('?') != condition.npos) return std::nullopt;
    return Assignment{yes->name, base::format("{} ? {} : {}", condition, yes->value, no->value)};
  }

  std::optional<Assignment> branch() {
    const bool is_block = is_text("{");
    if (is_block) ++at_;
    std::optional<Assignment> one = is_if_statement(rest(), text_) ? choice() : assignment();
    if (!is_block) return one;
    while (is_text(";")) ++at_;
    if (!is_text("}")) return std::nullopt;
    ++at_;
    return one;
  }

  std::optional<Assignment> assignment() {
    if (!is(TokenKind::Name)) return std::nullopt;
    Assignment one{.name = piece(at_, at_ + 1), .value = {}};
    const bool is_return = one.name == "return";
    ++at_;
    if (is_return) one.name.clear();
    else if (!is(TokenKind::Assign)) return std::nullopt;
    else ++at_;
    one.value = to_semicolon();
    if (is_text(";")) ++at_;
    return one;
  }

  std::string text_;
  std::string plain_;
  std::vector<Token> tokens_;
  std::size_t at_ = 0;
};

}  // namespace

std::size_t words_of_declaration(std::span<const Token> tokens, std::string_view text) {
  std::size_t words = 0;
  while (tokens[words].kind == TokenKind::Name && tokens[words + 1].kind == TokenKind::Name &&
         is_type_word(tokens[words].in(text)))
    ++words;
  if (words == 0) return 0;
  const std::size_t begin = tokens[0].offset;
  if (text.substr(begin, tokens[words].offset - begin).find('\n') != text.npos) return 0;
  const TokenKind next = tokens[words + 1].kind;
  const bool declares =
      next == TokenKind::Assign || next == TokenKind::Semicolon || next == TokenKind::Comma || next == TokenKind::End;
  return declares ? words : 0;
}

std::string_view type_of_words(std::span<const Token> words, std::string_view text) {
  std::vector<std::string> of_type;
  for (const Token& word : words)
    if (!is_among(kQualifiers, word.in(text))) of_type.emplace_back(word.in(text));
  return type_in_c(base::join(of_type, " "));
}

bool is_if_statement(std::span<const Token> tokens, std::string_view text) {
  if (tokens[0].in(text) != "if" || tokens[1].kind != TokenKind::Open) return false;
  const std::size_t close = closing(tokens, 1);
  std::size_t depth = 0;
  for (const Token& token : tokens.subspan(1, close)) {
    if (token.kind == TokenKind::Open) ++depth;
    if (token.kind == TokenKind::Close) --depth;
    if (token.kind == TokenKind::Comma && depth == 1) return false;  // of a function
  }
  if (close + 1 >= tokens.size()) return false;
  const Token& next = tokens[close + 1];
  return next.in(text) == "{" || next.kind == TokenKind::Number ||
         (next.kind == TokenKind::Name && !is_among(kOperators, next.in(text)));
}

std::string said_of_if(const std::string& suggestion) {
  return std::string(" begins a statement of C++, and a formula chooses by `c ? x : y`") +
         (suggestion.empty() ? "; for more, write a callback in CUDA C++" : "");
}

std::string formula_of_statements(std::string_view text) {
  // The comment of either language would become a part of the formula's only line.
  if (text.size() > kLongestText || text.find('#') != text.npos || text.find("//") != text.npos) return {};
  try {
    return if_formula(Statements(text).all().value_or(std::string()));
  } catch (const Error&) {
    return {};
  }
}

std::string formula_of_change(std::string_view text, Place piece) {
  constexpr std::string_view kArithmetic[] = {"+=", "-=", "*=", "/=", "%=", "**=", "//="};
  const std::string_view symbol = text.substr(piece.offset, piece.length);
  if (text.size() > kLongestText || !is_among(kArithmetic, symbol) || text.find('#') != text.npos) return {};
  const std::string_view name = base::trimmed(text.substr(0, piece.offset));
  std::string_view value = base::trimmed(text.substr(piece.offset + piece.length));
  while (value.ends_with(';')) value = base::trimmed(value.substr(0, value.size() - 1));
  const auto is_in_value = [&](std::string_view one) { return value.find(one) != value.npos; };
  if (!is_name(name) || value.empty() || is_in_value(";") || is_in_value("\n")) return {};
  if (std::ranges::any_of(kArithmetic, is_in_value)) return {};  // "x += y += 1"
  const std::string before = base::format("{} = {} {} ", free_output(text), name, symbol.substr(0, symbol.size() - 1));
  const std::string whole = before + std::string(value);
  return if_formula(before + in_place(whole, {before.size(), value.size()}, std::string(value)));
}

std::string_view free_output(std::string_view text) {
  constexpr std::string_view kNames[] = {"out", "result", "out_value"};
  const auto is_free = [&](std::string_view name) { return text.find(name) == text.npos; };
  const auto* const found = std::ranges::find_if(kNames, is_free);
  return found == std::end(kNames) ? std::string_view("new_value") : *found;
}

}  // namespace graft::formulas
