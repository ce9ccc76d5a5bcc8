// The size of a kernel's machine code, by which tests compare kernels.
#pragma once

#include <cstdint>

#include "format/cubin.hpp"
#include "format/elf.hpp"
#include "graft/image.hpp"

namespace graft::test {

// Of all functions of the image.
inline std::uint64_t code_bytes(const Image& image) {
  const auto elf = format::read_elf(image.bytes());
  std::uint64_t sum = 0;
  for (const format::CubinFunction& function : format::read_cubin(*elf).functions) sum += function.code_bytes;
  return sum;
}

}  // namespace graft::test
