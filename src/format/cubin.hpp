// Reads from a cubin the facts about its functions: stack frames, the calls between functions, and the prototypes of
// the functions that other files may call.
//
//     .nv.info        records: u8 format, u8 attribute, u16 size or value. Attribute 0x11 is followed by u32 symbol and
//                     u32 bytes of the function's frame. Attribute 0x12 is followed by u32 symbol of a kernel and u32
//                     bytes of stack for the kernel and everything that it calls (~0 means unknown).
//     .nv.info.NAME   records of the same form about the function NAME. Attribute 0x46 is followed by a list of u32:
//                     the places in .text.NAME of the calls of the driver's functions (printf, assert, malloc, free).
//                     Attribute 0x17 is a parameter of a kernel: u32 zero, u16 number of the parameter, u16 offset,
//                     u32 whose upper 14 bits are the parameter's bytes.
//     .nv.prototype   pairs: u32 symbol, u32 offset of a text such as "#ib12l" in the symbols' string table. The text
//                     has one code for the result and one for each parameter: v is void, i has 32 bits, l has 64 bits,
//                     f is .f32, d is .f64, b12 has 12 bytes.
//     .nv.shared.NAME the shared memory that the code of the kernel NAME declares: a section that has a size and no
//                     bytes. From sm_90 on, its first 1024 bytes are those that the system takes of each thread block
//     .nv.callgraph   pairs: u32 caller, u32 callee, for calls from one section to another
//     .text.NAME      the 16-byte instructions of a function, then those of its helpers; the low 9 bits of an
//                     instruction are its operation, and the 3 bits above them are the kind of its operand. Of a
//                     conversion, bits 75 and 76 are the size of the result (3: 64 bits), and bits 84 and 85 that of
//                     the operand
//
// NVIDIA does not document these sections. The description is from cubins of ptxas 12.4, 12.9 and 13.0, for calls from
// cubins for sm_75, 80, 86, 89, 90, 100, 103, 120 and 121, and for arithmetic from cubins for sm_75, 80, 90, 100 and
// 120 (nvdisasm -hex). The sizes of shared memory are from linked cubins for sm_75, 80, 90, 100 and 120. The reader
// skips records of any other form without an error, so it finds fewer facts in a cubin of an unknown form.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "format/elf.hpp"
#include "format/ptx.hpp"

namespace graft::format {

struct CubinFunction {
  // The symbol. A helper of ptxas has a symbol like "$__internal_0_$__cuda_sm20_div_rn_f64_full". A function that ptxas
  // placed inside the code of the kernel `kernel` has a symbol like "$kernel$_Z1fi".
  std::string_view name;
  std::uint64_t code_bytes = 0;
  bool is_kernel = false;
  std::uint64_t frame_bytes = 0;
  std::uint32_t registers = 0;  // 0 if the file does not say it
  // For a kernel, the shared memory of a thread block that its code declares, without the dynamic one of a launch.
  std::uint64_t shared_bytes = 0;
  // For a kernel, the stack of the kernel and of everything that it calls. Nothing for other functions and when
  // unknown.
  std::optional<std::uint64_t> stack_bytes;
  // The bytes of a kernel's parameters, and where each begins. Nothing if the file does not list each of them.
  std::optional<std::vector<std::uint64_t>> parameters = {};
  std::vector<std::uint64_t> offsets = {};
};

// All names are views into the bytes that the ElfFile was read from.
struct Cubin {
  std::vector<CubinFunction> functions;  // all functions that this file defines, also local functions
  std::vector<PtxFunction> prototypes;   // the parameters' sizes are known; their alignments are not, and are set to 1
  // Calls of the driver's functions go through an address too, which the driver writes when it loads the code. They do
  // not count.
  bool calls_through_pointer = false;
  bool has_recursion = false;
  // Whether the code converts numbers of at most 32 bits to double, and has arithmetic of doubles. The conversion shows
  // that somebody asked for it: the slow path of sinf multiplies doubles too, which it makes of a 64-bit integer.
  bool widens_to_double = false;

  const CubinFunction* find(std::string_view name) const noexcept;
};

// Returns an empty Cubin for an ELF file that is not a cubin.
Cubin read_cubin(const ElfFile& file);

}  // namespace graft::format
