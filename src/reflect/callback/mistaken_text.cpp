// A formula is told from code by what it cannot have: braces, directives, statements, and two names in a row, with
// which every declaration begins ("float f", "__device__ float").
#include "reflect/callback/mistaken_text.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <vector>

#include "reflect/text/keywords.hpp"
#include "reflect/text/lexer.hpp"

namespace graft::reflect {
namespace {

constexpr std::array<std::string_view, 16> kEndings = {".cu",    ".cuh", ".c",   ".cc",   ".cpp",   ".h",
                                                       ".hpp",   ".inl", ".ptx", ".o",    ".cubin", ".fatbin",
                                                       ".ltoir", ".bc",  ".ll",  ".graft"};

bool is_path(std::string_view text) {
  const bool has_ending =
      std::ranges::any_of(kEndings, [&](std::string_view ending) { return text.ends_with(ending); });
  return has_ending && text.find_first_of("\n\r\"'(){}[];?=<>*&|") == text.npos;
}

// Whether the tokens compute something: they are one name, or have an operator. A name such as "missing.bin" or
// "old/data-2" may be that of a file, so a `/` or `-` between two names does not count.
bool computes(std::span<const Token> tokens) {
  constexpr std::string_view kOperators = "+*?<>=!&|^(";
  const auto is_operator = [&](const Token& token) {
    return token.kind == Token::Symbol && kOperators.find(token.text.front()) != kOperators.npos;
  };
  const auto divides = [](const Token& one, const Token& next) {
    const bool is_sign = one.is("/") || one.is("-") || one.is("%");
    return (is_sign && next.kind == Token::Number) || (one.kind == Token::Number && (next.is("/") || next.is("-")));
  };
  return tokens.size() == 1 || std::ranges::any_of(tokens, is_operator) ||
         std::ranges::adjacent_find(tokens, divides) != tokens.end();
}

bool is_formula(std::span<const Token> tokens) {
  if (!tokens.empty() && tokens.front().is("return")) {
    tokens = tokens.subspan(1);
    if (!tokens.empty() && tokens.back().is(";")) tokens = tokens.first(tokens.size() - 1);
  }
  if (tokens.empty() || tokens.front().is("[") || !computes(tokens)) return false;
  constexpr std::array<std::string_view, 5> kOfCode = {"{", "}", ";", "%",
                                                       "#"};  // `%` may begin the digraphs `%>`, `%:`
  return std::ranges::none_of(tokens,
                              [&](const Token& token) {
                                return token.kind == Token::Directive || token.kind == Token::Broken ||
                                       std::ranges::find(kOfCode, token.text) != kOfCode.end();
                              }) &&
         std::ranges::adjacent_find(tokens, [](const Token& one, const Token& next) {
           return one.kind == Token::Word && next.kind == Token::Word;
         }) == tokens.end();
}

// The words of a formula that are no parameters.
constexpr std::array<std::string_view, 3> kNoParameters = {"return", "true", "false"};

}  // namespace

std::string lambda_of(const Text& formula) {
  std::vector<std::string_view> names;
  const std::vector<Token>& all = formula.tokens().list;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const bool is_part = i > 0 && (all[i - 1].is(".") || all[i - 1].is(":") || all[i - 1].is("::"));
    const bool is_scope = i + 1 < all.size() && (all[i + 1].is("(") || all[i + 1].is(":") || all[i + 1].is("::"));
    if (all[i].kind != Token::Word || is_part || is_scope || is_among(kNoParameters, all[i].text)) continue;
    if (!is_among(names, all[i].text)) names.push_back(all[i].text);
  }
  std::string parameters;
  for (const std::string_view name : names)
    parameters += (parameters.empty() ? "float " : ", float ") + std::string(name);
  std::string_view value = formula.source();
  if (value.starts_with("return")) value.remove_prefix(value.find_first_not_of(' ', 6));
  while (value.ends_with(';') || value.ends_with(' ')) value.remove_suffix(1);
  return "[](" + (names.empty() ? "float x" : parameters) + ") { return " + std::string(value) + "; }";
}

TextKind kind_of_text(const Text& text) {
  if (is_path(text.source())) return TextKind::Path;
  return is_formula(text.tokens().list) ? TextKind::Formula : TextKind::Code;
}

}  // namespace graft::reflect
