#include "families/elementwise/shapes/view_call.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include "base/format.hpp"
#include "graft/error.hpp"

namespace graft::elementwise {

using families::array_name;
using families::Divider;
using families::divider_of;
using families::may_meet;
using families::Misfit;
using families::shape_text;

namespace {

// The largest parameter of a kernel for views, which has no bit arrays.
static_assert(lay_out_parameter(ParameterFields{.inputs = GRAFT_MAX_INPUTS,
                                                .outputs = GRAFT_MAX_OUTPUTS,
                                                .masks = 0,
                                                .coordinates = GRAFT_MAX_COORDINATES,
                                                .state_bytes = GRAFT_MAX_STATE_BYTES,
                                                .state_alignment = GRAFT_MAX_STATE_ALIGNMENT})
                          .bytes +
                      sizeof(graft_shape) + kMaxArrays * GRAFT_MAX_RANK * sizeof(std::int64_t) <=
                  families::kMostParameterBytes,
              "a kernel for views has room for the dimensions behind every state");

// Inputs lie crosswise only where a tile has some elements of both dimensions.
constexpr std::uint64_t kLeastOfTile = 16;

// Returns into which runs a dimension is cut so that what a few of them read stays in the cache: a multiple of 64 that
// divides the extent, or the extent itself if it is short. 0 if there is none.
std::uint64_t run_of(std::uint64_t extent) {
  constexpr std::uint64_t kLongest = 8192, kShortest = 1024, kStep = 64;
  if (extent <= kLongest) return extent;
  for (std::uint64_t run = kLongest; run >= kShortest; run -= kStep)
    if (extent % run == 0) return run;
  return 0;
}

// A thread handles several units only if a row has as many for each thread of a warp, and the call for each thread of a
// GPU. Where no input is read in words, a thread handles this many: relative to one unit per thread, an outer product
// of floats ran at 1.58 of its speed, and the conversion of pixels to planes of floats at 1.22. With inputs in words,
// one unit is faster: rows with a pitch ran at 0.96 with four.
constexpr std::uint64_t kUnitsOfOtherThreads = 4, kLeastThreads = 32, kManyUnits = 1 << 19;

// A thread of a large call without units handles this many elements, because its instructions limit the speed: rows of
// 3 floats ran at 1.28 of the speed of a thread for each. With 8, 16 and 32 elements they were slower than with 4.
constexpr std::uint64_t kElementsOfThread = 4;

constexpr std::uint64_t kLargestEdge = GRAFT_TILE_EDGE(1);

std::int64_t address(const ArrayRef& array) {
  return static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(array.pointer));
}

}  // namespace

ViewCall::ViewCall(const LaunchGeometry& geometry, const Arguments& arguments, Memory memory)
    : geometry_(geometry), given_(arguments) {
  check_kinds(geometry, arguments);
  for (std::size_t i = 0; i < array_count(); ++i) {
    const ArrayRef& array = array_at(arguments, i);
    const LaunchGeometry::Array& wanted = geometry.arrays[i];
    if (wanted.has_bits())
      refuse_call(
          geometry, ErrorCode::TypeMismatch,
          base::format("{} is a bit array, which has one dimension, and an array of the call is a graft::view",
                       array_name(i, geometry.inputs)),
          "Pass the words as an array of integers to a callback that takes them, or pass arrays without views.");
    if (wanted.is_opaque() && array.is_view())
      refuse_call(geometry, ErrorCode::InvalidArgument,
                  base::format("{} is a graft::view, but a load or store callback reaches this array itself",
                               array_name(i, geometry.inputs)),
                  "Give {pointer, count}: the callback gets the pointer, and the row-major index in the call's shape.");
    Operand& operand = operands_[i];
    if (wanted.is_opaque()) {
      operand = {.element_bytes = 0};
    } else if (array.is_view()) {
      operand = {array.rank, array.shape, array.strides, wanted.type.size};
    } else {
      lengths_[i] = static_cast<std::int64_t>(array.count);
      operand = {1, &lengths_[i], nullptr, wanted.type.size};
    }
  }
  if (const std::optional<Misfit> misfit =
          families::make_form({operands_.data(), array_count()}, geometry.inputs,
                              geometry.has_index ? families::IndexOf::Call : families::IndexOf::None, form_))
    refuse_call(geometry, misfit->code, misfit->what, misfit->remedy);
  if (geometry.coordinates > 0) find_extents();
  if (form_.count == 0 || memory == Memory::None) return;
  check_pointers(geometry, arguments);
  check_overlap();
  for (std::size_t i = 0; i < array_count(); ++i) {
    const ArrayRef& array = array_at(arguments, i);
    arrays_[i] =
        geometry.arrays[i].is_opaque()
            ? array
            : ArrayRef(static_cast<std::byte*>(array.pointer) + form_.arrays[i].offset, form_.count, array.type);
  }
}

