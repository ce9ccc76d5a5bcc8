// A message begins at a line "file(line): error: ..." (or warning, remark, note) and has all lines before the next such
// line. The message's file decides whether the message is about the user's source or about graft's lines.
#include "compile/compile_log.hpp"

#include <charconv>

#include "codegen/program.hpp"

namespace graft::compile {
namespace {

bool is_own_file(std::string_view file) {
  // NVRTC reports errors in name expressions for the file "__nv_name_map". graft writes the name expressions.
  return file.starts_with("graft/") || file == kProgramName || file == codegen::kAdapterLines ||
         file == codegen::kDeclaredLines || file == "__nv_name_map";
}

// Parses a line that starts with "file(line): kind...", where kind is error, warning, remark or catastrophic error.
bool parse_head(std::string_view line, CompileMessage& message) {
  for (std::size_t open = line.find('('); open != std::string_view::npos; open = line.find('(', open + 1)) {
    int number = 0;
    const char* end = line.data() + line.size();
    const auto [rest, failure] = std::from_chars(line.data() + open + 1, end, number);
    const std::string_view tail(rest, static_cast<std::size_t>(end - rest));
    if (failure != std::errc{} || !tail.starts_with("): ")) continue;
    const std::string_view kind = tail.substr(3);
    const bool is_error = kind.starts_with("error") || kind.starts_with("catastrophic error");
    if (!is_error && !kind.starts_with("warning") && !kind.starts_with("remark") && !kind.starts_with("note")) continue;
    message = {std::string(line.substr(0, open)), number, is_error, is_own_file(line.substr(0, open)), {}};
    return true;
  }
  return false;
}

constexpr std::string_view kEnd = "At end of source: ";

// Parses a line that starts with "At end of source: kind...".
bool parse_end(std::string_view line, CompileMessage& message) {
  if (!line.starts_with(kEnd)) return false;
  const bool is_error = line.substr(kEnd.size()).starts_with("error");
  message = {std::string(codegen::kAdapterLines), 0, is_error, true, {}};
  return true;
}

bool is_count(std::string_view line) {
  return line.find(" detected in the compilation of ") != std::string_view::npos ||
         line.starts_with("Remark: The warnings can be suppressed");
}

}  // namespace

std::vector<CompileMessage> parse_compile_log(std::string_view log) {
  std::vector<CompileMessage> messages;
  while (!log.empty()) {
    const std::size_t end = log.find('\n');
    const std::string_view line = log.substr(0, end);
    log.remove_prefix(end == std::string_view::npos ? log.size() : end + 1);
    CompileMessage message;
    if (parse_head(line, message) || parse_end(line, message)) messages.push_back(std::move(message));
    if (messages.empty() || is_count(line)) continue;
    messages.back().text.append(line).append("\n");
  }
  for (CompileMessage& message : messages)
    while (message.text.ends_with("\n\n")) message.text.pop_back();
  return messages;
}

std::string with_end_at(std::string_view log, std::string_view place) {
  std::string text(log);
  for (std::size_t at = text.find(kEnd); at != std::string::npos; at = text.find(kEnd, at + 1))
    if (at == 0 || text[at - 1] == '\n') text.replace(at, kEnd.size(), std::string(place) + ": ");
  return text;
}

bool lacks_return(const CompileMessage& message) {
  return message.text.find("missing return statement at end of non-void function") != std::string::npos ||
         (message.text.find("non-void function") != std::string::npos &&
          message.text.find("should return a value") != std::string::npos);
}

std::string user_log(const std::vector<CompileMessage>& messages) {
  std::string log;
  for (const CompileMessage& message : messages)
    if (!message.is_own) log += message.text;
  return log;
}

SplitLog split_ptxas_log(std::string_view log) {
  SplitLog split;
  while (!log.empty()) {
    const std::size_t end = std::min(log.find('\n'), log.size() - 1) + 1;
    const std::string_view line = log.substr(0, end);
    (line.starts_with("ptxas ") ? split.ptxas : split.compiler) += line;
    log.remove_prefix(end);
  }
  return split;
}

std::string undefined_function(std::string_view log) {
  for (const std::string_view words : {"Unresolved extern function '", "Undefined reference to '"}) {
    const std::size_t at = log.find(words);
    if (at == std::string_view::npos) continue;
    log.remove_prefix(at + words.size());
    return std::string(log.substr(0, log.find('\'')));
  }
  return {};
}

}  // namespace graft::compile
