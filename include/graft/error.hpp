// Error is the only exception type that graft throws. The library never prints and never ends the process; everything
// that a user must know is in the Error.
#pragma once

#include <exception>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <graft/cpp20.hpp>
#include <graft/export.hpp>

namespace graft {

// The numbers and names are stable: a number or name is never reused. docs/errors.md explains each code with its usual
// cause and remedy.
enum class ErrorCode {
  CompileFailed = 1,         // the callback's source does not compile; log() has the compiler's output
  NoSuchEntry = 2,           // the callback has no function of that name
  AmbiguousEntry = 3,        // several functions could be the callback
  UnsupportedParameter = 4,  // a parameter or result whose type fits no role (see signature.hpp)
  SignatureMismatch = 5,     // the declared signature differs from the signature in the source or the binary
  LinkFailed = 6,            // the link failed; log() has the linker's output
  ToolMissing = 7,           // NVRTC, nvJitLink, the driver or a host compiler is needed and was not found
  ToolTooOld = 8,            // a tool was found, but its version is too old for the request
  NoDevice = 9,              // no CUDA driver, or no device that graft can use
  NotPrepared = 10,          // execute was called in a context for which neither create nor prepare was called
  CountMismatch = 11,        // arrays of different lengths, or the wrong number of arrays
  TypeMismatch = 12,         // the type of an array or of the state is not the callback's
  Misaligned = 13,           // a pointer is not aligned to its element type
  Overlap = 14,              // an output shares memory with another array, and is not exactly the same array
  LaunchFailed = 15,         // the driver refused the launch
  InvalidArgument = 16,      // an option or argument with an invalid value
  RouteUnavailable = 17,     // no route that the caller allows works for this callback on this machine
  DriverFailed = 18,         // a driver call other than a launch failed
  FileUnreadable = 19,       // a file that the caller named cannot be read or written
  NoSuchSymbol = 20,         // the callback defines no variable of that name
  ImageRefused = 21,         // a binary or pack is damaged, not of the named form, or for another architecture
  CompilingForbidden = 22,   // the kernel is in no cache, and the engine's policy forbids compiling
  SystemFailed = 23,         // the operating system refused a request: no disk space, no new process, no memory
  Cancelled = 24,            // the application cancelled this create_async (graft::Pending)
  SlotEmpty = 25,            // a kernel of one's own calls a function that neither it nor a callback defines
};

// The enumerator's name: "CompileFailed".
GRAFT_API std::string_view name(ErrorCode code) noexcept;

// A tool that graft used or looked for, as errors and reports name it: {"NVRTC", "13.0"}.
struct ToolVersion {
  std::string tool = {};
  std::string version = {};
  bool operator==(const ToolVersion&) const = default;
};

// A message of a compiler about the callback's source or a header, in one form for NVRTC, g++ and clang++. An editor
// can mark the place without parsing a log.
struct Diagnostic {
  enum class Severity { Error, Warning, Note };

  // The file as the application named it: the callback's name ("callback.cu" unless the application chose another), the
  // name of a header, or the path of a header's file. Macros of Options::defines have the file "Options::defines".
  std::string file = {};
  int line = 0;    // from 1; 0 if the compiler names no line
  int column = 0;  // from 1, counted in bytes; 0 if the compiler shows no column
  Severity severity = Severity::Error;
  std::string text = {};  // one line without place and severity: "identifier "foo" is undefined"
  // Of a mistake in a graft::formula; empty for messages of compilers.
  std::string near = {};        // what stands at the place: "foo"
  std::string suggestion = {};  // what was probably meant: "floor"; empty if graft has no idea
  bool operator==(const Diagnostic&) const = default;
};

// The severity in lower case: "error", "warning", "note".
GRAFT_API std::string_view name(Diagnostic::Severity severity) noexcept;

// what() returns the whole text, which consists of message, log, versions and remedy. Copies share their content, so
// copying never throws. Error has no move operations. A move therefore copies, and what() of a moved-from Error stays
// valid.
class GRAFT_API Error : public std::exception {
 public:
  struct Details {
    std::string message;                // what was wrong, and where
    std::string remedy;                 // what to do
    std::string log;                    // output of the compiler or linker, with the user's file and line numbers
    std::vector<ToolVersion> versions;  // the versions of all tools involved
    // The messages of log() that are about the user's source, in the compiler's order; or the places of the words that
    // graft refuses itself (Options::closed, Options::allow_thread_words), or of the mistake in a graft::formula. Empty
    // otherwise.
    std::vector<Diagnostic> diagnostics = {};
  };

  Error(ErrorCode code, Details details);
  Error(const Error&) = default;
  Error& operator=(const Error&) = default;

  const char* what() const noexcept override { return content_->text.c_str(); }
  ErrorCode code() const noexcept { return content_->code; }
  const std::string& message() const noexcept { return content_->details.message; }
  const std::string& remedy() const noexcept { return content_->details.remedy; }
  const std::string& log() const noexcept { return content_->details.log; }
  const std::vector<ToolVersion>& versions() const noexcept { return content_->details.versions; }
  const std::vector<Diagnostic>& diagnostics() const noexcept { return content_->details.diagnostics; }

 private:
  struct Content {
    ErrorCode code;
    Details details;
    std::string text;
  };
  std::shared_ptr<const Content> content_;
};

}  // namespace graft
