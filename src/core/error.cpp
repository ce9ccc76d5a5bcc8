// Defines the names of the error codes, and the constructor of Error, which composes the text that what() returns.
#include "graft/error.hpp"
#include "base/format.hpp"

#include <utility>

#include "core/fail.hpp"

namespace graft {
namespace {

std::string whole_text(ErrorCode code, const Error::Details& details) {
  std::string text = base::format("graft: {} [{}]", details.message, name(code));
  if (!details.log.empty()) text += base::format("\n{}", details.log);
  if (!text.ends_with('\n')) text += '\n';
  if (!details.versions.empty()) {
    text += "With:";
    for (const ToolVersion& tool : details.versions) text += base::format(" {} {};", tool.tool, tool.version);
    text.back() = '\n';
  }
  if (!details.remedy.empty()) text += base::format("What to do: {}\n", details.remedy);
  text.pop_back();
  return text;
}

}  // namespace

std::string_view name(ErrorCode code) noexcept {
  switch (code) {
    case ErrorCode::CompileFailed:
      return "CompileFailed";
    case ErrorCode::NoSuchEntry:
      return "NoSuchEntry";
    case ErrorCode::AmbiguousEntry:
      return "AmbiguousEntry";
    case ErrorCode::UnsupportedParameter:
      return "UnsupportedParameter";
    case ErrorCode::SignatureMismatch:
      return "SignatureMismatch";
    case ErrorCode::LinkFailed:
      return "LinkFailed";
    case ErrorCode::ToolMissing:
      return "ToolMissing";
    case ErrorCode::ToolTooOld:
      return "ToolTooOld";
    case ErrorCode::NoDevice:
      return "NoDevice";
    case ErrorCode::NotPrepared:
      return "NotPrepared";
    case ErrorCode::CountMismatch:
      return "CountMismatch";
    case ErrorCode::TypeMismatch:
      return "TypeMismatch";
    case ErrorCode::Misaligned:
      return "Misaligned";
    case ErrorCode::Overlap:
      return "Overlap";
    case ErrorCode::LaunchFailed:
      return "LaunchFailed";
    case ErrorCode::InvalidArgument:
      return "InvalidArgument";
    case ErrorCode::RouteUnavailable:
      return "RouteUnavailable";
    case ErrorCode::DriverFailed:
      return "DriverFailed";
    case ErrorCode::FileUnreadable:
      return "FileUnreadable";
    case ErrorCode::NoSuchSymbol:
      return "NoSuchSymbol";
    case ErrorCode::ImageRefused:
      return "ImageRefused";
    case ErrorCode::CompilingForbidden:
      return "CompilingForbidden";
    case ErrorCode::SystemFailed:
      return "SystemFailed";
    case ErrorCode::Cancelled:
      return "Cancelled";
    case ErrorCode::SlotEmpty:
      return "SlotEmpty";
  }
  return "Unknown";
}

std::string_view name(Diagnostic::Severity severity) noexcept {
  switch (severity) {
    case Diagnostic::Severity::Error:
      return "error";
    case Diagnostic::Severity::Warning:
      return "warning";
    case Diagnostic::Severity::Note:
      break;
  }
  return "note";
}

Error::Error(ErrorCode code, Details details) {
  std::string text = whole_text(code, details);
  content_ = std::make_shared<const Content>(Content{code, std::move(details), std::move(text)});
}

void fail(ErrorCode code, std::string message, std::string remedy, std::string log, std::vector<ToolVersion> versions) {
  throw Error(code, {.message = std::move(message),
                     .remedy = std::move(remedy),
                     .log = std::move(log),
                     .versions = std::move(versions)});
}

Error with_remedy(const Error& error, std::string remedy) {
  return {error.code(),
          {.message = error.message(),
           .remedy = std::move(remedy),
           .log = error.log(),
           .versions = error.versions(),
           .diagnostics = error.diagnostics()}};
}

void refuse(std::string message, std::string remedy) {
  fail(ErrorCode::InvalidArgument, std::move(message), std::move(remedy));
}

std::string checked_text(const char* text, std::string_view what) {
  if (text == nullptr)
    refuse(base::format("{} is a null pointer", what),
           "Give a null-terminated string. std::getenv returns null for a variable that is not set.");
  return text;
}

}  // namespace graft
