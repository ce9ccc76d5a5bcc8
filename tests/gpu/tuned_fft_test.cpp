// Tests FFTs by the plans of a tuning file for this GPU: their results are those of graft's own plans but for rounding,
// and `shipped_tuning`, or the deletion of the file, restores graft's own bits.
#include <gmock/gmock.h>

#include <cmath>
#include <complex>
#include <filesystem>
#include <limits>

#include "base/files.hpp"
#include "families/fft/tuned_plans.hpp"
#include "gpu/device.hpp"
#include "launch/device.hpp"
#include "store/tuning_place.hpp"

namespace graft::test {
namespace {

using families::fft::Choices;
using families::fft::Half;
using families::fft::Precision;
using families::fft::TunedPlan;
using testing::HasSubstr;

const std::vector<TunedPlan>& tuned_plans_of_test() {
  static const std::vector<TunedPlan> plans = {
      {{4096, Precision::Single, false, {}},
       {.radices = {{8, 8, 8, 8}}, .threads = {512}, .ffts = {1}, .resident_blocks = {1}}},
      {{65536, Precision::Single, false, {}},
       {.factors = {256, 256}, .radices = {{16, 16}, {16, 16}}, .threads = {16, 16}, .ffts = {16, 16}}},
      {{512, Precision::Single, true, {}}, {.radices = {{8, 8, 8}}, .threads = {32}, .ffts = {4}}},
      {{2048, Precision::Single, false, Half::Stored}, {.radices = {{8, 8, 16}}, .threads = {128}, .ffts = {1}}},
      {{2048, Precision::Single, false, Half::Loaded},
       {.radices = {{16, 8, 8}}, .threads = {64}, .ffts = {2}, .splits_complex = true}}};
  return plans;
}

class GpuTunedFft : public Gpu {
 protected:
  GpuTunedFft() {
    options_.cache.policy = CachePolicy::ReadWrite;
    options_.cache.folder = folder_.path() / "cache";
    options_.cache.layers.emplace();
  }

  format::TuningFile file_of_this_gpu() const {
    const launch::CurrentContext context;
    format::TuningFile file{.gpu = context.gpu(), .architecture = context.architecture().number};
    for (const TunedPlan& plan : tuned_plans_of_test()) file.further["fft"].push_back(row_of(plan));
    return file;
  }

  struct Result {
    std::vector<float> numbers;
    std::string reason;  // why the plan was chosen
  };

  // Executes a batch of the FFTs of a plan with a new engine.
  Result run(const TunedPlan& tuned, const FftCallbacks& callbacks, const Options& options) const {
    const auto& [kind, choices] = tuned;
    const bool is_inverse = kind.half == Half::Loaded;
    FftPlan plan = {.length = kind.length, .batch = kBatch, .kind = kind.half ? FftKind::Real : FftKind::Complex};
    plan.directions = is_inverse ? FftDirections::Inverse : FftDirections::Forward;
    if (kind.has_inverse) plan.directions = FftDirections::Both;
    Engine engine(options_);
    const Fft fft = Fft::create(engine, plan, callbacks, options);
    const auto length = static_cast<std::size_t>(kind.length), half = length / 2 + 1;
    const Direction direction = is_inverse ? Direction::Inverse : Direction::Forward;
    Result result{{}, fft.reports().front().policy_reason};
    const auto execute = [&](const auto& in, const auto& out) {
      fft.execute(nullptr, in, out, direction);
      check(cudaDeviceSynchronize());
      EXPECT_TRUE(out.guards_are_intact());
      const auto host = out.host();
      const auto* const begin = reinterpret_cast<const float*>(host.data());
      result.numbers.assign(begin, begin + host.size() * sizeof host[0] / sizeof(float));
    };
    const DeviceArray<float> reals(random_numbers<float>(kBatch * length, 3, -1, 1));
    const DeviceArray<std::complex<float>> points(complex_numbers(kBatch * (is_inverse ? half : length)));
    if (kind.half == Half::Stored)
      execute(reals, DeviceArray<std::complex<float>>(std::vector<std::complex<float>>(kBatch * half)));
    else if (is_inverse) execute(points, DeviceArray<float>(std::vector<float>(kBatch * length)));
    else execute(points, DeviceArray<std::complex<float>>(std::vector<std::complex<float>>(kBatch * length)));
    return result;
  }

  static std::vector<std::complex<float>> complex_numbers(std::size_t count) {
    const std::vector<float> numbers = random_numbers<float>(2 * count, 5, -1, 1);
    std::vector<std::complex<float>> points(count);
    for (std::size_t i = 0; i < count; ++i) points[i] = {numbers[2 * i], numbers[2 * i + 1]};
    return points;
  }

  static double difference(const std::vector<float>& one, const std::vector<float>& other) {
    double sum = 0, whole = 0;
    for (std::size_t i = 0; i < one.size(); ++i) {
      const double d = double{one[i]} - double{other[i]};
      sum += d * d;
      whole += double{one[i]} * double{one[i]};
    }
    return std::sqrt(sum / whole);
  }

  static constexpr std::size_t kBatch = 7;
  base::TemporaryFolder folder_;
  EngineOptions options_;
};

TEST_F(GpuTunedFft, HasTheResultsOfGraftsOwnPlanAndGivesThemBack) {
  const format::TuningFile file = file_of_this_gpu();
  const std::string name = format::tuning_file_name(file.gpu);
  Options shipped;
  shipped.shipped_tuning = true;
  for (const TunedPlan& plan : tuned_plans_of_test())
    for (const bool has_callbacks : {false, true}) {
      SCOPED_TRACE(text_of(plan.kind) + (has_callbacks ? " with callbacks" : ""));
      FftCallbacks callbacks;
      if (plan.kind.has_inverse) callbacks.between = "[](float2 z, graft::Index i) { return make_float2(z.y, z.x); }";
      if (has_callbacks)
        callbacks.store = plan.kind.half == Half::Loaded ? "[](float x) { return 3.0f * x; }"
                                                         : "[](float2 z) { return make_float2(2 * z.x, z.y); }";
      const Result before = run(plan, callbacks, {});
      EXPECT_THAT(before.reason, testing::Not(HasSubstr("tuned on this GPU")));
      ASSERT_EQ(store::put_tuning(options_.cache.folder, name, format::write_tuning_file(file)), "");
      const Result tuned = run(plan, callbacks, {}), of_option = run(plan, callbacks, shipped);
      EXPECT_THAT(tuned.reason, HasSubstr("tuned on this GPU"));
      ASSERT_EQ(tuned.numbers.size(), before.numbers.size());
      EXPECT_LE(difference(before.numbers, tuned.numbers),
                4 * std::numeric_limits<float>::epsilon() * std::log2(static_cast<double>(plan.kind.length)));
      EXPECT_EQ(of_option.reason, before.reason);
      EXPECT_TRUE(same_bytes(of_option.numbers, before.numbers));
      std::filesystem::remove(options_.cache.folder / store::kTuningFolder / name);
      const Result after = run(plan, callbacks, {});
      EXPECT_EQ(after.reason, before.reason);
      EXPECT_TRUE(same_bytes(after.numbers, before.numbers));
    }
}

}  // namespace
}  // namespace graft::test
