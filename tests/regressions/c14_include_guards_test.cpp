// C14: a part of a chain whose text has an include guard was refused, because graft took the lines of the guard for
// code, and #include lines must come before all code.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "codegen/lines.hpp"
#include "scenarios/forms/forms.hpp"
#include "support/compile.hpp"

namespace graft::test {
namespace {

const std::string kGuarded =
    "// A helper.\n#ifndef HELPER_H\n#define HELPER_H\n#include <cmath>\n#include <cstdint>\n"
    "__device__ float twice(float x) { return 2 * x; }\n__device__ float thrice(float x) { return 3 * x; }\n#endif\n";

TEST(C14, GuardsBecomeSpaces) {
  EXPECT_EQ(codegen::without_include_guard("#ifndef A\n#define A\nint x;\n#endif"),
            "         \n         \nint x;\n      ");
  EXPECT_EQ(codegen::without_include_guard("#ifndef A\n#define A\n#if B\n#else\n#endif\nint x;\n#endif  // A"),
            "         \n         \n#if B\n#else\n#endif\nint x;\n            ");
  for (const char* other :
       {"#ifndef A\n#define A\n#ifdef A\nint x;\n#endif\n#endif", "#ifndef A\n#define A\nA int x;\n#endif"})
    EXPECT_EQ(codegen::without_include_guard(other), other);
  EXPECT_EQ(codegen::without_include_guard("#ifndef A\n#define A 1\nint x;\n#endif"),
            "         \n           \nint x;\n      ");
  EXPECT_EQ(codegen::without_include_guard("#if !defined(A)\n# define A\nint x;\n#endif"),
            "               \n          \nint x;\n      ");
  EXPECT_EQ(codegen::without_include_guard("/* a\n*/ #if ! defined A\n#define A\nint x;\n#endif /* b */"),
            "/* a\n*/                \n         \nint x;\n              ");
  EXPECT_EQ(codegen::without_include_guard("#pragma once\n#ifndef A\n#define A\nint x;\n#endif"),
            "            \n         \n         \nint x;\n      ");
  EXPECT_EQ(codegen::without_include_guard("#pragma once\nint x;"), "            \nint x;");
  EXPECT_EQ(codegen::without_include_guard("#ifndef \\\n A\n#define A\nint \\\nx;\n#endif"),
            "         \n  \n         \nint \\\nx;\n      ");
  for (const char* other :
       {"", "int x;", "#ifndef A\n#define B\nint x;\n#endif", "#if !defined(A) && B\n#define A\nint x;\n#endif",
        "#ifndef A\n#define A\nint x;\n#endif\nint y;", "#ifndef A\n#define A\nint x;",
        "#ifndef A\n#define A\nint x;\n#else\nint y;\n#endif", "int y;\n#ifndef A\n#define A\n#endif"})
    EXPECT_EQ(codegen::without_include_guard(other), other);
}

TEST(C14, PartsOfAChainMayHaveGuards) {
  const Callback part = Callback::source(kGuarded, "helper.cuh");
  const Callback both = chain(part.with_entry("twice"), part.with_entry("thrice"));
  for (const Route route : {Route::Lto, Route::Program, Route::Ptx, Route::Indirect})
    EXPECT_EQ(build(both, Architecture(90), by(route)).signature().text(), "float(float)") << name(route);
  const std::vector<float> in = {1, 2};
  std::vector<float> out(2);
  Transform::create(both, by(Route::Host)).execute(host, in, out);
  EXPECT_EQ(out, (std::vector<float>{6, 12}));
}

TEST(C14, APartsMacrosEndWithTheText) {
  const std::string pi = "#ifndef M_PI\n#define M_PI 3.0\n#endif\n__device__ float f(float x) { return M_PI * x; }";
  const std::string largest =
      "#include <cfloat>\n#ifndef FLT_MAX\n#define FLT_MAX 1\n#endif\n"
      "__device__ float f(float x) { return x < FLT_MAX ? x : 0; }";
  const std::string own = "#define OWN 1\n__device__ float f(float x) { return x + OWN; }";
  const std::string lacks_own = "#ifdef OWN\n#error leaked\n#endif\n__device__ float f(float x) { return x; }";
  for (const Route route : {Route::Lto, Route::Host}) {
    const auto make = [&](const std::string& first, const std::string& second) {
      const Callback both = chain(first, second);
      if (route == Route::Host) Transform::create(both, by(route));
      else build(both, Architecture(90), by(route));
    };
    EXPECT_NO_THROW(make(pi, pi));
    EXPECT_NO_THROW(make(largest, largest));
    EXPECT_NO_THROW(make(own, lacks_own));
  }
}

TEST(C14, GuardsOfEveryFormStandInAChain) {
  const std::string body = "#include <cmath>\n#include <cstdint>\n__device__ float twice(float x) { return 2 * x; }\n";
  for (const std::string& text :
       {"#ifndef H\n#define H 1\n" + body + "#endif", "#if !defined(H)\n#define H\n" + body + "#endif",
        "#pragma once\n" + body, "// Twice.\n#pragma once\n#ifndef H\n#define H\n" + body + "#endif  // H\n",
        std::string("#ifndef H\n#define H\n#include <cmath>\n#define TWICE(x) \\\n  (2 * (x))\n#include <cstdint>\n"
                    "__device__ float twice(float x) { return TWICE(x); }\n#endif")}) {
    const Callback part = Callback::source(text, "twice.cuh");
    for (const Route route : {Route::Lto, Route::Program, Route::Ptx, Route::Indirect})
      EXPECT_NO_THROW(build(chain(part, part), Architecture(90), by(route))) << name(route) << text;
  }
}

// NDEBUG and other macros of one part have no effect on the next part.
TEST(C14, NdebugEndsWithItsPart) {
  const std::string checks = "__device__ float f(float x) { assert(x > 0); return x; }";
  const std::string quiet = "#define NDEBUG\n#include <cassert>\n" + checks;
  const auto calls_fail = [](const Callback& callback) {
    return lto_kernel_ptx(callback, Architecture(90)).find("__assertfail") != std::string::npos;
  };
  EXPECT_FALSE(calls_fail(chain(quiet, quiet + "\n")));
  EXPECT_TRUE(calls_fail(chain(quiet, checks)));
  EXPECT_TRUE(calls_fail(chain(quiet, "#include <cassert>\n" + checks)));
  const std::string undefines = "#undef M_PI\n__device__ float f(float x) { return x; }";
  EXPECT_NO_THROW(build(chain(undefines, "__device__ float g(float x) { return x * M_PI; }"), Architecture(90)));
}

TEST(C14, MessagesKeepTheirLines) {
  const Callback part = Callback::source(
      "#ifndef A\n#define A\n#include <cmath>\n__device__ float f(float x) { return y; }\n#endif", "guarded.cuh");
  const Error error = error_of([&] { build(chain(part, part), Architecture(90)); });
  ASSERT_FALSE(error.diagnostics().empty()) << error.what();
  EXPECT_EQ(error.diagnostics()[0].file, "guarded.cuh");
  EXPECT_EQ(error.diagnostics()[0].line, 4);
}

}  // namespace
}  // namespace graft::test
