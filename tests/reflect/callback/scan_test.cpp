// Tests the scanner, which reads a source without a compiler. The scanner finds functions, mentioned types and
// includes, and reports when it is uncertain about them.
#include "reflect/callback/scan.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

namespace graft::reflect {
namespace {

using namespace std::string_literals;

// Describes a function as text: line, properties, name, parameters, and `{}` for a definition or `;` for a declaration.
// An example is "1 device math::relu(float x) {}". A "?" at the end of a scan's text means that the scanner was
// uncertain.
std::string described(const FunctionFound& f) {
  return fmt::format("{} {}{}{}{}{}({}){}", f.line, f.is_extern_c ? "C " : "", f.is_template ? "template " : "",
                     f.is_device ? "device " : "", f.is_global ? "global " : "", f.name, f.parameters_text,
                     f.is_definition ? " {}" : ";");
}

std::string described(const SourceScan& scan) {
  std::vector<std::string> parts;
  for (const FunctionFound& f : scan.functions) parts.push_back(described(f));
  if (scan.uncertain) parts.emplace_back("?");
  return fmt::format("{}", fmt::join(parts, " | "));
}

struct Row {
  std::string source;
  std::string expected;
};

void check(const std::vector<Row>& rows) {
  for (const Row& row : rows) EXPECT_EQ(described(scan(row.source)), row.expected) << row.source;
}

TEST(Scan, FindsFunctions) {
  check({
      {"", ""},
      {"// nothing but a comment", ""},
      {";;", ""},
      {"__device__ float relu(float x) { return x > 0 ? x : 0; }", "1 device relu(float x) {}"},
      {"\n\n__device__\nfloat\nrelu\n(float x) { return x; }", "5 device relu(float x) {}"},
      {"__device__ float f(float x, const Scale & s) {}", "1 device f(float x, const Scale & s) {}"},
      {"__device__ float f(  float  x,\n\tconst   Scale& s /* state */ ) {}", "1 device f(float x, const Scale& s) {}"},
      {"__device__ float f() {}", "1 device f() {}"},
      {"__device__ float f(void) {}", "1 device f(void) {}"},
      {"__device__ float f(float x = g(1, 2), int n = {}) {}", "1 device f(float x = g(1, 2), int n = {}) {}"},
      {"__device__ float f(float (&a)[3], float (*g)(float)) {}", "1 device f(float (&a)[3], float (*g)(float)) {}"},
      {"float f(float x) { return x; }", "1 f(float x) {}"},
      {"__global__ void k(float* p) {}", "1 global k(float* p) {}"},
      {"__global__ void __launch_bounds__(256, 2) k(float* p) {}", "1 global k(float* p) {}"},
      {"__device__ float f(float x); __device__ float f(float x) { return x; }",
       "1 device f(float x); | 1 device f(float x) {}"},
      {"__device__ float f(float), g(float);", "1 device f(float);"},
      {"__device__ float f(float x) = delete;", "1 device f(float x);"},
      {"__device__ float f(float x) {} ; __device__ float g(float x) {}",
       "1 device f(float x) {} | 1 device g(float x) {}"},
  });
}

TEST(Scan, TakesSpecifiersInAnyOrder) {
  check({
      {"__host__ __device__ float f(float x) {}", "1 device f(float x) {}"},
      {"float __device__ f(float x) {}", "1 device f(float x) {}"},
      {"static inline __device__ float f(float x) {}", "1 device f(float x) {}"},
      {"static __forceinline__ __device__ float f(float x) {}", "1 device f(float x) {}"},
      {"__device__ __noinline__ float f(float x) noexcept {}", "1 device f(float x) {}"},
      {"constexpr float __host__ __device__ f(float x) noexcept(true) {}", "1 device f(float x) {}"},
      {"const float __device__ f(float x) {}", "1 device f(float x) {}"},
      {"[[nodiscard]] __device__ float f(float x) {}", "1 device f(float x) {}"},
      {"__device__ [[nodiscard]] float f [[gnu::pure]] ([[maybe_unused]] float x) {}",
       "1 device f([[maybe_unused]] float x) {}"},
      {"__attribute__((device_builtin)) __device__ float f(float x) {}", "1 device f(float x) {}"},
      {"__device__ __attribute__((noinline)) float f(float x) {}", "1 device f(float x) {}"},
      {"__device__ unsigned long long f(unsigned long long x) {}", "1 device f(unsigned long long x) {}"},
      {"__device__ struct Rgb f(struct Rgb x) {}", "1 device f(struct Rgb x) {}"},
      {"__device__ std::complex<std::array<float, 2>> f(float x) {}", "1 device f(float x) {}"},
      {"__device__ ::Rgb f(float x) {}", "1 device f(float x) {}"},
      {"__device__ Fixed<(1 > 2), sizeof(int) < 4> f(float x) {}", "1 device f(float x) {}"},
      {"__device__ Fixed<1 << 2> f(float x) {}", "1 device f(float x) {}"},
      {"__device__ typename A<B>::type* const& f(float x) {}", "1 device f(float x) {}"},
      {"__device__ decltype(1 + 2) f(float x) {}", "1 device f(float x) {}"},
      {"__device__ decltype(auto) f(float x) {}", "1 device f(float x) {}"},
      {"__device__ auto f(float x) -> float { return x; }", "1 device f(float x) {}"},
      {"__device__ auto f(float x) -> decltype(g<int>(x)) { return g<int>(x); }", "1 device f(float x) {}"},
      {"__device__ auto f(float x) noexcept -> Vec<float, 3> { return {}; }", "1 device f(float x) {}"},
      {"GRAFT_HOST_DEVICE float f(float x) {}", "1 device f(float x) {}"},
      {"float f(float x) const volatile & noexcept {}", "1 f(float x) {}"},
  });
}

TEST(Scan, KnowsTemplates) {
  check({
      {"template <class T> __device__ T f(T x) { return x; }", "1 template device f(T x) {}"},
      {"template <class T, int N = 3>\n__device__ T f(T x) {}", "2 template device f(T x) {}"},
      {"template <class T, class = enable_if_t<(sizeof(T) > 4)>> __device__ T f(T x) {}",
       "1 template device f(T x) {}"},
      {"template <template <class> class C, class T> __device__ T f(C<T> x) {}", "1 template device f(C<T> x) {}"},
      {"template <class... T> __device__ float f(T... x) {}", "1 template device f(T... x) {}"},
      {"template <class T> requires Real<T> && (sizeof(T) > 2) __device__ T f(T x) {}", "1 template device f(T x) {}"},
      {"template <class T> requires requires(T t) { t + t; } __device__ T f(T x) {}", "1 template device f(T x) {}"},
      {"template <class T> __device__ T f(T x) requires (sizeof(T) == 4) { return x; }", "1 template device f(T x) {}"},
      {"template <class T> __device__ T f(T x) requires Real<T> { return x; }", "1 template device f(T x) {}"},
      {"__device__ auto f(auto x) { return x; }", "1 template device f(auto x) {}"},
      // Specialisations, instantiations, members, and templates of anything but functions do not count as functions.
      {"template <> __device__ float f<float>(float x) {}", ""},
      {"template <> __device__ float f(float x) {}", ""},
      {"template __device__ float f<float>(float x);", ""},
      {"extern template float f<float>(float x);\n__device__ float g(float x) {}", "2 device g(float x) {}"},
      {"template <class T> concept Real = sizeof(T) > 2; template <class T> using V = Vec<T>; "
       "template <class T> constexpr T pi = T(3);",
       ""},
      {"template <class T> struct S { T x; __device__ T f() { return x; } };", ""},
  });
}

TEST(Scan, QualifiesNames) {
  check({
      {"namespace math { __device__ float relu(float x) {} }", "1 device math::relu(float x) {}"},
      {"namespace a { namespace b { __device__ float f() {} } __device__ float g() {} } __device__ float h() {}",
       "1 device a::b::f() {} | 1 device a::g() {} | 1 device h() {}"},
      {"namespace a::b::c { __device__ float f() {} }", "1 device a::b::c::f() {}"},
      {"namespace { __device__ float f() {} } __device__ float g() {}", "1 device f() {} | 1 device g() {}"},
      {"namespace a { namespace { namespace b { __device__ float f() {} } } }", "1 device a::b::f() {}"},
      {"inline namespace v1 { __device__ float f() {} }", "1 device f() {}"},
      {"namespace a::inline v1::b { __device__ float f() {} }", "1 device a::b::f() {}"},
      {"namespace [[deprecated]] a { __device__ float f() {} }", "1 device a::f() {}"},
      {"namespace m = a::b; __device__ float f() {}", "1 device f() {}"},
      {"extern \"C\" __device__ float f(float x) {}", "1 C device f(float x) {}"},
      {"extern \"C\" { __device__ float f(float x) {} __device__ float g(float x); }",
       "1 C device f(float x) {} | 1 C device g(float x);"},
      {"extern \"C\" { namespace a { __device__ float f() {} } extern \"C++\" { __device__ float g() {} } }",
       "1 C device a::f() {} | 1 device g() {}"},
      {"extern \"C++\" __device__ float f() {}", "1 device f() {}"},
      {"namespace a { __device__ float f(float); } __device__ float a::f(float x) {}",
       "1 device a::f(float); | 1 device a::f(float x) {}"},
  });
}

TEST(Scan, LeavesOutMembersAndVariables) {
  check({
      {"struct A { __device__ float f(float x) const { return x; } };", ""},
      {"struct A { __device__ A(float x) : x_(x), y_{x} {} __device__ ~A() {} float x_; float y_; };", ""},
      {"struct A { __device__ float f(float x); }; __device__ float A::f(float x) {}", ""},
      {"struct A { __device__ A(float); float x, y; }; __device__ A::A(float v) : x{v}, y(v) { } __device__ float g() "
       "{}",
       "1 device g() {}"},
      {"struct A { ~A(); operator float(); }; A::~A() {} A::operator float() { return 0; }", ""},
      {"template <class T> struct A { T f(); }; template <class T> __device__ T A<T>::f() {}", ""},
      {"struct alignas(16) A { __device__ float f(); }; __device__ float A::f() {}", ""},
      {"struct __align__(8) A final : B<int>, C { __device__ float f() {} };", ""},
      {"struct A { struct B { __device__ float f(); }; }; __device__ float A::B::f() {}", ""},
      {"class A { friend __device__ float f(A) { return 0; } };", ""},
      {"struct A { float x; } a = {1}, b[2]; __device__ float f() {}", "1 device f() {}"},
      {"struct A; union U { float f; int i; }; enum E { x, y = 3 }; enum class F : unsigned char { z };", ""},
      {"enum class F : int; __device__ float f() {}", "1 device f() {}"},
      {"typedef struct { float x; } A; typedef float (*F)(float); using G = float(float); using std::max;", ""},
      {"__device__ float table[3] = {1, f(2), 3};", ""},
      {"__constant__ float weights[2][2] = {{1, 2}, {3, 4}};", ""},
      {"__device__ float x{1}; __device__ float y = 2, z(3.0f); __device__ int n;", ""},
      {"__device__ auto f = [](float x) { return x; };", ""},
      {"constexpr float pi = acosf(-1); static_assert(sizeof(int) == 4, \"int\");", ""},
      {"__device__ float (*p)(float) = relu; __device__ float (*t[2])(float) = {f, g}; __device__ float h() {}",
       "1 device h() {}"},
      {"float (*choose(int n))(float) { return 0; } __device__ float f() {}", "1 device f() {}"},
      {"__device__ float A::* member = nullptr;", ""},
      {"template <class T> struct A { A(T); }; A(float) -> A<float>; __device__ float f() {}", "1 device f() {}"},
      {"asm(\"// nothing\"); __device__ float f() { asm volatile(\"{ .reg .f32 t; }\" ::: \"memory\"); return 0; }",
       "1 device f() {}"},
      {"__device__ V operator+(V a, V b) {}", "1 device operator+(V a, V b) {}"},
      {"__device__ bool operator == (V a, V b) {} __device__ V operator\"\"_v(long double x) {}",
       "1 device operator==(V a, V b) {} | 1 device operator\"\"_v(long double x) {}"},
      {"namespace a { __device__ bool operator<(V a, V b) {} }", "1 device a::operator<(V a, V b) {}"},
  });
}

TEST(Scan, IsNotMisledByTheText) {
  check({
      {"// __device__ float f(float x) {\n__device__ float g(float x) {}", "2 device g(float x) {}"},
      {"/* { ( */ __device__ float f(float x) { /* } */ }", "1 device f(float x) {}"},
      {"__device__ float f(float x) { const char* s = \"} __device__ float g() {}\"; return x; }",
       "1 device f(float x) {}"},
      {"__device__ float f(float x) { const char* s = R\"(} \" {)\"; return '}' + '\\'' + x; }",
       "1 device f(float x) {}"},
      {"const char* s = \"__device__ float f(float x) {}\";", ""},
      {"__device__ float f(float x) { return x * 1'000'000 + '{'; }", "1 device f(float x) {}"},
      {"__device__ float f(float x) {\n#define OPEN (1\n#undef OPEN\nreturn x; }", "1 device f(float x) {}"},
      {"#define F(x) \\\n  __device__ float x(float) { \\\n    return 0; }\n__device__ float g() {}",
       "4 device g() {}"},
      {"__dev\\\nice__ float f(float x) {}", "2 device f(float x) {}"},
      {"\xEF\xBB\xBF__device__ float f(float x) {}", "1 device f(float x) {}"},
      {"__device__ float f(float x) { struct L { float g() { return 1; } }; auto h = [](float y) { return y; }; return "
       "h(x); }",
       "1 device f(float x) {}"},
      {"__device__ float größe(float x) {}", "1 device größe(float x) {}"},
      {"#pragma once\n#include <cmath>\n__device__ float f() {}", "3 device f() {}"},
      {"__device__ float f(float x) { return x < 1 ? x : a > b; }", "1 device f(float x) {}"},
  });
}

TEST(Scan, ResolvesWhatItCan) {
  check({
      {"#define HD __host__ __device__\nHD float f(float x) {}", "2 device f(float x) {}"},
      {"#define HD __host__ __device__\n#define FN HD inline\nFN float f(float x) {}", "3 device f(float x) {}"},
      {"#ifdef __CUDACC__\n#define HD __host__ __device__\n#else\n#define HD\n#endif\nHD float f(float x) {}",
       "6 device f(float x) {}"},
      {"#define KERNEL extern \"C\" __global__\nKERNEL void k() {}", "2 global k() {}"},
      {"#define real float\n__device__ real f(real x) {}", "2 device f(real x) {}"},
      {"#define FN __device__ float\nFN f(float x) {}", "2 device f(float x) {}"},
      {"API __device__ float f(float x) {}", "1 device f(float x) {}"},
      {"#if 0\n__device__ float f() {}\n#else\n__device__ float g() {}\n#endif", "4 device g() {}"},
      {"#if X\n__device__ float f() {}\n#else\n__device__ float g() {}\n#endif", "2 device f() {} | 4 device g() {}"},
      {"#ifndef GUARD\n#define GUARD\n__device__ float f(float) {}\n__device__ float f(double) {}\n#endif",
       "3 device f(float) {} | 4 device f(double) {}"},
      {"#if X\n#define HELPER(x) x\n#endif\n__device__ float f() {}", "4 device f() {}"},
      {"CHECK_SIZE(float, 4);\n__device__ float f() {}", "2 device f() {}"},
  });
}

TEST(Scan, SaysWhenItIsUncertain) {
  check({
      {"DEFINE(relu, x > 0 ? x : 0)", "?"},
      {"DEFINE(relu)\n__device__ float f(float x) {}", "2 device f(float x) {} | ?"},
      {"DEFINE(relu) { return x; }\n__device__ float f(float x) {}", "2 device f(float x) {} | ?"},
      {"DEFINE { return x; }", "?"},
      {"DEFINE_ALL;", "?"},
      {"DEFINE_ALL", "?"},
      {"static DEFINE(f, float x) { return x; }", "?"},
      {"#define OP(n) __device__ float n(float x) { return x; }\nOP(relu);", "?"},
      {"__device__ float NAME(relu)(float x) {}", "?"},
      {"float ATTRIBUTE(16) f(float x) {}", "?"},
      {"HD float f(float x) { return x; }", "1 f(float x) {} | ?"},
      {"BEGIN_NAMESPACE\n__device__ float f() {}\nEND_NAMESPACE", "2 device f() {} | ?"},
      {"#define BEGIN namespace a {\n#define END }\nBEGIN __device__ float f() {} END", "3 device f() {} | ?"},
      {"namespace NS(a) { __device__ float f() {} }", "?"},
      {"#if X\n__device__ float f() { return 1; }\n#else\n__device__ float f() { return 2; }\n#endif",
       "2 device f() {} | 4 device f() {} | ?"},
      {"#if X\n__device__ float f(float x) {\n#else\n__device__ float f(double x) {\n#endif\n}",
       "2 device f(float x) {} | ?"},
      {"__device__ float Unknown::f(float x) {}", "?"},
      {"__device__ float f(float x) { return x;", "1 device f(float x) {} | ?"},
      {"__device__ float f(float x) { return x; } }", "1 device f(float x) {} | ?"},
      {"namespace a { __device__ float f() {}", "1 device a::f() {} | ?"},
      {"__device__ float f(float x", "?"},
      {"__device__ float f", "?"},
      {"float x = 3", "?"},
      {"__device__ Vec<float f(float x) {}", "?"},
      {"__device__ float f() { return (1]; }", "1 device f() {} | ?"},
      {"__device__ float f() {} /* no end", "1 device f() {} | ?"},
      {"__device__ float f() {}\n#if X", "1 device f() {} | ?"},
      {"__device__ float f() {}\n\0"s, "1 device f() {} | ?"},
      {"hello, world", "?"},
  });
}

TEST(Scan, TellsExpressions) {
  for (const char* text : {"[](float x) { return x; }", "\n // why\n [](float x) { return x; };", "[=]{ return 1; }",
                           "[", "[]<class T>(T x) { return x; }", "#include <a>\n[](float x) { return x; }"})
    EXPECT_TRUE(scan(text).is_expression) << text;
  for (const char* text : {"", "[[nodiscard]] __device__ float f(float x) {}", "auto f = [](float x) { return x; };",
                           "Scale{2}", "// [", "\"[\""})
    EXPECT_FALSE(scan(text).is_expression) << text;
  EXPECT_EQ(described(scan("[](float x) { return x; }")), "");
  EXPECT_EQ(described(scan("[](float x) { return x; ")), "?");
}

struct Mentioned {
  std::string source;
  std::string expected;
};

std::string mentioned(const SourceScan& scan) {
  std::string text;
  if (scan.mentions_half) text += " half";
  if (scan.mentions_bfloat16) text += " bfloat16";
  if (scan.includes_half_header) text += " <half>";
  if (scan.includes_bfloat16_header) text += " <bfloat16>";
  if (scan.mentions_textures) text += " texture";
  if (scan.mentions_long_math) text += " math";
  if (scan.has_unroll_pragma) text += " unroll";
  return text;
}

TEST(Scan, FindsMentions) {
  const std::vector<Mentioned> rows = {
      {"__device__ float f(float x) { return x; }", ""},
      {"__device__ __half f(__half x) { return x; }", " half"},
      {"__device__ half f(half x) { return x; }", " half"},
      {"__device__ half2 f(const half2& x) { return x; }", " half"},
      {"__device__ float f(float x) { return static_cast<half>(x); }", " half"},
      {"__device__ float f(float x) { return __half2float(g(x)); }", " half"},
      {"__device__ nv_half f(int x) { return x; }", " half"},
      {"#define real __half\n__device__ real f(real x) { return x; }", " half"},
      {"#define real half\n__device__ real f(real x) { return x; }", " half"},
      // In these sources `half`, or a name that contains "half", is a name of the user's own and not CUDA's type.
      {"__device__ float half(float x) { return x / 2; }", ""},
      {"__device__ float f(float x) { const float half = 0.5f; return half * x; }", ""},
      {"struct S { float half; }; __device__ float f(float x, const S& s) { return s.half * x; }", ""},
      {"__device__ float f(float x, const S& s) { return s.half * x; }", ""},
      {"__device__ float half_width(float x) { return halfway(x); }", ""},
      {"// half\n__device__ float f(float x) { return \"half __half\"[0]; }", ""},
      {"#if 0\n__half x;\n#endif", ""},
      {"__device__ __nv_bfloat16 f(__nv_bfloat16 x) { return x; }", " bfloat16"},
      {"__device__ nv_bfloat162 f(float x) { return __float2bfloat162_rn(x); }", " bfloat16"},
      {"#include <cuda_fp16.h>\n", " <half>"},
      {"#include \"cuda_bf16.h\"\n", " <half> <bfloat16>"},
      {"#include <my_cuda.h>\n", ""},
      {"struct S { cudaTextureObject_t t; };", " texture"},
      {"struct S { cudaSurfaceObject_t t; };", " texture"},
      {"__device__ float f(float x, const S& s) { return tex1Dfetch<float>(s.t, 0); }", " texture"},
      {"__device__ float f(float x, const S& s) { surf2Dwrite(x, s.t, 0, 0); return x; }", " texture"},
      {"texture<float, 2> t;", " texture"},
      {"__device__ float texture(float x) { return x; }", ""},
      {"__device__ float f(float x) {\n#pragma unroll\nfor (;;) {} }", " unroll"},
      {"__device__ float f(float x) {\n#pragma unroll 4\nfor (;;) {} }", " unroll"},
      {"__device__ float f(float x) {\n  # pragma  unroll(N)\nfor (;;) {} }", " unroll"},
      {"__device__ float f(float x) {\n_Pragma(\"unroll\") for (;;) {} }", " unroll"},
      {"#define UNROLL _Pragma(\"unroll 8\")\n", " unroll"},
      {"__device__ float f(float x) {\n#pragma unroll 1\nfor (;;) {} }", ""},
      {"__device__ float f(float x) {\n#pragma unroll (1)\nfor (;;) {} }", ""},
      {"__device__ float f(float x) {\n_Pragma(\"unroll 1\") for (;;) {} }", ""},
      {"#pragma once\n#pragma nounroll\n// #pragma unroll\n_Pragma(\"once\")", ""},
      {"__device__ float f(float x) { return erff(x); }", " math"},
      {"__device__ double f(double x) { return std::pow(x, 3.1); }", " math"},
      {"#define LOG(x) log1pf(x)\n__device__ float f(float x) { return LOG(x); }", " math"},
      {"__device__ float f(float x) { return __expf(x) + sqrtf(x) + fabsf(x); }", ""},
      {"__device__ float f(float x) { const float exp = 2, erff = x; return exp * erff; }", ""},
      {"[](half x) {\n#pragma unroll\nfor (;;) {} return tex2D<half>(t, 0, 0); }", " half texture unroll"},
  };
  for (const Mentioned& row : rows) EXPECT_EQ(mentioned(scan(row.source)), row.expected) << row.source;
}

TEST(Scan, ListsIncludesAndVariables) {
  const SourceScan found = scan(
      "#include <cmath>\n#include \"mine.h\"\n#include MACRO\n"
      "namespace a { __constant__ float w[2] = {1, 2}; __device__ Scale s{1}; extern int n; struct B { int m; } b; }");
  EXPECT_EQ(found.includes, (std::vector<std::string>{"<cmath>", "\"mine.h\"", "MACRO"}));
  EXPECT_EQ(found.variables, (std::vector<std::string>{"a::w", "a::s", "a::n", "a::b"}));
}

}  // namespace
}  // namespace graft::reflect
