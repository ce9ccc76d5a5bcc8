// Tests what the arrays of a call of graft::Fft mean, on the host route: which layout each input has, which arrays may
// be one, and how many FFTs a call computes that does not say so.
#include <numeric>

#include "base/format.hpp"
#include "engine/engine_impl.hpp"
#include "engine/job_kernels.hpp"
#include "families/fft/fft_test.hpp"
#include "graft/graft.hpp"
#include "support/errors.hpp"

namespace graft::test {
namespace {

using graft_fft::Complex;
using testing::AllOf;
using testing::HasSubstr;

constexpr std::size_t kLength = 8;
constexpr const char* kAddPower = "__device__ float f(float2 z, float old) { return old + z.x * z.x + z.y * z.y; }";
constexpr const char* kAddBoth = "[](float2 z, float2 w) { return make_float2(z.x + w.x, z.y + w.y); }";

Options on_host() {
  Options options;
  options.routes.required = Route::Host;
  return options;
}

ArrayRef floats(const float* first, std::size_t count) {
  return {const_cast<float*>(first), count, element_type<float>()};
}

// The message and the remedy.
std::string refusal_of(const std::function<void()>& call) {
  const Error error = error_of(call);
  return base::format("{} [{}] {}", error.message(), name(error.code()), error.remedy());
}

// ---- layouts ----

// Frames that overlap, and spectra that follow each other.
constexpr FftLaunch kFrames = {.batch = 8, .in = {.stride = 1, .distance = 1}, .out = {.stride = 1, .distance = 8}};

class FurtherInput : public testing::Test {
 protected:
  void execute(const float* old, std::size_t count, float* out) const {
    const ArrayRef inputs[] = {refer<float>(samples_), floats(old, count)};
    fft_.execute(host, inputs, floats(out, kAll), Direction::Forward, kFrames);
  }

