// Arrays of graft::Bit in graft apply. In a .npy file such an array has one bool for each element, but execute takes
// 32-bit words with one bit for each element. Before a run, the bools are packed into words, and afterwards the words
// of outputs are unpacked.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "cli/arrays/array_run.hpp"
#include "graft/element.hpp"
#include "graft/signature.hpp"

namespace graft::cli {

// Returns the size of an array of `count` elements as execute takes it, in bytes.
std::size_t bytes_in_memory(const ElementType& type, std::uint64_t count);

class PackedBits {
 public:
  // Packs the arrays of `run` whose elements are bits. `run` must outlive this object.
  PackedBits(const Signature& signature, const ArrayRun& run);

  // The run with words in place of the bools.
  const ArrayRun& packed() const noexcept { return packed_; }

  // Writes the bits of the outputs to the bools of the original run.
  void unpack() const;

 private:
  std::uint32_t* pack(const std::byte* bools);

  const ArrayRun& run_;
  ArrayRun packed_;
  std::vector<std::size_t> outputs_;  // the outputs that are packed
  std::vector<std::vector<std::uint32_t>> words_;
};

}  // namespace graft::cli
