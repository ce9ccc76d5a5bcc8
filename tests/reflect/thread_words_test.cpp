// Tests which thread words of a text the callback can reach. The expected text lists each word with its line; `!` means
// that the callback certainly reaches the word, and `?` that it may.
#include "reflect/thread_vocabulary.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
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
      {"__device__ float f(float x) { return x * warpSize; }", "f", "warpSize!@1"},
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
      {"#define ME threadIdx.x\n" + f, "", ""},
      {"#define ME threadIdx.x\n#define YOU ME\n__device__ float f(float x) { return x + YOU; }", "", "threadIdx!@1"},
      {"__shared__ float tile[32];\n" + f, "f", ""},
      {"__shared__ float tile[32];\n__device__ float f(float x) { return tile[0] + x; }", "f", "__shared__!@1"},
      {"template <> __device__ int lane<3>() { return threadIdx.x; }\n" + f, "f", ""},
      {"struct Go { __device__ float operator()(float x) const { return x + blockIdx.x; } };", "Go{}", "blockIdx!@1"},
      {"struct A { static __device__ float go(float x) { return x + blockDim.x; } };", "A::go", "blockDim!@1"},
      {"struct A { __device__ float go() { return blockDim.x; } };\nstruct B : A { int y; };\n" + f, "f", ""},
      {"namespace m { template <class T> __device__ T f(T x) { return x + gridDim.x; } }", "m::f<float>", "gridDim!@1"},
      {"struct V { float x; };\n__device__ V operator+(V a, V b) { return {a.x + threadIdx.x}; }\n"
       "__device__ V f(V x) { return x + x; }",
       "f", "threadIdx!@2"},
      {"__device__ int n = 1, lane = threadIdx.x;\n__device__ float f(float x) { return x + lane; }", "f",
       "threadIdx!@1"},
      {"namespace cg = cooperative_groups;\n__device__ float f(float x) { cg::this_thread_block().sync(); return x; }",
       "", "cooperative_groups!@1"},
      {"using namespace cooperative_groups;\n__device__ float f(float x) { this_thread_block().sync(); return x; }", "",
       "this_thread_block!@2"},
      {"__device__ float f(float x) { return x + cooperative_groups::this_thread_block().thread_rank(); }", "",
       "cooperative_groups!@1"},
      {"using namespace cooperative_groups;\n__global__ void k() { this_thread_block().sync(); }\n" + f, "f", ""},
      {"template <class T> struct Sum { __device__ T all(T x) { return __shfl_sync(~0u, x, 0); } };\n" + f, "f", ""},
      {"__device__ float f(float x) { return this_thread_block(x); }", "f", ""},
  });
}

TEST(ThreadWords, NamesOfTheUsersOwn) {
  check({
      {"__device__ float f(float threadIdx) { return 2 * threadIdx; }", "f", ""},
      {"__device__ float f(const uint3& threadIdx, float x) { return x * threadIdx.x; }", "f", ""},
      {"struct S { int threadIdx; };\n__device__ int f(int x, const S& s) { return x + s.threadIdx; }", "f", ""},
      {"namespace m { __device__ int blockDim; }\nusing namespace m;\n__device__ int f(int x) { return blockDim + x; }",
       "f", "blockDim?@3"},
      {"#define __shared__\n__device__ float f(float x) { __shared__ float y = x; return y; }", "f", "__shared__?@2"},
      {"struct S { float blockDim; __device__ float half() const { return blockDim / 2; } };\n"
       "__device__ float f(float x, const S& s) { return x + s.half(); }",
       "f", ""},
      {"__device__ float f(float my_threadIdx) { return my_threadIdx; }", "f", ""},
      {"__device__ float f(float x) { const int warpSize = 64; return x * warpSize; }", "f", ""},
      {"struct Cfg { enum { warpSize = 32 }; };\n__device__ float f(float x) { return x * Cfg::warpSize; }", "f", ""},
      {"__device__ float f(float x) { asm volatile(\"membar.gl;\"); __threadfence(); return x; }", "f", ""},
      {"__device__ unsigned hits;\n__device__ float f(float x) { atomicAdd(&hits, 1u); return x; }", "f", ""},
      {"__device__ float f(float x) { // threadIdx\n printf(\"__syncthreads\"); /* __shared__ */ return x; }", "f", ""},
  });
}

