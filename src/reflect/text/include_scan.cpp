// Besides includes and special names, class Scanner finds every feature of a text on which this lexer and the compilers
// may disagree (loose backslashes, digraphs, raw strings over continued lines), so that its caller can distrust the
// result in such a case.
#include "reflect/text/include_scan.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <utility>

#include "core/include_words.hpp"

namespace graft::reflect {
namespace {

constexpr auto kNowhere = std::string_view::npos;

bool is_blank_in_line(char c) {
  return c == ' ' || c == '\t' || c == '\v' || c == '\f';
}

// Finds a backslash followed by blanks at the end of a line. g++ and clang join such a line with the next line; NVRTC
// does not. A backslash directly in front of "\r\n" is not reported, because all three compilers join the lines.
bool has_loose_backslash(std::string_view text) {
  for (std::size_t at = text.find('\\'); at != kNowhere; at = text.find('\\', at + 1)) {
    std::size_t end = at + 1;
    while (end < text.size() && is_blank_in_line(text[end])) ++end;
    if (end > at + 1 && end < text.size() && (text[end] == '\n' || text[end] == '\r')) return true;
  }
  return false;
}

// Finds a carriage return without a newline, which only clang reads as a line end.
bool has_lone_return(std::string_view text) {
  for (std::size_t at = text.find('\r'); at != kNowhere; at = text.find('\r', at + 1))
    if (at + 1 == text.size() || text[at + 1] != '\n') return true;
  return false;
}

// Whether the token is a raw string, R"(...)". Also returns true for a raw string whose end is missing.
bool is_raw(const Token& token) {
  const std::size_t quote = token.text.find('"');
  return (token.kind == Token::String || token.kind == Token::Broken) && quote != kNowhere && quote > 0 &&
         token.text[quote - 1] == 'R';
}

// Whether `import <a.h>;` begins at this token, at the beginning of a line.
bool is_import(std::span<const Token> tokens, std::size_t at) {
  if (!tokens[at].is("import") || at + 1 == tokens.size()) return false;
  const bool begins = at == 0 || tokens[at - 1].line != tokens[at].line || tokens[at - 1].is("export");
  const Token& next = tokens[at + 1];
  return begins && (next.kind != Token::Symbol || next.is("<") || next.is(":"));
}

bool is_paste(std::span<const Token> tokens, std::size_t at) {
  const auto spells = [&](std::string_view sign) {
    for (std::size_t i = 0; i < sign.size(); ++i)
      if (at + i >= tokens.size() || tokens[at + i].text != sign.substr(i, 1)) return false;
    return true;
  };
  return spells("##") || spells("%:%:");
}

struct SpecialName {
  std::string_view name;
  Circumstance circumstance;
};

constexpr SpecialName kSpecialNames[] = {
    {"__FILE__", Circumstance::File},
    {"__FILE_NAME__", Circumstance::File},
    {"__BASE_FILE__", Circumstance::File},
    {"__builtin_FILE", Circumstance::File},
    {"__builtin_FILE_NAME", Circumstance::File},
    {"__builtin_source_location", Circumstance::File},
    {"source_location", Circumstance::File},
    {"assert", Circumstance::File},
    {"__DATE__", Circumstance::Time},
    {"__TIME__", Circumstance::Time},
    {"__TIMESTAMP__", Circumstance::Time},
    {"__has_include", Circumstance::Files},
    {"__has_include_next", Circumstance::Files},
    {"__has_embed", Circumstance::Files},
};

// Whether `name` is a concatenation of pieces. reached[i] says whether the first i characters of `name` are such a
// concatenation.
bool is_made_of(std::string_view name, const std::set<std::string, std::less<>>& pieces) {
  std::vector<bool> reached(name.size() + 1, false);
  reached[0] = true;
  for (std::size_t begin = 0; begin < name.size(); ++begin)
    for (std::size_t size = 1; reached[begin] && begin + size <= name.size(); ++size)
      if (pieces.contains(name.substr(begin, size))) reached[begin + size] = true;
  return reached.back();
}

// Scans the tokens of one text, and the tokens inside its directives.
class Scanner {
 public:
  explicit Scanner(NamePieces* pieces) : pieces_(pieces) {}

