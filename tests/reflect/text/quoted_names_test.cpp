// Tests the search for quoted file names in directives, and their replacement.
#include "reflect/text/quoted_names.hpp"

#include <gtest/gtest.h>

#include <string>

namespace graft::reflect {
namespace {

std::string replaced(const Text& text) {
  return replace_names(text.source(), find_quoted_names(text),
                       [](const QuotedName& quoted) { return quoted.name == "k.h" ? "/p/k.h" : std::string(); });
}

TEST(QuotedNames, AreReplacedInDirectivesOnly) {
  struct Row {
    const char* text;
    const char* expected;
  };
  const Row rows[] = {
      {"", ""},
      {"#include \"k.h\"\n", "#include \"/p/k.h\"\n"},
      {"#include \"other.h\"\n#include \"k.h\"", "#include \"other.h\"\n#include \"/p/k.h\""},
      {"/* \"k.h\" */ #include \"k.h\" // \"k.h\"", "/* \"k.h\" */ #include \"/p/k.h\" // \"k.h\""},
      {"#if __has_include(\"k.h\") && __has_include ( \"k.h\" )\n#endif",
       "#if __has_include(\"/p/k.h\") && __has_include ( \"/p/k.h\" )\n#endif"},
      {"#define HAS __has_include(\"k.h\")", "#define HAS __has_include(\"/p/k.h\")"},
      {"#embed \"k.h\"", "#embed \"/p/k.h\""},
      {"#include \\\n\"k.h\"\nx", "#include \\\n\"/p/k.h\"\nx"},
      {"a\\\nb\n#include \"k\\\n.h\"\nx", "a\\\nb\n#include \"/p/k.h\"\\\n\nx"},
      // When the lines are joined, a backslash and the end of a line are left in the comment.
      {"#include /* \\\\\n\n */ \"k.h\"", "#include /* \\\\\n\n */ \"/p/k.h\""},
      // These are no names of files, or not between quotes.
      {"const char* s = \"k.h\";", "const char* s = \"k.h\";"},
      {"#define H \"k.h\"\n#include H", "#define H \"k.h\"\n#include H"},
      {"#include <k.h>\n#include_next \"k.h\"", "#include <k.h>\n#include_next \"k.h\""},
      {"// #include \"k.h\"", "// #include \"k.h\""},
      {"#include \"k.h", "#include \"k.h"},
  };
  for (const Row& row : rows) EXPECT_EQ(replaced(row.text), row.expected) << row.text;
}

TEST(QuotedNames, PointIntoTheText) {
  const Text text("#include \\\n\"a\\\n.h\"\n#if __has_include(\"b.h\")\n#endif");
  const std::vector<QuotedName> names = find_quoted_names(text);
  ASSERT_EQ(names.size(), 2u);
  EXPECT_EQ(names[0].written, "\"a\\\n.h\"");
  EXPECT_EQ(names[0].name, "a.h");
  EXPECT_EQ(names[1].written.data(), text.source().data() + text.source().find("\"b.h\""));
  EXPECT_EQ(names[1].name, "b.h");
}

TEST(IncludedNames, AreReplacedInQuotesAndInBrackets) {
  const auto replaced = [](const Text& text) {
    return replace_names(text.source(), find_included_names(text), [](const QuotedName& included) {
      return included.name == "k.h" ? std::string(included.is_angled() ? "angled" : "quoted") : std::string();
    });
  };
  EXPECT_EQ(replaced("#include <k.h>  // <k.h>\n# include \"k.h\"\n#include <other.h>\nx"),
            "#include \"angled\"  // <k.h>\n# include \"quoted\"\n#include <other.h>\nx");
  const std::string others = "#include_next <k.h>\n#if __has_include(<k.h>)\n#embed <k.h>\n#endif\n#import <k.h>\n";
  EXPECT_EQ(replaced(others), others);
  EXPECT_EQ(replaced("#include <k\\\n.h>\nx"), "#include \"angled\"\\\n\nx");
}

}  // namespace
}  // namespace graft::reflect
