// Tests how the fields of a state are found: the compiler describes the struct in debug information, from which
// format/debug_types.hpp reads it. A table of structs with the offsets of their fields, and of structs that are
// refused.
#include "compile/state_object.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

#include "format/debug_types.hpp"
#include "format/elf.hpp"

namespace graft::compile {
namespace {

base::Bytes object_of(const std::string& text, bool on_host = false) {
  Options options;
  if (on_host) options.routes.required = Route::Host;
  return state_object(Callback::source(text + "\n__device__ float f(float x, const S& s) { return x; }"),
                      Architecture(90), options);
}

void write_numbers(const format::Field& field, const std::string& path, std::string& text) {
  if (field.parts.empty()) text += path + '@' + std::to_string(field.offset) + ' ';
  for (const format::Field& one : field.parts)
    write_numbers(one, path + (path.empty() || one.name.starts_with('[') ? "" : ".") + one.name, text);
}

// "12: a@0 b@4 c@8" for a struct of 12 bytes, or the reason why it cannot be read.
std::string layout(const base::Bytes& object) {
  const auto found = format::read_field_type(object, kParameterStruct, kStateField);
  if (!found) return found.error().message;
  std::string shown;
  write_numbers(*found, "", shown);
  if (!shown.empty()) shown.pop_back();
  return std::to_string(found->element.size) + ": " + shown;
}

struct Case {
  const char* text;
  const char* layout;
};

class StateObject : public testing::TestWithParam<Case> {};

TEST_P(StateObject, Layout) {
  EXPECT_EQ(layout(object_of(GetParam().text)), GetParam().layout) << GetParam().text;
}

INSTANTIATE_TEST_SUITE_P(
    StateObject, StateObject,
    testing::Values(
        Case{"struct S { float a; };", "4: a@0"},
        Case{"struct S { unsigned long long a; unsigned b; long int c; signed char d; };", "32: a@0 b@8 c@16 d@24"},
        Case{"struct S { float w[3]; int m[2][2]; };",
             "28: w[0]@0 w[1]@4 w[2]@8 m[0][0]@12 m[0][1]@16 m[1][0]@20 m[1][1]@24"},
        Case{"struct I { char a; int b; }; struct S { char c; I i[2]; };",
             "20: c@0 i[0].a@4 i[0].b@8 i[1].a@12 i[1].b@16"},
        Case{"struct S { float4 v; float3 w; float2 z; };",
             "48: v.x@0 v.y@4 v.z@8 v.w@12 w.x@16 w.y@20 w.z@24 z.x@32 z.y@36"},
        Case{"struct S { __half h; half2 p; __nv_bfloat16 b; };", "12: h@0 p.x@4 p.y@6 b@8"},
        Case{"#include <cstdint>\nstruct S { graft::complex<float> z; std::int16_t n; size_t k; };",
             "24: z.real@0 z.imag@4 n@8 k@16"},
        Case{"struct S { const float* p; char c; float *q, r; void (*g)(int); };", "40: p@0 c@8 q@16 r@24 g@32"},
        Case{"namespace math { namespace { struct T { float a; }; } } using S = math::T;", "4: a@0"},
        Case{"struct S { struct I { float x; }; enum E { A, B }; I i; E e; };", "8: i.x@0 e@4"},
        Case{"enum class E : unsigned char { A }; struct S { E e; bool b; };", "2: e@0 b@1"},
        Case{"using real = double; typedef float other; struct S { real a; other b; };", "16: a@0 b@8"},
        Case{"#define REAL float\n#define N 2\nconstexpr int kM = 2;\nstruct S { REAL a[N]; int b[kM * 2 - 2]; };",
             "16: a[0]@0 a[1]@4 b[0]@8 b[1]@12"},
        Case{"typedef struct { float a; int b; } S;", "8: a@0 b@4"},
        Case{"class S { public: float a = 1, b{2}; private: int c; };", "12: a@0 b@4 c@8"},
        Case{"struct S { float a; __device__ S(float x) : a(x) {} __device__ float get() const { return a; } "
             "static constexpr int n = 1; static_assert(sizeof(float) == 4); int b; };",
             "8: a@0 b@4"},
        Case{"struct B { short q; }; struct Empty {}; struct S : B, Empty { int n; };", "8: q@0 n@4"},
        Case{"template <class T> struct V { T a, b; }; using S = V<double>;", "16: a@0 b@8"},
        Case{"struct alignas(16) S { alignas(8) int a; int b; };", "16: a@0 b@4"},
        Case{"#pragma pack(1)\nstruct S { char a; int b; };\n#pragma pack()", "5: a@0 b@1"},
        Case{"struct S { int a;\n#ifdef __CUDACC__\nint b;\n#endif\n};", "8: a@0 b@4"},
        Case{"union S { int a; float b; };", "`S` is a union"},
        Case{"union U { int a; float b; }; struct S { U u; };", "`U` is a union"},
        Case{"struct S { union { int a; float b; }; };", "`S` has a field without a name"},
        Case{"struct S { int a : 3; };", "`a` is a bit field"}, Case{"struct S { };", "`S` has no fields"}));

constexpr const char* kMany =
    "template <class T> struct B { T q; };\n"
    "struct Inner { float a, b; __device__ Inner(float x) : a(x), b(x) {} };\n"
    "enum class E : unsigned char { A };\n"
    "struct S : B<short> { Inner inner; double w[2][2]; bool on; const float* p; E e; float3 v; long long n; };";
constexpr const char* kLayoutOfMany =
    "88: q@0 inner.a@4 inner.b@8 w[0][0]@16 w[0][1]@24 w[1][0]@32 w[1][1]@40 on@48 p@56 e@64 v.x@68 v.y@72 v.z@76 n@80";

TEST(StateObject, HostCompilersDescribeStructsLikeNvrtc) {
  EXPECT_EQ(layout(object_of(kMany)), kLayoutOfMany);
  EXPECT_EQ(layout(object_of(kMany, true)), kLayoutOfMany);
}

TEST(StateObject, AcceptsDamagedDebugInformation) {
  const base::Bytes object = object_of(kMany);
  const auto file = format::read_elf(object);
  ASSERT_TRUE(file);
  std::size_t refused = 0;
  for (const format::ElfSection& section : file->sections) {
    if (section.name != ".debug_info" && section.name != ".debug_abbrev") continue;
    const auto begin = static_cast<std::size_t>(section.bytes.data() - object.data());
    for (std::size_t i = begin; i < begin + section.bytes.size(); ++i)
      for (const unsigned damage : {0x00u, 0x01u, 0x7fu, 0xffu}) {
        base::Bytes damaged = object;
        damaged[i] = static_cast<std::byte>(damage);
        refused += layout(damaged) != kLayoutOfMany;
      }
  }
  EXPECT_GT(refused, 100u);
}

}  // namespace
}  // namespace graft::compile
