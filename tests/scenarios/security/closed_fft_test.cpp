// Tests of sentences 19, 22 and 26 of docs/security.md for FFTs, whose callbacks may be formulas of strangers too.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "scenarios/security/closed.hpp"

namespace graft::test {
namespace {

using testing::HasSubstr;

constexpr const char* kLoad = "__device__ float2 load(short a, graft::Index i) { return make_float2(a, i % 3); }";
constexpr const char* kStore = "__device__ float store(float2 z) { return z.x + z.y; }";

TEST(Security, S26_AChildMakesTheKernelsOfAnFft) {
  Engine engine(no_cache());
  const FftPlan plan{.length = 1000};
  const FftCallbacks callbacks{.load = kLoad, .store = kStore};
  const std::vector<Image> in_child = build(engine, plan, callbacks, kArchitecture, closed());
  const std::vector<Image> here = build(engine, plan, callbacks, kArchitecture);
  ASSERT_EQ(in_child.size(), here.size());
  for (std::size_t i = 0; i < here.size(); ++i)
    EXPECT_TRUE(std::ranges::equal(in_child[i].bytes(), here[i].bytes())) << here[i].report().kernel.name;
}

TEST(Security, S26_EachCallbackOfAnFftIsChecked) {
  const std::string includes = "#include \"/etc/passwd\"\n[](float2 z) { return z; }";
  const std::string asks = "[](float2 z) { return __has_include(\"/etc/passwd\") ? z : -z; }";
  const std::string assembles = "[](float2 z) { asm(\"exit;\"); return z; }";
  Engine engine(no_cache());
  for (const std::string& bad : {includes, asks, assembles})
    for (const FftCallbacks& callbacks : {FftCallbacks{.load = bad}, FftCallbacks{.store = bad},
                                          FftCallbacks{.between = bad}, FftCallbacks{.load = kLoad, .store = bad}}) {
      const auto is_refused = [](const Error& error) {
        return error.code() == ErrorCode::InvalidArgument &&
               error.message().find("refused in the closed mode") != error.message().npos;
      };
      const FftPlan plan{.length = 8};
      EXPECT_TRUE(is_refused(error_of([&] { build(engine, plan, callbacks, kArchitecture, closed()); })));
      EXPECT_TRUE(is_refused(error_of([&] { Fft::create(engine, plan, callbacks, closed()); })));
      EXPECT_TRUE(is_refused(error_of([&] { Fft::create_async(engine, plan, callbacks, closed()).get(); })));
      EXPECT_TRUE(is_refused(
          error_of([&] { precompile(engine, plan, callbacks, {kArchitecture}, PrecompileFormat::Pack, closed()); })));
    }
  EXPECT_EQ(engine.counters().builds, 0u);
}

TEST(Security, S26_TheHostRouteOfAnFftIsRefused) {
  Options options = closed();
  options.routes.required = Route::Host;
  Engine engine(no_cache());
  EXPECT_THAT(error_of([&] { Fft::create(engine, {.length = 8}, {.load = kLoad}, options); }).message(),
              HasSubstr("the host route is refused"));
}

// The plan of an FFT decides how many registers its kernels need, so an FFT without a callback can exceed the bound.
// The message must not accuse the author of a formula.
TEST(Security, S22_AnFftThatNeedsMoreRegistersIsNoAttack) {
  Engine engine(no_cache());
  const FftPlan plan{.length = 65536, .precision = FftPrecision::F64};
  const auto expect_refused = [](const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::CompileFailed);
    EXPECT_THAT(error.message(), HasSubstr("of an FFT needs "));
    EXPECT_THAT(error.message(), HasSubstr("registers, but Closed::max_registers allows 128"));
    EXPECT_THAT(error.remedy(), HasSubstr("Raise Closed::max_registers"));
  };
  expect_refused(error_of([&] { build(engine, plan, {}, kArchitecture, closed()); }));
  expect_refused(
      error_of([&] { precompile(engine, plan, {}, {kArchitecture}, PrecompileFormat::PackWithCubins, closed()); }));
  const std::vector<Image> images = build(engine, plan, {}, kArchitecture, closed({.max_registers = 255}));
  EXPECT_FALSE(images.empty());
  EXPECT_TRUE(std::ranges::any_of(images, [](const Image& one) { return one.report().resources.registers > 128; }));
}

}  // namespace
}  // namespace graft::test
