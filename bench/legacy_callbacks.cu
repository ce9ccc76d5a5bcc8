// The callbacks of legacy_kernel.cu. They are compiled separately from the kernel that calls them, as the users of a
// library would compile their callbacks.
#include "legacy_kernel.hpp"
#include "route_callbacks.hpp"

namespace graft::bench {

#define DEFINE(name, ...) __VA_ARGS__
GRAFT_BENCH_CALLBACKS(DEFINE)

#define POINTER(name, ...) name,
__device__ LegacyCallback legacy_callbacks[kLegacyCallbacks] = {GRAFT_BENCH_CALLBACKS(POINTER)};

}  // namespace graft::bench
