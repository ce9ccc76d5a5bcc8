// scan() reads the directives and records the types and functions that the text mentions. declarations.cpp finds the
// functions and variables that the text declares.
#include "reflect/scan.hpp"

#include <span>

#include "reflect/declarations.hpp"
#include "reflect/include_scan.hpp"
#include "reflect/keywords.hpp"
#include "reflect/lexer.hpp"
#include "reflect/thread_words.hpp"

namespace graft::reflect {
namespace {

// Whether the pragma asks for unrolling. `#pragma unroll 1` forbids unrolling.
bool is_unroll(std::span<const Token> pragma) {
  if (pragma.empty() || !pragma[0].is("unroll")) return false;
  const std::size_t factor = pragma.size() > 1 && pragma[1].is("(") ? 2 : 1;
  return factor >= pragma.size() || !pragma[factor].is("1");
}

void note_include(const IncludeDirective& include, SourceScan& found) {
  const bool is_bfloat16 = include.name.ends_with("cuda_bf16.h");  // cuda_bf16.h includes cuda_fp16.h
  found.includes_bfloat16_header |= is_bfloat16;
  found.includes_half_header |= is_bfloat16 || include.name.ends_with("cuda_fp16.h");
  found.includes.push_back(include.spelling);
}

bool has_unroll_operator(std::span<const Token> tokens) {
  for (std::size_t i = 0; i + 2 < tokens.size(); ++i) {
    if (!tokens[i].is("_Pragma") || tokens[i + 2].kind != Token::String) continue;
    std::string_view quoted = tokens[i + 2].text;
    quoted = quoted.substr(quoted.find('"') + 1);
    if (is_unroll(tokenize(quoted.substr(0, quoted.size() - 1)).list)) return true;
  }
  return false;
}

// Returns the names of classes and of namespace aliases (`namespace m = math;`), wherever they are in the text.
std::vector<std::string> scopes_of(std::span<const Token> tokens) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i + 2 < tokens.size(); ++i) {
    const bool is_alias = tokens[i].is("namespace") && tokens[i + 2].is("=");
    if ((is_alias || is_class_key(tokens[i].text)) && tokens[i + 1].kind == Token::Word)
      names.emplace_back(tokens[i + 1].text);
  }
  return names;
}

}  // namespace

SourceScan scan(std::string_view text) {
  const Tokens tokens = tokenize(text);
  const Code code = read_code(tokens);
  SourceScan found;
  found.uncertain = code.is_damaged;
  const Mentions mentions = find_mentions(code);
  found.mentions_half = mentions.half;
  found.mentions_bfloat16 = mentions.bfloat16;
  found.mentions_textures = mentions.textures;
  found.mentions_long_math = mentions.long_math;
  found.mentions_shared_memory = mentions_shared_memory(code);
  found.has_unroll_pragma = has_unroll_operator(code.tokens);
  for (const Directive& directive : code.directives) {
    if (const auto include = parse_include(directive)) note_include(*include, found);
    if (directive.is_dead || directive.words.empty()) continue;
    if (directive.name == "pragma") found.has_unroll_pragma |= is_unroll(directive.words);
    if (directive.name == "define") found.has_unroll_pragma |= has_unroll_operator(directive.words);
  }
  const Macros macros = find_macros(code, found.uncertain);
  found.scopes = scopes_of(code.tokens);
  found.is_expression = is_lambda(code.tokens);
  if (!found.is_expression) find_declarations(code, macros, found);
  return found;
}

}  // namespace graft::reflect
