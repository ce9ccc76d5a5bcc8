// Stores the tuning's sizes (elements per vector, per thread and per tile, which are all powers of two) as exponents,
// so that a launch divides by shifting bits. Chooses for each array the widest word in which a thread can move its
// elements, and the number of thread blocks of each launch.
#include "families/elementwise/launch_geometry.hpp"

#include <algorithm>
#include <bit>

#include "base/format.hpp"
#include "core/fail.hpp"
#include "families/elementwise/policy.hpp"
#include "graft/arrays.hpp"
#include "graft/error.hpp"

namespace graft::elementwise {

static_assert(kMaxInputs == GRAFT_MAX_INPUTS && kMaxOutputs == GRAFT_MAX_OUTPUTS,
              "the public headers and contract.h have the same limits");

namespace {

std::uint32_t word_of(std::size_t bytes) {
  std::uint32_t word = GRAFT_WORD_BYTES;
  while (bytes % word != 0) word /= 2;
  return word;
}

std::uint32_t bits(std::uint32_t power_of_two) {
  return static_cast<std::uint32_t>(std::countr_zero(power_of_two));
}

void add_array(LaunchGeometry& geometry, const ElementType& type, bool is_output) {
  LaunchGeometry::Array& array = geometry.arrays[geometry.inputs + geometry.outputs];
  array.type = type;
  array.alignment = array.has_bits() ? GRAFT_BITS_PER_WORD / 8 : type.alignment;
  if (array.has_bits()) {
    geometry.has_bits = true;
    geometry.has_output_bits = geometry.has_output_bits || is_output;
  } else if (!array.is_opaque()) {
    array.word = word_of(std::size_t{type.size} * geometry.width);
  }
  geometry.words |= array.word - 1;
}

void add_state(LaunchGeometry& geometry, const Signature& signature) {
  const ParameterLayout layout = lay_out_parameter(signature);
  geometry.parameter_bytes = layout.bytes;
  geometry.dividers_offset = layout.dividers;
  geometry.coordinates = signature.coordinates();
  geometry.has_baked_state = std::ranges::any_of(
      signature.parameters(), [](const Parameter& parameter) { return parameter.role == Role::Baked; });
  if (!signature.state()) return;
  geometry.has_state = true;
  geometry.state = *signature.state();
  geometry.state_offset = layout.state;
}

// Returns how many thread blocks are needed if each handles 2^bits elements.
std::size_t blocks_for(std::size_t elements, unsigned bits) {
  const std::size_t part = elements & ((std::size_t{1} << bits) - 1);
  return (elements >> bits) + (part != 0 ? 1 : 0);
}

}  // namespace

LaunchGeometry make_geometry(const KernelSpec& kernel) {
  const Policy policy = policy_of(kernel);
  LaunchGeometry geometry;
  geometry.signature = kernel.signature.text();
  geometry.kernel_name = kernel.name;
  geometry.width = static_cast<std::uint32_t>(policy.vector_width);
  geometry.threads = static_cast<std::uint32_t>(policy.block_threads);
  geometry.shared_bytes = static_cast<std::uint32_t>(kernel.shared_bytes);
  geometry.programmatic = policy.programmatic_launch;
  geometry.has_tiles = policy.body == Body::Vector;
  // The number of vectors per thread is a power of two, as the vector width and the number of threads are.
  const auto vectors = static_cast<std::uint32_t>(policy.vectors_per_thread);
  geometry.tile_bits = bits(geometry.threads * geometry.width * vectors);
  geometry.single_tile_bits = bits(GRAFT_BLOCK_THREADS * geometry.width);
  geometry.single_below = policy.single_below;
  geometry.few_tiles = static_cast<std::uint32_t>(policy.few_tiles);
  geometry.rest_bits = bits(geometry.has_tiles ? geometry.threads : geometry.threads * vectors);
  for (const ElementType& type : kernel.signature.inputs()) add_array(geometry, type, false), ++geometry.inputs;
  for (const ElementType& type : kernel.signature.outputs()) add_array(geometry, type, true), ++geometry.outputs;
  for (const std::size_t output : kernel.signature.in_outs())
    geometry.in_outs.at(geometry.in_out_count++) = static_cast<std::uint8_t>(output);
  while (geometry.counting_array < geometry.inputs + geometry.outputs &&
         geometry.arrays[geometry.counting_array].is_opaque())
    ++geometry.counting_array;
  if (geometry.counting_array == geometry.inputs + geometry.outputs)
    geometry.counting_array = geometry.outputs > 0 ? geometry.inputs : 0;
  geometry.has_index = kernel.signature.takes_index() || kernel.signature.coordinates() > 0 ||
                       std::ranges::any_of(geometry.arrays, &LaunchGeometry::Array::is_opaque);
  add_state(geometry, kernel.signature);
  return geometry;
}

Division divide(const LaunchGeometry& geometry, std::size_t count, const FirstTile& first) {
  const bool single = count < geometry.single_below;
  const unsigned tile_bits = single ? geometry.single_tile_bits : geometry.tile_bits;
  const std::size_t around = first.differently_aligned ? first.head + std::size_t{GRAFT_ALIGNMENT_MARGIN} : first.head;
  const bool tiled = geometry.has_tiles && first.exists && count > around;
  std::size_t tiles = tiled ? (count - around) >> tile_bits : 0;
  if (tiles <= geometry.few_tiles) tiles = 0;
  constexpr unsigned kSingleRestBits = std::countr_zero(unsigned{GRAFT_BLOCK_THREADS});
  const std::size_t rest = blocks_for(count - (tiles << tile_bits), single ? kSingleRestBits : geometry.rest_bits);
  return {static_cast<unsigned>(tiles),
          single,
          {static_cast<unsigned>(tiles + rest), single ? GRAFT_BLOCK_THREADS : geometry.threads}};
}

bool fits_grid(const LaunchGeometry& geometry, std::size_t count) {
  return blocks_for(count, geometry.rest_bits) <= families::kMostBlocks;
}

}  // namespace graft::elementwise
