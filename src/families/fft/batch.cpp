#include "families/fft/batch.hpp"

#include <numeric>

namespace graft::families::fft {

std::optional<std::uint64_t> points_of(std::int64_t length, std::uint64_t count) {
  constexpr std::uint64_t kMostPoints = std::uint64_t{1} << 59;  // a point has up to 16 bytes
  std::uint64_t points = 0;
  if (__builtin_mul_overflow(static_cast<std::uint64_t>(length), count, &points) || points >= kMostPoints)
    return std::nullopt;
  return points;
}

std::optional<std::uint64_t> elements_of(std::int64_t length, const Batch& batch) {
  if (batch.count == 0) return 0;
  std::uint64_t of_point = 0, of_fft = 0, last = 0, elements = 0;
  if (__builtin_mul_overflow(static_cast<std::uint64_t>(length) - 1, batch.stride, &of_point) ||
      __builtin_mul_overflow(batch.count - 1, batch.distance, &of_fft) ||
      __builtin_add_overflow(of_point, of_fft, &last) || __builtin_add_overflow(last, 1, &elements))
    return std::nullopt;
  return elements;
}

std::optional<Batch> batch_filling(std::int64_t length, Batch layout, std::uint64_t elements) {
  layout.count = 1;
  const std::optional<std::uint64_t> of_one = elements_of(length, layout);
  layout.count = 0;
  if (elements == 0) return layout;
  if (!of_one || elements < *of_one) return std::nullopt;
  // With distance 0, all FFTs are the first one.
  const std::uint64_t further = layout.distance == 0 ? 0 : (elements - *of_one) / layout.distance;
  const std::uint64_t rest = elements - *of_one - further * layout.distance;
  const std::uint64_t gap = layout.distance > *of_one ? layout.distance - *of_one : 0;
  layout.count = 1 + further;
  return rest <= gap ? std::optional(layout) : std::nullopt;
}

bool overlaps(std::int64_t length, const Batch& batch) {
  if (batch.count == 0) return false;
  const auto points = static_cast<std::uint64_t>(length);
  if (batch.stride == 0 && points > 1) return true;
  if (batch.distance == 0 && batch.count > 1) return true;
  if (points == 1 || batch.count == 1) return false;
  // Two points lie in one element if b * distance = p * stride, for distances b < count of their FFTs and p < length of
  // their numbers. The least b and p for which this is so are
  const std::uint64_t divisor = std::gcd(batch.stride, batch.distance);
  const std::uint64_t b = batch.stride / divisor, p = batch.distance / divisor;
  return b < batch.count && p < points;
}

}  // namespace graft::families::fft
