#include "reflect/text/quoted_names.hpp"

#include <algorithm>

#include "reflect/text/include_scan.hpp"
#include "reflect/text/lexer.hpp"

namespace graft::reflect {
namespace {

// Appends the quoted names of one directive, as pieces of the directive's text.
void add_quoted_names(const Directive& directive, std::vector<std::string_view>& names) {
  if (directive.words.empty()) return;
  if (directive.name == "include" || directive.name == "import" || directive.name == "embed") {
    const std::string_view literal = literal_name(directive);
    if (literal.starts_with('"')) names.push_back(literal);
    return;
  }
  for (std::size_t i = 0; i + 2 < directive.words.size(); ++i) {
    const bool asks = directive.words[i].is("__has_include") || directive.words[i].is("__has_embed");
    const Token& name = directive.words[i + 2];
    if (asks && directive.words[i + 1].is("(") && name.kind == Token::String && name.text.starts_with('"'))
      names.push_back(name.text);
  }
}

// Appends the name of an #include, also one in angle brackets.
void add_included_name(const Directive& directive, std::vector<std::string_view>& names) {
  if (directive.name != "include" || directive.words.empty()) return;
  if (const std::string_view literal = literal_name(directive); !literal.empty()) names.push_back(literal);
}

template <class Add>
std::vector<QuotedName> find_names(const Text& text, Add add) {
  std::vector<std::string_view> pieces;
  for (const Directive& directive : text.code().directives) add(directive, pieces);
  SourcePlaces places(text.source(), text.tokens());
  std::vector<QuotedName> names;
  names.reserve(pieces.size());
  for (const std::string_view piece : pieces)
    names.push_back({places.of(piece), std::string(piece.substr(1, piece.size() - 2))});
  return names;
}

}  // namespace

std::vector<QuotedName> find_quoted_names(const Text& text) {
  return find_names(text, add_quoted_names);
}

std::vector<QuotedName> find_included_names(const Text& text) {
  return find_names(text, add_included_name);
}

std::string replace_names(std::string_view text, const std::vector<QuotedName>& names,
                          const std::function<std::string(const QuotedName& name)>& new_name) {
  std::string result;
  const char* rest = text.data();
  const char* const end = rest + text.size();
  for (const QuotedName& quoted : names) {
    if (quoted.written.data() < rest || quoted.written.data() >= end) continue;
    const std::string name = new_name(quoted);
    if (name.empty()) continue;
    result.append(rest, quoted.written.data()).append(1, '"').append(name).append(1, '"');
    // A name that continues on the next line ends there too.
    for (auto lines = std::ranges::count(quoted.written, '\n'); lines > 0; --lines) result += "\\\n";
    rest = quoted.written.data() + quoted.written.size();
  }
  return result.append(rest, end);
}

}  // namespace graft::reflect
