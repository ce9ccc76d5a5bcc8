// Reads the parts of an ELF file that graft needs: its sections, the functions that it defines for other files, and the
// symbols of a cubin.
//
// graft reads two kinds of ELF files: cubins (machine 190), whose flags contain the architecture, and nvcc's host
// objects, which contain the device code as a fatbin in a section. The flags of a cubin have one of two layouts. With
// ABI version 7 (up to CUDA 12) the lowest byte is the architecture. With ABI version 8 (for Blackwell since CUDA 12.8,
// for all architectures in CUDA 13) the second lowest byte is the architecture. The layouts were seen in the output of
// NVRTC 12.9 to 13.5 and nvcc 13.0.
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
  std::uint64_t size = 0;            // in memory
  std::span<const std::byte> bytes;  // empty for a section without bytes in the file, such as .bss
};

struct ElfFunction {
  std::string_view name;  // the symbol: "_Z4reluf"
  std::uint64_t size = 0;
  bool is_kernel = false;  // a __global__ function of a cubin
  bool is_weak = false;  // several files may define it, and the linker keeps one definition, as of a template instance
};

struct ElfSymbol {
  std::string_view name;
  std::uint64_t value = 0;  // st_value: for a function, its offset in its section
  std::uint64_t size = 0;
  std::uint16_t section = 0;  // the index of the section; 0 if another file defines the symbol
  bool is_function = false;
  bool is_shared = false;  // has global or weak binding
  bool is_kernel = false;
};

// All names and spans are views into the bytes passed to read_elf.
struct ElfFile {
  std::uint16_t machine = 0;
  std::uint8_t abi_version = 0;
  std::uint32_t flags = 0;
  bool is_relocatable = false;
  std::vector<ElfSection> sections;
  std::vector<ElfFunction> functions;  // the functions that this file defines with global or weak binding
  std::vector<ElfSymbol> symbols;      // for a cubin, all symbols, indexed by symbol number; otherwise empty

  bool is_cubin() const noexcept;
  // Call for a cubin only. The suffix 'a' may be missing: when NVIDIA's compilers build for sm_90a, for example, they
  // mark the cubin only if its code needs the suffix.
  Architecture architecture() const noexcept;
};

bool is_elf(std::span<const std::byte> bytes) noexcept;
// Whether this is a cubin whose header, section table, sections and section name table lie inside the file. Does not
// check the symbols and the contents of sections. Call this function before passing a cubin from a file to the driver:
// driver 580 reads past the end of a file that is truncated or has a damaged section table, and the process dies of
// SIGSEGV.
bool is_whole_cubin(std::span<const std::byte> bytes);
// Whether this is a shared object for the host, the kind of file that dlopen loads, and its section table and sections
// lie inside the file.
bool is_shared_object(std::span<const std::byte> bytes);
// Returns an error with Flaw::Unfit if the file is not 64-bit or not little-endian.
Outcome<ElfFile> read_elf(std::span<const std::byte> bytes);

}  // namespace graft::format
