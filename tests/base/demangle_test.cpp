// Tests that demangled names have a bounded length, whatever the mangled name is.
#include "base/demangle.hpp"

#include <gtest/gtest.h>

namespace graft::base {
namespace {

constexpr char kDigits[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";

// The name of a function that takes P<P<P<int, int>, P<int, int>>, ...> with this many levels. Each level adds a back
// reference and doubles the demangled name.
std::string function_of_nest(int levels) {
  std::string begin = "_Z1fP1PI", end = "iiE";
  for (int level = 1; level < levels; ++level) {
    begin += "S_I";
    end += std::string("S") + kDigits[level - 1] + "_E";
  }
  return begin + end;
}

TEST(Demangle, ReadableNamesHaveNoScopesOfGraftOrTheCompiler) {
  EXPECT_EQ(readable("_ZN35_INTERNAL_00000000_13_graft_program1gEf"), "g(float)");
  EXPECT_EQ(readable("_ZN12graft_text_01fENS_1SE"), "f(S)");
  EXPECT_EQ(readable("_ZN15my_graft_text_01fEv"), "my_graft_text_0::f()");
}

TEST(Demangle, NamesOfManyKilobytesStayMangled) {
  EXPECT_EQ(readable("_Z1ff"), "f(float)");
  EXPECT_EQ(readable("f"), "f");
  const std::string small = readable(function_of_nest(8));
  EXPECT_LT(function_of_nest(8).size(), 70u);
  EXPECT_TRUE(small.starts_with("f(P<P<P<P<P<P<P<P<int, int>, P<int, int> >, P<P<int, int>, ")) << small;
  const std::string large = function_of_nest(19);  // 36 back references
  EXPECT_EQ(demangled(large), "");
  EXPECT_EQ(readable(large), large);
}

}  // namespace
}  // namespace graft::base
