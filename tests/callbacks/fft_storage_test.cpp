// FFTs of arrays of halves and bfloat16 (FftPlan::storage_in, storage_out), and callbacks for one direction alone
// (FftCallbacks::inverse), on the host.
#include <cuda_bf16.h>

#include "support/errors.hpp"
#include "tests/callbacks/fft_callbacks.hpp"

namespace graft::test {
namespace {

using testing::HasSubstr;

Options on_host() {
  Options options;
  options.routes.required = Route::Host;
  return options;
}

template <class Half>
struct Rounding;
template <>
struct Rounding<__half> {
  static constexpr FftStorage kStorage = FftStorage::F16;
  static constexpr double kUnits = 8192;  // a half has 13 bits fewer than a float
  static __half of(float x) { return __float2half_rn(x); }
  static float of(__half x) { return __half2float(x); }
};
template <>
struct Rounding<__nv_bfloat16> {
  static constexpr FftStorage kStorage = FftStorage::BF16;
  static constexpr double kUnits = 65536;
  static __nv_bfloat16 of(float x) { return __float2bfloat16_rn(x); }
  static float of(__nv_bfloat16 x) { return __bfloat162float(x); }
};

template <class Half>
class FftStorages : public testing::Test {
 protected:
  using Numbers = Rounding<Half>;
  using Complex = graft::complex<Half>;

