// Tests which of the functions of a source is chosen as the entry function.
#include "reflect/callback/scan.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace graft::reflect {
namespace {

using namespace std::string_literals;

struct EntryRow {
  std::string source;
  std::string wanted;
  std::string expected;
};

std::string choice_text(const EntryChoice& choice) {
  static constexpr const char* kNames[] = {"found", "none", "several", "unsure"};
  return fmt::format("{}{}{}{} [{}]", kNames[choice.kind], choice.name.empty() ? "" : " ", choice.name,
                     choice.overloaded ? " overloaded" : "", fmt::join(choice.candidates, ", "));
}

void check(const std::vector<EntryRow>& rows) {
  for (const EntryRow& row : rows)
    EXPECT_EQ(choice_text(choose_entry(scan(row.source), row.wanted)), row.expected)
        << row.source << "  " << row.wanted;
}

constexpr const char* kRelu = "__device__ float relu(float x) { return x > 0 ? x : 0; }";
constexpr const char* kTwo =
    "namespace a { __device__ float f(float x) { return x; } }\nnamespace b { __device__ float f(float x) { return x; "
    "} }";

TEST(Entry, IsTheOnlyFunction) {
  check(std::vector<EntryRow>{
      {kRelu, "", "found relu [relu (line 1)]"},
      {kRelu, "  ", "found relu [relu (line 1)]"},
      {"namespace a::b { __device__ float f(float x) {} }", "", "found a::b::f [a::b::f (line 1)]"},
      {"float host(float x) { return x; }\n__device__ float f(float x) {}\n__global__ void k() {}", "",
       "found f [f (line 2)]"},
      {"__device__ float f(float);\n__device__ float f(float x) {}", "", "found f [f (line 2)]"},
      {"__device__ float g(float);\n__device__ float f(float x) { return g(x); }", "", "found f [f (line 2)]"},
      {"__device__ V operator+(V a, V b) {}\n__device__ float f(float x) {}", "", "found f [f (line 2)]"},
      {"__device__ float operator_cost(float x) {}", "", "found operator_cost [operator_cost (line 1)]"},
      {"template <class T> __device__ T sq(T x) {}\n__device__ float f(float x) {}", "", "found f [f (line 2)]"},
      {"template <class T> __device__ T sq(T x) {}", "", "found sq [sq (line 1)]"},
      {"__device__ float f(float x) {}\n__device__ double f(double x) {}", "",
       "found f overloaded [f (line 1), f (line 2)]"},
      {"template <class T> __device__ T f(T x) {}\n__device__ float f(float x) {}", "",
       "found f overloaded [f (line 1), f (line 2)]"},
      {"__device__ float f(float x) {}\nfloat f(double x) {}", "", "found f overloaded [f (line 1), f (line 2)]"},
      {"[](float x) { return x; }", "", "found []"},
  });
}

TEST(Entry, IsNotGuessed) {
  check(std::vector<EntryRow>{
      {kTwo, "", "several [a::f (line 1), b::f (line 2)]"},
      {"", "", "none []"},
      {"struct A { __device__ float operator()(float x) { return x; } };", "", "none []"},
      {"__device__ float f(float x);", "", "none []"},
      {"float relu(float x) { return x; }", "", "none [`relu` (line 1) lacks __device__]"},
      {"float f(float x) {}\n__global__ void k() {}", "",
       "none [`f` (line 1) lacks __device__, `k` (line 2) is a __global__ kernel]"},
      {"MACRO(x)\n__device__ float f(float x) {}", "", "unsure [f (line 2)]"},
      {"HD float f(float x) { return x; }", "", "unsure []"},
      {"#if X\n__device__ float f(float x) {}\n#else\n__device__ float f(float x) {}\n#endif", "",
       "unsure [f (line 2), f (line 4)]"},
  });
}

TEST(Entry, IsTheOneNamed) {
  check(std::vector<EntryRow>{
      {kRelu, "relu", "found relu [relu (line 1)]"},
      {kRelu, " relu ", "found relu [relu (line 1)]"},
      {kRelu, "::relu", "found relu [relu (line 1)]"},
      {kRelu, "relux", "none [relu (line 1)]"},
      {kRelu, "elu", "none [relu (line 1)]"},
      {kTwo, "a::f", "found a::f [a::f (line 1)]"},
      {kTwo, "::b::f", "found b::f [b::f (line 2)]"},
      {kTwo, "f", "several [a::f (line 1), b::f (line 2)]"},
      {kTwo, "::f", "none [a::f (line 1), b::f (line 2)]"},
      {"namespace a { "s + kRelu + " }", "relu", "found a::relu [a::relu (line 1)]"},
      {"namespace a { "s + kRelu + " }\n" + kRelu, "relu", "found relu [relu (line 2)]"},
      {"namespace a::b { "s + kRelu + " }", "b::relu", "found a::b::relu [a::b::relu (line 1)]"},
      {"namespace { "s + kRelu + " }", "relu", "found relu [relu (line 1)]"},
      {"MACRO(x)\n"s + kRelu, "relu", "found relu [relu (line 2)]"},
      {"#if X\n__device__ float f(float x) {}\n#else\n__device__ float f(float x) {}\n#endif", "f",
       "found f [f (line 2), f (line 4)]"},
      {"__device__ float f(float x) {}\n__device__ double f(double x) {}", "f",
       "found f overloaded [f (line 1), f (line 2)]"},
      {"__device__ float f(float x) {}\n__device__ float g(float x) {}", "g", "found g [g (line 2)]"},
      {"template <class T> __device__ T sq(T x) {}", "sq<float>", "found sq<float> [sq (line 1)]"},
      {"namespace a { template <class T> __device__ T sq(T x) {} }", "sq< Vec<float> >",
       "found a::sq< Vec<float> > [a::sq (line 1)]"},
      {"namespace a { template <class T, int N> __device__ T sq(T x) {} }", "::a::sq<float, (1 > 2)>",
       "found a::sq<float, (1 > 2)> [a::sq (line 1)]"},
      {"template <class T> __device__ T sq(T x) {}", "sq", "found sq [sq (line 1)]"},
      {"float relu(float x) { return x; }", "relu", "none [`relu` (line 1) lacks __device__]"},
      {"__global__ void k() {}\n"s + kRelu, "k", "none [`k` (line 1) is a __global__ kernel]"},
  });
}

TEST(Entry, MayComeFromElsewhere) {
  check(std::vector<EntryRow>{
      {"#include \"mine.h\"\n"s + kRelu, "gelu", "unsure gelu [relu (line 2)]"},
      {"#include \"mine.h\"", "a::gelu<float>", "unsure a::gelu<float> []"},
      {"DEFINE(gelu)\n"s + kRelu, "gelu", "unsure gelu [relu (line 2)]"},
      {"__device__ Scale twice{2};", "twice", "unsure twice []"},
      {"__device__ float f(float x);", "f", "unsure f []"},
      {"#include \"mine.h\"\n"s + kRelu, "relu<float>", "unsure relu<float> [relu (line 2)]"},
  });
}

TEST(Entry, MayBeAnExpression) {
  for (const std::string wanted :
       {"Scale{2}", "make()", "[](float x) { return x; }", "a::Scale<float>{}", "(f)", "*p", "a b"})
    EXPECT_EQ(choice_text(choose_entry(scan(kRelu), wanted)), "found " + wanted + " []");
}

TEST(Entry, HasOneSpellingWithoutSpaces) {
  for (const char* spelled : {"scale<float>", "scale< float >", " ::scale\t<float\n>", "scale/* of */<float>"})
    EXPECT_EQ(canonical_entry(spelled), "scale<float>") << spelled;
  EXPECT_EQ(canonical_entry("a :: f< unsigned   int, b<c> >"), "a::f<unsigned int,b<c>>");
  EXPECT_EQ(canonical_entry("a::f<unsigned int,b<c>>"), "a::f<unsigned int,b<c>>");
  EXPECT_EQ(canonical_entry("f< 2 >"), "f<2>");
  EXPECT_NE(canonical_entry("f<unsigned int>"), canonical_entry("f<unsignedint>"));
  EXPECT_EQ(canonical_entry(""), "");
  EXPECT_EQ(canonical_entry(" :: "), "");
  EXPECT_EQ(canonical_entry("Scale{ 2 }"), "Scale{2}");
}

TEST(Nearest, SuggestsTheSpelling) {
  const std::vector<std::string> names = {"relu (line 1)", "math::softplus (line 7)", "scale", "f"};
  EXPECT_EQ(nearest("rleu", names), "relu");
  EXPECT_EQ(nearest("ReLU", names), "relu");
  EXPECT_EQ(nearest("Relu6", names), "relu");
  EXPECT_EQ(nearest("soft_plus", names), "math::softplus");
  EXPECT_EQ(nearest("maths::softplus", names), "math::softplus");
  EXPECT_EQ(nearest("scale2<float>", names), "scale");
  EXPECT_EQ(nearest("g", names), "");
  EXPECT_EQ(nearest("convolve", names), "");
  EXPECT_EQ(nearest("", names), "");
  EXPECT_EQ(nearest("relu", {}), "");
}

}  // namespace
}  // namespace graft::reflect
