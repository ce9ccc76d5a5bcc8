// What ptxas says of a linked kernel, read from nvJitLink's -verbose log:
//
//     ptxas info    : Compiling entry function 'graft_transform_relu' for 'sm_90'
//     ptxas info    : Function properties for graft_transform_relu
//     ptxas         .     0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
//     ptxas info    : Used 18 registers, used 0 barriers
//     ptxas info    : Function properties for _Z4reluf          <- a function that is still called
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "graft/report.hpp"

namespace graft::building {

struct LinkFindings {
  Report::Resources resources;               // of the kernel
  std::vector<std::string> remaining_calls;  // functions left beside it, demangled, CUDA's own helpers excepted
  std::vector<std::string> cuda_helpers;
};

LinkFindings parse_link_log(std::string_view log, std::string_view kernel);

}  // namespace graft::building
