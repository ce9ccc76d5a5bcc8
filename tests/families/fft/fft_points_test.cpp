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

}  // namespace
}  // namespace graft::test
