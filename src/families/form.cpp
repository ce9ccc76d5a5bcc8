#include "families/form.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <numeric>
#include <vector>

#include "base/format.hpp"
#include "graft/arrays.hpp"

namespace graft::families {
namespace {

constexpr std::size_t kMostArrays = GRAFT_MAX_INPUTS + GRAFT_MAX_OUTPUTS;
constexpr std::size_t kMostDimensions = ArrayRef::kMostDimensions;

// The most bytes between two elements of an array. Sums of some such numbers fit into 64 bits.
constexpr std::int64_t kMostBytes = std::int64_t{1} << 60;

// A dimension of the call, before it is merged.
struct Dimension {
  std::int64_t extent;
  std::int64_t strides[kMostArrays];  // in bytes
  std::int64_t index;
  bool is_folded;
};

// The extent of an operand in dimension `d` of the call, counted from the right.
std::int64_t extent_of(const Operand& operand, std::size_t d) {
  return d < operand.rank ? operand.shape[operand.rank - 1 - d] : 1;
}

std::string extents_text(std::span<const std::int64_t> extents) {
  std::string text = "(";
  for (std::size_t i = 0; i < extents.size(); ++i) base::append(text, "{}{}", i == 0 ? "" : ", ", extents[i]);
  return text + ")";
}

class FormMaker {
 public:
  FormMaker(std::span<const Operand> operands, std::size_t inputs, IndexOf index, CallForm& form)
      : operands_(operands), inputs_(inputs), index_(index), form_(form) {
    std::fill_n(offsets_, operands.size(), 0);
    // The first output, else the first input. A callback may reach its arrays itself, and then they have no order.
    const auto is_known = [&](std::size_t k) { return operands[k].element_bytes != 0; };
    reference_ = inputs;
    while (reference_ < operands.size() && !is_known(reference_)) ++reference_;
    if (reference_ == operands.size()) reference_ = 0;
    while (reference_ < operands.size() && !is_known(reference_)) ++reference_;
  }

  // Each step returns false if it found a misfit.
  std::optional<Misfit> make() {
    form_.rank = form_.folded = 0;
    const bool fits = align() && count();
    if (fits && form_.count == 0) return std::nullopt;
    if (fits && read_strides() && check_outputs()) {
      turn_round();
      sort();
      merge();
      if (write()) return std::nullopt;
    }
    return std::move(misfit_);
  }

 private:
  bool refuse(ErrorCode code, std::string what, std::string remedy) {
    misfit_ = Misfit{code, std::move(what), std::move(remedy)};
    return false;
  }

  std::string name(std::size_t k) const { return array_name(k, inputs_); }
  std::string call_shape() const {
    std::vector<std::int64_t> extents(extents_, extents_ + rank_);
    std::ranges::reverse(extents);
    return extents_text(extents);
  }

  // Finds the extents of the call, the last dimension first.
  bool align() {
    for (std::size_t k = 0; k < operands_.size(); ++k) {
      const Operand& operand = operands_[k];
      if (operand.rank > kMostDimensions)
        return refuse(ErrorCode::InvalidArgument, base::format("{} has too many dimensions, or no extents", name(k)),
                      base::format("Give the extents of at most {} dimensions.", kMostDimensions));
      rank_ = std::max<std::size_t>(rank_, operand.rank);
    }
    std::fill_n(extents_, rank_, 1);
    std::size_t source[kMostDimensions];  // which operand gave the extent
    std::fill_n(source, rank_, 0);
    for (std::size_t k = 0; k < operands_.size(); ++k)
      for (std::size_t d = 0; d < operands_[k].rank; ++d) {
        const std::int64_t extent = extent_of(operands_[k], d);
        if (extent < 0)
          return refuse(
              ErrorCode::InvalidArgument,
              base::format("{} has the shape {}, with a negative extent", name(k), shape_text(operands_[k])),
              "Give the number of elements of each dimension, at most 2^63 - 1; only strides may be negative.");
        if (extent == 1 || extent == extents_[d]) continue;
        if (extents_[d] != 1) return refuse_alignment(source[d], k, d);
        extents_[d] = extent;
        source[d] = k;
      }
    for (std::size_t k = inputs_; k < operands_.size(); ++k) {
      if (operands_[k].element_bytes == 0) continue;
      if (index_ == IndexOf::Result) {
        if (!is_like_first_output(k)) return false;
        continue;
      }
      bool is_whole = operands_[k].rank == rank_;
      for (std::size_t d = 0; d < rank_; ++d) is_whole = is_whole && extent_of(operands_[k], d) == extents_[d];
      if (!is_whole)
        return refuse(ErrorCode::CountMismatch,
                      base::format("{} has the shape {}, and the call has {}: an output is never repeated", name(k),
                                   shape_text(operands_[k]), call_shape()),
                      "Give each output the shape of the call, as a graft::view: the extents of all arrays, aligned at "
                      "the right.");
    }
    return true;
  }

