// Tests the notes on slow arithmetic (routes/slow_arithmetic.hpp) and on sizes of structs: that they are there on every
// route and architecture, and that they are not where they would be wrong.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include "graft/graft.hpp"

namespace graft::test {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::Not;

const auto kDouble = Contains(HasSubstr("computes in double precision"));
const auto kDivision = Contains(HasSubstr("divides 64-bit integers"));
const auto kStructs = Contains(HasSubstr("move in words of"));

std::vector<std::string> notes(const Callback& callback, int architecture = 90,
                               std::optional<Route> route = std::nullopt) {
  Options options;
  options.routes.required = route;
  return build(callback, Architecture(architecture), options).report().notes;
}

TEST(SlowArithmetic, DoublesAreSeenOnEveryArchitectureAndRoute) {
  constexpr const char* kSource = "__device__ float f(float x) { return x * 0.1; }";
  for (const int architecture : {75, 80, 86, 89, 90, 100, 120}) EXPECT_THAT(notes(kSource, architecture), kDouble);
  for (const Route route : {Route::Lto, Route::Program, Route::Ptx, Route::Indirect})
    EXPECT_THAT(notes(kSource, 90, route), kDouble) << name(route);
}

TEST(SlowArithmetic, DoublesComeFromSmallNumbersOfAnyType) {
  for (const char* source : {
           "__device__ float f(float x) { return x > 0.1 ? x : 0; }",
           "__device__ float f(int x) { return x * 0.1; }",
           "__device__ float f(float x) { return pow(x + 1e-300, 0.3); }",
           "__device__ unsigned char f(unsigned char x) { return 0.299 * x; }",
           "__device__ float f(float x) { return 1.0 / (x + 0.1); }",
           "struct S { float a, b; }; __device__ S f(S s) { s.a *= 0.1; return s; }",
           "__device__ float f(float x, long long k) { return x * 0.1 + k; }",
       })
    EXPECT_THAT(notes(source), kDouble) << source;
}

TEST(SlowArithmetic, NoNoteOnDoublesThatSomebodyAskedFor) {
  for (const char* source : {
           "__device__ double f(float x) { return x * 0.1; }",
           "__device__ float f(float x, const double& s) { return x * s; }",
           "struct S { int n; double d; }; __device__ float f(float x, const S& s) { return x * s.d * 0.1; }",
           "struct S { float f; double d; }; __device__ float f(S s) { return s.f * 0.1; }",
           "__device__ float f(float x) { double sum = x; for (int i = 0; i < 9; ++i) sum += sum * 0.1; return sum; }",
           "__device__ graft::complex<double> f(float x) { return {x * 0.1, 0}; }",
           "__device__ float f(float x, double2 y) { return x * y.x; }",
       })
    EXPECT_THAT(notes(source), Not(kDouble)) << source;
  EXPECT_THAT(notes(formula("f32 x => f64(x) * 0.1")), Not(kDouble));
}

TEST(SlowArithmetic, NoNoteWhereTheCompilerNeedsNoDoubles) {
  for (const char* source : {
           "__device__ float f(float x) { return x * 2.0; }",  // the product of two floats fits into a double
           "__device__ float f(float x) { return x * 0.1f; }",
           "__device__ float f(float x) { return sqrt(x) * 0.5; }",
           "__device__ long long f(long long x) { return x * 3 + 1; }",
           "__device__ int f(int x, int y) { return x / y; }",
           "__device__ float f(float x) { printf(\"%f\\n\", x); return x; }",
           "__device__ float f(float x, long long k) { return x + static_cast<float>(k); }",
       })
    EXPECT_THAT(notes(source), Not(kDouble)) << source;
}

// CUDA's functions of floats use doubles in places, as sinf does for large arguments. That is not the callback's doing.
TEST(SlowArithmetic, NoNoteOnFunctionsOfFloats) {
  constexpr const char* kFunctions[] = {
      "acosf",    "acoshf",      "asinf",    "asinhf",  "atanf",          "atanhf",        "cbrtf",  "cosf",  "coshf",
      "cospif",   "erfcf",       "erfcinvf", "erfcxf",  "erff",           "erfinvf",       "exp10f", "exp2f", "expf",
      "expm1f",   "j0f",         "j1f",      "lgammaf", "log10f",         "log1pf",        "log2f",  "logbf", "logf",
      "normcdff", "normcdfinvf", "rcbrtf",   "rsqrtf",  "sinf",           "sinhf",         "sinpif", "sqrtf", "tanf",
      "tanhf",    "tgammaf",     "y0f",      "y1f",     "cyl_bessel_i0f", "cyl_bessel_i1f"};
  std::string text =
      "__device__ float f(float x, float y) { float sum = powf(x, y) + fmodf(x, y) + remainderf(x, y) + "
      "atan2f(x, y) + hypotf(x, y) + fdimf(x, y) + jnf(3, x) + ynf(3, x) + ldexpf(x, 3) + x / y;";
  for (const char* function : kFunctions) text += fmt::format(" sum += {}(x);", function);
  text += " return sum; }";
  for (const int architecture : {75, 90}) EXPECT_THAT(notes(text.c_str(), architecture), Not(kDouble));
}

TEST(SlowArithmetic, DivisionsOfWideIntegers) {
  for (const char* source : {
           "__device__ long long f(long long x, long long y) { return x / y; }",
           "__device__ unsigned long long f(unsigned long long x, unsigned long long y) { return x % y; }",
           "__device__ int f(int x, graft::Index i, const int& width) { return x + i / width; }",
       })
    for (const int architecture : {75, 90, 120}) EXPECT_THAT(notes(source, architecture), kDivision) << source;
}

TEST(SlowArithmetic, NoNoteOnOtherDivisions) {
  for (const char* source : {
           "__device__ int f(int x, int y) { return x / y + x % y; }",
           "__device__ long long f(long long x) { return x / 7 + x % 10; }",
           "__device__ double f(double x, double y) { return x / y; }",
           "__device__ float f(float x, graft::Position<2> at) { return x + at[0]; }",
           "__device__ float f(float x, graft::Index i) { return x + i; }",
       })
    EXPECT_THAT(notes(source), Not(kDivision)) << source;
}

std::string structs(int bytes) {
  return fmt::format("struct S {{ char c[{}]; }}; __device__ S f(S s) {{ s.c[0] += 1; return s; }}", bytes);
}

// A thread holds 256 bytes of arrays, so 4 structs of 30 bytes from two arrays, which are 120 bytes of each.
TEST(SlowArithmetic, StructsThatMoveInSmallWords) {
  EXPECT_THAT(notes(structs(30).c_str()),
              Contains(HasSubstr("structs of 30 bytes move in words of 8 bytes and not 16, "
                                 "because a thread holds only 4 of each array: give them 32 "
                                 "bytes")));
  EXPECT_THAT(notes(structs(17).c_str()), kStructs);
  for (const int bytes : {1, 2, 3, 4, 6, 8, 12, 16, 20, 24, 28, 32})
    EXPECT_THAT(notes(structs(bytes).c_str()), Not(kStructs)) << bytes;
  EXPECT_THAT(notes("__device__ float3 f(float3 x) { return x; }"), Not(kStructs));
}

TEST(SlowArithmetic, NoNotesOnFfts) {
  for (const FftPrecision precision : {FftPrecision::F32, FftPrecision::F64})
    for (const Image& image : build(FftPlan{.length = 1000, .precision = precision}, {}, Architecture(90))) {
      EXPECT_THAT(image.report().notes, Not(kDouble));
      EXPECT_THAT(image.report().notes, Not(kDivision));
    }
}

}  // namespace
}  // namespace graft::test
