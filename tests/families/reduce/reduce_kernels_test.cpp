// Tests the kernels of reductions without a GPU: they keep accumulators of up to 32 bytes in registers.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <memory>
#include <string>
#include <vector>

#include "core/image_data.hpp"
#include "families/reduce/job.hpp"
#include "families/reduce/kernels.hpp"
#include "graft/graft.hpp"
#include "routes/builder.hpp"
#include "support/compile.hpp"

namespace graft::test {
namespace {

ReduceCallbacks parts_of(const Callback& text, bool finishes) {
  ReduceCallbacks callbacks{.map = text.with_entry("one"), .combine = text.with_entry("join")};
  if (finishes) callbacks.finish = text.with_entry("out");
  return callbacks;
}

std::vector<ReduceCallbacks> reductions() {
  const char* const add = "__device__ float add(float a, float b) { return a + b; }";
  return {
      {.map = "__device__ float square(float x) { return x * x; }", .combine = add},
      {.map = "#include <cuda_fp16.h>\n__device__ float wide(__half x) { return x; }", .combine = add},
      {.map = "__device__ int wide(signed char x) { return x; }",
       .combine = "__device__ int add(int a, int b) { return a + b; }"},
      {.map = "__device__ double f(double x, float y, unsigned char z) { return x * y * z; }",
       .combine = "__device__ double f(double a, double b) { return a < b ? b : a; }"},
      parts_of("struct B { float v; unsigned int unused; unsigned long long i; };\n"
               "__device__ B one(float x, graft::Index i) { return {x, 0, i}; }\n"
               "__device__ B join(B a, B b) { return b.v > a.v || (b.v == a.v && b.i < a.i) ? b : a; }\n"
               "__device__ unsigned long long out(B a) { return a.i; }\n",
               true),
      parts_of("struct W { double of[4]; };\n"
               "__device__ W one(signed char x) { return {double(x), 1, 2, 3}; }\n"
               "__device__ W join(W a, W b) { for (int i = 0; i < 4; ++i) a.of[i] += b.of[i]; return a; }\n"
               "__device__ void out(W a, double& x, double& y) { x = a.of[0]; y = a.of[3]; }\n",
               true),
  };
}

// Texts for exactly the types of callbacks and the templates make kernels of one signature and of the same size.
TEST(ReduceKernels, ExactTextsMakeTheKernelOfTheTemplates) {
  const Options options;
  const auto same = [&](const ReduceCallbacks& exact, const ReduceCallbacks& general) {
    const Image a = build(exact, Architecture(90), options).front(),
                b = build(general, Architecture(90), options).front();
    EXPECT_EQ(a.report().source.find("graft/adapter.h"), std::string::npos) << a.report().source;
    EXPECT_NE(b.report().source.find("graft/adapter.h"), std::string::npos);
    EXPECT_EQ(a.signature(), b.signature()) << a.signature().text() << " and " << b.signature().text();
    EXPECT_EQ(a.report().resources.registers, b.report().resources.registers);
    EXPECT_EQ(a.report().resources.local_bytes, 0u);
  };
  // A name of the callback's own for a type is one that the templates read.
  const char* const add = "__device__ float add(float a, float b) { return a + b; }";
  const char* const add_own = "using F = float; __device__ F add(F a, F b) { return a + b; }";
  same({.combine = add}, {.combine = add_own});
  same({.map = "__device__ float f(float x) { return x * x; }", .combine = add},
       {.map = "__device__ float f(float x) { return x * x; }", .combine = add_own});
  same({.map = "__device__ float f(signed char x, graft::Index i) { return x * float(i); }", .combine = add},
       {.map = "__device__ float f(signed char x, graft::Index i) { return x * float(i); }", .combine = add_own});
  same({.map = "#include <cuda_fp16.h>\n__device__ float f(__half x) { return x; }",
        .combine = add,
        .finish = "__device__ double f(float a) { return a; }"},
       {.map = "#include <cuda_fp16.h>\n__device__ float f(__half x) { return x; }",
        .combine = add_own,
        .finish = "__device__ double f(float a) { return a; }"});
  same({.combine = "__device__ double2 f(double2 a, double2 b) { return {a.x + b.x, a.y + b.y}; }"},
       {.combine = "using D = double2; __device__ D f(D a, D b) { return {a.x + b.x, a.y + b.y}; }"});
}

TEST(ReduceKernels, KeepAccumulatorsInRegisters) {
  for (const ReduceCallbacks& callbacks : reductions()) {
    families::Job job = families::reduce::job_of(callbacks);
    job.methods = families::reduce::methods_for_any_shape();
    for (const std::string& method : families::reduce::methods_for_segments()) job.methods.push_back(method);
    for (const Step& step : families::reduce::schedule_of(job, false).kernels)
      for (const int architecture : {75, 90, 100}) {
        std::string why;
        SCOPED_TRACE(fmt::format("{} on sm_{}: {}",
                                 name(families::reduce::read_request(step.request, why).value().kind), architecture,
                                 callbacks.combine.text()));
        const Image image = Image::Data::image(
            std::make_shared<Image::Data>(routes::build_image(step, Architecture(architecture), {}, toolbox())));
        EXPECT_EQ(image.report().resources.local_bytes, 0u) << image.report().to_text();
      }
  }
}

}  // namespace
}  // namespace graft::test
