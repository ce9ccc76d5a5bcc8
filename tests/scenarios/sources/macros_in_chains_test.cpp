// Tests that the macros of a part of a chain end with that part. In version 0.1, a part of a chain that defined a macro
// of a standard header took the header's definition away from the next part: macros with parameters, macros defined
// behind the #include on the host route, and macros of which another one says that the header was read.
#include <gtest/gtest.h>

#include <string>

#include "support/compile.hpp"
#include "support/routes.hpp"

namespace graft::test {
namespace {

const std::string kCode = "\n__device__ float f(float x) { return x; }\n";

struct MacroRow {
  const char* name;
  const char* first;   // the lines of the first part
  const char* second;  // the lines of the second part, which compile only if the first part's macros have ended
  bool is_for_host = true;
};

void PrintTo(const MacroRow& row, std::ostream* out) {
  *out << row.name;
}

const MacroRow kMacroRows[] = {
    {"BehindTheInclude", "#include <cfloat>\n#undef FLT_MAX\n#define FLT_MAX 1",
     "#include <cfloat>\nstatic_assert(FLT_MAX > 2, \"lost\");"},
    {"BetweenIncludes", "#include <cfloat>\n#undef FLT_MAX\n#define FLT_MAX 1\n#include <cstdint>",
     "#include <cfloat>\nstatic_assert(FLT_MAX > 2, \"lost\");"},
    {"IfItIsNotDefined", "#include <cfloat>\n#ifndef FLT_MAX\n#define FLT_MAX 1\n#endif",
     "#include <cfloat>\nstatic_assert(FLT_MAX > 2, \"lost\");"},
    {"InTheCode", "#include <climits>\n__device__ int n;\n#undef INT_MAX\n#define INT_MAX 1",
     "#include <climits>\nstatic_assert(INT_MAX > 2, \"lost\");"},
    {"WithSeveralDefinitions", "#include <climits>\n#undef CHAR_MIN\n#define CHAR_MIN 5",
     "#include <climits>\nstatic_assert(CHAR_MIN == -128 && CHAR_MAX == 127, \"lost\");"},
    {"WithParameters", "#include <cstdint>\n#undef INT64_C\n#define INT64_C(x) short(x)",
     "#include <cstdint>\nstatic_assert(sizeof(INT64_C(1)) == 8, \"lost\");"},
    {"OfTwoParameters", "#include <cstddef>\n#undef offsetof\n#define offsetof(a, b) 0",
     "#include <cstddef>\nstruct P { int x, y; };\n__device__ unsigned long long at() { return offsetof(P, y); }"},
    {"BeforeTheInclude", "#define FP_NAN 9\n#include <cmath>",
     "#include <cmath>\nstatic_assert(FP_NAN == 0 && FP_NORMAL == 4, \"lost\");", false},
    {"ThatMarksOthers", "#define FP_NAN 9", "#include <cmath>\nstatic_assert(FP_NORMAL == 4, \"lost\");"},
    {"OfAHeaderThatIsNotIncluded", "#define FLT_MAX 1", "#ifdef FLT_MAX\n#error leaked\n#endif", false},
    {"OfTheTextAlone", "#define OWN 1\n__device__ int n = OWN;", "#ifdef OWN\n#error leaked\n#endif"},
    {"IfNotDefinedTwice", "#ifndef M_PI\n#define M_PI 3.0\n#endif\n__device__ float pi(float x) { return M_PI * x; }",
     "#ifndef M_PI\n#define M_PI 3.0\n#endif\n__device__ float pi(float x) { return M_PI * x; }"},
    {"IfNotDefinedByAHeaderTwice",
     "#include <cfloat>\n#ifndef FLT_MAX\n#define FLT_MAX 1\n#endif\n"
     "__device__ float most(float x) { return x < FLT_MAX ? x : 0; }",
     "#include <cfloat>\n#ifndef FLT_MAX\n#define FLT_MAX 1\n#endif\n"
     "__device__ float most(float x) { return x < FLT_MAX ? x : 0; }"},
    {"OfTheUsersHeader", "#include \"limit.h\"\n#undef LIMIT\n#define LIMIT(x) 7",
     "#include \"limit.h\"\nstatic_assert(LIMIT(1) == 3, \"lost\");"},
};

class MacrosInChains : public testing::TestWithParam<MacroRow> {};

TEST_P(MacrosInChains, MacrosEndWithTheirPart) {
  const Callback both = chain(Callback::source(GetParam().first + kCode, "first.cu").with_entry("f"),
                              Callback::source(GetParam().second + kCode, "second.cu").with_entry("f"));
  const bool is_users = std::string_view(GetParam().name) == "OfTheUsersHeader";
  Options options;
  options.headers = {{"limit.h", "#pragma once\n#define LIMIT(x) 3\n"}};
  // NVRTC can save no macro, so a macro of a user's header is lost there.
  if (!is_users) {
    EXPECT_NO_THROW(build(both, Architecture(90), options));
  }
  options.routes = by(Route::Host).routes;
  if (GetParam().is_for_host) {
    EXPECT_NO_THROW(Transform::create(both, options));
  }
}

INSTANTIATE_TEST_SUITE_P(Rows, MacrosInChains, testing::ValuesIn(kMacroRows),
                         [](const auto& row) { return std::string(row.param.name); });

// Options::defines are in front of each part and end with it, too.
TEST(MacrosInChains, DefinesGiveAHeadersMacroBack) {
  Options options;
  options.defines = {{"INT_MAX", "7"}};
  const Callback first = Callback::source("#include <cfloat>\nstatic_assert(INT_MAX == 7, \"\");" + kCode, "a.cu");
  EXPECT_NO_THROW(build(chain(first, first.with_entry("f"), "[](float x) { return x; }"), Architecture(90), options));
}

// NDEBUG and other macros of one part have no effect on the next part.
TEST(MacrosInChains, NdebugEndsWithItsPart) {
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

}  // namespace
}  // namespace graft::test
