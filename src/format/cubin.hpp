// Reads what a cubin says about its functions: their stack frames, the calls between them, and the prototypes of the
// functions that other files may call.
//
//     .nv.info        records: u8 format, u8 attribute, u16 size or value. Attribute 0x11 is followed by u32 symbol and
//                     u32 bytes of the function's frame; 0x12 by u32 symbol of a kernel and u32 bytes of stack for the
//                     kernel and everything that it calls (~0: unknown)
//     .nv.prototype   u32 symbol, u32 offset of a text like "#ib12l" in the symbols' string table: the result, then the
//                     parameters. v is void; i and l have 32 and 64 bits; f and d too, declared as .f32 and .f64; b12
//                     has 12 bytes
//     .nv.callgraph   u32 caller, u32 callee: calls between sections
//     .text.NAME      16-byte instructions of a function, then its helpers; the low 12 bits are the operation
//
// NVIDIA documents none of this. Seen with ptxas of CUDA 12.4, 12.9 and 13.0, calls for sm_75, 80, 86, 89, 90, 100,
// 103, 120 and 121. The reader skips what does not have this form and reports no error: an unknown cubin gives fewer
// facts.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "format/elf.hpp"
#include "format/ptx.hpp"

namespace graft::format {

struct CubinFunction {
  // The symbol. A helper's is like "$__internal_0_$__cuda_sm20_div_rn_f64_full", and that of a function which ptxas
  // placed inside a kernel's code like "$kernel$_Z1fi".
  std::string_view name;
  std::uint64_t code_bytes = 0;
  bool is_kernel = false;
  std::uint64_t frame_bytes = 0;
  std::optional<std::uint64_t> stack_bytes;  // of a kernel and everything that it calls; nothing when unknown
};

// All names view the bytes that the ElfFile was read from.
struct Cubin {
  std::vector<CubinFunction> functions;  // all that this file defines, local ones too
  std::vector<PtxFunction> prototypes;   // parameters have their sizes; the alignments are unknown and set to 1
  bool calls_through_pointer = false;
  bool has_recursion = false;

  const CubinFunction* find(std::string_view name) const noexcept;
};

// Empty for an ELF file that is not a cubin.
Cubin read_cubin(const ElfFile& file);

}  // namespace graft::format
