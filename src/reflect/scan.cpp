// scan() reads the directives and records the types and functions that the text mentions. declarations.cpp finds the
// functions and variables that the text declares.
#include "reflect/scan.hpp"

#include <algorithm>
#include <span>

#include "reflect/declarations.hpp"
#include "reflect/include_scan.hpp"
#include "reflect/keywords.hpp"
#include "reflect/lexer.hpp"

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

// Whether the text, or the replacement of a macro, has the word __shared__.
bool mentions_shared_memory(const Code& code) {
  const auto is_shared = [](const Token& token) { return token.kind == Token::Word && token.is("__shared__"); };
  return std::ranges::any_of(code.tokens, is_shared) ||
         std::ranges::any_of(code.directives, [&](const Directive& line) {
           return line.name == "define" && !line.is_dead && !line.words.empty() &&
                  std::any_of(line.words.begin() + 1, line.words.end(), is_shared);
         });
}

// Finds the macros of <math.h> that a text defines whether or not they are defined already. Takes all directives in the
// order of the text.
class OwnConstants {
 public:
  void next(const Directive& line, SourceScan& found) {
    if (line.name.starts_with("if")) conditions_.push_back(line.words);
    if (line.name == "endif" && !conditions_.empty()) conditions_.pop_back();
    if (line.name != "define" || line.words.empty()) return;
    const std::string_view macro = line.words.front().text;
    const auto is_macro = [&](const Token& token) { return token.is(macro); };
    const auto tests_macro = [&](const std::vector<Token>& words) { return std::ranges::any_of(words, is_macro); };
    if (is_math_macro(macro) && std::ranges::none_of(conditions_, tests_macro)) found.own_constants.emplace(macro);
  }

 private:
  std::vector<std::vector<Token>> conditions_;  // of the #ifs around the directive
};

}  // namespace

SourceScan scan(const Text& text) {
  const Code& code = text.code();
  SourceScan found;
  found.uncertain = code.is_damaged;
  const Mentions mentions = find_mentions(code);
  found.mentions_half = mentions.half;
  found.mentions_bfloat16 = mentions.bfloat16;
  found.mentions_textures = mentions.textures;
  found.mentions_long_math = mentions.long_math;
  found.mentions_shared_memory = mentions_shared_memory(code);
  found.has_unroll_pragma = has_unroll_operator(code.tokens);
  found.own_constants.insert(mentions.own_constants.begin(), mentions.own_constants.end());
  OwnConstants constants;
  for (const Directive& directive : code.directives) {
    constants.next(directive, found);
    if (const auto include = parse_include(directive)) note_include(*include, found);
    if (directive.is_dead || directive.words.empty()) continue;
    if (directive.name == "pragma") found.has_unroll_pragma |= is_unroll(directive.words);
    if (directive.name == "define") found.has_unroll_pragma |= has_unroll_operator(directive.words);
  }
  const Macros macros = find_macros(code, found.uncertain);
  found.is_expression = is_lambda(code.tokens);
  if (!found.is_expression) find_declarations(code, macros, found);
  return found;
}

void mark_device_by_default(SourceScan& scan) {
  for (FunctionFound& function : scan.functions) function.is_device |= !function.is_global;
}

}  // namespace graft::reflect
