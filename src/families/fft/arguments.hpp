// Checks the arrays, layouts, state and workspace of a call before anything is launched.
#pragma once

#include "families/call.hpp"
#include "families/fft/kernel_request.hpp"
#include "families/fft/launcher.hpp"
#include "graft/fft.hpp"

namespace graft::families::fft {

// What a call is checked against.
struct Expected {
  std::string_view name;       // the kernel's, for messages
  const Signature& signature;  // of the callbacks; without arrays if there are none
  KernelRequest request;
  bool needs_workspace = false;
};

// Returns the call as the launcher takes it, without a workspace. Throws the errors of graft::Fft::execute.
FftCall check_call(const Expected& expected, const Arguments& arguments, const FftLaunch& launch);

}  // namespace graft::families::fft
