// Tests graft::Fft without a GPU: on the host route, and as kernels that the routes for GPUs build.
#include <array>
#include <limits>
#include <set>
#include <thread>

#include "base/format.hpp"
#include "families/fft/fft_test.hpp"
#include "families/fft/job.hpp"
#include "families/fft/lengths.hpp"
#include "families/fft/plan.hpp"
#include "graft/graft.hpp"
#include "support/errors.hpp"

namespace graft::test {
namespace {

using graft_fft::Complex;
using testing::HasSubstr;

Options on_host() {
  Options options;
  options.routes.required = Route::Host;
  return options;
}

constexpr const char* kCufftLoad =
    "__device__ float2 load(void* data, unsigned long long offset, void* info, void*) {\n"
    "  float2 z = ((float2*)data)[offset]; z.x *= ((const float*)info)[offset % 4]; return z; }";
constexpr const char* kCufftStore =
    "__device__ void store(void* data, unsigned long long offset, float2 z, void* info, void*) {\n"
    "  z.y += *(const float*)info; ((float2*)data)[offset] = z; }";

class FftLengths : public testing::TestWithParam<std::int64_t> {};

template <class Real>
void expect_plain(std::int64_t length, Direction direction, FftScaling scaling, long double factor) {
  const Fft fft = Fft::create({.length = length, .precision = precision_of<Real>(), .scaling = scaling}, {}, on_host());
  const std::vector<Complex<Real>> in = random_signal<Real>(static_cast<std::size_t>(3 * length), 1);
  std::vector<Complex<Real>> out(in.size());
  fft.execute(host, refer<Real>(in), refer<Real>(out), direction);
  const auto scaled = [&](Wide value, std::size_t) { return value * factor; };
  EXPECT_LT(rms_error(out, expected_fft(in, length, direction, unchanged, scaled)), 6) << length;
}

TEST_P(FftLengths, ComputesBothDirectionsPrecisionsAndScalings) {
  const auto n = static_cast<long double>(GetParam());
  expect_plain<float>(GetParam(), Direction::Forward, FftScaling::None, 1);
  expect_plain<double>(GetParam(), Direction::Inverse, FftScaling::None, 1);
  expect_plain<float>(GetParam(), Direction::Inverse, FftScaling::ByLength, 1 / n);
  expect_plain<float>(GetParam(), Direction::Forward, FftScaling::ByLength, 1);
  expect_plain<double>(GetParam(), Direction::Forward, FftScaling::Unitary, 1 / std::sqrt(n));
}

// 131072 points take two kernels and a workspace.
INSTANTIATE_TEST_SUITE_P(Some, FftLengths, testing::Values(1, 2, 30, 343, 4096, 65536, 131072));
// Convolutions, in one kernel and in three.
INSTANTIATE_TEST_SUITE_P(Convolutions, FftLengths, testing::Values(37, 262, 10007));

class FftOfShape : public testing::TestWithParam<std::vector<std::int64_t>> {};

// With callbacks of graft's shape, which know the row-major index of a point.
TEST_P(FftOfShape, ComputesWithCallbacks) {
  const std::vector<std::int64_t>& shape = GetParam();
  std::int64_t points = 1;
  for (const std::int64_t extent : shape) points *= extent;
  const auto n = static_cast<std::size_t>(points);
  const Callback load(
      "__device__ float2 f(float2 z, graft::Index i) { float w = 1 + i % 5; return make_float2(w * z.x, w * z.y); }");
  const Callback store("__device__ float2 f(float2 z, float w) { return make_float2(w * z.x, w * z.y); }");
  const Fft fft =
      Fft::create({.scaling = FftScaling::ByLength, .shape = shape}, {.load = load, .store = store}, on_host());
  const bool is_length = shape.size() == 1;  // a shape of one dimension
  EXPECT_EQ(fft.plan().shape, is_length ? std::vector<std::int64_t>() : shape);
  EXPECT_EQ(fft.plan().length, is_length ? points : 0);
  const std::vector<Complex<float>> in = random_signal<float>(3 * n, 1);
  std::vector<float> weights(in.size());
  for (std::size_t i = 0; i < weights.size(); ++i) weights[i] = static_cast<float>(i % 7);
  for (const Direction direction : {Direction::Forward, Direction::Inverse}) {
    std::vector<Complex<float>> out(in.size());
    const ArrayRef arrays[] = {refer<float>(in), {weights.data(), weights.size(), element_type<float>()}};
    fft.execute(host, arrays, refer<float>(out), direction);
    std::vector<Wide> expected;
    for (std::size_t b = 0; b < 3; ++b) {
      std::vector<Wide> x;
      for (std::size_t p = b * n; p < (b + 1) * n; ++p)
        x.push_back(Wide(in[p].re, in[p].im) * static_cast<long double>(1 + p % 5));
      const bool is_inverse = direction == Direction::Inverse;
      for (const Wide& value : reference_fft(x, shape, is_inverse ? 1 : -1))
        expected.push_back(value * static_cast<long double>(weights[expected.size()]) /
                           (is_inverse ? static_cast<long double>(n) : 1.0L));
    }
    EXPECT_LT(rms_error(out, expected), 6);
  }
}

// A filter keeps the frequencies of which it knows the row-major index.
TEST_P(FftOfShape, FiltersBetween) {
  const std::vector<std::int64_t>& shape = GetParam();
  std::int64_t points = 1;
  for (const std::int64_t extent : shape) points *= extent;
  const Callback between(
      "__device__ double2 f(double2 z, graft::Index k) { double w = k % 3; return make_double2(w * z.x, w * z.y); }");
  const Fft fft = Fft::create({.precision = FftPrecision::F64, .scaling = FftScaling::ByLength, .shape = shape},
                              {.between = between}, on_host());
  const std::vector<Complex<double>> in = random_signal<double>(static_cast<std::size_t>(points), 1);
  std::vector<Complex<double>> out(in.size());
  fft.execute(host, refer<double>(in), refer<double>(out));
  std::vector<Wide> expected = reference_fft(wide(in), shape, -1);
  for (std::size_t k = 0; k < expected.size(); ++k)
    expected[k] *= static_cast<long double>(k % 3) / static_cast<long double>(points);
  EXPECT_LT(rms_error(out, reference_fft(expected, shape, 1)), 8);
}

INSTANTIATE_TEST_SUITE_P(Some, FftOfShape,
                         testing::Values(std::vector<std::int64_t>{30}, std::vector<std::int64_t>{12, 20},
                                         std::vector<std::int64_t>{6, 1, 50}, std::vector<std::int64_t>{200, 180},
                                         std::vector<std::int64_t>{24, 30, 40}));

template <class T>
ArrayRef numbers(std::vector<T>& all) {
  return {all.data(), all.size(), element_type<T>()};
}

// The numbers of a batch as complex ones, for the reference.
std::vector<Wide> spectrum_of(const std::vector<float>& x, std::size_t begin, std::size_t n) {
  std::vector<Wide> all;
  for (std::size_t i = begin; i < begin + n; ++i) all.emplace_back(x[i]);
  all = reference_fft(all, -1);
  all.resize(n / 2 + 1);
  return all;
}

class RealFft : public testing::TestWithParam<std::int64_t> {};

TEST_P(RealFft, GoesThereAndBack) {
  const std::int64_t length = GetParam();
  const auto n = static_cast<std::size_t>(length), half = n / 2 + 1;
  const Fft fft =
      Fft::create({.length = length, .scaling = FftScaling::ByLength, .kind = FftKind::Real}, {}, on_host());
  EXPECT_EQ(fft.plan().kind, FftKind::Real);
  std::vector<float> x;
  for (const auto& value : random_signal<float>(3 * n, 1)) x.push_back(value.re);
  std::vector<Complex<float>> spectra(3 * half);
  fft.execute(host, numbers(x), refer<float>(spectra));
  std::vector<Wide> expected;
  for (std::size_t b = 0; b < 3; ++b)
    for (const Wide& value : spectrum_of(x, b * n, n)) expected.push_back(value);
  EXPECT_LT(rms_error(spectra, expected), 6);
  std::vector<float> back(x.size());
  fft.execute(host, refer<float>(spectra), numbers(back), Direction::Inverse);
  for (std::size_t i = 0; i < x.size(); ++i) EXPECT_NEAR(back[i], x[i], 2e-6) << i;
}

TEST_P(RealFft, TakesCallbacks) {
  const std::int64_t length = GetParam();
  const auto n = static_cast<std::size_t>(length), half = n / 2 + 1;
  FftPlan plan = {.length = length, .directions = FftDirections::Forward, .kind = FftKind::Real};
  // 16-bit samples, and the power of each frequency.
  const Fft forward =
      Fft::create(plan,
                  {.load = Callback("__device__ float f(short x) { return x; }"),
                   .store = Callback("__device__ float f(float2 z, graft::Index i) { return i % 3 * (z.x "
                                     "* z.x + z.y * z.y); }")},
                  on_host());
  std::vector<short> samples;
  std::vector<float> x;
  for (std::size_t i = 0; i < 2 * n; ++i) {
    samples.push_back(static_cast<short>(i * 37 % 101) - 50);
    x.push_back(samples.back());
  }
  std::vector<float> power(2 * half);
  forward.execute(host, samples, power);
  for (std::size_t b = 0; b < 2; ++b) {
    const std::vector<Wide> expected = spectrum_of(x, b * n, n);
    double largest = 0;
    for (const Wide& value : expected)
      if (const auto magnitude = static_cast<double>(std::abs(value)); !(magnitude <= largest)) largest = magnitude;
    for (std::size_t k = 0; k < half; ++k) {
      const std::size_t i = b * half + k;
      const auto magnitude = static_cast<double>(std::abs(expected[k]));
      const double factor = static_cast<double>(i % 3), wanted = factor * magnitude * magnitude;
      // Every frequency is as exact as the largest one.
      EXPECT_NEAR(power[i], wanted, 1e-6 * (wanted + factor * (magnitude + 1) * largest));
    }
  }
  // cuFFT's shape on both sides of the inverse.
  plan.directions = FftDirections::Inverse;
  const Fft inverse = Fft::create(
      plan,
      {.load = Callback("__device__ float2 f(void* data, unsigned long long offset, void*, void*) { return "
                        "((const float2*)data)[offset]; }"),
       .store = Callback("__device__ void f(void* data, unsigned long long offset, float x, void*, void*) { "
                         "((float*)data)[offset] = 2 * x; }")},
      on_host());
  std::vector<Complex<float>> spectra;
  for (std::size_t b = 0; b < 2; ++b)
    for (const Wide& value : spectrum_of(x, b * n, n))
      spectra.push_back({static_cast<float>(value.real()), static_cast<float>(value.imag())});
  std::vector<float> back(x.size());
  inverse.execute(host, refer<float>(spectra), numbers(back), Direction::Inverse, {.batch = 2});
  for (std::size_t i = 0; i < x.size(); ++i)
    EXPECT_NEAR(back[i], 2 * static_cast<float>(n) * x[i], 1e-4F * static_cast<float>(n) * 50) << i;
}

TEST_P(RealFft, FiltersBetween) {
  const std::int64_t length = GetParam();
  const auto n = static_cast<std::size_t>(length);
  const Fft fft = Fft::create({.length = length, .scaling = FftScaling::ByLength, .kind = FftKind::Real},
                              {.between = Callback("__device__ float2 f(float2 z, graft::Index k) { float w = k % 3; "
                                                   "return make_float2(w * z.x, w * z.y); }")},
                              on_host());
  std::vector<float> x, smooth(2 * n);
  for (const auto& value : random_signal<float>(2 * n, 1)) x.push_back(value.re);
  fft.execute(host, x, smooth);
  for (std::size_t b = 0; b < 2; ++b) {
    std::vector<Wide> all;
    for (std::size_t i = 0; i < n; ++i) all.emplace_back(x[b * n + i]);
    all = reference_fft(all, -1);
    for (std::size_t k = 0; k < n; ++k) all[k] *= static_cast<long double>(std::min(k, n - k) % 3);
    all = reference_fft(all, 1);
    for (std::size_t i = 0; i < n; ++i)
      EXPECT_NEAR(smooth[b * n + i], static_cast<double>(all[i].real() / static_cast<long double>(n)), 1e-5) << i;
  }
}

INSTANTIATE_TEST_SUITE_P(Some, RealFft,
                         testing::Values(1, 2, 4, 6, 7, 30, 81, 100, 125, 250, 1024, 5000, 40000, 65536, 131072));

// Some kernels compute a point and its mirror together, and some elements are two points.
TEST(RealFfts, LoadAndStoreEachElementOnce) {
  const std::vector<FftPlan> plans = {{.length = 12},        {.length = 15},         {.length = 40000},
                                      {.length = 65536},     {.length = 131072},     {.shape = {6, 8}},
                                      {.shape = {5, 8}},     {.shape = {160, 128}},  {.shape = {160, 125}},
                                      {.shape = {256, 256}}, {.shape = {4, 90, 60}}, {.shape = {3, 130, 128}}};
  for (FftPlan plan : plans)
    for (const bool is_inverse : {false, true}) {
      plan.kind = FftKind::Real;
      plan.directions = is_inverse ? FftDirections::Inverse : FftDirections::Forward;
      plan.batch = 2;
      const char* const in = is_inverse ? "float2" : "float";
      const char* const out = is_inverse ? "float" : "float2";
      const Fft fft = Fft::create(
          plan,
          {.load = Callback(base::format("__device__ {0} f(void* data, unsigned long long offset, void* info, void*) "
                                         "{{ ++((int*)info)[offset]; return ((const {0}*)data)[offset]; }}",
                                         in)),
           .store = Callback(base::format("__device__ void f(void* data, unsigned long long offset, {0} value, void* "
                                          "info, void*) {{ ++((int*)info)[offset]; (({0}*)data)[offset] = value; }}",
                                          out))},
          on_host());
      const std::vector<std::int64_t> shape = plan.shape.empty() ? std::vector{plan.length} : plan.shape;
      const auto of_row = static_cast<std::size_t>(shape.back());
      const std::size_t numbers_of = static_cast<std::size_t>(families::fft::points_of_shape(shape)),
                        frequencies_of = numbers_of / of_row * (of_row / 2 + 1);
      std::vector<float> reals(2 * numbers_of, 1);
      std::vector<Complex<float>> spectra(2 * frequencies_of, Complex<float>{1, 0});
      std::vector<int> of_numbers(reals.size()), of_frequencies(spectra.size());
      std::vector<int>&loads = is_inverse ? of_frequencies : of_numbers,
      &stores = is_inverse ? of_numbers : of_frequencies;
      const FftLaunch launch = {.batch = 2, .info = {loads.data(), stores.data()}};
      if (is_inverse) fft.execute(host, refer<float>(spectra), numbers(reals), Direction::Inverse, launch);
      else fft.execute(host, numbers(reals), refer<float>(spectra), Direction::Forward, launch);
      const auto once = [](const std::vector<int>& calls) { return std::ranges::count(calls, 1) == std::ssize(calls); };
      EXPECT_TRUE(once(loads)) << families::fft::shape_text(shape) << (is_inverse ? ", inverse" : "");
      EXPECT_TRUE(once(stores)) << families::fft::shape_text(shape) << (is_inverse ? ", inverse" : "");
    }
}

TEST(RealFfts, OfAnyLengthGoThereAndBack) {
  for (const std::int64_t length : {37, 2 * 41, 1009}) {
    const auto n = static_cast<std::size_t>(length);
    const Fft fft =
        Fft::create({.length = length, .scaling = FftScaling::ByLength, .kind = FftKind::Real}, {}, on_host());
    std::vector<float> x, back(n);
    for (const auto& value : random_signal<float>(n, 1)) x.push_back(value.re);
    std::vector<Complex<float>> spectrum(n / 2 + 1);
    fft.execute(host, numbers(x), refer<float>(spectrum));
    EXPECT_LT(rms_error(spectrum, spectrum_of(x, 0, n)), 8);
    fft.execute(host, refer<float>(spectrum), numbers(back), Direction::Inverse);
    for (std::size_t i = 0; i < n; ++i) EXPECT_NEAR(back[i], x[i], 3e-6) << i;
  }
}

void expect_there_and_back(const std::vector<std::int64_t>& shape) {
  const auto n = static_cast<std::size_t>(families::fft::points_of_shape(shape));
  const auto of_row = static_cast<std::size_t>(shape.back()), kept = of_row / 2 + 1;
  const FftPlan plan = {.scaling = FftScaling::ByLength, .batch = 2, .shape = shape, .kind = FftKind::Real};
  const Fft fft = Fft::create(plan, {}, on_host());
  std::vector<float> x, back(2 * n);
  for (const auto& value : random_signal<float>(2 * n, 1)) x.push_back(value.re);
  std::vector<Complex<float>> spectra(2 * n / of_row * kept);
  fft.execute(host, numbers(x), refer<float>(spectra));
  for (std::size_t b = 0; b < 2; ++b) {
    std::vector<Wide> all;
    for (std::size_t i = 0; i < n; ++i) all.emplace_back(x[n * b + i]);
    all = reference_fft(all, shape, -1);
    std::vector<Wide> expected;
    for (std::size_t k = 0; k < n; ++k)
      if (k % of_row < kept) expected.push_back(all[k]);
    EXPECT_LT(rms_error(part(spectra, b, 2), expected), 6);
  }
  fft.execute(host, refer<float>(spectra), numbers(back), Direction::Inverse);
  for (std::size_t i = 0; i < x.size(); ++i) ASSERT_NEAR(back[i], x[i], 4e-6) << i;
  // A filter that keeps each frequency gives the numbers back, too.
  const Fft filter =
      Fft::create(plan, {.between = Callback("__device__ float2 same(float2 z) { return z; }")}, on_host());
  std::fill(back.begin(), back.end(), 0.0F);
  filter.execute(host, numbers(x), numbers(back));
  for (std::size_t i = 0; i < x.size(); ++i) ASSERT_NEAR(back[i], x[i], 4e-6) << i;
}

// In one kernel, by halves in several kernels, and by complex FFTs in several.
TEST(RealFfts, OfSeveralDimensionsGoThereAndBack) {
  for (const std::vector<std::int64_t>& shape :
       std::initializer_list<std::vector<std::int64_t>>{{5, 6}, {96, 256}, {40, 24, 32}, {130, 135}})
    ASSERT_NO_FATAL_FAILURE(expect_there_and_back(shape));
}

TEST(RealFfts, MistakesAreRefused) {
  const auto message = [](const FftPlan& plan, const FftCallbacks& callbacks = {}) {
    return std::string(error_of([&] { Fft::create(plan, callbacks, on_host()); }).what());
  };
  EXPECT_THAT(message({.length = 37 << 17, .kind = FftKind::Real}), HasSubstr("4849664 has the prime factor 37"));
  EXPECT_THAT(message({.length = 74, .kind = FftKind::Real},
                      {.between = Callback("__device__ float2 f(float2 z) { return z; }")}),
              HasSubstr("an FFT of 74 points with a callback between is not possible: 74 has the prime factor 37"));
  EXPECT_THAT(message({.shape = {8, 74}, .kind = FftKind::Real},
                      {.between = Callback("__device__ float2 f(float2 z) { return z; }")}),
              HasSubstr("cannot have 74 points with a callback between: 74 has the prime factor 37"));
  const Callback complex("__device__ float2 f(float2 z) { return z; }");
  EXPECT_THAT(message({.length = 16, .kind = FftKind::Real}, {.load = complex}), HasSubstr("asks for both"));
  const FftPlan forward = {.length = 16, .directions = FftDirections::Forward, .kind = FftKind::Real};
  EXPECT_THAT(message(forward, {.load = complex}), HasSubstr("the load callback"));
  EXPECT_THAT(message(forward, {.store = Callback("__device__ float f(float x) { return x; }")}),
              HasSubstr("the store callback"));
}

TEST(FftShape, MistakesAreRefused) {
  const auto message = [](const FftPlan& plan, const FftCallbacks& callbacks = {}) {
    const Error error = error_of([&] { Fft::create(plan, callbacks, on_host()); });
    EXPECT_EQ(error.code(), ErrorCode::InvalidArgument);
    return std::string(error.what());
  };
  EXPECT_THAT(message({.length = 8, .shape = {8, 8}}),
              HasSubstr("FftPlan::length is 8, and there is an FftPlan::shape too"));
  EXPECT_THAT(message({.shape = {0, 8}}), HasSubstr("dimension 0 of FftPlan::shape cannot have 0 points: it has at"));
  EXPECT_THAT(message({.shape = {8, -1}}), HasSubstr("dimension 1 of FftPlan::shape cannot have -1 points"));
  const FftCallbacks between = {.between = Callback("__device__ float2 f(float2 z) { return z; }")};
  EXPECT_THAT(message({.shape = {8, 74}}, between), HasSubstr("74 has the prime factor 37"));
  EXPECT_THAT(message({.shape = {8, 74}}, between), HasSubstr("such as 72 or 75"));
  for (const std::int64_t extent : {8209, 16381, 20011})
    EXPECT_THAT(message({.shape = {2, extent}}),
                HasSubstr(base::format("dimension 1 of FftPlan::shape has {} points, which do not fit into a thread "
                                       "block: in f32 on {}, the next shorter one with a prime factor above 31 that "
                                       "does has 8191",
                                       extent, extent == 20011 ? "sm_90" : "the host")));
  EXPECT_THAT(message({.precision = FftPrecision::F64, .shape = {5003, 2}}), HasSubstr("in f64 on the host"));
  EXPECT_THAT(message({.precision = FftPrecision::F64, .shape = {9009, 2}}, between),
              HasSubstr("dimension 0 of FftPlan::shape has 9009 points"));
  const auto is_built = [](const FftPlan& plan, std::int64_t extent, const FftCallbacks& callbacks = {}) {
    FftPlan of_extent = plan;
    of_extent.directions = FftDirections::Forward;
    of_extent.shape = {extent, 2};
    const families::Job job = families::fft::job_of(of_extent, callbacks);
    try {
      return !families::fft::schedule_of(job, Architecture(90)).kernels.empty();
    } catch (const Error&) {
      return false;
    }
  };
  EXPECT_TRUE(is_built({}, 8191));
  EXPECT_TRUE(is_built({.precision = FftPrecision::F64}, 4999));
  EXPECT_FALSE(is_built({.precision = FftPrecision::F64}, 5003));
  EXPECT_TRUE(is_built({}, 16320, between));  // 17 * 960
  EXPECT_THAT(message({.shape = {2, 2, 2, 2}}), HasSubstr("has 4 dimensions, and an FFT has up to 3"));
  EXPECT_THAT(message({.shape = {16384, 16384, 2}}), HasSubstr("more than 134217728 points"));
  EXPECT_THAT(message({.shape = {134217729, 2}}), HasSubstr("the longest one has 134217728"));
}

std::string message_of(const std::function<void()>& call) {
  const Error error = error_of(call);
  return base::format("{} [{}]", error.message(), name(error.code()));
}

TEST(FftCallbacks, OfCufftsShape) {
  constexpr std::int64_t kLength = 60;
  const Fft fft = Fft::create({.length = kLength}, {.load = kCufftLoad, .store = kCufftStore}, on_host());
  const std::vector<Complex<float>> in = random_signal<float>(5 * kLength, 2);
  std::vector<Complex<float>> out(in.size());
  float factors[] = {1, 2, 3, 4}, offset = 7;
  fft.execute(host, refer<float>(in), refer<float>(out), Direction::Forward, {.batch = 5, .info = {factors, &offset}});
  EXPECT_LT(rms_error(out, expected_fft(
                               in, kLength, Direction::Forward,
                               [&](Wide z, std::size_t i) { return Wide(z.real() * factors[i % 4], z.imag()); },
                               [&](Wide z, std::size_t) { return Wide(z.real(), z.imag() + offset); })),
            6);
}

// Several arrays of several types, states of both callbacks, the index, chains, and a real output.
TEST(FftCallbacks, OfGraftsShape) {
  constexpr std::int64_t kLength = 128;
  constexpr std::size_t kAll = 3 * kLength;
  const Callback load =
      "struct Gain { float gain; }; __device__ float2 load(short a, float b, const Gain& s, graft::Index i) {\n"
      "  return make_float2(a * s.gain, b + i % 5); }";
  const Callback store = chain(
      "struct Bias { double unused; float bias; };\n"
      "__device__ float2 turn(float2 z, float weight, const Bias& s) { return make_float2(z.y * weight, z.x + s.bias); "
      "}",
      "__device__ float power(float2 z) { return z.x * z.x + z.y * z.y; }");
  const Fft fft = Fft::create({.length = kLength}, {.load = load, .store = store}, on_host());
  std::vector<short> a(kAll);
  std::vector<float> b(kAll), weight(kAll), out(kAll);
  for (std::size_t i = 0; i < kAll; ++i)
    a[i] = static_cast<short>(i * 7 % 11), b[i] = static_cast<float>(i % 3), weight[i] = 2;
  struct {
    float gain = 0.5F;
    struct {
      double unused = 0;
      float bias = 1;
    } store;
  } state;
  const ArrayRef in[] = {{a.data(), kAll, element_type<short>()},
                         {b.data(), kAll, element_type<float>()},
                         {weight.data(), kAll, element_type<float>()}};
  fft.execute(host, in, ArrayRef(out.data(), kAll, element_type<float>()), Direction::Forward, {.state = state});
  std::vector<Complex<float>> made(kAll);
  for (std::size_t i = 0; i < kAll; ++i) made[i] = {a[i] * 0.5F, b[i] + static_cast<float>(i % 5)};
  const std::vector<Wide> expected = expected_fft(made, kLength, Direction::Forward, unchanged, unchanged);
  for (std::size_t i = 0; i < kAll; ++i) {
    const Wide turned(expected[i].imag() * 2, expected[i].real() + 1);
    ASSERT_NEAR(out[i], static_cast<double>(std::norm(turned)), 1e-4 * static_cast<double>(std::norm(turned)) + 1e-2)
        << i;
  }
}

// The points of a load callback may come from its state or the index alone.
TEST(FftCallbacks, LoadMayHaveNoArrays) {
  const Fft fft = Fft::create({.length = 8},
                              {.load = "__device__ float2 at(graft::Index i, const float& first) {\n"
                                       "  return make_float2(i % 8 == 0 ? first : 0, 0); }",
                               .store = "[](float2 z) { return z.x; }"},
                              on_host());
  std::vector<float> out(16);
  const ArrayRef to(out.data(), out.size(), element_type<float>());
  fft.execute(host, {}, to, Direction::Forward, {.batch = 2, .state = 3.0F});
  EXPECT_EQ(out, std::vector<float>(16, 3));
  fft.execute(host, {}, to, Direction::Forward, {.state = 4.0F});  // as many as the output has room for
  EXPECT_EQ(out, std::vector<float>(16, 4));
}

TEST(FftCallbacks, StoreMayLeaveElementsAlone) {
  const Fft fft = Fft::create({.length = 16},
                              {.store = "__device__ graft::Store keep(float2 z, graft::Index i, float& out) {\n"
                                        "  out = z.x; return graft::Store(i % 2 == 0); }"},
                              on_host());
  const std::vector<Complex<float>> in = random_signal<float>(16, 3);
  std::vector<float> out(16, -77);
  fft.execute(host, refer<float>(in), ArrayRef(out.data(), 16, element_type<float>()));
  for (std::size_t i = 0; i < 16; ++i) EXPECT_EQ(out[i] == -77, i % 2 == 1) << i;
}

// One kernel, three, and three with incomplete thread blocks.
class FftBetween : public testing::TestWithParam<std::int64_t> {};
INSTANTIATE_TEST_SUITE_P(Some, FftBetween, testing::Values(100, 65536, 45000));

TEST_P(FftBetween, AnFftAndItsInverse) {
  const std::int64_t kLength = GetParam();
  const Fft fft = Fft::create({.length = kLength, .scaling = FftScaling::ByLength},
                              {.between = "__device__ float2 low(float2 z, graft::Index k, const float& most) {\n"
                                          "  return k > most ? make_float2(0, 0) : z; }"},
                              on_host());
  const std::vector<Complex<float>> in = random_signal<float>(4 * kLength, 4);
  std::vector<Complex<float>> out(in.size());
  fft.execute(host, refer<float>(in), refer<float>(out), Direction::Forward, {.state = 9.0F});
  const auto filtered = [&](Wide z, std::size_t i) { return i % static_cast<std::size_t>(kLength) > 9 ? Wide(0) : z; };
  const std::vector<Wide> spectrum = expected_fft(in, kLength, Direction::Forward, unchanged, filtered);
  std::vector<Complex<double>> middle;
  for (const Wide z : spectrum) middle.push_back({static_cast<double>(z.real()), static_cast<double>(z.imag())});
  EXPECT_LT(rms_error(out, expected_fft(middle, kLength, Direction::Inverse, unchanged,
                                        [&](Wide z, std::size_t) { return z / static_cast<long double>(kLength); })),
            6);
}

// Also where the batch leaves a thread block with room for more FFTs.
TEST(FftBetweens, GetEachFrequencyOnce) {
  const std::vector<FftPlan> plans = {{.length = 4},
                                      {.length = 100},
                                      {.length = 40000},
                                      {.shape = {8, 8}},
                                      {.length = 64, .kind = FftKind::Real},
                                      {.length = 15, .kind = FftKind::Real},
                                      {.shape = {6, 8}, .kind = FftKind::Real}};
  for (const FftPlan& plan : plans)
    for (const std::size_t batch : {1U, 3U}) {
      FftPlan of_batch = plan;
      of_batch.batch = batch;
      const Fft fft = Fft::create(of_batch,
                                  {.between = "struct Calls { int* counts; };\n"
                                              "__device__ float2 count(float2 z, graft::Index i, const Calls& calls) "
                                              "{ ++calls.counts[i]; return z; }"},
                                  on_host());
      const std::vector<std::int64_t> shape = plan.shape.empty() ? std::vector{plan.length} : plan.shape;
      const auto of_row = static_cast<std::size_t>(shape.back());
      const auto points = static_cast<std::size_t>(families::fft::points_of_shape(shape));
      const bool is_real = plan.kind == FftKind::Real;
      std::vector<int> counts(is_real ? points / of_row * (of_row / 2 + 1) : points);
      struct {
        int* counts;
      } const calls = {counts.data()};
      const FftLaunch launch = {.batch = batch, .state = calls};
      if (is_real) {
        std::vector<float> array(batch * points);
        fft.execute(host, numbers(array), numbers(array), Direction::Forward, launch);
      } else {
        std::vector<Complex<float>> array(batch * points);
        fft.execute(host, refer<float>(array), refer<float>(array), Direction::Forward, launch);
      }
      EXPECT_THAT(counts, testing::Each(static_cast<int>(batch))) << families::fft::shape_text(shape);
    }
}

TEST(FftLayouts, StridesDistancesAndInPlace) {
  constexpr std::size_t kLength = 24, kBatch = 3;
  const Fft fft = Fft::create({.length = kLength, .has_strides = true}, {}, on_host());
  const std::vector<Complex<float>> signal = random_signal<float>(kBatch * kLength, 5);
  // Neighbouring FFTs interleave: stride 4, distance 1. One FFT behind the other with gaps: stride 1, distance 30.
  std::vector<Complex<float>> in(4 * kLength), out(30 * kBatch, {77, 77});
  for (std::size_t b = 0; b < kBatch; ++b)
    for (std::size_t p = 0; p < kLength; ++p) in[b + 4 * p] = signal[b * kLength + p];
  fft.execute(host, refer<float>(in), refer<float>(out), Direction::Forward,
              {.batch = kBatch, .in = {.stride = 4, .distance = 1}, .out = {.distance = 30}});
  std::vector<Complex<float>> found;
  for (std::size_t i = 0; i < out.size(); ++i)
    if (i % 30 < kLength) found.push_back(out[i]);
    else EXPECT_EQ(out[i].re, 77) << i;
  const std::vector<Wide> expected = expected_fft(signal, kLength, Direction::Forward, unchanged, unchanged);
  EXPECT_LT(rms_error(found, expected), 6);

  std::vector<Complex<float>> both = signal;
  fft.execute(host, refer<float>(both), refer<float>(both));
  EXPECT_LT(rms_error(both, expected), 6);
}

TEST(FftLayouts, LongArrays) {
  constexpr std::size_t kLength = 16, kFar = std::size_t{1} << 32;
  const FftCallbacks callbacks = {
      .load =
          "__device__ float2 load(void*, unsigned long long offset, void*, void*) {\n"
          "  return make_float2(offset >> 32, 0);\n}",
      .store =
          "__device__ void store(void* data, unsigned long long offset, float2 z, void*, void*) {\n"
          "  ((float2*)data)[offset] = z;\n}"};
  std::vector<Complex<float>> out(2 * kLength);
  const FftLaunch far = {.batch = 2, .in = {.distance = kFar}};
  const auto execute = [&](const Fft& fft, const FftLaunch& launch) {
    fft.execute(host, refer<float>(out), refer<float>(out), Direction::Forward, launch);
  };
  const Fft fft = Fft::create({.length = kLength, .has_long_arrays = true}, callbacks, on_host());
  execute(fft, far);
  EXPECT_EQ(out[0].re, 0);
  EXPECT_EQ(out[kLength].re, 16);
  EXPECT_EQ(out[kLength + 1].re, 0);

  const Fft of_short_arrays = Fft::create({.length = kLength}, callbacks, on_host());
  const auto message = [&](const FftLaunch& launch) { return message_of([&] { execute(of_short_arrays, launch); }); };
  EXPECT_THAT(message(far), HasSubstr("at most 2^32 elements of an array [InvalidArgument]"));
  EXPECT_THAT(message({.batch = kFar / kLength + 1, .in = {.distance = 1}, .out = {.distance = 16}}),
              HasSubstr("2^32"));
  EXPECT_THAT(message({.batch = 2, .out = {.distance = ~std::size_t{0}}}), HasSubstr("2^32"));
}

// From 2^22 points on, blocks of the FFTs of a batch take turns.
TEST(FftLayouts, LongFftsOfABatch) {
  constexpr std::size_t kLength = std::size_t{1} << 22, kBatch = 3;
  const Fft fft =
      Fft::create({.length = kLength, .directions = FftDirections::Forward, .batch = kBatch},
                  {.load = "[](float2 z, graft::Index i) { return i % 3 == 0 ? float2() : z; }"}, on_host());
  const Fft plain = Fft::create({.length = kLength, .directions = FftDirections::Forward, .batch = 1}, {}, on_host());
  const std::vector<Complex<float>> in = random_signal<float>(kBatch * kLength, 7);
  std::vector<Complex<float>> out(in.size()), one(kLength);
  fft.execute(host, refer<float>(in), refer<float>(out));
  for (std::size_t b = 0; b < kBatch; ++b) {
    std::vector<Complex<float>> signal(in.begin() + b * kLength, in.begin() + (b + 1) * kLength);
    for (std::size_t i = 0; i < kLength; ++i)
      if ((b * kLength + i) % 3 == 0) signal[i] = {0, 0};
    plain.execute(host, refer<float>(signal), refer<float>(one));
    for (std::size_t i = 0; i < kLength; ++i)
      ASSERT_TRUE(one[i].re == out[b * kLength + i].re && one[i].im == out[b * kLength + i].im) << b << " " << i;
  }
}

TEST(FftThreads, RunOneFftAtTheSameTime) {
  const Fft fft = Fft::create({.length = 1000}, {}, on_host());
  const std::vector<Complex<float>> in = random_signal<float>(20000, 6);
  std::vector<Complex<float>> first(in.size());
  fft.execute(host, refer<float>(in), refer<float>(first));
  std::vector<std::thread> threads;
  std::array<std::vector<Complex<float>>, 4> outs;
  for (auto& out : outs)
    threads.emplace_back([&] {
      out.resize(in.size());
      for (int i = 0; i < 5; ++i) fft.execute(host, refer<float>(in), refer<float>(out));
    });
  for (std::thread& thread : threads) thread.join();
  for (const auto& out : outs)
    for (std::size_t i = 0; i < out.size(); ++i) ASSERT_TRUE(out[i].re == first[i].re && out[i].im == first[i].im);
}

// ---- mistakes ----

TEST(FftMistakes, OfPlansAndCallbacks) {
  const auto created = [](const FftPlan& plan, const FftCallbacks& callbacks, Options options = on_host()) {
    return message_of([&] { Fft::create(plan, callbacks, options); });
  };
  EXPECT_THAT(created({.length = 0}, {}), HasSubstr("[InvalidArgument]"));
  EXPECT_THAT(created({.length = 37 << 17}, {}), HasSubstr("4849664 has the prime factor 37"));
  EXPECT_THAT(created({.length = (1 << 27) + 1}, {}), HasSubstr("[InvalidArgument]"));
  EXPECT_THAT(created({.length = 8}, {.load = "[](float2 z) { return z.x; }"}),
              HasSubstr("the load callback does not return a point"));
  EXPECT_THAT(created({.length = 8, .precision = FftPrecision::F64}, {.load = kCufftLoad}),
              HasSubstr("the load callback does not return a point"));
  EXPECT_THAT(created({.length = 8}, {.load = "__device__ float2 f(const float* p) { return {}; }"}),
              HasSubstr("its parameter 1 (float const*) is a pointer"));
  EXPECT_THAT(created({.length = 8}, {.store = "[](float x) { return x; }"}),
              HasSubstr("the store callback does not take a point"));
  EXPECT_THAT(created({.length = 8}, {.store = "__device__ void f(float2 z, float& a, float& b) { a = b = z.x; }"}),
              HasSubstr("has not exactly one output"));
  EXPECT_THAT(created({.length = 8}, {.between = "[](float2 z, float other) { return z; }"}),
              HasSubstr("the callback between does not turn one frequency"));
  EXPECT_THAT(created({.length = 8}, {.store = "[](float2 z, graft::Position<1> p) { return z; }"}),
              HasSubstr("takes a graft::Position"));
  EXPECT_THAT(created({.length = 8, .directions = FftDirections::Inverse}, {.between = "[](float2 z) { return z; }"}),
              HasSubstr("forward and then inverse"));
  EXPECT_THAT(created({.length = std::numeric_limits<std::int64_t>::max()}, {}), HasSubstr("the longest one has"));
  EXPECT_THAT(created({.length = std::numeric_limits<std::int64_t>::min()}, {}), HasSubstr("at least one point"));
  Options registers = on_host();
  registers.max_registers = 64;
  EXPECT_THAT(created({.length = 8}, {}, registers), HasSubstr("max_registers"));
  Options shapes = on_host();
  shapes.any_shape = true;
  EXPECT_THAT(created({.length = 8}, {}, shapes), HasSubstr("Options::any_shape"));
  Options through_pointer;
  through_pointer.routes.required = Route::Indirect;
  EXPECT_THAT(message_of([&] { build(FftPlan{.length = 8}, {}, Architecture(90), through_pointer); }),
              HasSubstr("indirect: no kernel of this family calls through a pointer"));
}

TEST(FftMistakes, OfCalls) {
  const Fft fft = Fft::create({.length = 16, .directions = FftDirections::Forward}, {}, on_host());
  std::vector<Complex<float>> in(64), out(64);
  std::vector<double> other(64);
  const ArrayRef x = refer<float>(in), y = refer<float>(out);
  const auto executed = [&](ArrayRefs from, ArrayRefs to, const FftLaunch& launch = {},
                            Direction direction = Direction::Forward) {
    return message_of([&] { fft.execute(host, from, to, direction, launch); });
  };
  const ArrayRef two[] = {x, y};
  EXPECT_THAT(executed(two, y), HasSubstr("takes 1 input and 1 output, but got 2 and 1"));
  EXPECT_THAT(executed(x, ArrayRef(other.data(), 64, element_type<double>())), HasSubstr("[TypeMismatch]"));
  EXPECT_THAT(executed(x, y, {.batch = 5}), HasSubstr("need 80 [CountMismatch]"));
  EXPECT_THAT(executed(x, y, {.axes = {0}}), HasSubstr("names axes of views, but no array is a view"));
  EXPECT_THAT(executed(x, ArrayRef(out.data(), 63, x.type)), HasSubstr("the output has 63 elements"));
  EXPECT_THAT(executed(x, y, {.batch = 2, .out = {.distance = 8}}), HasSubstr("two points of the output are the same"));
  EXPECT_THAT(executed(x, y, {.batch = 2, .in = {.stride = 2}}), HasSubstr("are for strides of 1"));
  EXPECT_THAT(executed(x, ArrayRef(in.data() + 1, 63, x.type), {.batch = 1}), HasSubstr("overlaps input 0 [Overlap]"));
  EXPECT_THAT(executed(x, ArrayRef(nullptr, 64, x.type)), HasSubstr("the output is null"));
  EXPECT_EQ(error_of([&] { fft.execute(host, x, ArrayRef(nullptr, 64, x.type)); }).remedy(),
            "Pass a pointer to memory of the host.");
  EXPECT_THAT(executed(x, ArrayRef(reinterpret_cast<char*>(out.data()) + 4, 63, x.type), {.batch = 1}),
              HasSubstr("[Misaligned]"));
  EXPECT_THAT(executed(x, y, {.state = 1.0F}), HasSubstr("take no state"));
  EXPECT_THAT(executed(x, y, {}, Direction::Inverse), HasSubstr("was not prepared for the inverse direction"));
  EXPECT_THAT(message_of([&] { fft.execute(static_cast<CUstream_st*>(nullptr), x, y); }),
              HasSubstr("runs on the host"));
}

TEST(FftMistakes, OfStates) {
  const Fft fft = Fft::create(
      {.length = 8}, {.store = "__device__ float2 f(float2 z, const float& s) { return make_float2(s * z.x, z.y); }"},
      on_host());
  std::vector<Complex<float>> both(8);
  const auto executed = [&](const FftLaunch& launch) {
    return message_of([&] { fft.execute(host, refer<float>(both), refer<float>(both), Direction::Forward, launch); });
  };
  EXPECT_THAT(executed({}), HasSubstr("take a state of 4 bytes, but none was given [TypeMismatch]"));
  EXPECT_THAT(executed({.state = 1.0}), HasSubstr("the state has 4 bytes, but 8 bytes were given [TypeMismatch]"));
}

// An application may cast any number to an enumeration.
TEST(FftMistakes, NumbersThatAreNoEnumerators) {
  const auto created = [](const FftPlan& plan) { return message_of([&] { Fft::create(plan, {}, on_host()); }); };
  EXPECT_THAT(created({.length = 8, .precision = FftPrecision(2)}),
              HasSubstr("FftPlan::precision is 2, which is no enumerator [InvalidArgument]"));
  EXPECT_THAT(created({.length = 8, .directions = FftDirections(9)}), HasSubstr("FftPlan::directions is 9"));
  EXPECT_THAT(created({.length = 8, .scaling = FftScaling(255)}), HasSubstr("FftPlan::scaling is 255"));
  const FftPlan precision = {.length = 8, .precision = FftPrecision(7)};
  EXPECT_THAT(message_of([&] { build(precision, {}, Architecture(90)); }), HasSubstr("FftPlan::precision is 7"));
  EXPECT_THAT(message_of([&] { precompile(precision, {}, {90}); }), HasSubstr("FftPlan::precision is 7"));
  EXPECT_THAT(message_of([&] { precompile(FftPlan{.length = 8}, {}, {90}, PrecompileFormat(17)); }),
              HasSubstr("the format of graft::precompile is 17"));

  const Fft fft = Fft::create({.length = 8}, {}, on_host());
  std::vector<Complex<float>> both(8);
  for (const int direction : {2, 5, 255})
    EXPECT_THAT(message_of([&] { fft.execute(host, refer<float>(both), refer<float>(both), Direction(direction)); }),
                HasSubstr(base::format("the direction is {}, which is no enumerator [InvalidArgument]", direction)));
}

// Callbacks of cuFFT's shape access arrays whose size graft does not know, so that nothing else bounds the batch.
TEST(FftMistakes, BatchesThatNoMemoryHolds) {
  constexpr std::size_t kMost = ~std::size_t{0}, kHalf = std::size_t{1} << 63;
  const FftCallbacks callbacks = {.load = kCufftLoad, .store = kCufftStore};
  for (const std::int64_t length : {std::int64_t{1}, std::int64_t{16}, std::int64_t{131072}}) {
    const Fft fft = Fft::create({.length = length, .directions = FftDirections::Forward, .has_long_arrays = true},
                                callbacks, on_host());
    std::vector<Complex<float>> array(16);
    const auto executed = [&](const FftLaunch& launch) {
      return message_of(
          [&] { fft.execute(host, refer<float>(array), refer<float>(array), Direction::Forward, launch); });
    };
    for (const std::size_t batch : {kHalf, kHalf + 1, kMost, kMost - 62})
      EXPECT_THAT(executed({.batch = batch}), HasSubstr("more than any memory holds [InvalidArgument]")) << batch;
    EXPECT_THAT(executed({.batch = 2, .out = {.distance = kMost}}), HasSubstr("more than any memory holds"));
    EXPECT_THAT(executed({.batch = 3, .in = {.distance = kHalf}}), HasSubstr("more than any memory holds"));
    EXPECT_EQ(fft.workspace_bytes(3), length == 131072 ? 3U * 131072 * 8 : 0U);
  }
}

TEST(FftMistakes, OfStatesAndWorkspacesOnTheHost) {
  const FftCallbacks callbacks = {.load =
                                      "__device__ float2 load(float2 z, const float& s) { return {s * z.x, z.y}; }"};
  const Fft fft = Fft::create({.length = 131072, .directions = FftDirections::Forward}, callbacks, on_host());
  std::vector<Complex<float>> in(131072), out(131072);
  alignas(16) std::byte workspace[32] = {};
  const auto executed = [&](const FftLaunch& launch) {
    return message_of([&] { fft.execute(host, refer<float>(in), refer<float>(out), Direction::Forward, launch); });
  };
  EXPECT_THAT(executed({.state = 1}), HasSubstr("the state is float, but int32 was given [TypeMismatch]"));
  EXPECT_THAT(executed({.workspace = workspace, .workspace_bytes = 32, .state = 1.0F}),
              HasSubstr("needs a workspace of 1048576 bytes, but 32 were given"));
  EXPECT_THAT(executed({.workspace = workspace + 8, .workspace_bytes = 1 << 20, .state = 1.0F}),
              HasSubstr("the workspace of an FFT is not aligned to 16 bytes"));
  for (const auto* const array : {&in, &out})
    EXPECT_THAT(
        executed({.workspace = const_cast<Complex<float>*>(array->data()), .workspace_bytes = 1 << 20, .state = 1.0F}),
        HasSubstr("the workspace overlaps"));
}

// No address space has room for a workspace of 2^59 bytes.
TEST(FftMistakes, ABatchThatTheHostHasNoMemoryFor) {
  const FftCallbacks callbacks = {.load = kCufftLoad, .store = kCufftStore};
  const Fft fft = Fft::create({.length = 131072, .directions = FftDirections::Forward, .has_long_arrays = true},
                              callbacks, on_host());
  std::vector<Complex<float>> array(16);
  EXPECT_THAT(message_of([&] {
                fft.execute(host, refer<float>(array), refer<float>(array), Direction::Forward,
                            {.batch = std::size_t{1} << 39});
              }),
              HasSubstr("576460752303423488 bytes, cannot be allocated on the host [SystemFailed]"));
}

// ---- kernels for GPUs ----

TEST(FftKernels, AreBuiltByEveryRouteThatCompilesSource) {
  for (const Route route : {Route::Lto, Route::Program})
    for (const FftCallbacks& callbacks :
         {FftCallbacks{.load = kCufftLoad, .store = kCufftStore},
          FftCallbacks{.load = "__device__ float2 load(short a, graft::Index i) { return make_float2(a, i); }",
          .store = "__device__ float store(float2 z, const float& s) { return z.x * s; }"}}) {
      Options options;
      options.routes.required = route;
      const Image image = build({.length = 512}, callbacks, Architecture(90), options).front();
      EXPECT_EQ(image.report().kernel.family, "fft");
      EXPECT_EQ(image.report().kernel.name.substr(0, 10), "graft_fft_");
      EXPECT_EQ(image.report().resources.local_bytes, 0);
      EXPECT_EQ(image.report().remaining_calls, std::vector<std::string>()) << name(route);
    }
}

}  // namespace
}  // namespace graft::test
