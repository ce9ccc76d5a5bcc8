// What an Engine tells the application's log (EngineOptions::log). graft itself prints nothing.
//
//     graft::EngineOptions options;
//     options.log = [](const graft::LogEvent& event) { my_log(event.severity, std::string(event.text)); };
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>

#include <graft/cpp20.hpp>
#include <graft/export.hpp>

namespace graft {

// The numbers and names are stable: a number or name is never reused. Applications should ignore events that they do
// not know, because more will come.
enum class LogKind : std::uint8_t {
  MemoryHit = 1,      // a request's kernel was found in memory
  DiskHit = 2,        // a request's kernel was read from the cache on disk, from the user's folder or a layer
  Waited = 3,         // a request waited while another thread built its kernel
  ToolsChosen = 4,    // the toolkit of a build, the first time that the engine uses it
  Built = 5,          // a kernel was built
  BuildFailed = 6,    // no kernel was built: an error, a refusal or a cancelled build; create throws the Error
  Loaded = 7,         // a kernel was loaded, into the driver or (host route) into this process
  CacheProblem = 8,   // the cache on disk could not be used, or an entry was refused; the request goes on without it
  ImagesDropped = 9,  // images were dropped from memory because of EngineOptions::max_unused_image_bytes
};

// The enumerator's name: "MemoryHit".
GRAFT_API std::string_view name(LogKind kind) noexcept;

enum class LogSeverity : std::uint8_t {
  Debug,    // the ordinary course of a request: hits, waits, loads
  Info,     // something that took time, or is decided once: Built, ToolsChosen
  Warning,  // something that an administrator may want to repair: CacheProblem, BuildFailed
};

// The severity in lower case: "debug", "info", "warning".
GRAFT_API std::string_view name(LogSeverity severity) noexcept;

// The texts are valid only during the call.
struct LogEvent {
  LogKind kind = LogKind::Built;
  LogSeverity severity = LogSeverity::Debug;
  std::string_view text = {};      // one sentence for people, without an end of line
  std::string_view callback = {};  // the callback's name ("callback.cu"); empty if the event is about no callback
  double milliseconds = 0;         // how long it took: DiskHit, Built, BuildFailed, Loaded; else 0
};

// Called in the thread that does the work, which may be any thread of the application or of the engine, and several at
// the same time. It delays this work, and may throw: graft ignores its exceptions. It must not call functions of the
// engine that can make or wait for a kernel, because that kernel may be the one that the caller is making.
using Log = std::function<void(const LogEvent&)>;

}  // namespace graft
