// Tests that callbacks that do not fit a slot, and what is no kernel, are refused with both declarations.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/files.hpp"
#include "graft/graft.hpp"
#include "graft/kernel.hpp"
#include "own_kernels/compiled_ahead.hpp"
#include "own_kernels/subjects.hpp"
#include "support/compile.hpp"
#include "support/errors.hpp"

namespace graft {
namespace {

using testing::HasSubstr;

struct Misfit {
  const char* name;
  const char* slot;
  const char* callback;
  ErrorCode code;
  const char* words;
};

const Misfit kMisfits[] = {
    {"Parameter", "metric", "__device__ float f(double a, float b) { return a; }", ErrorCode::SignatureMismatch,
     "parameter 1 is `double`, and the slot passes `float`"},
    {"IntegerForFloat", "metric", "__device__ float f(int a, float b) { return a; }", ErrorCode::SignatureMismatch,
     "parameter 1 is `int`, and the slot passes `float`"},
    {"TooFew", "metric", "__device__ float f(float a) { return a; }", ErrorCode::SignatureMismatch,
     "it takes 1 parameters, and the slot passes 3"},
    {"TooMany", "metric", "struct S { int a; }; __device__ float f(float a, float b, const S& s, int c) { return a; }",
     ErrorCode::SignatureMismatch, "it takes 4 parameters, and the slot passes 3"},
    {"MutableState", "metric", "struct S { int a; }; __device__ float f(float a, float b, S& s) { return a; }",
     ErrorCode::SignatureMismatch, "parameter 3 is `S&`, and the slot passes `const Metric&`"},
    {"WiderResult", "metric", "__device__ double f(float a, float b) { return a; }", ErrorCode::SignatureMismatch,
     "its result is `double` of 8 bytes, and the slot's has 4 bytes"},
    {"NoResult", "metric", "__device__ void f(float a, float b) {}", ErrorCode::SignatureMismatch,
     "its result is `void` of 0 bytes"},
    {"IntegerResult", "metric", "__device__ int f(float a, float b) { return a; }", ErrorCode::SignatureMismatch,
     "its result is `int`, and the slot's is `float`"},
    {"MisspeltSlot", "metrik", "__device__ float f(float a, float b) { return a; }", ErrorCode::NoSuchEntry,
     "neighbours.cu has no slot metrik: it calls and does not define metric(float, float, const Metric&)"},
    {"DoesNotCompile", "metric", "__device__ float f(float a, float b) { return a + c; }", ErrorCode::CompileFailed,
     "identifier \"c\" is undefined"},
};

class SlotMisfits : public testing::TestWithParam<Misfit> {};

TEST_P(SlotMisfits, AreRefused) {
  const Misfit& misfit = GetParam();
  const Error error = test::error_of([&] {
    build(test::kNeighbours.with_slots(), {{misfit.slot, Callback(misfit.callback)}}, Architecture(90));
  });
  EXPECT_EQ(error.code(), misfit.code) << error.what();
  EXPECT_THAT(error.what(), HasSubstr(misfit.words));
  EXPECT_FALSE(error.remedy().empty());
  if (error.code() == ErrorCode::SignatureMismatch) {
    EXPECT_THAT(error.what(), HasSubstr("the slot:      float metric(float, float, const Metric&)"));
    EXPECT_THAT(error.what(), HasSubstr("the callback:  "));
  }
}

INSTANTIATE_TEST_SUITE_P(Table, SlotMisfits, testing::ValuesIn(kMisfits),
                         [](const auto& one) { return std::string(one.param.name); });

TEST(SlotMisfits, OfExternCSlotsAreSeenBySize) {
  const Error error = test::error_of([] {
    build(test::kSaxpy.with_slots(), {{"combine", "__device__ float f(float a, double x, float y) { return a; }"}}, 90);
  });
  EXPECT_EQ(error.code(), ErrorCode::SignatureMismatch) << error.what();
  EXPECT_THAT(error.what(), HasSubstr("parameter 2 is `double` of 8 bytes"));
}

// A reference to a number is no state.
TEST(SlotMisfits, NumbersByReferenceKeepTheirTypes) {
  const KernelCode code =
      "__device__ void m(const float& a, float& r);\nextern \"C\" __global__ void k(float* x) { m(x[0], x[1]); }\n";
  const Error error = test::error_of([&] { build(code, {{"m", "[](const int& a, float& r) { r = a; }"}}, 90); });
  EXPECT_EQ(error.code(), ErrorCode::SignatureMismatch);
  EXPECT_THAT(error.what(), HasSubstr("parameter 1 is `const int&`, and the slot passes `const float&`"));
  build(code, {{"m", "[](const float& a, float& r) { r = a; }"}}, 90);
}

TEST(SlotMisfits, AnEmptySlotIsNamed) {
  const Error error = test::error_of([] { build(test::kNeighbours.with_slots(), {}, 90); });
  EXPECT_EQ(error.code(), ErrorCode::SlotEmpty);
  EXPECT_THAT(error.what(),
              HasSubstr("neighbours.cu calls metric(float, float, const Metric&), and nothing defines it"));
}

TEST(SlotMisfits, ASlotIsFilledOnce) {
  const Error error = test::error_of([] {
    const SlotCallback one = {"metric", "[](float a, float b) { return a; }"};
    build(test::kNeighbours.with_slots(), {one, one}, 90);
  });
  EXPECT_EQ(error.code(), ErrorCode::InvalidArgument);
  EXPECT_THAT(error.what(), HasSubstr("the slot metric of neighbours.cu is filled twice"));
}

TEST(SlotMisfits, CodeWithoutAKernelIsRefused) {
  for (const char* code :
       {"__device__ float f(float x) { return x; }", "template <class T> __global__ void k(T* x) {}"}) {
    const Error error = test::error_of([&] { build(KernelCode(code), {}, 90); });
    EXPECT_EQ(error.code(), ErrorCode::NoSuchEntry) << error.what();
    EXPECT_THAT(error.what(), HasSubstr("kernel.cu has no kernel"));
  }
}

TEST(SlotMisfits, CodeWithoutLtoIrIsRefused) {
  const Callback text = Callback::source("extern \"C\" __global__ void k(float* x) { *x = 1; }", "kernel.cu");
  const KernelCode newer = KernelCode::fatbin(text.precompile({100}, PrecompileFormat::Fatbin));
  EXPECT_EQ(test::error_of([&] { build(newer, {}, 90); }).code(), ErrorCode::ImageRefused);

  const base::TemporaryFolder folder;
  const std::filesystem::path file = folder.path() / "kernel.ptx";
  ASSERT_TRUE(base::write_file(file, text.precompile({90}, PrecompileFormat::Ptx)));
  const Error error = test::error_of([&] { build(KernelCode::file(file), {}, 90); });
  EXPECT_EQ(error.code(), ErrorCode::RouteUnavailable);
  EXPECT_THAT(error.what(),
              HasSubstr("kernel.ptx has no LTO-IR for sm_90, and nothing can be inlined into machine code "
                        "or PTX"));
  EXPECT_EQ(build(KernelCode::file(file), {}, 90, {.routes = {.required = Route::Ptx}}).report().kernel.name, "k");
  ASSERT_TRUE(base::write_file(file, base::as_bytes("define void @f() { ret void }")));
  EXPECT_NE(test::error_of([&] { KernelCode::file(file); }).code(), ErrorCode::SystemFailed);
}

// What the calls do not show: the size of a small integer, and the members of a class. The source has them, and so have
// its packs.
TEST(SlotMisfits, ResultsAreOfExactlyTheSlotsType) {
  struct Row {
    const char *slot, *callback, *fits;
  };
  for (const auto& [slot, callback, fits] : {Row{"bool", "int", "bool"},
                                             {"bool", "unsigned char", "bool"},
                                             {"short", "int", "short"},
                                             {"unsigned char", "char", "unsigned char"},
                                             {"int", "bool", "int"},
                                             {"unsigned int", "int", "unsigned int"},
                                             {"float2", "int2", "float2"},
                                             {"float2", "double", "float2"},
                                             {"long long", "unsigned long long", "long"},
                                             {"const float*", "float*", "const float*"}}) {
    SCOPED_TRACE(std::string(slot) + " by " + callback);
    const std::string type = slot;
    const KernelCode code = "namespace lib { __device__ " + type + " f(int x); }\n" +
                            "extern \"C\" __global__ void k(" + type + "* x) { x[1] = lib::f(threadIdx.x); }\n";
    const auto returning = [](const std::string& result) {
      return Callback("__device__ " + result + " g(int x) { return {}; }");
    };
    for (const KernelCode& one : {code, KernelCode::pack(code.precompile({80}))}) {
      const Error error = test::error_of([&] { build(one, {{"f", returning(callback)}}, 90); });
      EXPECT_EQ(error.code(), ErrorCode::SignatureMismatch);
      EXPECT_THAT(error.what(), HasSubstr("  the slot:      "));
      EXPECT_TRUE(build(one, {{"f", returning(fits)}}, 90).report().inlined());
    }
  }
}

// LTO-IR shows how the calls use the result.
TEST(SlotMisfits, LtoIrShowsHowResultsAreUsed) {
  const Error error = test::error_of([] {
    build(KernelCode::ltoir(test::compiled_ahead(test::kNeighbours)),
          {{"metric", "[](float a, float b) { return 1; }"}}, 90);
  });
  EXPECT_EQ(error.code(), ErrorCode::SignatureMismatch);
  EXPECT_THAT(error.what(), HasSubstr("its result is `int`, and the kernel uses it as a floating-point number"));
}

TEST(SlotMisfits, AStateHasTheRoomOfTheSlots) {
  const KernelCode code =
      "struct alignas(8) Room { char bytes[16]; };\n__device__ float f(float x, const Room& s);\n"
      "extern \"C\" __global__ void k(float* x, const __grid_constant__ Room s) { *x = f(*x, s); }\n";
  const auto with_state = [](const std::string& members, const std::string& alignment = "") {
    return Callback("struct " + alignment + " State { " + members +
                    " };\n"
                    "__device__ float g(float x, const State& s) { return x * s.a; }");
  };
  EXPECT_TRUE(build(code, {{"f", with_state("float a, b[3];")}}, 90).report().inlined());
  for (const Callback& callback : {with_state("float a, b[4];"), with_state("float a;", "alignas(16)")}) {
    const Error error = test::error_of([&] { build(code, {{"f", callback}}, 90); });
    EXPECT_EQ(error.code(), ErrorCode::SignatureMismatch);
    EXPECT_THAT(error.what(), HasSubstr("and the slot's `const Room&` has 16 bytes aligned to 8"));
  }
}

TEST(SlotMisfits, FunctionsThatNothingDefinesAreNamed) {
  const Error helper = test::error_of([] {
    build(test::kNeighbours.with_slots(),
          {{"metric", Callback("namespace my { __device__ float helper(float); }\n"
                               "__device__ float f(float a, float b) { return my::helper(a - b); }")
                          .with_entry("f")}},
          90);
  });
  EXPECT_EQ(helper.code(), ErrorCode::LinkFailed);
  EXPECT_THAT(helper.what(), HasSubstr("nothing defines my::helper(float)"));
  const KernelCode unguarded = KernelCode(
                                   "__device__ float f(float);\nextern __device__ const bool has_f;\n"
                                   "extern \"C\" __global__ void k(float* x) { *x = f(*x); if (has_f) *x += 1; }\n")
                                   .with_optional("f", "has_f");
  EXPECT_THAT(test::error_of([&] { build(unguarded, {}, 90); }).what(), HasSubstr("nothing defines f(float)"));
}

TEST(SlotMisfits, EntriesThatAreNoKernels) {
  const KernelCode code =
      "namespace lib {\ntemplate <class T, int N> __global__ void k(T* x) { *x = N; }\n"
      "__device__ float helper(float x) { return x; }\n}\n";
  const auto refused = [&](const char* entry) {
    return test::error_of([&] { build(code.with_entry(entry), {}, 90); });
  };
  EXPECT_THAT(refused("lib::m<float, 8>").what(), HasSubstr("kernel.cu has no kernel that lib::m<float, 8> names"));
  EXPECT_THAT(refused("lib::k<float>").what(), HasSubstr("has no kernel that lib::k<float> names"));
  const Error helper =
      test::error_of([&] { build(code.with_entry("lib::k<int, 2>").with_entry("lib::helper"), {}, 90); });
  EXPECT_EQ(helper.code(), ErrorCode::NoSuchEntry);
  EXPECT_THAT(helper.what(), HasSubstr("has no kernel that lib::k<int, 2> or lib::helper names"));
  EXPECT_NO_THROW(build(code.with_entry("lib::k<int, 2>"), {}, 90));
}

// A class by value is passed as its members say, which only its header tells.
TEST(SlotMisfits, ClassesByValueAreKnownByTheirHeader) {
  const KernelCode code = KernelCode::source(
      "namespace lib { struct Ray { float3 origin, way; }; __device__ float shade(Ray ray, float t); }\n"
      "extern \"C\" __global__ void k(float* x) {\n"
      "  x[threadIdx.x] = lib::shade({make_float3(x[0], x[1], x[2]), make_float3(0, 0, 1)}, x[3]);\n"
      "}\n",
      "scene.cu");
  constexpr const char* kRay = "#pragma once\nnamespace lib { struct Ray { float3 origin, way; }; }\n";
  for (const char* callback :
       {"__device__ float f(lib::Ray r, float t) { return r.origin.x + t * r.way.x; }",
        "using namespace lib;\n__device__ float f(Ray r, float t) { return r.origin.x; }",
        "template <class R> __device__ float f(R r, float t) { return r.origin.x + t * r.way.x; }"}) {
    SCOPED_TRACE(callback);
    const SlotCallback filled = {"shade", Callback::source(callback, "mine.cu")};
    const Error unknown = test::error_of([&] { build(code, {filled}, 90); });
    EXPECT_EQ(unknown.code(), ErrorCode::UnsupportedParameter);
    EXPECT_THAT(unknown.what(), HasSubstr("the slot lib::shade of scene.cu passes `lib::Ray` (24 bytes) by value, and "
                                          "mine.cu does not define this type"));
    EXPECT_THAT(unknown.remedy(), HasSubstr("KernelCode::with_header"));
    const Error named = test::error_of([&] { build(code.with_header("ray.h", kRay), {filled}, 90); });
    EXPECT_THAT(named.remedy(), HasSubstr("Write #include \"ray.h\" in the callback"));
    const SlotCallback right = {"shade", Callback::source(std::string("#include \"ray.h\"\n") + callback, "mine.cu")};
    EXPECT_TRUE(build(code.with_header("ray.h", kRay), {right}, 90).report().inlined());
  }
  // Other mistakes are what they are.
  for (const char* callback :
       {"struct Ray { float3 a, b; };\n__device__ float f(Ray r, float t) { return y; }",
        "namespace lib { struct Ray { float3 a, b; }; }\n__device__ float f(lib::Ray r, float t) { return m::g(t); }",
        "#include \"hit.h\"\nnamespace m {}\n__device__ float f(float r, float t) { m::Ray q; return t; }",
        "__device__ float f(Ray r, float t) { return t; }\nstruct Ray { float3 a, b; };"}) {
    SCOPED_TRACE(callback);
    const KernelCode with_header =
        code.with_header("hit.h", "struct RayHit { float t; };  // struct Ray is not here\n");
    EXPECT_EQ(test::error_of([&] { build(with_header, {{"shade", callback}}, 90); }).code(), ErrorCode::CompileFailed);
  }
}

TEST(SlotMisfits, ClassesWithCopyConstructorsAreNotPassedByValue) {
  const auto refused = [](const std::string& slot, const std::string& call, const std::string& callback) {
    const std::string include = "#include <cuda_fp16.h>\n";
    const KernelCode code = include + slot + "extern \"C\" __global__ void k(__half2* x, float* y) { " + call + "; }\n";
    return test::error_of([&] { build(code, {{"f", include + callback}}, 90); });
  };
  const Error parameter = refused("__device__ float f(__half2 x);\n", "*y = f(*x)",
                                  "__device__ float g(__half2 x) { return __low2float(x); }");
  EXPECT_EQ(parameter.code(), ErrorCode::UnsupportedParameter);
  EXPECT_THAT(parameter.what(), HasSubstr("parameter 1 is `__half2` by value, which has a copy constructor"));
  const Error result =
      refused("__device__ __half2 f(float x);\n", "*x = f(*y)", "__device__ __half2 g(float x) { return {}; }");
  EXPECT_EQ(result.code(), ErrorCode::UnsupportedParameter);
  EXPECT_THAT(result.what(), HasSubstr("its result `__half2` is a class with a copy constructor"));
}

TEST(SlotMisfits, OptionsOfTransformsAreRefused) {
  const auto code_of_options = [](const Options& options) {
    return test::error_of([&] { build(test::kSaxpy.with_slots(), test::kSaxpy.callbacks(), 90, options); }).code();
  };
  EXPECT_EQ(code_of_options({.entry = "f"}), ErrorCode::InvalidArgument);
  EXPECT_EQ(code_of_options({.shared_bytes = 16}), ErrorCode::InvalidArgument);
  EXPECT_EQ(code_of_options({.routes = {.required = Route::Host}}), ErrorCode::RouteUnavailable);
  EXPECT_EQ(code_of_options({.routes = {.required = Route::Indirect}}), ErrorCode::RouteUnavailable);
}

// A callback may use no barrier unless the author allows it, and the kernel itself may.
TEST(SlotMisfits, ThreadWordsAreTheKernels) {
  const Error error = test::error_of([] {
    build(test::kNeighbours.with_slots(),
          {{"metric", "__device__ float f(float a, float b) { __syncthreads(); return a; }"}}, 90);
  });
  EXPECT_EQ(error.code(), ErrorCode::InvalidArgument);
  EXPECT_THAT(error.what(), HasSubstr("__syncthreads"));
}

}  // namespace
}  // namespace graft
