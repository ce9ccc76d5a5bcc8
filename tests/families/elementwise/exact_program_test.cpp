// Tests the exact adapter, which is code that graft writes for exactly one signature. The tests check when graft uses
// the exact adapter, and that graft reads the same signature from the source text as the compiler does. Where text
// alone could mislead graft, it must use the general adapter or first compile the source once to learn the signature
// (the reading pass).
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "families/elementwise/exact_program.hpp"
#include "families/registry.hpp"
#include "graft/graft.hpp"

namespace graft::test {
namespace {

Image image_of(const std::string& source, std::optional<Route> route = {}) {
  Options options;
  options.routes.required = route;
  return build(source, Architecture(90), options);
}

bool is_plain(const Image& image) {
  return image.report().source.find("graft/adapter.h") == std::string::npos;
}

constexpr const char* kPlain[] = {
    "__device__ float f(float x) { return -x; }",
    "__device__ bool f(bool a, signed char b) { return a && b; }",
    "__device__ uint8_t f(uint8_t x, unsigned y) { return x + y; }",
    "extern \"C\" __device__ __forceinline__ int f(short x, unsigned short y) { return x * y; }",
    "static inline __device__ long f(long a, unsigned long b, long long c, unsigned long long d) { return a + b + c + "
    "d; }",
    "__device__ double f(double x, const double& scale, graft::Index i) { return scale * x + i; }",
    "__device__ void f(int x, float& half, double2& pair) { half = 0.5f * x; pair.x = x; }",
    "namespace math { __device__ __half f(__half x) { return __hadd(x, x); } }",
    "#include <cuda_bf16.h>\n__device__ nv_bfloat16 f(nv_bfloat16 x) { return __hneg(x); }",
    "__device__ float2 f(float2 a, graft::complex<float> b) { return {a.x * b.re, a.y * b.im}; }",
    "__device__ graft::complex<double> f(graft::complex<double> z) { return graft::conj(z); }",
    "__device__ unsigned f(graft::Index i) { return i; }",
    "__device__ void f(graft::InOut<float> x, float v, const float& dt) { x += dt * v; }",
    "__device__ short f(unsigned char a, graft::InOut< unsigned char > sum, double& d, graft::InOut<half> h) { sum += "
    "a; "
    "d = sum; h = __hneg(h); return sum; }",
    "__device__ void f(float2&& z) { z.x += z.y; }",
    "__device__ graft::Store f(float x, float& y, int& z) { y = x; z = 1; return graft::Store(x > 0); }",
    "__device__ graft::Store f(graft::InOut<float> x, int y) { x += y; return graft::Store(y > 0); }",
    "__device__ float f(float); __device__ float f(float x) { return x; }",
    "__device__ float f(float x) noexcept { return x; }",
    "__device__ void f(float x, float& y) noexcept(true) { y = x; }",
    "__device__ const int f(int x) { return x; }",
    "__device__ const float2 f(float2 x) noexcept { return x; }",
    "__device__ half gelu(half x) { const float v = __half2float(x); return __float2half(v * erff(v)); }",
};

TEST(ExactProgram, HasTheSignatureThatTheCompilerReads) {
  for (const char* source : kPlain) {
    SCOPED_TRACE(source);
    const Image plain = image_of(source);
    const Image general = image_of(source, Route::Ptx);
    EXPECT_TRUE(is_plain(plain)) << plain.report().source;
    EXPECT_FALSE(is_plain(general));
    EXPECT_EQ(plain.signature(), general.signature());
    EXPECT_EQ(plain.signature().text(), general.signature().text());
    EXPECT_EQ(plain.report().kernel.name, general.report().kernel.name);
    EXPECT_TRUE(plain.report().inlined()) << plain.report().to_text();
    EXPECT_TRUE(plain.report().notes.empty()) << plain.report().to_text();  // no second compile
    EXPECT_EQ(plain.report().resources.local_bytes, 0);
    EXPECT_TRUE(is_plain(image_of(source, Route::Program)));
  }
}

// Sources whose types only a compiler can determine, or whose text suggests a wrong type. graft first compiles such a
// source once to learn the signature (the reading pass, a separate step in the report), then writes the exact adapter
// for that signature. For a simple struct, it reads the layout in the text, and the one compile confirms it.
struct Read {
  const char* source;
  const char* signature;
  bool is_read_by_compiler = true;
  // true if the source's text suggests a wrong type, so that graft has to compile a second time
  bool is_second_compile = false;
};

constexpr Read kRead[] = {
    {"[](float x) { return x; }", "float(float)"},
    {"[](graft::InOut<float> x, graft::Index i) { x += i; }", "void(graft::InOut<float>, graft::Index)"},
    {"struct P { float x, v; }; __device__ void f(graft::InOut<P> p, float a) { p.v += a; p.x += p.v; }",
     "void(graft::InOut<P>, float)", false},
    {"struct Rgb { uint8_t r, g, b; }; using namespace graft; __device__ float f(InOut<Rgb> p, uint8_t a) { p.r += a; "
     "return p.g; }",
     "float(graft::InOut<Rgb>, unsigned char)"},
    {"struct Rgb { uint8_t r, g, b; }; __device__ uint8_t f(Rgb p) { return p.g; }", "unsigned char(Rgb)", false},
    {"typedef float real; __device__ real f(real x) { return x; }", "float(float)"},
    {"__device__ auto f(float x) -> float { return x; }", "float(float)"},
    {"#define float double\n__device__ float f(float x) { return x; }", "double(double)"},
    {"#define REAL float\n__device__ REAL f(REAL x) { return x; }", "float(float)"},
    {"namespace n { struct half { short bits; }; __device__ half f(half x) { return x; } }", "n::half(n::half)", true,
     true},
    {"__device__ float4 f(float4 v) { return v; }", "float4(float4)", false},
    {"struct S { double a; char b[5]; }; __device__ float f(float x, const S& s, S& t) { t = s; return x; }",
     "float(float, const S&, S&)", false},
    {"struct Odd { short a; char b[3]; short c; }; __device__ Odd f(Odd a, short b) { a.c = b; return a; }",
     "Odd(Odd, short)", false},
    {"__device__ void f(float3 v, double& length, graft::Index i) { length = v.x * i; }",
     "void(float3, double&, graft::Index)", false},
    {"[](float x, float& y) { y = x; return graft::Store(x > 0); }", "graft::Store(float, float&)"},
    {"struct P { float a, b; }; __device__ graft::Store f(P p, P& q, double& x) {"
     " q = p; x = p.a; return graft::Store(p.a > p.b); }\n#define value 7\n#define Store 8\n",
     "graft::Store(P, P&, double&)"},
};

bool was_read(const Report& report) {
  return std::ranges::find(report.steps, "read signature", &Report::Step::name) != report.steps.end();
}

TEST(ExactProgram, IsMadeOfWhatAReadingPassSays) {
  for (const Read& read : kRead) {
    SCOPED_TRACE(read.source);
    for (const Route route : {Route::Lto, Route::Program}) {
      const Image image = image_of(read.source, route);
      EXPECT_TRUE(is_plain(image)) << image.report().source;
      EXPECT_EQ(image.signature().text(), read.signature);
      EXPECT_EQ(was_read(image.report()), read.is_read_by_compiler) << image.report().to_text();
      EXPECT_EQ(image.report().resources.local_bytes, 0) << image.report().to_text();
      EXPECT_TRUE(image.report().inlined()) << image.report().to_text();
      const std::string notes = fmt::format("{}", fmt::join(image.report().notes, "\n"));
      EXPECT_EQ(notes.find("compiled twice") != notes.npos, read.is_second_compile) << notes;
    }
  }
}

TEST(ExactProgram, NeedsNoReadingPassWhereTheTextShowsTheTypes) {
  for (const char* source : kPlain)
    for (const Route route : {Route::Lto, Route::Program})
      EXPECT_FALSE(was_read(image_of(source, route).report())) << source;
}

// A class may have constructors that treat const and non-const sources differently. The exact adapter must therefore
// pass the elements at the ends of an array with the same constness as those in the middle.
TEST(ExactProgram, PassesElementsInOneWay) {
  const std::string source = image_of(
                                 "struct P { float a, b, c; P() = default; template <class U> __device__ P(U& u) :"
                                 " a(u.a + 1), b(0), c(0) {} };\n__device__ float f(P x) { return x.a; }")
                                 .report()
                                 .source;
  EXPECT_NE(source.find("::f(reinterpret_cast<graft_type_0&>(graft_c0))"), std::string::npos) << source;
  EXPECT_EQ(source.find("static_cast<const graft_type_0*>"), std::string::npos) << source;
}

TEST(ExactProgram, IsNotPackedByThePragmasOfTheText) {
  for (const char* source : {"#pragma pack(1)\nstruct P { int c; int i; };\n"
                             "__device__ float f(float x, const P& p) { return x + p.i; }",
                             "#pragma pack(1)\nstruct P { char c; double d; };\n"
                             "__device__ float f(float x, const P& p) { return x + p.d; }",
                             "#pragma pack(1)\nstruct P { char c; int i; };\n"
                             "__device__ P f(P x, float& y) { x.i += x.c; y = 0; return x; }"}) {
    const Image image = image_of(source);
    EXPECT_TRUE(is_plain(image)) << image.report().source;
    EXPECT_TRUE(image.report().notes.empty()) << image.report().to_text();
  }
}

// These callbacks use 40,000 bytes of shared memory, and a kernel can have 48 KiB. The adapter must then store results
// without shared memory of its own.
TEST(ExactProgram, LeavesSharedMemoryToTheCallback) {
  Options options;
  options.allow_thread_words = true;
  for (const char* source :
       {"__device__ float f(float x, double& y) { __shared__ float s[10000]; s[threadIdx.x] = x; y = s[threadIdx.x ^ "
        "1];"
        " return x; }",
        "struct P { float a, b, c; }; __device__ P f(P x) { __shared__ float s[10000]; s[threadIdx.x] = x.a; "
        "x.b = s[threadIdx.x ^ 1]; return x; }"})
    EXPECT_TRUE(is_plain(build(source, Architecture(90), options))) << source;
}

// The entry may be an expression that creates an object with a call operator.
TEST(ExactProgram, CallsObjectsToo) {
  const std::string source = "struct Add { int k; __device__ int operator()(int a) const noexcept { return a + k; } };";
  const Image image = build(Callback(source).with_entry("Add{3}"), Architecture(90));
  EXPECT_TRUE(is_plain(image)) << image.report().source;
  EXPECT_EQ(image.signature().text(), "int(int)");
}

TEST(ExactProgram, LeavesPoliciesThatItDoesNotFitToTheGeneralOne) {
  for (const int width : {1, 2, 4, 8}) {
    Options options;
    options.policy.vector_width = width;
    const Image image = build("__device__ float f(float x) { return x; }", Architecture(90), options);
    EXPECT_EQ(is_plain(image), width >= 4);
    EXPECT_EQ(image.report().kernel.tuning["vector_width"], width);
  }
}

TEST(ExactProgram, HandlesOneGroupOfAThreadWhereThereAreFewElements) {
  const std::string source = "__device__ __half f(__half x) { return __float2half(erff(__half2float(x))); }";
  const Report plain = image_of(source).report();
  EXPECT_GT(plain.kernel.tuning["single_below"], 0u);
  EXPECT_NE(plain.source.find("graft_all.graft_is_single"), std::string::npos);
  EXPECT_EQ(image_of(source, Route::Ptx).report().kernel.tuning["single_below"], 0u);
  EXPECT_GT(
      image_of("[](__half x) { return __float2half(erff(__half2float(x))); }").report().kernel.tuning["single_below"],
      0u);
}

// Elements of three 4-byte words pass through shared memory if the tuning's words_through_shared is at least three and
// the callback itself uses no shared memory.
TEST(ExactProgram, StagesTheWordsThatThePolicySays) {
  const auto source_of = [](std::string_view body, std::optional<int> words) {
    const Callback callback("struct P { float a, b, c; }; __device__ P f(P x) { " + std::string(body) + " return x; }");
    const Options options;
    const codegen::SourceProgram program = codegen::prepare_program({callback}, options);
    const ElementType p = ElementType::structure(12, 4);
    const Signature signature({Role::Output, p, "P"}, {{Role::Input, p, "P"}});
    KernelSpec kernel = families::decide({program, signature, Architecture(90), Route::Lto, options, true}).kernel;
    if (words) kernel.tuning.set("words_through_shared", *words);
    return families::of(kernel.family).code({program, &kernel}).value().text;
  };
  constexpr const char* kStage = "graft_stage_of_thread";
  const auto is_staged = [&](const std::string& text) { return text.find(kStage) != std::string::npos; };
  EXPECT_TRUE(is_staged(source_of("", {})));
  EXPECT_TRUE(is_staged(source_of("", 3)));
  EXPECT_FALSE(is_staged(source_of("", 2)));
  EXPECT_FALSE(is_staged(source_of("__shared__ float s[9]; s[threadIdx.x % 9] = x.a;", {})));
}

// Compile errors must name the line in the user's source.
TEST(ExactProgram, MistakesAreTheUsersOwn) {
  try {
    image_of("__device__ float f(float x) {\n  return y;\n}");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::CompileFailed);
    EXPECT_NE(std::string(error.what()).find("callback.cu(2)"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace graft::test
