// Tests that the compiler's errors are reported before graft's doubts about a source. In version 0.1, a missing bracket
// or quote was reported as "macros or conditional compilation hide which function is the callback", without a line
// number and with an empty log. graft's own scan of the source failed to find the function, and graft reported the
// failed scan without a compile. The compiler's error must be reported first.
#include <gtest/gtest.h>

#include <string>

#include "support/errors.hpp"
#include "support/rotation.hpp"
#include "support/routes.hpp"

namespace graft::test {
namespace {

struct DamagedText {
  const char* text;
  int line;           // the line that NVRTC reports as wrong
  int host_line = 0;  // the line that the host compiler reports; 0 if it reports the same line as NVRTC
};

constexpr DamagedText kDamagedTexts[] = {
    {"__device__ float f(float x) {\n  return (x + 1;\n}\n", 2},
    {"__device__ float f(float x {\n  return x + 1;\n}\n", 1},
    {"__device__ float f(float x) {\n  if (x > 0) {\n  return x + 1;\n}\n", 4},
    {"__device__ float f(float x) {\n  if (x > 0) {\n  return x + 1;\n}", 4},
    {"__device__ float f(float x) {\n  return x + 1;\n}}\n", 3},
    {"__device__ float f(float x) {\n  printf(\"hello);\n  return x + 1;\n}\n", 2},
    {"__device__ float f(float x) {\n  char c = 'a;\n  return x + 1;\n}\n", 2},
    {"__device__ float f(float x) {\n  /* hello\n  return x + 1;\n}\n", 2},
    {"__device__ float f(float x) {\n  return x + 1;\n}\n/* hello\n", 4},
    {"namespace a {\n__device__ float f(float x) {\n  return x + 1;\n}\n", 4},
    {"__device__ float f(float x) {\n  float a[3;\n  return x + 1;\n}\n", 2},
    {"#if 1\n__device__ float f(float x) {\n  return x + 1;\n}\n", 1},
    {"__device__ float f(float x) {\n  const char* s = R\"(abc;\n  return x + 1;\n}\n", 2},
    {"__device__ float f(float x) { return x; }\nusing T = float", 2},
    {"__device__ float f(float x) { return x; }\nstruct S { float a; }", 2},
};

void expect_compile_failed(const Callback& callback, Route route, int line, const std::string& file = "callback.cu") {
  const Error error = error_of([&] { build(callback, Architecture(90), by(route)); });
  EXPECT_EQ(error.code(), ErrorCode::CompileFailed) << error.what();
  EXPECT_EQ(error.message(), file + " does not compile: line " + std::to_string(line)) << error.log();
  const std::string place =
      route == Route::Host ? file + ":" + std::to_string(line) + ":" : file + "(" + std::to_string(line) + ")";
  EXPECT_NE(error.log().find(place), std::string::npos) << error.log();
  EXPECT_FALSE(error.remedy().empty());
}

void expect_all_fail(Route route, const char* entry) {
  for (const DamagedText& row : kDamagedTexts) {
    SCOPED_TRACE(row.text);
    expect_compile_failed(Callback(row.text).with_entry(entry), route, row.line);
  }
}

TEST(CompilerErrorsFirst, TheCompilersWordsAtTheUsersLine) {
  expect_all_fail(Route::Lto, "");
}
TEST(CompilerErrorsFirst, AlsoWithAnEntryNamed) {
  expect_all_fail(Route::Lto, "f");
}
TEST(CompilerErrorsFirst, OnTheOtherGpuRoutes) {
  for (const Route route : {Route::Program, Route::Ptx, Route::Indirect}) {
    SCOPED_TRACE(name(route));
    expect_all_fail(route, "");
    expect_all_fail(route, "f");
  }
}

// Does not check which line the message names, because g++ and clang report another line than NVRTC if the error is at
// the end of the file.
void expect_all_fail_on_host(const char* entry) {
  SCOPED_TRACE(rotation_text());
  std::size_t number = row_of_test();
  for (const DamagedText& row : kDamagedTexts) {
    if (!is_turn_of(0, number++, 3)) continue;
    SCOPED_TRACE(row.text);
    const Error error =
        error_of([&] { build(Callback(row.text).with_entry(entry), Architecture(90), by(Route::Host)); });
    EXPECT_EQ(error.code(), ErrorCode::CompileFailed) << error.what();
    EXPECT_EQ(error.message().find("callback.cu does not compile: line "), 0u) << error.message();
    EXPECT_NE(error.log().find("callback.cu:"), std::string::npos) << error.log();
  }
}

TEST(CompilerErrorsFirst, OnTheHostRoute) {
  expect_all_fail_on_host("");
}
TEST(CompilerErrorsFirst, OnTheHostRouteWithAnEntryNamed) {
  expect_all_fail_on_host("f");
}

TEST(CompilerErrorsFirst, OfALambdaAPartAPackAndAPlainFormat) {
  expect_compile_failed("[](float x) {\n  return (x;\n}", Route::Lto, 2);
  expect_compile_failed("[](float x) {\n  if (x > 0) {\n  return x;\n}", Route::Lto, 4);
  const Callback good = "__device__ float g(float x) { return x; }";
  const Callback damaged = Callback::source("__device__ float f(float x) {\n  if (x > 0) {\n  return x;\n}", "bad.cu");
  expect_compile_failed(chain(good, damaged), Route::Lto, 4, "bad.cu");
  expect_compile_failed(chain(damaged, good), Route::Lto, 4, "bad.cu");
  expect_compile_failed(chain(good, damaged.with_entry("f")), Route::Lto, 4, "bad.cu");
  for (const PrecompileFormat format : {PrecompileFormat::Pack, PrecompileFormat::Ptx, PrecompileFormat::LtoIr}) {
    const Error error = error_of([&] { damaged.precompile({90}, format); });
    EXPECT_EQ(error.code(), ErrorCode::CompileFailed) << error.what();
    EXPECT_EQ(error.message(), "bad.cu does not compile: line 4") << error.log();
  }
  const Error error = error_of([&] { build(chain(good, damaged), Architecture(90), by(Route::Host)); });
  EXPECT_EQ(error.code(), ErrorCode::CompileFailed) << error.what();
}

// This source compiles, but the scan cannot tell which of its functions is the callback. graft must still ask for an
// entry name.
TEST(CompilerErrorsFirst, DoubtAboutATextThatCompilesAsksForTheEntry) {
  const char* texts[] = {
      "#define FUNCTION(name) __device__ float name(float x) { return x; }\nFUNCTION(f)\n",
      "#ifdef A\n__device__ float f(float x) { return x; }\n#else\n__device__ int f(int x) { return x; }\n#endif\n",
      "#define OPEN {\n__device__ float f(float x) OPEN return x; }\n",
  };
  for (const char* text : texts)
    for (const Route route : kAllRoutes) {
      SCOPED_TRACE(testing::Message() << name(route) << ": " << text);
      const Error error = error_of([&] { build(text, Architecture(90), by(route)); });
      EXPECT_EQ(error.code(), ErrorCode::AmbiguousEntry) << error.what();
      EXPECT_EQ(error.remedy(), "Name the callback in Options::entry.");
      EXPECT_EQ(build(Callback(text).with_entry("f"), Architecture(90), by(route)).report().kernel.route, route);
    }
}

// The scan cannot tell which function of this source is the callback, and the source also has a compile error. The
// compile error must be reported first.
TEST(CompilerErrorsFirst, AMistakeInADoubtfulTextIsToldFirst) {
  const char* text =
      "#define FUNCTION(name) __device__ float name(float x) { return x; }\nFUNCTION(f)\n"
      "__device__ float g(float x) { return y; }\n";
  expect_compile_failed(text, Route::Lto, 3);
  expect_compile_failed(text, Route::Host, 3);
}

}  // namespace
}  // namespace graft::test
