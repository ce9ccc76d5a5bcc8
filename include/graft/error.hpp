// What graft throws. Nothing in the library prints or aborts: whatever a user must know is in the Error.
#pragma once

#include <exception>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <graft/export.hpp>

namespace graft {

// Stable: numbers and names are never reused. docs/errors.md explains each with its usual cause and remedy.
enum class ErrorCode {
  CompileFailed = 1,         // the callback's source does not compile; log() has the compiler's words
  NoSuchEntry = 2,           // the callback has no function of that name
  AmbiguousEntry = 3,        // several functions could be the callback
  UnsupportedParameter = 4,  // a parameter or result that no role fits
  SignatureMismatch = 5,     // the declared signature is not the one found in the source or the binary
  LinkFailed = 6,            // nvJitLink refused; log() has its words
  ToolMissing = 7,           // NVRTC, nvJitLink, the driver or a host compiler is needed and was not found
  ToolTooOld = 8,            // it was found, and is older than what it is asked to do
  NoDevice = 9,              // no CUDA driver or no device that it can use
  NotPrepared = 10,          // execute in a context that neither create nor prepare has seen
  CountMismatch = 11,        // arrays of different lengths, or too few or too many of them
  TypeMismatch = 12,         // an array's or state's type is not the callback's
  Misaligned = 13,           // a pointer is not aligned to its element
  Overlap = 14,              // an output shares memory with another array, other than exactly in place
  LaunchFailed = 15,         // the driver refused the launch
  InvalidArgument = 16,      // an option or argument that has no meaning
  RouteUnavailable = 17,     // no route that the caller allows can work here
  DriverFailed = 18,         // another call of the driver failed
  FileUnreadable = 19,       // a file that the caller named cannot be read or written
  NoSuchSymbol = 20,         // the callback defines no variable of that name
  ImageRefused = 21,         // a compiled callback is damaged, of another form, or for another architecture
  CompilingForbidden = 22,   // the kernel is in no cache, and the engine may not compile
  SystemFailed = 23,         // the operating system refused: a full disk, no process, no memory
};

// "CompileFailed", ...
GRAFT_API std::string_view name(ErrorCode code) noexcept;

// A program that graft used or looked for, as errors and reports name it: {"NVRTC", "13.0"}.
struct ToolVersion {
  std::string tool = {};
  std::string version = {};
  bool operator==(const ToolVersion&) const = default;
};

// Thrown by every function of graft that can fail. what() is the whole text: message, log, versions, remedy. Copies
// share their content, so that copying one never fails; a move is a copy, so that what() stays valid after it.
class GRAFT_API Error : public std::exception {
 public:
  struct Details {
    std::string message;                // what was wrong, and where
    std::string remedy;                 // what to do
    std::string log;                    // the compiler's or linker's own words, with the user's file and lines
    std::vector<ToolVersion> versions;  // of every tool involved
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

 private:
  struct Content {
    ErrorCode code;
    Details details;
    std::string text;
  };
  std::shared_ptr<const Content> content_;
};

}  // namespace graft
