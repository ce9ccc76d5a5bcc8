// Tests that a function which lacks a return statement does not compile. In version 0.1, a function without a return
// statement was compiled, with only a warning, which graft did not show. It computed garbage.
#include <gtest/gtest.h>

#include <string>

#include "base/files.hpp"
#include "support/compile.hpp"
#include "support/routes.hpp"

namespace graft::test {
namespace {

struct FaultyText {
  const char* text;
  int line;
};

constexpr FaultyText kFaultyTexts[] = {
    {"__device__ float f(float x) { }", 1},
    {"__device__ float f(float x) {\n  return ;\n}", 2},
    {"__device__ float f(float x) {\n  if (x > 0) return 1;\n}", 3},
    {"__device__ float g(float x) {\n  if (x > 0) return 1;\n}\n__device__ float f(float x) { return g(x); }", 3},
    {"template <class T> __device__ T g(T x) {\n  if (x > 0) return 1;\n}\n"
     "__device__ float f(float x) { return g(x); }",
     3},
    {"struct S { float a; };\n__device__ S f(float x) {\n}", 3},
    {"__device__ float f(float x) {\n  const auto g = [](float y) -> float { if (y > 0) return y; };\n  return "
     "g(x);\n}",
     2},
    {"[](float x) -> float {\n  if (x > 0) return x;\n}", 3},
};

TEST(MissingReturn, AFunctionThatLacksAReturnDoesNotCompile) {
  for (const FaultyText& row : kFaultyTexts)
    for (const Route route : kAllRoutes) {
      SCOPED_TRACE(testing::Message() << name(route) << ": " << row.text);
      const bool names_entry = std::string(row.text).find(" f(") != std::string::npos;
      const Callback callback = names_entry ? Callback(row.text).with_entry("f") : Callback(row.text);
      const Error error = error_of([&] { build(callback, Architecture(90), by(route)); });
      EXPECT_EQ(error.code(), ErrorCode::CompileFailed);
      EXPECT_EQ(error.message(), "callback.cu does not compile: line " + std::to_string(row.line));
    }
}

TEST(MissingReturn, AlsoInPartsAndPacksAndPlainFormats) {
  const Callback faulty = Callback::source("__device__ float f(float x) {\n}", "faulty.cu");
  const Callback good = "__device__ float g(float x) { return x; }";
  const auto message = [](auto call) {
    const Error error = error_of(call);
    EXPECT_EQ(error.code(), ErrorCode::CompileFailed);
    return error.message();
  };
  const std::string wanted = "faulty.cu does not compile: line 2";
  EXPECT_EQ(message([&] { build(chain(good, faulty), Architecture(90)); }), wanted);
  EXPECT_EQ(message([&] { build(chain(good, faulty), Architecture(90), by(Route::Host)); }), wanted);
  EXPECT_EQ(message([&] { faulty.precompile({90}); }), wanted);
  EXPECT_EQ(message([&] { faulty.precompile({90}, PrecompileFormat::Ptx); }), wanted);
  EXPECT_EQ(message([&] { faulty.precompile({90}, PrecompileFormat::LtoIr); }), wanted);
}

TEST(MissingReturn, AHeaderOfTheUsersIsTheUsersText) {
  Options options;
  options.headers = {{"g.h", "__device__ inline float g(float x) {\n}\n"}};
  const Callback callback = "#include \"g.h\"\n__device__ float f(float x) { return g(x); }";
  for (const Route route : {Route::Lto, Route::Host}) {
    options.routes.required = route;
    const Error error = error_of([&] { build(callback.with_entry("f"), Architecture(90), options); });
    EXPECT_EQ(error.code(), ErrorCode::CompileFailed);
    EXPECT_EQ(error.message(), "g.h does not compile: line 2");
  }
}

constexpr const char* kSoundTexts[] = {
    "enum class E { A, B };\n"
    "__device__ float f(E e) { switch (e) { case E::A: return 1; case E::B: return 2; } __builtin_unreachable(); }",
    "__device__ float f(float x) { while (true) { if (x > 3) return x; x = x * x + 1; } }",
    "__device__ float f(float x) { if (x > 0) return 1; else return 2; }",
    "__device__ void f(float x, float& y) { if (x > 0) return; y = x; }",
    "#include <cuda_fp16.h>\n__device__ half f(half x) { return x + x; }",
};

TEST(MissingReturn, WhatReturnsOnEveryPathCompiles) {
  for (const char* text : kSoundTexts)
    for (const Route route : kAllRoutes) {
      SCOPED_TRACE(testing::Message() << name(route) << ": " << text);
      EXPECT_EQ(build(text, Architecture(90), by(route)).report().compiler_log, "");
    }
}

// A missing return statement in a header of the toolkit is not the user's mistake, so the callback must still compile.
TEST(MissingReturn, WarningsInAHeaderOfTheToolkitAreNoErrors) {
  const base::TemporaryFolder folder;
  const std::string header = "__device__ inline float toolkits(float x) { if (x > 0) return 1; }\n";
  ASSERT_TRUE(base::write_file(folder.path() / "toolkits.h", base::as_bytes(header)));
  compile::OpenTools tools = compile::open_tools({}, toolbox());
  tools.headers = folder.path();
  const auto compile = [&](const char* text) {
    const codegen::SourceProgram program = codegen::prepare_program({Callback(text).with_entry("f")}, {});
    return compile::DeviceCompiler(program, Architecture(75), {}, tools)
        .general(codegen::program_text(program.parts), compile::CodeKind::LtoIr)
        .signature.text();
  };
  EXPECT_EQ(compile("#include <toolkits.h>\n__device__ float f(float x) { return toolkits(x); }"), "float(float)");
  EXPECT_EQ(error_of([&] { compile("#include <toolkits.h>\n__device__ float f(float x) { }"); }).message(),
            "callback.cu does not compile: line 2");
}

}  // namespace
}  // namespace graft::test
