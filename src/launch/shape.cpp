#include "launch/shape.hpp"

#include <bit>

#include "base/format.hpp"
#include "core/fail.hpp"
#include "graft/error.hpp"
#include "plan/parameter_layout.hpp"

namespace graft::launch {
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
  if (!array.is_opaque()) array.word = word_of(std::size_t{type.size} * shape.vector_width);
  shape.words |= array.word - 1;
}

void add_state(LaunchShape& shape, const Signature& signature) {
  const plan::ParameterLayout layout = plan::lay_out_parameter(signature);
  shape.parameter_bytes = layout.bytes;
  if (!signature.state()) return;
  shape.has_state = true;
  shape.state = *signature.state();
  shape.state_offset = layout.state_offset;
}

// What follows fills tables of fixed size, and takes logarithms.
void require_possible(const Report& report) {
  const std::string why = format::objection_to(report);
  if (!why.empty())
    fail(ErrorCode::ImageRefused, base::format("{} is no kernel that graft made: {}", report.kernel_name, why),
         "Give an image as graft::build made it.");
}

}  // namespace

LaunchShape make_shape(const Report& report) {
  require_possible(report);
  LaunchShape shape;
  shape.signature = report.signature.text();
  shape.kernel_name = report.kernel_name;
  const Tuning& tuning = report.tuning;
  shape.vector_width = static_cast<std::uint32_t>(tuning.vector_width);
  shape.threads = static_cast<std::uint32_t>(tuning.block_threads);
  shape.programmatic = tuning.programmatic_launch;
  shape.has_tiles = tuning.body == Body::Vector;
  const auto vectors = static_cast<std::uint32_t>(tuning.vectors_per_thread);  // every factor is a power of two
  shape.tile_bits = bits(shape.threads * shape.vector_width * vectors);
  shape.single_tile_bits = bits(GRAFT_BLOCK_THREADS * shape.vector_width);
  shape.single_below = tuning.single_below;
  shape.few_tiles = static_cast<std::uint32_t>(tuning.few_tiles);
  shape.rest_bits = bits(shape.has_tiles ? shape.threads : shape.threads * vectors);
  for (const ElementType& type : report.signature.inputs()) add_array(shape, type), ++shape.inputs;
  for (const ElementType& type : report.signature.outputs()) add_array(shape, type), ++shape.outputs;
  while (shape.counting_array < shape.inputs + shape.outputs && shape.arrays[shape.counting_array].is_opaque())
    ++shape.counting_array;
  if (shape.counting_array == shape.inputs + shape.outputs) shape.counting_array = shape.inputs;
  add_state(shape, report.signature);
  return shape;
}

}  // namespace graft::launch
