// Checks a request in the closed mode (Options::closed, for formulas from authors whom the application does not trust),
// before graft compiles anything or searches a cache. The closed mode accepts callbacks as source only. It refuses
// requests with preprocessor directives or inline assembly in any text, with headers, with the host route, or with
// bounds (Closed::time, memory, max_registers) in which no build can succeed.
#pragma once

#include <cstdint>

#include "graft/callback.hpp"
#include "graft/options.hpp"

namespace graft::engine {

// The smallest Closed::memory that is accepted, in bytes. NVRTC and nvJitLink need about 350 MiB of address space for a
// callback of one line (CUDA 13.0).
inline constexpr std::uint64_t kLeastClosedMemory = std::uint64_t{512} << 20;

// The smallest Closed::max_registers that is accepted. If the limit is smaller than 24, NVIDIA's compilers raise it to
// 24 for functions that are called and not inlined (CUDA 13.0), so a smaller bound could not be kept.
inline constexpr int kLeastClosedRegisters = 24;

// Throws Error(InvalidArgument) if options.closed is set and the closed mode does not allow the options, or the
// callback.
void check_closed(const Options& options);
void check_closed(const Callback& callback, const Options& options);

// Returns the register limit of the request: Options::max_registers, or in the closed mode the smaller of
// Options::max_registers and Closed::max_registers. In Options::max_registers and in the result, 0 means no limit.
int closed_registers(const Options& options) noexcept;

}  // namespace graft::engine
