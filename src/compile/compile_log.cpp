// One loop reads the log of every compiler line by line; a Grammar describes how one compiler writes its messages. A
// message begins at its head, "file(line): error: ..." or "file:line:column: error: ...", and contains all lines up to
// the next head. The file in the head decides whether the message is about the user's source or about graft's lines.
//
// Lines that introduce a message, such as "In file included from ...", come before its head; parse_compile_log() holds
// these lines until it reads the head. Notes of a host compiler belong to the message before them; a message about the
// user's source gets no notes about graft's lines. NVRTC writes no introducing lines, and its notes have heads of their
// own.
#include "compile/compile_log.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>

#include "base/demangle.hpp"
#include "base/format.hpp"
#include "codegen/program.hpp"

namespace graft::compile {
namespace {

// Up to three phrases by which a kind of line is recognised. An empty phrase is unused.
using Phrases = std::array<std::string_view, 3>;

template <class Matches>
bool has_one_that(const Phrases& phrases, Matches matches) {
  return std::ranges::any_of(phrases, [&](std::string_view phrase) { return !phrase.empty() && matches(phrase); });
}

bool starts_with_one(std::string_view line, const Phrases& phrases) {
  return has_one_that(phrases, [&](std::string_view phrase) { return line.starts_with(phrase); });
}

struct LinePattern {
  Phrases starts = {};
  Phrases contains = {};
  Phrases ends = {};

