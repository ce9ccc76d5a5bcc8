// Reads what ptxas says of a linked kernel from nvJitLink's -verbose log:
//
//     ptxas info    : Compiling entry function 'graft_transform_relu' for 'sm_90'
//     ptxas info    : Function properties for graft_transform_relu
//     ptxas         .     0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
//     ptxas info    : Used 18 registers, used 0 barriers
//     ptxas info    : Function properties for _Z4reluf          <- a function that is still called
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "graft/report.hpp"

namespace graft::link {

struct LinkFindings {
  Report::Resources resources;               // of the kernel
  std::vector<std::string> remaining_calls;  // functions that were not inlined, demangled, without CUDA's helpers
  std::vector<std::string> cuda_helpers;
  // From the kernel's machine code (machine_code.hpp):
  std::uint64_t code_bytes = 0;
  std::uint64_t frame_bytes = 0;  // local memory, without that of the functions that the kernel calls
  bool calls_through_pointer = false;
  bool has_recursion = false;
};

// Adds the function `symbol`, which the kernel calls, to remaining_calls or to cuda_helpers; leaves out graft's own.
void add_call(LinkFindings& findings, std::string_view symbol);

// `kernel` is the kernel's name. In a link without link-time optimisation, the linker's own line ("used 24 registers,
// ... 16 stack") comes last; it includes the functions that the kernel calls, and its numbers are taken.
LinkFindings parse_link_log(std::string_view log, std::string_view kernel);

// A symbol that two inputs of a link define: "four: link error: error: Linking globals named '_Z6helperf': symbol
// multiply defined!"
struct TwiceDefined {
  std::string symbol;  // empty: the log names none
  std::string image;   // the second of the two inputs, by its name in the link
};
TwiceDefined twice_defined(std::string_view log);

}  // namespace graft::link
