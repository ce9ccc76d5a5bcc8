// Reads the properties of a linked kernel that ptxas writes into nvJitLink's -verbose log:
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
  Report::Resources resources;  // the kernel's registers, stack and other resources
  // Names of functions that were not inlined, demangled. CUDA's helpers are in cuda_helpers.
  std::vector<std::string> remaining_calls;
  std::vector<std::string> cuda_helpers;
  // From the kernel's machine code (machine_code.hpp):
  std::uint64_t code_bytes = 0;
  // The kernel's local memory in bytes, without the local memory of the functions that it calls.
  std::uint64_t frame_bytes = 0;
  bool calls_through_pointer = false;
  bool has_recursion = false;
};

// Adds the function `symbol`, which the kernel calls, to remaining_calls or to cuda_helpers. Adds nothing if `symbol`
// is one of graft's own functions.
void add_call(LinkFindings& findings, std::string_view symbol);

// Reads a link's log for the kernel with the name `kernel`. In a link without link-time optimisation, the linker adds a
// line of its own at the end ("used 24 registers, ... 16 stack"). That line includes the functions that the kernel
// calls, so its numbers replace the earlier ones.
LinkFindings parse_link_log(std::string_view log, std::string_view kernel);

// A symbol that two inputs of a link define. The log says: "four: link error: error: Linking globals named
// '_Z6helperf': symbol multiply defined!"
struct TwiceDefined {
  std::string symbol;  // empty if the log reports no such symbol
  std::string image;   // the second of the two inputs, by its name in the link: "four"
};
TwiceDefined twice_defined(std::string_view log);

}  // namespace graft::link
