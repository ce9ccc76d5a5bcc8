// Packs bools into words and unpacks them, the lowest bit of a word first.
#include "cli/arrays/packed_bits.hpp"

namespace graft::cli {
namespace {

constexpr std::uint64_t kBitsPerWord = 32;

std::size_t words_for(std::uint64_t count) {
  return static_cast<std::size_t>((count + kBitsPerWord - 1) / kBitsPerWord);
}

}  // namespace

std::size_t bytes_in_memory(const ElementType& type, std::uint64_t count) {
  if (type.kind == ElementKind::Bit) return words_for(count) * sizeof(std::uint32_t);
  return static_cast<std::size_t>(count) * type.size;
}

PackedBits::PackedBits(const Signature& signature, const ArrayRun& run) : run_(run), packed_(run) {
  for (std::size_t i = 0; i < run.inputs.size(); ++i)
    if (signature.inputs()[i].kind == ElementKind::Bit)
      packed_.inputs[i] = reinterpret_cast<const std::byte*>(pack(run.inputs[i]));
  for (std::size_t i = 0; i < run.outputs.size(); ++i) {
    if (signature.outputs()[i].kind != ElementKind::Bit) continue;
    packed_.outputs[i] = reinterpret_cast<std::byte*>(pack(run.outputs[i]));
    outputs_.push_back(i);
  }
}

std::uint32_t* PackedBits::pack(const std::byte* bools) {
  std::vector<std::uint32_t>& words = words_.emplace_back(words_for(run_.count));
  for (std::uint64_t i = 0; i < run_.count; ++i)
    if (bools[i] != std::byte{0}) words[i / kBitsPerWord] |= std::uint32_t{1} << (i % kBitsPerWord);
  return words.data();
}

void PackedBits::unpack() const {
  for (const std::size_t output : outputs_) {
    const auto* const words = reinterpret_cast<const std::uint32_t*>(packed_.outputs[output]);
    for (std::uint64_t i = 0; i < run_.count; ++i)
      run_.outputs[output][i] = static_cast<std::byte>(words[i / kBitsPerWord] >> (i % kBitsPerWord) & 1);
  }
}

}  // namespace graft::cli
