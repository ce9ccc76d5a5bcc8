// Tests Options::compiler_options on every route. In version 0.1, a user could not pass options of the compiler's own.
// Options::compiler_options passes on those that graft knows to be safe; core/compiler_options_test.cpp has the list.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/files.hpp"
#include "support/compile.hpp"
#include "support/routes.hpp"

namespace graft::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// NVRTC's warning 177 is about line 2.
constexpr const char* kUnused = "__device__ float f(float x) {\n  int unused;\n  return 2 * x;\n}\n";

Options with(Route route, std::vector<std::string> compiler_options) {
  Options options = by(route);
  options.compiler_options = std::move(compiler_options);
  return options;
}

TEST(OptionsOfTheCompiler, WarningsCanBeSuppressedOnEveryRoute) {
  for (const Route route : kGpuRoutes) {
    SCOPED_TRACE(name(route));
    const Report usual = build(kUnused, Architecture(90), by(route)).report();
    // The report of the route ptx shows no warnings about a source.
    if (route != Route::Ptx) {
      EXPECT_THAT(usual.compiler_log, HasSubstr("unused"));
    }
    for (const char* option : {"-diag-suppress=20,177", "-w"}) {
      const Report report = build(kUnused, Architecture(90), with(route, {option})).report();
      EXPECT_THAT(report.compiler_log, IsEmpty()) << option;
      EXPECT_FALSE(report.kernel.compiler_options.empty());
    }
  }
}

TEST(OptionsOfTheCompiler, WarningsCanBecomeErrorsOnEveryRoute) {
  for (const Route route : kGpuRoutes) {
    SCOPED_TRACE(name(route));
    const Error error = error_of([&] { build(kUnused, Architecture(90), with(route, {"--diag-error=177"})); });
    EXPECT_EQ(error.code(), ErrorCode::CompileFailed) << error.what();
    ASSERT_EQ(error.diagnostics().size(), 1u) << error.what();
    EXPECT_EQ(error.diagnostics()[0].severity, Diagnostic::Severity::Error);
    EXPECT_EQ(error.diagnostics()[0].line, 2);
  }
}

// The warnings are those that C++ code often causes: unused variables and functions, comparisons and conversions
// between signs, code that is not reached, attributes. graft's own code must not fail because of them, and its kernel
// stays the same.
TEST(OptionsOfTheCompiler, ErrorsOfTheUsersDoNotHitGraftsOwnCode) {
  const std::vector<std::string> strict = {
      "--diag-error=1,14,20,39,61,63,68,69,70,82,97,108,111,128,144,161,174,175,177,179,185,186,187,188,191,222,236,"
      "301,381,382,497,514,523,549,550,552,611,612,815,821,826,869,951,997,1098,1215,1217,1301,1305,1394,1444,1650,"
      "1835,1886,2361,3123,3249"};
  for (const char* source : {"__device__ float f(float x) { return 2 * x; }", "[](float x, double y) { return x + y; }",
                             "__device__ __half f(__half x) { return __hadd(x, x); }",
                             "struct Rgb { unsigned char r, g, b; };\n"
                             "__device__ unsigned char f(Rgb p, const float& s) { return p.r + s; }"})
    for (const Route route : kGpuRoutes) {
      SCOPED_TRACE(std::string(name(route)) + ": " + source);
      const Image usual = build(source, Architecture(90), by(route));
      const Image strictly = build(source, Architecture(90), with(route, strict));
      EXPECT_TRUE(std::ranges::equal(usual.bytes(), strictly.bytes()));
    }
}

// Number 82 also hits NVRTC's own headers.
TEST(OptionsOfTheCompiler, ErrorsOfTheUsersAreTheOnlyOnesShown) {
  const char* source =
      "const static int two = 2;\nint const static one = 1;\n__device__ float f(float x) { return two * x + one; }";
  const Error error = error_of([&] { build(source, Architecture(90), with(Route::Lto, {"--diag-error=82"})); });
  ASSERT_EQ(error.diagnostics().size(), 2u) << error.what();
  EXPECT_EQ(error.diagnostics()[0].file, "callback.cu");
  EXPECT_EQ(error.diagnostics()[0].line, 1);
  EXPECT_EQ(error.diagnostics()[1].line, 2);
}

TEST(OptionsOfTheCompiler, FunctionsWithoutDeviceCanBeCallbacks) {
  const char* source = "float twice(float x) { return 2 * x; }\nfloat f(float x) { return twice(x) + 1; }\n";
  EXPECT_EQ(error_of([&] { build(source, Architecture(90)); }).code(), ErrorCode::NoSuchEntry);
  Options options = with(Route::Lto, {"--device-as-default-execution-space"});
  options.entry = "f";
  for (const Route route : kGpuRoutes) {
    options.routes.required = route;
    EXPECT_EQ(build(source, Architecture(90), options).report().kernel.signature.text(), "float(float)") << name(route);
  }
  options.routes.required = Route::Host;
  const std::vector<float> in = {1, 2};
  std::vector<float> out(2);
  Transform::create(source, options).execute(host, in, out);
  EXPECT_THAT(out, ElementsAre(3, 5));
}

TEST(OptionsOfTheCompiler, TheCompilersRefusalNamesTheOption) {
  const Error number = error_of([] {
    build("__device__ float f(float x) { return x; }", Architecture(90), with(Route::Lto, {"--diag-error=99999"}));
  });
  EXPECT_EQ(number.code(), ErrorCode::InvalidArgument);
  EXPECT_THAT(number.message(), HasSubstr("refuses the compiler option --diag-error=99999 for sm_90: "));
}

TEST(OptionsOfTheCompiler, EqualOptionsShareAKernelOnDisk) {
  const base::TemporaryFolder folder;
  const auto built = [&](std::vector<std::string> options) {
    Engine engine({.cache = {.policy = CachePolicy::ReadWrite,
                             .folder = folder.path(),
                             .layers = std::vector<std::filesystem::path>{}}});
    return build(engine, kUnused, Architecture(90), with(Route::Lto, std::move(options))).report();
  };
  EXPECT_FALSE(built({"-w", "--diag-warn=20"}).from_cache);
  const Report again = built({"-diag-warn=20", "--disable-warnings", "-w"});
  EXPECT_TRUE(again.from_cache);
  EXPECT_THAT(again.kernel.compiler_options, ElementsAre("--diag-warn=20", "--disable-warnings"));
  EXPECT_FALSE(built({}).from_cache);
  EXPECT_FALSE(built({"-w"}).from_cache);
  EXPECT_THAT(built({}).compiler_log, HasSubstr("unused"));
}

}  // namespace
}  // namespace graft::test
