// Bytes that start like a cubin, for tests that store and copy kernels but never load one.
#pragma once

#include <elf.h>

#include <cstring>
#include <span>

#include "base/bytes.hpp"

namespace graft::test {

// Returns an ELF header for NVIDIA's GPUs, followed by `size` bytes of zeros.
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