  bool is_like_first_output(std::size_t k) {
    bool is_like = true;
    for (std::size_t d = 0; d < rank_; ++d)
      is_like = is_like && extent_of(operands_[k], d) == extent_of(operands_[inputs_], d);
    return is_like || refuse(ErrorCode::CountMismatch,
                             base::format("output 0 has the shape {}, and {} has {}", shape_text(operands_[inputs_]),
                                          name(k), shape_text(operands_[k])),
                             "Give all outputs one shape.");
  }

  // Whether the elements of a result lie along dimension `d` of the call.
  bool is_folded(std::size_t d) const {
    return index_ == IndexOf::Result && extents_[d] != 1 && extent_of(operands_[inputs_], d) == 1;
  }

  bool refuse_alignment(std::size_t first, std::size_t second, std::size_t d) {
    return refuse(
        ErrorCode::CountMismatch,
        base::format("{} has the shape {}, and {} has {}: counted from the right, dimension {} is {} and {}",
                     name(first), shape_text(operands_[first]), name(second), shape_text(operands_[second]), d + 1,
                     extent_of(operands_[first], d), extent_of(operands_[second], d)),
        index_ == IndexOf::Result
            ? "Give extents that are equal or 1. Shapes align at the right: for a result of each row, give outputs the "
              "extents (rows, 1)."
            : "Give extents that are equal or 1. Shapes align at the right: to repeat a column, give it the extents "
              "(rows, 1).");
  }

  bool count() {
    std::int64_t count = 1;
    bool is_empty = false, fits = true;
    for (std::size_t d = 0; d < rank_; ++d) is_empty = is_empty || extents_[d] == 0;
    for (std::size_t d = 0; d < rank_ && !is_empty; ++d)
      fits = fits && !__builtin_mul_overflow(count, extents_[d], &count);
    if (!fits)
      return refuse(ErrorCode::InvalidArgument, base::format("the shape {} has 2^63 or more elements", call_shape()),
                    "Split the call into several.");
    form_.count = is_empty ? 0 : static_cast<std::uint64_t>(count);
    return count_results();
  }

  bool count_results() {
    bool is_empty = false, fits = true;
    form_.results = 1;
    for (std::size_t d = 0; d < rank_; ++d) is_empty = is_empty || (!is_folded(d) && extents_[d] == 0);
    for (std::size_t d = 0; d < rank_ && !is_empty; ++d)
      if (!is_folded(d))
        fits = fits && !__builtin_mul_overflow(form_.results, static_cast<std::uint64_t>(extents_[d]), &form_.results);
    if (is_empty) form_.results = 0;
    return fits ||
           refuse(ErrorCode::InvalidArgument, base::format("the shape {} has 2^63 or more results", call_shape()),
                  "Split the call into several.");
  }

