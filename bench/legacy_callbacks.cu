// Compiled separately from the kernel that calls them, as a library's users would compile their callbacks.
#include "legacy_kernel.hpp"
#include "route_callbacks.hpp"

namespace graft::bench {

#define DEFINE(name, ...) __VA_ARGS__
GRAFT_BENCH_CALLBACKS(DEFINE)

#define POINTER(name, ...) name,
__device__ LegacyCallback legacy_callbacks[kLegacyCallbacks] = {GRAFT_BENCH_CALLBACKS(POINTER)};

}  // namespace graft::bench
