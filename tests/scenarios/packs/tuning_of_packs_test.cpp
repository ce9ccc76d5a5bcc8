// Tests that kernels of a pack are launched with the tuning with which they were made. In version 0.1, a finished
// kernel in a pack was launched as if it had no tuning, namely with 256 threads per block, without programmatic launch,
// and with tiles of the wrong size. graft silently ignored the request's block_threads and programmatic_launch.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "families/elementwise/launch_geometry.hpp"
#include "graft/graft.hpp"
#include "support/errors.hpp"
#include "support/rotation.hpp"
#include "support/sweep.hpp"

namespace graft {
namespace {

// One callback for each case that the tuning distinguishes: long mathematics with elements of 2 and of 4 bytes, no
// inputs, odd sizes, state, index, several outputs, and elements too wide for 16-byte loads and stores.
constexpr const char* kCallbacks[] = {
    "__device__ float f(float x) { return 0.5f * x * (1.0f + erff(x * 0.70710678f)); }",
    "__device__ __half f(__half x) { float v = __half2float(x); return __float2half(0.5f * v * (1.0f + erff(v))); }",
    "__device__ __nv_bfloat16 f(__nv_bfloat16 x) { return __float2bfloat16(tanhf(__bfloat162float(x))); }",
    "__device__ float f(graft::Index i) { return float(i); }",
    "__device__ float f(float x) { return x > 0.0f ? x : 0.0f; }",
    "__device__ signed char f(signed char x) { return x * 3; }",
    "struct Rgb { unsigned char r, g, b; }; __device__ unsigned char f(Rgb p) { return (p.r + p.g + p.b) / 3; }",
    "struct P { float x, y, z; }; __device__ P f(P a, P b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }",
    "__device__ double f(double x, float y, short z) { return x * y + z; }",
    "struct S { float a; }; __device__ float f(float x, float y, const S& s) { return s.a * x + y; }",
    "__device__ void f(float x, float& s, float& c) { s = 2 * x; c = x * x; }",
    "[](double4_32a x, graft::Index i) { return x.x + x.y + x.z + x.w + double(i); }",
};

struct Override {
  const char* name;
  PolicyOverrides policy;
};

// Returns PolicyOverrides without any value, and one PolicyOverrides for each field, with only this field set.
std::vector<Override> overrides() {
  return {{"defaults", {}},
          {"vector_width", {.vector_width = 2}},
          {"vectors_per_thread", {.vectors_per_thread = 1}},
          {"body", {.body = Body::Rolled}},
          {"block_threads", {.block_threads = 64}},
          {"programmatic_launch", {.programmatic_launch = false}}};
}

// Returns further overrides, including values that graft chooses for some callbacks by default.
std::vector<Override> more_overrides() {
  std::vector<Override> all = overrides();
  all.push_back({"vectors_per_thread of two", {.vectors_per_thread = 2}});
  all.push_back({"vector body", {.body = Body::Vector}});
  all.push_back({"block_threads of a usual kernel", {.block_threads = 256}});
  all.push_back({"block_threads and vectors", {.vectors_per_thread = 2, .block_threads = 128}});
  return all;
}

Options with(const PolicyOverrides& policy, std::optional<Route> route = {}) {
  Options options;
  options.policy = policy;
  options.routes.required = route;
  return options;
}

// Returns everything that determines the launch geometry, as text, so that two kernels can be compared. Pass true for
// `is_linked`, for both, if one of them was linked from a pack's LTO-IR. Such a kernel never has smaller tiles for
// small arrays, so the text then has 0 for `single_below`, the element count below which tiles are smaller. (Smaller
// tiles need the adapter that is generated for exactly one signature, and a pack's LTO-IR has the general one.)
std::string tuning(const Report& report, bool is_linked = false) {
  return fmt::format("{} x {}, body {}, {} threads, programmatic {}, few tiles {}, single below {}",
                     report.kernel.tuning["vector_width"], report.kernel.tuning["vectors_per_thread"],
                     static_cast<int>(report.kernel.tuning["body"]), report.kernel.tuning["block_threads"],
                     report.kernel.tuning["programmatic_launch"], report.kernel.tuning["few_tiles"],
                     is_linked ? 0 : report.kernel.tuning["single_below"]);
}

bool is_finished(const Report& report) {
  return fmt::format("{}", fmt::join(report.notes, " ")).find("the pack holds this kernel") != std::string::npos;
}

Engine& engine() {
  static Engine* const made = [] {
    EngineOptions options;
    options.cache.policy = CachePolicy::MemoryOnly;
    return new Engine(std::move(options));
  }();
  return *made;
}

Callback packed(const char* source, const std::vector<Architecture>& architectures, const Options& options = {}) {
  return Callback::pack(precompile(engine(), source, architectures, PrecompileFormat::PackWithCubins, options),
                        "kernels.graft");
}

// A pack made without overrides must serve each request with the same tuning as the callback's source does.
void expect_same_requests(int architecture, const std::vector<const char*>& callbacks) {
  std::size_t row = 0;
  for (const char* source : callbacks) {
    if (!test::is_turn_of(0, row++, 3)) continue;
    SCOPED_TRACE(test::rotation_text());
    const Callback pack = packed(source, {architecture});
    for (const auto& [name, policy] : overrides()) {
      SCOPED_TRACE(fmt::format("{} for sm_{}: {}", name, architecture, source));
      const Report direct = build(engine(), source, Architecture(architecture), with(policy)).report();
      const Report report = build(engine(), pack, Architecture(architecture), with(policy)).report();
      const bool is_linked = !is_finished(report);
      EXPECT_EQ(tuning(report, is_linked), tuning(direct, is_linked));
      const bool is_geometry =
          std::string_view(name) == "defaults" || policy.block_threads || policy.programmatic_launch;
      EXPECT_FALSE(is_geometry && is_linked) << "this request needs no other code than the finished kernel";
    }
  }
}

TEST(TuningOfPacks, FinishedKernelsLaunchAsFromSourceOn80) {
  const test::Sweep sweep;
  if (sweep.passed_before()) GTEST_SKIP() << test::Sweep::kPassedBefore;
  expect_same_requests(80, {kCallbacks[1], kCallbacks[3], kCallbacks[9]});
}
TEST(TuningOfPacks, FinishedKernelsLaunchAsFromSourceOn90) {
  const test::Sweep sweep;
  if (sweep.passed_before()) GTEST_SKIP() << test::Sweep::kPassedBefore;
  expect_same_requests(90, {std::begin(kCallbacks), std::end(kCallbacks)});
}
TEST(TuningOfPacks, FinishedKernelsLaunchAsFromSourceOn120) {
  const test::Sweep sweep;
  if (sweep.passed_before()) GTEST_SKIP() << test::Sweep::kPassedBefore;
  expect_same_requests(120, {kCallbacks[0], kCallbacks[6], kCallbacks[11]});
}

// The number of threads per block is not compiled into a kernel, so a finished kernel can be launched with another
// number.
TEST(TuningOfPacks, ThreadsPerBlockAreTheLaunchsAlone) {
  for (const char* source : kCallbacks) {
    SCOPED_TRACE(source);
    const auto code = [&](int threads) {
      const Image image = build(engine(), source, Architecture(90), with({.block_threads = threads}));
      return std::vector<std::byte>(image.bytes().begin(), image.bytes().end());
    };
    EXPECT_EQ(code(64), code(256));
  }
}

// A pack keeps the tuning overrides with which it was made. The pack serves requests with the same overrides and
// requests without overrides.
TEST(TuningOfPacks, PacksKeepTheOverridesThatTheyWereMadeWith) {
  std::size_t row = 0;
  for (const auto& [name, policy] : more_overrides())
    for (const char* source : test::in_turn(std::array{kCallbacks[0], kCallbacks[4]}, row++)) {
      SCOPED_TRACE(fmt::format("{}, {}: {}", name, test::rotation_text(), source));
      const Callback pack = packed(source, {90}, with(policy));
      const std::string expected = tuning(build(engine(), source, Architecture(90), with(policy)).report());
      for (const PolicyOverrides& asked : {PolicyOverrides{}, policy}) {
        const Report report = build(engine(), pack, Architecture(90), with(asked)).report();
        EXPECT_TRUE(is_finished(report));
        EXPECT_EQ(tuning(report), expected);
      }
    }
}

// A pack can contain kernels as PTX, alone or together with the callback. These kernels have a tuning too.
TEST(TuningOfPacks, KernelsAsPtxKeepTheirTuning) {
  for (const char* source : {kCallbacks[0], kCallbacks[4], kCallbacks[6]}) {
    const Callback pack = Callback::pack(precompile(engine(), source, {90}, PrecompileFormat::Pack));
    for (const Route route : {Route::Program, Route::Ptx})
      for (const int threads : {0, 64}) {
        SCOPED_TRACE(fmt::format("{}, {} threads: {}", graft::name(route), threads, source));
        PolicyOverrides policy;
        if (threads != 0) policy.block_threads = threads;
        const Report direct = build(engine(), source, Architecture(90), with(policy, route)).report();
        const Report report = build(engine(), pack, Architecture(90), with(policy, route)).report();
        EXPECT_EQ(report.kernel.route, route);
        EXPECT_EQ(tuning(report, true), tuning(direct, true))
            << "compared without single_below: the pack has the general adapter";
        EXPECT_EQ(report.kernel.tuning["single_below"], 0u);
      }
  }
}

// For a callback with much code, the PTX of the whole kernel has the rolled body, which handles one element per thread.
// graft launched this PTX with the geometry of the vector body, so there were too few thread blocks for all elements.
TEST(TuningOfPacks, ARolledKernelOfAPackIsLaunchedForEveryElement) {
  const char* const sources[] = {
      "__device__ float f(float x) {\n#pragma unroll\nfor (int i = 0; i < 4; ++i) x = erff(x) + i; return x; }",
      "__device__ __half f(__half x) { float v = __half2float(x);\n#pragma unroll\n"
      "for (int i = 0; i < 4; ++i) v = tanhf(v) + i; return __float2half(v); }",
      "__device__ float f(graft::Index i) { float x = 0;\n#pragma unroll\n"
      "for (int k = 0; k < 4; ++k) x += i; return x; }",
  };
  for (const char* source : sources) {
    SCOPED_TRACE(source);
    const Callback pack = Callback::pack(precompile(engine(), source, {90}, PrecompileFormat::Pack, {}));
    const Report report = build(engine(), pack, Architecture(90), with({}, Route::Program)).report();
    ASSERT_EQ(static_cast<Body>(report.kernel.tuning["body"]), Body::Rolled);
    EXPECT_EQ(1 << elementwise::make_geometry(report.kernel).rest_bits, report.kernel.tuning["block_threads"])
        << "the elements of a thread block must be as many as its threads";
    EXPECT_EQ(report.kernel.tuning["vector_width"] * report.kernel.tuning["vectors_per_thread"], 1);
  }
}

// A kernel compiled without programmatic launch does not wait for the previous kernel to finish, so it must not be
// launched to overlap with the previous kernel.
TEST(TuningOfPacks, AKernelMadeWithoutProgrammaticLaunchDoesNotServeOneThatAsksForIt) {
  const Callback pack = packed(kCallbacks[4], {90}, with({.programmatic_launch = false}));
  const Report report = build(engine(), pack, Architecture(90), with({.programmatic_launch = true})).report();
  EXPECT_FALSE(is_finished(report));
  EXPECT_TRUE(report.kernel.tuning["programmatic_launch"]);
  EXPECT_NE(fmt::format("{}", fmt::join(report.notes, "\n"))
                .find("was built with programmatic_launch=false, but this request asks for true"),
            std::string::npos)
      << report.to_text();
  EXPECT_FALSE(build(engine(), pack, Architecture(90)).report().kernel.tuning["programmatic_launch"]);
}

struct Refusal {
  PolicyOverrides policy;
  const char* words;
};

// This pack contains only a finished kernel, so no other part of the pack can serve a request with an override.
TEST(TuningOfPacks, WhereNothingServesTheErrorNamesTheOverride) {
  const std::vector<std::byte> object =
      Callback("extern \"C\" __device__ float f(float x) { return 3 * x; }").precompile({90}, PrecompileFormat::Cubin);
  const Callback callback = Callback::object(object, "f.o").with_signature("extern \"C\" float f(float)");
  const Callback pack = Callback::pack(
      precompile(engine(), callback, {90}, PrecompileFormat::PackWithCubins, with({.programmatic_launch = false})),
      "kernels.graft");
  const Refusal refusals[] = {
      {{.vector_width = 2}, "kernels.graft was built with vector_width=4, but this request asks for 2"},
      {{.vectors_per_thread = 4}, "was built with vectors_per_thread=1, but this request asks for 4"},
      {{.body = Body::Rolled}, "was built with body=vector, but this request asks for rolled"},
      {{.programmatic_launch = true}, "was built with programmatic_launch=false, but this request asks for true"},
  };
  for (const Refusal& refusal : refusals) {
    SCOPED_TRACE(refusal.words);
    const Error error = test::error_of([&] { build(engine(), pack, Architecture(90), with(refusal.policy)); });
    EXPECT_EQ(error.code(), ErrorCode::InvalidArgument) << error.what();
    EXPECT_NE(error.message().find(refusal.words), std::string::npos) << error.what();
    EXPECT_FALSE(error.remedy().empty());
  }
  EXPECT_EQ(
      build(engine(), pack, Architecture(90), with({.block_threads = 128})).report().kernel.tuning["block_threads"],
      128);
  EXPECT_EQ(test::error_of([&] { build(engine(), pack, Architecture(90), with({.block_threads = 96})); }).code(),
            ErrorCode::InvalidArgument);
}

TEST(TuningOfPacks, WhereTheRequiredRouteDoesNotServeTheErrorNamesTheOverride) {
  const Callback pack = packed(kCallbacks[4], {90});
  for (const Route route : {Route::Program, Route::Ptx}) {
    const Error error =
        test::error_of([&] { build(engine(), pack, Architecture(90), with({.vector_width = 2}, route)); });
    EXPECT_EQ(error.code(), ErrorCode::RouteUnavailable) << error.what();
    EXPECT_NE(error.message().find("was built with vector_width=4, but this request asks for 2"), std::string::npos)
        << error.what();
  }
}

// On the indirect route, all callbacks of a signature share a prebuilt kernel whose number of threads per block is
// fixed. A note must say that an override of this number has no effect.
TEST(TuningOfPacks, TheIndirectRouteSaysThatItHasNoPolicy) {
  const Callback pack = packed(kCallbacks[4], {90}, with({}, Route::Indirect));
  for (const char* what : {"finished", "linked"}) {
    const Callback& callback = std::string_view(what) == "finished" ? pack : packed(kCallbacks[4], {90});
    const Report report =
        build(engine(), callback, Architecture(90), with({.block_threads = 64}, Route::Indirect)).report();
    EXPECT_EQ(report.kernel.tuning["block_threads"], 256) << what;
    EXPECT_NE(report.to_text().find("Options::policy.block_threads has no effect on the indirect route"),
              std::string::npos)
        << what << report.to_text();
  }
}

// The rolled body handles one element per thread. If the rolled body cannot apply an override, a note must mention the
// override.
TEST(TuningOfPacks, ARolledKernelsNotesNameTheOverridesThatItCannotHave) {
  const auto notes = [](const PolicyOverrides& policy) {
    const Report report = build(engine(), kCallbacks[4], Architecture(90), with(policy)).report();
    return fmt::format("{}", fmt::join(report.notes, "\n"));
  };
  const std::string all = notes({.vector_width = 8, .vectors_per_thread = 2, .body = Body::Rolled});
  for (const char* field : {"vector_width", "vectors_per_thread"})
    EXPECT_NE(all.find(fmt::format("Options::policy.{} has no effect on a rolled kernel", field)), std::string::npos)
        << all;
  EXPECT_EQ(notes({.vector_width = 1, .vectors_per_thread = 1, .body = Body::Rolled}).find("rolled"),
            std::string::npos);
  EXPECT_EQ(notes({.vector_width = 8, .vectors_per_thread = 2}).find("rolled"), std::string::npos);
}

TEST(TuningOfPacks, TheHostRoutesNoteNamesEveryOverride) {
  const PolicyOverrides all = {.vector_width = 2,
                               .vectors_per_thread = 2,
                               .body = Body::Vector,
                               .block_threads = 64,
                               .programmatic_launch = true};
  const Report report = [&] {
    Options options = with(all, Route::Host);
    return build(engine(), "__device__ float f(float x) { return x; }", Architecture(90), options).report();
  }();
  for (const char* field : {"vector_width", "vectors_per_thread", "body", "block_threads", "programmatic_launch"})
    EXPECT_NE(report.to_text().find(fmt::format("Options::policy.{} has no effect on the host route", field)),
              std::string::npos)
        << field << report.to_text();
}

}  // namespace
}  // namespace graft