  // Reads the dimensions that have more than one element.
  bool read_strides() {
    std::int64_t dense[kMostArrays], span[kMostArrays], index = 1;
    std::fill_n(dense, operands_.size(), 1);
    std::fill_n(span, operands_.size(), 0);
    for (std::size_t d = 0; d < rank_; ++d) {
      Dimension& dimension = dimensions_[dimension_count_];
      dimension.extent = extents_[d];
      dimension.is_folded = is_folded(d);
      dimension.index = index_ == IndexOf::Result && !dimension.is_folded ? 0 : index;
      if (dimension.index != 0) index *= extents_[d];
      for (std::size_t k = 0; k < operands_.size(); ++k) {
        const Operand& operand = operands_[k];
        const std::int64_t extent = extent_of(operand, d);
        std::int64_t stride = 0;
        if (extent > 1) stride = operand.strides != nullptr ? operand.strides[operand.rank - 1 - d] : dense[k];
        dense[k] *= extent;
        std::int64_t steps;
        if (__builtin_mul_overflow(stride, operand.element_bytes, &dimension.strides[k]) ||
            __builtin_mul_overflow(dimension.strides[k], extents_[d] - 1, &steps) ||
            steps == std::numeric_limits<std::int64_t>::min() ||
            __builtin_add_overflow(span[k], steps < 0 ? -steps : steps, &span[k]) || span[k] > kMostBytes)
          return refuse(ErrorCode::InvalidArgument,
                        base::format("the elements of {} of the shape {} lie more than 2^60 bytes apart", name(k),
                                     shape_text(operand)),
                        "Give strides in elements, not in bytes.");
      }
      dimension_count_ += extents_[d] > 1 ? 1 : 0;
    }
    return true;
  }

  // An output has each of its elements in a place of its own. To find out exactly is hard; what lies in memory as
  // arrays and their parts do passes.
  bool check_outputs() {
    for (std::size_t k = inputs_; k < operands_.size(); ++k) {
      if (operands_[k].element_bytes == 0) continue;
      std::int64_t order[kMostDimensions];
      std::size_t count = 0;
      for (std::size_t i = 0; i < dimension_count_; ++i)
        if (!dimensions_[i].is_folded) order[count++] = static_cast<std::int64_t>(i);
      const auto stride = [&](std::int64_t i) {
        const std::int64_t one = dimensions_[i].strides[k];
        return one < 0 ? -one : one;
      };
      std::sort(order, order + count, [&](auto a, auto b) { return stride(a) < stride(b); });
      std::int64_t reach = operands_[k].element_bytes;  // of the smaller dimensions
      for (std::size_t i = 0; i < count; ++i) {
        if (stride(order[i]) < reach)
          return refuse(ErrorCode::Overlap,
                        base::format("{} of the shape {} has several elements in one place{}", name(k),
                                     shape_text(operands_[k]), stride(order[i]) == 0 ? ": a stride is 0" : ""),
                        "Give an output strides with which each element has memory of its own.");
        reach += stride(order[i]) * (dimensions_[order[i]].extent - 1);
      }
    }
    return true;
  }

  std::int64_t reference(const Dimension& dimension) const {
    return reference_ == operands_.size() ? dimension.index : dimension.strides[reference_];
  }

  void turn_round() {
    for (std::size_t i = 0; i < dimension_count_; ++i) {
      Dimension& dimension = dimensions_[i];
      if (dimension.is_folded || reference(dimension) >= 0) continue;
      const auto turn = [&](std::int64_t& offset, std::int64_t& stride) {
        offset += stride * (dimension.extent - 1);
        stride = -stride;
      };
      for (std::size_t k = 0; k < operands_.size(); ++k) turn(offsets_[k], dimension.strides[k]);
      turn(index_offset_, dimension.index);
    }
  }

  void sort() {
    const auto is_before = [&](const Dimension& a, const Dimension& b) {
      if (a.is_folded || b.is_folded) return a.is_folded && !b.is_folded;  // the folded ones keep their order
      return reference(a) < reference(b);
    };
    for (Dimension* one = dimensions_; one != dimensions_ + dimension_count_; ++one)  // std::stable_sort allocates
      std::rotate(std::upper_bound(dimensions_, one, *one, is_before), one, one + 1);
    if (index_ != IndexOf::None) return;
    // Any order does, so the elements are numbered in that of the form.
    std::int64_t index = 1;
    for (std::size_t i = 0; i < dimension_count_; ++i) {
      dimensions_[i].index = index;
      index *= dimensions_[i].extent;
    }
    index_offset_ = 0;
  }

