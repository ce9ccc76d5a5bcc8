// What a kernel's machine code shows and ptxas's log does not: its size, helpers of CUDA within it (the division of
// doubles), calls through pointers, recursion.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "build/link_log.hpp"

namespace graft::building {

// Adds it to the findings. `kernel` is its name; bytes that are no cubin show nothing.
void add_machine_code(LinkFindings& findings, std::span<const std::byte> code, std::string_view kernel);

}  // namespace graft::building
