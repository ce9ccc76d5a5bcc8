// A formula is told from code by what it cannot have: braces, directives, statements, and two names in a row, with
// which every declaration begins ("float f", "__device__ float").
#include "reflect/mistaken_text.hpp"

#include <algorithm>
#include <array>
#include <span>

#include "reflect/lexer.hpp"

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

bool is_formula(std::span<const Token> tokens) {
  if (!tokens.empty() && tokens.front().is("return")) {
    tokens = tokens.subspan(1);
    if (!tokens.empty() && tokens.back().is(";")) tokens = tokens.first(tokens.size() - 1);
  }
  if (tokens.empty() || tokens.front().is("[")) return false;
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

}  // namespace

TextKind kind_of_text(std::string_view text) {
  if (is_path(text)) return TextKind::Path;
  const Tokens tokens = tokenize(text);
  return is_formula(tokens.list) ? TextKind::Formula : TextKind::Code;
}

}  // namespace graft::reflect
