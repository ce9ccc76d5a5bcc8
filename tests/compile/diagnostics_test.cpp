// Tests Error::diagnostics() on every route that compiles source. It has the file, line, column, severity and text of
// each message in one form. In version 0.1, a program had to parse the words of two compilers to learn where a mistake
// is.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "support/compile.hpp"
#include "support/routes.hpp"

namespace graft::test {
namespace {

using testing::HasSubstr;

constexpr const char* kMistake = "__device__ float f(float x) {\n  return 2 * absent;\n}\n";

// Expects one error, at line 2 and column 14 of callback.cu.
void expect_the_mistake(const Error& error) {
  EXPECT_EQ(error.code(), ErrorCode::CompileFailed);
  ASSERT_EQ(error.diagnostics().size(), 1u) << error.what();
  const Diagnostic& found = error.diagnostics()[0];
  EXPECT_EQ(found.file, "callback.cu");
  EXPECT_EQ(found.line, 2);
  EXPECT_EQ(found.column, 14);
  EXPECT_EQ(found.severity, Diagnostic::Severity::Error);
  EXPECT_THAT(found.text, HasSubstr("absent"));
  EXPECT_EQ(found.text.find('\n'), std::string::npos);
}

TEST(Diagnostics, EveryRouteThatCompilesSourceTellsThePlace) {
  for (const Route route : kGpuRoutes) {
    SCOPED_TRACE(name(route));
    expect_the_mistake(error_of([&] { build(kMistake, Architecture(90), by(route)); }));
  }
}

TEST(Diagnostics, TheHostsCompilerTellsTheSamePlace) {
  expect_the_mistake(error_of([] { Transform::create(kMistake, by(Route::Host)); }));
}

TEST(Diagnostics, WarningsBesideAnErrorAreToldToo) {
  const Error error = error_of([] {
    build("__device__ float f(float x) {\n  int unused;\n  return absent;\n}", Architecture(90), by(Route::Lto));
  });
  ASSERT_EQ(error.diagnostics().size(), 2u) << error.what();
  EXPECT_EQ(error.diagnostics()[0].line, 3);
  EXPECT_EQ(error.diagnostics()[1].severity, Diagnostic::Severity::Warning);
  EXPECT_EQ(error.diagnostics()[1].line, 2);
}

TEST(Diagnostics, APartOfAChainAndAHeaderHaveTheirNames) {
  const Callback part = Callback::source("__device__ float g(float x) { return absent; }", "part.cu");
  const Error error = error_of([&] { build(chain("[](float x) { return x; }", part), Architecture(90)); });
  ASSERT_FALSE(error.diagnostics().empty()) << error.what();
  EXPECT_EQ(error.diagnostics()[0].file, "part.cu");
  Options options;
  options.headers = {{"own.h", "\n\nint absent = missing;\n"}};
  const Error in_header = error_of(
      [&] { build("#include \"own.h\"\n__device__ float f(float x) { return x; }", Architecture(90), options); });
  ASSERT_FALSE(in_header.diagnostics().empty()) << in_header.what();
  EXPECT_EQ(in_header.diagnostics()[0].file, "own.h");
  EXPECT_EQ(in_header.diagnostics()[0].line, 3);
}

TEST(Diagnostics, OtherErrorsHaveNone) {
  EXPECT_TRUE(
      error_of([] { build("__device__ float f(float* x) { return *x; }", Architecture(90)); }).diagnostics().empty());
}

}  // namespace
}  // namespace graft::test
