// Tests which structs the scan takes for simple, and their layouts, which those of the host's compiler show.
#include "reflect/callback/struct_layouts.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <string>

namespace graft::reflect {
namespace {

std::map<std::string, ElementType> layouts_of(const std::string& source) {
  const Text text(source);
  const StructLayouts found = struct_layouts(text, scan(text));
  return {found.begin(), found.end()};
}

template <class T>
ElementType layout() {
  return ElementType::structure(sizeof(T), alignof(T));
}

struct Mixed {
  char a;
  double b, c[3];
  short d;
  const float *e, *f;
  unsigned long long g[2][3];
};
struct Inner {
  std::uint8_t r, g, b;
};
struct Outer {
  Inner pixels[5];
  int n;
};

TEST(StructLayouts, AreThoseOfTheCompiler) {
  const auto found = layouts_of(
      "struct Mixed { char a; double b, c[3]; short d; const float *e, *f; unsigned long long g[2][3]; };\n"
      "struct Inner { uint8_t r, g, b; };\nstruct Outer { Inner pixels[5]; int n; };\n"
      "struct Vectors { float3 a; float4 b; half c; };\n"
      "struct Opaque { void** table; unknown* other; };\n"
      "__device__ float f(float x, const Mixed& m) { return x; }");
  const std::map<std::string, ElementType> expected = {{"Mixed", layout<Mixed>()},
                                                       {"Inner", layout<Inner>()},
                                                       {"Outer", layout<Outer>()},
                                                       {"Vectors", ElementType::structure(48, 16)},
                                                       {"Opaque", ElementType::structure(16, 8)}};
  EXPECT_EQ(found, expected);
}

TEST(StructLayouts, AreNotGuessedForOtherStructs) {
  for (const char* source : {
           "struct S { };",
           "struct S { unknown a; };",
           "struct S { float a; S() {} };",
           "struct S { float a; __device__ float get() const { return a; } };",
           "struct S { float a = 1; };",
           "struct S { int a : 3; };",
           "struct S { float& a; };",
           "struct S { float a[N]; };",
           "struct S { float a[010]; };",
           "struct S { float a[0x10]; };",
           "struct S { float a[0]; };",
           "struct S { float a[4000000000]; float b[4000000000]; };",
           "struct S { float (*f)(float); };",
           "struct S { union { int a; float b; }; };",
           "struct S { struct { int a; } b; };",
           "struct S { static int a; int b; };",
           "struct S { volatile int b; };",
           "struct alignas(16) S { float a; };",
           "struct S : B { float a; };",
           "template <class T> struct S { float a; };",
           "class S { float a; };",
           "union S { float a; };",
           "struct S { private: float a; };",
           "namespace n { struct S { float a; }; }",
           "struct S { double a; }; namespace n { struct S { float a; }; }",
           "#pragma pack(1)\nstruct S { char a; float b; };",
           "#if N\nstruct S { float a; };\n#else\nstruct S { double a; };\n#endif",
           "struct S { float a; ",
           "struct S { float a }; ",
           "struct S { float; };",
           "struct S { * a; };",
           "struct S;",
       })
    EXPECT_TRUE(layouts_of(source).empty()) << source;
}

// A name may then be that of another class.
TEST(StructLayouts, AreNotReadNextToNamespacesAndMacrosOfTheirNames) {
  for (const char* source : {
           "struct S { long long n; };\ninline namespace v { using S = graft::Index; __device__ float f(S s); }",
           "struct S { long long n; };\nnamespace v { }",
           "struct S { long long n; };\n#define S graft::Index\n__device__ float f(S s);",
       })
    EXPECT_TRUE(layouts_of(source).empty()) << source;
}

}  // namespace
}  // namespace graft::reflect
