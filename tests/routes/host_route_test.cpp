// Tests the host route from source to results: what callbacks compute on a CPU, and which errors the user gets. The
// host route must find the same signatures as the GPU routes, although another compiler parses the source.
#include "routes/routes.hpp"

#include <gtest/gtest.h>

#include <array>
#include <climits>
#include <cmath>
#include <complex>
#include <cstring>
#include <vector>

#include "base/files.hpp"
#include "compile/host_image.hpp"
#include "core/image_data.hpp"
#include "families/elementwise/arguments.hpp"
#include "families/elementwise/launch_geometry.hpp"
#include "graft/error.hpp"
#include "launch/host_kernel.hpp"
#include "routes/builder.hpp"
#include "support/errors.hpp"

namespace graft::routes {
namespace {

compile::Toolbox& tools() {
  static compile::Toolbox toolbox({}, {}, 0);
  return toolbox;
}

Image::Data build(const Callback& callback, Options options = {}) {
  options.routes.required = Route::Host;
  return build_image(callback, std::nullopt, options, tools());
}

// Runs a callback over arrays. The test's element types must have the same layout as the callback's.
class Runner {
 public:
  explicit Runner(const Callback& callback, const Options& options = {})
      : image_(build(callback, options)),
        geometry_(elementwise::make_geometry(image_.report.kernel)),
        kernel_(image_.bytes) {}

  template <class T>
  Runner& in(const std::vector<T>& values) {
    inputs_.push_back(
        {const_cast<T*>(values.data()), values.size(), image_.report.kernel.signature.inputs().at(inputs_.size())});
    EXPECT_EQ(sizeof(T), inputs_.back().type.size);
    return *this;
  }
  template <class T>
  Runner& out(std::vector<T>& values) {
    outputs_.push_back({values.data(), values.size(), image_.report.kernel.signature.outputs().at(outputs_.size())});
    EXPECT_EQ(sizeof(T), outputs_.back().type.size);
    return *this;
  }
  void run(const void* state = nullptr) {
    alignas(64) std::array<std::byte, families::kMostParameterBytes> parameter;
    const families::Arguments arguments{inputs_, outputs_, state, geometry_.state};
    const std::size_t count = elementwise::check(geometry_, arguments);
    elementwise::lay_out_arguments(geometry_, arguments, count, parameter.data());
    kernel_.run(parameter.data(), 0, count);
  }
  const Report& report() const { return image_.report; }

