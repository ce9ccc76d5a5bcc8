// Tests which names a formula without types has.
#include "formula/free_names.hpp"

#include <gtest/gtest.h>

#include "formula/parser.hpp"
#include "graft/error.hpp"
#include "support/errors.hpp"

namespace graft::formulas {
namespace {

using Names = std::vector<std::string>;

Names names_in(const char* formula) {
  return free_names(parse(formula));
}

TEST(FreeNames, AreThoseThatNothingDefines) {
  EXPECT_EQ(names_in("a * max(x, 0) + b"), (Names{"a", "x", "b"}));
  EXPECT_EQ(names_in("x + x * x"), Names{"x"});
  EXPECT_EQ(names_in("2 * pi + e + inf"), Names{});
  EXPECT_EQ(names_in("max(max, 1)"), Names{"max"});
  EXPECT_EQ(names_in("p.x * q.y + p.y"), (Names{"p", "q"}));
  EXPECT_EQ(names_in("r = hypot(x, y); t = r * r + z"), (Names{"x", "y", "z"}));
  EXPECT_EQ(names_in("y = y + 1"), Names{"y"});
  EXPECT_EQ(names_in("let t = x; t + np.pi * math.e  # z"), Names{"x"});
  EXPECT_EQ(names_in("x if not c and d else np.where(y, 1j, 2)"), (Names{"x", "c", "d", "y"}));
}

TEST(FreeNames, CanBeDeclaredInFront) {
  const UntypedFormula declared = split_untyped("x, y; a => a * x + y");
  EXPECT_TRUE(declared.declares);
  EXPECT_EQ(declared.inputs, (Names{"x", "y"}));
  EXPECT_EQ(declared.parameters, Names{"a"});
  EXPECT_EQ(declared.formula, "           a * x + y");
  EXPECT_EQ(split_untyped("; a => a").parameters, Names{"a"});
  EXPECT_EQ(split_untyped("=> 2").inputs, Names{});
  const UntypedFormula bare = split_untyped("a * x");
  EXPECT_FALSE(bare.declares);
  EXPECT_EQ(bare.formula, "a * x");
  EXPECT_FALSE(split_untyped("a * x  # x => y").declares);
  EXPECT_EQ(split_untyped("x # =>\n => x # =>").formula, "      \n    x # =>");
}

TEST(FreeNames, DeclaredInAnotherFormAreRefused) {
  for (const char* text : {"x, => x", "x,; a => x", "f32 x => x", "x; a; b => x", "2 => x", "x; a, => x"})
    EXPECT_EQ(test::error_of([&] { split_untyped(text); }).code(), ErrorCode::InvalidArgument) << text;
}

}  // namespace
}  // namespace graft::formulas
