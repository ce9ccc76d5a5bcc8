// Tests the standard library's headers in callbacks. NVRTC has no standard headers, so in version 0.1, <math.h>,
// <stdint.h>, <limits>, <type_traits> and others, INFINITY, NAN, M_PI and std::uint8_t were missing on the routes that
// compile with NVRTC. The host route had them.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "support/compile.hpp"
#include "support/rotation.hpp"
#include "support/routes.hpp"

namespace graft::test {
namespace {

struct StandardHeader {
  const char* header;
  const char* body;  // the body of the callback `float f(float x)`
  float (*expected)(float);
};

constexpr StandardHeader kStandardHeaders[] = {
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
    {"bit", "return x + sizeof(x);", [](float x) { return 4 + x; }},
    {"numbers", "return x + 1;", [](float x) { return 1 + x; }},
    {"functional", "return std::plus<>()(x, std::multiplies<float>()(2, 3));", [](float x) { return 6 + x; }},
    {"tuple", "auto [a, b] = std::make_tuple(x, 2); return a + b + std::get<1>(std::make_tuple(1, 2));",
     [](float x) { return x + 4; }},
    {"numeric", "float a[3] = {x, 1, 2}; return std::accumulate(a, a + 3, 0.0f) + std::gcd(12, 18);",
     [](float x) { return x + 1 + 2 + 6; }},
    {"initializer_list", "float s = x; for (float y : {1.0f, 2.0f}) s += y; return s;",
     [](float x) { return x + 1 + 2; }},
    {"memory", "return *std::addressof(x);", [](float x) { return x; }},
    {"stdbool.h", "bool yes = true; return yes ? x : 0;", [](float x) { return x; }},
    {"inttypes.h", "uint32_t n = sizeof(PRId32); return n > 0 ? x : 0;", [](float x) { return x; }},
    {"cinttypes", "std::int64_t n = 5; if (x != x) printf(\"%\" PRId64, n); return x;", [](float x) { return x; }},
    {"span", "return x;", [](float x) { return x; }},
    {"concepts", "return x;", [](float x) { return x; }},
};

std::string text_including(const StandardHeader& row) {
  return "#include <" + std::string(row.header) + ">\n__device__ float f(float x) { " + row.body + " }";
}

std::string name_of_test(const testing::TestParamInfo<StandardHeader>& info) {
  std::string name = info.param.header;
  for (char& c : name)
    if (c == '.') c = '_';
  return name;
}

class StandardHeaders : public testing::TestWithParam<StandardHeader> {};

TEST_P(StandardHeaders, CompileOnEveryGpuRouteThatCompilesSource) {
  for (const Route route : in_turn(kGpuRoutes, row_of_test())) {
    SCOPED_TRACE(testing::Message() << name(route) << ", " << rotation_text());
    const Report report = build(text_including(GetParam()), Architecture(90), by(route)).report();
    EXPECT_EQ(report.kernel.route, route);
    EXPECT_EQ(report.compiler_log, "");
  }
}

TEST_P(StandardHeaders, MeanTheSameOnTheHost) {
  const std::vector<float> in = {-2.5f, -0.25f, 0.0f, 0.25f, 3.0f};
  std::vector<float> out(in.size());
  Transform::create(text_including(GetParam()), by(Route::Host)).execute(host, in, out);
  for (std::size_t i = 0; i < in.size(); ++i) EXPECT_EQ(out[i], GetParam().expected(in[i])) << in[i];
}

TEST_P(StandardHeaders, StandInAPartOfAChain) {
  EXPECT_EQ(
      build(chain(text_including(GetParam()), "[](float x) { return 2 * x; }"), Architecture(90)).signature().text(),
      "float(float)");
}

INSTANTIATE_TEST_SUITE_P(Headers, StandardHeaders, testing::ValuesIn(kStandardHeaders), name_of_test);

// Libraries include both, one through the other.
TEST(StandardHeaders, CHeadersStandBesideTheirCppCounterparts) {
  const std::string c =
      "#include <assert.h>\n#include <float.h>\n#include <inttypes.h>\n#include <limits.h>\n#include <math.h>\n"
      "#include <stdbool.h>\n#include <stddef.h>\n#include <stdint.h>\n#include <stdio.h>\n#include <stdlib.h>\n"
      "#include <string.h>\n";
  const std::string cpp =
      "#include <cassert>\n#include <cfloat>\n#include <cinttypes>\n#include <climits>\n#include <cmath>\n"
      "#include <cstddef>\n#include <cstdint>\n#include <cstdio>\n#include <cstdlib>\n#include <cstring>\n";
  const std::string text =
      "__device__ float f(float x) { std::max_align_t a; return x + sizeof a + sizeof(std::byte) + sizeof(size_t); }";
  for (const std::string& headers : {c + cpp, cpp + c})
    EXPECT_EQ(build(headers + text, Architecture(90)).signature().text(), "float(float)");
}

constexpr const char* kAll =
    "#include <algorithm>\n#include <array>\n#include <bit>\n#include <cassert>\n#include <cfloat>\n#include "
    "<climits>\n"
    "#include <cmath>\n#include <cstddef>\n#include <cstdint>\n#include <cstdio>\n#include <cstdlib>\n"
    "#include <cstring>\n#include <limits>\n#include <numbers>\n#include <type_traits>\n#include <utility>\n";
constexpr const char* kMore =
    "#include <algorithm>\n#include <array>\n#include <cmath>\n#include <concepts>\n#include <cstddef>\n"
    "#include <functional>\n#include <initializer_list>\n#include <memory>\n#include <numeric>\n#include <span>\n"
    "#include <tuple>\n#include <utility>\n";

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

constexpr const char* kMoreProperties = R"(
namespace props {
constexpr std::array<int, 3> kA = {3, 1, 2};
constexpr std::array kB{3, 1, 2};
static_assert(kA == kB && !(kA != kB) && !(kA < kB) && kA >= kB && std::get<1>(kA) == 1 && kA.at(2) == 2);
static_assert(std::tuple_size<std::array<int, 3>>::value == 3 && std::tuple_size_v<const std::pair<int, float>> == 2);
static_assert(std::is_same_v<std::tuple_element_t<1, std::pair<int, float>>, float>);
static_assert(std::is_same_v<std::tuple_element_t<0, std::array<char, 2>>, char>);
__device__ constexpr int bindings() {
  auto [a, b, c] = kA;
  auto [d, e] = std::pair<int, long>(4, 5);
  auto [f, g] = std::tuple<int, double>(6, 7.0);
  return a + 10 * b + 100 * c + d + static_cast<int>(e) + f + static_cast<int>(g);
}
static_assert(bindings() == 3 + 10 + 200 + 4 + 5 + 6 + 7);
__device__ constexpr int filled() {
  std::array<int, 4> a{};
  a.fill(2);
  a.front() = 1;
  a.back() = 5;
  int s = 0;
  for (int x : a) s += x;
  return s;
}
static_assert(filled() == 10);
static_assert(std::pair<int, float>(1, 2.5f) < std::pair<int, float>(1, 3.0f) &&
              std::make_pair(2, 1) > std::make_pair(1, 2));
static_assert(std::pair<double, long>(std::pair<int, int>(1, 2)).second == 2 && std::get<0>(std::make_pair(7, 8)) == 7);
static_assert(std::min({3, 1, 2}) == 1 && std::max({3, 1, 2}) == 3 && std::minmax({3, 1, 2}).second == 3);
static_assert(std::clamp(5, 1, 3, std::less<int>()) == 3);
constexpr int kTable[] = {1, 3, 3, 7};
static_assert(std::lower_bound(kTable, kTable + 4, 3) == kTable + 1 &&
              std::upper_bound(kTable, kTable + 4, 3) == kTable + 3);
static_assert(std::binary_search(kTable, kTable + 4, 7) && std::find(kTable, kTable + 4, 7) == kTable + 3);
static_assert(std::accumulate(kTable, kTable + 4, 0) == 14 &&
              std::accumulate(kTable, kTable + 4, 1, std::multiplies<>()) == 63);
static_assert(std::inner_product(kTable, kTable + 4, kTable, 0) == 68);
static_assert(std::gcd(12, -18) == 6 && std::lcm(4, 6) == 12 && std::lcm(-4, 6) == 12 && std::gcd(0u, 5) == 5);
static_assert(std::plus<>()(1, 2.5) == 3.5 && std::less<float>()(1, 2) && std::negate<>()(3) == -3 &&
              std::bit_xor<int>()(5, 1) == 4);
static_assert(std::logical_not<>()(false) && std::invoke(std::minus<int>(), 3, 1) == 2);
static_assert(std::make_tuple(1, 2.5f, 'c') == std::tuple<int, float, char>(1, 2.5f, 'c'));
static_assert(std::make_tuple(1, 2) < std::make_tuple(1, 3) && std::get<float>(std::make_tuple(1, 2.5f)) == 2.5f);
static_assert(std::apply(std::plus<>(), std::make_tuple(1, 2)) == 3);
static_assert(std::is_same_v<decltype(std::tuple(1, 2.0f)), std::tuple<int, float>>);
__device__ constexpr int tied() {
  int a = 0;
  float b = 0;
  std::tie(a, b) = std::make_tuple(3, 4.0f);
  std::tie(a, std::ignore) = std::make_pair(a + 1, 9);
  return a * 10 + static_cast<int>(b);
}
static_assert(tied() == 44);
__device__ constexpr int tied_to_tied() {
  int a = 1, b = 2, c = 3, d = 4;
  std::tie(a, b) = std::tie(c, d);
  return a * 10 + b;
}
static_assert(tied_to_tied() == 34);
static_assert(std::midpoint(0x1p127f, 0x1p127f) == 0x1p127f && std::midpoint(0x1p1023, 0x1p1023) == 0x1p1023);
static_assert(std::to_integer<int>(std::byte{0x0f} | std::byte{0x30}) == 0x3f && (std::byte{1} << 3) == std::byte{8});
static_assert(std::is_object_v<int> && std::is_compound_v<int*> && std::rank<int[2][3]>::value == 2 &&
              std::extent_v<int[2][3], 1> == 3);
static_assert(std::is_same_v<std::remove_all_extents_t<int[2][3]>, int> && std::is_copy_assignable_v<int>);
constexpr int kSpanned[] = {1, 2, 3};
}  // namespace props
static_assert(std::midpoint(1, 4) == 2 && std::midpoint(4, 1) == 3 && std::midpoint(1.0f, 2.0f) == 1.5f);
static_assert(std::span<const int>(props::kSpanned).size() == 3 && std::span(props::kSpanned).subspan(1)[0] == 2);
template <std::floating_point T> __device__ constexpr bool is_float(T) { return true; }
template <std::integral T> __device__ constexpr bool is_float(T) { return false; }
static_assert(is_float(1.0f) && !is_float(1) && std::same_as<int, int> && std::convertible_to<int, float> &&
              std::unsigned_integral<unsigned>);
__device__ float mixed(double d, float f) {
  static_assert(sizeof(std::pow(d, f)) == 8 && sizeof(std::pow(f, 3L)) == 8 && sizeof(std::pow(d, 3L)) == 8);
  static_assert(sizeof(std::hypot(d, f, f)) == 8 && sizeof(std::hypot(f, 1, d)) == 8);
  static_assert(sizeof(std::hypot(1, 2, 3)) == 8 && sizeof(std::hypot(1, 2u, 3ll)) == 8);
  return static_cast<float>(std::pow(d, f) + std::fmax(d, f) + std::fmax(f, d) + std::atan2(d, f) + std::fmod(d, f) +
                            std::hypot(d, f) + std::hypot(d, f, f) + std::hypot(2, 3, 6) +
                            std::pow(f, 3L) + std::pow(f, 3u));
}
static_assert(sizeof(std::sqrt(2)) == 8 && sizeof(std::pow(2, 3)) == 8 && sizeof(std::floor(2.5f)) == 4);
__device__ float f(float x) {
  const int n = static_cast<int>(x);
  float a[4] = {1, 2, 3, 4};
  std::reverse(a, a + 4);
  std::iota(a, a + 2, 7.0f);
  return static_cast<float>(std::sqrt(n * n) + std::pow(n, 2) + std::fmod(x, 2.0) + (std::fpclassify(x) == FP_NORMAL) +
                            std::isnormal(x) + std::signbit(-x) + std::isless(x, 3.0) + std::hypot(x, 0.0f, 0.0f) +
                            std::isnan(n) + a[1] + a[3]);
}
)";

TEST(StandardHeaders, TheSmallerHeadersHaveTheStandardsProperties) {
  Options options = by(Route::Lto);
  options.standard = CppStandard::Cpp20;
  const Callback text = Callback(std::string(kMore) + kMoreProperties).with_entry("f");
  const Report report = build(text, Architecture(90), options).report();
  EXPECT_EQ(report.kernel.signature.text(), "float(float)");
  EXPECT_EQ(report.compiler_log, "");
  options.routes.required = Route::Host;
  const std::vector<float> in = {1, 4};
  std::vector<float> out(2);
  Transform::create(text, options).execute(host, in, out);
  EXPECT_EQ(
      out, (std::vector<float>{1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 0 + 8 + 1, 4 + 16 + 0 + 1 + 1 + 1 + 0 + 4 + 0 + 8 + 1}));
}

// C++ has these functions of integers at global scope, too, if a text includes <math.h>.
TEST(StandardHeaders, IntegersGoToDouble) {
  const char* text =
      "#include <math.h>\n__device__ double f(int n, unsigned char m) {\n"
      "  return sqrt(n) + std::log(m) + pow(n, 3) + std::atan2(n, m) + isnan(n) + (fpclassify(n) == FP_ZERO);\n}";
  for (const Route route : kGpuRoutes)
    EXPECT_EQ(build(text, Architecture(90), by(route)).report().compiler_log, "") << name(route);
  const std::vector<int> n = {0, 9};
  const std::vector<unsigned char> m = {1, 2};
  std::vector<double> out(2);
  Transform::create(text, by(Route::Host)).execute(host, host_inputs(n, m), out);
  EXPECT_EQ(out[0], 1);
  EXPECT_DOUBLE_EQ(out[1], 3 + std::log(2) + 729 + std::atan2(9, 2));
}

// Uses of <cmath> that CUDA's own functions serve must stay CUDA's: a float with an integer stays a float.
TEST(StandardHeaders, FloatsStayFloats) {
  EXPECT_NO_THROW(
      build("#include <cmath>\n#include <type_traits>\n"
            "static_assert(std::is_same_v<decltype(std::pow(1.0f, 2)), float>);\n"
            "static_assert(std::is_same_v<decltype(std::fmod(1.0f, 2)), float>);\n"
            "static_assert(std::is_same_v<decltype(std::pow(1.0f, 2.0)), double>);\n"
            "__device__ float f(float x) { return x; }",
            Architecture(90)));
}

TEST(StandardHeaders, TheErrorForAMissingHeaderNamesTheOneToUse) {
  const auto error_for = [](const std::string& header) {
    return error_of(
        [&] { build("#include <" + header + ">\n__device__ float f(float x) { return x; }", Architecture(90)); });
  };
  for (const char* header : {"complex", "optional", "iterator", "mdspan"}) {
    const Error error = error_for(header);
    EXPECT_EQ(error.code(), ErrorCode::CompileFailed);
    EXPECT_NE(error.remedy().find("<cuda/std/" + std::string(header) + ">"), std::string::npos) << error.what();
  }
  EXPECT_NE(error_for("vector").remedy().find("device code cannot use it"), std::string::npos);
  EXPECT_NE(error_for("mine.h").remedy().find("Options::headers"), std::string::npos);
}

// The names of namespace std that only a header of the user's mentions.
TEST(StandardHeaders, AUsersHeaderNeedsNoIncludesForCommonNames) {
  Options options;
  options.headers = {{"mine.h", "__device__ inline float root(std::uint8_t n) { return std::sqrt((float)n); }"}};
  EXPECT_NO_THROW(
      build("#include \"mine.h\"\n__device__ float f(float x) { return root(4) * x; }", Architecture(90), options));
  const Error error = error_of(
      [] { build("__device__ float f(float x) { return std::accumulate(&x, &x + 1, 0.0f); }", Architecture(90)); });
  EXPECT_NE(error.remedy().find("<numeric>"), std::string::npos) << error.what();
}

// Before graft defined the macros of <math.h>, a text could use their names for its own constants.
TEST(StandardHeaders, ATextMayDeclareTheNamesOfMathMacros) {
  for (const char* text : {"__device__ constexpr float M_PI = 3.14f;\n__device__ float f(float x) { return x * M_PI; }",
                           "enum Kind { NUMBER, NAN };\n__device__ int f(float x) { return x > 0 ? NUMBER : NAN; }",
                           "#define M_PI 3.0f\n__device__ float f(float x) { return x * M_PI; }",
                           "#define INFINITY 1e30f\n__device__ float f(float x) { return x < INFINITY ? x : 0; }",
                           "#define LARGE INFINITY;\n__device__ float f(float x) { float y = LARGE return x < y; }"})
    for (const Route route : kGpuRoutes) {
      SCOPED_TRACE(testing::Message() << name(route) << ' ' << text);
      EXPECT_EQ(build(text, Architecture(90), by(route)).report().compiler_log, "");
    }
  const Callback own = "__device__ constexpr float M_PI = 3.0f;\n__device__ float f(float x) { return x * M_PI; }";
  const Callback given = "__device__ float g(float x) { return static_cast<float>(x * M_PI); }";
  EXPECT_NO_THROW(build(chain(own, given, own), Architecture(90)));
  Options options;
  options.defines = {{"M_PI", "3"}};
  EXPECT_EQ(build("__device__ float f(float x) { return x * M_PI; }", Architecture(90), options).report().compiler_log,
            "");
  const std::vector<float> in = {1, 2};
  std::vector<float> out(2);
  Transform::create(own, by(Route::Host)).execute(host, in, out);
  EXPECT_EQ(out, (std::vector<float>{3, 6}));
}

TEST(StandardHeaders, TheHeadersHaveTheStandardsProperties) {
  Options options = by(Route::Lto);
  options.standard = CppStandard::Cpp20;
  EXPECT_EQ(build(std::string(kAll) + kProperties, Architecture(90), options).signature().text(), "float(float)");
  options.routes.required = Route::Host;
  const std::vector<float> in = {1, 2};
  std::vector<float> out(2);
  Transform::create(std::string(kAll) + kProperties, options).execute(host, in, out);
  EXPECT_EQ(out, (std::vector<float>{2, 4}));
}

TEST(StandardHeaders, BothNamesOfAHeaderAndEverydayMacrosGoTogether) {
  for (const char* text : {"#include <cstring>\n#include <string.h>\n__device__ float f(float x) { return x; }",
                           "#include <math.h>\n#include <cmath>\n#include <stdint.h>\n#include <cstdint>\n"
                           "#include <limits.h>\n#include <climits>\n__device__ float f(float x) { return x; }",
                           "#define max(a, b) ((a) > (b) ? (a) : (b))\n#define min(a, b) ((a) < (b) ? (a) : (b))\n"
                           "#include <limits>\n__device__ float f(float x) { return max(x, 1.0f); }",
                           "#include <limits>\nstatic_assert(std::numeric_limits<__int128>::max() > 0);\n"
                           "__device__ float f(float x) { return x; }"})
    EXPECT_NO_THROW(build(text, Architecture(90))) << text;
}

TEST(StandardHeaders, TheHeadersAgreeWithTheToolkitsOwn) {
  if (!has_cccl()) GTEST_SKIP() << "this toolkit has no CCCL headers";
  const std::string own = kAll;
  const std::string cccl =
      "#include <cuda/std/limits>\n#include <cuda/std/cstdint>\n#include <cuda/std/climits>\n"
      "#include <cuda/std/type_traits>\n#include <cuda/std/cmath>\n#include <cuda/std/utility>\n";
  const std::string function = "__device__ float f(float x) { return x; }";
  for (const std::string& text : {own + cccl + function, cccl + own + function})
    EXPECT_EQ(build(text, Architecture(90)).report().compiler_log, "");
}

TEST(StandardHeaders, MacrosAndTypesNeedNoHeader) {
  for (const char* text : {"__device__ float f(float x) { return x > 0 ? INFINITY : NAN; }",
                           "__device__ double f(double x) { return x * M_PI + M_SQRT2 + HUGE_VAL; }",
                           "__device__ std::uint8_t f(std::uint8_t x) { return x; }",
                           "__device__ float f(std::size_t x) { return std::sqrt((float)x); }",
                           "#ifndef M_PI\n#define M_PI 3\n#endif\n__device__ float f(float x) { return x * M_PI; }"})
    for (const Route route : kGpuRoutes) {
      SCOPED_TRACE(testing::Message() << name(route) << ' ' << text);
      EXPECT_EQ(build(text, Architecture(90), by(route)).report().compiler_log, "");
    }
}

}  // namespace
}  // namespace graft::test