TEST(ThreadWords, ParametersVariablesAndMembersOfTheUsersOwn) {
  check({
      {"struct Launch { int gridDim, blockDim; __device__ int n() const { return gridDim * blockDim; } };\n"
       "__device__ float f(float x, const Launch& l) { return x + l.n(); }",
       "f", ""},
      {"struct P { int *gridDim, a[2], blockDim = 1, *warpSize; __device__ int n() { return blockDim + *warpSize; } "
       "};\n"
       "__device__ float f(float x, const P& p) { return x; }",
       "f", ""},
      {"__device__ float f(float x, const int& warpSize) { return x * warpSize; }", "f", ""},
      {"__device__ float f(float x, const int* __restrict__ warpSize) { return x * warpSize[0]; }", "f", ""},
      {"__device__ float f(float x, Size& warpSize) { return x * warpSize; }", "f", "warpSize?@1"},
      {"template <int warpSize> __device__ float f(float x) { return x * warpSize; }", "f<32>", ""},
      {"struct Cfg { static constexpr int warpSize = 32; };\n"
       "__device__ float f(float x) { return x * Cfg::warpSize; }",
       "f", ""},
      {"__device__ float f(float x) { return x * Cfg<3>::warpSize + mylib::gridDim; }", "f", ""},
      {"struct C { enum { warpSize = 32, blockDim }; };\n__device__ float f(float x, const C&) { return x; }", "f", ""},
      {"__device__ float f(float x) { enum Size { warpSize = 32 }; return x * warpSize; }", "f", ""},
      {"__device__ float f(float x) { const auto [gridDim, n] = g(x); return gridDim + n; }", "f", ""},
      {"__device__ float f(float x) { auto&& [n, gridDim] = g(x); return gridDim + n; }", "f", ""},
      // These are CUDA's variables.
      {"__device__ float f(float x) { return 2 * warpSize; }", "f", "warpSize!@1"},
      {"__device__ float f(float x) { return g(x * warpSize); }", "f", "warpSize!@1"},
      {"__device__ float f(float x) { return g(x, warpSize); }", "f", "warpSize!@1"},
      {"__device__ float f(float x) { int a = 1, b = warpSize; return a + b; }", "f", "warpSize!@1"},
      {"__device__ float f(float x) { return x * (unsigned)::warpSize; }", "f", "warpSize!@1"},
      {"__device__ float f(float x) { const dim3* p = &blockDim; return p->x; }", "f", "blockDim!@1"},
      {"__device__ float f(float x, enum Mode m) { __syncthreads(); return x; }", "f", "__syncthreads!@1"},
      {"__device__ float f(float x) { __nvvm_bar0(); return x; }", "f", "__nvvm_bar0!@1"},
      {"__device__ float f(float x) { return x + __nvvm_read_ptx_sreg_tid_x(); }", "f",
       "__nvvm_read_ptx_sreg_tid_x!@1"},
      {"__device__ float f(float x) { return x + __cudaGet_threadIdx().x; }", "f", "__cudaGet_threadIdx!@1"},
      {"__device__ float f(float x) { if (x > 0) return x; else __syncwarp(); return x; }", "f", "__syncwarp!@1"},
  });
}

