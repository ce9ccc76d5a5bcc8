#include "families/reduce/views.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include "base/format.hpp"
#include "families/parameter.hpp"

namespace graft::families::reduce {
namespace {

// Of so few results, each has a thread block unless it is very short.
constexpr std::uint64_t kFewResults = 2048;
// With fewer results, each has several thread blocks; with more, the results are enough for the GPU.
constexpr std::uint64_t kResultsForAllBlocks = 512;
// As many thread blocks keep a GPU busy.
constexpr std::uint64_t kManyBlocks = 1024;
// With fewer thread blocks for columns, each of the 256 lanes has a thread.
constexpr std::uint64_t kFewBlocks = 128;

std::int64_t address(const ArrayRef& array) {
  return static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(array.pointer));
}

}  // namespace

ViewCall::ViewCall(const Called& called, const Arguments& arguments, Memory memory)
    : called_(called),
      arguments_(arguments),
      inputs_(called.signature.inputs().size()),
      outputs_(called.results),
      width_(group_width(called.signature)) {
  check_kinds(called, arguments);
  if (has_views(arguments)) check_stores_nothing(called);
  const auto add = [&](const ArrayRef& array, std::size_t i) {
    lengths_[i] = static_cast<std::int64_t>(array.count);
    operands_[i] = array.is_view() ? Operand{array.rank, array.shape, array.strides, array.type.size}
                                   : Operand{1, &lengths_[i], nullptr, array.type.size};
  };
  for (std::size_t i = 0; i < inputs_; ++i) add(arguments.inputs[i], i);
  for (std::size_t i = 0; i < outputs_; ++i) add(arguments.outputs[i], inputs_ + i);
  find_form();
  if (memory == Memory::Checked) check_state(called, arguments);
  if (is_empty()) return;
  if (form_.count == 0) {
    check_no_elements(called);
    for (std::size_t i = 0; i < inputs_; ++i) operands_[i] = {0, nullptr, nullptr, operands_[i].element_bytes};
    find_form();  // of the results
  } else {
    count_ = form_.count / form_.results;
  }
  chunks_ = cut(count_, width_);
  if (form_.folded < form_.rank) form_.bring(best_dimension_of_columns(), form_.folded, array_count());
  if (memory == Memory::None) return;
  check_pointers(called, arguments, count_ > 0 ? 0 : inputs_);
  check_overlap();
}

void ViewCall::find_form() {
  if (const std::optional<Misfit> misfit =
          make_form({operands_.data(), array_count()}, inputs_, IndexOf::Result, form_))
    refuse_call(called_, misfit->code, misfit->what, misfit->remedy);
}

void ViewCall::check_overlap() const {
  for (std::size_t output = inputs_; output < array_count(); ++output)
    for (std::size_t other = count_ > 0 ? 0 : inputs_; other < output; ++other) {
      const ArrayRef& of_output = arguments_.outputs[output - inputs_];
      const ArrayRef& of_other = other < inputs_ ? arguments_.inputs[other] : arguments_.outputs[other - inputs_];
      const std::int64_t distance =
          address(of_other) + form_.arrays[other].offset - address(of_output) - form_.arrays[output].offset;
      if (!may_meet(form_, output, operands_[output].element_bytes, other, operands_[other].element_bytes, distance))
        continue;
      refuse_call(called_, ErrorCode::Overlap,
                  base::format("{} (of the shape {}) overlaps {} (of the shape {})", array_name(output, inputs_),
                               shape_text(operands_[output]), array_name(other, inputs_), shape_text(operands_[other])),
                  "Pass an output in memory of its own.");
    }
}

bool ViewCall::is_contiguous(std::size_t input, unsigned dimension) const noexcept {
  return form_.arrays[input].strides[dimension] == operands_[input].element_bytes;
}

unsigned ViewCall::contiguous_inputs(unsigned dimension) const noexcept {
  unsigned found = 0;
  for (std::size_t i = 0; i < inputs_; ++i) found |= is_contiguous(i, dimension) ? 1u << i : 0;
  return found;
}

