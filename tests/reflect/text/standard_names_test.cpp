// Which headers the names of namespace std in a text need, and which integer types of <cstdint> a text declares itself.
#include "reflect/text/standard_names.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace graft::reflect {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

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

TEST(StdNames, LimitsOfIntegersNeedTheirHeader) {
  EXPECT_EQ(headers("x < INT32_MAX"), "cstdint");
  EXPECT_EQ(headers("UINT8_MAX + SIZE_MAX"), "cstdint");
  EXPECT_EQ(headers("FLT_MAX + K_MAX_COUNT + INT32_M"), "");
}

TEST(StdNames, OfOtherNamespacesDoNotCount) {
  EXPECT_EQ(headers("cuda::std::max(a, b) + mystd::min(a, b)"), "");
  EXPECT_EQ(headers("x = 1"), "");
}

TEST(OwnWideTypes, AreTypedefsAndAliases) {
  EXPECT_THAT(own_wide_types("typedef long long int64_t;"), ElementsAre("int64_t"));
  EXPECT_THAT(own_wide_types("typedef unsigned long uint64_t, *pointer; typedef long intptr_t;"),
              ElementsAre("intptr_t"));
  EXPECT_THAT(own_wide_types("using uintptr_t = unsigned long; using int64_t = long;"),
              ElementsAre("uintptr_t", "int64_t"));
  EXPECT_THAT(own_wide_types("namespace n { typedef long long int64_t; } typedef long int64_t;"),
              ElementsAre("int64_t"));
}

TEST(OwnWideTypes, AreNotUsesOfThem) {
  EXPECT_THAT(own_wide_types("int64_t f(int64_t x) { return x; }"), IsEmpty());
  EXPECT_THAT(own_wide_types("typedef int64_t number; using index = uint64_t;"), IsEmpty());
  EXPECT_THAT(own_wide_types("// typedef long long int64_t;\n\"typedef long int64_t;\""), IsEmpty());
  EXPECT_THAT(own_wide_types("typedef int int32_t; typedef unsigned char uint8_t;"), IsEmpty());
  // The text wants both types, which only its compiler can tell apart.
  EXPECT_THAT(own_wide_types("typedef long long int64_t; std::int64_t x;"), IsEmpty());
}

}  // namespace
}  // namespace graft::reflect