  static std::vector<Complex> points(std::size_t count) {
    std::vector<Complex> made;
    for (const auto& value : random_points<float>(count, 7))
      made.push_back({Numbers::of(value.real()), Numbers::of(value.imag())});
    return made;
  }
  static std::vector<Wide> wide(const std::vector<Complex>& of) {
    std::vector<Wide> made;
    for (const Complex value : of) made.emplace_back(Numbers::of(value.re), Numbers::of(value.im));
    return made;
  }
  static std::vector<std::complex<float>> single(const std::vector<Complex>& of) {
    std::vector<std::complex<float>> made;
    for (const Complex value : of) made.emplace_back(Numbers::of(value.re), Numbers::of(value.im));
    return made;
  }
};
using Halves = testing::Types<__half, __nv_bfloat16>;
TYPED_TEST_SUITE(FftStorages, Halves);

TYPED_TEST(FftStorages, CalculateInFloat) {
  using Rounded = Rounding<TypeParam>;
  for (const std::size_t n : {4U, 60U, 74U, 1024U}) {
    const auto in = TestFixture::points(2 * n);
    const std::vector<Wide> expected = ffts_of(TestFixture::wide(in), n);
    const FftPlan plan = {.length = static_cast<std::int64_t>(n), .storage_in = Rounded::kStorage};
    std::vector<std::complex<float>> exact(in.size());
    Fft::create(plan, {}, on_host()).execute(host, in, exact);
    EXPECT_LT(rms_in_roundings(exact, expected), 8) << n;
    FftPlan both = plan;
    both.storage_out = Rounded::kStorage;
    const Fft fft = Fft::create(both, {}, on_host());
    std::vector<graft::complex<TypeParam>> out(in.size());
    fft.execute(host, in, out);
    EXPECT_LT(rms_in_roundings(TestFixture::single(out), expected), Rounded::kUnits) << n;
    EXPECT_GT(rms_in_roundings(TestFixture::single(out), expected), Rounded::kUnits / 16) << n;
    EXPECT_EQ(fft.plan().storage_in, Rounded::kStorage);
    EXPECT_EQ(fft.plan().storage_out, Rounded::kStorage);
  }
}

TYPED_TEST(FftStorages, OfNumbersGoThereAndBackInBothDirections) {
  using Rounded = Rounding<TypeParam>;
  const Fft fft = Fft::create({.length = 60,
                               .scaling = FftScaling::ByLength,
                               .kind = FftKind::Real,
                               .storage_in = Rounded::kStorage,
                               .storage_out = Rounded::kStorage},
                              {}, on_host());
  std::vector<TypeParam> x, back(120);
  std::vector<Wide> wide;
  for (const float value : random_numbers<float>(120, 3)) {
    x.push_back(Rounded::of(value));
    wide.emplace_back(Rounded::of(x.back()));
  }
  std::vector<graft::complex<TypeParam>> spectra(62);
  fft.execute(host, x, spectra);
  std::vector<Wide> half;
  const std::vector<Wide> whole = ffts_of(wide, 60);
  for (std::size_t k = 0; k < whole.size(); ++k)
    if (k % 60 <= 30) half.push_back(whole[k]);
  EXPECT_LT(rms_in_roundings(TestFixture::single(spectra), half), Rounded::kUnits);
  fft.execute(host, spectra, back, Direction::Inverse);
  std::vector<float> found;
  for (const TypeParam value : back) found.push_back(Rounded::of(value));
  EXPECT_LT(rms_in_roundings(found, wide), 2 * Rounded::kUnits);
}

TEST(FftStorage, TooLargeResultsAreInfinities) {
  std::vector<graft::complex<__half>> x(16), y(16);
  for (auto& value : x) value = {__float2half_rn(60000), __float2half_rn(0)};
  Fft::create({.length = 16, .storage_in = FftStorage::F16, .storage_out = FftStorage::F16}, {}, on_host())
      .execute(host, x, y);
  EXPECT_EQ(__half2float(y[0].re), INFINITY);
  for (std::size_t k = 1; k < 16; ++k) EXPECT_EQ(__half2float(y[k].re), 0) << k;
}

TEST(FftStorage, TakesPairsOfHalves) {
  std::vector<__half2> x(16, __floats2half2_rn(1, 0)), y(16);
  Fft::create({.length = 16, .storage_in = FftStorage::F16, .storage_out = FftStorage::F16}, {}, on_host())
      .execute(host, x, y);
  EXPECT_EQ(__half2float(y[0].x), 16);
}

TEST(FftStorage, MistakesAreRefused) {
  const auto message = [](const FftPlan& plan, const FftCallbacks& callbacks = {}) {
    const Error error = error_of([&] { Fft::create(plan, callbacks, on_host()); });
    return std::string(error.what());
  };
  EXPECT_THAT(message({.length = 16, .precision = FftPrecision::F64, .storage_in = FftStorage::F16}),
              HasSubstr("FftPlan::precision is F64"));
  const Callback load("__device__ float2 my_load(float x) { return make_float2(x, 0); }");
  EXPECT_THAT(message({.length = 16, .storage_in = FftStorage::F16}, {.load = load}),
              HasSubstr("FftPlan::storage_in says what an array holds, and so does the load callback"));
  EXPECT_THAT(message({.length = 16, .storage_in = static_cast<FftStorage>(3)}), HasSubstr("FftPlan::storage_in"));
  std::vector<std::complex<float>> x(16), y(16);
  const Fft fft = Fft::create({.length = 16, .storage_in = FftStorage::F16}, {}, on_host());
  EXPECT_THAT(error_of([&] { fft.execute(host, x, y); }).what(), HasSubstr("input 0 holds complex<float>"));
}

TEST(FftDirectionCallbacks, EachDirectionHasItsOwn) {
  const Callback doubled("__device__ float2 doubled(float2 z) { return make_float2(2 * z.x, 2 * z.y); }");
  const Callback negated("__device__ float2 negated(float2 z) { return make_float2(-z.x, -z.y); }");
  const Fft fft =
      Fft::create({.length = 1}, {.load = doubled, .inverse = FftSideCallbacks{.store = negated}}, on_host());
  std::vector<std::complex<float>> x = {{3, 4}}, y(1);
  fft.execute(host, x, y);
  EXPECT_EQ(y[0], std::complex<float>(6, 8));
  fft.execute(host, x, y, Direction::Inverse);
  EXPECT_EQ(y[0], std::complex<float>(-3, -4));
  const Fft none = Fft::create({.length = 1}, {.load = doubled, .inverse = FftSideCallbacks{}}, on_host());
  none.execute(host, x, y, Direction::Inverse);
  EXPECT_EQ(y[0], x[0]);
}

TEST(FftDirectionCallbacks, OfARealFft) {
  const Callback half("__device__ float half_of(short x) { return 0.5f * x; }");
  const Callback rounded("__device__ short rounded(float x) { return static_cast<short>(rintf(2 * x)); }");
  const Fft fft = Fft::create({.length = 30, .scaling = FftScaling::ByLength, .kind = FftKind::Real},
                              {.load = half, .inverse = FftSideCallbacks{.store = rounded}}, on_host());
  std::vector<short> x, back(30);
  for (int i = 0; i < 30; ++i) x.push_back(static_cast<short>(i * i % 37 - 11));
  std::vector<std::complex<float>> spectrum(16);
  fft.execute(host, x, spectrum);
  fft.execute(host, spectrum, back, Direction::Inverse);
  EXPECT_EQ(back, x);
}

TEST(FftDirectionCallbacks, OfOneDirectionAreRefused) {
  const auto message = [](const FftPlan& plan, const FftCallbacks& callbacks) {
    return error_of([&] { Fft::create(plan, callbacks, on_host()); }).message();
  };
  const Callback same("__device__ float2 same(float2 z) { return z; }");
  EXPECT_THAT(message({.length = 4, .directions = FftDirections::Inverse}, {.inverse = FftSideCallbacks{.load = same}}),
              HasSubstr("FftCallbacks::inverse has the callbacks of a second direction, but FftPlan::directions asks"));
  EXPECT_THAT(message({.length = 4}, {.between = same, .inverse = FftSideCallbacks{.load = same}}),
              HasSubstr("an FFT with a callback between has one"));
}

}  // namespace
}  // namespace graft::test
