// Computes the size of the lanes (arena.hpp) from the free memory, fills the input lanes, and gives each launch the
// next slot of every lane.
#include "arena.hpp"

#include <algorithm>
#include <numeric>
#include <stdexcept>

namespace graft::bench {
namespace {

constexpr std::size_t kMinArrayBytes = std::size_t{1} << 26;
constexpr std::size_t kSets = 2;
constexpr std::size_t kPadding = 1024;  // bytes left free for the offsets of misaligned arrays
constexpr std::size_t kSpare = std::size_t{1} << 20;
constexpr std::size_t kTraffic = std::size_t{1} << 29;  // bytes moved between two uses of the same memory
constexpr std::size_t kWord = 16;

std::size_t room_for_arrays() {
  std::size_t free = 0, total = 0;
  check(cudaMemGetInfo(&free, &total));
  std::size_t bytes = kMaxArrayBytes;
  while (bytes > kMinArrayBytes && (kMaxInputs + kMaxOutputs) * (kSets * bytes + kSpare) > free / 10 * 9) bytes /= 2;
  return bytes;
}

// Returns the offset, in elements, of the array at this position in the order of inputs and outputs.
std::size_t shift(Alignment alignment, std::size_t element_bytes, std::size_t position) {
  if (alignment == Alignment::Aligned) return 0;
  if (alignment == Alignment::Alike) return 1;
  const std::size_t different = kWord / std::gcd(element_bytes, kWord);
  return different > 1 ? (position + 1) % different : position + 1;
}

std::size_t rounded_up(std::size_t bytes, std::size_t unit) {
  return (bytes + unit - 1) / unit * unit;
}

// Returns the kind of random data for a type. All integer types share the same random bytes.
Scalar kind_of_data(Scalar scalar) {
  switch (scalar) {
    case Scalar::U8:
    case Scalar::I16:
    case Scalar::I32:
      return Scalar::I8;
    default:
      return scalar;
  }
}

}  // namespace

std::string_view name(Alignment alignment) {
  switch (alignment) {
    case Alignment::Aligned:
      return "aligned";
    case Alignment::Alike:
      return "alike";
    case Alignment::Unlike:
      break;
  }
  return "unlike";
}

Arena::Arena() : largest_array_(room_for_arrays()), lane_bytes_(kSets * largest_array_ + kSpare) {
  for (Lane& lane : in_) lane.memory = allocate(lane_bytes_);
  for (Lane& lane : out_) lane.memory = allocate(lane_bytes_);
}

void Arena::fill(cudaStream_t stream, const Operation& operation) {
  for (std::size_t k = 0; k < operation.inputs.size(); ++k) {
    const Contents wanted = {kind_of_data(operation.inputs[k].scalar), operation.range(k)};
    if (in_[k].contents == wanted) continue;
    fill_random(stream, in_[k].memory.get(), wanted.scalar, lane_bytes_ / size_of(wanted.scalar), wanted.range,
                static_cast<unsigned>(k));
    in_[k].contents = wanted;
  }
}

Launch Arena::next(const Operation& operation, std::size_t count, Alignment alignment) {
  const std::size_t stride = rounded_up(count * operation.largest_element() + kPadding, kPadding);
  const std::size_t wanted = kTraffic / (count * operation.bytes_per_element()) + 1;
  const std::size_t places = std::max(std::size_t{1}, std::min(std::max(wanted, kSets), lane_bytes_ / stride));
  const std::size_t place = turn_++ % places * stride;
  Launch launch;
  launch.count = count;
  std::size_t position = 0;
  const auto shifted = [&](const Lane& lane, const std::vector<Format>& formats, std::size_t k) {
    if (k >= formats.size()) return lane.at(place);
    return lane.at(place + shift(alignment, formats[k].bytes(), position++) * formats[k].bytes());
  };
  for (std::size_t k = 0; k < kMaxInputs; ++k) launch.in[k] = shifted(in_[k], operation.inputs, k);
  for (std::size_t k = 0; k < kMaxOutputs; ++k) launch.out[k] = shifted(out_[k], operation.outputs, k);
  return launch;
}

}  // namespace graft::bench
