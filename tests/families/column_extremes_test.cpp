// Tests the family of column_extremes.hpp without a GPU: a job of several kernels and two methods, of which one may be
// missing, is built, kept, inspected and executed on the host.
#include "families/column_extremes.hpp"

#include <gmock/gmock.h>

#include <cmath>
#include <limits>
#include <vector>

#include "base/files.hpp"
#include "cli/program.hpp"
#include "engine/job_ahead.hpp"
#include "families/column_reference.hpp"
#include "families/registry.hpp"
#include "support/errors.hpp"

namespace graft::test {
namespace {

using testing::HasSubstr;

constexpr const char* kNegate = "__device__ float negate(float x) { return -x; }";

class ColumnExtremesTest : public testing::Test {
 protected:
  static void SetUpTestSuite() { add_column_extremes(); }

  static Options by(Route route) {
    Options options;
    options.routes.required = route;
    return options;
  }

  template <class T>
  static std::vector<T> on_host(const ColumnExtremes& columns, Extreme extreme, const std::vector<T>& in,
                                std::size_t width) {
    std::vector<T> out(width);
    columns.execute(host, extreme, ArrayRef(in.data(), in.size(), element_type<T>()),
                    ArrayRef(out.data(), width, element_type<T>()));
    return out;
  }
};

TEST_F(ColumnExtremesTest, AreMadeByEveryRouteThatHasCode) {
  for (const Route route : {Route::Lto, Route::Program, Route::Ptx}) {
    const std::vector<Image> images = build({kNegate, {16, 64}}, Architecture(90), by(route));
    ASSERT_EQ(images.size(), 4u) << name(route);
    EXPECT_EQ(images[0].report().kernel.name, "graft_column_extremes_negate");
    EXPECT_EQ(images[0].report().kernel.route, route);
    EXPECT_EQ(images[0].report().shape, "maxima of shares, at most 16 shares, 64 threads per block");
    EXPECT_EQ(images[3].report().shape, "minima of columns, at most 16 shares, 64 threads per block");
    for (const Image& image : images) EXPECT_GT(image.report().resources.registers, 0) << image.report().to_text();
    EXPECT_EQ(images[0].report().inlined(), route != Route::Ptx) << images[0].report().to_text();
  }
  EXPECT_EQ(build({kNegate, {}, {"minima"}}, Architecture(90)).size(), 2u);
}

TEST_F(ColumnExtremesTest, BearMacrosAndABoundOnRegisters) {
  Options options;
  options.max_registers = 32;
  const char* const text =
      "#define launch_bounds 3\n#define maxnreg 4\n#define grid_constant 5\n#define global 3\n#define T 4\n__device__ "
      "float f(float x) { return x * global; }";
  for (const Image& image : build(ColumnsJob{text}, Architecture(90), options)) {
    EXPECT_EQ(image.report().kernel.max_registers, 32);
    EXPECT_LE(image.report().resources.registers, 32);
  }
}

TEST_F(ColumnExtremesTest, RunOnTheHost) {
  for (const ColumnsRequest request : {ColumnsRequest{}, ColumnsRequest{1, 32}, ColumnsRequest{7, 1024}}) {
    const auto columns = ColumnExtremes::create({kNegate, request}, by(Route::Host));
    for (const std::size_t rows : {1u, 2u, 6u, 7u, 8u, 63u, 64u, 65u, 200u})
      for (const std::size_t width : {1u, 3u, 32u, 129u})
        for (const Extreme extreme : {Extreme::Maxima, Extreme::Minima}) {
          const std::vector<float> in = values_for_columns<float>(rows * width);
          EXPECT_EQ(on_host(columns, extreme, in, width), reference(in, width, extreme, [](float x) { return -x; }))
              << rows << " rows of " << width << ", at most " << request.shares << " shares";
        }
  }
}

TEST_F(ColumnExtremesTest, TakeIntegersAndDoublesAndMembersOfTheirRange) {
  const auto small = ColumnExtremes::create({"[](int x) { return x; }", {2, 32}}, by(Route::Host));
  constexpr int kLeast = std::numeric_limits<int>::min();
  EXPECT_EQ(on_host<int>(small, Extreme::Maxima, {kLeast, -1, kLeast, -2, kLeast, -3}, 2), (std::vector{kLeast, -1}));
  const auto real = ColumnExtremes::create({"[](double x) { return x; }", {2, 32}}, by(Route::Host));
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(on_host<double>(real, Extreme::Maxima, {-kInfinity, 1, -kInfinity, kInfinity}, 2),
            (std::vector{-kInfinity, kInfinity}));
}

// A NaN in any row of a column, also one that f makes, is the result of the column, and of no other.
TEST_F(ColumnExtremesTest, PassNaNsOn) {
  for (const int shares : {1, 3, 64}) {
    const auto columns =
        ColumnExtremes::create({"[](float x) { return x == 9 ? x - x / 0.0f * 0.0f : x; }", {shares}}, by(Route::Host));
    for (std::size_t row = 0; row < 10; ++row)
      for (const float bad : {std::numeric_limits<float>::quiet_NaN(), 9.0f})
        for (const Extreme extreme : {Extreme::Maxima, Extreme::Minima}) {
          std::vector<float> in(20, 1.0f);
          in[row * 2] = bad;
          const std::vector<float> out = on_host(columns, extreme, in, 2);
          EXPECT_TRUE(std::isnan(out[0])) << row << ", " << shares << " shares";
          EXPECT_EQ(out[1], 1.0f);
        }
  }
}

TEST_F(ColumnExtremesTest, GetFurtherMethods) {
  auto columns = ColumnExtremes::create({kNegate, {}, {"maxima"}}, by(Route::Host));
  const std::vector<float> in = {1, 2, 3, 4};
  EXPECT_EQ(columns.reports().size(), 2u);
  EXPECT_EQ(on_host(columns, Extreme::Maxima, in, 2), (std::vector{-1.0f, -2.0f}));
  const Error error = error_of([&] { on_host(columns, Extreme::Minima, in, 2); });
  EXPECT_EQ(error.code(), ErrorCode::NotPrepared);
  EXPECT_THAT(error.message(), HasSubstr("its minima are not ready"));
  columns.add(Extreme::Minima);
  EXPECT_EQ(on_host(columns, Extreme::Minima, in, 2), (std::vector{-3.0f, -4.0f}));
  EXPECT_EQ(on_host(columns, Extreme::Maxima, in, 2), (std::vector{-1.0f, -2.0f}));
  EXPECT_EQ(error_of([] { build({kNegate, {}, {"means"}}, Architecture(90)); }).code(), ErrorCode::InvalidArgument);
}

TEST_F(ColumnExtremesTest, LoadImagesOfTheMethodsThatWereMade) {
  const std::vector<Image> images = build({kNegate, {}, {"minima"}}, Architecture(90), by(Route::Host));
  auto columns = ColumnExtremes::load(images, 8);
  EXPECT_EQ(on_host<float>(columns, Extreme::Minima, {1, 2, 3, 4}, 2), (std::vector{-3.0f, -4.0f}));
  EXPECT_EQ(error_of([&] { columns.add(Extreme::Maxima); }).code(), ErrorCode::ImageRefused);
  EXPECT_EQ(error_of([&] { ColumnExtremes::load({images[0]}, 8); }).code(), ErrorCode::ImageRefused);
  const std::vector<Image> others =
      build({"[](double x) { return x; }", {}, {"minima"}}, Architecture(90), by(Route::Host));
  EXPECT_THAT(error_of([&] {
                ColumnExtremes::load({images[0], others[1]}, 8);
              }).message(),
              HasSubstr("different callbacks"));
}

TEST_F(ColumnExtremesTest, SayHowLargeAWorkspaceIs) {
  const auto columns = ColumnExtremes::create({kNegate, {16, 64}}, by(Route::Host));
  EXPECT_EQ(columns.workspace_bytes(100), 16u * 100 * sizeof(float));
  EXPECT_EQ(error_of([&] { columns.workspace_bytes(std::numeric_limits<std::size_t>::max()); }).code(),
            ErrorCode::InvalidArgument);
  EXPECT_EQ(ColumnExtremes::create({kNegate, {1, 64}}, by(Route::Host)).workspace_bytes(100), 0u);
}

TEST_F(ColumnExtremesTest, RefuseOtherCallbacksAndRequests) {
  for (const char* text :
       {"[](float x, float y) { return x; }", "[](float x) { return int(x); }", "[](bool x) { return x; }",
        "struct P { int a, b; }; __device__ P f(P x) { return x; }", "[](float x, graft::Index i) { return x; }"}) {
    const Error error = error_of([&] { build(ColumnsJob{text}, Architecture(90)); });
    EXPECT_EQ(error.code(), ErrorCode::UnsupportedParameter) << text;
    EXPECT_THAT(error.remedy(), HasSubstr("T f(T)")) << text;
  }
  for (const ColumnsRequest request : {ColumnsRequest{0, 64}, {1025, 64}, {8, 0}, {8, 48}, {8, 2048}, {-1, 64}}) {
    const Error error = error_of([&] { build({kNegate, request}, Architecture(90)); });
    EXPECT_EQ(error.code(), ErrorCode::InvalidArgument) << error.what();
  }
}

TEST_F(ColumnExtremesTest, RefuseCompositions) {
  const Callback twice = chain("[](float x) { return 2 * x; }", kNegate);
  for (const Route route : {Route::Lto, Route::Host}) {
    const Error error = error_of([&] { build(ColumnsJob{twice}, Architecture(90), by(route)); });
    EXPECT_EQ(error.code(), ErrorCode::InvalidArgument) << error.what();
    EXPECT_THAT(error.message(), HasSubstr("take no chain"));
  }
}

TEST_F(ColumnExtremesTest, CheckTheirArguments) {
  const auto columns = ColumnExtremes::create({kNegate}, by(Route::Host));
  std::vector<float> data(100);
  const auto code = [&](std::size_t in, std::size_t at, std::size_t out, ElementType type = element_type<float>()) {
    const ArrayRef results(reinterpret_cast<std::byte*>(data.data()) + at, out, element_type<float>());
    return error_of([&] { columns.execute(host, Extreme::Maxima, ArrayRef(data.data(), in, type), results); }).code();
  };
  EXPECT_EQ(code(9, 200, 2), ErrorCode::CountMismatch);
  EXPECT_EQ(code(0, 200, 2), ErrorCode::CountMismatch);
  EXPECT_EQ(code(2, 200, 0), ErrorCode::CountMismatch);
  EXPECT_EQ(code(8, 200, 2, element_type<int>()), ErrorCode::TypeMismatch);
  EXPECT_EQ(code(8, 201, 2), ErrorCode::Misaligned);
  EXPECT_EQ(code(8, 28, 2), ErrorCode::Overlap);
  EXPECT_TRUE(on_host<float>(columns, Extreme::Maxima, {}, 0).empty());
}

TEST_F(ColumnExtremesTest, AreFoundOnDiskByWhatTheyWereAskedFor) {
  const base::TemporaryFolder folder;
  const auto hits = [&](const ColumnsJob& job) {
    Engine engine({.cache = {.policy = CachePolicy::ReadWrite, .folder = folder.path()}});
    std::vector<bool> found;
    for (const Image& image : engine::build(Engine::Impl::of(engine), kernels_of(job), Architecture(90), {}))
      found.push_back(image.report().from_cache);
    return found;
  };
  EXPECT_EQ(hits({kNegate, {}, {"maxima"}}), (std::vector{false, false}));
  EXPECT_EQ(hits({kNegate}), (std::vector{true, true, false, false}));
  EXPECT_EQ(hits({kNegate}), (std::vector{true, true, true, true}));
  EXPECT_EQ(hits({kNegate, {.shares = 32}, {"maxima"}}), (std::vector{false, false}));
}

TEST_F(ColumnExtremesTest, StandInPacks) {
  const auto bytes = precompile({kNegate, {16, 64}, {"maxima"}}, {75, 90}, PrecompileFormat::PackWithCubins);
  const auto packed = engine::JobKernels::of_pack(kColumnExtremes, bytes, 100);
  EXPECT_EQ(packed.job().methods, std::vector<std::string>{"maxima"});
  EXPECT_EQ(packed.job().request, kernels_of({kNegate, {16, 64}}).job().request);
  for (const Architecture architecture : {Architecture(86), Architecture(90)}) {
    const auto images = engine::build(Engine::Impl::of(Engine::shared()), packed, architecture, {});
    ASSERT_EQ(images.size(), 2u);
    EXPECT_EQ(images[1].report().shape, "maxima of columns, at most 16 shares, 64 threads per block");
  }
  EXPECT_EQ(error_of([&] { packed.kernels_for(Architecture(90), {"minima"}); }).code(), ErrorCode::ImageRefused);
  EXPECT_EQ(error_of([&] { Fft::load(bytes); }).code(), ErrorCode::ImageRefused);
}

// Images may come from files. A damaged description must not make a launch outside the arrays.
TEST_F(ColumnExtremesTest, NoImageIsOfAnImpossibleKernel) {
  const Report made = build(ColumnsJob{kNegate, {16, 64}, {"maxima"}}, Architecture(90)).front().report();
  ASSERT_EQ(families::of(kColumnExtremes).objection_to(made.kernel), "");
  const auto expect_refusal = [&](const KernelSpec& kernel, const std::string& why) {
    Report report = made;
    report.kernel = kernel;
    const Image image = Image::Data::image(std::make_shared<Image::Data>(Image::Data{{}, report}));
    const Error error = error_of([&] { ColumnExtremes::load({image}, 1); });
    EXPECT_EQ(error.code(), ErrorCode::ImageRefused);
    EXPECT_THAT(error.message(), HasSubstr(why));
  };
  for (const ColumnsRequest request : {ColumnsRequest{0, 64}, {1025, 64}, {16, 0}, {16, 100}, {16, 2048}}) {
    KernelSpec kernel = made.kernel;
    kernel.request = kernels_of({kNegate, request}).kernels_for(Architecture(90)).schedule.kernels[0].request;
    expect_refusal(kernel, request.threads == 64 ? "shares are not" : "threads per block are not");
  }
  KernelSpec kernel = made.kernel;
  kernel.request[kernel.request.size() - 8] = std::byte{4};  // the number of the kernel is the record's last field
  expect_refusal(kernel, "there is no kernel 4");
  kernel.request.pop_back();
  expect_refusal(kernel, "0 shares");
  kernel = made.kernel;
  kernel.signature =
      Signature({Role::Output, element_type<int>(), "int"}, {{Role::Input, element_type<float>(), "float"}});
  expect_refusal(kernel, "one value");
}

TEST_F(ColumnExtremesTest, AreInspected) {
  const Program program;
  program.write("columns.graft", base::as_text(precompile({kNegate, {16, 64}}, {90})));
  const Result with = program.shell(GRAFT_WITH_SUM " inspect columns.graft");
  EXPECT_EQ(with.exit_code, 0) << with.err;
  for (const char* words : {"maxima of shares, at most 16 shares", "minima of columns, at most 16 shares"})
    EXPECT_THAT(with.out, HasSubstr(words));
  EXPECT_THAT(program.run("inspect columns.graft").err, HasSubstr("does not have its kernel family"));
  EXPECT_EQ(families::of(kColumnExtremes)
                .words_on(kernels_of({kNegate, {16, 64}}).kernels_for(Architecture(90)).schedule.kernels[2].request),
            (std::vector<std::string>{"shares=16", "threads=64", "kernel=2"}));
}

}  // namespace
}  // namespace graft::test