  bool lie_like_one(const Dimension& inner, const Dimension& outer) const {
    bool all = inner.index * inner.extent == outer.index;
    for (std::size_t k = 0; k < operands_.size(); ++k) all = all && inner.strides[k] * inner.extent == outer.strides[k];
    return all;
  }

  void merge() {
    std::size_t last = 0;
    for (std::size_t i = 1; i < dimension_count_; ++i) {
      if (lie_like_one(dimensions_[last], dimensions_[i])) dimensions_[last].extent *= dimensions_[i].extent;
      else dimensions_[++last] = dimensions_[i];
    }
    if (dimension_count_ > 0) dimension_count_ = last + 1;
  }

  bool write() {
    if (dimension_count_ > GRAFT_MAX_RANK) {
      std::vector<std::int64_t> extents;
      for (std::size_t i = dimension_count_; i-- > 0;) extents.push_back(dimensions_[i].extent);
      return refuse(ErrorCode::InvalidArgument,
                    base::format("{} dimensions are left of the shape {} when those that lie in memory like one are "
                                 "merged, {}; a call may have {}",
                                 dimension_count_, call_shape(), extents_text(extents), GRAFT_MAX_RANK),
                    "Call once for each part of the outermost dimension.");
    }
    form_.rank = static_cast<unsigned>(dimension_count_);
    while (form_.folded < form_.rank && dimensions_[form_.folded].is_folded) ++form_.folded;
    for (std::size_t i = 0; i < dimension_count_; ++i) {
      form_.extents[i] = static_cast<std::uint64_t>(dimensions_[i].extent);
      for (std::size_t k = 0; k < operands_.size(); ++k) form_.arrays[k].strides[i] = dimensions_[i].strides[k];
      form_.index.strides[i] = dimensions_[i].index;
    }
    for (std::size_t k = 0; k < operands_.size(); ++k) form_.arrays[k].offset = offsets_[k];
    form_.index.offset = index_offset_;
    return true;
  }

  std::span<const Operand> operands_;
  std::size_t inputs_, reference_;
  IndexOf index_;
  CallForm& form_;
  std::optional<Misfit> misfit_;
  std::size_t rank_ = 0, dimension_count_ = 0;
  std::int64_t extents_[kMostDimensions];  // of the call, the last first
  std::int64_t offsets_[kMostArrays], index_offset_ = 0;
  Dimension dimensions_[kMostDimensions + 1];  // one more, because the last may be written and then dropped
};

// ---- overlap ----

// Elements of two arrays are apart by `stride` bytes, `least` to `most` times.
struct Stride {
  std::int64_t stride, least, most;

