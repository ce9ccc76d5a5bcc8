// The code in this file works in two passes. Class Lexer converts characters to tokens. Class CodeReader then walks
// through the tokens, evaluates `#if 0` and `#if 1`, and matches brackets.
//
// Before the first pass, join_lines() removes the line continuations, so that each continued line becomes one line. The
// offset in the joined text at which a continuation was removed is a "joint". The joints are recorded, because a line
// of the source ends at each joint, and the line numbers of tokens must count this line.
#include "reflect/text/lexer.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace graft::reflect {
namespace {

constexpr auto kNone = std::string_view::npos;

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
// Bytes of UTF-8 sequences count as letters, because compilers accept them in identifiers.
bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$' || static_cast<signed char>(c) < 0;
}
bool is_word(char c) {
  return is_letter(c) || is_digit(c);
}
bool is_blank(char c) {
  return c == ' ' || (c >= '\t' && c <= '\r');
}
bool is_alien(char c) {
  return static_cast<unsigned char>(c) < ' ' || c == '\x7f' || c == '@' || c == '`' || c == '\\';
}

bool is_raw_prefix(std::string_view word) {
  return word == "R" || word == "LR" || word == "uR" || word == "UR" || word == "u8R";
}
bool is_prefix(std::string_view word) {
  return word == "L" || word == "u" || word == "U" || word == "u8";
}

// Whether the characters form a two-character symbol. `>>` and `>=` stay two tokens, because their `>` may close a
// template argument list.
bool is_pair(char a, char b) {
  static constexpr std::array<std::string_view, 6> kPairs = {"::", "->", "<<", "<=", "==", "!="};
  const char pair[] = {a, b};
  return std::find(kPairs.begin(), kPairs.end(), std::string_view(pair, 2)) != kPairs.end();
}

// A text whose line continuations were removed, and the offsets in this text at which they were. `text` is null if
// there were none.
struct Joined {
  std::shared_ptr<std::string> text;
  std::vector<std::size_t> places;
};

Joined join_lines(std::string_view source) {
  Joined joined;
  std::size_t kept = 0;
  for (std::size_t at = source.find('\\'); at != kNone; at = source.find('\\', at + 1)) {
    const std::size_t bytes = continuation_at(source, at);
    if (bytes == 0) continue;
    if (!joined.text) joined.text = std::make_shared<std::string>();
    joined.text->append(source, kept, at - kept);
    joined.places.push_back(joined.text->size());
    kept = at + bytes;
    at = kept - 1;
  }
  if (joined.text) joined.text->append(source, kept);
  return joined;
}

class Lexer {
 public:
  Lexer(std::string_view text, std::span<const std::size_t> joints, int line)
      : text_(text), joints_(joints), line_(line) {
    if (text_.starts_with("\xEF\xBB\xBF")) at_ = 3;  // a byte order mark
  }

  std::vector<Token> run() {
    tokens_.reserve(text_.size() / 4 + 1);
    while (skip_blanks(true), !at_end()) {
      if (fresh_line_ && starts_directive()) directive();
      else tokens_.push_back(next());
      fresh_line_ = false;
    }
    return std::move(tokens_);
  }

