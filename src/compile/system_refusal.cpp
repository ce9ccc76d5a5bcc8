// Recognises refusals by tables of phrases. A line reports a refusal if it contains what the tool tried (kAttempts) and
// the system's reason (kReasons), or if it contains a phrase of kEnds.
#include "compile/system_refusal.hpp"

#include <algorithm>
#include <array>

namespace graft::compile {
namespace {

template <std::size_t Count>
bool has_one(std::string_view line, const std::array<std::string_view, Count>& words) {
  return std::ranges::any_of(words, [&](std::string_view one) { return line.find(one) != std::string_view::npos; });
}

// Phrases for what the tool tried.
constexpr std::array<std::string_view, 14> kAttempts = {
    "error writing to", "error closing",   "final link failed", "can't write",   "can't create",
    "cannot create",    "cannot execute",  "cannot open",       "cannot find",   "IO failure",
    "unable to open",   "unable to write", "failed to write",   "failed to open"};
// Phrases for the system's reason.
constexpr std::array<std::string_view, 7> kReasons = {"No space left on device", "Disk quota exceeded",
                                                      "File too large",          "Read-only file system",
                                                      "Cannot allocate memory",  "Resource temporarily unavailable",
                                                      "Too many open files"};

// A line that begins with a position in a source file must also contain one of these phrases, which g++ itself writes.
constexpr std::array<std::string_view, 2> kOwnWords = {" fatal error: error writing to ",
                                                       " fatal error: error closing "};

// Other phrases. A line without a position in a source file reports a refusal if it contains one of these phrases,
// even without a phrase of kAttempts or kReasons.
constexpr std::array<std::string_view, 6> kEnds = {"out of file descriptors",   "File size limit exceeded",
                                                   "virtual memory exhausted",  "out of memory allocating",
                                                   "LLVM ERROR: out of memory", "Killed signal terminated program"};

std::string_view first_line(std::string_view text) {
  return text.substr(0, text.find('\n'));
}

void remove_line(std::string_view& text) {
  text.remove_prefix(std::min(text.size(), first_line(text).size() + 1));
}

// Whether the line begins with a position in a source file: "callback.cu:5:93: fatal error: ...".
bool has_place(std::string_view line) {
  return !parse_compile_log(line, Compiler::Host).empty();
}

bool says_so(std::string_view line) {
  const bool failed = has_one(line, kAttempts) && has_one(line, kReasons);
  // In a line with a position in a source file, the words after "error:" may be from an #error in the source. So
  // require a phrase that g++ itself writes.
  if (has_place(line)) return failed && has_one(line, kOwnWords);
  return failed || has_one(line, kEnds);
}

}  // namespace

std::string system_refusal(std::string_view log) {
  for (; !log.empty(); remove_line(log))
    if (says_so(first_line(log))) return std::string(first_line(log));
  return {};
}

bool is_system_refusal(const CompileMessage& message) {
  // Examine only the head, because the other lines of the message quote the source.
  return says_so(message.head);
}

}  // namespace graft::compile
