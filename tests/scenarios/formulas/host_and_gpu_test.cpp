// Texts that the host and GPUs take alike, although their compilers have other headers and types.
#include <gtest/gtest.h>

#include "graft/graft.hpp"

namespace graft::test {
namespace {

constexpr Route kRoutes[] = {Route::Lto, Route::Program, Route::Host};

Signature signature_by(Route route, const Callback& callback, CppStandard standard = CppStandard::Cpp17) {
  Options options;
  options.routes.required = route;
  options.standard = standard;
  if (route == Route::Host) return Transform::create(callback, options).signature();
  return build(callback, Architecture(90), options).signature();
}

struct Text {
  const char* text;
  const char* signature;
};

constexpr Text kTexts[] = {
    // Headers of C++20 under C++17.
    {"#include <bit>\n__device__ unsigned f(float x) { return std::bit_cast<unsigned>(x) + std::popcount(3u); }",
     "unsigned int(float)"},
    {"#include <numbers>\n__device__ double f(float x) { return std::numbers::pi * x; }", "double(float)"},
    {"#include <span>\n__device__ float f(float x) { float a[] = {x, 2}; return std::span<float>(a, 2)[1]; }",
     "float(float)"},
    {"#include <type_traits>\n__device__ std::remove_cvref_t<const float&> f(float x) { return x; }", "float(float)"},
    // Headers and types of the CUDA runtime.
    {"#include <cuda_runtime.h>\n__device__ float f(float x) { const dim3 d(1, 2); return x * d.y * d.z; }",
     "float(float)"},
    {"#include <device_launch_parameters.h>\n__device__ float f(float x) { return x; }", "float(float)"},
    // Types of <cstdint> that the text declares itself, as texts for NVRTC do.
    {"typedef long long int64_t;\n__device__ int64_t f(int64_t x) { return x; }", "long long(long long)"},
    {"typedef long int64_t;\ntypedef unsigned long uint64_t;\n__device__ int64_t f(uint64_t x) { return x; }",
     "long(unsigned long)"},
    {"using uint64_t = unsigned long long;\n__device__ uint64_t f(uint64_t x) { return x; }",
     "unsigned long long(unsigned long long)"},
    {"#include <cstdint>\ntypedef unsigned char uint8_t;\n__device__ uint8_t f(uint8_t x) { return x; }",
     "unsigned char(unsigned char)"},
    {"typedef long long int64_t;\n#include <cstdint>\n#include <cmath>\n__device__ int64_t f(float x) { return x; }",
     "long long(float)"},
};

TEST(HostAndGpu, TakeTheSameTexts) {
  for (const Text& text : kTexts)
    for (const Route route : kRoutes)
      for (const CppStandard standard : {CppStandard::Cpp17, CppStandard::Cpp20}) {
        if (route != Route::Host && standard == CppStandard::Cpp20) continue;
        try {
          EXPECT_EQ(signature_by(route, text.text, standard).text(), text.signature) << name(route);
        } catch (const Error& error) {
          ADD_FAILURE() << text.text << "\nby " << name(route) << ": " << error.what() << '\n' << error.log();
        }
      }
}

// Each callback of a chain has macros and types of its own.
TEST(HostAndGpu, KeepTheCallbacksOfAChainApart) {
  const Callback chained =
      chain({"#define N 3\n#pragma push_macro(\"N\")\n#undef N\n#define N 5\ntypedef long long int64_t;\n"
             "__device__ float f(float x) { return x * N + int64_t(0); }",
             "#ifdef N\n#error N is the first callback's\n#endif\ntypedef long int64_t;\n"
             "__device__ float g(float x) { return x + int64_t(1); }"});
  for (const Route route : {Route::Lto, Route::Host})
    EXPECT_EQ(signature_by(route, chained).text(), "float(float)") << name(route);
}

}  // namespace
}  // namespace graft::test
