// Which integer types of <cstdint> a text declares itself.
#include "reflect/own_types.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace graft::reflect {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

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