  bool matches(std::string_view line) const {
    return starts_with_one(line, starts) ||
           has_one_that(contains, [&](std::string_view phrase) { return line.find(phrase) != line.npos; }) ||
           has_one_that(ends, [&](std::string_view phrase) { return line.ends_with(phrase); });
  }
};

constexpr std::string_view kEndOfSource = "At end of source: ";

struct Grammar {
  // The text in a message's head between the file's name and the line number (before_line), after the line number
  // (after_line), and after the column number (after_column). A message may lack the column number; if `after_column`
  // is empty, the compiler never writes one.
  char before_line;
  std::string_view after_line;
  std::string_view after_column;
  // The words for the severity of a message, which follow its position. The text of the message comes after the next
  // ": ", because NVRTC writes numbers between ("warning #177-D: ...").
  Phrases errors;
  Phrases warnings;
  Phrases notes;
  // What the compiler writes instead of a file and line in a message about the end of the program. Empty if the
  // compiler writes a file and line there too.
  std::string_view end_of_source;
  // File names that this compiler's messages show for graft's lines. is_own_file() also checks the names that are the
  // same for every compiler.
  Phrases own_files;
  // The indent of the lines that show the source. Such a line is no head of a message, even if the source looks like
  // one. Empty if the compiler shows the source in another way.
  std::string_view source_indent;
  LinePattern introductions;  // lines that come before the head of a message
  // Text that shows that a line begins a note about the previous message. Empty if the compiler writes notes as
  // messages with heads of their own.
  std::string_view note;
  LinePattern counts;  // lines about the number of errors and warnings, which belong to no message
};

constexpr Grammar kNvrtcGrammar = {
    .before_line = '(',
    .after_line = "): ",
    .after_column = "",
    .errors = {"error", "catastrophic error"},
    .warnings = {"warning"},
    .notes = {"remark", "note"},
    .end_of_source = kEndOfSource,
    // NVRTC reports errors in name expressions for the file "__nv_name_map". graft writes the name expressions.
    .own_files = {kProgramName, "__nv_name_map"},
    .source_indent = "  ",
    .introductions = {},
    .note = "",
    .counts = {.starts = {"Remark: The warnings can be suppressed"}, .contains = {" detected in the compilation of "}},
};

constexpr Grammar kHostGrammar = {
    .before_line = ':',
    .after_line = ":",
    .after_column = ":",
    .errors = {" error:", " fatal error:", " Error:"},  // the last is the assembler's, about an `asm`
    .warnings = {" warning:"},
    .notes = {},
    .end_of_source = "",
    .own_files = {"program.cpp"},
    .source_indent = "",
    .introductions = {.starts = {"In file included from ", "                 from "},
                      .contains = {": In ", ": At global scope:", ": Assembler messages:"}},
    .note = ": note:",
    .counts = {.starts = {"compilation terminated"}, .ends = {" generated."}},
};

bool is_own_file(std::string_view file, const Grammar& grammar) {
  // A ".s" is the text that a host compiler gives its assembler.
  return file.starts_with("graft/") || file.ends_with(".s") || file == codegen::kAdapterLines ||
         file == codegen::kDeclaredLines ||
         has_one_that(grammar.own_files, [&](std::string_view own) { return file == own; });
}

// Removes a decimal number, and the text `behind` that must follow it, from the start of `text`, and returns the
// number. Returns -1 if `text` does not start with a number and `behind`.
int take_number(std::string_view& text, std::string_view behind) {
  int number = -1;
  const char* end = text.data() + text.size();
  const auto [rest, failure] = std::from_chars(text.data(), end, number);
  const std::string_view tail(rest, static_cast<std::size_t>(end - rest));
  if (failure != std::errc{} || number < 0 || !tail.starts_with(behind)) return -1;
  text = tail.substr(behind.size());
  return number;
}

// Returns the severity that the text begins with. Returns nothing if the text begins with something else.
std::optional<Diagnostic::Severity> severity_of(std::string_view text, const Grammar& grammar) {
  if (starts_with_one(text, grammar.errors)) return Diagnostic::Severity::Error;
  if (starts_with_one(text, grammar.warnings)) return Diagnostic::Severity::Warning;
  if (starts_with_one(text, grammar.notes)) return Diagnostic::Severity::Note;
  return std::nullopt;
}

// Returns the text of a message, which comes after its severity: "error: identifier "foo" is undefined".
std::string what_follows(std::string_view severity) {
  const std::size_t colon = severity.find(": ");
  return std::string(colon == severity.npos ? severity : severity.substr(colon + 2));
}

bool parse_head(std::string_view line, const Grammar& grammar, CompileMessage& message) {
  if (!grammar.source_indent.empty() && line.starts_with(grammar.source_indent)) return false;
  for (std::size_t at = line.find(grammar.before_line); at != line.npos; at = line.find(grammar.before_line, at + 1)) {
    std::string_view tail = line.substr(at + 1);
    const int number = take_number(tail, grammar.after_line);
    if (number < 0) continue;
    const int column = grammar.after_column.empty() ? 0 : std::max(0, take_number(tail, grammar.after_column));
    const std::optional<Diagnostic::Severity> severity = severity_of(tail, grammar);
    if (!severity) continue;
    const std::string_view file = line.substr(0, at);
    const bool is_own = is_own_file(file, grammar);
    message = {std::string(file), number, column, *severity, is_own, what_follows(tail), std::string(line), {}};
    return true;
  }
  if (grammar.end_of_source.empty() || !line.starts_with(grammar.end_of_source)) return false;
  const std::string_view tail = line.substr(grammar.end_of_source.size());
  const auto severity = severity_of(tail, grammar).value_or(Diagnostic::Severity::Note);
  message = {std::string(codegen::kAdapterLines), 0, 0, severity, true, what_follows(tail), std::string(line), {}};
  return true;
}

// Returns the column that the message's caret shows, or 0 if it has none. NVRTC writes two spaces in front of the
// source line, and in front of the caret below the source line:
//
//     callback.cu(3): error: identifier "foo" is undefined
//       return foo;
//              ^
int column_of_caret(std::string_view text) {
  constexpr std::size_t kIndent = 2;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const std::string_view line = text.substr(begin, end - begin);
    const std::size_t caret = line.find_first_not_of(" \t");  // NVRTC copies the source line's tabs
    if (caret != line.npos && caret >= kIndent && line.substr(caret) == "^")
      return static_cast<int>(caret - kIndent) + 1;
    begin = end + 1;
  }
  return 0;
}

// Whether the line is a note about graft's lines, or says that a template was instantiated in graft's lines. Lines of
// both kinds explain the previous message.
bool explains_by_own_lines(std::string_view line, const Grammar& grammar) {
  const std::size_t end = line.find(grammar.before_line);
  return !grammar.note.empty() && end != line.npos && is_own_file(line.substr(0, end), grammar);
}

bool is_note(std::string_view line, const Grammar& grammar) {
  return !grammar.note.empty() && line.find(grammar.note) != line.npos;
}

std::string_view take_line(std::string_view& log) {
  const std::size_t end = log.find('\n');
  const std::string_view line = log.substr(0, end);
  log.remove_prefix(end == log.npos ? log.size() : end + 1);
  return line;
}

// Returns the name between `words`, which end with a quote, and the next quote. Empty if the log lacks the words.
std::string quoted_after(std::string_view log, std::string_view words) {
  const std::size_t at = log.find(words);
  if (at == log.npos) return {};
  log.remove_prefix(at + words.size());
  return std::string(log.substr(0, log.find('\'')));
}

}  // namespace

