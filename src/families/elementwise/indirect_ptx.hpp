// Writes the PTX of the indirect route: a kernel, and a thunk through which the kernel calls the callback. The prebuilt
// building block knows only an element's index; the thunk loads that element of each input, calls the callback, and
// stores the outputs. If the adapter of a source callback already defines such a thunk under the name graft_element,
// only the kernel is written.
//
//     .extern .func (.param .b32 r) relu(.param .b32 a0);            the callback, in PTX or a cubin
//     .func graft_thunk(launch, index) { ... call relu ... }
//     .entry graft_transform_relu(p) { ... call graft_indirect(&p, &graft_thunk) ... }
//
// The calling convention of functions in PTX is fixed: integers up to 4 bytes are passed as .b32, 8-byte integers and
// references as .b64, float and double as .b32 and .b64, and everything else, half included, as an array of bytes with
// its alignment. __half2 and __nv_bfloat162 are passed as the address of a copy, and returned through an address in
// front of the parameters. graft_entry, the function between the two programs of codegen/separate_program.hpp, is an
// exception: it passes and returns the bytes of these two types.
//
// In a kernel for arrays of any shape, the building block is graft_indirect_views, and the thunk gets the places of the
// element in place of computing them from the index.
//
// All functions are pure and return text, so tests compare their results with golden files.
#pragma once

#include <string>
#include <string_view>

#include "graft/signature.hpp"

namespace graft::elementwise {

struct IndirectKernel {
  std::string name;
  Signature signature;
  int max_registers = 0;
  // The symbol that the thunk calls. If it is empty, no thunk is written, because graft_element is defined elsewhere.
  std::string callback;
  bool is_for_views = false;  // needs `callback`
};

std::string indirect_ptx(const IndirectKernel& kernel);

// Lowers the .version of graft's own PTX to the oldest PTX version that has all instructions of this PTX, so that older
// drivers accept it.
std::string as_oldest_version(std::string_view ptx);

}  // namespace graft::elementwise
