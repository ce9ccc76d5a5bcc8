// ELF files as far as graft needs them: sections, the functions that a file defines for others, and a cubin's symbols.
//
// Two kinds arrive: cubins (machine 190), whose flags say the architecture, and host objects of nvcc, whose device code
// is a fatbin in a section of its own. A cubin's flags come in two shapes: up to CUDA 12 (ABI version 7) the low byte
// is the architecture, since CUDA 12.8's Blackwell and CUDA 13 (ABI version 8) the second byte is. Seen with NVRTC 12.9
// to 13.5 and nvcc 13.0.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "format/outcome.hpp"
#include "graft/architecture.hpp"

namespace graft::format {

struct ElfSection {
  std::string_view name;
  std::uint32_t type = 0;
  std::uint32_t link = 0;
  std::span<const std::byte> bytes;  // none for a section that has only a size
};

struct ElfFunction {
  std::string_view name;  // as the linker knows it: "_Z4reluf"
  std::uint64_t size = 0;
  bool is_kernel = false;  // a __global__ function of a cubin
  bool is_weak = false;    // a template's instance, say: a linker keeps one of several
};

struct ElfSymbol {
  std::string_view name;
  std::uint64_t value = 0;  // of a function: its offset in the section
  std::uint64_t size = 0;
  std::uint16_t section = 0;  // 0: not defined here
  bool is_function = false;
  bool is_shared = false;  // global or weak
  bool is_kernel = false;
};

// Views the bytes that it was read from.
struct ElfFile {
  std::uint16_t machine = 0;
  std::uint8_t abi_version = 0;
  std::uint32_t flags = 0;
  bool is_relocatable = false;
  std::vector<ElfSection> sections;
  std::vector<ElfFunction> functions;  // defined here, and global or weak
  std::vector<ElfSymbol> symbols;      // of a cubin: all, by their number; none of other files

  bool is_cubin() const noexcept;
  // Of a cubin. A suffix shows only where the code needs it: NVIDIA's compilers mark few architecture-specific cubins.
  Architecture architecture() const noexcept;
};

bool is_elf(std::span<const std::byte> bytes) noexcept;
// Whether it is a cubin whose header, sections and names lie inside it, with no symbol listed. The driver reads past
// the end of one that is cut or has a damaged section table, and the process ends by a signal (driver 580). The
// sections' contents are the driver's to judge.
bool is_whole_cubin(std::span<const std::byte> bytes);
// Whether it is what the system's loader takes: a shared object for a processor, with nothing listed that lies outside.
bool is_shared_object(std::span<const std::byte> bytes);
// 64-bit little-endian files.
Outcome<ElfFile> read_elf(std::span<const std::byte> bytes);

}  // namespace graft::format
