// C19: a part of a chain that defined a macro of a standard header took the header's definition away from the next
// part: macros with parameters, macros defined behind the #include on the host route, and macros of which another one
// says that the header was read. A part's helper functions named like families of CUDA's functions (make_...,
// atomic..., __...) became overloaded, and could not be passed by name.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "reflect/cuda_functions.hpp"
#include "scenarios/forms/forms.hpp"
#include "support/compile.hpp"

namespace graft::test {
namespace {

const std::string kCode = "\n__device__ float f(float x) { return x; }\n";

struct Row {
  const char* name;
  const char* first;   // the lines of the first part
  const char* second;  // the lines of the second part, which compile only if the first part's macros have ended
  bool is_for_host = true;
};

void PrintTo(const Row& row, std::ostream* out) {
  *out << row.name;
}

const Row kRows[] = {
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
    {"OfTheUsersHeader", "#include \"limit.h\"\n#undef LIMIT\n#define LIMIT(x) 7",
     "#include \"limit.h\"\nstatic_assert(LIMIT(1) == 3, \"lost\");"},
};

class MacrosInChains : public testing::TestWithParam<Row> {};

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

INSTANTIATE_TEST_SUITE_P(C19, MacrosInChains, testing::ValuesIn(kRows),
                         [](const auto& row) { return std::string(row.param.name); });

// Options::defines are in front of each part and end with it, too.
TEST(C19, DefinesGiveAHeadersMacroBack) {
  Options options;
  options.defines = {{"INT_MAX", "7"}};
  const Callback first = Callback::source("#include <cfloat>\nstatic_assert(INT_MAX == 7, \"\");" + kCode, "a.cu");
  EXPECT_NO_THROW(build(chain(first, first.with_entry("f"), "[](float x) { return x; }"), Architecture(90), options));
}

TEST(C19, HelpersAreCudasOnlyIfTheirWholeNameIs) {
  for (const std::string name : {"make_twice", "atomic_twice", "__twice", "atomicAddTwice", "make_float22"}) {
    EXPECT_FALSE(reflect::is_overloaded_by_cuda(name)) << name;
    const std::string text =
        "template <class F> __device__ float apply(F f, float x) { return f(x); }\n__device__ float " + name +
        "(float x) { return 2 * x; }\n__device__ float g(float x) { return apply(" + name + ", x); }";
    const Callback part = Callback(text).with_entry("g");
    EXPECT_NO_THROW(build(chain(part, part), Architecture(90))) << name;
    const std::vector<float> in = {1, 3};
    std::vector<float> out(2);
    Transform::create(chain(part, part), by(Route::Host)).execute(host, in, out);
    EXPECT_EQ(out, (std::vector<float>{4, 12})) << name;
  }
}

// The table of names agrees with the compiler: NVRTC declares every function of it, in part after cuda_fp16.h and
// cuda_bf16.h.
TEST(C19, TheTableHasFunctionsOfCuda) {
  std::string text = "#include <cuda_fp16.h>\n#include <cuda_bf16.h>\nnamespace of_cuda {\n";
  for (const std::string_view name : reflect::functions_of_cuda()) text += "using ::" + std::string(name) + ";\n";
  text += "}\n__device__ float f(float x) { return x; }";
  EXPECT_GT(reflect::functions_of_cuda().size(), 800u);
  try {
    build(text, Architecture(90));
  } catch (const Error& error) {
    FAIL() << error.what();
  }
}

}  // namespace
}  // namespace graft::test