std::vector<CompileMessage> parse_compile_log(std::string_view log, Compiler compiler) {
  const Grammar& grammar = compiler == Compiler::Nvrtc ? kNvrtcGrammar : kHostGrammar;
  std::vector<CompileMessage> messages;
  std::string introduction;
  bool skipping = false;  // true inside a note about graft's lines that explains a message about the user's source
  while (!log.empty()) {
    const std::string_view line = take_line(log);
    CompileMessage message;
    if (parse_head(line, grammar, message)) {
      message.text = std::move(introduction);
      messages.push_back(std::move(message));
      skipping = false;
    } else if (grammar.counts.matches(line)) {
      continue;
    } else if (grammar.introductions.matches(line)) {
      introduction.append(line).append("\n");
      continue;
    } else if (explains_by_own_lines(line, grammar)) {
      skipping = !messages.empty() && !messages.back().is_own;
    } else if (is_note(line, grammar)) {
      skipping = false;
    }
    introduction.clear();
    if (!messages.empty() && !skipping) messages.back().text.append(line).append("\n");
  }
  for (CompileMessage& message : messages) {
    while (message.text.ends_with("\n\n")) message.text.pop_back();
    if (message.column == 0) message.column = column_of_caret(message.text);
  }
  return messages;
}

std::string with_end_at(std::string_view log, std::string_view place) {
  std::string text(log);
  for (std::size_t at = text.find(kEndOfSource); at != std::string::npos; at = text.find(kEndOfSource, at + 1))
    if (at == 0 || text[at - 1] == '\n') text.replace(at, kEndOfSource.size(), std::string(place) + ": ");
  return text;
}

bool lacks_return(const CompileMessage& message) {
  const auto says = [&](std::string_view words) { return message.text.find(words) != std::string::npos; };
  return says("missing return statement at end of non-void function") ||  // NVRTC
         (says("non-void function") && says("should return a value")) ||  // NVRTC
         says("-Werror=return-type") ||                                   // g++
         says("-Werror,-Wreturn-type");                                   // clang++
}

std::vector<Diagnostic> user_diagnostics(const std::vector<CompileMessage>& messages) {
  std::vector<Diagnostic> diagnostics;
  for (const CompileMessage& message : messages)
    if (!message.is_own)
      diagnostics.push_back({message.file, message.line, message.column, message.severity, message.what});
  return diagnostics;
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

// A symbol without a list of parameters may be that of a variable.
std::string undefined_message(std::string_view title, const std::string& symbol) {
  const std::string shown = base::readable(symbol);
  return base::format("{} does not link: `{}` is {}, and nothing defines it", title, shown,
                      shown.ends_with(')') ? "called" : "used");
}

std::string undefined_function(std::string_view log) {
  std::string name = quoted_after(log, "Unresolved extern function '");
  return name.empty() ? quoted_after(log, "Undefined reference to '") : name;
}

std::string undefined_variable(std::string_view log) {
  return quoted_after(log, "Unresolved extern variable '");
}

std::string assembler_error(std::string_view log) {
  while (!log.empty()) {
    const std::string_view line = take_line(log);
    const std::size_t place = line.find(", line ");
    const std::size_t error = line.find("; error");
    if (!line.starts_with("ptxas ") || place == line.npos || error == line.npos || error < place) continue;
    const std::size_t colon = line.find(": ", error);
    if (colon != line.npos) return std::string(line.substr(colon + 2));
  }
  return {};
}

}  // namespace graft::compile
