// leading_lines() finds the lines of preprocessor directives at the beginning of a text. A comment that begins on the
// last of these lines may end on the line of the first code, and such a comment must not be split. So leading_lines()
// takes all lines in front of the first code, and drops lines from their end until the remaining lines contain all
// leading directives and otherwise only complete comments.
#include "codegen/lines.hpp"

#include <algorithm>
#include <vector>

#include "codegen/program.hpp"
#include "codegen/program_text.hpp"
#include "reflect/lexer.hpp"
#include "reflect/quoted_names.hpp"

namespace graft::codegen {
namespace {

// Returns the number of directives in front of the first code. If code comes between an #if and its #endif, this #if
// and the directives after it do not count, because the lines that graft writes after the directives must not depend on
// a user's #if.
std::size_t leading_directives(const std::vector<reflect::Token>& tokens) {
  std::size_t complete = 0;
  int depth = 0;
  for (std::size_t i = 0; i < tokens.size() && tokens[i].kind == reflect::Token::Directive; ++i) {
    const std::string_view name = reflect::parse_directive(tokens[i]).name;
    if (name.starts_with("if")) ++depth;
    if (name == "endif") --depth;
    if (depth == 0) complete = i + 1;
  }
  return complete;
}

bool holds_directives(std::string_view text, std::size_t count) {
  const std::vector<reflect::Token> tokens = reflect::tokenize(text).list;
  return tokens.size() == count && std::all_of(tokens.begin(), tokens.end(), [](const reflect::Token& token) {
           return token.kind == reflect::Token::Directive;
         });
}

// Returns the number of the line that follows `front` in a text that begins with `front`.
int line_behind(std::string_view front) {
  return 1 + static_cast<int>(std::count(front.begin(), front.end(), '\n'));
}

// Returns the macro that the directive `#ifndef X`, `#if !defined(X)` or `#if !defined X` tests, or an empty name.
std::string_view tested_macro(const reflect::Directive& line) {
  const std::vector<reflect::Token>& words = line.words;
  if (line.name == "ifndef") return words.size() == 1 ? words[0].text : std::string_view();
  if (line.name != "if" || words.size() < 3 || !words[0].is("!") || !words[1].is("defined")) return {};
  const bool is_bracketed = words.size() == 5 && words[2].is("(") && words[4].is(")");
  return is_bracketed ? words[3].text : words.size() == 3 ? words[2].text : std::string_view();
}

// Returns the indices of the directives that keep the text from being read twice: `#pragma once` among the leading
// directives, and an include guard around everything else. The first directive of an include guard tests a macro, the
// second one defines the macro, and the last one is the #endif.
std::vector<std::size_t> guard_lines(const std::vector<reflect::Token>& tokens) {
  const auto directive = [&](std::size_t i) {
    const bool is_directive = i < tokens.size() && tokens[i].kind == reflect::Token::Directive;
    return is_directive ? reflect::parse_directive(tokens[i]) : reflect::Directive{};
  };
  std::vector<std::size_t> lines;
  std::size_t at = 0;
  const auto skip_pragma = [&] {
    for (reflect::Directive line = directive(at);
         line.name == "pragma" && line.words.size() == 1 && line.words[0].is("once"); line = directive(at))
      lines.push_back(at++);
  };
  skip_pragma();
  const std::size_t begin = at;
  const std::string_view guard = tested_macro(directive(at++));
  const std::size_t pragmas = lines.size();
  if (guard.empty()) return lines;
  skip_pragma();
  const std::size_t define = at++;
  const reflect::Directive second = directive(define);
  const auto without_guard = [&] {
    lines.resize(pragmas);
    return lines;
  };
  if (second.name != "define" || second.words.empty() || !second.words[0].is(guard)) return without_guard();
  skip_pragma();
  const auto is_guard = [&](const reflect::Token& token) { return token.is(guard); };
  int depth = 1;
  for (std::size_t i = at; i < tokens.size(); ++i) {
    const reflect::Directive line = directive(i);
    if (is_guard(tokens[i]) || std::ranges::any_of(line.words, is_guard)) return without_guard();  // another use
    if (line.name.starts_with("if")) ++depth;
    if (line.name == "endif") --depth;
    if (depth == 1 && line.name.starts_with("el")) return without_guard();  // #else: not a guard
    if (depth == 0 && i + 1 < tokens.size()) return without_guard();
  }
  if (depth != 0) return without_guard();
  lines.insert(lines.end(), {begin, define, tokens.size() - 1});
  return lines;
}

// Replaces a token of `source` by spaces in `text`, a copy of the source. Keeps the ends of lines.
void erase(std::string& text, std::string_view source, const reflect::Tokens& tokens, const reflect::Token& token) {
  const std::string_view place = reflect::SourcePlaces(source, tokens).of(token.text);
  const auto begin = static_cast<std::size_t>(place.data() - source.data());
  for (std::size_t i = begin; i < begin + place.size(); ++i)
    if (text[i] != '\n') text[i] = ' ';
}

}  // namespace

std::size_t leading_lines(std::string_view text) {
  const std::vector<reflect::Token> tokens = reflect::tokenize(text).list;
  const std::size_t count = leading_directives(tokens);
  if (count == 0 || count == tokens.size()) return 0;
  std::size_t end = 0;
  for (int line = 1; line < tokens[count].line; ++line) end = text.find('\n', end) + 1;
  while (end > 0 && !holds_directives(text.substr(0, end), count)) end = text.substr(0, end - 1).rfind('\n') + 1;
  return end;
}

int last_line(std::string_view text) {
  return std::max(1, line_behind(text) - (text.ends_with('\n') ? 1 : 0));
}

std::string without_include_guard(std::string_view text) {
  const reflect::Tokens tokens = reflect::tokenize(text);
  std::string result(text);
  for (const std::size_t i : guard_lines(tokens.list)) erase(result, text, tokens, tokens.list[i]);
  return result;
}

int line_of_late_include(std::string_view text) {
  const int first_code = line_behind(text.substr(0, leading_lines(text)));
  for (const reflect::Token& token : reflect::tokenize(text).list) {
    if (token.kind != reflect::Token::Directive || token.line < first_code) continue;
    const std::string_view name = reflect::parse_directive(token).name;
    if (name == "include" || name == "include_next") return token.line;
  }
  return 0;
}

namespace {

// Returns the text with the paths of neighbours in place of their names. Lines keep their numbers.
std::string with_paths(std::string_view text, const std::vector<ProgramParts::Neighbour>& neighbours) {
  if (neighbours.empty()) return std::string(text);
  return reflect::replace_quoted_names(text, [&](const std::string& name) {
    const auto found = std::ranges::find(neighbours, name, &ProgramParts::Neighbour::name);
    return found == neighbours.end() ? std::string() : found->path;
  });
}

}  // namespace

UsersText::UsersText(const ProgramParts& parts, std::size_t front)
    : parts_(parts),
      front_(with_paths(std::string_view(parts.callback_text).substr(0, front), parts.neighbours)),
      code_(with_paths(std::string_view(parts.callback_text).substr(front), parts.neighbours)) {}

void UsersText::write_front(ProgramText& to) const {
  if (front_.empty()) return;
  to.lines_of(parts_.callback_name, 1);
  to.raw(front_);
}

// Writes the code. An expression becomes the return value of a __device__ function graft_callback(), because the
// compiler treats a lambda inside such a function as device code. The caller of begin_code() must write the end of
// graft_callback().
void UsersText::begin_code(ProgramText& to, bool is_expression) const {
  if (is_expression) {
    to.own_lines();
    to.line("__device__ auto graft_callback() {{ return");
  }
  to.lines_of(parts_.callback_name, line_behind(front_));
  to.line("{}", code_);
}

void UsersText::write_callback(ProgramText& to) const {
  const bool is_expression = parts_.entry.empty();
  begin_code(to, is_expression);
  to.own_lines();
  if (is_expression) to.line(";}}");
  if (parts_.entry_is_expression) to.line("__device__ auto graft_callback() {{ return {}; }}", parts_.entry);
}

void UsersText::write_alone(ProgramText& to) const {
  begin_code(to, parts_.text_is_expression);
  if (!parts_.text_is_expression) return;
  to.lines_of(parts_.callback_name, last_line(parts_.callback_text));
  to.line(";}}");
}

}  // namespace graft::codegen
