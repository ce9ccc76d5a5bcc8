// What a cubin says about its functions: their frames, who calls whom, and the parameters of those that others may
// call.
//
//     .nv.info        records: u8 format, u8 attribute, u16 size or value. With attribute 0x11: u32 symbol, u32 bytes
//                     of the function's frame; with 0x12: u32 symbol of a kernel, u32 bytes of stack for the kernel and
//                     all that it calls (~0: unknown)
//     .nv.prototype   u32 symbol, u32 offset of "#ib12l" among the symbols' names: result and parameters. v is none; i
//                     and l have 32 and 64 bits; f and d have too, and were declared as .f32 and .f64; b12 has 12 bytes
//     .nv.callgraph   u32 caller, u32 callee: calls between sections
//     .text.NAME      instructions of 16 bytes, a function's own helpers behind it; the low 12 bits are the operation
//
// NVIDIA documents none of it. Seen with ptxas of CUDA 12.4, 12.9 and 13.0, calls for sm_75, 80, 86, 89, 90, 100, 103,
// 120 and 121. What has another shape is left out: a cubin that cannot be read says nothing.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "format/elf.hpp"
#include "format/ptx.hpp"

namespace graft::format {

struct CubinFunction {
  // Of a helper "$__internal_0_$__cuda_sm20_div_rn_f64_full", of a function within a kernel "$kernel$_Z1fi".
  std::string_view name;
  std::uint64_t code_bytes = 0;
  bool is_kernel = false;
  std::uint64_t frame_bytes = 0;
  std::optional<std::uint64_t> stack_bytes;  // of a kernel, with what it calls; none where that cannot be known
};

// Views the bytes that the file was read from.
struct Cubin {
  std::vector<CubinFunction> functions;  // defined here, with those that no other file sees
  std::vector<PtxFunction> prototypes;   // sizes only: their alignments are 1
  bool calls_through_pointer = false;
  bool has_recursion = false;

  const CubinFunction* find(std::string_view name) const noexcept;
};

Cubin read_cubin(const ElfFile& file);

}  // namespace graft::format
