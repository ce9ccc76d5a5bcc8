// Tells the application's log what an engine does (EngineOptions::log). Without a log, nothing is told and no text is
// made. Exceptions of the application's function are dropped: a log cannot make a request fail.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "base/format.hpp"
#include "graft/error.hpp"
#include "graft/log.hpp"

namespace graft::engine {

// Thread-safe.
class Logger {
 public:
  explicit Logger(Log log) : log_(std::move(log)) {}

  explicit operator bool() const noexcept { return log_ != nullptr; }

  // `text` is a function that returns the text.
  template <class Text>
  void tell(LogKind kind, LogSeverity severity, std::string_view callback, double milliseconds,
            Text text) const noexcept {
    if (log_ == nullptr) return;
    try {
      const std::string sentence = one_line(text()), name = one_line(std::string(callback));
      log_({.kind = kind, .severity = severity, .text = sentence, .callback = name, .milliseconds = milliseconds});
    } catch (...) {  // NOLINT(bugprone-empty-catch): see above
    }
  }

  // Tells that no kernel is built of this callback, and why.
  void tell_failure(std::string_view callback, double milliseconds, std::string_view why) const noexcept {
    tell(LogKind::BuildFailed, LogSeverity::Warning, callback, milliseconds,
         [&] { return base::format("no kernel was built of {}: {}", callback, why); });
  }

 private:
  // A callback's name and text may have an end of line or an escape sequence, with which a formula could write lines of
  // its own into the application's log.
  static std::string one_line(std::string text) {
    for (char& c : text)
      if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = ' ';
    return text;
  }

  const Log log_;
};

// Returns what `work` returns. If `work` throws Error, tells the log that no kernel is built of this callback, and
// throws the Error on. For work that is not part of a build of KernelCache, which tells the log itself: the checks that
// refuse a request, and graft::precompile.
template <class Work>
decltype(auto) told_if_it_fails(const Logger& logger, std::string_view callback, Work work) {
  try {
    return work();
  } catch (const Error& error) {
    logger.tell_failure(callback, 0, error.message());
    throw;
  }
}

}  // namespace graft::engine
