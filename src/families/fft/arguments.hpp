// Checks the arrays, layouts and state of a call before anything is launched.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "contract.h"
#include "families/call.hpp"
#include "families/fft/program.hpp"
#include "families/fft/request.hpp"
#include "graft/fft.hpp"

namespace graft::families::fft {

// What a call is checked against.
struct Expected {
  std::string_view name;       // the kernel's, for messages
  const Signature& signature;  // of the callbacks; without arrays if there are none
  const FftRequest& request;
  std::span<const std::int64_t> in_extents, out_extents;  // of an FFT in the arrays of each side
  bool takes_workspace = false;                           // whether kernels write to FftLaunch::workspace
  bool is_on_host = false;
};

struct CheckedCall {
  StridedHead head;                                  // without pointers
  std::array<void*, GRAFT_MAX_INPUTS + 1> pointers;  // of the inputs and the output: their first elements in memory
};

// Returns the batch, and where its points lie in the caller's arrays. Throws the errors of graft::Fft::execute.
CheckedCall check_call(const Expected& expected, const Arguments& arguments, const FftLaunch& launch);

}  // namespace graft::families::fft
