// Tests which thread words of a text count. The expected text lists each word with its line; `!` means that the word is
// certain (refused), and `?` that it is not (noted).
#include "reflect/callback/thread_vocabulary.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace graft::reflect {
namespace {

std::string described(const std::vector<ThreadWord>& words) {
  std::vector<std::string> parts;
  for (const ThreadWord& word : words)
    parts.push_back(fmt::format("{}{}@{}", word.word, word.is_certain ? "!" : "?", word.line));
  return fmt::format("{}", fmt::join(parts, " "));
}

struct Row {
  std::string text;
  std::string entry;
  std::string expected;
};

void check(const std::vector<Row>& rows) {
  for (const Row& row : rows) EXPECT_EQ(described(find_thread_words(row.text, row.entry)), row.expected) << row.text;
}

TEST(ThreadWords, InTheCallbackItself) {
  check({
      {"", "", ""},
      {"__device__ float f(float x) { return x; }", "f", ""},
      {"__device__ float f(float x) {\n__syncthreads();\nreturn x + threadIdx.x; }", "",
       "__syncthreads!@2 threadIdx!@3"},
      {"__device__ float f(float x) { return ::threadIdx.x; }", "f", "threadIdx!@1"},
      {"__device__ float f(float x) { auto t = threadIdx; return t.x; }", "f", "threadIdx!@1"},
      {"__device__ float f(float x) { return x / warpSize; }", "f", "warpSize!@1"},
      {"[](float x) { return x + threadIdx.x; }", "", "threadIdx!@1"},
      {"__device__ float g(float x) { return x; }", "[](float x) { return g(x) + threadIdx.x; }", "threadIdx!@0"},
      {"__device__ float f(float x) {\nreturn x + thread\\\nIdx.x; }", "", "threadIdx!@2"},
  });
}

TEST(ThreadWords, InWhatTheCallbackReaches) {
  const std::string f = "__device__ float f(float x) { return x; }";
  const std::string helper = "__device__ int lane() { return threadIdx.x & 31; }\n";
  check({
      {helper + f, "f", ""},
      {helper + "__device__ float f(float x) { return x + lane(); }", "f", "threadIdx!@1"},
      {helper + "__device__ int id() { return lane(); }\n__device__ float f(float x) { return x + id(); }", "f",
       "threadIdx!@1"},
      {"__global__ void k() { __syncthreads(); }\n" + f, "", ""},
      {"#define ME threadIdx.x\n__device__ float f(float x) { return x + ME; }", "", ""},
      {"__shared__ float tile[32];\n" + f, "f", ""},
      {"template <> __device__ int lane<3>() { return threadIdx.x; }\n" + f, "f", ""},
      {"struct Go { __device__ float operator()(float x) const { return x + blockIdx.x; } };", "Go{}", "blockIdx!@1"},
      {"struct A { static __device__ float go(float x) { return x + blockDim.x; } };", "A::go", "blockDim!@1"},
      {"struct A { __device__ float go() { return blockDim.x; } };\nstruct B : A { int y; };\n" + f, "f", ""},
      {"namespace m { template <class T> __device__ T f(T x) { return x + gridDim.x; } }", "m::f<float>", "gridDim!@1"},
      {"namespace cg = cooperative_groups;\n__device__ float f(float x) { cg::this_thread_block().sync(); return x; }",
       "", "this_thread_block!@2"},
      {"using namespace cooperative_groups;\n__device__ float f(float x) { this_thread_block().sync(); return x; }", "",
       "this_thread_block!@2"},
      {"using namespace cooperative_groups;\n__global__ void k() { this_thread_block().sync(); }\n" + f, "f", ""},
      {"template <class T> struct Sum { __device__ T all(T x) { return __shfl_sync(~0u, x, 0); } };\n" + f, "f", ""},
  });
}

TEST(ThreadWords, MembersCommentsAndStringsAreNone) {
  check({
      {"__device__ int f(int x, const S& s) { return x + s.threadIdx; }", "f", ""},
      {"__device__ int f(int x, const S& s) { return x + (&s)->threadIdx; }", "f", ""},
      {"__device__ float f(float x) { return x * Cfg<3>::warpSize + mylib::gridDim; }", "f", ""},
      {"__device__ float f(float x) { return x + warpSize::value; }", "f", ""},
      {"__device__ float f(float my_threadIdx) { return my_threadIdx; }", "f", ""},
      {"__device__ float f(float x) { asm volatile(\"membar.gl;\"); __threadfence(); return x; }", "f", ""},
      {"__device__ unsigned hits;\n__device__ float f(float x) { atomicAdd(&hits, 1u); return x; }", "f", ""},
      {"__device__ float f(float x) { // threadIdx\n printf(\"__syncthreads\"); /* __shared__ */ return x; }", "f", ""},
  });
}

TEST(ThreadWords, AWordThatTheTextMayDeclareIsNotCertain) {
  const std::string use = "__device__ float f(float x) { return x + warpSize; }";
  for (const std::string declaration : {"namespace m { __device__ int warpSize; }\nusing namespace m;\n",
                                        "#define warpSize 32\n",
                                        "struct P { int *a, warpSize = 3; };",
                                        "struct P { int a, warpSize; };",
                                        "enum { warpSize = 32 };",
                                        "enum { A, warpSize };",
                                        "void h(const int& warpSize);",
                                        "void h(Size& warpSize, int b);",
                                        "void h(const int* __restrict__ warpSize);",
                                        "void h(float (*warpSize)(float));",
                                        "void h(const int (&warpSize)[3]);",
                                        "template <int warpSize> int h();",
                                        "template <class warpSize> int h();",
                                        "template <int... warpSize> int h();",
                                        "using warpSize = int;",
                                        "using mine::warpSize;",
                                        "namespace warpSize { int value; }",
                                        "decltype(3) warpSize = 3;",
                                        "struct { int x; } warpSize = {3};",
                                        "int h() { auto [warpSize, n] = g(); }",
                                        "int h() { auto [n, warpSize] = g(); }",
                                        "int h() { g([warpSize = 32] {}); }",
                                        "int h() { g([n, &warpSize = n] {}); }",
                                        "int h() { for (auto& warpSize : list) g(); }"})
    EXPECT_THAT(described(find_thread_words(declaration + use, "f")), testing::StartsWith("warpSize?")) << declaration;
  check({
      {"__device__ float f(float threadIdx) { return 2 * threadIdx; }", "f", "threadIdx?@1"},
      {"struct L { int gridDim, blockDim; __device__ int n() const { return gridDim * blockDim; } };\n"
       "__device__ float f(float x, const L& l) { return x + l.n(); }",
       "f", "gridDim?@1 blockDim?@1"},
      {"__device__ bool __any(int x) { return __any_sync(~0u, x); }\n"
       "__device__ float f(float x) { return __any(x); }",
       "f", "__any_sync!@1"},
      {"#define __shared__\n__device__ float f(float x) { __shared__ float y = x; return y; }", "f", "__shared__?@2"},
  });
}

TEST(ThreadWords, UsesOfCudasOwnVariablesAndFunctions) {
  const auto in = [](const std::string& statement, const std::string& expected) {
    return Row{"__device__ float f(float x) { " + statement + " return x; }", "f", expected};
  };
  check({
      in("x += g(x, warpSize);", "warpSize!@1"),
      in("int a = 1, b = warpSize;", "warpSize!@1"),
      in("x += a[warpSize] + b[gridDim.x];", "warpSize!@1 gridDim!@1"),
      in("auto g = [n = warpSize](float y) { return n; };", "warpSize!@1"),
      in("auto g = [x] { return x / warpSize; };", "warpSize!@1"),
      in("using T = decltype(warpSize);", "warpSize!@1"),
      in("x += g<warpSize>(x);", "warpSize!@1"),
      in("__nvvm_bar0();", "__nvvm_bar0!@1"),
      in("x += __nvvm_read_ptx_sreg_tid_x();", "__nvvm_read_ptx_sreg_tid_x!@1"),
      in("x += __cudaGet_threadIdx().x;", "__cudaGet_threadIdx!@1"),
      in("if (x > 0) x = 1; else __syncwarp();", "__syncwarp!@1"),
      in("if (x > 0) __syncthreads();", "__syncthreads!@1"),
      in("x += m & __ballot_sync(~0u, 1);", "__ballot_sync!@1"),
      in("x += __reduce_add_sync(~0u, x) + __match_all_sync(~0u, x, 0);", "__reduce_add_sync!@1 __match_all_sync!@1"),
      in("__cluster_barrier_wait(); x += __clusterIdx().x;", "__cluster_barrier_wait!@1 __clusterIdx!@1"),
      in("x += __clusters(x) + __shfl_float4(x) + __ballot_size(x) + __reduce_angle(x);", ""),
  });
}

TEST(ThreadWords, NamesThatDoNotMeanTheHelperOfThatName) {
  const std::string sum = "__device__ float sum() { return threadIdx.x; }\n";
  check({
      {"struct P { float sum; };\n__global__ void sum(float* p) { p[threadIdx.x] = 0; }\n"
       "__device__ float f(float x, const P& p) { return x + p.sum; }",
       "f", ""},
      {"#define KERNEL __global__\nKERNEL void sum(float* p) { p[threadIdx.x] = 0; }\n"
       "__device__ float f(float x) { return x + sum; }",
       "f", ""},
      {sum + "__device__ float f(float x) { float a = x, sum = 2 * a; return sum; }", "f", ""},
      {sum + "struct V { float sum; };\n__device__ float f(const V& v) { return v.sum; }", "f", ""},
      {sum + "#define TWICE(sum) (sum + sum)\n__device__ float f(float x) { return TWICE(x); }", "f", ""},
      // The text does not show which function is called, or whether it is.
      {"namespace a { __device__ float sum() { return threadIdx.x; } }\nnamespace b { __device__ float sum() { return "
       "1; } }\n__device__ float f(float x) { return b::sum(); }",
       "f", ""},
      {sum + "__device__ float f(float x) {\n#ifdef SUM\n x += sum();\n#endif\n return x; }", "f", ""},
      // Here the helper is meant.
      {sum + "__device__ float f(float x) { return x * sum(); }", "f", "threadIdx!@1"},
      {sum + "__device__ float f(float x) { const float y = x, z = sum(); return y + z; }", "f", "threadIdx!@1"},
      {"struct A { __device__ float go(float x); };\n__device__ float A::go(float x) { return x + threadIdx.x; }\n"
       "__device__ float f(float x) { A a; return a.go(x); }",
       "f", "threadIdx!@2"},
      {"struct S { __device__ float at() const { return threadIdx.x; } };\n"
       "__device__ float f(float x, const struct S& s) { return x + s.at(); }",
       "f", "threadIdx!@1"},
  });
}

// A macro in front of a namespace hides where its statement ends, so the statement contains the kernel too.
TEST(ThreadWords, AStatementWhoseEndIsHiddenIsNotSearched) {
  const std::string both =
      "namespace m { __global__ void k() { __syncthreads(); }\n__device__ float f(float x) { return x + lane(); } }";
  const std::string lane = "__device__ int lane() { return threadIdx.x; }\n";
  check({
      {"BEGIN\n" + both, "m::f", ""},
      {lane + "BEGIN " + both, "m::f", ""},
      {lane + both, "m::f", "threadIdx!@1"},
      {"__device__ float f(float x) {\n#ifdef A\nif (x > 0) {\n#else\n{\n#endif\nreturn x; }\n}\n"
       "__global__ void k() { __syncthreads(); }",
       "f", ""},
      {"HD float f(float x) { return x + threadIdx.x; }", "f", "threadIdx!@1"},
      {"THING(f) { return threadIdx.x; }", "f", ""},
      {"#include \"f.h\"\n__device__ int lane() { return threadIdx.x; }", "f", ""},
  });
}

TEST(ThreadWords, WithoutSpecifiersIfFunctionsAreDeviceFunctionsByDefault) {
  const std::string text = "float f(float x) { __syncthreads(); return x; }";
  EXPECT_EQ(described(find_thread_words(text, "", true)), "__syncthreads!@1");
  EXPECT_EQ(described(find_thread_words(text, "")), "");
}

TEST(ThreadWords, InBranches) {
  const std::string f = "__device__ float f(float x) { return x + threadIdx.x; }\n";
  check({
      {"#ifndef GUARD\n#define GUARD\n" + f + "#endif\n", "", "threadIdx!@3"},
      {"__device__ float f(float x) {\n#ifdef FAST\n x += threadIdx.x;\n#endif\n return x; }", "", "threadIdx?@3"},
      {"// A comment.\n#ifndef GUARD\n#define GUARD\n#ifdef MORE\n" + f + "#endif\n#endif\n", "f", ""},
      {"#if 0\n" + f + "#else\n__device__ float f(float x) { return x; }\n#endif\n", "f", ""},
      {"#ifdef FAST\n" + f + "#endif\n", "f", ""},
      {"#ifndef __CUDACC__\nvoid __syncthreads() {}\n#endif\n"
       "__device__ float f(float x) { __syncthreads(); return x; }",
       "f", "__syncthreads?@4"},
  });
}

TEST(ThreadWords, InAssembly) {
  const auto in = [](const std::string& statement) {
    return described(find_thread_words("__device__ float f(float x) { " + statement + " return x; }", "f"));
  };
  EXPECT_EQ(in("int t; asm(\"mov.u32 %0, %%tid.x;\" : \"=r\"(t));"), "%tid.x!@1");
  EXPECT_EQ(in("__asm__ volatile(\"bar.sync 0;\" ::: \"memory\");"), "bar.sync!@1");
  EXPECT_EQ(in("asm volatile(\"{ .shared .b32 s; st.shared.b32 [s], %0; }\" :: \"f\"(x));"), ".shared!@1");
  EXPECT_EQ(in("asm volatile(\"membar.gl; fence.acq_rel.gpu;\");"), "");
  EXPECT_EQ(in("long t; asm volatile(\"mov.u64 %0, %%globaltimer;\" : \"=l\"(t));"), "");
  EXPECT_EQ(in("printf(\"%%tid bar.sync\");"), "");
  EXPECT_EQ(in("int t; asm(\"{}\"\n\"mov.u32 %0, %%tid.x;\" : \"=r\"(t));"), "%tid.x!@2");
  EXPECT_EQ(in("asm volatile(\"{\\n\\tbar.sync 0;\\n}\");"), "bar.sync!@1");
  EXPECT_EQ(in("asm(\"mov.b32 %0, %1;\" : \"=r\"(x) : \"r\"(threadIdx.x)); __syncwarp();"),
            "threadIdx!@1 __syncwarp!@1");

  EXPECT_EQ(described(find_thread_words_in_assembly("mov.u32 %r1, %tid5;\nadd.u32 %r1, %r2, %my_tid.x;")), "");
  EXPECT_EQ(described(find_thread_words_in_assembly("isspacep.shared %p1, %rd1;\ncvta.to.shared.u64 %rd2, %rd1;")), "");
  EXPECT_EQ(described(find_thread_words_in_assembly("mov.b32 %r1, 0;\nshfl.sync.bfly.b32 %r1, %r2, 1, 31, -1;")),
            "shfl.sync.bfly.b32!@2");
  EXPECT_EQ(described(find_thread_words_in_assembly("ld.shared.f32 %f1, [tile];")), "ld.shared.f32!@1");
}

TEST(ThreadWords, ColumnsCountFromOne) {
  const auto words = find_thread_words("\n__device__ float f(float x) {\n  return x + threadIdx.x;\n}", "");
  ASSERT_EQ(words.size(), 1u);
  EXPECT_EQ(words[0].line, 3);
  EXPECT_EQ(words[0].column, 14);
}

TEST(ThreadWords, AnyBytesAreAccepted) {
  for (const char* text : {"threadIdx", "}}}} threadIdx", "((( threadIdx", "#define\nthreadIdx", "#define threadIdx",
                           "asm(\"%%tid", "asm", "template < threadIdx", "operator threadIdx", "using namespace",
                           "namespace threadIdx", "\"threadIdx", "struct { threadIdx", "#ifndef\n#define\nthreadIdx"})
    for (const char* entry : {"", "f", "f<", "{", "[](", "threadIdx"}) find_thread_words(text, entry);
}

}  // namespace
}  // namespace graft::reflect
