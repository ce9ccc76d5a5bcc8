// Checks the arrays, layouts and state of a call before anything is launched.
#pragma once

#include <cstdint>
#include <string_view>

#include "families/call.hpp"
#include "families/fft/request.hpp"
#include "graft/fft.hpp"

namespace graft::families::fft {

// What a call is checked against.
struct Expected {
  std::string_view name;       // the kernel's, for messages
  const Signature& signature;  // of the callbacks; without arrays if there are none
  const FftRequest& request;
};

// Where the points of a call lie in the caller's arrays, in elements, as ParameterHead says.
struct Points {
  std::uint64_t batch = 1;
  std::uint64_t in_stride = 1, in_distance = 0;
  std::uint64_t out_stride = 1, out_distance = 0;
};

// Throws the errors of graft::Fft::execute.
Points check_call(const Expected& expected, const Arguments& arguments, const FftLaunch& launch);

}  // namespace graft::families::fft
