// Tests the parser of Python literals with a table of texts and their parsed values.
#include "cli/arrays/python_literal.hpp"

#include <gtest/gtest.h>

namespace graft::cli {
namespace {

TEST(PythonLiteral, Texts) {
  for (const char* text : {"()", "(1,)", "(1, 2)", "[]", "[1]", "[1, ]", "{}", "{'a': 1}", "{'a': (1, [2]), }", "''",
                           "\"x'y\"", "'it\\'s'", "None", "True", " 18446744073709551615 ", "3L"})
    EXPECT_TRUE(parse_literal(text)) << text;
  for (const char* text : {"",
                           " ",
                           "(",
                           "(1",
                           "(1)",
                           "(,)",
                           "(1 2)",
                           "[1 2]",
                           "{1: 2}",
                           "{'a'}",
                           "{'a': }",
                           "'a",
                           "'a\\",
                           "-1",
                           "1.5",
                           "1 2",
                           "18446744073709551616",
                           "true",
                           "f()",
                           "'a\nb'",
                           "[1,,2]"})
    EXPECT_FALSE(parse_literal(text)) << text;
}

TEST(PythonLiteral, Values) {
  const auto dict = parse_literal(" {'descr': '<f\\'4', \"n\": (7, True, None), 'x': 1, 'x': 2} ");
  ASSERT_TRUE(dict);
  ASSERT_NE(dict->find("descr"), nullptr);
  EXPECT_EQ(dict->find("descr")->text, "<f'4");
  EXPECT_EQ(dict->find("descr")->written, "'<f\\'4'");
  EXPECT_EQ(dict->find("n")->items.at(0).number, 7u);
  EXPECT_EQ(dict->find("n")->items.at(1).number, 1u);
  EXPECT_TRUE(dict->find("n")->items.at(2).is(Literal::Kind::None));
  EXPECT_EQ(dict->find("x"), nullptr);  // null because the dictionary has this key twice
  EXPECT_EQ(dict->find("y"), nullptr);
}

TEST(PythonLiteral, DepthIsBounded) {
  const auto nested = [](std::size_t depth) { return std::string(depth, '[') + std::string(depth, ']'); };
  EXPECT_TRUE(parse_literal(nested(32)));
  EXPECT_FALSE(parse_literal(nested(33)));
  EXPECT_FALSE(parse_literal(nested(100'000)));
}

}  // namespace
}  // namespace graft::cli
