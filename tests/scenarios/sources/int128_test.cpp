// Tests 128-bit integers. In version 0.1, callbacks that use __int128 did not compile, because NVRTC refuses this type
// without the flag --device-int128.
#include <gtest/gtest.h>

#include <vector>

#include "support/compile.hpp"
#include "support/routes.hpp"

namespace graft::test {
namespace {

constexpr const char* kHighProduct =
    "__device__ unsigned long long f(unsigned long long x, unsigned long long y) {\n"
    "  return (unsigned long long)(((unsigned __int128)x * y) >> 64);\n}";
constexpr const char* kElements = "__device__ __int128 f(__int128 x, long long y) { return x + y; }";

TEST(Int128, CompileOnEveryGpuRouteThatCompilesSource) {
  for (const Route route : kGpuRoutes)
    for (const char* text : {kHighProduct, kElements}) {
      SCOPED_TRACE(testing::Message() << name(route) << ' ' << text);
      EXPECT_EQ(build(text, Architecture(90), by(route)).report().kernel.route, route);
    }
}

TEST(Int128, ComputeOnTheHost) {
  const std::vector<unsigned long long> x = {1ull << 63, ~0ull, 3}, y = {4, ~0ull, 5};
  std::vector<unsigned long long> out(3);
  Transform::create(kHighProduct, by(Route::Host)).execute(host, host_inputs(x, y), out);
  EXPECT_EQ(out, (std::vector<unsigned long long>{2, ~0ull - 1, 0}));
}

TEST(Int128, AreElementsOfArrays) {
  __extension__ using Wide = __int128;
  EXPECT_EQ(element_type<Wide>(), (ElementType{ElementKind::Signed, 16, 16}));
  const std::vector<Wide> x = {Wide(1) << 100, -1};
  const std::vector<long long> y = {5, -7};
  std::vector<Wide> out(2);
  Transform::create(kElements, by(Route::Host)).execute(host, host_inputs(x, y), out);
  EXPECT_TRUE(out[0] == (Wide(1) << 100) + 5 && out[1] == -8);
}

}  // namespace
}  // namespace graft::test
