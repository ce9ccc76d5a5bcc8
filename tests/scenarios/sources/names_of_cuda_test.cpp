// Tests callbacks and helpers named like CUDA's functions. In version 0.1, a callback named like one of CUDA's
// functions, such as max, was refused with the error that its name "names several functions". The source defines only
// one function of this name, and graft must take this one as the callback. Helper functions of a chain named like
// families of CUDA's functions (make_..., atomic..., __...) became overloaded, and could not be passed by name.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "reflect/callback/cuda_functions.hpp"
#include "support/compile.hpp"
#include "support/routes.hpp"

namespace graft::test {
namespace {

struct CudaName {
  const char* name;
  int parameters;
};

constexpr CudaName kCudaNames[] = {{"min", 2}, {"max", 2},  {"abs", 1}, {"round", 1}, {"pow", 2},  {"log", 1},
                                   {"fma", 3}, {"norm", 1}, {"exp", 1}, {"hypot", 2}, {"sinpi", 1}};

// The callback returns ten times its first parameter, which none of CUDA's functions does.
std::string text_named(const CudaName& row) {
  std::string parameters = "float a";
  for (int i = 1; i < row.parameters; ++i) parameters += ", float b" + std::to_string(i);
  return "__device__ float " + std::string(row.name) + "(" + parameters + ") { return 10 * a; }";
}

class NamesOfCuda : public testing::TestWithParam<CudaName> {};

TEST_P(NamesOfCuda, CompileOnEveryGpuRouteThatCompilesSource) {
  for (const Route route : kGpuRoutes) {
    SCOPED_TRACE(name(route));
    const Image image = build(text_named(GetParam()), Architecture(90), by(route));
    EXPECT_EQ(image.report().kernel.route, route);
    EXPECT_EQ(image.signature().inputs().size(), static_cast<std::size_t>(GetParam().parameters));
  }
}

// On the host route, a callback may be named max or norm, because the C library has no functions of these names. For
// most other names in kCudaNames, such as log, the host compiler refuses the callback, because the C library's headers
// declare a function of this name at global scope.
TEST(NamesOfCuda, TheHostTakesTheNamesThatTheCLibraryLacks) {
  const std::vector<float> a = {1, -2, 3};
  std::vector<float> out(3);
  Transform::create(text_named({"max", 2}), by(Route::Host)).execute(host, host_inputs(a, a), out);
  EXPECT_EQ(out, (std::vector<float>{10, -20, 30}));
  Transform::create(text_named({"norm", 1}), by(Route::Host)).execute(host, a, out);
  EXPECT_EQ(out, (std::vector<float>{10, -20, 30}));
  EXPECT_EQ(error_of([] {
              Transform::create(text_named({"log", 1}), by(Route::Host));
            }).code(),
            ErrorCode::CompileFailed);
}

TEST_P(NamesOfCuda, StandInAChain) {
  EXPECT_NO_THROW(build(chain(text_named(GetParam()), "[](float x) { return x; }"), Architecture(90)));
}

// Inside a part of a chain, a function named like CUDA's must not hide CUDA's functions, which the text calls.
TEST(NamesOfCuda, APartMayCallCudasFunctions) {
  const char* texts[] = {
      "__device__ float max(float a, float b) { return ::max(a, b) + max(1, 2); }",
      "__device__ float max(float a, float b, float c) { return max(a, max(b, c)); }",
      "__device__ float norm(float a) { return sqrtf(a) + max(1.0f, a); }",
      "__device__ float abs(float a) { return abs(static_cast<int>(a)) + ::abs(a); }",
      "__device__ float frexp(float a) { int e; return frexp(a, &e) + e; }",
      "__device__ float sqrt(float a) { return a < 0 ? 0 : ::sqrt(a); }",
      "__device__ float max(float a, float b, float c) { return max(a, max(b, c)); }\n"
      "__device__ float f(float a) { return max(a, 1.0f, 2.0f) + max(1, 2); }",
  };
  for (const char* text : texts) {
    const std::string all = text;
    Callback part = text;
    if (all.find(" f(") != std::string::npos) part = part.with_entry("f");
    for (const Route route : kGpuRoutes) {
      SCOPED_TRACE(testing::Message() << name(route) << ' ' << text);
      EXPECT_NO_THROW(build(chain(part, "[](float x) { return x; }", "[](float x) { return 2 * x; }"), Architecture(90),
                            by(route)));
    }
  }
  const Callback largest = "__device__ float max(float a, float b, float c) { return max(a, max(b, c)); }";
  const std::vector<float> a = {1, 5}, b = {2, 4}, c = {3, 3};
  std::vector<float> out(2);
  Transform::create(chain(largest, "[](float x) { return 2 * x; }"), by(Route::Host))
      .execute(host, host_inputs(a, b, c), out);
  EXPECT_EQ(out, (std::vector<float>{6, 10}));
}

TEST(NamesOfCuda, TheTypeMayBeWrittenInAnyForm) {
  const char* texts[] = {
      "__device__ auto max(float a, float b) -> float { return 10 * a; }",
      "__device__ float max(float a, float b = 1) { return 10 * a; }",
      "template <int N, int M> struct Sum { static constexpr float value = N + M; };\n"
      "__device__ float max(float a = Sum<1, 2>::value, float b = (1, 2)) { return 10 * a; }",
      "#define T float\n__device__ T max(T a, T b) { return 10 * a; }",
      "#define TWO float a, float b\n__device__ float max(TWO) { return 10 * a; }",
      "using T = float;\n__device__ __forceinline__ T max(T a, T b) { return 10 * a; }",
      "#ifdef FAST\n__device__ float max(float a, float b) { return 10 * a; }\n#else\n"
      "__device__ float max(float a, float b) { return 5 * a + 5 * a; }\n#endif",
  };
  for (const char* text : texts)
    for (const Route route : kGpuRoutes) {
      SCOPED_TRACE(testing::Message() << name(route) << ' ' << text);
      const Callback callback = Callback(text).with_entry("max");
      EXPECT_EQ(build(callback, Architecture(90), by(route)).signature().text(), "float(float, float)");
    }
}

TEST(NamesOfCuda, AtomicsAndIntrinsicsAreNamesToo) {
  for (const char* name : {"atomicAdd", "atomicCAS", "__ldg", "__expf", "make_float2", "clock64", "float2double"}) {
    const std::string text = "__device__ float " + std::string(name) + "(float a, float b, float c) { return a; }";
    for (const Route route : kGpuRoutes) {
      SCOPED_TRACE(testing::Message() << graft::name(route) << ' ' << text);
      EXPECT_EQ(build(text, Architecture(90), by(route)).signature().text(), "float(float, float, float)");
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Names, NamesOfCuda, testing::ValuesIn(kCudaNames),
                         [](const auto& row) { return std::string(row.param.name); });

TEST(NamesOfCuda, HelpersAreCudasOnlyIfTheirWholeNameIs) {
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
TEST(NamesOfCuda, TheTableHasFunctionsOfCuda) {
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
