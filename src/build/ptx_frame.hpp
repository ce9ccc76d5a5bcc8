// The local memory of the kernels in PTX: what the compiler could not keep in registers, before any is spilled.
//
//     .visible .entry graft_transform_f( ... ) { .local .align 16 .b8 __local_depot0[16400];
#pragma once

#include <cstdint>
#include <string_view>

namespace graft::building {

// Bytes of all kernels of the text together. The text's other functions are left out: a callback that is called has the
// same local memory in every body, and one that is inlined stands in the text a second time.
std::uint64_t ptx_frame_bytes(std::string_view ptx);

}  // namespace graft::building
