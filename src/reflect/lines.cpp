#include "reflect/lines.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "reflect/lexer.hpp"
#include "reflect/program.hpp"

namespace graft::reflect {
namespace {

// How many preprocessor lines stand in front of everything else, as far as their conditionals are complete.
std::size_t leading_directives(const std::vector<Token>& tokens) {
  std::size_t complete = 0;
  int depth = 0;
  for (std::size_t i = 0; i < tokens.size() && tokens[i].kind == Token::Directive; ++i) {
    const std::string_view name = parse_directive(tokens[i]).name;
    if (name.starts_with("if")) ++depth;
    if (name == "endif") --depth;
    if (depth == 0) complete = i + 1;
  }
  return complete;
}

bool holds_directives(std::string_view text, std::size_t count) {
  const std::vector<Token> tokens = tokenize(text).list;
  return tokens.size() == count &&
         std::all_of(tokens.begin(), tokens.end(), [](const Token& token) { return token.kind == Token::Directive; });
}

}  // namespace

std::string quoted(std::string_view name) {
  std::string out;
  for (const char c : name) {
    if (c == '"' || c == '\\') out += '\\';
    out += c == '\n' || c == '\r' ? ' ' : c;
  }
  return out;
}

std::size_t leading_lines(std::string_view text) {
  const std::vector<Token> tokens = tokenize(text).list;
  const std::size_t count = leading_directives(tokens);
  if (count == 0 || count == tokens.size()) return 0;
  std::size_t end = 0;
  for (int line = 1; line < tokens[count].line; ++line) end = text.find('\n', end) + 1;
  while (end > 0 && !holds_directives(text.substr(0, end), count)) end = text.substr(0, end - 1).rfind('\n') + 1;
  return end;
}

std::string line_directive(int line, std::string_view name) {
  return fmt::format("#line {} \"{}\"\n", line, name);
}

int line_behind(std::string_view front) {
  return 1 + static_cast<int>(std::count(front.begin(), front.end(), '\n'));
}

std::string expression_function(std::string_view front, std::string_view expression, std::string_view name,
                                std::string_view end_line) {
  return fmt::format("{}__device__ auto graft_callback() {{ return\n{}{}\n{};}}\n", line_directive(1, kAdapterLines),
                     line_directive(line_behind(front), name), expression, end_line);
}

int last_line(std::string_view text) {
  return std::max(1, line_behind(text) - (text.ends_with('\n') ? 1 : 0));
}

std::string declared_alias(std::string_view function_type) {
  return fmt::format("{}using graft_declared =\n{};\n{}", line_directive(1, kDeclaredLines), function_type,
                     line_directive(4, kAdapterLines));
}

int line_of_late_include(std::string_view text) {
  const std::size_t front = leading_lines(text);
  for (const Token& token : tokenize(text).list) {
    if (token.kind != Token::Directive) continue;
    const bool is_late = static_cast<std::size_t>(token.text.data() - text.data()) >= front;
    const std::string_view name = parse_directive(token).name;
    if (is_late && (name == "include" || name == "include_next")) return token.line;
  }
  return 0;
}

}  // namespace graft::reflect
