// Tests graft::Fft on a GPU: every route, precision and direction, callbacks of both shapes, workspaces, layouts,
// streams, graphs, and what is written where nothing should be.
#include "families/fft/fft_test.hpp"

#include <cuda_runtime.h>

#include <algorithm>
#include <array>
#include <ranges>
#include <thread>

#include "base/files.hpp"
#include "families/registry.hpp"
#include "gpu/device.hpp"
#include "gpu/fft_on_gpu.hpp"
#include "graft/graft.hpp"
#include "support/errors.hpp"

namespace graft::test {
namespace {

using graft_fft::Complex;
using testing::HasSubstr;

class GpuFft : public Gpu {};

template <class T>
using Managed = std::vector<T, ManagedAllocator<T>>;

Options by(Route route) {
  Options options;
  options.routes.required = route;
  return options;
}

template <class Real>
Managed<Complex<Real>> signal(std::size_t count, unsigned seed) {
  const std::vector<Complex<Real>> values = random_signal<Real>(count, seed);
  return {values.begin(), values.end()};
}
template <class T>
std::vector<T> fetched(const Managed<T>& array) {
  check(cudaDeviceSynchronize());
  return {array.begin(), array.end()};
}

// Of expected numbers, for tolerances. A NaN among the numbers fails their own comparison.
long double largest_power(const std::vector<Wide>& numbers) {
  return std::ranges::max(numbers | std::views::transform([](Wide z) { return std::norm(z); }));
}

template <class Real>
void expect_plain(std::int64_t length, std::size_t batch, Direction direction) {
  SCOPED_TRACE(length);
  const Fft fft = Fft::create({.length = length, .precision = precision_of<Real>(), .batch = batch});
  const auto in = signal<Real>(static_cast<std::size_t>(length) * batch, 1);
  Managed<Complex<Real>> out(in.size());
  fft.execute(nullptr, refer<Real>(in), refer<Real>(out), direction);
  EXPECT_LT(rms_error(fetched(out), expected_fft(fetched(in), length, direction, unchanged, unchanged)), 6);
}

TEST_F(GpuFft, ComputesOneTwoAndThreeKernels) {
  for (const std::int64_t length :
       {1, 2, 8, 37, 60, 1000, 1009, 4096, 8192, 10007, 16384, 32768, 65536, 131072, 1000000}) {
    const std::size_t batch = length < 10000 ? 37 : 2;
    expect_plain<float>(length, batch, Direction::Forward);
    expect_plain<float>(length, batch, Direction::Inverse);
    expect_plain<double>(length, batch, Direction::Forward);
  }
}

constexpr const char* kLoad =
    "__device__ float2 load(void* data, unsigned long long offset, void* info, void*) {\n"
    "  float2 z = ((float2*)data)[offset]; z.x *= ((const float*)info)[offset % 1000]; return z; }";
constexpr const char* kStore =
    "__device__ void store(void* data, unsigned long long offset, float2 z, void* info, void*) {\n"
    "  z.y += *(const float*)info; ((float2*)data)[offset] = z; }";

TEST_F(GpuFft, CallsCallbacksOfCufftsShape) {
  constexpr std::int64_t kLength = 1000;
  const auto in = signal<float>(50 * kLength, 2);
  Managed<float> factors(kLength), offset(1, 7);
  for (std::size_t i = 0; i < factors.size(); ++i) factors[i] = 1 + static_cast<float>(i % 7);
  const std::vector<Wide> expected = expected_fft(
      fetched(in), kLength, Direction::Forward,
      [&](Wide z, std::size_t i) { return Wide(z.real() * factors[i % kLength], z.imag()); },
      [](Wide z, std::size_t) { return Wide(z.real(), z.imag() + 7); });
  for (const Route route : {Route::Program, Route::Lto, Route::Ptx}) {
    const Fft fft = Fft::create({.length = kLength}, {.load = kLoad, .store = kStore}, by(route));
    Managed<Complex<float>> out(in.size());
    fft.execute(nullptr, refer<float>(in), refer<float>(out), Direction::Forward,
                {.batch = 50, .info = {factors.data(), offset.data()}});
    EXPECT_LT(rms_error(fetched(out), expected), 6) << name(route);
  }
}

// A callback in LTO-IR, in two kernels, with several arrays and a state.
TEST_F(GpuFft, CallsCallbacksOfGraftsShape) {
  constexpr std::int64_t kLength = 131072;
  constexpr std::size_t kAll = 3 * kLength;
  const Callback load =
      "__device__ float2 load(short a, float b, const float& gain, graft::Index i) {\n"
      "  return make_float2(a * gain, b + i % 5); }";
  const std::string store_text =
      "__device__ float power(float2 z, float weight, const double& bias) { return (z.x * z.x + z.y * z.y) * weight + "
      "bias; }";
  const Callback store = Callback::ltoir(Callback(store_text).precompile({Architecture(90)}, PrecompileFormat::LtoIr))
                             .with_signature("float power(float2, float, const double&)");
  const Fft fft = Fft::create({.length = kLength, .batch = 3}, {.load = load, .store = store});
  Managed<short> a(kAll);
  Managed<float> b(kAll), weight(kAll), out(kAll);
  for (std::size_t i = 0; i < kAll; ++i) {
    a[i] = static_cast<short>(i * 7 % 11);
    b[i] = static_cast<float>(i % 3);
    weight[i] = static_cast<float>(1 + i % 2);
  }
  struct {
    float gain = 0.5F;
    double bias = 3;
  } state;
  const ArrayRef in[] = {{a.data(), kAll, element_type<short>()},
                         {b.data(), kAll, element_type<float>()},
                         {weight.data(), kAll, element_type<float>()}};
  fft.execute(nullptr, in, ArrayRef(out.data(), kAll, element_type<float>()), Direction::Forward, {.state = state});
  check(cudaDeviceSynchronize());
  std::vector<Complex<float>> made(kAll);
  for (std::size_t i = 0; i < kAll; ++i) made[i] = {a[i] * 0.5F, b[i] + static_cast<float>(i % 5)};
  const std::vector<Wide> expected = expected_fft(made, kLength, Direction::Forward, unchanged, unchanged);
  const long double whole = largest_power(expected);
  for (std::size_t i = 0; i < kAll; ++i)
    ASSERT_NEAR(out[i], static_cast<double>(std::norm(expected[i]) * (1 + i % 2) + 3),
                1e-5 * static_cast<double>(whole));
}

// Of types that no check tells apart: (re, im) becomes (im, re), then (2 re, 3 im).
TEST_F(GpuFft, CallsAllPartsOfChains) {
  constexpr std::int64_t kLength = 64;
  const Callback both = chain("__device__ float2 swap(float2 z) { return {z.y, z.x}; }",
                              "__device__ float2 scale(float2 z) { return {2 * z.x, 3 * z.y}; }");
  using Change = Wide (*)(Wide, std::size_t);
  const Change change = [](Wide z, std::size_t) { return Wide(2 * z.imag(), 3 * z.real()); }, none = unchanged;
  const auto in = signal<float>(3 * kLength, 4);
  Managed<Complex<float>> out(in.size());
  for (const bool is_load : {true, false})
    for (const Route route : {Route::Program, Route::Lto, Route::Ptx}) {
      const FftCallbacks callbacks = is_load ? FftCallbacks{.load = both} : FftCallbacks{.store = both};
      const Fft fft = Fft::create({.length = kLength}, callbacks, by(route));
      fft.execute(nullptr, refer<float>(in), refer<float>(out));
      EXPECT_LT(rms_error(fetched(out), expected_fft(fetched(in), kLength, Direction::Forward, is_load ? change : none,
                                                     is_load ? none : change)),
                6)
          << is_load;
    }
}

// Welch's method: frames overlap, and each call adds the powers of its frames to the sums, in place. In one kernel,
// also of a cluster, and in the last one of two.
TEST_F(GpuFft, AddsToItsOutputInPlace) {
  for (const std::size_t length : {256, 32768, 131072}) {
    SCOPED_TRACE(length);
    const std::size_t hop = length / 4, frames = 9, calls = 3;
    const auto samples = signal<float>(length + hop * (frames - 1), 11);
    Managed<float> sums(frames * length, 0);
    const Fft fft =
        Fft::create({.length = static_cast<std::int64_t>(length), .batch = frames},
                    {.store = "__device__ float f(float2 z, float old) { return old + z.x * z.x + z.y * z.y; }"});
    const ArrayRef sum(sums.data(), sums.size(), element_type<float>());
    const ArrayRef inputs[] = {refer<float>(samples), sum};
    const FftLaunch launch = {.batch = frames, .in = {.distance = hop}};
    for (std::size_t i = 0; i < calls; ++i) fft.execute(nullptr, inputs, sum, Direction::Forward, launch);
    std::vector<Complex<float>> framed;
    for (std::size_t i = 0; i < frames * length; ++i) framed.push_back(samples[i / length * hop + i % length]);
    const std::vector<float> found = fetched(sums);
    const std::vector<Wide> expected =
        expected_fft(framed, static_cast<std::int64_t>(length), Direction::Forward, unchanged, unchanged);
    const long double largest = largest_power(expected);
    for (std::size_t i = 0; i < found.size(); ++i)
      ASSERT_NEAR(found[i], static_cast<double>(calls * std::norm(expected[i])), 1e-5 * static_cast<double>(largest))
          << i;
    // Sums that overlap the output in another way are another call's.
    const ArrayRef shifted(sums.data() + length, sums.size() - length, sum.type);
    const ArrayRef mixed[] = {refer<float>(samples), shifted};
    EXPECT_EQ(error_of([&] {
                fft.execute(nullptr, mixed, sum, Direction::Forward, {.batch = frames - 1, .in = {.distance = hop}});
              }).code(),
              ErrorCode::Overlap);
  }
}

TEST_F(GpuFft, FiltersBetweenAnFftAndItsInverse) {
  constexpr std::int64_t kLength = 8192;
  const Fft fft = Fft::create({.length = kLength, .scaling = FftScaling::ByLength},
                              {.between = "__device__ float2 low(float2 z, graft::Index k, const int& most) {\n"
                                          "  return k > most ? make_float2(0, 0) : z; }"});
  const auto in = signal<float>(4 * kLength, 4);
  Managed<Complex<float>> out(in.size());
  fft.execute(nullptr, refer<float>(in), refer<float>(out), Direction::Forward, {.state = 99});
  const auto filtered = [&](Wide z, std::size_t i) { return i % kLength > 99 ? Wide(0) : z; };
  std::vector<Complex<double>> middle;
  for (const Wide z : expected_fft(fetched(in), kLength, Direction::Forward, unchanged, filtered))
    middle.push_back({static_cast<double>(z.real()), static_cast<double>(z.imag())});
  EXPECT_LT(rms_error(fetched(out), expected_fft(middle, kLength, Direction::Inverse, unchanged,
                                                 [](Wide z, std::size_t) { return z / Wide(kLength); })),
            6);
}

TEST_F(GpuFft, WritesNothingElse) {
  constexpr std::size_t kLength = 100, kBatch = 31;
  const Fft fft = Fft::create({.length = kLength, .has_strides = true});
  const auto in = signal<float>(kBatch * kLength, 5);
  Managed<Complex<float>> out(3 * 130 * kBatch, {77, 77});
  fft.execute(nullptr, refer<float>(in), refer<float>(out), Direction::Forward,
              {.batch = kBatch, .out = {.stride = 3, .distance = 3 * 130}});
  std::vector<Complex<float>> found;
  const std::vector<Complex<float>> all = fetched(out);
  for (std::size_t i = 0; i < all.size(); ++i)
    if (i % 3 == 0 && i / 3 % 130 < kLength) found.push_back(all[i]);
    else ASSERT_EQ(all[i].re, 77) << i;
  EXPECT_LT(rms_error(found, expected_fft(fetched(in), kLength, Direction::Forward, unchanged, unchanged)), 6);
}

// From 2^22 points on, blocks of the FFTs of a batch take turns.
TEST_F(GpuFft, ComputesBatchesOfLongFfts) {
  constexpr std::size_t kLength = std::size_t{1} << 22, kBatch = 5;
  const Fft fft = Fft::create({.length = kLength, .batch = kBatch},
                              {.load = "[](float2 z, graft::Index i) { return i % 7 == 0 ? float2() : z; }",
                               .store = "[](float2 z, float2 w) { return float2{z.x * w.x, z.y + w.y}; }"});
  const Fft plain = Fft::create({.length = kLength, .batch = 1});
  const auto in = signal<float>(kBatch * kLength, 8), further = signal<float>(kBatch * kLength, 9);
  Managed<Complex<float>> out(in.size()), one(kLength), alone(kLength);
  const ArrayRef inputs[] = {refer<float>(in), refer<float>(further)};
  for (const Direction direction : {Direction::Forward, Direction::Inverse}) {
    fft.execute(nullptr, inputs, refer<float>(out), direction);
    check(cudaDeviceSynchronize());
    for (std::size_t b = 0; b < kBatch; ++b) {
      const std::size_t begin = b * kLength;
      for (std::size_t i = 0; i < kLength; ++i) one[i] = (begin + i) % 7 == 0 ? Complex<float>{0, 0} : in[begin + i];
      plain.execute(nullptr, refer<float>(one), refer<float>(alone), direction);
      check(cudaDeviceSynchronize());
      for (std::size_t i = 0; i < kLength; ++i) {
        // The numbers are in the thousands. Kernels with and without callbacks round differently.
        ASSERT_NEAR(out[begin + i].re, alone[i].re * further[begin + i].re, 0.05) << b << " " << i;
        ASSERT_NEAR(out[begin + i].im, alone[i].im + further[begin + i].im, 0.05) << b << " " << i;
      }
    }
  }
}

// Pairs of numbers are accessed at once only where they are aligned. Even and odd lengths, large prime factors, and
// several kernels.
TEST_F(GpuFft, TakesNumbersAtAnyPlace) {
  for (const std::int64_t length : {2, 64, 100, 1024, 77, 34, 40000}) {
    SCOPED_TRACE(length);
    const auto n = static_cast<std::size_t>(length), half = n / 2 + 1;
    const Fft fft = Fft::create({.length = length, .scaling = FftScaling::ByLength, .batch = 3, .kind = FftKind::Real});
    Managed<float> x, back;
    for (const auto& value : random_signal<float>(3 * n + 4, 1)) x.push_back(value.re);
    for (const std::size_t begin : {0U, 1U})
      for (const std::size_t distance : {n, n + 1}) {
        const FftLaunch to = {.batch = 3, .in = {.distance = distance}},
                        from = {.batch = 3, .out = {.distance = distance}};
        Managed<Complex<float>> spectra(3 * half);
        fft.execute(nullptr, ArrayRef(x.data() + begin, x.size() - begin, element_type<float>()), refer<float>(spectra),
                    Direction::Forward, to);
        back.assign(x.size(), 77);
        fft.execute(nullptr, refer<float>(spectra),
                    ArrayRef(back.data() + begin, x.size() - begin, element_type<float>()), Direction::Inverse, from);
        check(cudaDeviceSynchronize());
        std::vector<Wide> expected;
        std::vector<bool> is_result(x.size());
        for (std::size_t b = 0; b < 3; ++b) {
          std::vector<Wide> numbers;
          for (std::size_t i = 0; i < n; ++i) {
            const std::size_t at = begin + b * distance + i;
            numbers.emplace_back(x[at]);
            is_result[at] = true;
            ASSERT_NEAR(back[at], x[at], 3e-6) << at;
          }
          numbers = reference_fft(numbers, -1);
          expected.insert(expected.end(), numbers.begin(), numbers.begin() + static_cast<std::ptrdiff_t>(half));
        }
        EXPECT_LT(rms_error(fetched(spectra), expected), 6);
        for (std::size_t i = 0; i < back.size(); ++i) ASSERT_TRUE(is_result[i] || back[i] == 77) << i;
      }
  }
}

TEST_F(GpuFft, WorksInPlaceOnStreamsAndInGraphs) {
  constexpr std::int64_t kLength = 131072;
  const Fft fft = Fft::create({.length = kLength, .scaling = FftScaling::ByLength, .batch = 4});
  EXPECT_EQ(fft.workspace_bytes(4), 4U * kLength * 8);
  const auto original = signal<float>(4 * kLength, 6);
  Managed<Complex<float>> both = original;
  cudaStream_t stream = nullptr;
  check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t ready = nullptr;
  check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  fft.execute(stream, refer<float>(both), refer<float>(both));
  fft.execute(stream, refer<float>(both), refer<float>(both), Direction::Inverse);
  check(cudaStreamEndCapture(stream, &graph));
  check(cudaGraphInstantiate(&ready, graph, 0));
  for (int i = 0; i < 3; ++i) check(cudaGraphLaunch(ready, stream));
  check(cudaStreamSynchronize(stream));
  std::vector<Wide> expected;
  for (const Complex<float>& z : original) expected.emplace_back(z.re, z.im);
  EXPECT_LT(rms_error(fetched(both), expected), 12);
  check(cudaGraphExecDestroy(ready));
  check(cudaGraphDestroy(graph));
  check(cudaStreamDestroy(stream));
}

TEST_F(GpuFft, TakesAWorkspaceOfTheCallers) {
  constexpr std::int64_t kLength = 131072;
  const Fft fft = Fft::create({.length = kLength});
  const auto in = signal<float>(2 * kLength, 7);
  Managed<Complex<float>> out(in.size()), workspace(in.size());
  const auto execute = [&](void* memory, std::size_t bytes) {
    fft.execute(nullptr, refer<float>(in), refer<float>(out), Direction::Forward,
                {.workspace = memory, .workspace_bytes = bytes});
  };
  EXPECT_THAT(error_of([&] { execute(nullptr, 0); }).message(), HasSubstr("needs a workspace of 2097152 bytes"));
  EXPECT_THAT(error_of([&] { execute(workspace.data(), 2097151); }).message(), HasSubstr("but 2097151 were given"));
  execute(workspace.data(), fft.workspace_bytes(2));
  EXPECT_LT(rms_error(fetched(out), expected_fft(fetched(in), kLength, Direction::Forward, unchanged, unchanged)), 6);
}

TEST_F(GpuFft, ComesFromTheCacheOnDisk) {
  const base::TemporaryFolder folder;
  for (const bool is_cached : {false, true}) {
    Engine engine({.cache = {.policy = CachePolicy::ReadWrite, .folder = folder.path()}});
    const Fft fft = Fft::create(engine, {.length = 512}, {.load = kLoad});
    EXPECT_EQ(fft.reports().size(), 2U);
    for (const Report& report : fft.reports()) EXPECT_EQ(report.from_cache, is_cached);
  }
}

// Packs and images give what create gives, bit for bit: with and without cubins, for the device's architecture and an
// older one.
TEST_F(GpuFft, LoadsWhatWasMadeAhead) {
  constexpr std::int64_t kLength = 32768;
  const FftPlan plan = {.length = kLength, .batch = 3};
  const FftCallbacks callbacks = {
      .load = "__device__ float2 load(short a, graft::Index i) { return make_float2(a, i % 3); }",
      .store = "__device__ float power(float2 z, const float& s) { return (z.x * z.x + z.y * z.y) * s; }"};
  Managed<short> in(3 * kLength);
  for (std::size_t i = 0; i < in.size(); ++i) in[i] = static_cast<short>(i * 37 % 101);
  const auto run = [&](const Fft& fft, Direction direction) {
    Managed<float> out(in.size());
    fft.execute(nullptr, ArrayRef(in.data(), in.size(), element_type<short>()),
                ArrayRef(out.data(), out.size(), element_type<float>()), direction, {.state = 0.5F});
    return fetched(out);
  };
  const Fft made = Fft::create(plan, callbacks);
  const Architecture here = made.reports().front().kernel.architecture;
  const std::vector<Fft> loaded = {
      Fft::load(precompile(plan, callbacks, {here}), 3),
      Fft::load(precompile(plan, callbacks, {75, here}, PrecompileFormat::PackWithCubins), 3),
      Fft::load(build(plan, callbacks, here), 3),
      Fft::create_async(plan, callbacks).get(),
  };
  for (const Direction direction : {Direction::Forward, Direction::Inverse}) {
    const std::vector<float> expected = run(made, direction);
    for (std::size_t i = 0; i < loaded.size(); ++i) EXPECT_EQ(run(loaded[i], direction), expected) << i;
  }
  // The plan for sm_75 is another one, with other roundings.
  const Fft older = Fft::load(precompile(plan, callbacks, {75}), 3);
  EXPECT_THAT(families::of("fft").words_on(older.reports().front().kernel.request),
              testing::Contains("architecture=75"));
  const std::vector<float> expected = run(made, Direction::Forward), found = run(older, Direction::Forward);
  for (std::size_t i = 0; i < found.size(); ++i) ASSERT_NEAR(found[i], expected[i], 1e-3 * expected[i] + 1e3) << i;
}

}  // namespace
}  // namespace graft::test
