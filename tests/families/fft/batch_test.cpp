// Tests the checks of strides and distances, against sets of the elements that are accessed.
#include "families/fft/batch.hpp"

#include <gmock/gmock.h>

#include <limits>
#include <set>

namespace graft::families::fft {
namespace {

TEST(Batch, OverlapsIfTwoPointsLieInOneElement) {
  int overlapping = 0, others = 0;
  for (std::int64_t length = 1; length <= 6; ++length)
    for (std::uint64_t count = 0; count <= 5; ++count)
      for (std::uint64_t stride = 0; stride <= 8; ++stride)
        for (std::uint64_t distance = 0; distance <= 14; ++distance) {
          std::set<std::uint64_t> elements;
          for (std::uint64_t b = 0; b < count; ++b)
            for (std::uint64_t p = 0; p < static_cast<std::uint64_t>(length); ++p)
              elements.insert(b * distance + p * stride);
          const Batch batch = {count, stride, distance};
          const bool expected = elements.size() < count * static_cast<std::uint64_t>(length);
          EXPECT_EQ(overlaps(length, batch), expected)
              << length << " points, " << count << " FFTs, stride " << stride << ", distance " << distance;
          EXPECT_EQ(elements_of(length, batch), elements.empty() ? 0 : *elements.rbegin() + 1);
          ++(expected ? overlapping : others);
        }
  EXPECT_GT(overlapping, 500);
  EXPECT_GT(others, 500);
}

// An array is filled if no element behind the first FFTs is left, or only those between an FFT and the next.
TEST(Batch, FillsAnArrayWithoutARest) {
  int filled = 0, others = 0;
  for (std::int64_t length = 1; length <= 6; ++length)
    for (std::uint64_t stride = 1; stride <= 4; ++stride)
      for (std::uint64_t distance = 1; distance <= 30; ++distance)
        for (std::uint64_t elements = 0; elements <= 70; ++elements) {
          std::uint64_t count = 0;
          while (elements_of(length, {count + 1, stride, distance}) <= elements) ++count;
          const std::uint64_t used = *elements_of(length, {count, stride, distance});
          const bool expected = used == elements || (count > 0 && count * distance >= elements);
          const std::optional<Batch> found = batch_filling(length, {1, stride, distance}, elements);
          ASSERT_EQ(found.has_value(), expected)
              << length << " points, stride " << stride << ", distance " << distance << ", " << elements;
          EXPECT_EQ(found ? found->count : count, count);
          ++(expected ? filled : others);
        }
  EXPECT_GT(filled, 500);
  EXPECT_GT(others, 500);
  EXPECT_EQ(batch_filling(8, {1, 0, 0}, 2), std::nullopt);
  EXPECT_EQ(batch_filling(8, {1, std::numeric_limits<std::uint64_t>::max(), 1}, 8), std::nullopt);
}

TEST(Batch, ElementsThatNoArrayCanHaveAreFound) {
  constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();
  EXPECT_EQ(elements_of(1024, {1, kMost, 0}), std::nullopt);
  EXPECT_EQ(elements_of(1, {kMost, 1, 2}), std::nullopt);
  EXPECT_EQ(elements_of(2, {2, kMost / 2, kMost / 2 + 1}), std::nullopt);
  EXPECT_EQ(elements_of(1, {kMost, 1, 1}), kMost);
  EXPECT_FALSE(overlaps(4, {2, kMost / 8, kMost}));
}

TEST(Batch, PointsThatNoMemoryHoldsAreFound) {
  constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();
  EXPECT_EQ(points_of(65536, 3), 3U * 65536);
  EXPECT_EQ(points_of(1, 0), 0U);
  EXPECT_EQ(points_of(1, (std::uint64_t{1} << 59) - 1), (std::uint64_t{1} << 59) - 1);
  // 2^45 + 1 FFTs of 65536 points of 8 bytes wrap to 524288 bytes, 2^63 FFTs are a negative number of thread blocks.
  for (const std::uint64_t count :
       {(std::uint64_t{1} << 45) + 1, std::uint64_t{1} << 48, std::uint64_t{1} << 63, kMost})
    EXPECT_EQ(points_of(65536, count), std::nullopt) << count;
  EXPECT_EQ(points_of(1, std::uint64_t{1} << 63), std::nullopt);
}

}  // namespace
}  // namespace graft::families::fft
