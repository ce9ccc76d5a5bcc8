// The fast path only computes whether all arguments are valid. If one is not, cold functions that are never inlined
// check again, array by array, and throw the error that describes it.
#include "families/elementwise/arguments.hpp"

#include <bit>
#include <cstring>
#include <limits>
#include <new>

#include "base/format.hpp"
#include "core/fail.hpp"
#include "graft/error.hpp"

namespace graft::elementwise {
namespace {

constexpr unsigned kBlockBits = std::countr_zero(unsigned{GRAFT_BLOCK_THREADS});
constexpr std::size_t kMaxGrid = std::numeric_limits<std::int32_t>::max();

std::uintptr_t address(const ArrayRef& array) {
  return reinterpret_cast<std::uintptr_t>(array.pointer);
}

const ArrayRef& array_at(const Arguments& arguments, std::size_t i) {
  return i < arguments.inputs.size() ? arguments.inputs[i] : arguments.outputs[i - arguments.inputs.size()];
}

bool fits(const ArrayRef& array, const LaunchShape::Array& wanted, std::size_t count) {
  return (array.count == count || wanted.is_opaque()) && interchangeable(array.type, wanted.type);
}

bool is_usable(const ArrayRef& array, const LaunchShape::Array& wanted) {
  return (array.pointer != nullptr || wanted.is_opaque()) && (address(array) & (wanted.type.alignment - 1)) == 0;
}

bool state_fits(const LaunchShape& shape, const Arguments& arguments) {
  if (!shape.has_state) return arguments.state == nullptr;
  if (arguments.state == nullptr || arguments.state_type.size != shape.state.size) return false;
  // For a class, the size is all that both sides know.
  return shape.state.kind == ElementKind::Class || interchangeable(arguments.state_type, shape.state);
}

// ---- errors ----

std::string array_name(const LaunchShape& shape, std::size_t i) {
  return i < shape.inputs ? base::format("input {}", i) : base::format("output {}", i - shape.inputs);
}

std::string memory_of(const LaunchShape& shape, const Arguments& arguments, std::size_t i) {
  const ArrayRef& array = array_at(arguments, i);
  const std::size_t bytes = array.count * shape.arrays[i].type.size;
  return base::format("{} ({} bytes at {})", array_name(shape, i), bytes, array.pointer);
}

[[noreturn]] void fail(const LaunchShape& shape, ErrorCode code, const std::string& what, std::string remedy) {
  graft::fail(code, base::format("{} ({}): {}", shape.kernel_name, shape.signature, what), std::move(remedy));
}

[[noreturn, gnu::cold, gnu::noinline]] void refuse_number(const LaunchShape& shape, const Arguments& arguments) {
  fail(shape, ErrorCode::CountMismatch,
       base::format("it takes {} input and {} output arrays, but was given {} and {}", shape.inputs, shape.outputs,
                    arguments.inputs.size(), arguments.outputs.size()),
       "Give one array for each, with graft::inputs(...) and graft::outputs(...).");
}

[[noreturn]] void refuse_state(const LaunchShape& shape, const Arguments& arguments) {
  if (!shape.has_state)
    fail(shape, ErrorCode::TypeMismatch, "it has no state, but one was given", "Leave the last argument out.");
  if (arguments.state == nullptr)
    fail(shape, ErrorCode::TypeMismatch, base::format("its state of {} bytes is missing", shape.state.size),
         "Give it as the last argument of execute.");
  if (arguments.state_type.size == shape.state.size)
    fail(shape, ErrorCode::TypeMismatch,
         base::format("its state is {}, but {} was given", to_string(shape.state), to_string(arguments.state_type)),
         "Give a value of exactly that type; nothing is converted.");
  fail(shape, ErrorCode::TypeMismatch,
       base::format("its state has {} bytes, but {} bytes were given", shape.state.size, arguments.state_type.size),
       "Give the struct that the callback takes as `const T&`, with the same members; nothing is converted.");
}

[[noreturn, gnu::cold, gnu::noinline]] void refuse_misfit(const LaunchShape& shape, const Arguments& arguments) {
  for (std::size_t i = 0; i < shape.inputs + shape.outputs; ++i) {
    const ArrayRef& array = array_at(arguments, i);
    if (!interchangeable(array.type, shape.arrays[i].type))
      fail(shape, ErrorCode::TypeMismatch,
           base::format("{} holds {}, but the callback takes {}", array_name(shape, i), to_string(array.type),
                        to_string(shape.arrays[i].type)),
           "Give an array of the callback's element type; nothing is converted.");
    const std::size_t counting = shape.counting_array;
    if (array.count != array_at(arguments, counting).count && !shape.arrays[i].is_opaque())
      fail(shape, ErrorCode::CountMismatch,
           base::format("{} has {} elements, but {} has {}", array_name(shape, counting),
                        array_at(arguments, counting).count, array_name(shape, i), array.count),
           "Give arrays of equal length; a span passes a part of an array.");
  }
  refuse_state(shape, arguments);
}

[[noreturn, gnu::cold, gnu::noinline]] void refuse_pointer(const LaunchShape& shape, const Arguments& arguments) {
  std::size_t i = 0;
  while (is_usable(array_at(arguments, i), shape.arrays[i])) ++i;
  const ArrayRef& array = array_at(arguments, i);
  if (array.pointer == nullptr)
    fail(shape, ErrorCode::InvalidArgument,
         base::format("{} is a null pointer, with a count of {}", array_name(shape, i), array.count),
         "Give a pointer to memory, or a count of 0.");
  fail(shape, ErrorCode::Misaligned,
       base::format("{} is at {}, which is not aligned to the {} bytes that its element, {}, needs",
                    array_name(shape, i), array.pointer, shape.arrays[i].type.alignment,
                    to_string(shape.arrays[i].type)),
       "Give a pointer to the first byte of an element.");
}

[[noreturn, gnu::cold, gnu::noinline]] void refuse_overlap(const LaunchShape& shape, const Arguments& arguments,
                                                           std::size_t output, std::size_t other) {
  fail(shape, ErrorCode::Overlap,
       base::format("{} overlaps {}", memory_of(shape, arguments, output), memory_of(shape, arguments, other)),
       other < shape.inputs ? "An output may be exactly an input (same pointer, same element size), or share no memory "
                              "with it."
                            : "Give each output memory of its own.");
}

[[noreturn, gnu::cold, gnu::noinline]] void refuse_grid(const LaunchShape& shape, std::size_t count) {
  fail(shape, ErrorCode::InvalidArgument,
       base::format("{} elements are more than a grid of {} blocks can handle, with {} elements each", count, kMaxGrid,
                    std::size_t{1} << shape.rest_bits),
       "Split the arrays, and execute once for each part.");
}

// ---- checks ----

// Compares differences of addresses, because the address of an array's end could overflow.
bool are_disjoint(const ArrayRef& a, std::size_t a_bytes, const ArrayRef& b, std::size_t b_bytes) {
  return address(a) >= address(b) ? address(a) - address(b) >= b_bytes : address(b) - address(a) >= a_bytes;
}

void check_fit(const LaunchShape& shape, const Arguments& arguments, std::size_t count) {
  bool all = state_fits(shape, arguments);
  const LaunchShape::Array* wanted = shape.arrays.data();
  for (const ArrayRef& array : arguments.inputs) all &= fits(array, *wanted++, count);
  for (const ArrayRef& array : arguments.outputs) all &= fits(array, *wanted++, count);
  if (!all) [[unlikely]]
    refuse_misfit(shape, arguments);
}

void check_pointers(const LaunchShape& shape, const Arguments& arguments) {
  bool all = true;
  const LaunchShape::Array* wanted = shape.arrays.data();
  for (const ArrayRef& array : arguments.inputs) all &= is_usable(array, *wanted++);
  for (const ArrayRef& array : arguments.outputs) all &= is_usable(array, *wanted++);
  if (!all) [[unlikely]]
    refuse_pointer(shape, arguments);
}

// Compares each output with all inputs and with the outputs in front of it.
void check_overlap(const LaunchShape& shape, const Arguments& arguments, std::size_t count) {
  for (std::size_t output = shape.inputs; output < shape.inputs + shape.outputs; ++output) {
    const std::size_t output_size = shape.arrays[output].type.size;
    const ArrayRef& a = array_at(arguments, output);
    for (std::size_t other = 0; other < output; ++other) {
      const std::size_t size = shape.arrays[other].type.size;
      const ArrayRef& b = array_at(arguments, other);
      const bool in_place = other < shape.inputs && a.pointer == b.pointer && size == output_size;
      const bool is_known = !shape.arrays[other].is_opaque() && !shape.arrays[output].is_opaque();
      if (is_known && !in_place && !are_disjoint(a, count * output_size, b, count * size)) [[unlikely]]
        refuse_overlap(shape, arguments, output, other);
    }
  }
}

// `bits`: a thread block handles 2^bits elements.
std::size_t blocks_for(std::size_t elements, unsigned bits) {
  const std::size_t part = elements & ((std::size_t{1} << bits) - 1);
  return (elements >> bits) + (part != 0 ? 1 : 0);
}

// ---- alignment ----
//
// Tiles are read and written in words of up to 16 bytes, so they must begin at an element at which the arrays are
// aligned to their words. A user's arrays may begin anywhere, so find_start() looks for that element. The elements in
// front of it (the head) and those behind the last whole tile get a thread each. For float arrays and width 4:
//
//     in at 0x1004, out at 0x2004    head 3: at element 3 both are aligned to 16 bytes
//     in at 0x1004, out at 0x2008    differently aligned: no element aligns both
//
// For differently aligned arrays (`unlike`), tiles begin where all outputs are aligned, and the kernel builds the words
// of its inputs from narrower loads. Those loads may touch up to 3 bytes in front of a thread's own elements and 4
// bytes behind them, so GRAFT_UNLIKE_MARGIN elements stay outside the tiles at both ends of the arrays. If no element
// aligns all outputs, there are no tiles, and every element gets its own thread.

// Where the tiles begin.
struct Start {
  unsigned head = 0;    // elements in front of the first tile
  bool unlike = false;  // only the outputs are aligned there
  bool exists = true;   // false: there are no tiles
};

// Whether array `i` and all arrays behind it are aligned to their words at element `head`.
bool all_aligned(const LaunchShape& shape, const Arguments& arguments, std::size_t i, unsigned head) {
  bool aligned = true;
  for (; i < shape.inputs + shape.outputs; ++i) {
    const LaunchShape::Array& array = shape.arrays[i];
    const std::uintptr_t at = address(array_at(arguments, i)) + std::uintptr_t{head} * array.type.size;
    aligned &= (at & (array.word - 1)) == 0;
  }
  return aligned;
}

// The first element at which all arrays are aligned; else the first one behind the margin at which all outputs are.
[[gnu::noinline]] Start find_start(const LaunchShape& shape, const Arguments& arguments) {
  for (unsigned head = 0; head < shape.width; ++head)
    if (all_aligned(shape, arguments, 0, head)) return {head, false, true};
  for (unsigned head = GRAFT_UNLIKE_MARGIN; head < GRAFT_UNLIKE_MARGIN + shape.width; ++head)
    if (all_aligned(shape, arguments, shape.inputs, head)) return {head, true, true};
  return {0, false, false};
}

}  // namespace

std::size_t check(const LaunchShape& shape, const Arguments& arguments) {
  if (arguments.inputs.size() != shape.inputs || arguments.outputs.size() != shape.outputs) [[unlikely]]
    refuse_number(shape, arguments);
  const std::size_t count = array_at(arguments, shape.counting_array).count;
  check_fit(shape, arguments, count);
  if (count == 0) return 0;
  if (blocks_for(count, shape.rest_bits) > kMaxGrid) [[unlikely]]
    refuse_grid(shape, count);  // from here on, count * size is below 2^51
  check_pointers(shape, arguments);
  check_overlap(shape, arguments, count);
  return count;
}

Grid pack(const LaunchShape& shape, const Arguments& arguments, std::size_t count, std::byte* to) {
  std::uintptr_t addresses = 0;
  std::byte* place = to + sizeof(graft_launch);
  const LaunchShape::Array* wanted = shape.arrays.data();
  const auto put = [&](const ArrayRef& array) {
    if (!(wanted++)->is_opaque()) addresses |= address(array);
    std::memcpy(place, &array.pointer, sizeof array.pointer);
    place += sizeof array.pointer;
  };
  for (const ArrayRef& array : arguments.inputs) put(array);
  for (const ArrayRef& array : arguments.outputs) put(array);
  if (shape.has_state) std::memcpy(to + shape.state_offset, arguments.state, shape.state.size);

  const Start start = (addresses & shape.words) == 0 ? Start{} : find_start(shape, arguments);
  const bool single = count < shape.single_below;
  const unsigned threads = single ? GRAFT_BLOCK_THREADS : shape.threads;
  const unsigned tile_bits = single ? shape.single_tile_bits : shape.tile_bits;
  const std::size_t around = start.unlike ? start.head + std::size_t{GRAFT_UNLIKE_MARGIN} : start.head;
  const bool tiled = shape.has_tiles && start.exists && count > around;
  std::size_t tiles = tiled ? (count - around) >> tile_bits : 0;
  if (tiles <= shape.few_tiles) tiles = 0;
  const auto head = static_cast<unsigned short>(tiles ? start.head : 0);
  ::new (to) graft_launch{
      count, static_cast<unsigned>(tiles), head, start.unlike, single, arguments.load_info, arguments.store_info};
  const std::size_t rest = count - (tiles << tile_bits);
  const unsigned rest_bits = single ? kBlockBits : shape.rest_bits;
  return {static_cast<unsigned>(tiles + blocks_for(rest, rest_bits)), threads};
}

}  // namespace graft::elementwise
