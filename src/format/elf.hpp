// Reads what graft needs of an ELF file: its sections, the functions that it defines for other files, and a cubin's
// symbols.
//
// graft meets two kinds of ELF files: cubins (machine 190), whose flags contain the architecture, and nvcc's host
// objects, which have the device code as a fatbin in a section. A cubin's flags have one of two layouts: with ABI
// version 7 (up to CUDA 12) the lowest byte is the architecture, with ABI version 8 (Blackwell since CUDA 12.8, all
// architectures in CUDA 13) the second lowest byte is. Seen with NVRTC 12.9 to 13.5 and nvcc 13.0.
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
  std::span<const std::byte> bytes;  // empty for a section without bytes in the file, such as .bss
};

struct ElfFunction {
  std::string_view name;  // the symbol: "_Z4reluf"
  std::uint64_t size = 0;
  bool is_kernel = false;  // a __global__ function of a cubin
  bool is_weak = false;    // for example a template instance: the linker keeps one of several definitions
};

struct ElfSymbol {
  std::string_view name;
  std::uint64_t value = 0;  // for a function its offset in the section
  std::uint64_t size = 0;
  std::uint16_t section = 0;  // 0: defined in another file
  bool is_function = false;
  bool is_shared = false;  // has global or weak binding
  bool is_kernel = false;
};

// All names and spans view the bytes that were read.
struct ElfFile {
  std::uint16_t machine = 0;
  std::uint8_t abi_version = 0;
  std::uint32_t flags = 0;
  bool is_relocatable = false;
  std::vector<ElfSection> sections;
  std::vector<ElfFunction> functions;  // those that this file defines with global or weak binding
  std::vector<ElfSymbol> symbols;      // of a cubin all, indexed by symbol number; empty for other files

  bool is_cubin() const noexcept;
  // Call for a cubin only. The suffix 'a' may be missing: NVIDIA's compilers mark few architecture-specific cubins,
  // only those whose code needs the suffix.
  Architecture architecture() const noexcept;
};

bool is_elf(std::span<const std::byte> bytes) noexcept;
// Whether this is a cubin whose header, section table, sections and section name table lie inside the file. Call it
// before a cubin from a file goes to the driver: driver 580 reads past the end of a truncated file or one with a
// damaged section table, and the process dies by SIGSEGV. Symbols and section contents are not checked.
bool is_whole_cubin(std::span<const std::byte> bytes);
// Whether this is a host shared object, for dlopen, whose section table and sections lie inside the file.
bool is_shared_object(std::span<const std::byte> bytes);
// Flaw::Unfit unless the file is 64-bit and little-endian.
Outcome<ElfFile> read_elf(std::span<const std::byte> bytes);

}  // namespace graft::format
