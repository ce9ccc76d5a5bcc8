#include "support/rotation.hpp"

#include <gtest/gtest.h>

#include "support/environment.hpp"

namespace graft::test {
namespace {

constexpr std::size_t kPlaces = 5;

TEST(Rotation, EachRowHasOnePlaceInARoundAndEveryPlaceInAllRounds) {
  const EnvironmentVariable usual("GRAFT_ALL_ARCHITECTURES");
  for (std::size_t row = 0; row < 12; ++row)
    for (std::size_t place = 0; place < kPlaces; ++place) {
      std::size_t rounds = 0;
      for (std::size_t round = 0; round < kPlaces; ++round) {
        const EnvironmentVariable variable("GRAFT_TEST_ROUND", std::to_string(round));
        std::size_t places = 0;
        for (std::size_t other = 0; other < kPlaces; ++other) places += is_turn_of(other, row, kPlaces);
        EXPECT_EQ(places, 1U);
        rounds += is_turn_of(place, row, kPlaces);
      }
      EXPECT_EQ(rounds, 1U) << "row " << row << ", place " << place;
    }
}

TEST(Rotation, WithoutARoundItIsTheFirst) {
  const EnvironmentVariable usual("GRAFT_ALL_ARCHITECTURES"), unset("GRAFT_TEST_ROUND");
  EXPECT_TRUE(is_turn_of(3, 3, kPlaces));
  EXPECT_EQ(rotation_text(), "GRAFT_TEST_ROUND=0");
}

TEST(Rotation, ALongRunHasEveryPlace) {
  const EnvironmentVariable all("GRAFT_ALL_ARCHITECTURES", "1");
  for (std::size_t place = 0; place < kPlaces; ++place) EXPECT_TRUE(is_turn_of(place, 7, kPlaces));
  EXPECT_EQ(rotation_text(), "GRAFT_ALL_ARCHITECTURES=1");
}

}  // namespace
}  // namespace graft::test
