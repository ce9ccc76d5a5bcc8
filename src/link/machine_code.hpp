// Reads from a kernel's machine code what ptxas's log does not show: the code's size, CUDA's helpers in it (such as the
// division of doubles), calls through function pointers, and recursion.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "link/link_log.hpp"

namespace graft::link {

// Adds what the machine code shows to the findings. `kernel` is the kernel's name. Bytes that are not a cubin add
// nothing.
void add_machine_code(LinkFindings& findings, std::span<const std::byte> code, std::string_view kernel);

}  // namespace graft::link