// Finds the extents of the call's last dimensions, and behind them the product of the others.
void ViewCall::find_extents() {
  std::uint64_t inside = 1;
  for (std::size_t k = 0; k < geometry_.coordinates; ++k) {
    extents_[k] = 1;
    for (std::size_t i = 0; i < array_count(); ++i)
      if (const Operand& array = operands_[i]; k < array.rank && array.element_bytes != 0)
        extents_[k] = std::max(extents_[k], static_cast<std::uint64_t>(array.shape[array.rank - 1 - k]));
    inside *= extents_[k];
  }
  extents_[geometry_.coordinates] = form_.count / inside;
}

// Compares each output with all inputs and with all earlier outputs.
void ViewCall::check_overlap() const {
  for (std::size_t output = geometry_.inputs; output < array_count(); ++output) {
    for (std::size_t other = 0; other < output; ++other) {
      if (geometry_.arrays[output].is_opaque() || geometry_.arrays[other].is_opaque()) continue;
      const std::int64_t bytes = operands_[output].element_bytes, other_bytes = operands_[other].element_bytes;
      const CallForm::Array& a = form_.arrays[output];
      const CallForm::Array& b = form_.arrays[other];
      const ArrayRef& of_output = array_at(given_, output);
      const ArrayRef& of_other = array_at(given_, other);
      const std::int64_t distance = address(of_other) + b.offset - address(of_output) - a.offset;
      const bool in_place = other < geometry_.inputs && distance == 0 && bytes == other_bytes &&
                            std::equal(a.strides.begin(), a.strides.begin() + form_.rank, b.strides.begin());
      if (in_place || !may_meet(form_, output, bytes, other, other_bytes, distance)) continue;
      refuse_call(geometry_, ErrorCode::Overlap,
                  base::format("{} (of the shape {} at {}) overlaps {} (of the shape {} at {})",
                               array_name(output, geometry_.inputs), shape_text(operands_[output]), of_output.pointer,
                               array_name(other, geometry_.inputs), shape_text(operands_[other]), of_other.pointer),
                  other < geometry_.inputs
                      ? "An output may be exactly an input (the same pointer, shape and strides), or share no memory "
                        "with it."
                      : "Give each output memory of its own.");
    }
  }
}

Arguments ViewCall::arguments() const noexcept {
  Arguments flat = given_;
  flat.inputs = {arrays_.data(), geometry_.inputs};
  flat.outputs = {arrays_.data() + geometry_.inputs, geometry_.outputs};
  if (geometry_.coordinates > 0) flat.extents = {extents_.data(), geometry_.coordinates + std::size_t{1}};
  return flat;
}

template <class Visit>
void ViewCall::for_each_pointer(Visit visit) const {
  for (std::size_t i = 0; i < geometry_.inputs; ++i) visit(form_.arrays[i].strides);
  for (std::uint32_t i = 0; i < geometry_.in_out_count; ++i)
    visit(form_.arrays[geometry_.inputs + geometry_.in_outs[i]].strides);
  for (std::size_t i = geometry_.inputs; i < array_count(); ++i) visit(form_.arrays[i].strides);
}

graft_view ViewCall::for_host() const noexcept {
  graft_view view;
  view.rank = form_.rank;
  std::copy_n(form_.extents.begin(), form_.rank, view.extents);
  long long(*to)[GRAFT_MAX_RANK] = view.strides;
  for_each_pointer([&](const auto& strides) { std::copy_n(strides.begin(), form_.rank, *to++); });
  view.first_index = form_.index.offset;
  std::copy_n(form_.index.strides.begin(), form_.rank, view.index_strides);
  return view;
}

bool ViewCall::has_contiguous_outputs() const noexcept {
  bool has = geometry_.outputs > 0 && form_.rank > 0;
  for (std::size_t i = geometry_.inputs; i < array_count() && has; ++i)
    has = operands_[i].element_bytes != 0 && form_.arrays[i].strides[0] == operands_[i].element_bytes;
  return has;
}

