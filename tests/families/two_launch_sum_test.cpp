// Tests that a kernel family that is defined only here in the tests works in every part of graft: create, report, pack,
// disk cache, `graft inspect` and launch on the host. A part that assumed an elementwise transform would fail here.
// tests/gpu/families_test.cpp launches the same family on a GPU.
#include "families/two_launch_sum.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <filesystem>
#include <numeric>
#include <vector>

#include "base/files.hpp"
#include "cli/program.hpp"
#include "engine/job_ahead.hpp"
#include "families/kept_kernels.hpp"
#include "families/registry.hpp"
#include "graft/graft.hpp"
#include "support/errors.hpp"
#include "support/packs.hpp"

namespace graft::test {
namespace {

using testing::HasSubstr;

constexpr const char* kAdd = "__device__ int add(int a, int b) { return a + b; }";

class TwoLaunchSum : public testing::Test {
 protected:
  static void SetUpTestSuite() { add_two_launch_sum(); }

  static Options by(Route route) {
    Options options;
    options.routes.required = route;
    return options;
  }
};

TEST_F(TwoLaunchSum, IsMadeByEveryRouteThatItHasCodeFor) {
  for (const Route route : {Route::Lto, Route::Program, Route::Ptx}) {
    const Image image = build(sum_of(kAdd, {32, 128}), Architecture(90), by(route));
    const KernelSpec& kernel = image.report().kernel;
    EXPECT_EQ(kernel.family, kTwoLaunchSum) << name(route);
    EXPECT_EQ(kernel.route, route);
    EXPECT_EQ(kernel.name, "graft_two_launch_sum_add");
    EXPECT_EQ(kernel.signature.text(), "int(int, int)");
    EXPECT_EQ(image.report().shape, "32 blocks of 128 threads, then one");
    EXPECT_EQ(image.report().inlined(), route != Route::Ptx) << image.report().to_text();
    EXPECT_GT(image.report().resources.registers, 0);
    EXPECT_THAT(image.report().to_json(), HasSubstr("two_launch_sum"));
  }
  EXPECT_THAT(error_of([&] { build(sum_of(kAdd), Architecture(90), by(Route::Indirect)); }).message(),
              HasSubstr("no kernel of this family calls through a pointer"));
}

TEST_F(TwoLaunchSum, RefusesCallbacksThatCombineNothing) {
  const auto refusal = [&](const char* text) { return error_of([&] { build(sum_of(text), Architecture(90)); }); };
  for (const char* text :
       {"__device__ float f(float x) { return x; }", "__device__ float f(float x, int y) { return x; }",
        "[](float x, float y, graft::Index i) { return x; }"}) {
    EXPECT_EQ(refusal(text).code(), ErrorCode::UnsupportedParameter) << text;
    EXPECT_THAT(refusal(text).remedy(), HasSubstr("T f(T, T)"));
  }
  EXPECT_EQ(refusal("__device__ int f(int a, int b) { return a + c; }").code(), ErrorCode::CompileFailed);
  const Callback composed = chain(kAdd, "[](int x) { return -x; }");
  EXPECT_THAT(error_of([&] { build(sum_of(composed), Architecture(90)); }).message(), HasSubstr("takes no chain"));
}

TEST_F(TwoLaunchSum, RunsOnTheHost) {
  const Sum sum(sum_of(kAdd, {8, 32}), by(Route::Host));
  EXPECT_EQ(sum.report().kernel.family, kTwoLaunchSum);
  for (const int count : {1, 2, 31, 32, 33, 255, 256, 257, 100'000}) {
    std::vector<int> all(static_cast<std::size_t>(count));
    std::iota(all.begin(), all.end(), 1);
    int result = 0;
    sum.execute(host, ArrayRef(all.data(), all.size(), element_type<int>()), ArrayRef(&result, 1, element_type<int>()));
    EXPECT_EQ(result, std::accumulate(all.begin(), all.end(), 0)) << count;
  }
}

// The callback combines a struct of two members. The test also checks the arguments that a launch refuses.
TEST_F(TwoLaunchSum, SumsStructsAndChecksItsArguments) {
  struct Range {
    float low, high;
  };
  const Sum range(
      sum_of(
          "struct Range { float low, high; };\n"
          "__device__ Range both(Range a, Range b) { return {a.low < b.low ? a.low : b.low, a.high > b.high ? a.high "
          ": b.high}; }"),
      by(Route::Host));
  const std::vector<Range> all = {{3, 4}, {-1, 2}, {0, 9}};
  Range result{};
  const ElementType type = ElementType::structure(8, 4);
  const auto call = [&](std::size_t count, std::size_t results) {
    range.execute(host, ArrayRef(const_cast<Range*>(all.data()), count, type), ArrayRef(&result, results, type));
  };
  call(3, 1);
  EXPECT_EQ(result.low, -1);
  EXPECT_EQ(result.high, 9);
  EXPECT_EQ(error_of([&] { call(3, 2); }).code(), ErrorCode::CountMismatch);
  EXPECT_EQ(error_of([&] { call(0, 1); }).code(), ErrorCode::CountMismatch);
}

TEST_F(TwoLaunchSum, IsFoundOnDiskByWhatItWasAskedFor) {
  const base::TemporaryFolder folder;
  const auto made = [&](const engine::JobKernels& kernels) {
    Engine engine({.cache = {.policy = CachePolicy::ReadWrite, .folder = folder.path()}});
    return engine::build(Engine::Impl::of(engine), kernels, Architecture(90), {}).front().report();
  };
  EXPECT_FALSE(made(sum_of(kAdd, {.blocks = 32})).from_cache);
  const Report found = made(sum_of(kAdd, {.blocks = 32}));
  EXPECT_TRUE(found.from_cache) << found.to_text();
  EXPECT_EQ(found.kernel.family, kTwoLaunchSum);
  EXPECT_EQ(found.shape, "32 blocks of 256 threads, then one");
  EXPECT_FALSE(made(sum_of(kAdd, {.blocks = 64})).from_cache);
}

TEST_F(TwoLaunchSum, StandsInPacks) {
  const auto bytes = precompile(sum_of(kAdd, {16, 64}), {75, 90}, PrecompileFormat::PackWithCubins);
  const engine::JobKernels packed = engine::JobKernels::of_pack(kTwoLaunchSum, bytes, 1);
  for (const Route route : {Route::Lto, Route::Program, Route::Ptx}) {
    const Image image = build(packed, Architecture(86), by(route));
    EXPECT_EQ(image.report().kernel.family, kTwoLaunchSum) << name(route);
    EXPECT_EQ(image.report().shape, "16 blocks of 64 threads, then one");
  }
  const Image finished = build(packed, Architecture(90));
  EXPECT_THAT(finished.report().notes, testing::Contains(HasSubstr("the pack holds this kernel")));
  EXPECT_EQ(finished.report().shape, "16 blocks of 64 threads, then one");
}

// The class of one family refuses the kernels of another.
TEST_F(TwoLaunchSum, IsLoadedByItsOwnClass) {
  const auto bytes = precompile(sum_of(kAdd), {75});
  EXPECT_EQ(error_of([&] { Fft::load(bytes); }).code(), ErrorCode::ImageRefused);
  const Image on_host = build(sum_of(kAdd), Architecture(90), by(Route::Host));
  EXPECT_EQ(error_of([&] { Transform::load(on_host); }).code(), ErrorCode::ImageRefused);
  EXPECT_EQ(error_of([&] { Sum::load(Callback("[](int x) { return x; }").precompile({75})); }).code(),
            ErrorCode::ImageRefused);
}

TEST_F(TwoLaunchSum, IsInspected) {
  const Program program;
  program.write("sum.graft", base::as_text(precompile(sum_of(kAdd, {16, 64}), {90})));
  const Result with = program.shell(GRAFT_WITH_SUM " inspect sum.graft --arch 90");
  EXPECT_EQ(with.exit_code, 0) << with.err;
  EXPECT_THAT(with.out, HasSubstr("16 blocks of 64 threads, then one"));
  const Result without = program.run("inspect sum.graft");
  EXPECT_NE(without.exit_code, 0);
  EXPECT_THAT(without.err, HasSubstr("this version of graft does not have its kernel family"));
}

TEST_F(TwoLaunchSum, IsUnknownToTheLibrary) {
  for (const auto& entry : std::filesystem::recursive_directory_iterator(GRAFT_SOURCE_DIR "/src")) {
    if (!entry.is_regular_file()) continue;
    EXPECT_THAT(base::read_file(entry.path()).value(), testing::Not(HasSubstr(kTwoLaunchSum))) << entry.path();
  }
}

// A forged pack could ask a family for something that it does not have.
TEST_F(TwoLaunchSum, ElementwisePacksWithARequestAreRefused) {
  const Callback negate("__device__ float negate(float x) { return -x; }");
  const base::Bytes bytes = negate.precompile({90});
  auto pack = families::read_pack(bytes);
  ASSERT_TRUE(pack) << pack.error().message;
  EXPECT_TRUE(families::write_pack(*pack));
  only_kernel(*pack).spec.request = {std::byte{1}};
  const auto written = families::write_pack(*pack);
  ASSERT_FALSE(written);
  EXPECT_THAT(written.error().message, HasSubstr("asks for something that elementwise kernels do not have"));
}

TEST_F(TwoLaunchSum, NamesAreTakenOnce) {
  EXPECT_EQ(error_of([] { families::add(families::of(kTwoLaunchSum)); }).code(), ErrorCode::InvalidArgument);
  const engine::JobKernels none({.family = "none", .callbacks = {{"callback", kAdd}}});
  EXPECT_EQ(error_of([&] { build(none, Architecture(90)); }).code(), ErrorCode::InvalidArgument);
}

}  // namespace
}  // namespace graft::test
