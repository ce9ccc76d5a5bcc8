// Tests structs that are written once for the program and for the callback (GRAFT_DEFINE_STRUCT), and Options::cpu.
#include "graft/struct.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <type_traits>
#include <vector>

#include "graft/graft.hpp"
#include "support/errors.hpp"

namespace graft {
namespace {

GRAFT_DEFINE_STRUCT(Point, float x, y;);
// The comment and the line breaks are no part of the text.
// clang-format off
GRAFT_DEFINE_STRUCT(Curve,
             Point from, to;      // two points
             unsigned char flags[3];
             double factor;
             const float* table;);
// clang-format on

static_assert(std::is_aggregate_v<Curve> && std::is_trivially_copyable_v<Curve>);
static_assert(sizeof(Point) == 2 * sizeof(float));

TEST(GraftStruct, DeclarationIsOneLineOfItsMembers) {
  EXPECT_EQ(declaration<Point>(), "struct Point { float x, y; }; ");
  EXPECT_EQ(declaration<Curve>(),
            "struct Curve { Point from, to; unsigned char flags[3]; double factor; const float* table; }; ");
}

// The callback answers with the struct's size, with the place of the last member, and with values of members.
TEST(GraftStruct, CallbackAndProgramHaveTheSameStruct) {
  const std::string text = declaration<Point>() + declaration<Curve>() + R"(
    __device__ void look(const Curve& c, graft::Index i, float& member, unsigned long long& fact) {
      const float members[] = {c.from.x, c.from.y, c.to.x, c.to.y, float(c.flags[2]), float(c.factor), c.table[1]};
      const unsigned long long facts[] = {sizeof(Curve), alignof(Curve), reinterpret_cast<const char*>(&c.table) -
                                          reinterpret_cast<const char*>(&c)};
      member = members[i % 7];
      fact = facts[i % 3];
    })";
  const Transform look = Transform::create(text, Options::cpu());
  const float table[] = {7, 8};
  const Curve curve{{1, 2}, {3, 4}, {0, 0, 5}, 6, table};
  std::vector<float> members(7);
  std::vector<unsigned long long> facts(7);
  look.execute(host, inputs(), outputs(members, facts), curve);
  EXPECT_EQ(members, (std::vector<float>{1, 2, 3, 4, 5, 6, 8}));
  facts.resize(3);
  EXPECT_EQ(facts, (std::vector<unsigned long long>{sizeof(Curve), alignof(Curve), offsetof(Curve, table)}));
}

TEST(GraftStruct, StructsOfAFunctionWork) {
  GRAFT_DEFINE_STRUCT(Line, float slope, offset;);
  const Transform line = Transform::create(
      declaration<Line>() + "__device__ float line(float x, const Line& l) { return l.slope * x + l.offset; }",
      Options::cpu());
  const std::vector<float> x = {1, 2};
  std::vector<float> y(2);
  line.execute(host, x, y, Line{2, 1});
  EXPECT_EQ(y, (std::vector<float>{3, 5}));
}

// A struct as an element, and a message with the line that the callback's author wrote.
TEST(GraftStruct, LinesOfTheCallbackKeepTheirNumbers) {
  const Error error = test::error_of([] {
    Transform::create(declaration<Point>() + "__device__ float f(Point p) {\n  return p.z;\n}", Options::cpu());
  });
  ASSERT_FALSE(error.diagnostics().empty());
  EXPECT_EQ(error.diagnostics()[0].line, 2);
}

TEST(OptionsCpu, RequireTheHostRouteAndNothingElse) {
  const Options options = Options::cpu();
  EXPECT_EQ(options.routes.required, Route::Host);
  EXPECT_TRUE(options.routes.forbidden.empty());
  EXPECT_EQ(options.host_threads, Options().host_threads);
  EXPECT_EQ(Transform::create("[](float x) { return x; }", options).report().kernel.route, Route::Host);
}

}  // namespace
}  // namespace graft
