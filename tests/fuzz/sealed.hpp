// No fuzzer guesses a hash: a file that ends in its checksum is read as it came, and once more with the right one
// behind it.
#pragma once

#include <cstddef>
#include <span>

#include "base/hash.hpp"
#include "base/little_endian.hpp"

namespace graft::fuzz {

inline base::Bytes sealed(std::span<const std::byte> file) {
  base::LittleEndianWriter writer;
  writer.bytes(file);
  const base::Hash128 sum = base::hash(base::as_text(file));
  writer.u64(sum.low);
  writer.u64(sum.high);
  return writer.take();
}

}  // namespace graft::fuzz
