// The PTX that graft writes for the indirect route: the kernel, and, where the callback brings none, the thunk between
// the block, which knows an element's index, and the callback's own parameters.
//
//     .extern .func (.param .b32 r) relu(.param .b32 a0);            the callback, in PTX or a cubin
//     .func graft_thunk(launch, index) { ... call relu ... }
//     .entry graft_transform_relu(p) { ... call graft_indirect(&p, &graft_thunk) ... }
//
// How compilers pass parameters in PTX is fixed: integers up to 4 bytes as .b32, 8-byte ones and references as .b64,
// float and double as .b32 and .b64, and everything else, half included, as an array of bytes with its alignment.
// __half2 and __nv_bfloat162 go by the address of a copy, and are returned through an address in front of the
// parameters; but the function between the two programs of separate_program.hpp takes and gives their bytes.
//
// Pure: text out, for golden tests.
#pragma once

#include <string>
#include <string_view>

#include "graft/signature.hpp"

namespace graft::elementwise {

struct IndirectKernel {
  std::string name;
  Signature signature;
  int max_registers = 0;
  std::string callback;  // the symbol that the thunk calls; empty: the linked images define graft_element
};

std::string indirect_ptx(const IndirectKernel& kernel);

// PTX of a newer version said to be of the oldest that has what graft's own PTX uses, so that older drivers take it.
std::string as_oldest_version(std::string_view ptx);

}  // namespace graft::elementwise
