// Tests structs as elements of arrays. In version 0.1, a callback that returns a struct with const members was refused
// with the compiler's words about graft's adapter, because such a struct cannot be assigned. It can be copied, so graft
// copies its bits.
#include <gtest/gtest.h>

#include <vector>

#include "support/compile.hpp"
#include "support/routes.hpp"

namespace graft::test {
namespace {

struct Pair {
  float a;
  int b;
};

constexpr const char* kResult =
    "struct Pair { const float a; const int b; };\n"
    "__device__ Pair split(float x) { return Pair{2 * x, static_cast<int>(x)}; }";
constexpr const char* kArgument =
    "struct Pair { const float a; const int b; };\n"
    "__device__ float join(Pair p) { return p.a + p.b; }";

TEST(StructElements, MayHaveConstMembersOnEveryRoute) {
  for (const Route route : kGpuRoutes) {
    SCOPED_TRACE(name(route));
    const Image image = build(kResult, Architecture(90), by(route));
    EXPECT_EQ(image.signature().text(), "Pair(float)");
    EXPECT_EQ(image.report().compiler_log, "");
  }
  const std::vector<float> in = {1.5f, -2};
  std::vector<Pair> out(2);
  Transform::create(kResult, by(Route::Host)).execute(host, in, out);
  EXPECT_EQ(out[0].a, 3.0f);
  EXPECT_EQ(out[0].b, 1);
  EXPECT_EQ(out[1].a, -4.0f);
  EXPECT_EQ(out[1].b, -2);
}

TEST(StructElements, MayHaveConstMembersInChainsStagesAndPacks) {
  const Callback chained = chain(kResult, kArgument);
  const Callback load =
      "struct Pair { const float a; const int b; };\n"
      "__device__ Pair load(void* data, unsigned long long i, void*, void*) { return {((float*)data)[i], 1}; }";
  for (const Route route : kGpuRoutes) {
    SCOPED_TRACE(name(route));
    EXPECT_EQ(build(chained, Architecture(90), by(route)).signature().text(), "float(float)");
    EXPECT_FALSE(build(Stages{.load = load, .op = kArgument}, Architecture(90), by(route)).bytes().empty());
  }
  const std::vector<float> in = {1.5f, -2};
  std::vector<float> out(2);
  Transform::create(chained, by(Route::Host)).execute(host, in, out);
  EXPECT_EQ(out, (std::vector<float>{4, -6}));
  const Callback pack = Callback::pack(Callback(kResult).precompile({90}));
  EXPECT_EQ(build(pack, Architecture(90)).signature().text(), "Pair(float)");
}

// half2 is a class with a copy constructor of its own, so some routes pass it and structs of it in other ways.
TEST(StructElements, Half2AndStructsOfItAreElements) {
  for (const char* text :
       {"__device__ half2 f(half2 x, half2 y) { return __hfma2(x, y, y); }",
        "struct Pair { half2 a, b; };\n"
        "__device__ Pair f(Pair p, half2 x) { p.a = __hadd2(p.a, x); return p; }",
        "struct Cell { half2 a; float b; };\n__device__ float f(Cell c, half2& out, const Cell& s) {\n"
        "  out = __hmul2(c.a, s.a);\n  return c.b + __low2float(c.a);\n}"})
    for (const Route route : kGpuRoutes) {
      SCOPED_TRACE(testing::Message() << name(route) << ' ' << text);
      EXPECT_EQ(build(text, Architecture(90), by(route)).report().kernel.route, route);
    }
}

TEST(StructElements, StructsThatCopyInTheirOwnWayAreRefused) {
  for (const char* text :
       {"struct A { float x; __device__ A(const A&); };\n__device__ A f(A a) { return a; }",
        "struct A { float x; __device__ ~A(); };\n__device__ A f(A a) { return a; }",
        "struct A { half2 x; __device__ virtual void g(); };\n__device__ float f(A a) { return 1; }"}) {
    const Error error = error_of([&] { build(text, Architecture(90)); });
    EXPECT_EQ(error.code(), ErrorCode::UnsupportedParameter) << error.what();
    EXPECT_NE(error.message().find("is not trivially copyable"), std::string::npos) << error.what();
  }
}

// graft checks the layouts that it reads in a text by words that the text's macros may have.
TEST(StructElements, MacrosDoNotHideTheChecks) {
  const char* const source =
      "#define static_assert(...)\n#define sizeof(x) 4\n#define float double\n"
      "struct S { float a; };\n__device__ int f(S s) { return s.a; }";
  for (const Route route : {Route::Lto, Route::Program}) {
    const Signature signature = build(source, Architecture(90), test::by(route)).signature();
    ASSERT_EQ(signature.inputs().size(), 1u);
    EXPECT_EQ(signature.inputs()[0], ElementType::structure(8, 8)) << name(route);
  }
}

}  // namespace
}  // namespace graft::test