bool ViewCall::is_whole() const noexcept {
  if (form_.rank == 0) return true;  // of one element, or of none
  return form_.rank == 1 && form_.folded == 1 && std::popcount(contiguous_inputs(0)) == static_cast<int>(inputs_);
}

// The dimension of results in which most inputs are contiguous; the first one if there is none.
unsigned ViewCall::best_dimension_of_columns() const noexcept {
  unsigned best = form_.folded;
  for (unsigned d = form_.folded + 1; d < form_.rank; ++d)
    if (std::popcount(contiguous_inputs(d)) > std::popcount(contiguous_inputs(best))) best = d;
  return best;
}

KernelKind ViewCall::best() const noexcept {
  if (is_whole()) return KernelKind::Whole;
  const int of_elements = form_.folded > 0 ? std::popcount(contiguous_inputs(0)) : 0;
  if (is_served_by(KernelKind::Columns) && std::popcount(contiguous_inputs(form_.folded)) > of_elements &&
      has_columns_for_warps())
    return KernelKind::Columns;
  if (is_served_by(KernelKind::Tiny)) return KernelKind::Tiny;
  if (is_served_by(KernelKind::Chunks) && (form_.results >= kResultsForAllBlocks || has_many_chunks()))
    return KernelKind::Chunks;
  if (!is_served_by(KernelKind::Short)) return KernelKind::Long;
  const bool is_short =
      groups() <= GRAFT_REDUCE_FIRST_LANES || (groups() <= kMostGroupsOfShort && form_.results >= kFewResults);
  return is_short ? KernelKind::Short : KernelKind::Long;
}

// Whether the thread blocks of a kernel for columns have a warp at least.
bool ViewCall::has_columns_for_warps() const noexcept {
  return (form_.extents[form_.folded] + width_ - 1) / width_ * groups() >= 32;
}

bool ViewCall::is_served_by(KernelKind kind) const noexcept {
  switch (kind) {
    case KernelKind::Whole:
      return is_whole();
    case KernelKind::Tiny:
      return groups() <= 2 && form_.folded < 2;
    case KernelKind::Short:
      return chunks_.count == 1 && form_.folded < 2;
    case KernelKind::Long:
      return true;
    case KernelKind::Chunks:
      return chunks_.count > 1 && form_.folded < 2;
    case KernelKind::Columns:
      return form_.rank > form_.folded;
    case KernelKind::ShortSegments:
    case KernelKind::LongSegments:
      break;
  }
  return false;
}

Division ViewCall::divide(KernelKind kind, const Workspace& workspace) const noexcept {
  if (kind == KernelKind::Columns) return divide_into_columns(workspace);
  if (kind == KernelKind::Tiny)
    return {.pieces = form_.results,
            .threads_each = 1,
            .pieces_of_thread = static_cast<std::uint32_t>(graft_reduce_results_of_thread(
                static_cast<int>(width_), static_cast<int>(called_.signature.accumulator().value().size),
                static_cast<int>(inputs_)))};
  if (kind == KernelKind::Long) return in_blocks(chunks_.count);
  if (kind == KernelKind::Chunks)
    return in_blocks(form_.results < kResultsForAllBlocks && has_many_chunks() ? GRAFT_REDUCE_FIRST_LANES : 1);
  return in_threads(form_.results, groups(), width_, inputs_);
}

// Whether results have enough chunks for 32 thread blocks each, and enough thread blocks for the GPU then.
bool ViewCall::has_many_chunks() const noexcept {
  return chunks_.count > GRAFT_REDUCE_FIRST_LANES && form_.results * GRAFT_REDUCE_FIRST_LANES >= kManyBlocks;
}

Division ViewCall::in_blocks(std::uint32_t of_result) const noexcept {
  return {.pieces = form_.results,
          .blocks_each = of_result,
          .threads = GRAFT_REDUCE_LANES,
          .accumulators = of_result > 1 ? of_result : 0,
          .own = of_result};
}

