// Bytes that begin like a cubin, for tests of what is kept of one and never loaded.
#pragma once

#include <elf.h>

#include <cstring>
#include <span>

#include "base/bytes.hpp"

namespace graft::test {

// An ELF header for NVIDIA's GPUs, and `size` bytes of zeros behind it.
inline base::Bytes cubin(std::size_t size) {
  Elf64_Ehdr header = {};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = ELFCLASS64;
  header.e_ident[EI_DATA] = ELFDATA2LSB;
  header.e_machine = EM_CUDA;
  base::Bytes bytes(sizeof header + size);
  std::memcpy(bytes.data(), &header, sizeof header);
  return bytes;
}

}  // namespace graft::test
