// Tests the toolkit's headers in callbacks. In version 0.1, callbacks that include <cuda/std/...>, <cuda/atomic>,
// cooperative groups, cuRAND or CUB did not compile, because graft defined int64_t as a different type than CCCL does.
#include <gtest/gtest.h>

#include <string>

#include "support/compile.hpp"
#include "support/rotation.hpp"
#include "support/routes.hpp"

namespace graft::test {
namespace {

struct ToolkitHeader {
  const char* name;
  const char* text;
};

constexpr ToolkitHeader kToolkitHeaders[] = {
    {"array",
     "#include <cuda/std/array>\n__device__ float f(float x) { cuda::std::array<float, 3> a{x, 1, 2}; return a[0] + "
     "a.back(); }"},
    {"complex",
     "#include <cuda/std/complex>\n__device__ cuda::std::complex<float> f(cuda::std::complex<float> z) { return z * z; "
     "}"},
    {"cstdint",
     "#include <cuda/std/cstdint>\n__device__ cuda::std::int64_t f(int64_t x, uintptr_t y) { return x + (intptr_t)y; "
     "}"},
    {"limits",
     "#include <cuda/std/limits>\n__device__ float f(float x) { return x + cuda::std::numeric_limits<float>::max(); }"},
    {"mdspan",
     "#include <cuda/std/mdspan>\nstruct S { float* p; };\n__device__ float f(int i, const S& s) {\n"
     "  return cuda::std::mdspan<float, cuda::std::extents<int, 4, 4>>(s.p)(i, 1);\n}"},
    {"utility",
     "#include <cuda/std/utility>\n__device__ float f(float x) { return cuda::std::make_pair(x, 2).first; }"},
    {"type_traits",
     "#include <cuda/std/type_traits>\n__device__ float f(float x) { "
     "static_assert(cuda::std::is_same_v<cuda::std::remove_cv_t<const "
     "float>, float>); return x; }"},
    {"tuple",
     "#include <cuda/std/tuple>\n__device__ float f(float x) { return cuda::std::get<0>(cuda::std::make_tuple(x, 1)); "
     "}"},
    {"span",
     "#include <cuda/std/span>\nstruct S { float* p; int n; };\n__device__ float f(int i, const S& s) { return "
     "cuda::std::span<float>(s.p, s.n)[i]; }"},
    {"bit", "#include <cuda/std/bit>\n__device__ int f(uint64_t x) { return cuda::std::popcount(x); }"},
    {"cmath",
     "#include <cuda/std/cmath>\n__device__ float f(float x) { return cuda::std::sin(x) + cuda::std::abs(x); }"},
    {"atomic",
     "#include <cuda/atomic>\n__device__ int hits;\n__device__ float f(float x) {\n"
     "  cuda::atomic_ref<int, cuda::thread_scope_device>(hits).fetch_add(1);\n  return x;\n}"},
    {"cooperative_groups",
     "#include <cooperative_groups.h>\n__device__ float f(float x) { return x + "
     "cooperative_groups::this_thread_block().thread_rank(); }"},
    {"curand_kernel",
     "#include <curand_kernel.h>\n__device__ float f(float x, graft::Index i) {\n  curandStatePhilox4_32_10_t s;\n"
     "  curand_init(7, i, 0, &s);\n  return x + curand_uniform(&s);\n}"},
    {"cub_warp",
     "#include <cub/warp/warp_reduce.cuh>\n__device__ float f(float x) { return x + "
     "sizeof(cub::WarpReduce<float>::TempStorage); }"},
    {"cub_thread",
     "#include <cub/thread/thread_operators.cuh>\n#include <cub/thread/thread_reduce.cuh>\n"
     "__device__ int f(int x) { int a[2] = {x, 3}; return cub::ThreadReduce(a, ::cuda::maximum<>{}); }"},
    {"cub_thread_search",
     "#include <cub/thread/thread_search.cuh>\nstruct S { const float* table; int count; };\n"
     "__device__ int f(float x, const S& s) { return cub::LowerBound(s.table, s.count, x); }"},
};

class ToolkitHeaders : public testing::TestWithParam<ToolkitHeader> {};

TEST_P(ToolkitHeaders, CompileOnEveryGpuRouteThatCompilesSource) {
  if (!has_cccl()) GTEST_SKIP() << "this toolkit has no CCCL headers";
  for (const Route route : in_turn(kGpuRoutes, row_of_test())) {
    SCOPED_TRACE(testing::Message() << name(route) << ", " << rotation_text());
    Options options = by(route);
    options.allow_thread_words = true;  // for this_thread_block() of cooperative groups
    const Report report = build(GetParam().text, Architecture(90), options).report();
    EXPECT_EQ(report.kernel.route, route);
    EXPECT_EQ(report.compiler_log, "");
  }
}

INSTANTIATE_TEST_SUITE_P(Headers, ToolkitHeaders, testing::ValuesIn(kToolkitHeaders),
                         [](const auto& row) { return std::string(row.param.name); });

TEST(ToolkitHeaders, InAPartOfAChainInAPackAndInALambda) {
  if (!has_cccl()) GTEST_SKIP() << "this toolkit has no CCCL headers";
  const Callback part = kToolkitHeaders[0].text;
  EXPECT_EQ(build(chain(part, kToolkitHeaders[3].text), Architecture(90)).signature().text(), "float(float)");
  EXPECT_FALSE(part.precompile({90}).empty());
  EXPECT_FALSE(part.precompile({90}, PrecompileFormat::LtoIr).empty());
  const Callback lambda = "#include <cuda/std/cmath>\n[](float x) { return cuda::std::sin(x); }";
  EXPECT_EQ(build(lambda, Architecture(90)).signature().text(), "float(float)");
}

// Includes graft's own headers and CCCL's in either order. Both orders must give the same values and no compiler
// message.
TEST(ToolkitHeaders, StandAtGraftsOwnHeadersSide) {
  if (!has_cccl()) GTEST_SKIP() << "this toolkit has no CCCL headers";
  const std::string checks =
      "static_assert(INT8_MIN == -128 && INT16_MAX == 32767 && INT32_MIN < 0 && UINT32_MAX == 4294967295u);\n"
      "static_assert(INT64_MAX == 9223372036854775807ll && UINT64_MAX + 1 == 0 && INT64_MIN < 0);\n"
      "__device__ std::int64_t f(cuda::std::int64_t x) { return x; }";
  for (const std::string includes :
       {"#include <cstdint>\n#include <cuda/std/cstdint>\n", "#include <cuda/std/cstdint>\n#include <cstdint>\n"}) {
    const Report report = build(includes + checks, Architecture(90)).report();
    EXPECT_EQ(report.compiler_log, "") << includes;
    EXPECT_EQ(report.kernel.signature.text(), "long long(long long)");
  }
}

TEST(ToolkitHeaders, TheErrorOfThrustsComplexNamesTheOneToUse) {
  if (!has_cccl()) GTEST_SKIP() << "this toolkit has no CCCL headers";
  const Error error = error_of([] {
    build("#include <thrust/complex.h>\n__device__ float f(thrust::complex<float> z) { return z.real(); }",
          Architecture(90));
  });
  EXPECT_EQ(error.code(), ErrorCode::CompileFailed);
  EXPECT_NE(error.remedy().find("cuda::std::complex"), std::string::npos) << error.what();
}

}  // namespace
}  // namespace graft::test