std::uint32_t ViewCall::crosswise_in(unsigned dimension) const noexcept {
  if (form_.extents[0] < kLeastOfTile || form_.extents[dimension] < kLeastOfTile) return 0;
  std::uint32_t inputs = 0;
  for (std::size_t i = 0; i < geometry_.inputs; ++i) {
    const auto& strides = form_.arrays[i].strides;
    const std::int64_t bytes = operands_[i].element_bytes;
    if (bytes != 0 && strides[dimension] == bytes && strides[0] != bytes && strides[0] != 0) inputs |= 1u << i;
  }
  return inputs;
}

std::uint32_t ViewCall::crosswise(std::uint32_t inputs) const noexcept {
  std::uint32_t most = 0;
  if (!has_contiguous_outputs()) return most;
  for (unsigned d = 1; d < form_.rank; ++d) {
    const std::uint32_t found = crosswise_in(d) & inputs;
    if (std::popcount(found) > std::popcount(most)) most = found;
  }
  return most;
}

unsigned ViewCall::crosswise_dimension(std::uint32_t inputs) const noexcept {
  if (!has_contiguous_outputs()) return 0;
  for (unsigned d = 1; d < form_.rank; ++d)
    if ((crosswise_in(d) & inputs) == inputs) return d;
  return 0;
}

void ViewCall::bring_to_second(unsigned dimension) noexcept {
  form_.bring(dimension, 1, array_count());
}

// Returns 0 if no input has channels.
unsigned ViewCall::channels_dimension() const noexcept {
  for (std::size_t i = 0; i < geometry_.inputs; ++i) {
    const auto& strides = form_.arrays[i].strides;
    const std::int64_t bytes = operands_[i].element_bytes;
    if (bytes == 0 || strides[0] == bytes || strides[0] == 0) continue;
    for (unsigned d = 1; d < form_.rank; ++d)
      if (strides[d] == bytes && form_.extents[d] < kLeastOfTile) return d;
  }
  return 0;
}

void ViewCall::bring_channels_together() noexcept {
  const unsigned channels = channels_dimension();
  if (channels == 0) return;
  const std::uint64_t run = run_of(form_.extents[0]);
  if (run == 0) return;
  if (run != form_.extents[0]) {
    if (form_.rank == GRAFT_MAX_RANK) return;
    // The runs become a dimension of their own, the outermost.
    const auto add = [&](auto& strides) { strides[form_.rank] = strides[0] * static_cast<std::int64_t>(run); };
    for (std::size_t i = 0; i < array_count(); ++i) add(form_.arrays[i].strides);
    add(form_.index.strides);
    form_.extents[form_.rank++] = form_.extents[0] / run;
    form_.extents[0] = run;
  }
  bring_to_second(channels);
}

ViewCall::Division ViewCall::in_units(unsigned width, unsigned units_of_thread) const noexcept {
  const std::uint64_t inner = form_.extents[0];
  if (width == 1 || inner < std::uint64_t{2} * width || !has_contiguous_outputs()) return in_single_elements();
  const auto bytes = static_cast<std::uint64_t>(operands_[geometry_.inputs].element_bytes) * width;
  std::uint64_t places = reinterpret_cast<std::uintptr_t>(arrays_[geometry_.inputs].pointer);
  for (unsigned d = 1; d < form_.rank; ++d)
    places |= static_cast<std::uint64_t>(form_.arrays[geometry_.inputs].strides[d]);
  const bool are_aligned = (places & (bytes - 1)) == 0;  // each row of the first output
  // A row that begins elsewhere may have one unit less.
  const std::uint64_t units = inner / width, single = inner % width + (are_aligned ? 0 : width);
  const std::uint64_t wanted = std::max<std::uint64_t>(units_of_thread, reads_words() ? 1 : kUnitsOfOtherThreads);
  const std::uint64_t most = std::min({wanted, units / kLeastThreads, form_.count / inner * units / kManyUnits});
  const std::uint64_t of_thread = units > families::kMostBlocks ? 1 : std::max<std::uint64_t>(most, 1);
  const std::uint64_t with_units = (units + of_thread - 1) / of_thread;
  return {
      .threads = form_.count / inner * (with_units + single), .inner = with_units + single, .with_units = with_units};
}

ViewCall::Division ViewCall::in_single_elements() const noexcept {
  const std::uint64_t inner = form_.extents[0];
  if (form_.rank < 2 || form_.extents[1] < kElementsOfThread || form_.count / kElementsOfThread < kManyUnits)
    return {.threads = form_.count, .inner = inner};
  const std::uint64_t second = (form_.extents[1] + kElementsOfThread - 1) / kElementsOfThread;
  return {.threads = form_.count / form_.extents[1] * second, .inner = inner, .second = second};
}

