// Tests file times that are outside the range of the system clock's type.
#include "store/file_time.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>

namespace graft::store {
namespace {

using Clock = std::chrono::system_clock;
using namespace std::chrono_literals;

constexpr std::int64_t kBillion = 1'000'000'000;

TEST(FileTime, IsTheClocksWhereThatHoldsIt) {
  for (const std::int64_t seconds : {std::int64_t{0}, std::int64_t{1}, std::int64_t{-1}, 2 * kBillion, -2 * kBillion,
                                     std::int64_t{9'223'372'035}, std::int64_t{-9'223'372'035}})
    for (const long nanoseconds : {0L, 1L, 999'999'999L})
      EXPECT_EQ(file_time({seconds, nanoseconds}).time_since_epoch().count(), seconds * kBillion + nanoseconds);
}

TEST(FileTime, IsTheNearestThatTheClockHolds) {
  for (const std::int64_t seconds : {std::int64_t{9'223'372'036}, std::int64_t{13'569'465'600}, std::int64_t{1} << 40,
                                     std::numeric_limits<std::int64_t>::max()})
    EXPECT_EQ(file_time({seconds, 999'999'999}), Clock::time_point::max()) << seconds;
  for (const std::int64_t seconds : {std::int64_t{-9'223'372'036}, std::int64_t{-14'831'769'600},
                                     -(std::int64_t{1} << 40), std::numeric_limits<std::int64_t>::min()})
    EXPECT_EQ(file_time({seconds, 0}), Clock::time_point::min()) << seconds;
}

TEST(FileTime, AgesDoNotOverflow) {
  const Clock::time_point now(1'800'000'000s);
  EXPECT_EQ(age(now, now), 0s);
  EXPECT_EQ(age(now, now - 5s), 5s);
  EXPECT_EQ(age(now, now + 5s), 0s);
  EXPECT_EQ(age(now, Clock::time_point(-3s)), 1'800'000'003s);
  EXPECT_EQ(age(now, Clock::time_point::max()), 0s);
  EXPECT_EQ(age(now, Clock::time_point::min()), Clock::duration::max());
  EXPECT_EQ(age(now, Clock::time_point::min() + 1'700'000'000s), Clock::duration::max());
  EXPECT_EQ(age(now, Clock::time_point(now - Clock::duration::max())), Clock::duration::max());
}

}  // namespace
}  // namespace graft::store
