// Tests kernels with measured tunings: a tuning file for this GPU in the cache is taken, and each shape of a tile that
// `graft tune` tries has the results of the rules' kernel, bit by bit, for counts around its tiles and for arrays that
// begin between words.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include "base/files.hpp"
#include "cli/tune/tune_choice.hpp"
#include "families/elementwise/measured.hpp"
#include "gpu/device.hpp"
#include "launch/device.hpp"
#include "store/tuning_place.hpp"

namespace graft::test {
namespace {

using testing::HasSubstr;
using testing::Not;

class GpuTuning : public Gpu {};

constexpr const char* kSum = "__device__ float sum(float x, float y) { return 3.0f * x + y; }";

TEST_F(GpuTuning, TheFileOfThisGpuIsTakenAndItsDeletionRestoresTheRules) {
  const base::TemporaryFolder folder;
  format::TuningFile file;
  {
    const launch::CurrentContext context;
    file.gpu = context.gpu();
    file.architecture = context.architecture().number;
  }
  file.elementwise = {{{.inputs = {4, 4}, .outputs = {4}}, {.vector_width = 4, .vectors_per_thread = 2}}};
  const std::string name = format::tuning_file_name(file.gpu);
  EngineOptions options;
  options.cache.policy = CachePolicy::ReadWrite;
  options.cache.folder = folder.path() / "cache";
  options.cache.layers.emplace();
  const auto reason = [&](const Options& asked = {}) {
    Engine engine(options);
    return Transform::create(engine, kSum, asked).report().policy_reason;
  };
  EXPECT_THAT(reason(), Not(HasSubstr("tuned on this GPU")));
  ASSERT_EQ(store::put_tuning(options.cache.folder, name, format::write_tuning_file(file)), "");
  EXPECT_THAT(reason(), HasSubstr("tuned on this GPU"));
  Options rules;
  rules.shipped_tuning = true;
  EXPECT_THAT(reason(rules), Not(HasSubstr("tuned on this GPU")));
  std::filesystem::remove(options.cache.folder / store::kTuningFolder / name);
  EXPECT_THAT(reason(), Not(HasSubstr("tuned on this GPU")));
}

TEST_F(GpuTuning, EachShapeOfATileHasTheBitsOfTheRules) {
  const Transform rules = Transform::create(kSum);
  const format::MeasuredKind kind{.inputs = {4, 4}, .outputs = {4}};
  const auto can_be = [&](const MeasuredPolicy& policy) { return elementwise::objection_to({kind, policy}).empty(); };
  for (MeasuredPolicy shape : cli::tile_shapes({.vector_width = 4}, can_be))
    for (const std::int64_t single_below : {0, 5000}) {
      shape.single_below = single_below;
      SCOPED_TRACE(fmt::format("{} x {}, {} threads, single below {}", shape.vector_width, shape.vectors_per_thread,
                               shape.block_threads, single_below));
      Options options;
      options.measured = shape;
      const Transform tuned = Transform::create(kSum, options);
      EXPECT_EQ(tuned.report().kernel.tuning["block_threads"], shape.block_threads);
      std::vector<std::size_t> counts = awkward_counts(tuned.report());
      counts.insert(counts.end(), {4999, 5000, 200'003});
      for (const std::size_t count : counts)
        for (const std::size_t shift : {0, 1}) {
          const DeviceArray<float> x(random_numbers<float>(count, 1), shift), y(random_numbers<float>(count, 2));
          const DeviceArray<float> expected(std::vector<float>(count), shift), found(std::vector<float>(count), shift);
          rules.execute(nullptr, inputs(x, y), expected);
          tuned.execute(nullptr, inputs(x, y), found);
          EXPECT_TRUE(same_bytes(expected.host(), found.host())) << count << " elements, shift " << shift;
          EXPECT_TRUE(found.guards_are_intact());
        }
    }
}

}  // namespace
}  // namespace graft::test
