// The closed mode's checks of a request, before anything is compiled or looked for in a cache: source only, no
// preprocessing or assembly in any text, no headers, no host route, and bounds that a build can meet.
#pragma once

#include <cstdint>

#include "graft/callback.hpp"
#include "graft/options.hpp"

namespace graft::engine {

// The least Closed::memory. NVRTC and nvJitLink need about 350 MiB of address space for a callback of one line (CUDA
// 13.0).
inline constexpr std::uint64_t kLeastClosedMemory = std::uint64_t{512} << 20;

// The least Closed::max_registers. The compilers treat a lower ceiling as this one (CUDA 13.0, functions with a calling
// convention).
inline constexpr int kLeastClosedRegisters = 24;

// Throws Error(InvalidArgument) if options.closed is set and the closed mode does not allow the request.
void check_closed(const Callback& callback, const Options& options);

// The request's register ceiling: in the closed mode the lower one of Options::max_registers and Closed::max_registers.
int closed_registers(const Options& options) noexcept;

}  // namespace graft::engine
