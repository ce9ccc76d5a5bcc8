// Reads the log line by line. A line "file:line:column: error: ..." begins a message. Lines that introduce a message
// are collected until the message begins. Notes and source lines are appended to the message before them. A message
// about the user's source gets no notes about graft's lines.
#include "compile/host_log.hpp"

#include <charconv>

#include "codegen/program.hpp"

namespace graft::compile {
namespace {

bool is_ours(std::string_view file) {
  return file.starts_with("graft/") || file == "program.cpp" || file == codegen::kAdapterLines ||
         file == codegen::kDeclaredLines;
}

// Removes a decimal number and a colon from the start of the text and returns the number. Returns -1 if the text does
// not start with a number and a colon.
int take_number(std::string_view& text) {
  int number = -1;
  const char* end = text.data() + text.size();
  const auto [rest, failure] = std::from_chars(text.data(), end, number);
  if (failure != std::errc{} || rest == end || *rest != ':') return -1;
  text.remove_prefix(static_cast<std::size_t>(rest - text.data()) + 1);
  return number;
}

// Parses a line "file:line:column: kind: ...". The column may be missing.
bool parse_host_head(std::string_view line, CompileMessage& message) {
  for (std::size_t colon = line.find(':'); colon != std::string_view::npos; colon = line.find(':', colon + 1)) {
    std::string_view tail = line.substr(colon + 1);
    const int number = take_number(tail);
    if (number < 0) continue;
    take_number(tail);
    const bool is_error = tail.starts_with(" error:") || tail.starts_with(" fatal error:");
    if (!is_error && !tail.starts_with(" warning:")) continue;
    message = {std::string(line.substr(0, colon)), number, is_error, is_ours(line.substr(0, colon)), {}};
    return true;
  }
  return false;
}

// Whether the line introduces the next message: "x.cu: In function 'f':", "In file included from ...".
bool leads(std::string_view line) {
  return line.starts_with("In file included from ") || line.starts_with("                 from ") ||
         line.find(": In ") != std::string_view::npos || line.find(": At global scope:") != std::string_view::npos;
}

// Whether the line is a note about graft's lines, or says that a template was instantiated in graft's lines. Both
// explain the message before them.
bool is_own_remark(std::string_view line) {
  const std::size_t colon = line.find(':');
  return colon != std::string_view::npos && is_ours(line.substr(0, colon));
}

bool is_remark(std::string_view line) {
  return line.find(": note:") != std::string_view::npos;
}

bool is_host_count(std::string_view line) {
  return line.ends_with(" generated.") || line.starts_with("compilation terminated");
}

}  // namespace

std::vector<CompileMessage> parse_host_log(std::string_view log) {
  std::vector<CompileMessage> messages;
  std::string leading;
  bool skipping = false;  // true inside a note about graft's lines that explains a message about the user's source
  while (!log.empty()) {
    const std::size_t end = log.find('\n');
    const std::string_view line = log.substr(0, end);
    log.remove_prefix(end == std::string_view::npos ? log.size() : end + 1);
    CompileMessage message;
    if (is_host_count(line)) continue;
    if (leads(line)) {
      leading.append(line).append("\n");
      continue;
    }
    if (parse_host_head(line, message)) {
      message.text = std::move(leading);
      messages.push_back(std::move(message));
      skipping = false;
    } else if (is_own_remark(line)) {
      skipping = !messages.empty() && !messages.back().is_own;
    } else if (is_remark(line)) {
      skipping = false;
    }
    leading.clear();
    if (!messages.empty() && !skipping) messages.back().text.append(line).append("\n");
  }
  return messages;
}

}  // namespace graft::compile
