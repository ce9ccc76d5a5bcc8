// Splits the names and values of defines into tokens with graft's own lexer (reflect/text/lexer.hpp), which reads
// comments, strings and line continuations as the compilers do.
#include "compile/option_check.hpp"

#include <algorithm>
#include <string>
#include <string_view>

#include "base/format.hpp"
#include "core/compiler_options.hpp"
#include "core/fail.hpp"
#include "families/kernel_check.hpp"
#include "reflect/text/lexer.hpp"

namespace graft::compile {
namespace {

using reflect::Token;

constexpr auto kNone = std::string_view::npos;

bool is_control(char c) {
  return (static_cast<unsigned char>(c) < ' ' && c != '\t') || c == '\x7f';
}

// Shortens the text for an error message to at most 60 characters, and replaces control characters.
std::string shown(std::string_view text) {
  std::string line;
  for (const char c : text.substr(0, 60)) line += is_control(c) ? '?' : c;
  return line;
}

// Whether the tokens between a macro's parentheses are a valid list of parameters: "", "x", "x, y", "x, ...",
// "rest...".
bool are_parameters(std::span<const Token> tokens) {
  const auto is_ellipsis = [&](std::size_t at) {
    return tokens.size() - at == 3 && std::ranges::all_of(tokens.subspan(at), [](const Token& t) { return t.is("."); });
  };
  for (std::size_t at = 0; at < tokens.size();) {
    if (is_ellipsis(at)) return true;
    if (tokens[at].kind != Token::Word) return false;
    if (++at == tokens.size() || is_ellipsis(at)) return true;
    if (!tokens[at].is(",") || ++at == tokens.size()) return false;
  }
  return true;
}

// Whether the name is an identifier ("SCALE"), or an identifier directly before a list of parameters ("SQUARE(x)").
bool is_macro_name(const std::string& name) {
  if (name.find_first_of("\\\n\r/\"'") != kNone || std::ranges::any_of(name, is_control)) return false;
  const reflect::Tokens tokens = reflect::tokenize(name);
  const std::span<const Token> list = tokens.list;
  if (list.empty() || list[0].kind != Token::Word || !name.starts_with(list[0].text)) return false;
  if (list.size() == 1) return name.size() == list[0].text.size();
  const bool has_list = name[list[0].text.size()] == '(' && name.ends_with(')') && list.back().is(")");
  return has_list && are_parameters(list.subspan(2, list.size() - 3));
}

// Returns why the value cannot end a line `#define NAME value`, as a predicate ("has a string that does not end").
// Returns null if the value can end the line.
const char* problem_of(const std::string& value) {
  if (std::ranges::any_of(value, is_control)) return "has a line end or another control character";
  const std::size_t end = value.find_last_not_of(" \t");
  if (end != kNone && (value[end] == '\\' || value.substr(0, end + 1).ends_with("?\?/")))
    return "ends in a backslash, which would join the next line to it";
  const std::string text = "x " + value;  // the tokens refer to it
  for (const Token& token : reflect::tokenize(text).list) {
    if (token.kind != Token::Broken) continue;
    if (token.text.starts_with("/*")) return "has a comment that does not end";
    if (token.text.find_first_of("\"'") != kNone) return "has a string that does not end";
  }
  return nullptr;
}

void check_define(const Define& define) {
  if (define.name.empty()) refuse("a define in Options::defines has no name", "Give the define a name.");
  if (!is_macro_name(define.name))
    refuse(base::format("`{}` in Options::defines is not the name of a macro", shown(define.name)),
           "Write the name as NAME or NAME(parameters), and give the macro's text as its value.");
  if (const char* problem = problem_of(define.value))
    refuse(base::format("the value of `{}` in Options::defines {}: {}", define.name, problem, shown(define.value)),
           "Give one complete line. Put longer text into a header in Options::headers.");
}

}  // namespace

void check_options(const Options& options) {
  if (options.max_registers != 0 && (options.max_registers < 16 || options.max_registers > families::kMostRegisters))
    refuse(base::format("Options::max_registers is {}", options.max_registers),
           "Use 16 to 255 registers per thread, or 0 for no limit.");
  if (options.shared_bytes < 0 || options.shared_bytes > families::kMostSharedBytes)
    refuse(base::format("Options::shared_bytes is {}", options.shared_bytes),
           "Use 0 to 49,152 bytes per thread block.");
  for (const std::string& folder : options.include_paths)
    if (folder.empty())
      refuse("a folder in Options::include_paths is empty", "Name a folder; the working folder is \".\".");
  canonical_compiler_options(options.compiler_options);  // throws for an option that graft does not pass on
  for (const Define& define : options.defines) check_define(define);
  for (const Header& header : options.headers) {
    // NVRTC answers two headers of one name with NVRTC_ERROR_INVALID_INPUT.
    if (std::ranges::count(options.headers, header.name, &Header::name) > 1)
      refuse(base::format("two headers in Options::headers have the name \"{}\"", shown(header.name)),
             "Give each header a name of its own, as the #include line spells it.");
    if (header.name.empty())
      refuse("a header in Options::headers has no name", "Give the header the name that the #include line uses.");
    if (header.name.starts_with("graft/"))
      refuse(base::format("the header \"{}\" in Options::headers would replace one of graft's own", header.name),
             "Choose a name that does not begin with graft/.");
  }
}

}  // namespace graft::compile
