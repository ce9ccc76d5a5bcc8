// Lays out the launches of a call of an FFT: one for each kernel of a direction.
#pragma once

#include <memory>
#include <span>

#include "base/bytes.hpp"
#include "families/call.hpp"
#include "families/job.hpp"
#include "graft/fft.hpp"
#include "graft/kernel_spec.hpp"

namespace graft::families::fft {

// The arguments of graft::Fft::execute. The members of Arguments hold what FftLaunch says of state and info.
struct FftArguments : Arguments {
  Direction direction = Direction::Forward;
  const FftLaunch* launch = nullptr;
};

// The arguments of the returned Caller must be FftArguments. Throws Error(ImageRefused) if the kernels have different
// callbacks.
std::unique_ptr<const Caller> make_caller(const Job& job, const Schedule& schedule,
                                          std::span<const KernelSpec* const> kernels);

// Returns the table of roots of unity that a kernel reads.
base::Bytes constants_of(const KernelSpec& kernel);

// Returns the dynamic shared memory of a kernel, of the FFT and of its callbacks, in bytes.
std::uint32_t shared_bytes_of(const KernelSpec& kernel);

}  // namespace graft::families::fft
