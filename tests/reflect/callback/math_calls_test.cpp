// Which math functions get overloads: those whose arguments may be other numbers than floats.
#include "reflect/callback/math_calls.hpp"

#include <gtest/gtest.h>

#include <string>

namespace graft::reflect {
namespace {

std::string found(std::initializer_list<std::string_view> texts) {
  MathCalls calls;
  for (const std::string_view text : texts) calls.read(text);
  std::string names;
  for (const MathFunction& function : calls.ambiguous()) names.append(names.empty() ? 0 : 1, ' ').append(function.name);
  return names;
}

TEST(MathCalls, WithOtherNumbersThanFloats) {
  EXPECT_EQ(found({"float f(float x) { return max(x, 0); }"}), "max");
  EXPECT_EQ(found({"float f(float x) { return pow(x, 0.5); }"}), "pow");
  EXPECT_EQ(found({"float f(float x) { return sqrt(2) * max(x, 1.f); }"}), "sqrt");
  EXPECT_EQ(found({"float f(float x) { return max(min(x, 1), 0.f); }"}), "max min");
  EXPECT_EQ(found({"float f(float x) { return atan2(x, M_PI) + hypot(x, true) + fmod(x, 'a'); }"}), "atan2 fmod hypot");
  EXPECT_EQ(found({"float f(float x) { return ::max(x, 0) + std::sqrt(2); }"}), "max sqrt");
}

TEST(MathCalls, OfFloatsNeedNothing) {
  EXPECT_EQ(found({"float f(float x) { return 2 * tanh(x) + max(x, 0.f) * pow(x, 1e-3f); }"}), "");
  EXPECT_EQ(found({"float f(float x) { return 0.5f * x * (1.0f + erff(x * 0.70710678f)); }"}), "");
  EXPECT_EQ(found({"struct P { float max; }; float f(float x, const P& p) { return x * p.max * 2; }"}), "");
  EXPECT_EQ(found({"float f(float x) { return std::max(x, 0.f) + a.max(1) + b->min(2); }"}), "");
}

TEST(MathCalls, OfFunctionsThatNvrtcDoesNotHave) {
  EXPECT_EQ(found({"float f(float x) { return isnormal(x) && isless(x, 1.f) ? max(x, 0.f) : 0; }"}), "isless isnormal");
}

TEST(MathCalls, OfATextWithOtherTypes) {
  EXPECT_EQ(found({"float f(float x, int n) { return max(x, n); }"}), "max");
  EXPECT_EQ(found({"float f(float x) { auto n = 1; return max(x, n); }"}), "max");
  EXPECT_EQ(found({"#define N 3\nfloat f(float x) { return max(x, N); }"}), "max");
  EXPECT_EQ(found({"float f(float x) { return max(x, N); }", "#define N 3"}), "max");
  EXPECT_EQ(found({"#define ROOT sqrt\nfloat f(float x) { return ROOT(2) * x; }"}), "sqrt");
  EXPECT_EQ(found({"#define RELU(x) max(x, 0)\nfloat f(float x) { return RELU(x); }"}), "max");
  EXPECT_EQ(found({"uchar f(uchar4 c) { return max(c.x, c.y); }"}), "max");
}

TEST(MathCalls, OfAnythingAtAll) {
  EXPECT_EQ(found({"max(", "((((", "max(x, 1", ")))"}), "max");
  EXPECT_EQ(found({"", "\"max(1)\" // sqrt(2)"}), "");
  MathCalls all;
  all.take_all();
  EXPECT_GT(all.ambiguous().size(), 60u);
}

}  // namespace
}  // namespace graft::reflect