  std::int64_t reach() const { return stride * std::max(-least, most); }
};

// Whether two elements can be so many bytes apart that their bytes meet, if their places differ by `rest` bytes and by
// the steps that are left. Gives up after `budget` tries, and then returns true.
bool can_meet(std::span<const Stride> steps, std::int64_t rest, std::int64_t a_bytes, std::int64_t b_bytes,
              int& budget) {
  if (steps.empty()) return -b_bytes < rest && rest < a_bytes;
  if (--budget < 0) return true;
  std::int64_t reach = std::max(a_bytes, b_bytes);  // of the smaller steps
  for (const Stride& step : steps.subspan(1)) reach += step.reach();
  const Stride& step = steps.front();
  const std::int64_t near = -rest / step.stride;
  const std::int64_t around = reach / step.stride + 1;
  for (std::int64_t k = std::max(step.least, near - around); k <= std::min(step.most, near + around); ++k)
    if (can_meet(steps.subspan(1), rest + k * step.stride, a_bytes, b_bytes, budget)) return true;
  return false;
}

struct Reach {
  std::int64_t below = 0, above = 0;  // from the first element, in bytes
};
Reach reach_of(const CallForm& form, std::size_t array, std::int64_t bytes) {
  Reach reach{0, bytes};
  for (unsigned d = 0; d < form.rank; ++d) {
    const std::int64_t last = form.arrays[array].strides[d] * static_cast<std::int64_t>(form.extents[d] - 1);
    (last < 0 ? reach.below : reach.above) += last;
  }
  return reach;
}

}  // namespace

Divider divider_of(std::uint32_t extent) {
  const auto shift = static_cast<unsigned>(std::bit_width(extent - 1));
  const std::uint64_t dividend = ((std::uint64_t{1} << shift) - extent) << 32;
  return {static_cast<std::uint32_t>(dividend / extent + 1), static_cast<std::uint8_t>(shift)};
}

LongDivider long_divider_of(std::uint64_t extent) noexcept {
  __extension__ using Wide = unsigned __int128;
  const auto shift = static_cast<unsigned>(std::bit_width(extent - 1));
  const Wide missing = (Wide{1} << shift) - extent;
  return {static_cast<std::uint64_t>((missing << 64) / extent + 1), shift};
}

std::string array_name(std::size_t i, std::size_t inputs) {
  return i < inputs ? base::format("input {}", i) : base::format("output {}", i - inputs);
}

std::string shape_text(const Operand& operand) {
  return extents_text({operand.shape, operand.rank});
}

void CallForm::bring(unsigned dimension, unsigned place, std::size_t array_count) noexcept {
  const auto bring = [&](auto& numbers) {
    std::rotate(numbers.begin() + place, numbers.begin() + dimension, numbers.begin() + dimension + 1);
  };
  bring(extents);
  for (std::size_t i = 0; i < array_count; ++i) bring(arrays[i].strides);
  bring(index.strides);
}

bool CallForm::is_flat(std::span<const Operand> operands) const {
  if (rank == 0) return true;
  bool all = rank == 1 && index.offset == 0 && index.strides[0] == 1;
  for (std::size_t k = 0; k < operands.size() && all; ++k) all = arrays[k].strides[0] == operands[k].element_bytes;
  return all;
}

std::optional<Misfit> make_form(std::span<const Operand> operands, std::size_t inputs, IndexOf index, CallForm& form) {
  return FormMaker(operands, inputs, index, form).make();
}

bool may_meet(const CallForm& form, std::size_t a, std::int64_t a_bytes, std::size_t b, std::int64_t b_bytes,
              std::int64_t distance) {
  const Reach of_a = reach_of(form, a, a_bytes), of_b = reach_of(form, b, b_bytes);
  // Arrays in different parts of memory can be further apart than a difference of their ends can say.
  __extension__ typedef __int128 Wide;
  if (Wide(distance) + of_b.below >= of_a.above || Wide(distance) + of_b.above <= of_a.below) return false;
  const auto& a_strides = form.arrays[a].strides;
  const auto& b_strides = form.arrays[b].strides;
  std::int64_t common = 0;
  for (unsigned d = 0; d < form.rank; ++d) {
    common = std::gcd(common, std::gcd(a_strides[d], b_strides[d]));
  }
  if (common > 0) {
    const std::int64_t place = (distance % common + common) % common;
    if (place >= a_bytes && place + b_bytes <= common) return false;
  }
  // A dimension in which both arrays have one stride takes them apart by the difference of two places, any other by the
  // places of each.
  std::array<Stride, std::size_t{2} * GRAFT_MAX_RANK> steps;
  std::size_t count = 0;
  const auto add = [&](std::int64_t stride, std::int64_t least, std::int64_t most) {
    if (stride > 0) steps[count++] = {stride, least, most};
    else if (stride < 0) steps[count++] = {-stride, -most, -least};
  };
  for (unsigned d = 0; d < form.rank; ++d) {
    const auto last = static_cast<std::int64_t>(form.extents[d] - 1);
    if (a_strides[d] == b_strides[d]) {
      add(a_strides[d], -last, last);
    } else {
      add(a_strides[d], -last, 0);
      add(b_strides[d], 0, last);
    }
  }
  std::sort(steps.begin(), steps.begin() + count, [](const Stride& x, const Stride& y) { return x.stride > y.stride; });
  int budget = 4096;
  return can_meet({steps.data(), count}, distance, a_bytes, b_bytes, budget);
}

}  // namespace graft::families
