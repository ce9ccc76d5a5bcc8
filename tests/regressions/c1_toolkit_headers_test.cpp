// C1: callbacks that include <cuda/std/...>, <cuda/atomic>, cooperative groups, cuRAND or CUB did not compile, because
// graft defined int64_t as a different type than CCCL does.
#include <gtest/gtest.h>

#include <string>

#include "scenarios/forms/forms.hpp"
#include "support/compile.hpp"

namespace graft::test {
namespace {

struct Row {
  const char* name;
  const char* text;
};

constexpr Row kHeaders[] = {
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

class ToolkitHeaders : public testing::TestWithParam<Row> {};

TEST_P(ToolkitHeaders, CompileOnEveryGpuRouteThatCompilesSource) {
  if (!has_cccl()) GTEST_SKIP() << "this toolkit has no CCCL headers";
  for (const Route route : {Route::Lto, Route::Program, Route::Ptx, Route::Indirect}) {
    SCOPED_TRACE(name(route));
    Options options = by(route);
    options.allow_thread_words = true;  // for this_thread_block() of cooperative groups
    const Report report = build(GetParam().text, Architecture(90), options).report();
    EXPECT_EQ(report.kernel.route, route);
    EXPECT_EQ(report.compiler_log, "");
  }
}

INSTANTIATE_TEST_SUITE_P(C1, ToolkitHeaders, testing::ValuesIn(kHeaders),
                         [](const auto& row) { return std::string(row.param.name); });

TEST(C1, InAPartOfAChainInAPackAndInALambda) {
  if (!has_cccl()) GTEST_SKIP() << "this toolkit has no CCCL headers";
  const Callback part = kHeaders[0].text;
  EXPECT_EQ(build(chain(part, kHeaders[3].text), Architecture(90)).signature().text(), "float(float)");
  EXPECT_FALSE(part.precompile({90}).empty());
  EXPECT_FALSE(part.precompile({90}, PrecompileFormat::LtoIr).empty());
  const Callback lambda = "#include <cuda/std/cmath>\n[](float x) { return cuda::std::sin(x); }";
  EXPECT_EQ(build(lambda, Architecture(90)).signature().text(), "float(float)");
}

// Includes graft's own headers and CCCL's in either order. Both orders must give the same values and no compiler
// message.
TEST(C1, StandAtGraftsOwnHeadersSide) {
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

TEST(C1, TheErrorOfThrustsComplexNamesTheOneToUse) {
  if (!has_cccl()) GTEST_SKIP() << "this toolkit has no CCCL headers";
  const Error error = error_of([] {
    build("#include <thrust/complex.h>\n__device__ float f(thrust::complex<float> z) { return z.real(); }",
          Architecture(90));
  });
  EXPECT_EQ(error.code(), ErrorCode::CompileFailed);
  EXPECT_NE(error.remedy().find("cuda::std::complex"), std::string::npos) << error.what();
}

// half2 is a class with a copy constructor of its own, so some routes pass it and structs of it in other ways.
TEST(C1, Half2AndStructsOfItAreElements) {
  for (const char* text :
       {"__device__ half2 f(half2 x, half2 y) { return __hfma2(x, y, y); }",
        "struct Pair { half2 a, b; };\n"
        "__device__ Pair f(Pair p, half2 x) { p.a = __hadd2(p.a, x); return p; }",
        "struct Cell { half2 a; float b; };\n__device__ float f(Cell c, half2& out, const Cell& s) {\n"
        "  out = __hmul2(c.a, s.a);\n  return c.b + __low2float(c.a);\n}"})
    for (const Route route : {Route::Lto, Route::Program, Route::Ptx, Route::Indirect}) {
      SCOPED_TRACE(testing::Message() << name(route) << ' ' << text);
      EXPECT_EQ(build(text, Architecture(90), by(route)).report().kernel.route, route);
    }
}

TEST(C1, StructsThatCopyInTheirOwnWayAreRefused) {
  for (const char* text :
       {"struct A { float x; __device__ A(const A&); };\n__device__ A f(A a) { return a; }",
        "struct A { float x; __device__ ~A(); };\n__device__ A f(A a) { return a; }",
        "struct A { half2 x; __device__ virtual void g(); };\n__device__ float f(A a) { return 1; }"}) {
    const Error error = error_of([&] { build(text, Architecture(90)); });
    EXPECT_EQ(error.code(), ErrorCode::UnsupportedParameter) << error.what();
    EXPECT_NE(error.message().find("is not trivially copyable"), std::string::npos) << error.what();
  }
}

TEST(C1, WideIntegersAreLongLongUnderNvrtc) {
  const char* text =
      "template <class A, class B> struct Same { enum { value = 0 }; };\n"
      "template <class A> struct Same<A, A> { enum { value = 1 }; };\n"
      "static_assert(Same<int64_t, long long>::value && Same<uint64_t, unsigned long long>::value);\n"
      "static_assert(Same<intptr_t, long long>::value && Same<uintptr_t, unsigned long long>::value);\n"
      "__device__ int64_t f(uint64_t x) { return x; }";
  for (const Route route : {Route::Lto, Route::Program, Route::Ptx, Route::Indirect})
    EXPECT_EQ(build(Callback(text).with_entry("f"), Architecture(90), by(route)).signature().text(),
              "long long(unsigned long long)");
}

// The source of a callback with 64-bit integers shows the callback's signature, so graft must write the exact adapter
// (code for this one signature) and not use the templates in graft/adapter.h.
TEST(C1, ATextWithWideIntegersIsPlain) {
  const Report report =
      build("__device__ int64_t f(int64_t x, uint64_t y) { return x + y; }", Architecture(90)).report();
  EXPECT_EQ(report.source.find("graft/adapter.h"), std::string::npos);
}

}  // namespace
}  // namespace graft::test