// Whether an input is read in words, each once. Memory then limits the speed, and else the instructions of threads do.
bool ViewCall::reads_words() const noexcept {
  for (std::size_t i = 0; i < geometry_.inputs; ++i) {
    const auto& strides = form_.arrays[i].strides;
    bool is_read_once = strides[0] == operands_[i].element_bytes;
    for (unsigned d = 1; d < form_.rank; ++d) is_read_once = is_read_once && strides[d] != 0;
    if (is_read_once) return true;
  }
  return geometry_.in_out_count > 0;
}

ViewCall::Division ViewCall::in_tiles(unsigned edge) const noexcept {
  const std::uint64_t inner = (form_.extents[0] + edge - 1) / edge, second = (form_.extents[1] + edge - 1) / edge;
  const std::uint64_t squares = form_.count / (form_.extents[0] * form_.extents[1]);
  return {.threads = squares * inner * second * GRAFT_TILE_THREADS, .inner = inner, .second = second};
}

void ViewCall::take_part(unsigned dimension, std::uint64_t first, std::uint64_t extent) noexcept {
  const auto distance = [&](std::int64_t stride) { return static_cast<std::int64_t>(first) * stride; };
  for (std::size_t i = 0; i < array_count(); ++i)
    if (!geometry_.arrays[i].is_opaque())
      arrays_[i].pointer = static_cast<std::byte*>(arrays_[i].pointer) + distance(form_.arrays[i].strides[dimension]);
  form_.index.offset += distance(form_.index.strides[dimension]);
  form_.count = form_.count / form_.extents[dimension] * extent;
  form_.extents[dimension] = extent;
}

ViewCall::Halves ViewCall::halves() const noexcept {
  unsigned d = form_.rank - 1;
  while (d > 0 && form_.extents[d] == 1) --d;
  const std::uint64_t extent = form_.extents[d];
  // A part begins with a whole unit or tile.
  const std::uint64_t first =
      d > 1 || extent < 2 * kLargestEdge ? extent / 2 : extent / 2 / kLargestEdge * kLargestEdge;
  return {.dimension = d, .first = first, .second = extent - first};
}

std::byte* ViewCall::lay_out_shape(const Division& division, std::byte* to) const noexcept {
  graft_shape shape = {};
  shape.rank = form_.rank;
  shape.inner = form_.extents[0];
  if (division.second != 0) shape.second = form_.extents[1];
  shape.threads_with_units = static_cast<std::uint32_t>(division.with_units);
  shape.first_index = form_.index.offset;
  for (unsigned d = 0; d < form_.rank; ++d) {
    shape.index_strides[d] = form_.index.strides[d];
    const std::uint64_t extent = d == 0                           ? division.inner
                                 : d == 1 && division.second != 0 ? division.second
                                                                  : form_.extents[d];
    shape.extents[d] = static_cast<std::uint32_t>(extent);
    const Divider divider = divider_of(shape.extents[d]);
    shape.multipliers[d] = divider.multiplier;
    shape.shifts[d] = divider.shift;
  }
  std::memcpy(to, &shape, sizeof shape);
  to += sizeof shape;
  for_each_pointer([&](const auto& strides) {
    std::memcpy(to, strides.data(), form_.rank * sizeof(std::int64_t));
    to += GRAFT_MAX_RANK * sizeof(std::int64_t);
  });
  return to;
}

std::string ViewCall::text() const {
  std::uint32_t rank = 0;
  for (std::size_t i = 0; i < array_count(); ++i) rank = std::max(rank, operands_[i].rank);
  std::string text = base::format("rank {}", form_.rank);
  if (rank != form_.rank) base::append(text, " (given: {})", rank);
  for (std::size_t i = 0; i < array_count() && form_.rank > 0; ++i) {
    const std::int64_t inner = form_.arrays[i].strides[0];
    const char* const kind = geometry_.arrays[i].is_opaque()       ? "reached by the callback"
                             : inner == operands_[i].element_bytes ? "contiguous"
                             : inner == 0                          ? "repeated"
                                                                   : "strided";
    base::append(text, "{} {} {}", i == 0 ? ":" : ",", array_name(i, geometry_.inputs), kind);
  }
  return text;
}

}  // namespace graft::elementwise
