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

}  // namespace
}  // namespace graft::test