  IncludeScan scan(const Text& whole_text) {
    const std::string_view text = whole_text.source();
    const Tokens& tokens = whole_text.tokens();
    for (const Directive& directive : whole_text.code().directives) note(directive);
    for (std::size_t at = 0; at < tokens.list.size(); ++at) {
      if (tokens.list[at].kind != Token::Directive) note(tokens.list, at);
      if (is_import(tokens.list, at)) found_.imports = true;
    }
    const std::string_view whole = tokens.joined ? std::string_view(*tokens.joined) : text;
    found_.may_spell_hash =
        whole.find("%:") != kNowhere || text.find("?\?=") != kNowhere || text.find("?\?/") != kNowhere;
    // A text that has both raw strings and continued lines is doubtful. The lexer joins all continued lines, but in a
    // raw string a backslash and a newline are characters of the string.
    found_.is_doubtful = text.find('\0') != kNowhere || has_lone_return(text) || has_loose_backslash(text) ||
                         (tokens.joined != nullptr && has_raw_string_);
    return std::move(found_);
  }

 private:
  void note(const Directive& directive) {
    if (auto include = parse_include(directive)) {
      found_.includes.push_back(std::move(*include));
      if (!found_.includes.back().computed) return;  // the words of a file name, such as <assert.h>, have no meaning
    }
    if (directive.name == "embed") found_.embeds = true;
    for (std::size_t at = 0; at < directive.words.size(); ++at) note(directive.words, at);
  }

  void note(std::span<const Token> tokens, std::size_t at) {
    if (is_raw(tokens[at])) has_raw_string_ = true;
    if (is_paste(tokens, at)) found_.pastes = true;
    if (tokens[at].kind != Token::Word) return;
    if (pieces_ != nullptr) pieces_->add(tokens[at].text);
    const Circumstance circumstance = circumstance_of(tokens[at].text);
    if (circumstance == Circumstance::File) found_.names_file = true;
    if (circumstance == Circumstance::Time) found_.names_time = true;
    if (circumstance == Circumstance::Files) found_.has_include = true;
  }

  NamePieces* pieces_;
  IncludeScan found_;
  bool has_raw_string_ = false;
};

}  // namespace

Circumstance circumstance_of(std::string_view word) {
  for (const SpecialName& special : kSpecialNames)
    if (word == special.name) return special.circumstance;
  if (word.starts_with("__builtin_FILE")) return Circumstance::File;
  const bool asks_for_files = word.starts_with("__has_include") || word.starts_with("__has_embed");
  return asks_for_files ? Circumstance::Files : Circumstance::None;
}

void NamePieces::add(std::string_view word) {
  const auto is_part = [&](const SpecialName& special) {
    return word.size() < special.name.size() && special.name.find(word) != std::string_view::npos;
  };
  if (std::ranges::any_of(kSpecialNames, is_part)) pieces_.emplace(word);
}

// A macro with ## may paste pieces to a name such as __DATE__, on which the kernel then depends.
std::string_view NamePieces::makes() const {
  for (const SpecialName& special : kSpecialNames)
    if (is_made_of(special.name, pieces_)) return special.name;
  return {};
}

// Searches the characters and not the tokens, because a header's name is not made of C++ tokens: it may contain `//`.
std::string_view literal_name(const Directive& directive) {
  const Token& first = directive.words.front();
  const std::size_t begin = static_cast<std::size_t>(first.text.data() - directive.rest.data());
  const char close = first.text.front() == '<' ? '>' : first.text.front() == '"' ? '"' : '\0';
  const std::size_t end = close == '\0' ? kNowhere : directive.rest.find(close, begin + 1);
  return end == kNowhere ? std::string_view() : directive.rest.substr(begin, end + 1 - begin);
}

std::optional<IncludeDirective> parse_include(const Directive& directive) {
  const bool next = directive.name == "include_next";
  if ((directive.name != "include" && directive.name != "import" && !next) || directive.words.empty())
    return std::nullopt;
  const std::string_view literal = literal_name(directive);
  if (literal.empty()) return IncludeDirective{spaced_text(directive.words), {}, false, true, directive.line};
  return IncludeDirective{std::string(literal), std::string(literal.substr(1, literal.size() - 2)),
                          literal.front() == '<', next, directive.line};
}

IncludeScan scan_includes(const Text& text, NamePieces* pieces) {
  return Scanner(pieces).scan(text);
}

bool stands_alone(std::string_view text) {
  using namespace std::string_view_literals;
  static constexpr std::array kDoubtful = {"##"sv, "%:"sv, "?\?"sv, "\\"sv, "\r"sv, "\0"sv};
  const auto has = [&](std::string_view mark) { return text.find(mark) != kNowhere; };
  return !can_include(text) && std::ranges::none_of(kDoubtful, has) &&
         std::ranges::none_of(kSpecialNames, has, &SpecialName::name);
}

}  // namespace graft::reflect
