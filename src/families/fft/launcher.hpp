// Lays out the launch of one kernel of an FFT.
#pragma once

#include <cstdint>
#include <memory>

#include "families/call.hpp"
#include "families/fft/batch.hpp"
#include "graft/kernel_spec.hpp"

namespace graft::families::fft {

// What graft::Fft adds to a call (Arguments::more). The arrays of the call have been checked.
struct FftCall {
  std::uint64_t batch = 1;
  std::uint64_t in_stride = 1, in_distance = 0;
  std::uint64_t out_stride = 1, out_distance = 0;
  void* workspace = nullptr;  // batch * length points, for plans of several kernels
};

std::unique_ptr<const Launcher> make_launcher(const KernelSpec& kernel);

}  // namespace graft::families::fft
