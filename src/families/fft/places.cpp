#include "families/fft/places.hpp"

#include <algorithm>
#include <cstdlib>
#include <limits>

#include "base/format.hpp"

namespace graft::families::fft {
namespace {

struct Axis {
  std::uint64_t extent = 1;
  std::int64_t stride = 0;
};

// Numbers of elements, and their bytes, are counted in 63 bits.
constexpr std::int64_t kMostElements = std::int64_t{1} << 58;
ViewFault too_long() {
  return {"has more elements than any memory", "Give the extents and strides of an array that memory holds."};
}

// The axes of a view, those that are transformed in their order and those of the batch, the fastest first.
struct Axes {
  std::array<Axis, kMostPointDimensions> points = {};
  std::array<Axis, ArrayRef::kMostDimensions> batch = {};
  std::size_t batch_count = 0;
};

std::int64_t stride_of(const ArrayRef& view, std::size_t axis) {
  if (view.strides != nullptr) return view.strides[axis];
  std::int64_t stride = 1;
  for (std::size_t d = view.rank; --d > axis;)
    if (__builtin_mul_overflow(stride, std::max<std::int64_t>(view.shape[d], 1), &stride))
      return std::numeric_limits<std::int64_t>::max();
  return stride;
}

bool is_too_long(const Axis& axis) {
  return axis.extent > 1 && (axis.stride > kMostElements || axis.stride < -kMostElements);
}

ViewFault sort_axes(const ArrayRef& view, std::span<const int> given, std::span<const std::int64_t> extents,
                    Axes& sorted) {
  const auto rank = static_cast<int>(view.rank), wanted = static_cast<int>(extents.size());
  if (rank < wanted)
    return {base::format("has {}, but an FFT of {}", base::counted(rank, "dimension"), wanted),
            "Pass a view that has the dimensions of the FFT, behind those of the batch."};
  if (!given.empty() && given.size() != extents.size())
    return {base::format("has {} {} in FftLaunch, but an FFT has {}", given.size(), given.size() == 1 ? "axis" : "axes",
                         base::counted(wanted, "dimension")),
            "Name one axis for each dimension of the FFT, or leave FftLaunch::axes unset for the last ones."};
  std::array<bool, ArrayRef::kMostDimensions> is_transformed = {};
  for (int d = 0; d < wanted; ++d) {
    const int named = given.empty() ? rank - wanted + d : given[static_cast<std::size_t>(d)];
    const int axis = named < 0 ? named + rank : named;
    if (axis < 0 || axis >= rank)
      return {base::format("has no axis {}: it has {}", named, base::counted(rank, "dimension")),
              "Count axes from 0, or from the last one with -1."};
    const auto place = static_cast<std::size_t>(axis), dimension = static_cast<std::size_t>(d);
    if (is_transformed[place])
      return {base::format("has axis {} twice in FftLaunch", named), "Name every axis once; -1 is the last one."};
    is_transformed[place] = true;
    if (view.shape[place] != extents[dimension])
      return {base::format("has {} along axis {}, but an FFT has {} there", base::counted(view.shape[place], "element"),
                           named, extents[dimension]),
              "The axes of an FFT (FftLaunch::axes, or else the last ones of a view) have its extents: those of "
              "FftPlan::shape, and of real numbers, N/2 + 1 frequencies."};
    sorted.points[kMostPointDimensions - extents.size() + dimension] = {static_cast<std::uint64_t>(extents[dimension]),
                                                                        stride_of(view, place)};
  }
  for (std::size_t axis = view.rank; axis-- > 0;)
    if (!is_transformed[axis])
      sorted.batch[sorted.batch_count++] = {static_cast<std::uint64_t>(view.shape[axis]), stride_of(view, axis)};
  return {};
}

// Drops dimensions of one element, and makes one of two that lie in memory like one.
void merge(Axes& axes) {
  std::size_t kept = 0;
  for (std::size_t d = 0; d < axes.batch_count; ++d) {
    const Axis axis = axes.batch[d];
    if (axis.extent == 1) continue;
    Axis* const inner = kept > 0 ? &axes.batch[kept - 1] : nullptr;
    std::int64_t whole = 0;
    if (inner != nullptr && !__builtin_mul_overflow(inner->stride, static_cast<std::int64_t>(inner->extent), &whole) &&
        whole == axis.stride)
      inner->extent *= axis.extent;
    else axes.batch[kept++] = axis;
  }
  axes.batch_count = kept;
}

// A sufficient condition: sorted by their strides, no dimension begins before the faster ones have ended.
bool have_own_elements(std::span<const Axis> points, std::span<const Axis> batch) {
  std::array<Axis, kMostPointDimensions + kMostBatchDimensions> all = {};
  std::size_t count = 0;
  for (const std::span<const Axis> axes : {points, batch})
    for (const Axis& axis : axes)
      if (axis.extent > 1) all[count++] = axis;
  const auto less = [](const Axis& a, const Axis& b) { return std::abs(a.stride) < std::abs(b.stride); };
  std::sort(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(count), less);
  std::uint64_t end = 0;  // of the faster dimensions
  for (std::size_t i = 0; i < count; ++i) {
    const auto stride = static_cast<std::uint64_t>(std::abs(all[i].stride));
    if (stride <= end) return false;
    end += (all[i].extent - 1) * stride;
  }
  return true;
}

std::optional<Batch> batch_of(const ViewPlaces& view, std::span<const std::int64_t> extents) {
  const ArrayPlaces& places = view.places;
  if (places.dimensions > 1) return std::nullopt;
  Batch batch = {.count = view.count, .stride = places.points.back(), .distance = places.strides[0]};
  const ArrayPlaces same = places_of(batch, extents);
  return same.points == places.points ? std::optional(batch) : std::nullopt;
}

}  // namespace

bool are_columns(const ArrayPlaces& in, const ArrayPlaces& out, std::uint64_t points, std::uint64_t bytes) {
  constexpr std::uint64_t kTransfer = 32;  // what memory transfers at least
  // The bytes that are transferred for an element, if neighbouring threads access elements along an axis.
  const auto transferred = [&](std::uint64_t extent, std::uint64_t stride) {
    const std::uint64_t apart = std::min(stride, 0 - stride);  // strides may be negative
    if (extent <= 1 || apart >= kTransfer / bytes) return static_cast<double>(kTransfer);
    const std::uint64_t sectors = (extent * apart * bytes + kTransfer - 1) / kTransfer;
    return static_cast<double>(sectors * kTransfer) / static_cast<double>(extent);
  };
  double of_points = 0, of_ffts = 0;
  for (const ArrayPlaces* const side : {&in, &out}) {
    of_points += transferred(points, side->points.back());
    of_ffts += transferred(side->extents[0], side->strides[0]);
  }
  return of_ffts < of_points;
}

ArrayPlaces places_of(const Batch& batch, std::span<const std::int64_t> extents) {
  ArrayPlaces places;
  std::uint64_t stride = batch.stride;
  for (std::size_t d = 0; d < extents.size(); ++d) {
    const std::size_t from_last = extents.size() - 1 - d;
    places.points[kMostPointDimensions - 1 - d] = extents[from_last] > 1 ? stride : 0;
    stride *= static_cast<std::uint64_t>(extents[from_last]);
  }
  places.points.back() = batch.stride;
  places.extents[0] = batch.count;
  places.strides[0] = batch.distance;
  return places;
}

ViewFault read_view(const ArrayRef& view, std::span<const int> axes, std::span<const std::int64_t> extents,
                    ViewPlaces& found) {
  Axes sorted;
  if (ViewFault fault = sort_axes(view, axes, extents, sorted); fault) return fault;
  found.count = 1;
  for (std::size_t d = 0; d < sorted.batch_count; ++d) {
    const std::uint64_t extent = sorted.batch[d].extent;
    if (static_cast<std::int64_t>(extent) < 0) return {"has an extent below 0", "Give extents of 0 or more."};
    if (__builtin_mul_overflow(found.count, extent, &found.count) || found.count > std::uint64_t{kMostElements})
      return too_long();
  }
  if (found.count == 0) return {};
  if (std::ranges::any_of(sorted.points, is_too_long) ||
      std::any_of(sorted.batch.begin(), sorted.batch.begin() + static_cast<std::ptrdiff_t>(sorted.batch_count),
                  is_too_long))
    return too_long();
  merge(sorted);
  if (sorted.batch_count > kMostBatchDimensions)
    return {base::format("has {} dimensions beside those of the FFT, of which no two lie in memory like one, and "
                         "kernels take {}",
                         sorted.batch_count, kMostBatchDimensions),
            "Execute a call for each element of the slowest axis."};
  const std::span<const Axis> batch(sorted.batch.data(), sorted.batch_count);
  found.has_own_elements = have_own_elements(sorted.points, batch);
  std::int64_t last = 0;
  const auto place = [&](const Axis& axis) -> std::uint64_t {
    std::int64_t length = 0;  // from its first element to its last one
    if (axis.extent == 1) return 0;
    if (__builtin_mul_overflow(std::abs(axis.stride), static_cast<std::int64_t>(axis.extent - 1), &length) ||
        length > kMostElements || last + length > kMostElements)
      return last = kMostElements, 0;
    last += length;
    if (axis.stride >= 0) return static_cast<std::uint64_t>(axis.stride);
    found.moved -= length;
    found.places.first += static_cast<std::uint64_t>(length);
    return static_cast<std::uint64_t>(axis.stride);
  };
  for (std::size_t d = 0; d < kMostPointDimensions; ++d) found.places.points[d] = place(sorted.points[d]);
  if (extents.back() == 1) found.places.points.back() = 1;
  for (std::size_t d = 0; d < batch.size(); ++d) {
    found.places.extents[d] = batch[d].extent;
    found.places.strides[d] = place(batch[d]);
    if (d + 1 < batch.size()) found.places.dividers[d] = long_divider_of(batch[d].extent);
  }
  if (batch.empty()) found.places.extents[0] = 1;
  found.places.dimensions = std::max<std::size_t>(batch.size(), 1);
  if (last >= kMostElements) return too_long();
  found.elements = static_cast<std::uint64_t>(last) + 1;
  if (found.moved == 0) found.as_batch = batch_of(found, extents);
  return {};
}

}  // namespace graft::families::fft
