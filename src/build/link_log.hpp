// What ptxas says of a linked kernel, read from nvJitLink's -verbose log:
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

namespace graft::building {

struct LinkFindings {
  Report::Resources resources;               // of the kernel
  std::vector<std::string> remaining_calls;  // functions left beside it, demangled, CUDA's own helpers excepted
  std::vector<std::string> cuda_helpers;
  // Of the kernel, as its machine code shows them (machine_code.hpp).
  std::uint64_t code_bytes = 0;
  std::uint64_t frame_bytes = 0;  // without those of the functions that it calls
  bool calls_through_pointer = false;
  bool has_recursion = false;
};

// Adds a function that the kernel calls, by its symbol, to one of the two lists; graft's own are left out.
void add_call(LinkFindings& findings, std::string_view symbol);

// `kernel` is its name. Without link-time optimisation the linker's own line, "used 24 registers, ... 16 stack", comes
// last and counts the functions that the kernel calls too.
LinkFindings parse_link_log(std::string_view log, std::string_view kernel);

// The function that a failed link lacks, or nothing: ptxas says "Unresolved extern function 'f'", the linker "Undefined
// reference to 'f' in 'graft_transform_relu'".
std::string undefined_function(std::string_view log);

// What two images define: "four: link error: error: Linking globals named '_Z6helperf': symbol multiply defined!"
struct TwiceDefined {
  std::string symbol;  // empty: the log says nothing of the kind
  std::string image;   // the later of the two, by its name in the link
};
TwiceDefined twice_defined(std::string_view log);

// NVRTC's log of a cubin, apart: the compiler's messages, and ptxas's lines.
struct SplitLog {
  std::string compiler;
  std::string ptxas;
};
SplitLog split_ptxas_log(std::string_view log);

}  // namespace graft::building