TEST(ThreadWords, NamesThatFurtherKindsOfDeclarationsIntroduce) {
  const auto in = [](const std::string& statement) {
    return Row{"__device__ float f(float x) { " + statement + " return x; }", "f", ""};
  };
  check({
      // Captures with an initialiser.
      in("auto g = [warpSize = 32](float y) { return y * warpSize; };"),
      in("auto g = [n = x, &gridDim = x](float y) { return y * gridDim; };"),
      in("return [warpSize{32}] { return warpSize; }();"),
      in("call([=, warpSize(32)] { return warpSize; });"),
      // Parameters of lambdas, and of templates.
      in("auto g = [](auto&& warpSize) { return warpSize; };"),
      in("auto g = [](auto... warpSize) { return (warpSize + ...); };"),
      in("auto g = []<int warpSize>(float y) { return y * warpSize; };"),
      {"template <class warpSize, typename gridDim = int> __device__ float f(float x) { return warpSize(x) + "
       "gridDim(x); "
       "}",
       "f<int>", ""},
      {"template <int... warpSize> __device__ float f(float x) { return (x + ... + warpSize); }", "f<1>", ""},
      {"template <class... T> __device__ float sum(T&&... warpSize) { return (0 + ... + warpSize); }\n"
       "__device__ float f(float x) { return sum(x); }",
       "f", ""},
      // Types in brackets.
      in("decltype(x) warpSize = 3; x += warpSize;"),
      in("decltype(auto) warpSize = g(x); x += warpSize;"),
      in("decltype(x)& warpSize = x; x += warpSize;"),
      in("struct { int x; } gridDim = {3}, *blockDim; x += gridDim.x + blockDim->x;"),
      in("struct alignas(8) P { int x; } gridDim = {3}; x += gridDim.x;"),
      in("enum { A, B } warpSize = A; x += warpSize;"),
      // Pointers to functions and references to arrays.
      in("float (*warpSize)(float) = sinf; x = warpSize(x);"),
      in("const int (&warpSize)[3] = table; x += warpSize[0];"),
      // Loops and conditions.
      in("for (const auto& gridDim : list) x += gridDim.x;"),
      in("for (auto&& [warpSize, n] : list) x += warpSize;"),
      in("if (const int warpSize = g(x); warpSize > 0) x += warpSize;"),
      // Aliases, namespaces and using-declarations.
      in("using warpSize = int; x += warpSize(3);"),
      in("using mine::gridDim; x += gridDim.x;"),
      in("x += warpSize::value;"),
      {"namespace warpSize { constexpr int value = 32; }\n__device__ float f(float x) { return x * warpSize::value; }",
       "f", ""},
      // These are CUDA's variables.
      {"__device__ float f(float x) { return a[warpSize] + b[gridDim.x]; }", "f", "warpSize!@1 gridDim!@1"},
      {"__device__ float f(float x) { auto g = [n = warpSize](float y) { return n; }; return g(x); }", "f",
       "warpSize!@1"},
      {"__device__ float f(float x) { auto g = [x] { return x * warpSize; }; return g(); }", "f", "warpSize!@1"},
      {"__device__ float f(float x) { return decltype(x)(2) * warpSize; }", "f", "warpSize!@1"},
      {"__device__ float f(float x) { return sizeof(decltype(x)) * warpSize; }", "f", "warpSize!@1"},
      {"__device__ float f(float x) { struct P { int y; }; return x + warpSize; }", "f", "warpSize!@1"},
      {"__device__ float f(float x) { if (struct P* p = g(x)) { x += p->y; } __syncthreads(); return x; }", "f",
       "__syncthreads!@1"},
      {"__device__ float f(float x) { auto g = [](const struct P& p) { return p.y; }; __syncwarp(); return x; }", "f",
       "__syncwarp!@1"},
      {"template <class T> __device__ T f(T x) { { x += 1; } warpSize; return x; }", "f<float>", "warpSize!@1"},
      {"__device__ float f(float x) { using T = decltype(warpSize); return T(x); }", "f", "warpSize!@1"},
      {"__device__ float f(float x) { return g(&gridDim)[0]; }", "f", "gridDim!@1"},
      {"__device__ float f(float x) { return g<warpSize>(x); }", "f", "warpSize!@1"},
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
      {"namespace cg = cooperative_groups;\n__device__ float f(float x) { float cg = x; return 2 * cg; }", "f", ""},
      {"namespace cg = cooperative_groups;\n__device__ float f(float r, float cg) { return r + cg; }", "f", ""},
      {sum + "__device__ float f(float x) { float a = x, sum = 2 * a; return sum; }", "f", ""},
      {sum + "struct V { float sum; };\n__device__ float f(const V& v) { return v.sum; }", "f", ""},
      {sum + "#define TWICE(sum) (sum + sum)\n__device__ float f(float x) { return TWICE(x); }", "f", ""},
      {sum + "__device__ float f(const V& v, V& sum) { return v.a + sum.a; }", "f", "threadIdx?@1"},
      // The text does not show which function is called.
      {"namespace a { __device__ float sum() { return threadIdx.x; } }\nnamespace b { __device__ float sum() { return "
       "1; } }\n__device__ float f(float x) { return b::sum(); }",
       "f", "threadIdx?@1"},
      {sum + "__device__ float f(float x) {\n#ifdef SUM\n x += sum();\n#endif\n return x; }", "f", "threadIdx?@1"},
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

TEST(ThreadWords, FunctionsOfTheUsersOwn) {
  check({
      {"__device__ float __reduce_angle(float);\n__device__ float f(float x) { return __reduce_angle(x); }", "f", ""},
      {"__device__ int __match_sign(float x) { return x > 0; }\n"
       "__device__ float f(float x) { return __match_sign(x); }",
       "f", ""},
      {"__device__ float f(float x) { return __clusters(x) + __shfl_float4(x) + __ballot_size(x); }", "f", ""},
      {"__device__ bool __any(int x) { return x != 0; }\n__device__ float f(float x) { return __any(x); }", "f", ""},
      {"__device__ bool __any(int x) { return __any_sync(~0u, x); }\n"
       "__device__ float f(float x) { return __any(x); }",
       "f", "__any_sync!@1"},
      {"struct W { __device__ bool __all(int x) { return x; } };\n"
       "__device__ float f(float x) { W w; return w.__all(x); }",
       "f", ""},
      {"#ifndef __CUDACC__\nvoid __syncthreads() {}\n#endif\n"
       "__device__ float f(float x) { __syncthreads(); return x; }",
       "f", "__syncthreads!@4"},
      {"__device__ float f(float x) { return __reduce_add_sync(~0u, x) + __match_all_sync(~0u, x, 0); }", "f",
       "__reduce_add_sync!@1 __match_all_sync!@1"},
      {"__device__ float f(float x) { __cluster_barrier_wait(); return __clusterIdx().x; }", "f",
       "__cluster_barrier_wait!@1 __clusterIdx!@1"},
  });
}

// A macro in front of a namespace hides where its statement ends, so the statement contains the kernel too.
TEST(ThreadWords, AStatementWhoseEndIsHiddenIsNotCertain) {
  const std::string both =
      "namespace m { __global__ void k() { __syncthreads(); }\n__device__ float f(float x) { return x + lane(); } }";
  const std::string lane = "__device__ int lane() { return threadIdx.x; }\n";
  check({
      {"BEGIN\n" + both, "m::f", "__syncthreads?@2"},
      {lane + "BEGIN " + both, "m::f", "threadIdx?@1 __syncthreads?@2"},
      {lane + both, "m::f", "threadIdx!@1"},
      {"__device__ float f(float x) {\n#ifdef A\nif (x > 0) {\n#else\n{\n#endif\nreturn x; }\n}\n"
       "__global__ void k() { __syncthreads(); }",
       "f", "__syncthreads?@9"},
      {"HD float f(float x) { return x + threadIdx.x; }", "f", "threadIdx!@1"},
  });
}

TEST(ThreadWords, WithoutSpecifiersIfFunctionsAreDeviceFunctionsByDefault) {
  const std::string text = "float f(float x) { __syncthreads(); return x; }";
  EXPECT_EQ(described(find_thread_words(text, "", {}, true)), "__syncthreads!@1");
  EXPECT_EQ(described(find_thread_words(text, "")), "");
}

TEST(ThreadWords, InBranches) {
  const std::string f = "__device__ float f(float x) { return x + threadIdx.x; }\n";
  check({
      {"#ifndef GUARD\n#define GUARD\n" + f + "#endif\n", "", "threadIdx!@3"},
      {"// A comment.\n#ifndef GUARD\n#define GUARD\n#ifdef MORE\n" + f + "#endif\n#endif\n", "f", "threadIdx?@5"},
      {"#if 0\n" + f + "#else\n__device__ float f(float x) { return x; }\n#endif\n", "f", ""},
      {"#if 1\n" + f + "#endif\n", "f", "threadIdx?@2"},
      {"#ifdef FAST\n" + f + "#endif\n", "f", "threadIdx?@2"},
      {"#ifdef FAST\n#define ME threadIdx.x\n#endif\n__device__ float f(float x) { return x + ME; }", "f",
       "threadIdx?@2"},
      {"THING(f) { return threadIdx.x; }", "f", "threadIdx?@1"},
      {"#include \"f.h\"\n__device__ int lane() { return threadIdx.x; }", "f", "threadIdx?@2"},
  });
}

TEST(ThreadWords, InDefines) {
  const std::vector<Define> defines = {{"ME", "threadIdx.x"}, {"ADD(a)", "(a + __activemask())"}};
  EXPECT_EQ(described(find_thread_words("__device__ float f(float x) { return x; }", "f", defines)), "");
  EXPECT_EQ(described(find_thread_words("__device__ float f(float x) { return ADD(x); }", "f", defines)),
            "__activemask!@0");
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
  // The compiler joins literals and reads escape sequences.
  EXPECT_EQ(in("int t; asm(\"mov.u32 %0, %%ti\" \"d.x;\" : \"=r\"(t));"), "%tid.x!@1");
  EXPECT_EQ(in("int t; asm(\"mov.u32 %0, %%t\"\n\"i\"\n\"d.x;\" : \"=r\"(t));"), "%tid.x!@1");
  EXPECT_EQ(in("int t; asm(\"{}\"\n\"mov.u32 %0, %%tid.x;\" : \"=r\"(t));"), "%tid.x!@2");
  EXPECT_EQ(in("int t; asm(\"mov.u32 %0, %%\\x74id.x;\" : \"=r\"(t));"), "%tid.x!@1");
  EXPECT_EQ(in("int t; asm(\"mov.u32 %0, %%\\164\\u0069d.x;\" : \"=r\"(t));"), "%tid.x!@1");
  EXPECT_EQ(in("int t; asm(R\"a(mov.u32 %0, %%ti)a\" R\"(d.x;)\" : \"=r\"(t));"), "%tid.x!@1");
  EXPECT_EQ(in("asm volatile(\"bar\\56sync 0;\\n\");"), "bar.sync!@1");
  EXPECT_EQ(in("asm volatile(\"{\\n\\tbar.sync 0;\\n}\");"), "bar.sync!@1");
  EXPECT_EQ(in("asm(\"mov.b32 %0, ba\" : \"=r\"(x) : \"r\"(1)); asm(\"r.sync\");"), "");

  // The compiler replaces macros.
  const auto with = [](const std::string& macros, const std::string& statement) {
    return described(find_thread_words(macros + "\n__device__ float f(float x) { " + statement + " return x; }", "f"));
  };
  const std::string reads = "int t; asm(\"mov.u32 %0, \" TID \"x;\" : \"=r\"(t));";
  EXPECT_EQ(with("#define TID \"%%tid.\"", reads), "%tid.x!@2");
  EXPECT_EQ(with("#define D \"d.\"\n#define TID \"%%ti\" D", reads), "%tid.x!@3");
  EXPECT_EQ(with("#ifdef A\n#define TID \"%%tid.\"\n#endif", reads), "%tid.x?@4");
  EXPECT_EQ(with("#define TID \"%%clock.\"", reads), "");
  EXPECT_EQ(with("#define ASM asm volatile", "ASM(\"bar.sync 0;\");"), "bar.sync!@2");
  // Of macros that name each other, not all are replaced.
  EXPECT_EQ(with("#define A B B B\n#define B A A A \"bar.sync\"", "asm(A);").substr(0, 8), "bar.sync");

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
