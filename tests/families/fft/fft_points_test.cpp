// Tests which types the callbacks of an FFT may have for points: types of two numbers of the FFT's precision, whose
// bits are those of a point. Any other type would give wrong numbers without a word.
#include <string>

#include "base/format.hpp"
#include "families/fft/fft_test.hpp"
#include "graft/graft.hpp"
#include "support/errors.hpp"
#include "support/rotation.hpp"

namespace graft::test {
namespace {

using testing::HasSubstr;

struct Type {
  const char* definition;
  const char* name;
};

constexpr Type kSingle[] = {
    {"", "float2"},
    {"", "graft::complex<float>"},
    {"struct T { float re, im; };", "T"},
    {"struct T { float v[2]; };", "T"},
    {"struct T { float2 z; };", "T"},
    {"struct alignas(8) T { const float a; const float b; };", "T"},
    {"struct B { float a; }; struct T : B { float b; };", "T"},
    {"class T { float a, b; public: T() = default; __device__ T(float x, float y = 0) : a(x), b(y) {} };", "T"},
    {"struct T { float x, y; __device__ T() : x(0), y(0) {} };", "T"},
    {"class T { float a, b; public: __device__ T() : a(0), b(0) {}\n"
     "  __device__ float real() const { return a; } __device__ const float& imag() const { return b; } };",
     "T"},
};
constexpr Type kDouble[] = {
    {"", "double2"},
    {"struct T { double re, im; };", "T"},
};
// As large as two floats or as two doubles.
constexpr Type kNoPoints[] = {
    {"", "int2"},
    {"", "uint2"},
    {"", "short4"},
    {"", "float4"},
    {"", "int4"},
    {"", "longlong2"},
    {"", "long long"},
    {"", "double"},
    {"struct T { double d; };", "T"},
    {"struct T { char c[8]; };", "T"},
    {"struct T { int a; float b; };", "T"},
    {"struct T { float a; int b; };", "T"},
    {"struct T { alignas(8) float a; };", "T"},
    {"struct T { float v[4]; };", "T"},
    {"struct T { double d; float a, b; };", "T"},
    {"struct T { int x, y; __device__ T() : x(0), y(0) {} };", "T"},
    {"class T { int a, b; public: __device__ T() : a(0), b(0) {}\n"
     "  __device__ int real() const { return a; } __device__ int imag() const { return b; } };",
     "T"},
};

enum class Place { Load, Between, Store, CufftLoad, CufftStore };
constexpr Place kPlaces[] = {Place::Load, Place::Between, Place::Store, Place::CufftLoad, Place::CufftStore};

FftCallbacks callbacks_with(const Type& type, Place place) {
  const std::string text = std::string(type.definition) + "\nusing P = " + type.name + ";\n";
  switch (place) {
    case Place::Load:
      return {.load = text + "__device__ P f(P z) { return z; }"};
    case Place::Between:
      return {.between = text + "__device__ P f(P z) { return z; }"};
    case Place::Store:
      return {.store = text + "__device__ P f(P z) { return z; }"};
    case Place::CufftLoad:
      return {.load = text + "__device__ P f(void* d, unsigned long long i, void*, void*) { return ((P*)d)[i]; }"};
    case Place::CufftStore:
      return {.store = text +
                       "__device__ void f(void* d, unsigned long long i, P z, void*, void*) {\n"
                       "  memcpy((char*)d + i * sizeof z, &z, sizeof z); }"};
  }
  return {};
}

std::string context(const Type& type, Place place) {
  return base::format("{} `{}` as {}", type.definition, type.name, static_cast<int>(place));
}

void make(const Type& type, Place place, FftPrecision precision, const Options& options) {
  build({.length = 4, .precision = precision, .directions = FftDirections::Forward}, callbacks_with(type, place),
        Architecture(90), options);
}

class FftPoints : public testing::TestWithParam<Route> {
 protected:
  static Options options() {
    Options options;
    options.routes.required = GetParam();
    return options;
  }
};
INSTANTIATE_TEST_SUITE_P(Routes, FftPoints, testing::Values(Route::Lto, Route::Host),
                         [](const auto& route) { return std::string(name(route.param)); });

TEST_P(FftPoints, AreTwoNumbersOfThePrecision) {
  for (const Type& type : kSingle) {
    SCOPED_TRACE(context(type, Place::Load));
    EXPECT_NO_THROW(make(type, Place::Load, FftPrecision::F32, options()));
  }
  for (const Type& type : kDouble)
    for (const Place place : kPlaces) {
      SCOPED_TRACE(context(type, place));
      EXPECT_NO_THROW(make(type, place, FftPrecision::F64, options()));
    }
  for (const Place place : kPlaces) EXPECT_NO_THROW(make(kSingle[2], place, FftPrecision::F32, options()));
}

// On the host route, whose compiler is slow, a third of the types have their turn.
TEST_P(FftPoints, AreNothingElse) {
  SCOPED_TRACE(rotation_text());
  std::size_t number = 0;
  for (const Type& type : kNoPoints)
    for (const FftPrecision precision : {FftPrecision::F32, FftPrecision::F64}) {
      if (!is_turn_of(0, number++, 3) && GetParam() == Route::Host) continue;
      SCOPED_TRACE(context(type, Place::Load));
      const Error error = error_of([&] { make(type, Place::Load, precision, options()); });
      EXPECT_EQ(error.code(), ErrorCode::UnsupportedParameter) << error.what();
      EXPECT_THAT(error.message(), HasSubstr("does not return a point of the FFT"));
    }
  for (const Place place : kPlaces) {
    SCOPED_TRACE(static_cast<int>(place));
    const Error error = error_of([&] { make(kNoPoints[0], place, FftPrecision::F32, options()); });
    EXPECT_EQ(error.code(), ErrorCode::UnsupportedParameter) << error.what();
  }
  for (const Place place : kPlaces)  // of the other precision
    EXPECT_EQ(error_of([&] { make(kSingle[0], place, FftPrecision::F64, options()); }).code(),
              ErrorCode::UnsupportedParameter);
}

// ---- what messages say ----

struct Refused {
  FftPlan plan;
  FftCallbacks callbacks;
  const char* message;
};

FftPlan plan_with(FftPrecision precision, FftKind kind, FftDirections directions = FftDirections::Forward) {
  return {.length = 16, .precision = precision, .directions = directions, .kind = kind};
}

void expect_messages(const std::vector<Refused>& rows, const Options& options) {
  for (const Refused& row : rows) {
    SCOPED_TRACE(row.message);
    const Error error = error_of([&] { build(row.plan, row.callbacks, Architecture(90), options); });
    EXPECT_EQ(error.code(), ErrorCode::UnsupportedParameter) << error.what();
    EXPECT_THAT(error.message(), HasSubstr(row.message));
    EXPECT_FALSE(error.remedy().empty());
  }
}

TEST_P(FftPoints, MessagesNameTheTypesOfBoth) {
  const FftPlan complex = plan_with(FftPrecision::F32, FftKind::Complex);
  const FftPlan doubles = plan_with(FftPrecision::F64, FftKind::Complex, FftDirections::Inverse);
  const FftPlan real = plan_with(FftPrecision::F32, FftKind::Real);
  const FftPlan real_inverse = plan_with(FftPrecision::F32, FftKind::Real, FftDirections::Inverse);
  const char* const in_out = "__device__ void f(graft::InOut<float2> z) { z.x = 0; }";
  expect_messages(
      {
          {complex,
           {.load = "__device__ double2 f(double2 z) { return z; }"},
           "it returns double2, and the forward FFT needs one that returns float2"},
          {doubles,
           {.load = "__device__ float2 f(float2 z) { return z; }"},
           "it returns float2, and the inverse FFT needs one that returns double2"},
          {complex,
           {.load = formula("f32 x => x")},
           "it returns float, and the forward FFT needs one that returns float2"},
          {complex, {.load = "__device__ void f(float2 z, const float& s) {}"}, "it has no output, and the forward"},
          {complex,
           {.load = "__device__ void f(float2 z, float2& a, float2& b) { a = b = z; }"},
           "it has 2 outputs, and the forward FFT needs one that returns float2"},
          {complex, {.load = in_out}, "it takes a graft::InOut, and the forward"},
          {complex, {.load = "__device__ float2 f(graft::Bit b) { return {}; }"}, "it has graft::Bit, and the"},
          {complex,
           {.load = "__device__ void f(void*, size_t, float2, void*, void*) {}"},
           "it is a store callback of cuFFT's shape, and the forward FFT needs one that returns float2"},
          {complex, {.load = "__device__ float f(void*, size_t, void*, void*) { return 0; }"}, "it returns float, and"},
          {real,
           {.load = "__device__ float2 f(float2 z) { return z; }"},
           "it returns float2, and the forward real FFT needs one that returns float"},
          {real_inverse,
           {.store = "__device__ float2 f(float2 z) { return z; }"},
           "it takes float2, and the inverse real FFT needs one that takes float and has one output"},
          {real,
           {.store = "__device__ void f(void*, size_t, float, void*, void*) {}"},
           "it takes float, and the forward real FFT needs one that takes float2"},
          {complex,
           {.store = "__device__ float2 f(void*, size_t, void*, void*) { return {}; }"},
           "it is a load callback of cuFFT's shape, and"},
          {complex, {.store = "__device__ void f(float2 z, float& a, float& b) { a = b = z.x; }"}, "it has 2 outputs"},
          {complex,
           {.between = "__device__ float2 f(float2 z, float w) { return z; }"},
           "it takes 2 elements, and this FFT needs one that takes and returns float2"},
          {complex,
           {.between = "__device__ float f(float2 z) { return z.x; }"},
           "it takes float2 and returns float, and this FFT needs one that takes and returns float2"},
      },
      options());
}

TEST_P(FftPoints, ChainsWhosePartsDoNotFitAreRefusedAsByTransforms) {
  const FftPlan plan = plan_with(FftPrecision::F32, FftKind::Complex);
  const Callback to_real("__device__ float to_real(short x) { return x; }");
  const Callback window("__device__ float2 window(float2 z) { return z; }");
  const Callback keep("__device__ graft::Store keep(float2 z, float2& out) { out = z; return graft::Store(true); }");
  const Callback magnitude("__device__ float magnitude(float2 z) { return z.x; }");
  const Callback sum("__device__ float2 sum(float2 z, float2 a, float2 b) { return z; }");
  expect_messages(
      {{plan, {.load = chain(to_real, window)}, "the load callback: part 2 ("},
       {plan, {.load = chain(to_real, window)}, " as its input 0, but part 1 ("},
       {plan, {.between = chain(magnitude, window)}, "the callback between: part 2 ("},
       {plan, {.load = chain(window, window), .store = chain(magnitude, window)}, "the store callback: part 2 ("},
       {plan,
        {.store = chain(keep, magnitude)},
        "the store callback: part 1 returns graft::Store, but only the last part of a chain can"},
       {plan,
        {.load = chain(window, magnitude)},
        "it returns float, and the forward FFT needs one that returns float2"},
       {plan,
        {.load = chain(sum, sum, sum, sum, sum, sum, sum, sum)},
        "the load callback: the parts take more than 16 inputs together"}},
      options());
}

}  // namespace
}  // namespace graft::test
