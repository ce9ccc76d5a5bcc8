// The end of a kernel's parameter in families whose kernels access memory themselves: the pointers of the inputs, at
// least one, and the state. On the device it is ArraysAndState of building_blocks/compose.h.
#pragma once

#include <cstddef>
#include <optional>

#include "families/call.hpp"

namespace graft::families {

// Writes the pointers and the state of a call behind the first `head_bytes` of a parameter. Returns the size of the
// whole.
std::size_t lay_out_arrays_and_state(std::size_t head_bytes, const Arguments& arguments,
                                     const std::optional<ElementType>& state, std::byte* parameter) noexcept;

}  // namespace graft::families