  static constexpr std::size_t kAll = 8 * kLength;
  const Fft fft_ =
      Fft::create({.length = kLength, .directions = FftDirections::Forward}, {.store = kAddPower}, on_host());
  const std::vector<Complex<float>> samples_ = std::vector<Complex<float>>(15, {1, 0});
  std::vector<float> memory_ = std::vector<float>(200);
};

// The power of every frame is in its frequency 0.
TEST_F(FurtherInput, OfAStoreCallbackHasTheOutputsLayout) {
  std::iota(memory_.begin(), memory_.end(), 1.0F);
  execute(memory_.data(), kAll, memory_.data() + kAll);
  for (std::size_t i = 0; i < kAll; ++i)
    EXPECT_EQ(memory_[kAll + i], static_cast<float>(i + 1) + (i % kLength == 0 ? 64.0F : 0.0F)) << i;
}

TEST_F(FurtherInput, ThatOverlapsTheOutputIsRefused) {
  for (const std::size_t begin : {1, 15, 16, 32, 63}) {
    SCOPED_TRACE(begin);
    const auto overlaps = AllOf(HasSubstr("the output overlaps input 1"), HasSubstr("[Overlap]"));
    EXPECT_THAT(refusal_of([&] { execute(memory_.data(), kAll, memory_.data() + begin); }), overlaps);
    EXPECT_THAT(refusal_of([&] { execute(memory_.data() + begin, kAll, memory_.data()); }), overlaps);
  }
  EXPECT_EQ(memory_, std::vector<float>(200));
}

// Welch's method adds the power of frames to the sums of earlier calls.
TEST_F(FurtherInput, MayBeTheOutput) {
  for (int i = 0; i < 3; ++i) execute(memory_.data(), kAll, memory_.data());
  for (std::size_t i = 0; i < memory_.size(); ++i)
    EXPECT_EQ(memory_[i], i < kAll && i % kLength == 0 ? 3 * 64.0F : 0.0F) << i;
}

TEST_F(FurtherInput, OfAStoreCallbackNeedsRoomForTheOutputsLayout) {
  EXPECT_THAT(refusal_of([&] { execute(memory_.data(), kAll - 1, memory_.data() + kAll); }),
              HasSubstr("input 1 has 63 elements, but 8 FFTs of 8 points with stride 1 and distance 8 need 64"));
}

// Without arrays of a load callback, the first input belongs to the store callback.
TEST_F(FurtherInput, MayBeTheOnlyInput) {
  const Fft fft = Fft::create(
      {.length = kLength},
      {.load = "__device__ float2 at(graft::Index i) { return make_float2(i / 8, 0); }", .store = kAddPower},
      on_host());
  const FftLaunch launch = {.in = {.distance = 3}, .out = {.distance = 10}};
  const auto call = [&](const ArrayRef& old, const ArrayRef& out) {
    fft.execute(host, old, out, Direction::Forward, launch);
  };
  call(floats(memory_.data(), 30), floats(memory_.data(), 30));  // the number of FFTs is that of the output
  for (std::size_t i = 0; i < 30; ++i)
    EXPECT_EQ(memory_[i], i % 10 == 0 ? 64 * static_cast<float>(i / 10 * (i / 10)) : 0.0F) << i;
  EXPECT_THAT(refusal_of([&] { call(floats(memory_.data(), 27), floats(memory_.data() + 30, 28)); }),
              HasSubstr("input 0 has 27 elements, but 3 FFTs of 8 points with stride 1 and distance 10 need 28"));
}

// All inputs of a load callback have the input's layout, and need no room for the output's.
TEST(FurtherInputs, OfALoadCallbackHaveTheInputsLayout) {
  const Fft fft = Fft::create({.length = kLength}, {.load = kAddBoth}, on_host());
  const std::vector<Complex<float>> frames = random_signal<float>(10, 1);
  std::vector<Complex<float>> out(24);
  const ArrayRef x = refer<float>(frames), two[] = {x, x}, short_one[] = {x, {x.pointer, 9, x.type}};
  const FftLaunch launch = {.batch = 3, .in = {.distance = 1}};
  fft.execute(host, two, refer<float>(out), Direction::Forward, launch);
  std::vector<Complex<float>> doubled;
  for (std::size_t i = 0; i < 24; ++i) {
    const Complex<float> z = frames[i / 8 + i % 8];
    doubled.push_back({2 * z.re, 2 * z.im});
  }
  EXPECT_LT(rms_error(out, expected_fft(doubled, kLength, Direction::Forward, unchanged, unchanged)), 6);
  EXPECT_THAT(refusal_of([&] { fft.execute(host, short_one, refer<float>(out), Direction::Forward, launch); }),
              HasSubstr("input 1 has 9 elements, but 3 FFTs of 8 points with stride 1 and distance 1 need 10"));
}

// Images and packs keep which inputs are the store callback's.
TEST(FurtherInputs, AreKnownOfKernelsThatWereMadeBefore) {
  const FftPlan plan = {.length = kLength, .directions = FftDirections::Forward};
  const FftCallbacks callbacks = {.load = kAddBoth, .store = kAddPower};
  const Fft fft = Fft::load(build(plan, callbacks, Architecture(90), on_host()));
  std::vector<Complex<float>> in(15);
  std::vector<float> sums(96);
  const ArrayRef x = refer<float>(in), inputs[] = {x, x, floats(sums.data(), 64)};
  fft.execute(host, inputs, floats(sums.data(), 64), Direction::Forward, kFrames);
  EXPECT_THAT(refusal_of([&] { fft.execute(host, inputs, floats(sums.data() + 32, 64), Direction::Forward, kFrames); }),
              HasSubstr("the output overlaps input 2 [Overlap]"));

  Engine engine;
  const std::vector<std::byte> pack = precompile(engine, plan, callbacks, {90});
  const auto kernels = engine::JobKernels::of_pack("fft", pack, 0);
  for (const Step& step : kernels.kernels_for(Architecture(90)).schedule.kernels) {
    const auto image = Engine::Impl::of(engine)->find_or_build({step, Architecture(90), {}});
    EXPECT_EQ(image->kernel().signature.further_inputs(), 1U);
    EXPECT_THAT(image->kernel().signature.describe(), HasSubstr("input 2, of the store callback: float (float,"));
  }
}

// ---- the number of FFTs ----

struct Held {
  std::size_t elements, stride, distance, ffts;
};

// A call without a number computes all FFTs that its first array holds.
TEST(NumberOfFfts, IsThatOfTheFirstArray) {
  const Fft fft = Fft::create({.length = kLength, .has_strides = true},
                              {.store = "[](float2 z, graft::Index) { return 1.0f; }"}, on_host());
  for (const Held& held : {Held{0, 1, 0, 0},
                           {8, 1, 0, 1},
                           {24, 1, 0, 3},
                           {28, 1, 10, 3},  // without the gap behind the last FFT
                           {30, 1, 10, 3},  // with it
                           {11, 1, 1, 4},   // frames
                           {14, 1, 3, 3},
                           {15, 2, 0, 1},
                           {16, 2, 0, 1},
                           {32, 4, 1, 4}}) {  // FFTs that interleave
    const std::vector<Complex<float>> in(held.elements);
    std::vector<float> out(100);
    fft.execute(host, refer<float>(in), floats(out.data(), 100), Direction::Forward,
                {.in = {held.stride, held.distance}});
    EXPECT_EQ(std::accumulate(out.begin(), out.end(), 0.0F), static_cast<float>(held.ffts * kLength))
        << held.elements << " elements, stride " << held.stride << ", distance " << held.distance;
  }
}

TEST(NumberOfFfts, IsNeededForAnArrayWithARest) {
  const Fft fft = Fft::create({.length = kLength, .has_strides = true}, {}, on_host());
  for (const Held& held : {Held{7, 1, 0, 0},
                           {1, 1, 0, 0},
                           {20, 1, 0, 0},
                           {9, 1, 0, 0},
                           {31, 1, 10, 0},
                           {15, 1, 3, 0},
                           {17, 2, 0, 0},
                           {14, 2, 0, 0}}) {
    const std::vector<Complex<float>> in(held.elements, {1, 1});
    std::vector<Complex<float>> out(100, {77, 77});
    EXPECT_THAT(refusal_of([&] {
                  fft.execute(host, refer<float>(in), refer<float>(out), Direction::Forward,
                              {.in = {held.stride, held.distance}});
                }),
                AllOf(HasSubstr(base::format("input 0 has {}, which is no whole number of FFTs of 8 points",
                                             base::counted(held.elements, "element"))),
                      HasSubstr("[InvalidArgument]"), HasSubstr("FftLaunch::batch")));
    for (const Complex<float>& z : out) ASSERT_TRUE(z.re == 77 && z.im == 77);
  }
}

// graft does not know what such a callback reads, nor of which type.
TEST(NumberOfFfts, IsNeededForALoadCallbackThatAccessesItsArray) {
  constexpr const char* kLoad =
      "__device__ float2 load(void* data, unsigned long long offset, void*, void*) {\n"
      "  return make_float2(((char*)data)[offset], 0); }";
  const Fft fft = Fft::create({.length = kLength}, {.load = kLoad}, on_host());
  const std::vector<char> in(16, 1);
  std::vector<Complex<float>> out(16);
  const ArrayRef from(in.data(), in.size(), element_type<char>());
  EXPECT_THAT(refusal_of([&] { fft.execute(host, from, refer<float>(out)); }),
              AllOf(HasSubstr("input 0"), HasSubstr("cuFFT's shape"), HasSubstr("FftLaunch::batch")));
  fft.execute(host, from, refer<float>(out), Direction::Forward, {.batch = 2});
  EXPECT_EQ(out[8].re, 8);
}

// The output of such a store callback tells nothing either, where no array is loaded.
TEST(NumberOfFfts, IsNeededForAStoreCallbackWithoutLoadedArrays) {
  const Fft fft = Fft::create({.length = kLength},
                              {.load = "__device__ float2 load(graft::Index i) { return make_float2(1, 0); }",
                               .store = "__device__ void store(void* data, unsigned long long offset, float2 z, void*, "
                                        "void*) { ((float2*)data)[offset] = z; }"},
                              on_host());
  std::vector<Complex<float>> out(16);
  EXPECT_THAT(refusal_of([&] { fft.execute(host, {}, refer<float>(out)); }),
              AllOf(HasSubstr("the output"), HasSubstr("FftLaunch::batch")));
}

}  // namespace
}  // namespace graft::test
