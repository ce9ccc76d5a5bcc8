// Tests which directions of an FFT have kernels: those that were asked for, and those that are added to a living job.
#include "engine/engine_impl.hpp"
#include "engine/job_kernels.hpp"
#include "engine/loaded_job.hpp"
#include "families/fft/caller.hpp"
#include "families/fft/fft_test.hpp"
#include "families/fft/job.hpp"
#include "graft/graft.hpp"
#include "support/errors.hpp"

namespace graft::test {
namespace {

using families::fft::FftArguments;
using graft_fft::Complex;
using testing::HasSubstr;

constexpr std::int64_t kLength =
    65536;  // two kernels for each direction, so that places of kernels are mixed up easily

Options on_host() {
  Options options;
  options.routes.required = Route::Host;
  return options;
}

// Calls execute(input, output) for an FFT and compares its results.
template <class Execute>
void expect_fft(Direction direction, Execute execute) {
  const std::vector<Complex<float>> in = random_signal<float>(2 * kLength, 1);
  std::vector<Complex<float>> out(in.size());
  execute(refer<float>(in), refer<float>(out));
  EXPECT_LT(rms_error(out, expected_fft(in, kLength, direction, unchanged, unchanged)), 6);
}

TEST(FftMethods, MayBeTheInverseAlone) {
  const Fft fft = Fft::create({.length = kLength, .directions = FftDirections::Inverse}, {}, on_host());
  const auto execute = [&](Direction direction) {
    expect_fft(direction, [&](const ArrayRef& in, const ArrayRef& out) { fft.execute(host, in, out, direction); });
  };
  execute(Direction::Inverse);
  EXPECT_THAT(error_of([&] { execute(Direction::Forward); }).message(),
              HasSubstr("was not prepared for the forward direction"));
}

TEST(FftMethods, AreAddedToALivingJob) {
  const families::Job asked = families::fft::job_of({.length = kLength, .directions = FftDirections::Forward}, {});
  LoadedJob job(Engine::Impl::of(Engine::shared()), engine::JobKernels(asked), on_host());
  const auto execute = [&](Direction direction) {
    expect_fft(direction, [&](const ArrayRef& in, const ArrayRef& out) {
      const FftLaunch launch = {};
      job.execute_on_host(FftArguments{{{&in, 1}, {&out, 1}, nullptr, {}}, direction, &launch});
    });
  };
  job.prepare_chosen();
  execute(Direction::Forward);
  EXPECT_THAT(error_of([&] { execute(Direction::Inverse); }).message(),
              HasSubstr("was not prepared for the inverse direction"));

  job.add_methods({"inverse"});
  for (const Direction direction : {Direction::Forward, Direction::Inverse}) execute(direction);
  job.add_methods({"forward"});  // the job has it already
  EXPECT_THAT(error_of([&] { job.add_methods({"sideways"}); }).message(), HasSubstr("have no method \"sideways\""));
  for (const Direction direction : {Direction::Forward, Direction::Inverse}) execute(direction);
}

// The kernels of a convolution take the direction from their table, of neighbours in memory too.
TEST(FftMethods, OfConvolutionsShareTheirKernels) {
  constexpr std::int64_t kPoints = 37, kBatch = 50;
  const auto expect_inverse = [&](const Fft& fft, float factor) {
    const std::vector<Complex<float>> in = random_signal<float>(kPoints * kBatch, 2);
    std::vector<Complex<float>> columns(in.size()), results(in.size()), out(in.size());
    const auto place = [&](std::size_t i) { return i % kPoints * kBatch + i / kPoints; };
    for (std::size_t i = 0; i < in.size(); ++i) columns[place(i)] = in[i];
    const FftLayout layout = {.stride = kBatch, .distance = 1};
    fft.execute(host, refer<float>(columns), refer<float>(results), Direction::Inverse,
                {.batch = kBatch, .in = layout, .out = layout});
    for (std::size_t i = 0; i < in.size(); ++i) out[i] = results[place(i)];
    const auto scaled = [&](Wide value, std::size_t) { return value * static_cast<long double>(factor); };
    EXPECT_LT(rms_error(out, expected_fft(in, kPoints, Direction::Inverse, unchanged, scaled)), 6);
  };
  expect_inverse(Fft::create({.length = kPoints, .has_strides = true}, {}, on_host()), 1);
  expect_inverse(
      Fft::create({.length = kPoints, .directions = FftDirections::Inverse, .has_strides = true}, {}, on_host()), 1);
  // Callbacks of one direction have kernels of their own.
  FftCallbacks callbacks;
  callbacks.inverse =
      FftSideCallbacks{.store = Callback("__device__ float2 twice(float2 z) { return {2 * z.x, 2 * z.y}; }")};
  expect_inverse(Fft::create({.length = kPoints, .has_strides = true}, callbacks, on_host()), 2);
  // Also if it has none, and the other one does.
  callbacks = {.load = Callback("__device__ float2 tenfold(float2 z) { return {10 * z.x, 10 * z.y}; }"),
               .inverse = FftSideCallbacks{}};
  expect_inverse(Fft::create({.length = kPoints, .has_strides = true}, callbacks, on_host()), 1);
}

// What was built has no callbacks to tell the kernels apart by.
TEST(FftMethods, OfConvolutionsAreLoaded) {
  const auto loaded = [&](const FftPlan& plan, const FftCallbacks& callbacks) {
    return Fft::load(build(plan, callbacks, Architecture(90), on_host()));
  };
  FftCallbacks callbacks;
  callbacks.inverse =
      FftSideCallbacks{.store = Callback("__device__ float2 twice(float2 z) { return {2 * z.x, 2 * z.y}; }")};
  EXPECT_EQ(loaded({.length = 37}, callbacks).reports().size(), 2U);
  EXPECT_EQ(loaded({.length = 37}, {}).reports().size(), 1U);
  EXPECT_EQ(loaded({.length = 37}, {}).plan().directions, FftDirections::Both);
  for (const FftDirections directions : {FftDirections::Forward, FftDirections::Inverse})
    EXPECT_EQ(loaded({.length = 37, .directions = directions}, {}).plan().directions, directions);
}

}  // namespace
}  // namespace graft::test
