// The hard part is leading_lines(): a comment may begin on the last leading line and end on the line of the first code,
// and must not be split. So the function takes all lines in front of the first code, and drops lines from their end
// until the rest tokenizes to exactly the leading directives.
#include "codegen/lines.hpp"

#include <algorithm>
#include <vector>

#include "base/format.hpp"
#include "codegen/program.hpp"
#include "reflect/lexer.hpp"

namespace graft::codegen {
namespace {

// Returns the number of leading directives after which every #if is closed: the directives in front of all code,
// without those from an #if that code follows before its #endif.
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

// Returns the length in bytes of the UTF-8 sequence at the beginning of the text, or 0 if the sequence is not valid.
std::size_t utf8_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned lead = byte(0);
  if (lead < 0x80) return 1;
  const std::size_t length = lead < 0xc2 ? 0 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : lead < 0xf5 ? 4 : 0;
  if (length == 0 || text.size() < length) return 0;
  for (std::size_t i = 1; i < length; ++i)
    if ((byte(i) & 0xc0u) != 0x80) return 0;
  // Reject overlong forms, surrogates, and code points above U+10FFFF.
  const unsigned second = byte(1);
  const bool is_none = (lead == 0xe0 && second < 0xa0) || (lead == 0xed && second > 0x9f) ||
                       (lead == 0xf0 && second < 0x90) || (lead == 0xf4 && second > 0x8f);
  return is_none ? 0 : length;
}

}  // namespace

std::string quoted(std::string_view name) {
  std::string out;
  while (!name.empty()) {
    const char c = name[0];
    const std::size_t length = utf8_length(name);
    if (c == '"' || c == '\\') out += '\\';
    if (c == '\n' || c == '\r') out += ' ';
    else if (length == 0) out += '?';
    else out += name.substr(0, length);
    name.remove_prefix(std::max<std::size_t>(1, length));
  }
  return out;
}

std::size_t leading_lines(std::string_view text) {
  const std::vector<reflect::Token> tokens = reflect::tokenize(text).list;
  const std::size_t count = leading_directives(tokens);
  if (count == 0 || count == tokens.size()) return 0;
  std::size_t end = 0;
  for (int line = 1; line < tokens[count].line; ++line) end = text.find('\n', end) + 1;
  while (end > 0 && !holds_directives(text.substr(0, end), count)) end = text.substr(0, end - 1).rfind('\n') + 1;
  return end;
}

std::string line_directive(int line, std::string_view name) {
  return base::format("#line {} \"{}\"\n", line, name);
}

int line_behind(std::string_view front) {
  return 1 + static_cast<int>(std::count(front.begin(), front.end(), '\n'));
}

std::string expression_function(std::string_view front, std::string_view expression, std::string_view name,
                                std::string_view end_line) {
  return base::format("{}__device__ auto graft_callback() {{ return\n{}{}\n{};}}\n", line_directive(1, kAdapterLines),
                      line_directive(line_behind(front), name), expression, end_line);
}

int last_line(std::string_view text) {
  return std::max(1, line_behind(text) - (text.ends_with('\n') ? 1 : 0));
}

std::string declared_alias(std::string_view function_type) {
  return base::format("{}using graft_declared =\n{};\n{}", line_directive(1, kDeclaredLines), function_type,
                      line_directive(4, kAdapterLines));
}

int line_of_late_include(std::string_view text) {
  const std::size_t front = leading_lines(text);
  for (const reflect::Token& token : reflect::tokenize(text).list) {
    if (token.kind != reflect::Token::Directive) continue;
    const bool is_late = static_cast<std::size_t>(token.text.data() - text.data()) >= front;
    const std::string_view name = reflect::parse_directive(token).name;
    if (is_late && (name == "include" || name == "include_next")) return token.line;
  }
  return 0;
}

}  // namespace graft::codegen
