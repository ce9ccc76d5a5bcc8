// C12: on the routes that compile with NVRTC, <math.h>, <stdint.h>, <limits>, <type_traits> and other standard headers,
// INFINITY, NAN, M_PI and std::uint8_t were missing, because NVRTC has no standard headers. The host route had them.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "scenarios/forms/forms.hpp"
#include "support/compile.hpp"

namespace graft::test {
namespace {

struct Row {
  const char* header;
  const char* body;  // the body of the callback `float f(float x)`
  float (*expected)(float);
};

constexpr Row kRows[] = {
    {"math.h", "return ceilf(x) + sin(0.0) + M_PI;", [](float x) { return static_cast<float>(std::ceil(x) + M_PI); }},
    {"cmath", "return std::floor(x) + std::sqrt(4.0f);", [](float x) { return std::floor(x) + 2; }},
    {"stdint.h", "return (uint8_t)300 + INT32_MAX * 0.0f + x;", [](float x) { return 44 + x; }},
    {"cstdint", "std::int64_t a = 1; return a + x;", [](float x) { return 1 + x; }},
    {"stddef.h", "struct S { int a, b; }; constexpr size_t n = offsetof(S, b); return n + x;",
     [](float x) { return 4 + x; }},
    {"cstddef", "std::size_t n = sizeof(std::ptrdiff_t); return n + x;", [](float x) { return 8 + x; }},
    {"float.h", "return x > FLT_MAX || x < -FLT_MAX ? 0 : DBL_DIG + x;", [](float x) { return 15 + x; }},
    {"cfloat", "return FLT_EPSILON * 8388608.0f + x;", [](float x) { return 1 + x; }},
    {"limits.h", "return CHAR_BIT + (INT_MIN < LONG_MIN ? 9 : 0) + x;", [](float x) { return 8 + x; }},
    {"climits", "return (UINT_MAX == 4294967295u) + x;", [](float x) { return 1 + x; }},
    {"limits", "return std::numeric_limits<float>::digits + (x < std::numeric_limits<float>::infinity());",
     [](float) { return 25.0f; }},
    {"type_traits", "static_assert(std::is_same_v<std::decay_t<const float&>, float>); return x;",
     [](float x) { return x; }},
    {"utility", "float y = 1; std::swap(x, y); return std::make_pair(x, std::move(y)).second;",
     [](float x) { return x; }},
    {"array", "std::array<float, 3> a{x, 2, 3}; return a[1] + a.size();", [](float) { return 5.0f; }},
    {"algorithm", "return std::clamp(std::max(x, -1.0f), std::min(-0.5f, 0.0f), 0.5f);",
     [](float x) { return x < -0.5f  ? -0.5f
                          : x > 0.5f ? 0.5f
                                     : x; }},
    {"cstring", "int i; std::memcpy(&i, &x, 4); float y; memcpy(&y, &i, 4); return y + strlen(\"ab\");",
     [](float x) { return x + 2; }},
    {"string.h", "char a[3] = {1, 2, 3}; memmove(a, a + 1, 2); return a[0] + memcmp(a, a, 3) + x;",
     [](float x) { return 2 + x; }},
    {"cstdlib", "return std::abs(-3) + x;", [](float x) { return 3 + x; }},
    {"stdlib.h", "return abs(-4) + x;", [](float x) { return 4 + x; }},
    {"cassert", "assert(x == x); return x;", [](float x) { return x; }},
    {"assert.h", "assert(x == x); return x;", [](float x) { return x; }},
    {"cstdio", "if (x != x) printf(\"nan\"); return x;", [](float x) { return x; }},
    {"stdio.h", "if (x != x) printf(\"nan\"); return x;", [](float x) { return x; }},
};

std::string text_of(const Row& row) {
  return "#include <" + std::string(row.header) + ">\n__device__ float f(float x) { " + row.body + " }";
}

std::string test_name(const testing::TestParamInfo<Row>& info) {
  std::string name = info.param.header;
  for (char& c : name)
    if (c == '.') c = '_';
  return name;
}

class StandardHeaders : public testing::TestWithParam<Row> {};

TEST_P(StandardHeaders, CompileOnEveryGpuRouteThatCompilesSource) {
  for (const Route route : {Route::Lto, Route::Program, Route::Ptx, Route::Indirect}) {
    SCOPED_TRACE(name(route));
    const Report report = build(text_of(GetParam()), Architecture(90), by(route)).report();
    EXPECT_EQ(report.kernel.route, route);
    EXPECT_EQ(report.compiler_log, "");
  }
}

TEST_P(StandardHeaders, MeanTheSameOnTheHost) {
  const std::vector<float> in = {-2.5f, -0.25f, 0.0f, 0.25f, 3.0f};
  std::vector<float> out(in.size());
  Transform::create(text_of(GetParam()), by(Route::Host)).execute(host, in, out);
  for (std::size_t i = 0; i < in.size(); ++i) EXPECT_EQ(out[i], GetParam().expected(in[i])) << in[i];
}

TEST_P(StandardHeaders, StandInAPartOfAChain) {
  EXPECT_EQ(build(chain(text_of(GetParam()), "[](float x) { return 2 * x; }"), Architecture(90)).signature().text(),
            "float(float)");
}

INSTANTIATE_TEST_SUITE_P(C12, StandardHeaders, testing::ValuesIn(kRows), test_name);

constexpr const char* kAll =
    "#include <algorithm>\n#include <array>\n#include <bit>\n#include <cassert>\n#include <cfloat>\n#include "
    "<climits>\n"
    "#include <cmath>\n#include <cstddef>\n#include <cstdint>\n#include <cstdio>\n#include <cstdlib>\n"
    "#include <cstring>\n#include <limits>\n#include <numbers>\n#include <type_traits>\n#include <utility>\n";

// Properties that the C++ standard requires. They must hold with the headers that graft gives to NVRTC and with the
// host compiler's own headers.
constexpr const char* kProperties = R"(
enum class E : short { a };
struct S { int x; };
struct D : S {};
static_assert(std::is_same_v<std::underlying_type_t<E>, short>);
static_assert(std::is_base_of_v<S, D> && std::is_class<S>::value && !std::is_class_v<int>);
static_assert(std::is_function_v<int(int)> && !std::is_function_v<int>);
static_assert(std::is_same_v<std::decay_t<const int(&)[3]>, const int*>);
static_assert(std::is_same_v<std::decay_t<int(int)>, int (*)(int)>);
static_assert(std::is_same_v<std::common_type_t<float, int, double>, double>);
static_assert(std::is_same_v<std::make_unsigned_t<long>, unsigned long>);
static_assert(std::is_same_v<std::remove_cvref_t<const volatile int&>, int>);
static_assert(std::is_same_v<std::conditional_t<(sizeof(int) > 2), float, char>, float>);
static_assert(std::is_same_v<std::add_lvalue_reference_t<void>, void>);
static_assert(std::is_signed_v<float> && std::is_unsigned_v<bool> && std::is_void<const void>::value);
static_assert(std::is_invocable_v<float (*)(float), int> && !std::is_invocable_v<float (*)(float), S>);
static_assert(std::is_convertible_v<int, float> && !std::is_convertible_v<S, int>);
static_assert(std::is_trivially_copyable_v<S> && std::is_trivially_destructible_v<S> && std::is_aggregate_v<S>);
static_assert(std::is_same_v<std::make_index_sequence<3>, std::index_sequence<0, 1, 2>>);
static_assert(std::is_same_v<std::make_index_sequence<0>, std::index_sequence<>>);
static_assert(std::numeric_limits<unsigned>::max() == UINT_MAX && std::numeric_limits<int>::digits10 == 9);
static_assert(std::numeric_limits<unsigned char>::digits10 == 2 && std::numeric_limits<long long>::digits10 == 18);
static_assert(std::numeric_limits<unsigned long long>::digits10 == 19 && std::numeric_limits<bool>::digits == 1);
static_assert(std::numeric_limits<char>::digits == 7 && std::numeric_limits<long long>::min() == LLONG_MIN);
static_assert(std::numeric_limits<long>::max() == LONG_MAX && !std::numeric_limits<S>::is_specialized);
static_assert(std::numeric_limits<float>::epsilon() == FLT_EPSILON && std::numeric_limits<double>::max() == DBL_MAX);
static_assert(std::numeric_limits<double>::denorm_min() > 0 && std::numeric_limits<float>::lowest() == -FLT_MAX);
static_assert(std::numeric_limits<const float>::is_iec559 && std::numeric_limits<float>::max_digits10 == 9);
static_assert(std::popcount(255u) == 8 && std::countl_zero(1u) == 31 && std::countr_zero(8u) == 3);
static_assert(std::bit_ceil(5u) == 8 && std::bit_floor(5u) == 4 && std::bit_width(0u) == 0 && std::has_single_bit(64u));
static_assert(std::rotl((unsigned char)0x81, 1) == 3 && std::rotr(1u, 1) == 0x80000000u);
static_assert(std::max(1, 2) == 2 && std::min(1, 2) == 1 && std::clamp(5, 1, 3) == 3);
static_assert(std::is_same_v<decltype(ULLONG_MAX), unsigned long long> && std::is_same_v<decltype(LONG_MAX), long>);
static_assert(UINT64_C(1) << 40 == 1099511627776 && SIZE_MAX == ULONG_MAX && INT32_C(5) == 5);
static_assert(std::pair<int, float>{}.first == 0);
static_assert(std::numbers::pi_v<float> > 3.14f && std::numbers::e > 2.718);
__device__ float f(float x) {
  return std::bit_cast<float>(std::bit_cast<unsigned>(x)) + std::exchange(x, 2.0f);
}
)";

TEST(C12, TheHeadersHaveTheStandardsProperties) {
  Options options = by(Route::Lto);
  options.standard = CppStandard::Cpp20;
  EXPECT_EQ(build(std::string(kAll) + kProperties, Architecture(90), options).signature().text(), "float(float)");
  options.routes.required = Route::Host;
  const std::vector<float> in = {1, 2};
  std::vector<float> out(2);
  Transform::create(std::string(kAll) + kProperties, options).execute(host, in, out);
  EXPECT_EQ(out, (std::vector<float>{2, 4}));
}

TEST(C12, BothNamesOfAHeaderAndEverydayMacrosGoTogether) {
  for (const char* text : {"#include <cstring>\n#include <string.h>\n__device__ float f(float x) { return x; }",
                           "#include <math.h>\n#include <cmath>\n#include <stdint.h>\n#include <cstdint>\n"
                           "#include <limits.h>\n#include <climits>\n__device__ float f(float x) { return x; }",
                           "#define max(a, b) ((a) > (b) ? (a) : (b))\n#define min(a, b) ((a) < (b) ? (a) : (b))\n"
                           "#include <limits>\n__device__ float f(float x) { return max(x, 1.0f); }",
                           "#include <limits>\nstatic_assert(std::numeric_limits<__int128>::max() > 0);\n"
                           "__device__ float f(float x) { return x; }"})
    EXPECT_NO_THROW(build(text, Architecture(90))) << text;
}

TEST(C12, TheHeadersAgreeWithTheToolkitsOwn) {
  if (!has_cccl()) GTEST_SKIP() << "this toolkit has no CCCL headers";
  const std::string own = kAll;
  const std::string cccl =
      "#include <cuda/std/limits>\n#include <cuda/std/cstdint>\n#include <cuda/std/climits>\n"
      "#include <cuda/std/type_traits>\n#include <cuda/std/cmath>\n#include <cuda/std/utility>\n";
  const std::string function = "__device__ float f(float x) { return x; }";
  for (const std::string& text : {own + cccl + function, cccl + own + function})
    EXPECT_EQ(build(text, Architecture(90)).report().compiler_log, "");
}

TEST(C12, MacrosAndTypesNeedNoHeader) {
  for (const char* text : {"__device__ float f(float x) { return x > 0 ? INFINITY : NAN; }",
                           "__device__ double f(double x) { return x * M_PI + M_SQRT2 + HUGE_VAL; }",
                           "__device__ std::uint8_t f(std::uint8_t x) { return x; }",
                           "__device__ float f(std::size_t x) { return std::sqrt((float)x); }",
                           "#ifndef M_PI\n#define M_PI 3\n#endif\n__device__ float f(float x) { return x * M_PI; }"})
    for (const Route route : {Route::Lto, Route::Program, Route::Ptx, Route::Indirect}) {
      SCOPED_TRACE(testing::Message() << name(route) << ' ' << text);
      EXPECT_EQ(build(text, Architecture(90), by(route)).report().compiler_log, "");
    }
}

}  // namespace
}  // namespace graft::test
