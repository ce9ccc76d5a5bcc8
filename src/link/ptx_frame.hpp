// Reads from PTX how much local memory kernels need for what the compiler could not keep in registers. (ptxas may spill
// more.)
//
//     .visible .entry graft_transform_f( ... ) { .local .align 16 .b8 __local_depot0[16400];
#pragma once

#include <cstdint>
#include <string_view>

namespace graft::link {

// The sum for all kernels of the text, in bytes. Other functions do not count: a callback that is called needs the same
// local memory in every body, and of one that was inlined the text still has the function, beside the inlined copy.
std::uint64_t ptx_frame_bytes(std::string_view ptx);

}  // namespace graft::link
