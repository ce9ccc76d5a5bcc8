// Tests names of the user's that are equal to the type half. graft includes cuda_fp16.h if a source uses this type. In
// version 0.1, graft took an enumerator named half for the type, and the included header then conflicted with the
// enumerator. graft took `operator half()` for a declaration of the name half, and the header was then missing.
#include <gtest/gtest.h>

#include "reflect/callback/scan.hpp"
#include "support/compile.hpp"
#include "support/routes.hpp"

namespace graft::test {
namespace {

TEST(NamesLikeHalf, AnEnumeratorIsNoUseOfTheType) {
  EXPECT_FALSE(reflect::scan("enum { full, half };").mentions_half);
  EXPECT_FALSE(reflect::scan("enum E : int { half = 2, full = half + (1) };").mentions_half);
  EXPECT_FALSE(reflect::scan("enum class Size { half };").mentions_half);
  EXPECT_TRUE(reflect::scan("enum E { a, b }; __device__ half f(half x, half y) { return x; }").mentions_half);
  EXPECT_TRUE(reflect::scan("enum E f(int); struct S { half a; };").mentions_half);
}

// An enum that is a template parameter has no enumerators, and the enumerators of an `enum class` are no names outside
// it.
TEST(NamesLikeHalf, OnlyNamesOfTheSameScopeHideTheType) {
  EXPECT_TRUE(reflect::scan("enum E { a }; template <enum E e> struct S { half x; };").mentions_half);
  EXPECT_TRUE(reflect::scan("template <enum E e> struct S { half }; half f(half x);").mentions_half);
  EXPECT_TRUE(reflect::scan("enum class Size { half, full };\n"
                            "__device__ half f(half x, const int& s) { return s == (int)Size::half ? x : x; }")
                  .mentions_half);
  EXPECT_FALSE(
      reflect::scan("enum class Size { half };\n__device__ int f(int x) { return (int)Size::half; }").mentions_half);
}

TEST(NamesLikeHalf, AConversionIsAUseOfTheType) {
  EXPECT_TRUE(reflect::scan("struct A { __device__ operator half() const; };").mentions_half);
}

TEST(NamesLikeHalf, BothCompileOnEveryGpuRouteThatCompilesSource) {
  for (const Route route : kGpuRoutes) {
    SCOPED_TRACE(name(route));
    EXPECT_NO_THROW(
        build("enum { full, half };\n__device__ float f(float x) { return x + half; }", Architecture(90), by(route)));
    EXPECT_NO_THROW(
        build("enum class Size { half, full };\n"
              "__device__ half f(half x) { return (int)Size::half == 0 ? x : -x; }",
              Architecture(90), by(route)));
    EXPECT_NO_THROW(
        build("struct A { float v; __device__ operator half() const { return __float2half(v); } };\n"
              "__device__ float f(float x) { return __half2float(A{x}); }",
              Architecture(90), by(route)));
  }
}

}  // namespace
}  // namespace graft::test