 private:
  bool at_end() const { return at_ >= text_.size(); }
  char peek(std::size_t ahead = 0) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; }
  bool starts_directive() const { return peek() == '#' || (peek() == '%' && peek(1) == ':'); }

  // Skips blanks and comments. Stops in front of an unterminated comment.
  void skip_blanks(bool over_lines) {
    while (!at_end()) {
      if (peek() == '\n') {
        if (!over_lines) return;
        ++line_;
        ++at_;
        fresh_line_ = true;
      } else if (is_blank(peek())) {
        ++at_;
      } else if (peek() == '/' && peek(1) == '/') {
        at_ = std::min(text_.find('\n', at_), text_.size());
      } else if (const std::size_t end = comment_end(); end != kNone) {
        go_to(end);
      } else {
        return;
      }
    }
  }

  std::size_t comment_end() const {
    if (peek() != '/' || peek(1) != '*') return kNone;
    const std::size_t end = text_.find("*/", at_ + 2);
    return end == kNone ? kNone : end + 2;
  }

  void go_to(std::size_t end) {
    line_ += static_cast<int>(std::count(text_.begin() + static_cast<std::ptrdiff_t>(at_),
                                         text_.begin() + static_cast<std::ptrdiff_t>(end), '\n'));
    at_ = end;
  }

  int line() {
    while (next_joint_ < joints_.size() && joints_[next_joint_] <= at_) ++line_, ++next_joint_;
    return line_;
  }

  // Reads a whole preprocessor line. A newline inside a comment or raw string does not end the preprocessor line.
  void directive() {
    Token whole{Token::Directive, line(), {}};
    const std::size_t begin = at_;
    while (skip_blanks(false), !at_end() && peek() != '\n') {
      const Token token = next();
      if (token.kind == Token::Broken && token.text.starts_with("/*")) tokens_.push_back(token);
    }
    std::size_t end = at_;
    while (is_blank(text_[end - 1])) --end;
    whole.text = text_.substr(begin, end - begin);
    tokens_.push_back(whole);
  }

  Token next() {
    Token token{Token::Symbol, line(), {}};
    const std::size_t begin = at_;
    token.kind = advance();
    token.text = text_.substr(begin, at_ - begin);
    return token;
  }

  Token::Kind advance() {
    const char c = peek();
    if (is_letter(c)) return word();
    if (is_digit(c) || (c == '.' && is_digit(peek(1)))) return number();
    if (c == '"' || c == '\'') return quoted();
    if (c == '/' && peek(1) == '*') return broken_rest();
    at_ += is_pair(c, peek(1)) ? 2 : 1;
    return is_alien(c) ? Token::Broken : Token::Symbol;
  }

  Token::Kind word() {
    const std::size_t begin = at_;
    while (is_word(peek())) ++at_;
    const std::string_view found = text_.substr(begin, at_ - begin);
    if (peek() == '"' && is_raw_prefix(found)) return raw_string();
    if ((peek() == '"' || peek() == '\'') && is_prefix(found)) return quoted();
    return Token::Word;
  }

  // Reads a preprocessing number, which need not be a valid literal: 0x1.8p-3f, 1'000'000, 1e+5.
  Token::Kind number() {
    for (;; ++at_) {
      const bool separator = peek() == '\'' && is_word(peek(1));
      const bool sign = (peek() == '+' || peek() == '-') && std::string_view("eEpP").find(text_[at_ - 1]) != kNone;
      if (!is_word(peek()) && peek() != '.' && !separator && !sign) return Token::Number;
    }
  }

  // Reads a string or character literal. An unterminated literal ends at the end of its line.
  Token::Kind quoted() {
    const char quote = peek();
    for (++at_; !at_end() && peek() != '\n'; ++at_) {
      if (peek() == quote) {
        ++at_;
        return quote == '"' ? Token::String : Token::Character;
      }
      if (peek() == '\\' && at_ + 1 < text_.size() && peek(1) != '\n') ++at_;
    }
    return Token::Broken;
  }

  Token::Kind raw_string() {
    constexpr std::size_t kLongestDelimiter = 16;
    const std::string_view head = text_.substr(at_ + 1, kLongestDelimiter + 1);
    const std::size_t open = head.find_first_of("( )\\\t\v\f\n\"");
    if (open == kNone || head[open] != '(') return quoted();
    const std::string close = ")" + std::string(head.substr(0, open)) + "\"";
    const std::size_t end = text_.find(close, at_ + 1 + open);
    if (end == kNone) return broken_rest();
    go_to(end + close.size());
    return Token::String;
  }

  Token::Kind broken_rest() {
    go_to(text_.size());
    return Token::Broken;
  }

  std::string_view text_;
  std::span<const std::size_t> joints_;
  std::size_t next_joint_ = 0;
  std::size_t at_ = 0;
  int line_;
  bool fresh_line_ = true;
  std::vector<Token> tokens_;
};

class CodeReader {
 public:
  explicit CodeReader(std::size_t tokens) {
    code_.tokens.reserve(tokens);
    code_.partner.reserve(tokens);
    code_.branch.reserve(tokens);
  }

  Code read(std::span<const Token> tokens) {
    for (const Token& token : tokens) {
      if (token.kind == Token::Directive) directive(token);
      else if (!dead_) code(token);
    }
    if (!open_.empty() || !conditionals_.empty()) code_.is_damaged = true;
    for (const std::size_t bracket : open_) code_.partner[bracket] = code_.tokens.size();
    return std::move(code_);
  }

 private:
  // An #if whose #endif has not been read yet. `outer_branch` and `outer_dead` are the state of the reader in front of
  // the #if, to which it returns at the #endif.
  struct Conditional {
    int outer_branch;
    bool outer_dead;
    bool is_settled;  // an earlier branch has the condition 1, so all later branches are dead
  };

