#include "reflect/include_scan.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <utility>

#include "reflect/keywords.hpp"

namespace graft::reflect {
namespace {

void note_circumstance(std::string_view word, IncludeScan& scan) {
  if (word == "assert" || word == "source_location") scan.names_file = true;  // __FILE__ in a header of the tools
  if (!word.starts_with("__")) return;
  if (word.starts_with("__has_include")) scan.has_include = true;
  if (word == "__FILE__" || word == "__FILE_NAME__" || word == "__BASE_FILE__" || word.starts_with("__builtin_FILE"))
    scan.names_file = true;
  if (word == "__DATE__" || word == "__TIME__" || word == "__TIMESTAMP__") scan.names_time = true;
}

// "<cmath>" of "<cmath>  // why"; empty when there is none. What stands between the angles is no C++: it may hold //.
std::string_view literal_name(const Directive& directive) {
  const Token& first = directive.words.front();
  const std::size_t begin = static_cast<std::size_t>(first.text.data() - directive.rest.data());
  const char close = first.text.front() == '<' ? '>' : first.text.front() == '"' ? '"' : '\0';
  const std::size_t end = close == '\0' ? std::string_view::npos : directive.rest.find(close, begin + 1);
  return end == std::string_view::npos ? std::string_view() : directive.rest.substr(begin, end + 1 - begin);
}

// Types and functions of headers.

bool is_texture_word(std::string_view word) {
  static constexpr std::array<std::string_view, 10> kPrefixes = {
      "tex1D",  "tex2D",  "tex3D",       "texCubemap",          "surf1D",
      "surf2D", "surf3D", "surfCubemap", "cudaTextureObject_t", "cudaSurfaceObject_t"};
  return std::any_of(kPrefixes.begin(), kPrefixes.end(), [&](std::string_view p) { return word.starts_with(p); });
}

// `half` is also a good name for a variable or function: it is the user's own where a declarator can stand.
bool declares(const Token& before, const Token& after) {
  static constexpr std::string_view kNoType[] = {
      "return",   "const",      "constexpr",       "static",       "inline", "typename", "else",      "case",
      "volatile", "__device__", "__forceinline__", "__constant__", "extern", "__host__", "__shared__"};
  static constexpr std::string_view kEnds[] = {"=", ";", "(", "{", "[", ",", ")"};
  return before.kind == Token::Word && !is_among(kNoType, before.text) && is_among(kEnds, after.text);
}

struct HalfUse {
  bool is_used = false;
  bool is_declared = false;
};

void note_word(std::string_view text, const Token& before, const Token& after, HalfUse& half, Mentions& found) {
  if (text == "half" || text == "half2") {
    if (before.is(".") || before.is("->")) return;
    half.is_used = true;
    half.is_declared = half.is_declared || declares(before, after);
  } else if (text.find("half") != std::string_view::npos) {
    found.half |= text.starts_with("__half") || text.find("nv_half") != std::string_view::npos ||
                  text.find("2half") != std::string_view::npos || text == "make_half2";
  }
  if (text.find("bfloat16") != std::string_view::npos) found.bfloat16 = true;
  if (is_texture_word(text) || ((text == "texture" || text == "surface") && after.is("<"))) found.textures = true;
  if (after.is("(") && is_long_math(text)) found.long_math = true;
}

void note_words(std::span<const Token> tokens, HalfUse& half, Mentions& found) {
  const Token none;
  for (std::size_t i = 0; i < tokens.size(); ++i)
    if (tokens[i].kind == Token::Word)
      note_word(tokens[i].text, i > 0 ? tokens[i - 1] : none, i + 1 < tokens.size() ? tokens[i + 1] : none, half,
                found);
}

}  // namespace

std::optional<IncludeDirective> parse_include(const Directive& directive) {
  const bool next = directive.name == "include_next";
  if ((directive.name != "include" && directive.name != "import" && !next) || directive.words.empty())
    return std::nullopt;
  const std::string_view literal = literal_name(directive);
  if (literal.empty()) return IncludeDirective{spaced_text(directive.words), {}, false, true, directive.line};
  return IncludeDirective{std::string(literal), std::string(literal.substr(1, literal.size() - 2)),
                          literal.front() == '<', next, directive.line};
}

IncludeScan scan_includes(std::string_view text) {
  IncludeScan scan;
  const Tokens tokens = tokenize(text);
  for (const Token& token : tokens.list) {
    if (token.kind == Token::Word) note_circumstance(token.text, scan);
    if (token.kind != Token::Directive) continue;
    const Directive directive = parse_directive(token);
    if (auto include = parse_include(directive)) scan.includes.push_back(std::move(*include));
    for (const Token& word : directive.words) note_circumstance(word.text, scan);
  }
  return scan;
}

std::vector<IncludeDirective> find_includes(std::string_view text) {
  return scan_includes(text).includes;
}

Mentions find_mentions(const Code& code) {
  Mentions found;
  HalfUse half;
  note_words(code.tokens, half, found);
  for (const Directive& directive : code.directives)
    if (directive.name == "define" && !directive.is_dead) note_words(directive.words, half, found);
  found.half |= half.is_used && !half.is_declared;
  return found;
}

}  // namespace graft::reflect