 private:
  Image::Data image_;
  elementwise::LaunchGeometry geometry_;
  launch::HostKernel kernel_;
  std::vector<ArrayRef> inputs_;
  std::vector<ArrayRef> outputs_;
};

template <class Out, class In>
std::vector<Out> map(const Callback& callback, const std::vector<In>& in) {
  std::vector<Out> out(in.size());
  Runner(callback).in(in).out(out).run();
  return out;
}

using Floats = std::vector<float>;
using test::error_of;

constexpr const char* kRelu = "__device__ float relu(float x) { return x > 0.0f ? x : 0.0f; }";

TEST(HostRoute, AppliesAScalarCallback) {
  EXPECT_EQ(map<float>(kRelu, Floats{-1, 0, 2.5f}), (Floats{0, 0, 2.5f}));
}

TEST(HostRoute, ReportsHowItWasMade) {
  const Image::Data image = build(kRelu);
  EXPECT_EQ(image.report.kernel.route, Route::Host);
  EXPECT_EQ(image.report.kernel.name, "graft_transform_relu");
  EXPECT_EQ(image.report.kernel.signature.text(), "float(float)");
  EXPECT_EQ(image.report.kernel.architecture, Architecture{});
  EXPECT_TRUE(image.report.kernel.tuning.decisions().empty());
  EXPECT_EQ(image.report.image_bytes, image.bytes.size());
  ASSERT_EQ(image.report.versions.size(), 1u);
  EXPECT_EQ(image.report.versions[0].tool, "host compiler");
  EXPECT_NE(image.report.source.find("#line 1 \"callback.cu\"\n__device__ float relu"), std::string::npos);
  EXPECT_EQ(image.report.compiler_log, "");
}

TEST(HostRoute, EqualProgramsGiveEqualBytes) {
  EXPECT_EQ(build(kRelu).bytes, build(kRelu).bytes);
}

TEST(HostRoute, LambdaAndStdFunctions) {
  EXPECT_EQ(map<float>("[](float x) { return std::sin(x); }", Floats{0.5f, 2}),
            (Floats{std::sin(0.5f), std::sin(2.0f)}));
}

TEST(HostRoute, ReferenceOutputsAreZeroOnEntryAlsoInPlace) {
  Floats x = {1, 2, 3};
  std::vector<double> sum(3, 7.0);
  const Callback callback("__device__ void f(float a, float& b, double& c) { b += 2 * a; c += a; }");
  Runner(callback).in(x).out(x).out(sum).run();
  EXPECT_EQ(x, (Floats{2, 4, 6}));
  EXPECT_EQ(sum, (std::vector<double>{1, 2, 3}));
}

TEST(HostRoute, UpdatesArraysInPlace) {
  Floats x = {1, 2, 3};
  const Floats v = {10, 20, 30};
  std::vector<short> count = {7, 8, 9};
  Floats before(3);
  const float dt = 0.5f;
  const Callback callback(
      "__device__ float f(graft::InOut<float> x, float v, graft::InOut<short> count, const float& dt) {\n"
      "  const float before = x;\n  x += dt * v;\n  ++count;\n  return before;\n}");
  Runner(callback).in(v).out(before).out(x).out(count).run(&dt);
  EXPECT_EQ(x, (Floats{6, 12, 18}));
  EXPECT_EQ(before, (Floats{1, 2, 3}));
  EXPECT_EQ(count, (std::vector<short>{8, 9, 10}));
}

TEST(HostRoute, NeedsNoOutputs) {
  struct State {
    unsigned long long* above;
    float* largest;
    float limit;
  };
  unsigned long long above = 5;
  float largest = 0;
  const State state{&above, &largest, 1.5f};
  const Floats x = {1, 2, 3, -7};
  Runner(
      "struct State { unsigned long long* above; float* largest; float limit; };\n"
      "__device__ void f(float x, const State& s) {\n"
      "  if (x > s.limit) atomicAdd(s.above, 1);\n  atomicMax(s.largest, x);\n}")
      .in(x)
      .run(&state);
  EXPECT_EQ(above, 7u);
  EXPECT_EQ(largest, 3);
}

TEST(HostRoute, HasTheAtomicFunctionsOfTheDevice) {
  struct State {
    unsigned* at;
    float* sum;
  };
  std::array<unsigned, 9> at = {10, 10, 10, 10, 10, 10, 10, 12, 0};
  float sum = 0.5f;
  const State state{at.data(), &sum};
  std::vector<unsigned> old(1);
  Runner(
      "struct State { unsigned* at; float* sum; };\n"
      "__device__ unsigned f(graft::Index, const State& s) {\n"
      "  atomicSub(s.at, 3); atomicExch(s.at + 1, 7); atomicMin(s.at + 2, 4); atomicMax(s.at + 3, 4);\n"
      "  atomicAnd(s.at + 4, 6); atomicOr(s.at + 5, 5); atomicXor(s.at + 6, 3); atomicInc(s.at + 7, 12);\n"
      "  atomicDec(s.at + 8, 6); atomicAdd(s.sum, 2);\n"
      "  return atomicCAS(s.at, 7, 100) + atomicCAS(s.at, 8, 200);\n}")
      .out(old)
      .run(&state);
  EXPECT_EQ(at, (std::array<unsigned, 9>{100, 7, 4, 10, 2, 15, 9, 0, 6}));
  EXPECT_EQ(sum, 2.5f);
  EXPECT_EQ(old[0], 107u);
}

TEST(HostRoute, LeavesElementsAlone) {
  const Floats x = {1, -2, 3, -4};
  Floats y = {10, 20, 30, 40};
  std::vector<double> z(4, 7.0);
  const Callback callback(
      "__device__ graft::Store f(float a, float& b, double& c) { b = 2 * a; c = a; return graft::Store(a > 0); }");
  Runner(callback).in(x).out(y).out(z).run();
  EXPECT_EQ(y, (Floats{2, 20, 6, 40}));
  EXPECT_EQ(z, (std::vector<double>{1, 7, 3, 7}));
}

TEST(HostRoute, LeavesElementsAloneAtTheEndOfAChain) {
  const Floats x = {1, -2, 3, -4};
  Floats y = {10, 20, 30, 40};
  Runner(chain("__device__ float f(float x) { return 3 * x; }",
               "__device__ graft::Store f(float x, float& y) { y = x; return graft::Store(x > 0); }"))
      .in(x)
      .out(y)
      .run();
  EXPECT_EQ(y, (Floats{3, 20, 9, 40}));
}

TEST(HostRoute, LeavesElementsOfInOutArraysAlone) {
  Floats x = {1, 2, 3, 4};
  const std::vector<short> is_valid = {1, 0, 0, 1};
  Runner("__device__ graft::Store f(graft::InOut<float> x, short is_valid) { x += 10; return graft::Store(is_valid); }")
      .in(is_valid)
      .out(x)
      .run();
  EXPECT_EQ(x, (Floats{11, 2, 3, 14}));
}

TEST(HostRoute, IndexAndState) {
  struct State {
    char tag;
    double scale;
  } const state{'x', 10};
  std::vector<double> out(4);
  Runner(R"(struct State { char tag; double scale; };
            __device__ double f(graft::Index i, const State& s) { return s.scale * i + (s.tag == 'x'); })")
      .out(out)
      .run(&state);
  EXPECT_EQ(out, (std::vector<double>{1, 11, 21, 31}));
}

TEST(HostRoute, StructOfThreeBytes) {
  struct Rgb {
    unsigned char r, g, b;
  };
  const std::vector<Rgb> in = {{1, 2, 3}, {10, 20, 30}};
  const auto out = map<std::uint8_t>(
      "struct Rgb { uint8_t r, g, b; }; __device__ uint8_t gray(Rgb c) { return c.r + c.g + c.b; }", in);
  EXPECT_EQ(out, (std::vector<std::uint8_t>{6, 60}));
}

TEST(HostRoute, HalfAndBfloat16NeedNoToolkit) {
  const std::vector<std::uint16_t> halves = {0x3c00, 0xc000};  // 1 and -2
  EXPECT_EQ(map<std::uint16_t>("__device__ __half f(__half x) { return x * __float2half(1.5f); }", halves),
            (std::vector<std::uint16_t>{0x3e00, 0xc200}));
  const std::vector<std::uint16_t> bfloats = {0x3f80, 0xc000};  // 1 and -2
  EXPECT_EQ(map<std::uint16_t>(
                "__device__ __nv_bfloat16 f(__nv_bfloat16 x) { return __float2bfloat16(1.5f * __bfloat162float(x)); }",
                bfloats),
            (std::vector<std::uint16_t>{0x3fc0, 0xc040}));
  EXPECT_EQ(map<float>("#include <cuda_fp16.h>\n__device__ float f(half x) { return __half2float(x); }", halves),
            (Floats{1, -2}));
}

TEST(HostRoute, VectorTypesAndComplex) {
  struct alignas(16) Four {
    float v[4];
  };
  EXPECT_EQ(map<float>("__device__ float f(float4 v) { return v.x + v.y + v.z + v.w; }",
                       std::vector<Four>{{{1, 2, 3, 4}}, {{5, 6, 7, 8}}}),
            (Floats{10, 26}));
  const std::vector<std::complex<float>> z = {{1, 2}, {0, 1}};
  EXPECT_EQ(map<std::complex<float>>(
                "__device__ graft::complex<float> f(graft::complex<float> z) { return z * z + 1.0f; }", z),
            (std::vector<std::complex<float>>{{-2, 4}, {0, 0}}));
}

TEST(HostRoute, SmallIntegersAndBool) {
  EXPECT_EQ(map<std::int8_t>("__device__ signed char f(signed char x) { return max(-x, 0); }",
                             std::vector<std::int8_t>{-5, 5}),
            (std::vector<std::int8_t>{5, 0}));
  EXPECT_EQ(map<std::uint8_t>("__device__ bool f(float x) { return x > 1; }", Floats{0, 2}),
            (std::vector<std::uint8_t>{0, 1}));
}

TEST(HostRoute, DeviceFunctionsOfCuda) {
  const Callback callback(R"(__constant__ float table[2] = {1, 2};
      __device__ __forceinline__ inline float twice(float x) { return 2 * x; }
      __device__ __noinline__ float f(float x) {
        float s, c;
        sincosf(x, &s, &c);
        return twice(s * s + c * c) + rsqrtf(4.0f) + __int_as_float(__float_as_int(x)) + sinpi(1.0f) + min(3, 4u) +
               fmaxf(1.0f, NAN) + __popc(7) + __clz(1) + __float2int_rn(2.5f) + __saturatef(7.0f) + table[1];
      })");
  const auto out = map<float>(callback.with_entry("f"), Floats{0.25f});
  EXPECT_NEAR(out[0], 2 + 0.5f + 0.25f + 3 + 1 + 3 + 31 + 2 + 1 + 2, 1e-5);
}

TEST(HostRoute, NormsOfInfinitiesAndNaN) {
  const double infinity = INFINITY;
  const std::string of_x = "__device__ double f(double x) { return ";
  EXPECT_EQ(map<double>(of_x + "norm3d(x, 1, 1); }", std::vector<double>{infinity, -infinity}),
            (std::vector<double>{infinity, infinity}));
  EXPECT_EQ(map<double>(of_x + "rnorm3d(1, x, 0); }", std::vector<double>{infinity, 0x1p900}),
            (std::vector<double>{0, 0x1p-900}));
  EXPECT_TRUE(std::isnan(map<double>(of_x + "norm3d(0, 0, x); }", std::vector<double>{NAN})[0]));
  const std::string of_float = "__device__ float f(float x) { return ";
  EXPECT_EQ(map<float>(of_float + "norm3df(x, 2 * x, 2 * x); }", Floats{1, 0x1p100f, 0x1p-140f, INFINITY}),
            (Floats{3, 0x3p100f, 0x3p-140f, INFINITY}));
  EXPECT_EQ(map<float>(of_float + "rnorm3df(x, 2 * x, 2 * x); }", Floats{1, INFINITY}), (Floats{1.0f / 3, 0}));
  EXPECT_EQ(map<float>(of_float + "norm4df(x, x, x, x); }", Floats{1.5f, 0x1p126f}), (Floats{3, 0x1p127f}));
}

// NaN becomes 0 only if the source is narrower than a double and the result is narrower than 64 bits.
TEST(HostRoute, IntegersOfNaN) {
  const Floats floats = {NAN, INFINITY, -2.5f};
  const std::vector<double> doubles = {NAN, INFINITY, -2.5};
  using Ints = std::vector<int>;
  using Longs = std::vector<long long>;
  using Unsigned = std::vector<unsigned>;
  using UnsignedLongs = std::vector<unsigned long long>;
  const auto of_float = [](std::string type, std::string call) {
    return "__device__ " + type + " f(float x) { return " + call + "; }";
  };
  const auto of_double = [](std::string type, std::string call) {
    return "__device__ " + type + " f(double x) { return " + call + "; }";
  };
  EXPECT_EQ(map<int>(of_float("int", "__float2int_rn(x)"), floats), (Ints{0, INT_MAX, -2}));
  EXPECT_EQ(map<unsigned>(of_float("unsigned", "__float2uint_rz(x)"), floats), (Unsigned{0, UINT_MAX, 0}));
  EXPECT_EQ(map<long long>(of_float("long long", "__float2ll_rd(x)"), floats), (Longs{LLONG_MIN, LLONG_MAX, -3}));
  EXPECT_EQ(map<unsigned long long>(of_float("unsigned long long", "__float2ull_ru(x)"), floats),
            (UnsignedLongs{1ull << 63, ULLONG_MAX, 0}));
  EXPECT_EQ(map<int>(of_double("int", "__double2int_ru(x)"), doubles), (Ints{INT_MIN, INT_MAX, -2}));
  EXPECT_EQ(map<unsigned>(of_double("unsigned", "__double2uint_rn(x)"), doubles), (Unsigned{1u << 31, UINT_MAX, 0}));
  EXPECT_EQ(map<long long>(of_double("long long", "__double2ll_rz(x)"), doubles), (Longs{LLONG_MIN, LLONG_MAX, -2}));
  const std::string with_halves = "#include <cuda_fp16.h>\n";
  EXPECT_EQ(map<int>(with_halves + of_float("int", "__half2int_rn(__float2half(x))"), floats), (Ints{0, INT_MAX, -2}));
  EXPECT_EQ(map<long long>(with_halves + of_float("long long", "__half2ll_rd(__float2half(x))"), floats),
            (Longs{LLONG_MIN, LLONG_MAX, -3}));
}

TEST(HostRoute, DotProductsWrap) {
  const auto of_sum = [](std::string call) {
    return map<int>("__device__ int f(int sum) { return " + call + "; }", std::vector<int>{INT_MAX, -7});
  };
  const std::string bytes = "make_char4(-128, -128, 3, -4)";
  EXPECT_EQ(of_sum("__dp4a(" + bytes + ", " + bytes + ", sum)"), (std::vector<int>{INT_MIN + 32792, 32786}));
  EXPECT_EQ(of_sum("__dp4a((int)0xfc038080, (int)0xfc038080, sum)"), (std::vector<int>{INT_MIN + 32792, 32786}));
  const std::string words = "make_short2(-32768, 5)";
  EXPECT_EQ(of_sum("__dp2a_lo(" + words + ", " + bytes + ", sum)"), (std::vector<int>{INT_MIN + 4193663, 4193657}));
  EXPECT_EQ(of_sum("__dp2a_hi(" + words + ", " + bytes + ", sum)"), (std::vector<int>{INT_MAX - 98324, -98331}));
  EXPECT_EQ(of_sum("__dp2a_hi(0x00058000, (int)0xfc038080, sum)"), (std::vector<int>{INT_MAX - 98324, -98331}));
  const std::vector<unsigned> sums = {UINT_MAX, 7};
  EXPECT_EQ(map<unsigned>("__device__ unsigned f(unsigned sum) { return __dp2a_lo(make_ushort2(65535, 2), "
                          "make_uchar4(255, 3, 0, 0), sum); }",
                          sums),
            (std::vector<unsigned>{65535 * 255 + 5, 65535 * 255 + 13}));
}

TEST(HostRoute, MultiplyAndAddAreNotContracted) {
  const float x = 1.0f + 0x1p-12f;
  EXPECT_EQ(map<float>("__device__ float f(float x) { return x * x - 1.0f; }", Floats{x})[0],
            static_cast<float>(x * x) - 1.0f);
}

// The C library declares functions with these names. They must not become overloads of the callback.
TEST(HostRoute, CallbackMayHaveANameOfTheCLibrary) {
  for (const char* name : {"select", "index", "gamma", "random"})
    EXPECT_EQ(map<float>(std::string("__device__ float ") + name + "(float x) { return x + 1; }", Floats{1}),
              Floats{2});
}

// The math header of libstdc++ 13 includes <bit>, and so do graft's replacements for headers of C++20. graft's own
// parts of these headers must wait until host.h has defined __host__.
TEST(HostRoute, TheCompilersMathHeaderMayIncludeOtherHeaders) {
  const base::TemporaryFolder folder;
  const std::filesystem::path wrapper = folder.path() / "c++";
  const std::string_view script =
      "#!/bin/sh\nexec c++ -include bit -include span -include numbers -include type_traits \"$@\"\n";
  ASSERT_TRUE(base::write_file(wrapper, base::as_bytes(script)));
  std::filesystem::permissions(wrapper, std::filesystem::perms::owner_all);
  compile::Toolbox compiler({}, wrapper, 0);
  const std::string source =
      "#include <bit>\n#include <numbers>\n#include <span>\n"
      "__device__ float f(float x) { const unsigned n = std::bit_cast<unsigned>(x);\n"
      "  return std::span<const unsigned>(&n, 1)[0] + std::numbers::pi_v<float> * std::popcount(n); }";
  Options options;
  options.routes.required = Route::Host;
  for (const CppStandard standard : {CppStandard::Cpp17, CppStandard::Cpp20}) {
    options.standard = standard;
    for (const std::string& text : {std::string(kRelu), source})
      EXPECT_NO_THROW(build_image({text}, std::nullopt, options, compiler)) << text;
  }
}

TEST(HostRoute, PrintfReachesStandardOutput) {
  testing::internal::CaptureStdout();
  map<int>(R"(__device__ int f(int x) { printf("x = %d\n", x); return x; })", std::vector<int>{1, 2});
  std::fflush(stdout);
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "x = 1\nx = 2\n");
}

TEST(HostRoute, HeadersDefinesAndOverloads) {
  Options options;
  options.headers = {{"my/gain.h", "inline __device__ float gain() { return GAIN; }\n"}};
  options.defines = {{"GAIN", "3.0f"}};
  const Callback callback = Callback(
                                "#include \"my/gain.h\"\n__device__ float f(float x) { return gain() * x; }\n"
                                "__device__ double f(double x) { return x; }")
                                .with_entry("f")
                                .with_signature("float(float)");
  const Floats in = {1, 2};
  Floats out(2);
  Runner(callback, options).in(in).out(out).run();
  EXPECT_EQ(out, (Floats{3, 6}));
}

TEST(HostRoute, CompileErrorNamesTheUsersFileAndLine) {
  const Callback callback = Callback::source("__device__ float f(float x) {\n  return y;\n}", "my.cu");
  const Error error = error_of([&] { build(callback); });
  EXPECT_EQ(error.code(), ErrorCode::CompileFailed);
  EXPECT_EQ(error.message(), "my.cu does not compile: line 2");
  EXPECT_EQ(error.log().find("graft/"), std::string::npos) << error.log();
  EXPECT_NE(error.log().find("my.cu:2:"), std::string::npos) << error.log();
}

TEST(HostRoute, RefusalsAndMismatches) {
  Error error = error_of([] { build("__device__ float f(float x, float* p) { return x + *p; }"); });
  EXPECT_EQ(error.code(), ErrorCode::UnsupportedParameter);
  EXPECT_NE(error.message().find("parameter 2 (float*)"), std::string::npos) << error.message();
  error = error_of([] { build(Callback(kRelu).with_signature("float(int)")); });
  EXPECT_EQ(error.code(), ErrorCode::SignatureMismatch);
  error = error_of([] { build(Callback(kRelu).with_signature("float(Unknown)")); });
  EXPECT_EQ(error.code(), ErrorCode::SignatureMismatch) << error.what();
  error = error_of([] { build(Callback("#define MACRO(x) x\nMACRO(int i;)\n").with_entry("missing")); });
  EXPECT_EQ(error.code(), ErrorCode::NoSuchEntry) << error.what();
}

// The assembler reports the user's line. The compiler's warnings about graft's lines are not part of the log.
TEST(HostRoute, InlinePtxIsAnErrorOfItsLine) {
  const Error error = error_of([] {
    build("__device__ int f(int x) {\n  int y;\n  asm(\"add.s32 %0, %1, 1;\" : \"=r\"(y) : \"r\"(x));\n  return y;\n}");
  });
  EXPECT_EQ(error.code(), ErrorCode::CompileFailed) << error.what();
  EXPECT_EQ(error.message(), "callback.cu does not compile: line 3");
  EXPECT_EQ(error.log().find("graft/"), std::string::npos) << error.log();
  EXPECT_NE(error.remedy().find("Inline PTX is for GPUs"), std::string::npos) << error.remedy();
}

TEST(HostRoute, AnUndefinedFunctionIsAnErrorOfTheBuild) {
  const Error error = error_of([] { build("float other(float);\n__device__ float f(float x) { return other(x); }"); });
  EXPECT_EQ(error.code(), ErrorCode::CompileFailed);
  EXPECT_NE(std::string(error.what()).find("other"), std::string::npos) << error.what();
}

TEST(HostKernel, RefusesForeignBytes) {
  const std::vector<std::byte> bytes(100, std::byte{7});
  const Error error = error_of([&] { launch::HostKernel kernel(bytes); });
  EXPECT_EQ(error.code(), ErrorCode::DriverFailed);
}

// The host route and the GPU route must find exactly the same signature in the same source.
class SameSignature : public testing::TestWithParam<const char*> {};

TEST_P(SameSignature, OnHostAndGpu) {
  std::string why;
  if (!tools().toolkit().nvrtc(why)) GTEST_SKIP() << why;
  const Signature gpu = build_image({GetParam()}, Architecture{90}, {}, tools()).report.kernel.signature;
  const Signature host = build(GetParam()).report.kernel.signature;
  EXPECT_EQ(host, gpu);
  EXPECT_EQ(host.text(), gpu.text());
  EXPECT_EQ(host.describe(), gpu.describe());
}

INSTANTIATE_TEST_SUITE_P(
    Sources, SameSignature,
    testing::Values(
        kRelu, "[](float x, int y) { return x * y; }", "[](graft::InOut<float> x, int y) { x += y; }",
        "struct P { float x, v; }; __device__ float f(float a, graft::InOut<P> p, double& d) { p.v = a; return d = a; "
        "}",
        "__device__ void f(float a, float& b, double& c) { b = a; c = a; }",
        "struct S { char c; double d; }; __device__ double f(graft::Index i, const S& s) { return s.d * i; }",
        "namespace n { struct Rgb { uint8_t r, g, b; }; __device__ uint8_t f(Rgb c) { return c.r; } }",
        "__device__ __half f(__half x, __nv_bfloat16 y) { return x; }",
        "__device__ graft::complex<double> f(float2 x, double2 y) { return {x.x, y.y}; }",
        "template <class T, int N> struct V { T v[N]; }; __device__ V<short, 3> f(V<float, 4> v) { return {}; }",
        "enum class E : short { A }; __device__ E f(bool b, char c, wchar_t w, long long l, unsigned long u) { return "
        "E::A; }",
        "__device__ char4 f(char2 a, uchar3 b, short4 c, int2 d, uint3 e, long2 g, ulonglong2 h) { return {}; }",
        "__device__ float4 f(float3 a, double3 b, ushort3 c, longlong3 d, long4_16a g, double4_32a h) { return {}; }",
        "namespace { struct Hidden { int i; }; } __device__ int f(Hidden h) noexcept { return h.i; }"));

// The C library declares functions with these names, and g++ and clang have builtins for them. A callback that defines
// such a function must call its own definition.
TEST(HostRoute, AFunctionOfTheCallbacksIsItsOwn) {
  for (const char* source :
       {"__device__ float sinf(float x) { return x * 10; }", "__device__ float fabsf(float x) { return x * 10; }",
        "extern \"C\" __device__ float erff(float x) { return x * 10; }",
        "__device__ __noinline__ float tanf(float x) { return x * 10; }",
        "__device__ float sqrtf(float x) { return x * 10; }\n"
        "__device__ float entry(float x) { return sqrtf(x) + sqrtf(0.25f) - 2.5f; }"}) {
    Options options;
    if (std::string_view(source).find("entry") != std::string_view::npos) options.entry = "entry";
    const std::vector<float> in = {-1, 2, 3};
    std::vector<float> out(3);
    Runner(source, options).in(in).out(out).run();
    EXPECT_EQ(out, (std::vector<float>{-10, 20, 30})) << source;
  }
}

TEST(HostRoute, SaysWhichOptionsHaveNoEffect) {
  Options options;
  EXPECT_TRUE(build(kRelu, options).report.notes.empty());
  options.floating_point.contraction = false;
  EXPECT_TRUE(build(kRelu, options).report.notes.empty())
      << "the host compiler never contracts, so this option needs no note";
  options.floating_point.fast_math = true;
  options.max_registers = 32;
  options.compiler_options = {"-w", "--diag-error=20", "-default-device"};
  options.policy.vector_width = 2;
  const std::vector<std::string> notes = build(kRelu, options).report.notes;
  ASSERT_EQ(notes.size(), 4u);
  EXPECT_EQ(notes[0], "Options::floating_point has no effect on the host route");
  EXPECT_EQ(notes[1], "Options::max_registers has no effect on the host route");
  EXPECT_EQ(notes[2], "the compiler option --diag-error=20 has no effect on the host route");
  EXPECT_EQ(notes[3], "Options::policy.vector_width has no effect on the host route");
}

}  // namespace
}  // namespace graft::routes
