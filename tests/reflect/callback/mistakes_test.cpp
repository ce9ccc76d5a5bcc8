// Tests which `T&` parameters a callback changes before it writes them, with a table of texts.
#include "reflect/callback/mistakes.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace graft::reflect {
namespace {

struct Row {
  const char* text;
  const char* entry;
  std::vector<std::string> names;
};

TEST(ReadOutputs, AreThoseThatTheFirstUseChanges) {
  const std::vector<Row> rows = {
      {"__device__ void f(float& x, float v) { x += v; }", "f", {"x"}},
      {"__device__ void f(float& x, float v) noexcept { if (v > 0) { x -= v; } }", "f", {"x"}},
      {"namespace n { template <class T> __device__ void f(T& x, T& y) { ++x; y--; } }", "n::f<int>", {"x", "y"}},
      {"__device__ void f(unsigned& x, int& y) { x <<= 1; y >>= 1; }", "f", {"x", "y"}},
      {"struct P { float x, v; }; __device__ void f(P& p, float a) { p.v += a; }", "f", {"p"}},
      {"__device__ void f(Pair<int, float>& p, int a) { p.x.y ^= a; }", "f", {"p"}},
      {"[](float& x, float v) { x *= v; }", "", {"x"}},
      {"__device__ void g(float& x) { x += 1; }\n__device__ void f(float v, float& x) { x = v; g(x); }", "f", {}},
      {"__device__ void f(float& x, float v) { x = v; x += v; }", "f", {}},
      {"__device__ void f(float& x, float v) { g(x, v); x += v; }", "f", {}},
      {"__device__ void f(graft::InOut<float> x, float v) { x += v; }", "f", {}},
      {"__device__ void f(float&& x, float v) { x += v; }", "f", {}},
      {"__device__ void f(const float& s, float& y) { y = s; }", "f", {}},
      {"__device__ void f(float& x, S s) { s.x += 1; s->x += 1; x = 0; }", "f", {}},
      {"__device__ void f(bool& x, int v) { x == v; }", "f", {}},
      {"__device__ void f(float& x, float v);", "f", {}},
      {"__device__ void f(float& x", "f", {}},
      {"[", "", {}},
      {"", "f", {}},
      {"", "", {}},
  };
  for (const Row& row : rows) EXPECT_EQ(outputs_read_first(row.text, row.entry), row.names) << row.text;
}

}  // namespace
}  // namespace graft::reflect
