#include "launch/shape.hpp"

#include <algorithm>
#include <bit>

namespace graft::launch {
namespace {

std::uint32_t round_up(std::uint32_t value, std::uint32_t alignment) {
  return (value + alignment - 1) / alignment * alignment;
}

std::uint32_t word_of(std::size_t bytes) {
  std::uint32_t word = GRAFT_WORD_BYTES;
  while (bytes % word != 0) word /= 2;
  return word;
}

void add_array(LaunchShape& shape, const ElementType& type) {
  const std::uint32_t word = word_of(std::size_t{type.size} * shape.vector_width);
  shape.arrays[shape.inputs + shape.outputs] = {type, word};
  shape.words |= word - 1;
}

// As a compiler lays out the adapter's Parameters<>.
void lay_out_parameter(LaunchShape& shape, const Signature& signature) {
  std::uint32_t alignment = alignof(graft_launch);
  shape.parameter_bytes =
      std::uint32_t{sizeof(graft_launch)} + (shape.inputs + shape.outputs) * std::uint32_t{sizeof(void*)};
  if (signature.state()) {
    shape.has_state = true;
    shape.state = *signature.state();
    alignment = std::max(alignment, shape.state.alignment);
    shape.state_offset = round_up(shape.parameter_bytes, shape.state.alignment);
    shape.parameter_bytes = shape.state_offset + shape.state.size;
  }
  shape.parameter_bytes = round_up(shape.parameter_bytes, alignment);
}

}  // namespace

LaunchShape make_shape(const Report& report) {
  LaunchShape shape;
  shape.signature = report.signature.text();
  shape.kernel_name = report.kernel_name;
  shape.vector_width = static_cast<std::uint32_t>(report.vector_width);
  const auto tile = GRAFT_BLOCK_THREADS * shape.vector_width * static_cast<std::uint32_t>(report.vectors_per_thread);
  shape.tile_bits = static_cast<std::uint32_t>(std::countr_zero(tile));  // every factor is a power of two
  for (const ElementType& type : report.signature.inputs()) add_array(shape, type), ++shape.inputs;
  for (const ElementType& type : report.signature.outputs()) add_array(shape, type), ++shape.outputs;
  lay_out_parameter(shape, report.signature);
  return shape;
}

}  // namespace graft::launch
