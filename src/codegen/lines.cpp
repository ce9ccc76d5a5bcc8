// The directives at the beginning of a text are cut off behind the last line of a directive. The lexer counts a comment
// that begins on a directive's line as part of the directive, so such a cut never splits a comment.
#include "codegen/lines.hpp"

#include <algorithm>
#include <vector>

#include "base/format.hpp"
#include "codegen/program.hpp"
#include "codegen/program_text.hpp"
#include "reflect/text/quoted_names.hpp"

namespace graft::codegen {
namespace {

using reflect::Directive;
using reflect::Text;
using reflect::Token;

bool is_include(const Directive& line) {
  return line.name == "include" || line.name == "include_next";
}

// Returns the number of directives in front of the first code.
std::size_t leading_directives(const Text& text) {
  const std::vector<Token>& tokens = text.tokens().list;
  const auto is_code = [](const Token& token) { return token.kind != Token::Directive; };
  return static_cast<std::size_t>(std::ranges::find_if(tokens, is_code) - tokens.begin());
}

// The directives in front of the first code, in groups: each group is one directive, or an #if with everything up to
// its #endif. If code comes between an #if and its #endif, this #if and the directives after it are in no group,
// because the lines that graft writes after the directives must not depend on a user's #if.
struct Group {
  std::size_t end;  // the number of directives up to the end of the group
  bool includes;    // a directive of the group is an #include
};
std::vector<Group> leading_groups(const Text& text) {
  const std::vector<Directive>& directives = text.code().directives;
  std::vector<Group> groups;
  int depth = 0;
  bool includes = false;
  const std::size_t leading = leading_directives(text);
  for (std::size_t i = 0; i < leading; ++i) {
    const Directive& line = directives[i];
    if (line.name.starts_with("if")) ++depth;
    if (line.name == "endif") --depth;
    includes |= is_include(line);
    if (depth != 0) continue;
    groups.push_back({i + 1, includes});
    includes = false;
  }
  if (!groups.empty() && groups.back().end == text.tokens().list.size()) groups.clear();  // no code follows
  return groups;
}

// Returns the offset behind the line on which the directive ends. Calls must come in the order of the text.
std::size_t line_end(std::string_view text, reflect::SourcePlaces& places, const Directive& directive) {
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
std::string_view tested_macro(const Directive& line) {
  const std::vector<Token>& words = line.words;
  if (line.name == "ifndef") return words.size() == 1 ? words[0].text : std::string_view();
  if (line.name != "if" || words.size() < 3 || !words[0].is("!") || !words[1].is("defined")) return {};
  const bool is_bracketed = words.size() == 5 && words[2].is("(") && words[4].is(")");
  return is_bracketed ? words[3].text : words.size() == 3 ? words[2].text : std::string_view();
}

// Whether the directives from `first` on, which are in the #if of an include guard, end the guard at the end of the
// text and use the guard's macro nowhere else.
bool ends_guard(const Text& text, std::size_t first, std::string_view guard) {
  const std::vector<Token>& tokens = text.tokens().list;
  const std::vector<Directive>& directives = text.code().directives;
  const auto is_guard = [&](const Token& token) { return token.is(guard); };
  if (tokens.back().kind != Token::Directive || std::ranges::any_of(tokens, is_guard)) return false;
  int depth = 1;
  for (std::size_t i = first; i < directives.size(); ++i) {
    const Directive& line = directives[i];
    if (std::ranges::any_of(line.words, is_guard)) return false;
    if (line.name.starts_with("if")) ++depth;
    if (line.name == "endif") --depth;
    if (depth == 1 && line.name.starts_with("el")) return false;  // #else: not a guard
    if (depth == 0) return i + 1 == directives.size();
  }
  return false;
}

// Returns the indices of the directives that keep the text from being read twice, in order: `#pragma once` among the
// leading directives, and an include guard around everything else. The first directive of an include guard tests a
// macro, the second one defines the macro, and the last one is the #endif.
std::vector<std::size_t> guard_lines(const Text& text) {
  const std::vector<Directive>& directives = text.code().directives;
  const std::size_t leading = leading_directives(text);
  std::vector<std::size_t> lines;
  std::size_t at = 0;
  const auto skip_pragmas = [&] {
    for (; at < leading && directives[at].name == "pragma"; ++at) {
      if (directives[at].words.size() != 1 || !directives[at].words[0].is("once")) return;
      lines.push_back(at);
    }
  };
  skip_pragmas();
  std::vector<std::size_t> only_pragmas = lines;
  if (at == leading) return only_pragmas;
  const std::string_view guard = tested_macro(directives[at]);
  lines.push_back(at++);
  if (guard.empty()) return only_pragmas;
  skip_pragmas();
  if (at == leading || directives[at].name != "define" || directives[at].words.empty() ||
      !directives[at].words[0].is(guard))
    return only_pragmas;
  lines.push_back(at++);
  skip_pragmas();
  if (!ends_guard(text, at, guard)) return only_pragmas;
  lines.push_back(directives.size() - 1);
  return lines;
}

}  // namespace

std::vector<Cut> leading_lines(const Text& text) {
  const std::vector<Group> groups = leading_groups(text);
  if (groups.empty()) return {};
  reflect::SourcePlaces places(text.source(), text.tokens());
  const std::size_t end = groups.back().end;
  return {{line_end(text.source(), places, text.code().directives[end - 1]), end}};
}

std::vector<Cut> ends_of_includes(const Text& text) {
  reflect::SourcePlaces places(text.source(), text.tokens());
  std::vector<Cut> ends;
  for (const Group& group : leading_groups(text))
    if (group.includes)
      ends.push_back({line_end(text.source(), places, text.code().directives[group.end - 1]), group.end});
  return ends;
}

int last_line(std::string_view text) {
  return std::max(1, line_behind(text) - (text.ends_with('\n') ? 1 : 0));
}

Text without_include_guard(const Text& text) {
  const std::vector<std::size_t> lines = guard_lines(text);
  if (lines.empty()) return text;
  std::string result = text.source();
  reflect::SourcePlaces places(text.source(), text.tokens());
  for (const std::size_t i : lines) {
    const std::string_view place = places.of(text.code().directives[i].text);
    const auto begin = result.begin() + (place.data() - text.source().data());
    std::replace_if(
        begin, begin + static_cast<std::ptrdiff_t>(place.size()), [](char c) { return c != '\n'; }, ' ');
  }
  return result;
}

std::optional<std::string> in_inline_namespace(const Text& header, std::string_view name) {
  const std::string& text = header.source();
  const Text bare = without_include_guard(header);
  if (header.code().is_damaged) return std::nullopt;
  if (bare.code().tokens.empty()) return text;
  if (line_of_late_include(bare) != 0) return std::nullopt;
  reflect::SourcePlaces places(text, header.tokens());
  std::size_t begin = 0, end = text.size();
  for (const std::size_t i : guard_lines(header)) {
    const Directive& line = header.code().directives[i];
    if (line.name == "endif") end = static_cast<std::size_t>(places.of(line.text).data() - text.data());
    else begin = line_end(text, places, line);
  }
  if (const std::vector<Cut> leading = leading_lines(bare); !leading.empty())
    begin = std::max(begin, leading.front().offset);
  const std::string_view front = std::string_view(text).substr(0, begin);
  const std::string_view code = std::string_view(text).substr(begin, end - begin);
  return base::format("{}\ninline namespace {} {{\n#line {}\n{}\n}}\n#line {}\n{}", front, name, line_behind(front),
                      code, line_behind(std::string_view(text).substr(0, end)), std::string_view(text).substr(end));
}

int line_of_late_include(const Text& text) {
  const std::vector<Directive>& directives = text.code().directives;
  const std::vector<Group> groups = leading_groups(text);
  const auto behind = directives.begin() + static_cast<std::ptrdiff_t>(groups.empty() ? 0 : groups.back().end);
  const auto late = std::find_if(behind, directives.end(), is_include);
  return late == directives.end() ? 0 : late->line;
}

UsersText::UsersText(const ProgramParts& parts, const std::vector<Cut>& ends) : parts_(parts) {
  const std::string_view text = parts.callback_text.source();
  std::vector<reflect::QuotedName> names;
  if (!parts.neighbours.empty()) names = reflect::find_quoted_names(parts.callback_text);
  const auto path_of = [&](const reflect::QuotedName& quoted) {
    const auto found = std::ranges::find(parts.neighbours, quoted.name, &ProgramParts::Neighbour::name);
    return found == parts.neighbours.end() ? std::string() : found->path;
  };
  std::size_t begin = 0;
  int line = 1;
  const auto next = [&](std::size_t end) {
    const std::string_view piece = text.substr(begin, end - begin);
    Piece taken = {reflect::replace_names(piece, names, path_of), line};
    begin = end;
    line += line_behind(piece) - 1;
    return taken;
  };
  for (const Cut& end : ends) front_.push_back(next(end.offset));
  code_ = next(text.size());
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
  to.lines_of(parts_.callback_name, last_line(parts_.callback_text.source()));  // where an unclosed text is wrong
  to.line(";}}");
}

}  // namespace graft::codegen
