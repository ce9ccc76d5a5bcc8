// Recognises the logs in which NVRTC refuses one of the caller's compiler options. NVRTC then compiles nothing, and the
// log is one line:
//
//     nvrtc: error: unrecognized option --device-float128 found                             <- NVRTC is too old
//     nvrtc: error: option --device-float128 is not supported on architectures earlier than sm_100
//     Command-line error: invalid error number in diagnostic control option: 99999
#pragma once

#include <string>
#include <vector>

#include "graft/architecture.hpp"
#include "graft/error.hpp"

namespace graft::compile {

// Throws Error(ToolTooOld or InvalidArgument) if the log refuses one of `options`, which are in their canonical form
// (core/compiler_options.hpp). Returns if not.
void throw_refused_option(const std::string& log, const std::vector<std::string>& options, Architecture architecture,
                          const ToolVersion& nvrtc);

}  // namespace graft::compile
