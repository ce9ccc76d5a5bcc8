// Tells the application's log what an engine does (EngineOptions::log). Without a log, nothing is told and no text is
// made. Exceptions of the application's function are dropped: a log cannot make a request fail.
#pragma once

#include <string>
#include <string_view>
#include <utility>

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
      const std::string sentence = text();
      log_({.kind = kind, .severity = severity, .text = sentence, .callback = callback, .milliseconds = milliseconds});
    } catch (...) {  // NOLINT(bugprone-empty-catch): see above
    }
  }

 private:
  const Log log_;
};

}  // namespace graft::engine
