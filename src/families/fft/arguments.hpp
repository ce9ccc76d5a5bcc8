// Checks the arrays, layouts and state of a call before anything is launched.
#pragma once

#include <cstdint>
#include <string_view>

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
  std::int64_t in_length, out_length;  // elements of an FFT in the arrays of each side
};

// Returns the batch, and where its points lie in the caller's arrays; the pointers are null. Throws the errors of
// graft::Fft::execute.
ParameterHead check_call(const Expected& expected, const Arguments& arguments, const FftLaunch& launch);

}  // namespace graft::families::fft
