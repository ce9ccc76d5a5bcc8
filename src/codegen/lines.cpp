// The directives at the beginning of a text are cut off behind the last line of a directive. The lexer counts a comment
// that begins on a directive's line as part of the directive, so such a cut never splits a comment.
#include "codegen/lines.hpp"

#include <algorithm>
#include <vector>

#include "codegen/program.hpp"
#include "codegen/program_text.hpp"
#include "reflect/lexer.hpp"
#include "reflect/quoted_names.hpp"

namespace graft::codegen {
namespace {

bool is_include(const reflect::Token& token) {
  if (token.kind != reflect::Token::Directive) return false;
  const std::string_view name = reflect::parse_directive(token).name;
  return name == "include" || name == "include_next";
}

// The directives in front of the first code, in groups: each group is one directive, or an #if with everything up to
// its #endif. If code comes between an #if and its #endif, this #if and the directives after it are in no group,
// because the lines that graft writes after the directives must not depend on a user's #if.
struct Group {
  std::size_t end;  // the index of the token behind the group
  bool includes;    // a directive of the group is an #include
};
std::vector<Group> leading_groups(const std::vector<reflect::Token>& tokens) {
  std::vector<Group> groups;
  int depth = 0;
  bool includes = false;
  for (std::size_t i = 0; i < tokens.size() && tokens[i].kind == reflect::Token::Directive; ++i) {
    const std::string_view name = reflect::parse_directive(tokens[i]).name;
    if (name.starts_with("if")) ++depth;
    if (name == "endif") --depth;
    includes |= is_include(tokens[i]);
    if (depth != 0) continue;
    groups.push_back({i + 1, includes});
    includes = false;
  }
  if (!groups.empty() && groups.back().end == tokens.size()) groups.clear();  // no code follows
  return groups;
}

// Returns the offset behind the line on which the directive ends. Calls must come in the order of the text.
std::size_t line_end(std::string_view text, reflect::SourcePlaces& places, const reflect::Token& directive) {
  const std::string_view place = places.of(directive.text);
  auto at = static_cast<std::size_t>(place.data() + place.size() - text.data());
  while (at < text.size() && text[at] != '\n') at += std::max<std::size_t>(1, reflect::continuation_at(text, at));
  return std::min(at + 1, text.size());
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

}  // namespace

std::size_t leading_lines(std::string_view text) {
  const reflect::Tokens tokens = reflect::tokenize(text);
  const std::vector<Group> groups = leading_groups(tokens.list);
  reflect::SourcePlaces places(text, tokens);
  return groups.empty() ? 0 : line_end(text, places, tokens.list[groups.back().end - 1]);
}

std::vector<std::size_t> ends_of_includes(std::string_view text) {
  const reflect::Tokens tokens = reflect::tokenize(text);
  reflect::SourcePlaces places(text, tokens);
  std::vector<std::size_t> ends;
  for (const Group& group : leading_groups(tokens.list))
    if (group.includes) ends.push_back(line_end(text, places, tokens.list[group.end - 1]));
  return ends;
}

int last_line(std::string_view text) {
  return std::max(1, line_behind(text) - (text.ends_with('\n') ? 1 : 0));
}

std::string without_include_guard(std::string_view text) {
  const reflect::Tokens tokens = reflect::tokenize(text);
  std::vector<std::size_t> lines = guard_lines(tokens.list);
  std::ranges::sort(lines);
  std::string result(text);
  reflect::SourcePlaces places(text, tokens);
  for (const std::size_t i : lines) {
    const std::string_view place = places.of(tokens.list[i].text);
    const auto begin = result.begin() + (place.data() - text.data());
    std::replace_if(
        begin, begin + static_cast<std::ptrdiff_t>(place.size()), [](char c) { return c != '\n'; }, ' ');
  }
  return result;
}

int line_of_late_include(std::string_view text) {
  const std::vector<reflect::Token> tokens = reflect::tokenize(text).list;
  const std::vector<Group> groups = leading_groups(tokens);
  const auto behind = tokens.begin() + static_cast<std::ptrdiff_t>(groups.empty() ? 0 : groups.back().end);
  const auto late = std::find_if(behind, tokens.end(), is_include);
  return late == tokens.end() ? 0 : late->line;
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

UsersText::UsersText(const ProgramParts& parts, const std::vector<std::size_t>& ends) : parts_(parts) {
  const std::string_view text = parts.callback_text;
  std::size_t begin = 0;
  int line = 1;
  const auto next = [&](std::size_t size) {
    const std::string_view piece = text.substr(begin, size);
    Piece taken = {with_paths(piece, parts.neighbours), line};
    begin += piece.size();
    line += line_behind(piece) - 1;
    return taken;
  };
  for (const std::size_t end : ends) front_.push_back(next(end - begin));
  code_ = next(std::string_view::npos);
}

void UsersText::write_front(ProgramText& to) const {
  for (std::size_t i = 0; i < front_.size(); ++i) write_front(to, i);
}

void UsersText::write_front(ProgramText& to, std::size_t piece) const {
  to.lines_of(parts_.callback_name, front_.at(piece).line);
  to.raw(front_[piece].text);
}

// Writes the code. An expression becomes the return value of a __device__ function graft_callback(), because the
// compiler treats a lambda inside such a function as device code. The caller of begin_code() must write the end of
// graft_callback().
void UsersText::begin_code(ProgramText& to, bool is_expression) const {
  if (is_expression) {
    to.own_lines();
    to.line("__device__ auto graft_callback() {{ return");
  }
  to.lines_of(parts_.callback_name, code_.line);
  to.line("{}", code_.text);
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