// A thread block has `across` threads side by side for each of the lanes that it makes at once.
Division ViewCall::divide_into_columns(const Workspace& workspace) const noexcept {
  const std::uint64_t extent = form_.extents[form_.folded];
  std::uint32_t lanes = power_of_two(groups(), GRAFT_REDUCE_FIRST_LANES), across = GRAFT_REDUCE_LANES / lanes;
  while (across > 1 && std::uint64_t{across / 2} * width_ >= extent) across /= 2;
  const auto tiles = [&] {
    const std::uint64_t columns = std::uint64_t{across} * width_;
    return (extent + columns - 1) / columns;
  };
  // A thread makes its columns in parts, of which the last may have more than there are.
  const auto width = static_cast<int>(width_);
  const int at_once = graft_reduce_columns(width, static_cast<int>(called_.signature.accumulator().value().size));
  const int parts = (width + at_once - 1) / at_once;
  const std::uint64_t of_thread = static_cast<std::uint64_t>(parts) * static_cast<std::uint64_t>(at_once);
  const auto accumulators = [&] { return chunks_.count > 1 ? chunks_.count * of_thread * across : 0; };
  while (across > 1 && accumulators() > workspace.accumulators) across /= 2;
  const std::uint64_t outside = form_.results / extent;
  if (groups() > GRAFT_REDUCE_FIRST_LANES && (across == 1 || outside * tiles() * chunks_.count < kFewBlocks)) {
    across = 1;
    lanes = GRAFT_REDUCE_LANES;
  }
  return {.pieces = outside * tiles(),
          .blocks_each = chunks_.count,
          .threads = across * lanes,
          .accumulators = accumulators(),
          .own = exponent_of(across),
          .lanes = exponent_of(lanes),
          .tiles = tiles()};
}

std::uint32_t ViewCall::lay_out(KernelKind kind, const Division& division, const Part& part, graft_reduce_call call,
                                std::byte* parameter) const noexcept {
  call.count = count_;
  call.chunk_groups = chunks_.groups;
  call.chunks = chunks_.count;
  for (std::size_t i = 0; i < outputs_; ++i)
    call.outputs[i] = static_cast<std::byte*>(arguments_.outputs[i].pointer) + form_.arrays[inputs_ + i].offset;
  for (std::size_t i = outputs_; i < arguments_.outputs.size(); ++i) call.outputs[i] = arguments_.outputs[i].pointer;
  graft_reduce_shape shape;
  shape.first = part.first;
  shape.results = part.pieces;
  shape.reduced = form_.folded;
  shape.rank = form_.rank;
  const unsigned along = kind == KernelKind::Columns ? form_.folded : 0;
  shape.contiguous = along < form_.rank ? contiguous_inputs(along) : 0;
  shape.threads = division.own;
  shape.lanes = division.lanes;
  shape.tiles = divider_of_extent(division.tiles);
  for (unsigned d = 0; d < form_.rank; ++d) shape.dividers[d] = divider_of_extent(form_.extents[d]);
  shape.offsets = nullptr;
  std::byte* to = put_head(call, shape, parameter);
  for (std::size_t i = 0; i < array_count(); ++i, to += kStridesOfArray)
    std::memcpy(to, form_.arrays[i].strides.data(), form_.rank * sizeof(std::int64_t));
  base::UnsetArray<ArrayRef, GRAFT_MAX_INPUTS> inputs;
  for (std::size_t i = 0; i < inputs_; ++i) {
    inputs[i] = arguments_.inputs[i];
    inputs[i].pointer = static_cast<std::byte*>(inputs[i].pointer) + form_.arrays[i].offset;
  }
  Arguments moved = arguments_;
  moved.inputs = {inputs.data(), inputs_};
  return static_cast<std::uint32_t>(
      lay_out_arrays_and_state(static_cast<std::size_t>(to - parameter), moved, called_.signature.state(), parameter));
}

std::string ViewCall::text() const {
  if (is_empty()) return "no results: nothing is launched";
  return base::format("{} result{} of {} element{} each, in {} dimension{}", form_.results,
                      form_.results == 1 ? "" : "s", count_, count_ == 1 ? "" : "s", form_.rank,
                      form_.rank == 1 ? "" : "s");
}

}  // namespace graft::families::reduce
