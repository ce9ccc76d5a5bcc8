// A linked kernel: its code, the linker's log, and the findings that graft reads from both for the report.
//
// ptxas writes the kernel's resources and calls into nvJitLink's -verbose log:
//
//     ptxas info    : Compiling entry function 'graft_transform_relu' for 'sm_90'
//     ptxas info    : Function properties for graft_transform_relu
//     ptxas         .     0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
//     ptxas info    : Used 18 registers, used 0 barriers
//     ptxas info    : Function properties for _Z4reluf          <- a function that is still called
//
// The machine code shows the other findings: the code's size, CUDA's helpers in it (such as the division of doubles),
// calls through function pointers, recursion, and arithmetic of doubles.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.hpp"
#include "format/cubin.hpp"
#include "graft/report.hpp"

namespace graft::link {

struct LinkFindings {
  // From the log:
  Report::Resources resources;  // the kernel's registers, stack and other resources
  // From log and code: the demangled names of the functions that were not inlined. `cuda_helpers` lists CUDA's own
  // functions, and `remaining_calls` all others. graft's own functions are in neither list.
  std::vector<std::string> remaining_calls;
  std::vector<std::string> cuda_helpers;
  // From the code:
  std::uint64_t code_bytes = 0;
  // The kernel's local memory in bytes, without the local memory of the functions that it calls.
  std::uint64_t frame_bytes = 0;
  bool calls_through_pointer = false;
  bool has_recursion = false;
  bool widens_to_double = false;  // format::Cubin::widens_to_double
};

struct Linked {
  base::Bytes code;
  std::string log;
  LinkFindings findings;              // read from code and log
  std::vector<std::string> ptx = {};  // as Image::Data::ptx, if the image keeps it
};

// Read the findings from code and log. `kernel` is the kernel's name. Code that is not a cubin adds no findings. In a
// link without link-time optimisation, the linker adds a line of its own at the end of the log ("used 24 registers, ...
// 16 stack"). That line counts the registers and the stack of the kernel together with those of the functions that it
// calls, so it replaces what the earlier lines say.
LinkFindings read_findings(const format::Cubin& cubin, std::string_view log, std::string_view kernel);
Linked read_linked(base::Bytes code, std::string log, std::string_view kernel);

}  // namespace graft::link
