// Tests the dividers by which kernels make coordinates of an index.
#include "families/elementwise/coordinates.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <random>
#include <vector>

namespace graft::elementwise {
namespace {

// As the kernels compute it.
std::uint64_t quotient(std::uint64_t number, const graft_divider& by) {
  __extension__ using Wide = unsigned __int128;
  return (static_cast<std::uint64_t>(Wide{number} * by.multiplier >> 64) + number) >> by.shift;
}

TEST(Coordinates, DividersAreRightForEveryNumber) {
  std::mt19937_64 random(20261127);
  constexpr std::uint64_t kMost = (std::uint64_t{1} << 63) - 1;
  std::vector<std::uint32_t> extents = {1,   2,     3,     4,          5,          7,          255,        256,
                                        257, 65535, 65536, 0x7fffffff, 0x80000000, 0x80000001, 0xfffffffe, 0xffffffff};
  for (int i = 0; i < 200; ++i) extents.push_back(static_cast<std::uint32_t>(random() >> (32 + random() % 31)) | 1);
  for (const std::uint32_t extent : extents) {
    const graft_divider divider = coordinate_divider(extent);
    ASSERT_EQ(divider.extent, extent);
    std::vector<std::uint64_t> numbers = {0,
                                          1,
                                          extent - 1u,
                                          extent,
                                          extent + std::uint64_t{1},
                                          kMost,
                                          kMost / extent * extent,
                                          kMost / extent * extent - 1};
    for (int i = 0; i < 200; ++i) {
      const std::uint64_t multiple = (random() >> (1 + random() % 62)) / extent * extent;
      numbers.insert(numbers.end(), {multiple, multiple + extent - 1});
    }
    for (const std::uint64_t number : numbers) ASSERT_EQ(quotient(number, divider), number / extent) << extent;
  }
}

TEST(Coordinates, OfTheOutermostDimensionAreNotDivided) {
  std::array<graft_divider, 3> dividers;
  const auto put = [&](const std::vector<std::uint64_t>& extents) {
    put_dividers(extents, dividers.size(), reinterpret_cast<std::byte*>(dividers.data()));
  };
  put({std::uint64_t{1} << 40});
  for (const graft_divider& divider : dividers) EXPECT_EQ(quotient(std::uint64_t{1} << 40, divider), 0u);
  put({3, 5, 1, 1});
  EXPECT_EQ(quotient(14, dividers[0]), 4u);
  EXPECT_EQ(quotient(4, dividers[1]), 0u);
  put({3, 5, 4, 7});
  EXPECT_EQ(quotient(300, dividers[2]), 75u);
}

TEST(Coordinates, HaveThirtyTwoBits) {
  constexpr std::uint64_t kLong = std::uint64_t{1} << 32;
  const std::vector<std::uint64_t> extents = {4, kLong, 7};
  EXPECT_EQ(long_extent(extents, 1), std::nullopt);
  EXPECT_EQ(long_extent(extents, 2), kLong);
  EXPECT_EQ(long_extent(std::vector<std::uint64_t>{kLong - 1}, 5), std::nullopt);
}

}  // namespace
}  // namespace graft::elementwise
