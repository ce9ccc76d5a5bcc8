// Words for errors. The whole text is put together once, when the error is made.
#include "graft/error.hpp"

#include <fmt/format.h>

#include <utility>

namespace graft {
namespace {

std::string whole_text(ErrorCode code, const Error::Details& details) {
  std::string text = fmt::format("graft: {} [{}]", details.message, name(code));
  if (!details.log.empty()) text += fmt::format("\n{}", details.log);
  if (!text.ends_with('\n')) text += '\n';
  if (!details.versions.empty()) {
    text += "With:";
    for (const ToolVersion& tool : details.versions) text += fmt::format(" {} {};", tool.tool, tool.version);
    text.back() = '\n';
  }
  if (!details.remedy.empty()) text += fmt::format("What to do: {}\n", details.remedy);
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
  }
  return "Unknown";
}

Error::Error(ErrorCode code, Details details) {
  std::string text = whole_text(code, details);
  content_ = std::make_shared<const Content>(Content{code, std::move(details), std::move(text)});
}

}  // namespace graft
