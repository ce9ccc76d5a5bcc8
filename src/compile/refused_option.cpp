#include "compile/refused_option.hpp"

#include <string_view>

#include "base/format.hpp"
#include "core/fail.hpp"

namespace graft::compile {
namespace {

// The words of NVRTC's refusal, without what stands before them. Empty if the log is no refusal of an option.
std::string_view refusal_in(std::string_view log) {
  for (const std::string_view before : {"nvrtc: error: ", "Command-line error: "})
    if (log.starts_with(before)) {
      log.remove_prefix(before.size());
      return log.substr(0, log.find('\n'));
    }
  return {};
}

// Whether NVRTC's words name the option, or only its value.
bool is_about(std::string_view words, std::string_view option) {
  const std::size_t equals = option.find('=');
  if (words.find(option.substr(0, equals)) != words.npos) return true;
  return equals != option.npos && words.ends_with(base::format(": {}", option.substr(equals + 1)));
}

}  // namespace

void throw_refused_option(const std::string& log, const std::vector<std::string>& options, Architecture architecture,
                          const ToolVersion& nvrtc) {
  const std::string_view words = refusal_in(log);
  for (const std::string& option : options) {
    if (!is_about(words, option)) continue;
    std::string message = base::format("{} {} refuses the compiler option {} for {}: {}", nvrtc.tool, nvrtc.version,
                                       option, architecture.sm(), words);
    if (words.starts_with("unrecognized option"))
      fail(ErrorCode::ToolTooOld, std::move(message),
           "Leave the option out of Options::compiler_options, or install a newer CUDA toolkit.", log, {nvrtc});
    fail(ErrorCode::InvalidArgument, std::move(message), "Leave the option out of Options::compiler_options.", log,
         {nvrtc});
  }
}

}  // namespace graft::compile
