// Tests how sizes and times are written as text for people.
#include "cli/output/size_text.hpp"

#include <gtest/gtest.h>

namespace graft::cli {
namespace {

using std::chrono::seconds;

TEST(SizeText, Ages) {
  EXPECT_EQ(parse_age("90s"), seconds(90));
  EXPECT_EQ(parse_age("15m"), seconds(15 * 60));
  EXPECT_EQ(parse_age("12h"), seconds(12 * 3600));
  EXPECT_EQ(parse_age("30d"), seconds(30 * 86400));
  EXPECT_EQ(parse_age("0s"), seconds(0));
  for (const char* text : {"", "5", "d", "-1d", "5 d", "5dd", "1.5h", "5w", "24856d", "99999999999999999999s"})
    EXPECT_FALSE(parse_age(text)) << text;
}

TEST(SizeText, Sizes) {
  EXPECT_EQ(size_text(0), "0 bytes");
  EXPECT_EQ(size_text(1023), "1023 bytes");
  EXPECT_EQ(size_text(1536), "1.5 KiB");
  EXPECT_EQ(size_text(std::uint64_t{5} << 40), "5120.0 GiB");
  EXPECT_EQ(kernels_text(0), "0 kernels");
  EXPECT_EQ(kernels_text(1), "1 kernel");
}

TEST(SizeText, Times) {
  EXPECT_EQ(time_text(std::chrono::system_clock::time_point(seconds(86400 + 61))), "1970-01-02T00:01:01Z");
}

}  // namespace
}  // namespace graft::cli
