// Tests callbacks that update arrays in place, have no outputs, or have as many arrays as possible. In version 0.1, `x
// += dt * v` on a `T&` parameter silently stored dt * v, and callbacks needed an output. graft::InOut updates an array
// in place, and a `T&` that is changed before it is written gets a note in the report.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "support/compile.hpp"
#include "support/routes.hpp"

namespace graft::test {
namespace {

using testing::Contains;
using testing::Each;
using testing::HasSubstr;
using testing::Not;

constexpr const char* kNote = "to update an array, take graft::InOut<T>";

TEST(InOutArrays, AnOutputThatIsReadGetsANote) {
  for (const Route route : kAllRoutes) {
    SCOPED_TRACE(name(route));
    const auto notes_of = [&](const char* source) { return build(source, Architecture(90), by(route)).report().notes; };
    EXPECT_THAT(notes_of("__device__ void step(float& x, float v) { x += v; }"),
                Contains(HasSubstr("`x` is a `T&` output, which is zero on entry")));
    EXPECT_THAT(notes_of("__device__ void step(graft::InOut<float> x, float v) { x += v; }"),
                Each(Not(HasSubstr(kNote))));
    EXPECT_THAT(notes_of("__device__ void step(float& x, float v) { x = v; x += v; }"), Each(Not(HasSubstr(kNote))));
  }
}

TEST(InOutArrays, InOutArraysKeepTheirOldValues) {
  std::vector<float> x = {1, 2, 3};
  const std::vector<float> v = {10, 20, 30};
  const Transform step = Transform::create(
      "__device__ void step(graft::InOut<float> x, float v, const float& dt) { x += dt * v; }", by(Route::Host));
  step.execute(host, v, x, 0.5f);
  EXPECT_EQ(x, (std::vector<float>{6, 12, 18}));
}

// The call of a callback without outputs must not be dropped.
TEST(InOutArrays, CallbacksNeedNoOutputs) {
  unsigned above = 0;
  const std::vector<float> x = {1, 2, 3};
  const Transform count = Transform::create(
      "__device__ void count(float x, unsigned* const& above) { if (x > 1) atomicAdd(above, 1u); }", by(Route::Host));
  count.execute(host, x, host_outputs(), &above);
  EXPECT_EQ(above, 2u);
  std::vector<unsigned> squares(4);
  const Transform fill = Transform::create(
      "__device__ void fill(graft::Index i, unsigned* const& out) { out[i] = i * i; }", by(Route::Host));
  fill.execute(host, graft::count(4), squares.data());
  EXPECT_EQ(squares, (std::vector<unsigned>{0, 1, 4, 9}));
  EXPECT_EQ(error_of([&] { fill.execute(host, x, host_outputs(), squares.data()); }).code(), ErrorCode::CountMismatch);
  EXPECT_EQ(error_of([&] { count.execute(host, graft::count(3), &above); }).code(), ErrorCode::CountMismatch);
}

TEST(InOutArrays, SixteenInputsAndEightOutputs) {
  const Transform t = Transform::create(
      "__device__ void f(int a, int b, int c, int d, int e, int f, int g, int h, int i, int j, int k, int l, int m, "
      "int n,"
      " int o, short p, int& q, int& r, int& s, int& t, int& u, int& v, int& w, short& x) {"
      "  q = a + b; r = c + d; s = e + f; t = g + h; u = i + j; v = k + l; w = m + n; x = o + p; }",
      by(Route::Host));
  std::vector<std::vector<int>> in;
  for (int k = 0; k < 15; ++k) in.push_back({k, 10 * k});
  const std::vector<short> p = {15, 150};
  std::vector<std::vector<int>> out(7, std::vector<int>(2));
  std::vector<short> x(2);
  t.execute(host,
            host_inputs(in[0], in[1], in[2], in[3], in[4], in[5], in[6], in[7], in[8], in[9], in[10], in[11], in[12],
                        in[13], in[14], p),
            host_outputs(out[0], out[1], out[2], out[3], out[4], out[5], out[6], x));
  for (int k = 0; k < 7; ++k) EXPECT_EQ(out[static_cast<std::size_t>(k)], (std::vector<int>{4 * k + 1, 40 * k + 10}));
  EXPECT_EQ(x, (std::vector<short>{29, 290}));
}

}  // namespace
}  // namespace graft::test
