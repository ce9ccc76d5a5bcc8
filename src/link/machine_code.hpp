// What a kernel's machine code shows and ptxas's log does not: its size, CUDA's helpers inside it (the division of
// doubles), calls through function pointers, recursion.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "link/link_log.hpp"

namespace graft::link {

// Adds this to the findings. `kernel` is the kernel's name. Bytes that are not a cubin add nothing.
void add_machine_code(LinkFindings& findings, std::span<const std::byte> code, std::string_view kernel);

}  // namespace graft::link
