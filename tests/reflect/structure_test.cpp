// Tests how structs are read from text: a table of texts with the offsets that a C++ compiler gives, and of texts that
// are refused.
#include "reflect/structure.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace graft::reflect {
namespace {

void write_numbers(const Part& part, const std::string& path, std::string& text) {
  if (part.parts.empty()) text += path + '@' + std::to_string(part.offset) + ' ';
  for (const Part& one : part.parts)
    write_numbers(one, path + (path.empty() || one.name.starts_with('[') ? "" : ".") + one.name, text);
}

// "12/4: a@0 b@4 c@8" for a struct of 12 bytes aligned to 4, or the reason why it cannot be read.
std::string layout(std::string_view text, std::string_view name) {
  const auto found = read_structure(text, name);
  if (const auto* reason = std::get_if<std::string>(&found)) return *reason;
  const Part& part = std::get<Part>(found);
  std::string shown;
  write_numbers(part, "", shown);
  if (!shown.empty()) shown.pop_back();
  return std::to_string(part.element.size) + '/' + std::to_string(part.element.alignment) + ": " + shown;
}

struct Case {
  const char* text;
  const char* name;
  const char* layout;
};

class Structure : public testing::TestWithParam<Case> {};

TEST_P(Structure, Layout) {
  EXPECT_EQ(layout(GetParam().text, GetParam().name), GetParam().layout) << GetParam().text;
}

INSTANTIATE_TEST_SUITE_P(
    Structure, Structure,
    testing::Values(
        Case{"struct S { float a; };", "S", "4/4: a@0"}, Case{"struct S { float a, b; };", "S", "8/4: a@0 b@4"},
        Case{"struct S { char c; double d; short s; };", "S", "24/8: c@0 d@8 s@16"},
        Case{"struct S { unsigned long long a; unsigned b; long int c; signed char d; };", "S",
             "32/8: a@0 b@8 c@16 d@24"},
        Case{"struct S { float w[3]; int m[2][2]; };", "S",
             "28/4: w[0]@0 w[1]@4 w[2]@8 m[0][0]@12 m[0][1]@16 m[1][0]@20 m[1][1]@24"},
        Case{"struct I { char a; int b; }; struct S { char c; I i[2]; };", "S",
             "20/4: c@0 i[0].a@4 i[0].b@8 i[1].a@12 i[1].b@16"},
        Case{"struct S { float4 v; float3 w; float2 z; };", "S",
             "48/16: v.x@0 v.y@4 v.z@8 v.w@12 w.x@16 w.y@20 w.z@24 z.x@32 z.y@36"},
        Case{"struct S { __half h; half2 p; __nv_bfloat16 b; };", "S", "12/4: h@0 p.x@4 p.y@6 b@8"},
        Case{"struct S { graft::complex<float> z; std::int16_t n; size_t k; };", "S",
             "24/8: z.real@0 z.imag@4 n@8 k@16"},
        Case{"struct S { const float* p; char c; float *q, r; };", "S", "32/8: p@0 c@8 q@16 r@24"},
        Case{"namespace math { namespace { struct S { float a; }; } }", "math::S", "4/4: a@0"},
        Case{"namespace a::b { struct I { float x; }; struct S { I i; b::I j; }; }", "a::b::S", "8/4: i.x@0 j.x@4"},
        Case{"struct S { struct I { float x; }; enum E { A, B }; I i; E e; };", "S", "8/4: i.x@0 e@4"},
        Case{"enum class E : unsigned char { A }; struct S { E e; bool b; };", "S", "2/1: e@0 b@1"},
        Case{"using real = double; typedef float other; struct S { real a; other b; };", "S", "16/8: a@0 b@8"},
        Case{"#define REAL float\n#define N 2\nconstexpr int kM = 2;\nstruct S { REAL a[N]; int b[kM]; };", "S",
             "16/4: a[0]@0 a[1]@4 b[0]@8 b[1]@12"},
        Case{"typedef struct { float a; int b; } S;", "S", "8/4: a@0 b@4"},
        Case{"class S { public: float a = 1, b{2}; private: int c; };", "S", "12/4: a@0 b@4 c@8"},
        Case{"struct S { float a; __device__ S(float x) : a(x) {} float get() const { return a; } static int n; "
             "static_assert(sizeof(float) == 4); S& operator=(const S&) = default; int b; };",
             "S", "8/4: a@0 b@4"},
        Case{
            "struct S; struct S { volatile int a; mutable float b; }; __device__ float f(float x, const S& s) { struct "
            "T { int q; }; return x; }",
            "S", "8/4: a@0 b@4"},
        Case{"#ifndef GUARD\n#define GUARD\nstruct S { int a; };\n#endif", "S", "4/4: a@0"},
        Case{"#if 0\nstruct S { int a; };\n#endif\nstruct S { float b; };", "S", "4/4: b@0"},
        Case{"", "int", "4/4: @0"}, Case{"", "float3", "12/4: x@0 y@4 z@8"}));

INSTANTIATE_TEST_SUITE_P(
    Refused, Structure,
    testing::Values(
        Case{"", "Scale", "the type `Scale` is not known"},
        Case{"struct S { T a; };", "S", "the type `T` is not known"},
        Case{"struct B { int b; }; struct S : B { int a; };", "S",
             "the fields of `S` cannot be read: it has base classes"},
        Case{"template <class T> struct S { T a; };", "S", "the fields of `S` cannot be read: it is a template"},
        Case{"union S { int a; float b; };", "S", "the fields of `S` cannot be read: it is a union"},
        Case{"struct alignas(16) S { int a; };", "S",
             "the fields of `S` cannot be read: it has an alignment or attributes of its own"},
        Case{"struct S { alignas(16) int a; };", "S", "a field has an alignment of its own"},
        Case{"struct S { int a; float (*f)(float); };", "S", "a field is a pointer to a function or an array"},
        Case{"struct S { int a : 3; };", "S", "`a` is a bit field"},
        Case{"struct S { virtual void f(); int a; };", "S", "`S` has virtual functions"},
        Case{"struct S { union { int a; float b; }; };", "S",
             "`S` has a field of a type that is defined with the field"},
        Case{"#pragma pack(1)\nstruct S { char a; int b; };", "S", "`#pragma pack` changes where fields lie"},
        Case{"struct S { int a;\n#ifdef X\nint b;\n#endif\n};", "S", "`S` has an #if between its fields"},
        Case{"#ifdef X\nstruct S { int a; };\n#else\nstruct S { float a; };\n#endif", "S",
             "the fields of `S` cannot be read: the text defines it more than once"},
        Case{"struct S { int a[n]; };", "S", "the size of the array `a` cannot be read: n"},
        Case{"struct S { int a[100000]; };", "S", "the size of the array `a` cannot be read: 100000"},
        Case{"struct S { S s; };", "S", "its types are nested too deeply"},
        Case{"struct S { };", "S", "`S` has no fields"},
        Case{"struct S { int a; ", "S", "the text's brackets do not match"},
        Case{"using A = B; using B = A; struct S { A a; };", "S", "its types are nested too deeply"}));

TEST(Structure, AcceptsAnyText) {
  const std::string text =
      "namespace n { struct S : B<1> { const float *a[2] = {}, b{1}; E e; I<int>::T t; int c : 2; }; } "
      "enum E : char { A }; using x = y; typedef struct { int q; } Z; union";
  for (std::size_t begin = 0; begin < text.size(); ++begin)
    for (std::size_t size = 0; begin + size <= text.size(); size += 3)
      for (const char* name : {"S", "n::S", "Z", "E"}) read_structure(text.substr(begin, size), name);
  std::string deep = "float x;";
  for (int i = 0; i < 2000; ++i) deep = "struct S" + std::to_string(i) + " { " + deep + " };";
  read_structure(deep, "S1");
}

}  // namespace
}  // namespace graft::reflect
