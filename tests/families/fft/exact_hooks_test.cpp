// Tests that programs without the adapter's templates are made for the callbacks that allow it, with the signature that
// the compiler reads from the templates, and that they are compiled once.
#include "families/fft/exact_hooks.hpp"

#include <gtest/gtest.h>

#include <ostream>
#include <string>

#include "compile/device_compile.hpp"
#include "compile/open_tools.hpp"
#include "families/fft/job.hpp"
#include "families/fft/request.hpp"
#include "families/registry.hpp"
#include "graft/graft.hpp"
#include "support/compile.hpp"
#include "support/routes.hpp"

namespace graft::test {
namespace {

namespace fft = families::fft;

struct Row {
  const char* name;
  const char* load = nullptr;
  const char* between = nullptr;
  const char* store = nullptr;
  const char* chained = nullptr;  // behind each of them
  bool is_exact = true;
  FftPrecision precision = FftPrecision::F32;
  FftKind kind = FftKind::Complex;
  FftDirections directions = FftDirections::Both;
};

void PrintTo(const Row& row, std::ostream* out) {
  *out << row.name;
}

constexpr const char* kCufftStore =
    "__device__ void st(void* d, unsigned long long o, float2 v, void* i, void* s) { ((float*)d)[o] = v.x; }";

const Row kRows[] = {
    {.name = "Cufft",
     .load = "__device__ float2 l(void* d, unsigned long long o, void* i, void* s) { return ((float2*)d)[o]; }",
     .store = kCufftStore},
    {.name = "CufftOfSizesAndAliases",
     .load = "#include <cufftXt.h>\n__device__ cufftComplex l(void* d, size_t at, void*, void*) { return "
             "((cufftComplex*)d)[at]; }",
     .store = "__device__ void st(void* d, const unsigned long o, const cuFloatComplex v, void*, void*) "
              "{ ((float*)d)[o] = v.y; }\n"},
    {.name = "CufftDouble",
     .load = "__device__ double2 l(void* d, unsigned long long o, void* i, void* s) { return ((double2*)d)[o]; }",
     .precision = FftPrecision::F64},
    {.name = "Load", .load = "__device__ float2 l(float2 x) { return {2 * x.x, x.y}; }"},
    {.name = "LoadOfSeveral",
     .load = "__device__ graft::complex<float> l(graft::Index i, int16_t x, float w) { return {x * w, float(i)}; }"},
    {.name = "LoadWithoutArrays",
     .load = "__device__ float2 l(graft::Index i) { return {float(i), 1}; }",
     .is_exact = true},
    {.name = "LoadOfHalf",
     .load = "#include <cuda_fp16.h>\n__device__ float2 l(half x) { return {__half2float(x), 0}; }"},
    {.name = "Store", .store = "__device__ float st(float2 v, float w) { return v.x * v.x + v.y * w; }"},
    {.name = "StoreOfVectors", .store = "__device__ float4 st(float2 v, float3 b) { return {v.x, v.y, b.x, b.z}; }"},
    {.name = "Between", .between = "__device__ float2 m(float2 v, graft::Index i) { return {v.x * (i < 9), v.y}; }"},
    {.name = "All",
     .load = "__device__ float2 l(float x) { return {x, 0}; }",
     .between = "__device__ graft::complex<float> m(float2 v) { return {v.y, v.x}; }",
     .store =
         "__device__ float2 st(graft::complex<float> v, float2 b, graft::Index i) { return {v.re + b.x, float(i)}; }"},
    {.name = "OfDouble",
     .load = "__device__ double2 l(float x) { return {x, 0}; }",
     .store = "__device__ float st(double2 v) { return v.x; }",
     .precision = FftPrecision::F64},
    {.name = "SameNamesAndMacros",
     .load = "#define x y\n#define global 7\nstruct P { int graft; };\n__device__ float2 f(float2 v) { return v; }",
     .store =
         "#define float2 int2\nstruct P { float b; };\n#undef float2\n__device__ float f(float2 v) { return v.y; }"},
    {.name = "RealCufft",
     .load = "__device__ float l(void* d, unsigned long long o, void* i, void* s) { return ((short*)d)[o]; }",
     .store = kCufftStore,
     .kind = FftKind::Real,
     .directions = FftDirections::Forward},
    {.name = "RealInverse",
     .load = "__device__ float2 l(graft::complex<float> v) { return {v.re, v.im}; }",
     .store = "__device__ int16_t st(float v, float w, graft::Index i) { return v * w + i; }",
     .kind = FftKind::Real,
     .directions = FftDirections::Inverse},
    {.name = "RealInverseCufft",
     .store = "__device__ void st(void* d, size_t o, double v, void*, void*) { ((float*)d)[o] = v; }",
     .precision = FftPrecision::F64,
     .kind = FftKind::Real,
     .directions = FftDirections::Inverse},
    {.name = "RealFilter",
     .load = "__device__ double l(int16_t v) { return v; }",
     .between = "__device__ double2 m(double2 v, graft::Index k) { return {v.x * k, v.y * k}; }",
     .store = "__device__ float st(double v) { return v; }",
     .precision = FftPrecision::F64,
     .kind = FftKind::Real},
    {.name = "RealState",
     .load = "struct S { float a; }; __device__ float l(float v, const S& s) { return s.a * v; }",
     .is_exact = false,
     .kind = FftKind::Real,
     .directions = FftDirections::Forward},
    {.name = "State",
     .load = "struct S { float a; }; __device__ float2 l(float2 v, const S& s) { return {s.a, v.x}; }",
     .is_exact = false},
    {.name = "OutputByReference", .store = "__device__ void st(float2 v, float& o) { o = v.x; }", .is_exact = false},
    {.name = "Selective",
     .store = "__device__ graft::Store st(float2 v, float& o) { o = v.x; return graft::Store(v.y > 0); }",
     .is_exact = false},
    {.name = "OwnPoint", .load = "struct P { float re, im; }; __device__ P l(P p) { return p; }", .is_exact = false},
    {.name = "Lambda", .load = "[](float2 v) { return v; }", .is_exact = false},
    {.name = "Template", .load = "template <class T> __device__ T l(T v) { return v; }", .is_exact = false},
    {.name = "ChainAtLoad",
     .load = "__device__ float2 l(float2 v) { return {v.y, v.x}; }",
     .chained = "__device__ float2 m(float2 v) { return {2 * v.x, 3 * v.y}; }",
     .is_exact = false},
    {.name = "ChainBetween",
     .between = "__device__ float2 l(float2 v) { return {v.y, v.x}; }",
     .chained = "__device__ float2 m(float2 v) { return {2 * v.x, 3 * v.y}; }",
     .is_exact = false},
    {.name = "ChainAtStore",
     .load = "__device__ float2 m(float2 v) { return {2 * v.x, 3 * v.y}; }",
     .store = "__device__ float2 l(float2 v) { return {v.y, v.x}; }",
     .chained = "__device__ float2 m(float2 v) { return {2 * v.x, 3 * v.y}; }",
     .is_exact = false},
    {.name = "NamedLikeCudas", .load = "__device__ float2 max(float2 v) { return v; }", .is_exact = false},
};

class ExactHooks : public testing::TestWithParam<Row> {
 protected:
  static FftCallbacks callbacks() {
    const auto callback = [](const char* text) {
      if (text == nullptr) return std::optional<Callback>();
      const Callback source(text);
      if (GetParam().chained != nullptr && source != Callback(GetParam().chained))
        return std::optional(chain(source, GetParam().chained));
      return std::optional(std::string_view(text).starts_with("template") ? source.with_entry("l<float2>") : source);
    };
    return {callback(GetParam().load), callback(GetParam().between), callback(GetParam().store)};
  }
  static FftPlan plan() {
    return {
        .length = 60, .precision = GetParam().precision, .directions = GetParam().directions, .kind = GetParam().kind};
  }
};

TEST_P(ExactHooks, HaveTheSignatureThatTheCompilerReads) {
  const Row& row = GetParam();
  for (const Route route : {Route::Program, Route::Lto})
    for (const Image& image : build(plan(), callbacks(), Architecture(90), by(route))) {
      const Report& report = image.report();
      EXPECT_EQ(report.source.find("fft/hooks.h") == std::string::npos, row.is_exact) << report.source;
      EXPECT_TRUE(report.notes.empty()) << report.to_text();
      EXPECT_TRUE(report.inlined()) << report.to_text();
      EXPECT_EQ(report.resources.local_bytes, 0u);
    }

  const families::Schedule schedule = fft::schedule_of(fft::job_of(plan(), callbacks()), Architecture(90));
  const Options options;
  const bool is_inverse = row.directions == FftDirections::Inverse;
  const codegen::SourceProgram program =
      families::prepare_program(is_inverse ? schedule.kernels.back() : schedule.kernels.front(), options);
  fft::KernelRequest request;
  ASSERT_EQ(fft::read(program.request, request), "");
  const std::optional<fft::ExactHooks> hooks = fft::exact_hooks(program, request);
  ASSERT_EQ(hooks.has_value(), row.is_exact);
  if (!hooks) return;
  const compile::OpenTools tools = compile::open_tools({}, toolbox());
  const Signature read = compile::DeviceCompiler(program, Architecture(90), options, tools).signature();
  EXPECT_EQ(hooks->signature.describe(), read.describe());
  EXPECT_EQ(hooks->signature, read);
}

INSTANTIATE_TEST_SUITE_P(Table, ExactHooks, testing::ValuesIn(kRows),
                         [](const auto& row) { return std::string(row.param.name); });

// The type is named like one of CUDA's, and is another.
TEST(ExactHooksOfAMisleadingText, AreReplacedByTheTemplates) {
  const FftCallbacks callbacks = {
      .load = Callback(
          "struct cuComplex { float re, im; };\n"
          "__device__ cuComplex l(void* d, unsigned long long o, void*, void*) { return ((cuComplex*)d)[o]; }")};
  for (const Image& image : build(FftPlan{.length = 64}, callbacks, Architecture(90))) {
    EXPECT_NE(image.report().source.find("fft/hooks.h"), std::string::npos);
    ASSERT_EQ(image.report().notes.size(), 1u) << image.report().to_text();
    EXPECT_EQ(image.report().notes.front(), compile::kCompiledTwice);
  }
}

}  // namespace
}  // namespace graft::test
