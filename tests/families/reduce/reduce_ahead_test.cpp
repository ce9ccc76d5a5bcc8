// Tests reductions that are made ahead of time, without a GPU: images of the host route, packs from which the engine
// builds kernels, and files that are not the kernels of one reduction.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "base/format.hpp"
#include "contract.h"
#include "engine/engine_impl.hpp"
#include "engine/job_kernels.hpp"
#include "families/kept_kernels.hpp"
#include "families/reduce/kernels.hpp"
#include "format/pack.hpp"
#include "graft/graft.hpp"
#include "reduce/order.h"
#include "support/errors.hpp"

namespace graft::test {
namespace {

using testing::HasSubstr;

const ReduceCallbacks kNorm = {.map = "__device__ float square(short x, const float& s) { return x * s * x; }",
                               .combine = "__device__ float add(float a, float b) { return a + b; }",
                               .finish = "__device__ double root(float sum) { return sqrtf(sum); }",
                               .initial = 0.0F};

Options on_host() {
  return {.routes = {.required = Route::Host}};
}

Options for_any_shape(Options options = {}) {
  options.any_shape = true;
  return options;
}

double norm_of(const Reduce& norm, const std::vector<short>& x) {
  double out = -1;
  norm.execute(host, x, {&out, 1}, 2.0F);
  return out;
}

TEST(ReduceAhead, ImagesOfTheHostRouteComputeWhatCreateDoes) {
  const std::vector<short> x(10000, 3);
  const double expected = norm_of(Reduce::create(kNorm, on_host()), x);
  EXPECT_NEAR(expected, 424.264, 0.01);
  for (const Options& options : {on_host(), for_any_shape(on_host())}) {
    const Reduce loaded = Reduce::load(build(kNorm, Architecture(90), options));
    EXPECT_EQ(norm_of(loaded, x), expected);
    EXPECT_EQ(norm_of(loaded, {}), 0);
    std::vector<double> of_rows(100);
    loaded.execute(host, graft::view(x.data(), {100, 100}), graft::view(of_rows.data(), {100, 1}), 2.0F);
    EXPECT_EQ(of_rows[99], norm_of(loaded, std::vector<short>(100, 3)));
  }
}

TEST(ReduceAhead, CreateAsyncGivesTheReductionOrTheError) {
  const std::vector<short> x(100, 3);
  EXPECT_GT(norm_of(Reduce::create_async(kNorm, on_host()).get(), x), 0);
  Options entry = on_host();
  entry.entry = "f";
  EXPECT_EQ(error_of([&] { Reduce::create_async(kNorm, entry).get(); }).message(),
            "Options::entry names one function, but a reduction can have several callbacks");
}

// The engine links the kernels of a pack without compiling the callbacks again, for the pack's own architectures and
// for newer ones.
TEST(ReduceAhead, PacksHoldAllKernels) {
  Engine engine;
  for (const bool has_all : {false, true}) {
    const base::Bytes pack =
        precompile(engine, kNorm, {90, 75}, PrecompileFormat::PackWithCubins, has_all ? for_any_shape() : Options());
    const auto kernels = engine::JobKernels::of_pack("reduce", pack, 0);
    EXPECT_EQ(kernels.job().methods.size(), has_all ? 8U : 1U);
    for (const auto& [wanted, route] :
         {std::pair(75, Route::Lto), {86, Route::Lto}, {90, Route::Program}, {100, Route::Program}}) {
      Options options;
      options.routes.required = route;
      const std::vector<Step> steps = kernels.kernels_for(Architecture(wanted)).schedule.kernels;
      EXPECT_EQ(steps.size(), has_all ? 8U : 1U);
      for (const Step& step : steps) {
        const auto image = Engine::Impl::of(engine)->find_or_build({step, Architecture(wanted), options});
        EXPECT_EQ(image->kernel().request, step.request);
        EXPECT_EQ(image->kernel().route, route);
        EXPECT_EQ(image->kernel().architecture, Architecture(wanted));
        EXPECT_TRUE(image->report.inlined()) << image->report.to_text();
        EXPECT_EQ(image->report.resources.local_bytes, 0);
      }
    }
  }
}

TEST(ReduceAhead, PacksOfClosedRequests) {
  Options closed;
  closed.closed.emplace();
  EXPECT_EQ(engine::JobKernels::of_pack("reduce", precompile(kNorm, {90}, {}, closed), 0).job().methods.size(), 1U);
  EXPECT_THAT(error_of([&] {
                precompile({.combine = "#include \"/etc/passwd\"\n[](float a, float b) { return a + b; }"}, {90}, {},
                           closed);
              }).message(),
              HasSubstr("refused in the closed mode"));
}

std::string message_of_load(const base::Bytes& pack) {
  const Error error = error_of([&] { Reduce::load(pack); });
  return base::format("{} [{}]", error.message(), name(error.code()));
}

TEST(ReduceAhead, OtherBytesAreRefused) {
  const base::Bytes pack = precompile(kNorm, {90});
  EXPECT_THAT(message_of_load({}), HasSubstr("cannot be read as a pack"));
  EXPECT_THAT(message_of_load(base::Bytes(pack.begin(), pack.end() - 1)), HasSubstr("is cut off after"));
  EXPECT_THAT(message_of_load(Callback("[](float x) { return x; }").precompile({90})),
              HasSubstr("is a kernel of the family elementwise, not reduce"));
  const Error error = error_of([&] { Transform::create(Callback::pack(pack, "r.graft")); });
  EXPECT_EQ(error.message(), "r.graft is the pack of a reduction, not of a callback");
  EXPECT_EQ(error.remedy(), "Load it with graft::Reduce::load.");
}

// These packs were put together from the kernels of good ones.
TEST(ReduceAhead, KernelsThatAreNotThoseOfOneReductionAreRefused) {
  ReduceCallbacks other = kNorm;
  other.initial = 1.0F;
  const base::Bytes first = precompile(kNorm, {90}), second = precompile(other, {90});
  const format::Pack one = *families::read_pack(first), two = *families::read_pack(second);
  const auto with = [&](const format::Pack& from) {
    format::Pack pack = one;
    pack.jobs[0].kernels.push_back(from.jobs[0].kernels[0]);
    return message_of_load(*format::write_pack(pack));
  };
  EXPECT_THAT(with(two), HasSubstr("does not belong to its job"));
  EXPECT_THAT(with(one), HasSubstr("1 of the kernels for sm_90 do not belong to the others, or are there twice"));
}

// A kernel for views is no reduction alone: it would be launched for arrays of one dimension.
TEST(ReduceAhead, PacksWithoutTheFirstKernelAreRefused) {
  const base::Bytes bytes = precompile(kNorm, {90}, PrecompileFormat::Pack, for_any_shape());
  format::Pack pack = *families::read_pack(bytes);
  pack.jobs[0].kernels.erase(pack.jobs[0].kernels.begin());
  EXPECT_THAT(message_of_load(*format::write_pack(pack)),
              HasSubstr("has no kernel for arrays of one dimension [ImageRefused]"));
}

// The bits would be the same, but not the places of the parameters.
TEST(ReduceAhead, KernelsOfAnotherLayoutAreRefused) {
  base::Bytes request = families::reduce::request_of({});
  std::string why;
  EXPECT_TRUE(families::reduce::read_request(request, why)) << why;
  const auto layout = std::find(request.rbegin(), request.rend(), std::byte{GRAFT_REDUCE_LAYOUT});
  ASSERT_NE(layout, request.rend());
  *layout = std::byte{GRAFT_REDUCE_LAYOUT + 1};
  EXPECT_FALSE(families::reduce::read_request(request, why));
  EXPECT_EQ(why, "its parameters have the layout 4, and this version of graft has layout 3");
}

TEST(ReduceAhead, MistakesOfImagesAndFormats) {
  EXPECT_THAT(error_of([] { Reduce::load(std::vector<Image>()); }).message(), HasSubstr("no image is given"));
  const Image image = build("[](float x) { return x; }", Architecture(90), on_host());
  EXPECT_THAT(error_of([&] { Reduce::load({image}); }).message(), HasSubstr("of the family elementwise"));
  EXPECT_THAT(error_of([] { precompile(kNorm, {90}, PrecompileFormat::Ptx); }).message(),
              HasSubstr("a reduction cannot be precompiled to the format PTX"));
  EXPECT_THAT(error_of([] { precompile(kNorm, {}); }).message(), HasSubstr("no architecture"));
  EXPECT_THAT(error_of([] { precompile(kNorm, {90}, {}, on_host()); }).message(), HasSubstr("of the host route"));
}

}  // namespace
}  // namespace graft::test
