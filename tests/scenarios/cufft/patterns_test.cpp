// Builds every callback of the table for GPUs, and computes with it on the host. tests/gpu computes with it on a GPU.
#include <gtest/gtest.h>

#include <algorithm>

#include "scenarios/cufft/patterns.hpp"
#include "support/errors.hpp"

namespace graft::test::cufft {

// Makes gtest print a pattern by its name. gtest finds the function in the pattern's namespace.
void PrintTo(const Pattern& pattern, std::ostream* out);
void PrintTo(const Pattern& pattern, std::ostream* out) {
  *out << pattern.name;
}

namespace {

class CufftPatterns : public testing::TestWithParam<Pattern> {};

TEST_P(CufftPatterns, AreInlinedOnGpuRoutes) {
  const Pattern& pattern = GetParam();
  for (const Route route : {Route::Lto, Route::Program}) {
    SCOPED_TRACE(name(route));
    const std::vector<Image> images = build(pattern.plan(), pattern.callbacks(), 90, pattern.options_for(route));
    ASSERT_EQ(images.size(), 1U);
    const Report& report = images[0].report();
    EXPECT_EQ(report.kernel.route, route);
    EXPECT_EQ(report.remaining_calls, std::vector<std::string>());
  }
}

TEST_P(CufftPatterns, ComputeOnTheHost) {
  const Pattern& pattern = GetParam();
  const auto make = [&] { return Fft::create(pattern.plan(), pattern.callbacks(), pattern.options_for(Route::Host)); };
  if (!pattern.runs_on_host) {
    EXPECT_EQ(error_of(make).code(), ErrorCode::CompileFailed);
    return;
  }
  Bytes data = pattern.data, info = pattern.info, out = pattern.out;
  const ArrayRef from(data.data(), data.size(), element_type<unsigned char>());
  const ArrayRef to(out.data(), out.size(), element_type<unsigned char>());
  FftLaunch launch = {.batch = kBatch};
  (pattern.is_load ? launch.info.load : launch.info.store) = info.data();
  // The other side has no callback, and thus points.
  const ElementType point = pattern.precision == FftPrecision::F32 ? element_type<std::complex<float>>()
                                                                   : element_type<std::complex<double>>();
  const ArrayRef points_from(data.data(), data.size() / point.size, point);
  const ArrayRef points_to(out.data(), out.size() / point.size, point);
  make().execute(host, pattern.is_load ? from : points_from, pattern.is_load ? points_to : to, Direction::Forward,
                 launch);
  EXPECT_EQ(pattern.error(out), "");
}

// A comparison that accepted anything would hide mistakes of all rows.
TEST_P(CufftPatterns, AreTold) {
  const Pattern& pattern = GetParam();
  EXPECT_NE(pattern.error(pattern.out), "");
  EXPECT_NE(pattern.error(Bytes(pattern.out.size(), std::byte{0xff})), "");  // for floating-point numbers, all are NaN
}

INSTANTIATE_TEST_SUITE_P(All, CufftPatterns, testing::ValuesIn(all_patterns()), [](const auto& row) {
  return row.param.is_load ? "Load" + row.param.name : "Store" + row.param.name;
});

// The pointers to callbacks, which the host of cuFFT reads, cost kernels nothing.
TEST(CufftPatternsInKernels, PointersCostNoRegisters) {
  for (const Pattern& pattern : all_patterns()) {
    Pattern without = pattern;
    const std::size_t pointer = without.text.rfind("__device__ cufft");
    ASSERT_NE(pointer, std::string::npos) << pattern.name;
    const std::size_t line = without.text.rfind('\n', pointer) + 1;
    ASSERT_EQ(without.text.find(';', line), without.text.find_last_not_of(" \n")) << pattern.name;
    without.text.resize(line);
    const auto registers_of = [](const Pattern& one) {
      return build(one.plan(), one.callbacks(), 90, one.options_for(Route::Lto)).at(0).report().resources.registers;
    };
    EXPECT_EQ(registers_of(pattern), registers_of(without)) << pattern.name;
  }
}

}  // namespace
}  // namespace graft::test::cufft
