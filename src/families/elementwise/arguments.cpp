// check() first only computes whether all arguments are valid, because it runs for every launch. If an argument is not
// valid, functions that are cold and never inlined check the arguments again, array by array, and throw the error that
// describes the mistake.
#include "families/elementwise/arguments.hpp"

#include <algorithm>
#include <cstring>
#include <new>
#include <optional>
#include <span>

#include "base/format.hpp"
#include "core/fail.hpp"
#include "families/elementwise/coordinates.hpp"
#include "families/form.hpp"
#include "graft/error.hpp"

namespace graft::elementwise {
namespace {

std::uintptr_t address(const ArrayRef& array) {
  return reinterpret_cast<std::uintptr_t>(array.pointer);
}

// A bit array does not fit a load or store callback, because its offset would be lost: the callback gets a pointer.
bool has_type(const ArrayRef& array, const LaunchGeometry::Array& wanted) {
  if (wanted.is_opaque()) return array.type.kind != ElementKind::Bit;
  return interchangeable(array.type, wanted.type);
}

bool fits(const ArrayRef& array, const LaunchGeometry::Array& wanted, std::size_t count) {
  return has_type(array, wanted) && (wanted.is_opaque() || array.count == count);
}

bool is_usable(const ArrayRef& array, const LaunchGeometry::Array& wanted) {
  return (array.pointer != nullptr || wanted.is_opaque()) && (address(array) & (wanted.alignment - 1)) == 0;
}

bool state_fits(const LaunchGeometry& geometry, const Arguments& arguments) {
  if (!geometry.has_state) return arguments.state == nullptr;
  if (arguments.state == nullptr || arguments.state_type.size != geometry.state.size) return false;
  // If the state is a class, only the sizes are compared. The arguments do not hold the name of the caller's class, so
  // it cannot be compared with the name in the signature.
  return geometry.state.kind == ElementKind::Class || interchangeable(arguments.state_type, geometry.state);
}

// ---- errors ----

std::string array_name(const LaunchGeometry& geometry, std::size_t i) {
  return families::array_name(i, geometry.inputs);
}

std::string memory_of(const LaunchGeometry& geometry, const Arguments& arguments, std::size_t i) {
  const ArrayRef& array = array_at(arguments, i);
  if (geometry.arrays[i].has_bits())
    return base::format("{} ({} bits from bit {} of the word at {}{})", array_name(geometry, i), array.count,
                        array.first_bit, array.pointer,
                        i < geometry.inputs || array.keeps_rest ? "" : ", and the rest of the last word");
  const std::size_t bytes = array.count * geometry.arrays[i].type.size;
  return base::format("{} ({} bytes at {})", array_name(geometry, i), bytes, array.pointer);
}

[[noreturn, gnu::cold, gnu::noinline]] void refuse_number(const LaunchGeometry& geometry, const Arguments& arguments) {
  if (geometry.inputs + geometry.outputs == 0)
    refuse_call(geometry, ErrorCode::CountMismatch,
                arguments.count ? base::format("it takes no arrays, but was given {}",
                                               arguments.inputs.size() + arguments.outputs.size())
                                : "it takes no arrays, and was not given the number of elements",
                "Give the number of elements in place of the arrays: execute(stream, graft::count(n), state).");
  if (arguments.count)
    refuse_call(geometry, ErrorCode::CountMismatch,
                base::format("it takes {} input and {} output arrays, but was given a count instead", geometry.inputs,
                             geometry.outputs),
                "Give the arrays, with graft::inputs(...) and graft::outputs(...): they contain the count.");
  // A functor of Thrust's takes its elements as `const T&`, which for graft is the state.
  const bool may_mean_state = geometry.has_state && arguments.state == nullptr &&
                              arguments.inputs.size() == geometry.inputs + 1 &&
                              arguments.outputs.size() == geometry.outputs;
  if (may_mean_state)
    refuse_call(
        geometry, ErrorCode::CountMismatch,
        base::format("it takes {} input arrays and a state, but was given {} and no state", geometry.inputs,
                     arguments.inputs.size()),
        "Take an element by value, `float x`: a `const float&` parameter is the state, which is one value for all "
        "elements.");
  refuse_call(
      geometry, ErrorCode::CountMismatch,
      base::format("it takes {} input and {} output arrays, but was given {} and {}", geometry.inputs, geometry.outputs,
                   arguments.inputs.size(), arguments.outputs.size()),
      base::format("Give one array for each input and each output, with graft::inputs(...) and graft::outputs(...).{}",
                   geometry.in_out_count == 0 ? "" : " An array of a graft::InOut parameter is one of the outputs."));
}

[[noreturn]] void refuse_state(const LaunchGeometry& geometry, const Arguments& arguments) {
  if (geometry.has_baked_state)
    refuse_call(geometry, ErrorCode::TypeMismatch,
                "its state is compiled into the kernel (Options::baked_state), but a state was given",
                "Leave the last argument out, or leave Options::baked_state unset.");
  if (!geometry.has_state)
    refuse_call(geometry, ErrorCode::TypeMismatch, "it has no state, but a state was given",
                "Leave the last argument out.");
  if (arguments.state == nullptr)
    refuse_call(geometry, ErrorCode::TypeMismatch,
                base::format("its state of {} bytes is missing", geometry.state.size),
                "Give the state as the last argument of execute.");
  if (arguments.state_type.size == geometry.state.size)
    refuse_call(
        geometry, ErrorCode::TypeMismatch,
        base::format("its state is {}, but {} was given", to_string(geometry.state), to_string(arguments.state_type)),
        "Give a value of exactly that type; nothing is converted.");
  refuse_call(
      geometry, ErrorCode::TypeMismatch,
      base::format("its state has {} bytes, but {} bytes were given", geometry.state.size, arguments.state_type.size),
      "Give the struct that the callback takes as `const T&`, with the same members; nothing is converted.");
}

// The remedy for an array of another length. Arrays of one element are often meant as scalars, or as sums.
const char* remedy_for_length(const LaunchGeometry& geometry, std::size_t i, std::size_t count, std::size_t wanted) {
  const bool is_output = i >= geometry.inputs;
  if (count == 1 && is_output)
    return "Give an output with one element for each call of the callback: a transform computes no sums or other "
           "reductions.";
  if (std::min(count, wanted) == 1)
    return "Give arrays of equal length. An input repeats if the arrays are given as graft::view. A scalar is the "
           "callback's state, a parameter `const T&`.";
  return "Give arrays of equal length. A span passes a part of an array, and graft::view an array of any shape.";
}

// The arrays of a call with views have no lengths to compare.
[[noreturn, gnu::cold, gnu::noinline]] void refuse_misfit(const LaunchGeometry& geometry, const Arguments& arguments,
                                                          bool has_lengths = true) {
  for (std::size_t i = 0; i < geometry.inputs + geometry.outputs; ++i) {
    const ArrayRef& array = array_at(arguments, i);
    if (geometry.arrays[i].is_opaque() && array.type.kind == ElementKind::Bit)
      refuse_call(geometry, ErrorCode::TypeMismatch,
                  base::format("{} is a bit array, but a load or store callback accesses this array itself",
                               array_name(geometry, i)),
                  "Give the words as an ordinary array: the callback gets the pointer, and finds its bits itself.");
    if (!interchangeable(array.type, geometry.arrays[i].type) && geometry.arrays[i].has_bits())
      refuse_call(
          geometry, ErrorCode::TypeMismatch,
          base::format("{} holds {}, but the callback takes single bits (graft::Bit)", array_name(geometry, i),
                       to_string(array.type)),
          "Give the words that contain the bits as graft::bits(words, count) or graft::bits(words, offset, count); for "
          "an array of one bool per element, take a bool in the callback.");
    if (!interchangeable(array.type, geometry.arrays[i].type))
      refuse_call(geometry, ErrorCode::TypeMismatch,
                  base::format("{} holds {}, but the callback takes {}", array_name(geometry, i), to_string(array.type),
                               to_string(geometry.arrays[i].type)),
                  array.type.kind == ElementKind::Bit
                      ? "Take graft::Bit in the callback, or give an array of the callback's element type."
                      : "Give an array of the callback's element type; nothing is converted.");
    const std::size_t counting = geometry.counting_array;
    if (has_lengths && array.count != array_at(arguments, counting).count && !geometry.arrays[i].is_opaque())
      refuse_call(geometry, ErrorCode::CountMismatch,
                  base::format("{} has {} elements, but {} has {}", array_name(geometry, counting),
                               array_at(arguments, counting).count, array_name(geometry, i), array.count),
                  remedy_for_length(geometry, i, array.count, array_at(arguments, counting).count));
  }
  refuse_state(geometry, arguments);
}

[[noreturn, gnu::cold, gnu::noinline]] void refuse_pointer(const LaunchGeometry& geometry, const Arguments& arguments) {
  std::size_t i = 0;
  while (is_usable(array_at(arguments, i), geometry.arrays[i])) ++i;
  const ArrayRef& array = array_at(arguments, i);
  if (array.pointer == nullptr)
    refuse_call(geometry, ErrorCode::InvalidArgument,
                base::format("{} is a null pointer, with a count of {}", array_name(geometry, i), array.count),
                "Give a pointer to memory, or a count of 0.");
  if (geometry.arrays[i].has_bits())
    refuse_call(geometry, ErrorCode::Misaligned,
                base::format("{} is at {}, which is not aligned to the {} bytes of a word of a bit array",
                             array_name(geometry, i), array.pointer, geometry.arrays[i].alignment),
                "Give an aligned pointer in front of the first element, and the place of this element as the offset of "
                "graft::bits.");
  refuse_call(geometry, ErrorCode::Misaligned,
              base::format("{} is at {}, which is not aligned to the {} bytes that its element, {}, needs",
                           array_name(geometry, i), array.pointer, geometry.arrays[i].type.alignment,
                           to_string(geometry.arrays[i].type)),
              "Give a pointer to the first byte of an element.");
}

[[noreturn, gnu::cold, gnu::noinline]] void refuse_overlap(const LaunchGeometry& geometry, const Arguments& arguments,
                                                           std::size_t output, std::size_t other) {
  refuse_call(
      geometry, ErrorCode::Overlap,
      base::format("{} overlaps {}", memory_of(geometry, arguments, output), memory_of(geometry, arguments, other)),
      other < geometry.inputs
          ? "An output may be exactly an input (same pointer, same element size, same offset of a bit array), or share "
            "no memory with it."
          : "Give each output memory of its own.");
}

[[noreturn, gnu::cold, gnu::noinline]] void refuse_grid(const LaunchGeometry& geometry, std::size_t count) {
  refuse_call(geometry, ErrorCode::InvalidArgument,
              base::format("{} elements are more than a grid of {} thread blocks can handle at {} elements per block",
                           count, families::kMostBlocks, std::size_t{1} << geometry.rest_bits),
              "Split the arrays, and execute once for each part.");
}

// ---- checks ----

void check_fit(const LaunchGeometry& geometry, const Arguments& arguments, std::size_t count) {
  bool all = state_fits(geometry, arguments);
  const LaunchGeometry::Array* wanted = geometry.arrays.data();
  for (const ArrayRef& array : arguments.inputs) all &= fits(array, *wanted++, count);
  for (const ArrayRef& array : arguments.outputs) all &= fits(array, *wanted++, count);
  if (!all) [[unlikely]]
    refuse_misfit(geometry, arguments);
}

// The memory of one array: in bytes, or, for calls with bit arrays, of which several may have bits in one word, in
// bits.
struct Range {
  std::uintptr_t begin;
  std::size_t size;
};

// Compares differences of addresses, because adding an array's size to its address could overflow.
bool are_apart(const Range& a, const Range& b) {
  return a.begin >= b.begin ? a.begin - b.begin >= b.size : b.begin - a.begin >= a.size;
}

// Returns the array's range in bits. An output that clears the rest of its last word also has this rest.
Range bits_of(const ArrayRef& array, const LaunchGeometry::Array& wanted, std::size_t count, bool is_output) {
  if (!wanted.has_bits()) return {address(array) * 8, count * wanted.type.size * 8};
  const std::size_t last = array.first_bit + count;
  const bool has_rest = is_output && !array.keeps_rest;
  const std::size_t end =
      has_rest ? (last + GRAFT_BITS_PER_WORD - 1) / GRAFT_BITS_PER_WORD * GRAFT_BITS_PER_WORD : last;
  return {address(array) * 8 + array.first_bit, end - array.first_bit};
}

template <bool kInBits>
Range range_of(const ArrayRef& array, const LaunchGeometry::Array& wanted, std::size_t count, bool is_output) {
  if constexpr (kInBits) return bits_of(array, wanted, count, is_output);
  else return {address(array), count * wanted.type.size};
}

// Returns the first array in which the counter of zeros lies, or the number of arrays. The kernel writes the counter
// while other threads still read the inputs and write the outputs.
std::size_t array_of_counter(const LaunchGeometry& geometry, const Arguments& arguments, std::size_t count,
                             const void* zeros) {
  const Range counter = {reinterpret_cast<std::uintptr_t>(zeros) * 8, 8 * sizeof(std::uint64_t)};
  const std::size_t arrays = geometry.inputs + geometry.outputs;
  std::size_t i = 0;
  while (i < arrays &&
         are_apart(counter, bits_of(array_at(arguments, i), geometry.arrays[i], count, i >= geometry.inputs)))
    ++i;
  return i;
}

bool is_aligned_counter(const void* zeros) {
  return reinterpret_cast<std::uintptr_t>(zeros) % sizeof(std::uint64_t) == 0;
}

[[noreturn, gnu::cold, gnu::noinline]] void refuse_counter(const LaunchGeometry& geometry, const Arguments& arguments,
                                                           std::size_t count, std::size_t i) {
  const ArrayRef& array = array_at(arguments, i);
  if (i < geometry.inputs)
    refuse_call(
        geometry, ErrorCode::InvalidArgument,
        base::format("{} has a counter of zeros, but only those of an output are counted", array_name(geometry, i)),
        "Leave count_zeros out for inputs.");
  if (is_aligned_counter(array.zeros))
    refuse_call(geometry, ErrorCode::Overlap,
                base::format("the counter of the zeros of {} at {} lies in {}", array_name(geometry, i), array.zeros,
                             memory_of(geometry, arguments, array_of_counter(geometry, arguments, count, array.zeros))),
                "Give the counter memory of its own.");
  refuse_call(geometry, ErrorCode::Misaligned,
              base::format("the counter of the zeros of {} is at {}, which is not aligned to 8 bytes",
                           array_name(geometry, i), array.zeros),
              "Give a pointer to a 64-bit integer.");
}

// Checks the counters of zeros of all bit arrays.
[[gnu::noinline]] void check_counters(const LaunchGeometry& geometry, const Arguments& arguments, std::size_t count) {
  for (std::size_t i = 0; i < geometry.inputs + geometry.outputs; ++i) {
    const void* const zeros = array_at(arguments, i).zeros;
    if (zeros == nullptr || !geometry.arrays[i].has_bits()) continue;
    const bool usable = i >= geometry.inputs && is_aligned_counter(zeros) &&
                        array_of_counter(geometry, arguments, count, zeros) == geometry.inputs + geometry.outputs;
    if (!usable) [[unlikely]]
      refuse_counter(geometry, arguments, count, i);
  }
}

// Compares each output with all inputs and with all earlier outputs.
template <bool kInBits>
void check_overlap(const LaunchGeometry& geometry, const Arguments& arguments, std::size_t count) {
  for (std::size_t output = geometry.inputs; output < geometry.inputs + geometry.outputs; ++output) {
    const LaunchGeometry::Array& wanted = geometry.arrays[output];
    const ArrayRef& a = array_at(arguments, output);
    const Range written = range_of<kInBits>(a, wanted, count, true);
    for (std::size_t other = 0; other < output; ++other) {
      const LaunchGeometry::Array& other_wanted = geometry.arrays[other];
      const ArrayRef& b = array_at(arguments, other);
      const bool is_input = other < geometry.inputs;
      bool in_place = is_input && a.pointer == b.pointer && other_wanted.type.size == wanted.type.size;
      if constexpr (kInBits)
        in_place = in_place && a.first_bit == b.first_bit && wanted.has_bits() == other_wanted.has_bits();
      const bool is_known = !other_wanted.is_opaque() && !wanted.is_opaque();
      if (is_known && !in_place && !are_apart(written, range_of<kInBits>(b, other_wanted, count, !is_input)))
          [[unlikely]]
        refuse_overlap(geometry, arguments, output, other);
    }
  }
}

// ---- alignment ----
//
// A tile is the part of the arrays that one thread block handles. In a tile, each thread handles whole vectors, groups
// of adjacent elements. Tiles are read and written in words of up to 16 bytes, so they must begin at an element at
// which the arrays are aligned to their words. A user's arrays may begin at any element's address, so find_first_tile()
// looks for the first suitable element. The elements in front of that element (the head) and those behind the last
// whole tile get a thread each. Examples for float arrays and vectors of 4 elements:
//
//     in at 0x1004, out at 0x2004    head 3: at element 3 both are aligned to 16 bytes
//     in at 0x1004, out at 0x2008    differently aligned: no element aligns both
//
// For differently aligned arrays, tiles begin where all outputs are aligned, and the kernel builds the words of its
// inputs from narrower loads. Narrower loads may touch up to 3 bytes in front of a thread's own elements and 4 bytes
// behind them, so GRAFT_ALIGNMENT_MARGIN elements stay outside the tiles at both ends of the arrays. If no element
// aligns all outputs, there are no tiles, and every element gets its own thread.
//
// An output that is a bit array is aligned at an element that is the lowest bit of a word. A bit array that is an input
// need not be aligned, because the kernel shifts its bits into place.

// Whether array `i` and all arrays behind it are aligned to their words at element `head`.
bool are_aligned(const LaunchGeometry& geometry, const Arguments& arguments, std::size_t i, unsigned head) {
  bool aligned = true;
  for (; i < geometry.inputs + geometry.outputs; ++i) {
    const LaunchGeometry::Array& array = geometry.arrays[i];
    if (array.has_bits()) {
      const bool is_output = i >= geometry.inputs;
      aligned &= !is_output || (array_at(arguments, i).first_bit + head) % GRAFT_BITS_PER_WORD == 0;
      continue;
    }
    const std::uintptr_t at = address(array_at(arguments, i)) + std::uintptr_t{head} * array.type.size;
    aligned &= (at & (array.word - 1)) == 0;
  }
  return aligned;
}

// Returns the first element at which all arrays are aligned. If there is no such element, returns the first element
// behind the margin (GRAFT_ALIGNMENT_MARGIN) at which all outputs are aligned.
[[gnu::noinline]] FirstTile find_first_tile(const LaunchGeometry& geometry, const Arguments& arguments) {
  // After this number of elements, the alignment of all arrays repeats. Both numbers are powers of two.
  const unsigned period =
      geometry.has_output_bits ? std::max<unsigned>(geometry.width, GRAFT_BITS_PER_WORD) : geometry.width;
  for (unsigned head = 0; head < period; ++head)
    if (are_aligned(geometry, arguments, 0, head)) return {head, false, true};
  for (unsigned head = GRAFT_ALIGNMENT_MARGIN; head < GRAFT_ALIGNMENT_MARGIN + period; ++head)
    if (are_aligned(geometry, arguments, geometry.inputs, head)) return {head, true, true};
  return {0, false, false};
}

// Writes one graft_mask for each bit array, in the order of the arrays' pointers. Returns the bitwise or of the first
// bits of the outputs that are bit arrays. Such an output is aligned if its first bit is 0.
[[gnu::noinline]] unsigned put_masks(const LaunchGeometry& geometry, const Arguments& arguments, std::byte* to) {
  unsigned first_bits = 0;
  const auto put = [&](std::size_t i, bool is_output) {
    if (!geometry.arrays[i].has_bits()) return;
    const ArrayRef& array = array_at(arguments, i);
    const graft_mask mask = {static_cast<unsigned long long*>(array.zeros), array.first_bit, !array.keeps_rest};
    std::memcpy(to, &mask, sizeof mask);
    to += sizeof mask;
    if (is_output) first_bits |= array.first_bit;
  };
  for (std::size_t i = 0; i < geometry.inputs; ++i) put(i, false);
  for (std::uint32_t i = 0; i < geometry.in_out_count; ++i) put(geometry.inputs + geometry.in_outs[i], false);
  for (std::size_t i = 0; i < geometry.outputs; ++i) put(geometry.inputs + i, true);
  return first_bits;
}

// Writes the dividers by which the kernel makes coordinates.
[[gnu::noinline]] void put_coordinates(const LaunchGeometry& geometry, const Arguments& arguments, std::size_t count,
                                       std::byte* to) {
  const std::uint64_t alone = count;
  const std::span<const std::uint64_t> extents =
      arguments.extents.empty() ? std::span<const std::uint64_t>(&alone, 1) : arguments.extents;
  if (const std::optional<std::uint64_t> extent = long_extent(extents, geometry.coordinates))
    refuse_call(geometry, ErrorCode::InvalidArgument,
                base::format("a dimension of the call has {} elements, and a coordinate in graft::Position has 32 bits",
                             *extent),
                "Take graft::Index, or split the dimension into two.");
  put_dividers(extents, geometry.coordinates, to);
}

}  // namespace

void refuse_call(const LaunchGeometry& geometry, ErrorCode code, const std::string& what, std::string remedy) {
  fail(code, base::format("{} ({}): {}", geometry.kernel_name, geometry.signature, what), std::move(remedy));
}

void check_grid(const LaunchGeometry& geometry, std::size_t count) {
  if (!fits_grid(geometry, count)) [[unlikely]]
    refuse_grid(geometry, count);
}

void check_kinds(const LaunchGeometry& geometry, const Arguments& arguments) {
  // A call with views has arrays, and so no count.
  if (arguments.inputs.size() != geometry.inputs || arguments.outputs.size() != geometry.outputs)
    refuse_number(geometry, arguments);
  bool all = state_fits(geometry, arguments);
  for (std::size_t i = 0; i < geometry.inputs + geometry.outputs; ++i)
    all &= has_type(array_at(arguments, i), geometry.arrays[i]);
  if (!all) refuse_misfit(geometry, arguments, false);
}

void check_counts(const LaunchGeometry& geometry, const Arguments& arguments) {
  if (geometry.inputs + geometry.outputs != 0)
    check_fit(geometry, arguments, array_at(arguments, geometry.counting_array).count);
}

void check_pointers(const LaunchGeometry& geometry, const Arguments& arguments) {
  bool all = true;
  const LaunchGeometry::Array* wanted = geometry.arrays.data();
  for (const ArrayRef& array : arguments.inputs) all &= is_usable(array, *wanted++);
  for (const ArrayRef& array : arguments.outputs) all &= is_usable(array, *wanted++);
  if (!all) [[unlikely]]
    refuse_pointer(geometry, arguments);
}

std::size_t check(const LaunchGeometry& geometry, const Arguments& arguments) {
  const bool has_arrays = geometry.inputs + geometry.outputs != 0;
  if (arguments.inputs.size() != geometry.inputs || arguments.outputs.size() != geometry.outputs ||
      arguments.count.has_value() == has_arrays) [[unlikely]]
    refuse_number(geometry, arguments);
  const std::size_t count = has_arrays ? array_at(arguments, geometry.counting_array).count : *arguments.count;
  check_fit(geometry, arguments, count);
  if (count == 0) return 0;
  check_grid(geometry, count);  // from here on, count * size is below 2^51, so no computation overflows
  check_pointers(geometry, arguments);
  if (geometry.has_bits) [[unlikely]] {
    check_overlap<true>(geometry, arguments, count);
    check_counters(geometry, arguments, count);
  } else {
    check_overlap<false>(geometry, arguments, count);
  }
  return count;
}

Grid lay_out_arguments(const LaunchGeometry& geometry, const Arguments& arguments, std::size_t count, std::byte* to) {
  std::uintptr_t addresses = 0;
  unsigned first_bits = 0;  // the bitwise or of the first bits of the outputs that are bit arrays
  std::byte* place = to + sizeof(graft_launch);
  const LaunchGeometry::Array* wanted = geometry.arrays.data();
  const auto put = [&](const ArrayRef& array) {
    if (!(wanted++)->is_opaque()) addresses |= address(array);
    std::memcpy(place, &array.pointer, sizeof array.pointer);
    place += sizeof array.pointer;
  };
  for (const ArrayRef& array : arguments.inputs) put(array);
  for (std::uint32_t i = 0; i < geometry.in_out_count; ++i, place += sizeof(void*))
    std::memcpy(place, &arguments.outputs[geometry.in_outs[i]].pointer, sizeof(void*));
  for (const ArrayRef& array : arguments.outputs) put(array);
  if (geometry.has_bits) [[unlikely]]
    first_bits = put_masks(geometry, arguments, place);
  if (geometry.coordinates > 0) [[unlikely]]
    put_coordinates(geometry, arguments, count, to + geometry.dividers_offset);
  if (geometry.has_state) std::memcpy(to + geometry.state_offset, arguments.state, geometry.state.size);

  const bool all_aligned = (addresses & geometry.words) == 0 && first_bits == 0;
  const FirstTile first = all_aligned ? FirstTile{} : find_first_tile(geometry, arguments);
  const Division division = divide(geometry, count, first);
  ::new (to) graft_launch{count,
                          division.tiles,
                          static_cast<unsigned short>(division.tiles > 0 ? first.head : 0),
                          first.differently_aligned,
                          division.single,
                          arguments.load_info,
                          arguments.store_info};
  return division.grid;
}

}  // namespace graft::elementwise
