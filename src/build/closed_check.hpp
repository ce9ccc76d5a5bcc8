// What the closed mode refuses before anything is compiled or looked for.
#pragma once

#include <cstdint>

#include "graft/callback.hpp"
#include "graft/options.hpp"

namespace graft::building {

// NVRTC and nvJitLink need about 350 MiB of address space for a callback of one line (CUDA 13.0).
inline constexpr std::uint64_t kLeastClosedMemory = std::uint64_t{512} << 20;

// The compilers take a lower ceiling for this one (CUDA 13.0, functions with a calling convention).
inline constexpr int kLeastClosedRegisters = 24;

// Throws Error(InvalidArgument) where options.closed is set and the request is not for the closed mode.
void check_closed(const Callback& callback, const Options& options);

// The ceiling of registers of such a request.
int closed_registers(const Options& options) noexcept;

}  // namespace graft::building
