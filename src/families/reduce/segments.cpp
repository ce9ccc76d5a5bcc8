#include "families/reduce/segments.hpp"

#include <cstring>
#include <optional>

#include "base/format.hpp"
#include "families/form.hpp"
#include "families/parameter.hpp"
#include "families/reduce/order.hpp"

namespace graft::families::reduce {
namespace {

std::optional<unsigned> kind_of(const ElementType& type) {
  const bool is_signed = type.kind == ElementKind::Signed, is_unsigned = type.kind == ElementKind::Unsigned;
  if (type.size == 8 && is_signed) return GRAFT_REDUCE_OFFSETS_I64;
  if (type.size == 8 && is_unsigned) return GRAFT_REDUCE_OFFSETS_U64;
  if (type.size == 4 && is_signed) return GRAFT_REDUCE_OFFSETS_I32;
  if (type.size == 4 && is_unsigned) return GRAFT_REDUCE_OFFSETS_U32;
  return std::nullopt;
}

std::int64_t offset_at(const ArrayRef& offsets, std::size_t i) {
  const auto at = [&]<class T>(T) { return static_cast<std::int64_t>(static_cast<const T*>(offsets.pointer)[i]); };
  switch (*kind_of(offsets.type)) {
    case GRAFT_REDUCE_OFFSETS_I32:
      return at(std::int32_t{});
    case GRAFT_REDUCE_OFFSETS_U32:
      return at(std::uint32_t{});
    default:
      return at(std::int64_t{});
  }
}

void check_offsets(const Called& called, const ArrayRef& offsets) {
  if (!kind_of(offsets.type))
    refuse_call(called, ErrorCode::TypeMismatch, base::format("the offsets are {}", to_string(offsets.type)),
                "Give offsets that are integers of 4 or 8 bytes.");
  if (offsets.is_view())
    refuse_call(called, ErrorCode::InvalidArgument, "the offsets are a graft::view", "Give {pointer, count}.");
  if (offsets.count == 0)
    refuse_call(called, ErrorCode::CountMismatch, "there are no offsets",
                "Give the beginning of each segment, and the end of the last.");
  if (offsets.pointer == nullptr)
    refuse_call(called, ErrorCode::InvalidArgument, "the offsets are null", "Pass a pointer to the offsets.");
  if (reinterpret_cast<std::uintptr_t>(offsets.pointer) % offsets.type.size != 0)
    refuse_call(called, ErrorCode::Misaligned,
                base::format("the offsets are not aligned to {} bytes", offsets.type.size),
                base::format("Begin at a multiple of {} bytes.", offsets.type.size));
}

void check_order(const Called& called, const ArrayRef& offsets, std::uint64_t elements) {
  std::int64_t before = 0;
  for (std::size_t i = 0; i < offsets.count; ++i) {
    const std::int64_t one = offset_at(offsets, i);
    if (one < before || static_cast<std::uint64_t>(one) > elements)
      refuse_call(called, ErrorCode::InvalidArgument,
                  base::format("offset {} is {}, behind {}, and the inputs have {} elements", i, one, before, elements),
                  "Give offsets that do not descend, from 0 on, up to the length of the inputs.");
    before = one;
  }
}

}  // namespace

SegmentCall::SegmentCall(const Called& called, const Arguments& arguments, const ArrayRef& offsets, bool is_on_host)
    : called_(called), arguments_(arguments), offsets_(offsets) {
  check_kinds(called, arguments);
  check_stores_nothing(called);
  check_offsets(called, offsets);
  results_ = offsets.count - 1;
  const std::uint64_t elements = arguments.inputs[0].count;
  const std::size_t inputs = arguments.inputs.size();
  for (std::size_t i = 0; i < inputs + arguments.outputs.size(); ++i) {
    const ArrayRef& array = array_at(arguments, i);
    const std::uint64_t wanted = i < inputs ? elements : results_;
    check_is_no_view(called, array, i, "segments");
    if (array.count != wanted)
      refuse_call(called, ErrorCode::CountMismatch,
                  base::format("{} has {} elements, and {} {}", array_name(i, inputs), array.count,
                               i < inputs ? "those of input 0 are" : "the segments are", wanted),
                  "Pass inputs of the same length, and outputs with an element for each segment: one less than "
                  "offsets.");
  }
  check_state(called, arguments);
  if (is_empty()) return;
  check_pointers(called, arguments);
  for (std::size_t i = 0; i < arguments.outputs.size(); ++i) {
    const ArrayRef& output = arguments.outputs[i];
    bool is_alone = !overlap(output, offsets);
    for (const ArrayRef& input : arguments.inputs) is_alone = is_alone && !overlap(output, input);
    for (std::size_t k = 0; k < i; ++k) is_alone = is_alone && !overlap(output, arguments.outputs[k]);
    if (!is_alone)
      refuse_call(called, ErrorCode::Overlap, base::format("output {} overlaps another array", i),
                  "Pass an output in memory of its own.");
  }
  if (is_on_host) check_order(called, offsets, elements);
}

std::uint64_t SegmentCall::mean_groups() const noexcept {
  const unsigned width = group_width(called_.signature);
  return (arguments_.inputs[0].count / results_ + width - 1) / width;
}

KernelKind SegmentCall::best() const noexcept {
  return mean_groups() <= kMostGroupsOfShort ? KernelKind::ShortSegments : KernelKind::LongSegments;
}

Division SegmentCall::divide(KernelKind kind) const noexcept {
  if (kind == KernelKind::LongSegments) return {.pieces = results_, .own = 1};
  return in_threads(results_, mean_groups(), group_width(called_.signature), called_.signature.inputs().size());
}

std::uint32_t SegmentCall::lay_out(const Division& division, const Part& part, graft_reduce_call call,
                                   std::byte* parameter) const noexcept {
  const std::uint64_t elements = arguments_.inputs[0].count;
  call.count = elements;
  call.chunks = 1;
  for (std::size_t i = 0; i < arguments_.outputs.size(); ++i) call.outputs[i] = arguments_.outputs[i].pointer;
  graft_reduce_shape shape = {};
  shape.first = part.first;
  shape.results = part.pieces;
  shape.reduced = 1;
  shape.rank = 2;
  shape.contiguous = (1u << arguments_.inputs.size()) - 1;
  shape.threads = division.own;
  shape.offsets = offsets_.pointer;
  shape.offset_kind = kind_of(offsets_.type).value();
  shape.elements = elements;
  std::byte* to = put_head(call, shape, parameter);
  // The elements lie along the first dimension, and the results along the second.
  const auto put = [&](std::int64_t of_elements, std::int64_t of_results) {
    const std::int64_t strides[] = {of_elements, of_results};
    std::memcpy(to, strides, sizeof strides);
    to += kStridesOfArray;
  };
  for (const ElementType& type : called_.signature.inputs()) put(type.size, 0);
  for (const ElementType& type : called_.signature.outputs()) put(0, type.size);
  return static_cast<std::uint32_t>(lay_out_arrays_and_state(static_cast<std::size_t>(to - parameter), arguments_,
                                                             called_.signature.state(), parameter));
}

}  // namespace graft::families::reduce
