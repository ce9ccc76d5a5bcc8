// Computes with the callbacks of files for cuFFT (tests/scenarios/cufft) on a GPU, on every route that makes FFTs.
#include <complex>

#include "gpu/device.hpp"
#include "scenarios/cufft/patterns.hpp"

namespace graft::test::cufft {

// Makes gtest print a pattern by its name. gtest finds the function in the pattern's namespace.
void PrintTo(const Pattern& pattern, std::ostream* out);
void PrintTo(const Pattern& pattern, std::ostream* out) {
  *out << pattern.name;
}

namespace {

class CufftPatternsOnGpu : public Gpu, public testing::WithParamInterface<Pattern> {};

ArrayRef array_at(const DeviceArray<std::byte>& memory, const ElementType& type) {
  return {memory.data(), memory.size() / type.size, type};
}

TEST_P(CufftPatternsOnGpu, Compute) {
  const Pattern& pattern = GetParam();
  const ElementType any = element_type<unsigned char>();
  const ElementType point = pattern.precision == FftPrecision::F32 ? element_type<std::complex<float>>()
                                                                   : element_type<std::complex<double>>();
  for (const Route route : {Route::Lto, Route::Program, Route::Ptx}) {
    SCOPED_TRACE(name(route));
    const DeviceArray<std::byte> data(pattern.data), info(pattern.info), out(pattern.out);
    FftLaunch launch = {.batch = kBatch};
    (pattern.is_load ? launch.info.load : launch.info.store) = info.data();
    const Fft fft = Fft::create(pattern.plan(), pattern.callbacks(), pattern.options_for(route));
    fft.execute(nullptr, array_at(data, pattern.is_load ? any : point), array_at(out, pattern.is_load ? point : any),
                Direction::Forward, launch);
    check(cudaDeviceSynchronize());
    EXPECT_EQ(pattern.error(out.host()), "");
    EXPECT_TRUE(out.guards_are_intact());
  }
}

INSTANTIATE_TEST_SUITE_P(All, CufftPatternsOnGpu, testing::ValuesIn(all_patterns()),
                         [](const auto& row) { return (row.param.is_load ? "Load" : "Store") + row.param.name; });

}  // namespace
}  // namespace graft::test::cufft
