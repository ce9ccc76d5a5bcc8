// Reads from PTX how much local memory a kernel needs for variables that the compiler could not keep in registers. The
// kernel may need more in the end, because ptxas may spill registers.
//
//     .visible .entry graft_transform_f( ... ) { .local .align 16 .b8 __local_depot0[16400];
#pragma once

#include <cstdint>
#include <string_view>

namespace graft::link {

// Returns the local memory of all kernels in the text together, in bytes. Other functions do not count. A callback that
// is called needs the same local memory in the vector body and in the rolled body. A callback that was inlined is still
// in the text as a function, beside the inlined copy, and must not be counted twice.
std::uint64_t ptx_frame_bytes(std::string_view ptx);

}  // namespace graft::link
