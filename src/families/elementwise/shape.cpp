// Numbers of elements become exponents of two, so that a launch shifts and never divides; each array gets the widest
// word in which a thread can move its share.
#include "families/elementwise/shape.hpp"

#include <bit>

#include "base/format.hpp"
#include "core/fail.hpp"
#include "families/elementwise/policy.hpp"
#include "graft/arrays.hpp"
#include "graft/error.hpp"

namespace graft::elementwise {

static_assert(kMaxInputs == GRAFT_MAX_INPUTS && kMaxOutputs == GRAFT_MAX_OUTPUTS,
              "public headers name the contract's limits");

namespace {

std::uint32_t word_of(std::size_t bytes) {
  std::uint32_t word = GRAFT_WORD_BYTES;
  while (bytes % word != 0) word /= 2;
  return word;
}

std::uint32_t bits(std::uint32_t power_of_two) {
  return static_cast<std::uint32_t>(std::countr_zero(power_of_two));
}

void add_array(LaunchShape& shape, const ElementType& type) {
  LaunchShape::Array& array = shape.arrays[shape.inputs + shape.outputs];
  array.type = type;
  if (!array.is_opaque()) array.word = word_of(std::size_t{type.size} * shape.width);
  shape.words |= array.word - 1;
}

void add_state(LaunchShape& shape, const Signature& signature) {
  const families::ParameterLayout layout = families::lay_out_parameter(signature);
  shape.parameter_bytes = layout.bytes;
  if (!signature.state()) return;
  shape.has_state = true;
  shape.state = *signature.state();
  shape.state_offset = layout.state;
}

}  // namespace

LaunchShape make_shape(const KernelSpec& kernel) {
  const Policy policy = policy_of(kernel);
  LaunchShape shape;
  shape.signature = kernel.signature.text();
  shape.kernel_name = kernel.name;
  shape.width = static_cast<std::uint32_t>(policy.vector_width);
  shape.threads = static_cast<std::uint32_t>(policy.block_threads);
  shape.shared_bytes = static_cast<std::uint32_t>(kernel.shared_bytes);
  shape.programmatic = policy.programmatic_launch;
  shape.has_tiles = policy.body == Body::Vector;
  const auto vectors = static_cast<std::uint32_t>(policy.vectors_per_thread);  // every factor is a power of two
  shape.tile_bits = bits(shape.threads * shape.width * vectors);
  shape.single_tile_bits = bits(GRAFT_BLOCK_THREADS * shape.width);
  shape.single_below = policy.single_below;
  shape.few_tiles = static_cast<std::uint32_t>(policy.few_tiles);
  shape.rest_bits = bits(shape.has_tiles ? shape.threads : shape.threads * vectors);
  for (const ElementType& type : kernel.signature.inputs()) add_array(shape, type), ++shape.inputs;
  for (const ElementType& type : kernel.signature.outputs()) add_array(shape, type), ++shape.outputs;
  while (shape.counting_array < shape.inputs + shape.outputs && shape.arrays[shape.counting_array].is_opaque())
    ++shape.counting_array;
  if (shape.counting_array == shape.inputs + shape.outputs) shape.counting_array = shape.inputs;
  add_state(shape, kernel.signature);
  return shape;
}

}  // namespace graft::elementwise
