// Tests the table of architectures: which versions of CUDA know them, and what messages say.
#include "plan/architectures.hpp"

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

namespace graft::plan {
namespace {

// The architectures from 75 on that each NVRTC lists (nvrtcGetSupportedArchs).
const std::map<Version, std::vector<int>> kLists = {
    {{12, 4}, {75, 80, 86, 87, 89, 90}},
    {{12, 8}, {75, 80, 86, 87, 89, 90, 100, 101, 120}},
    {{12, 9}, {75, 80, 86, 87, 89, 90, 100, 101, 103, 120, 121}},
    {{13, 0}, {75, 80, 86, 87, 88, 89, 90, 100, 103, 110, 120, 121}},
    {{13, 3}, {75, 80, 86, 87, 88, 89, 90, 100, 103, 110, 120, 121}},
    {{13, 4}, {75, 80, 86, 87, 88, 89, 90, 100, 103, 107, 110, 120, 121}},
    {{13, 5}, {75, 80, 86, 87, 88, 89, 90, 100, 103, 107, 110, 120, 121}},
};

TEST(Architectures, AreThoseThatNvrtcLists) {
  for (const auto& [version, list] : kLists) {
    std::vector<int> known;
    for (int number = 75; number < 200; ++number)
      if (first_version(number) && may_know(version, number)) known.push_back(number);
    EXPECT_EQ(known, list) << version.text();
  }
}

TEST(Architectures, OfFamiliesCameWith12_9) {
  EXPECT_FALSE(may_know({12, 8}, Architecture(100, 'f')));
  EXPECT_TRUE(may_know({12, 8}, Architecture(100, 'a')));
  EXPECT_TRUE(may_know({12, 9}, Architecture(100, 'f')));
}

TEST(Architectures, WithoutARowMayBeKnown) {
  EXPECT_TRUE(may_know({12, 4}, 300));
  EXPECT_FALSE(first_version(300));
  EXPECT_EQ(who_does("NVRTC", 300), "");
}

TEST(Architectures, AreNamedWithTheVersionsThatKnowThem) {
  EXPECT_EQ(who_does("NVRTC", 103), " (NVRTC 12.9 and newer do)");
  EXPECT_EQ(who_does("nvJitLink", Architecture(120, 'f')), " (nvJitLink 12.9 and newer do)");
  EXPECT_EQ(who_does("NVRTC", Architecture(101, 'a')),
            " (NVRTC 12.8 and newer of CUDA 12 do; CUDA 13.0 calls it sm_110a)");
  EXPECT_EQ(new_name({13, 0}, Architecture(101, 'f')), Architecture(110, 'f'));
  EXPECT_EQ(new_name({12, 9}, 101), std::nullopt);
  EXPECT_EQ(new_name({13, 0}, 100), std::nullopt);
  for (const Architecture architecture : known_architectures()) EXPECT_NE(architecture, Architecture(101));
}

}  // namespace
}  // namespace graft::plan
