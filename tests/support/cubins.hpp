// Small cubins, for tests that store, copy and check kernels but never load one.
#pragma once

#include <elf.h>

#include <cstring>
#include <initializer_list>
#include <string>

#include "base/bytes.hpp"
#include "graft/kernel_spec.hpp"
#include "support/reports.hpp"

namespace graft::test {

template <class T>
void append(base::Bytes& bytes, const T& value) {
  const auto* const begin = reinterpret_cast<const std::byte*>(&value);
  bytes.insert(bytes.end(), begin, begin + sizeof value);
}

inline Elf64_Ehdr cubin_header(Architecture architecture) {
  Elf64_Ehdr header = {};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = ELFCLASS64;
  header.e_ident[EI_DATA] = ELFDATA2LSB;
  header.e_type = ET_EXEC;
  header.e_machine = EM_CUDA;
  header.e_flags = static_cast<std::uint32_t>(architecture.number);  // as up to ABI version 7
  return header;
}

// Returns a linked cubin without code, followed by `size` bytes of zeros. It has a section table, and a symbol table
// with the kernel's symbol.
inline base::Bytes cubin(std::size_t size, const KernelSpec& kernel = full_report().kernel) {
  constexpr unsigned char kIsKernel = 0x10;
  const std::string names = std::string(1, '\0') + kernel.name + '\0';
  const Elf64_Sym none = {};
  Elf64_Sym symbol = {};
  symbol.st_name = 1;
  symbol.st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC);
  symbol.st_other = kIsKernel;
  symbol.st_shndx = 1;

  Elf64_Ehdr header = cubin_header(kernel.architecture);
  Elf64_Shdr first = {}, symbols = {}, texts = {};
  header.e_shoff = sizeof header;
  header.e_shentsize = sizeof first;
  header.e_shnum = 3;
  header.e_shstrndx = 2;
  symbols.sh_type = SHT_SYMTAB;
  symbols.sh_link = 2;
  symbols.sh_offset = sizeof header + 3 * sizeof first;
  symbols.sh_size = 2 * sizeof symbol;
  texts.sh_type = SHT_STRTAB;
  texts.sh_offset = symbols.sh_offset + symbols.sh_size;
  texts.sh_size = names.size();

  base::Bytes bytes;
  append(bytes, header);
  for (const Elf64_Shdr& section : {first, symbols, texts}) append(bytes, section);
  append(bytes, none);
  append(bytes, symbol);
  for (const char c : names) bytes.push_back(static_cast<std::byte>(c));
  bytes.resize(bytes.size() + size);
  return bytes;
}

// Returns an ELF header for NVIDIA's GPUs and no more, which no kernel has.
inline base::Bytes lone_header(Architecture architecture = {}) {
  Elf64_Ehdr header = cubin_header(architecture);
  if (architecture == Architecture()) header.e_type = ET_NONE;
  base::Bytes bytes;
  append(bytes, header);
  return bytes;
}

}  // namespace graft::test
