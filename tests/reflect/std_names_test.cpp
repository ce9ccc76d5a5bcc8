// Which headers the names of namespace std in a text need.
#include "reflect/std_names.hpp"

#include <gtest/gtest.h>

#include <string>

namespace graft::reflect {
namespace {

std::string headers(std::string_view text) {
  std::vector<std::string_view> found;
  add_std_headers(text, found);
  std::string all;
  for (const std::string_view header : found) all.append(all.empty() ? 0 : 1, ' ').append(header);
  return all;
}

TEST(StdNames, BringTheirHeaders) {
  EXPECT_EQ(headers("std::sqrt(x)"), "cmath cstddef cstdint");
  EXPECT_EQ(headers("std::uint8_t b; std::size_t n;"), "cmath cstddef cstdint");
  EXPECT_EQ(headers("using std::max;"), "cmath cstddef cstdint algorithm");
  EXPECT_EQ(headers("std::swap(a, b); std::numeric_limits<float>::max()"), "cmath cstddef cstdint utility limits");
  EXPECT_EQ(headers("std::is_same_v<A, B>, std::enable_if_t<true>"), "cmath cstddef cstdint type_traits");
}

TEST(StdNames, OfOtherNamespacesDoNotCount) {
  EXPECT_EQ(headers("cuda::std::max(a, b) + mystd::min(a, b)"), "");
  EXPECT_EQ(headers("x = 1"), "");
}

}  // namespace
}  // namespace graft::reflect
