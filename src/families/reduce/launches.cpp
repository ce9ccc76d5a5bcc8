#include "families/reduce/launches.hpp"

#include <bit>
#include <cstring>

#include "families/form.hpp"
#include "families/parameter.hpp"

namespace graft::families::reduce {
namespace {

constexpr std::size_t kMostArrays = GRAFT_MAX_INPUTS + GRAFT_MAX_OUTPUTS;
constexpr std::size_t round_up(std::size_t value, std::size_t to) {
  return (value + to - 1) / to * to;
}
static_assert(round_up(round_up(sizeof(graft_reduce_call) + sizeof(graft_reduce_shape) + kMostArrays * kStridesOfArray,
                                GRAFT_MAX_STATE_ALIGNMENT) +
                           GRAFT_MAX_INPUTS * sizeof(void*),
                       GRAFT_MAX_STATE_ALIGNMENT) +
                      GRAFT_MAX_STATE_BYTES <=
                  kMostParameterBytes,
              "a kernel for views has room for the dimensions in front of every state");

}  // namespace

std::uint64_t most_of_launch(const Division& division, const Workspace& workspace) noexcept {
  std::uint64_t most = division.threads_each > 0 ? kMostBlocks / division.threads_each * GRAFT_REDUCE_LANES
                                                 : kMostBlocks / division.blocks_each;
  if (division.accumulators > 0)
    most = std::min({most, workspace.counters, workspace.accumulators / division.accumulators});
  return std::clamp<std::uint64_t>(most, 1, std::max<std::uint64_t>(division.pieces, 1));
}

Grid grid_of(const Division& division, std::uint64_t pieces) noexcept {
  const std::uint64_t of_block = std::uint64_t{division.threads} * division.pieces_of_thread;
  const std::uint64_t blocks = division.threads_each > 0 ? (pieces * division.threads_each + of_block - 1) / of_block
                                                         : pieces * division.blocks_each;
  return {static_cast<unsigned>(blocks), division.threads};
}

Division in_threads(std::uint64_t results, std::uint64_t groups, unsigned width, std::size_t inputs) noexcept {
  const std::uint32_t of_thread = graft_reduce_lanes_of_thread(static_cast<int>(width), static_cast<int>(inputs));
  const std::uint32_t lanes = power_of_two(groups, GRAFT_REDUCE_FIRST_LANES);
  const std::uint32_t threads = std::max(1u, lanes / of_thread);
  return {.pieces = results, .threads_each = threads, .own = exponent_of(threads)};
}

graft_reduce_divider divider_of_extent(std::uint64_t extent) noexcept {
  const LongDivider divider = long_divider_of(extent);
  return {divider.multiplier, extent, divider.shift};
}

std::uint32_t power_of_two(std::uint64_t least, std::uint32_t most) noexcept {
  return least >= most ? most : std::bit_ceil(static_cast<std::uint32_t>(std::max<std::uint64_t>(least, 1)));
}

std::uint32_t exponent_of(std::uint32_t number) noexcept {
  return static_cast<std::uint32_t>(std::countr_zero(number));
}

std::uint32_t lay_out_dense(const Signature& signature, const graft_reduce_call& call, const Arguments& arguments,
                            std::byte* parameter) noexcept {
  graft_reduce_shape shape = {};
  shape.reduced = shape.rank = 1;
  std::byte* to = put_head(call, shape, parameter);
  for (const ElementType& type : signature.inputs()) {
    const std::int64_t stride = type.size;
    std::memcpy(to, &stride, sizeof stride);
    to += kStridesOfArray;
  }
  // The outputs are one element each. Those that map stores have no strides.
  for (std::size_t i = 0; i < signature.outputs().size(); ++i, to += kStridesOfArray)
    std::memset(to, 0, sizeof(std::int64_t));
  return static_cast<std::uint32_t>(
      lay_out_arrays_and_state(static_cast<std::size_t>(to - parameter), arguments, signature.state(), parameter));
}

std::byte* put_head(const graft_reduce_call& call, const graft_reduce_shape& shape, std::byte* parameter) noexcept {
  std::memcpy(parameter, &call, sizeof call);
  std::memcpy(parameter + sizeof call, &shape, sizeof shape);
  return parameter + sizeof call + sizeof shape;
}

}  // namespace graft::families::reduce
