// C10: a callback that returns a struct with const members was refused with the compiler's words about graft's adapter,
// because such a struct cannot be assigned. It can be copied, so graft copies its bits.
#include <gtest/gtest.h>

#include <vector>

#include "scenarios/forms/forms.hpp"
#include "support/compile.hpp"

namespace graft::test {
namespace {

constexpr Route kGpuRoutes[] = {Route::Lto, Route::Program, Route::Ptx, Route::Indirect};

struct Pair {
  float a;
  int b;
};

constexpr const char* kResult =
    "struct Pair { const float a; const int b; };\n"
    "__device__ Pair split(float x) { return Pair{2 * x, static_cast<int>(x)}; }";
constexpr const char* kArgument =
    "struct Pair { const float a; const int b; };\n"
    "__device__ float join(Pair p) { return p.a + p.b; }";

TEST(C10, ResultsWithConstMembersOnEveryRoute) {
  for (const Route route : kGpuRoutes) {
    SCOPED_TRACE(name(route));
    const Image image = build(kResult, Architecture(90), by(route));
    EXPECT_EQ(image.signature().text(), "Pair(float)");
    EXPECT_EQ(image.report().compiler_log, "");
  }
  const std::vector<float> in = {1.5f, -2};
  std::vector<Pair> out(2);
  Transform::create(kResult, by(Route::Host)).execute(host, in, out);
  EXPECT_EQ(out[0].a, 3.0f);
  EXPECT_EQ(out[0].b, 1);
  EXPECT_EQ(out[1].a, -4.0f);
  EXPECT_EQ(out[1].b, -2);
}

TEST(C10, InChainsStagesAndPacks) {
  const Callback chained = chain(kResult, kArgument);
  const Callback load =
      "struct Pair { const float a; const int b; };\n"
      "__device__ Pair load(void* data, unsigned long long i, void*, void*) { return {((float*)data)[i], 1}; }";
  for (const Route route : kGpuRoutes) {
    SCOPED_TRACE(name(route));
    EXPECT_EQ(build(chained, Architecture(90), by(route)).signature().text(), "float(float)");
    EXPECT_FALSE(build(Stages{.load = load, .op = kArgument}, Architecture(90), by(route)).bytes().empty());
  }
  const std::vector<float> in = {1.5f, -2};
  std::vector<float> out(2);
  Transform::create(chained, by(Route::Host)).execute(host, in, out);
  EXPECT_EQ(out, (std::vector<float>{4, -6}));
  const Callback pack = Callback::pack(Callback(kResult).precompile({90}));
  EXPECT_EQ(build(pack, Architecture(90)).signature().text(), "Pair(float)");
}

}  // namespace
}  // namespace graft::test