  void code(const Token& token) {
    const std::size_t index = code_.tokens.size();
    code_.tokens.push_back(token);
    code_.partner.push_back(index);
    code_.branch.push_back(branch_);
    if (token.kind == Token::Broken) code_.is_damaged = true;
    if (token.kind == Token::Symbol && token.text.size() == 1) bracket(token.text.front(), index);
  }

  void bracket(char c, std::size_t index) {
    if (c == '(' || c == '[' || c == '{') return open_.push_back(index);
    const char opening = c == ')' ? '(' : c == ']' ? '[' : c == '}' ? '{' : '\0';
    if (opening == '\0') return;
    if (open_.empty() || code_.tokens[open_.back()].text.front() != opening) {
      code_.is_damaged = true;
      return;
    }
    code_.partner[open_.back()] = index;
    open_.pop_back();
  }

  void directive(const Token& token) {
    Directive directive = parse_directive(token);
    const std::string_view condition = directive.words.size() == 1 ? directive.words.front().text : std::string_view();
    if (directive.name == "if") open_conditional(condition);
    else if (directive.name == "ifdef" || directive.name == "ifndef") open_conditional({});
    else if (directive.name == "elif") enter_branch(condition);
    else if (directive.name.starts_with("el")) enter_branch({});
    else if (directive.name == "endif") close_conditional();
    directive.is_dead = dead_;
    directive.branch = branch_;
    code_.directives.push_back(std::move(directive));
  }

  void open_conditional(std::string_view condition) {
    conditionals_.push_back({branch_, dead_, false});
    enter_branch(condition);
  }

  void enter_branch(std::string_view condition) {
    if (conditionals_.empty()) {
      code_.is_damaged = true;
      return;
    }
    Conditional& conditional = conditionals_.back();
    branch_ = ++branches_;
    dead_ = conditional.outer_dead || conditional.is_settled || condition == "0";
    if (condition == "1") conditional.is_settled = true;
  }

  void close_conditional() {
    if (conditionals_.empty()) {
      code_.is_damaged = true;
      return;
    }
    branch_ = conditionals_.back().outer_branch;
    dead_ = conditionals_.back().outer_dead;
    conditionals_.pop_back();
  }

  Code code_;
  std::vector<std::size_t> open_;
  std::vector<Conditional> conditionals_;
  int branches_ = 0;
  int branch_ = 0;
  bool dead_ = false;
};

}  // namespace

std::size_t continuation_at(std::string_view source, std::size_t at) {
  if (at >= source.size() || source[at] != '\\') return 0;
  const std::string_view rest = source.substr(at + 1);
  return rest.starts_with('\n') ? 2 : rest.starts_with("\r\n") ? 3 : 0;
}

Tokens tokenize(std::string_view source, int first_line) {
  const Joined joined = join_lines(source);
  const std::string_view text = joined.text ? std::string_view(*joined.text) : source;
  return {Lexer(text, joined.places, first_line).run(), joined.text};
}

std::string_view SourcePlaces::of(std::string_view piece) {
  const char* lexed = tokens_.joined ? tokens_.joined->data() : source_.data();
  const auto begin = static_cast<std::size_t>(piece.data() - lexed);
  if (!tokens_.joined) return source_.substr(begin, piece.size());
  const std::size_t first = offset(begin);
  return source_.substr(first, offset(begin + piece.size() - 1) + 1 - first);
}

std::size_t SourcePlaces::offset(std::size_t wanted) {
  for (;; ++joined_, ++at_) {
    for (std::size_t size = continuation_at(source_, at_); size > 0; size = continuation_at(source_, at_)) at_ += size;
    if (joined_ == wanted) return at_;
  }
}

Directive parse_directive(const Token& line) {
  const std::string_view body = line.text.substr(line.text.starts_with('#') ? 1 : 2);
  // The lines are joined already. Joining once more would put the words into a text of their own.
  std::vector<Token> words = Lexer(body, {}, line.line).run();
  if (words.empty() || words.front().kind != Token::Word) return {};
  const std::string_view name = words.front().text;
  words.erase(words.begin());
  const std::string_view rest = body.substr(static_cast<std::size_t>(name.data() + name.size() - body.data()));
  return {line.text, name, rest, std::move(words), line.line};
}

Code read_code(const Tokens& tokens) {
  return CodeReader(tokens.list.size()).read(tokens.list);
}

std::string spaced_text(std::span<const Token> tokens) {
  std::string text;
  const char* end = nullptr;
  for (const Token& token : tokens) {
    if (!text.empty() && token.text.data() != end) text += ' ';
    text += token.text;
    end = token.text.data() + token.text.size();
  }
  return text;
}

}  // namespace graft::reflect
