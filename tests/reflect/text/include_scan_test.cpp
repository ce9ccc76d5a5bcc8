// Tests the scan for includes, which works without a preprocessor. The scan finds the #include lines of a source, and
// everything else that makes the source depend on other files or on the time and place of compiling.
#include "reflect/text/include_scan.hpp"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "core/include_words.hpp"

namespace graft::reflect {
namespace {

struct Row {
  std::string source;
  std::vector<IncludeDirective> expected;
};

IncludeDirective angled(const std::string& name, int line = 1) {
  return {"<" + name + ">", name, true, false, line};
}
IncludeDirective quoted(const std::string& name, int line = 1) {
  return {"\"" + name + "\"", name, false, false, line};
}
IncludeDirective computed(const std::string& spelling, int line = 1) {
  return {spelling, "", false, true, line};
}

TEST(IncludeScan, FindsIncludes) {
  const std::vector<Row> rows = {
      {"", {}},
      {"#include <cmath>", {angled("cmath")}},
      {"#include \"mine.h\"", {quoted("mine.h")}},
      {"#include<cuda/std/complex>", {angled("cuda/std/complex")}},
      {"  #  include   \"a b.h\"  // why", {quoted("a b.h")}},
      {"# /* x */ include /* y */ <a.h> /* z */", {angled("a.h")}},
      {"#include \\\n  <a.h>\n#include <b.h>", {angled("a.h"), angled("b.h", 3)}},
      {"#inc\\\nlude <a.h>", {angled("a.h")}},
      {"%:include <a.h>", {angled("a.h")}},
      {"\xEF\xBB\xBF#include <a.h>", {angled("a.h")}},
      {"int x;\r\n#include <a.h>\r\n#include \"b.h\"\r\n", {angled("a.h", 2), quoted("b.h", 3)}},
      {"#include <a//b.h>", {angled("a//b.h")}},
      {"#include \"it's.h\"\n#include <it's.h>\n#include <c.h>",
       {quoted("it's.h"), angled("it's.h", 2), angled("c.h", 3)}},
      // The scan reports the includes of all branches.
      {"#if A\n#include <a>\n#else\n#include <b>\n#endif", {angled("a", 2), angled("b", 4)}},
      {"#if 0\n#include <a>\n#endif", {angled("a", 2)}},
      // These texts look like includes but include nothing.
      {"// #include <a.h>", {}},
      {"/*\n#include <a.h>\n*/", {}},
      {"const char* s = R\"(\n#include <a.h>\n)\";", {}},
      {"\"\\\n#include <a.h>\"", {}},
      {"x #include <a.h>", {}},
      {"#define A #include <a.h>", {}},
      {"#included <a.h>", {}},
      {"#include", {}},
      {"#include  // nothing", {}},
      // These includes are unusual: the file name is a macro or lacks its end, or the directive is #include_next or
      // #import.
      {"#include HEADER", {computed("HEADER")}},
      {"#include HEADER(x,  y)  // why", {computed("HEADER(x, y)")}},
      {"#include <a.h", {computed("<a.h")}},
      {"#include_next <a.h>", {{"<a.h>", "a.h", true, true, 1}}},
      {"#import \"a.h\"", {quoted("a.h")}},
      // An unterminated comment extends to the end of the source.
      {"#include <a.h>\n/* \n#include <b.h>", {angled("a.h")}},
  };
  for (const Row& row : rows) {
    const std::vector<IncludeDirective> found = scan_includes(row.source).includes;
    ASSERT_EQ(found.size(), row.expected.size()) << row.source;
    for (std::size_t i = 0; i < found.size(); ++i) {
      EXPECT_EQ(found[i].spelling, row.expected[i].spelling) << row.source;
      EXPECT_EQ(found[i], row.expected[i]) << row.source;
    }
  }
}

struct Circumstances {
  std::string source;
  bool has_include, names_file, names_time;
};

TEST(IncludeScan, FindsWhatDependsOnCircumstances) {
  const std::vector<Circumstances> rows = {
      {"__device__ float f(float x) { return x; }", false, false, false},
      {"#if __has_include(<a.h>)\n#endif", true, false, false},
      {"#if defined(__has_include) && __has_include(\"a.h\")\n#endif", true, false, false},
      {"#if __has_include_next(<a.h>)\n#endif", true, false, false},
      {"const char* f = __FILE__;", false, true, false},
      {"#define WHERE __FILE__ \":\"", false, true, false},
      {"const char* f = __FI\\\nLE__;", false, true, false},
      {"const char* f = __builtin_FILE();", false, true, false},
      {"const char* f = __FILE_NAME__;", false, true, false},
      {"const char* f = __DATE__ __FILE__;", false, true, true},
      {"int f = sizeof(__TIME__);", false, false, true},
      {"#if 0\n#define T __TIMESTAMP__\n#endif", false, false, true},
      {"// __FILE__ __DATE__ __has_include(x)", false, false, false},
      {"const char* s = \"__FILE__\" R\"(__TIME__)\";", false, false, false},
      {"#include <assert.h>\n# include \"__FILE__\"", false, false, false},
      {"#include <assert.h>\nint f(int x) { assert(x); }", false, true, false},
      {"#define NAME __FILE__\n#include NAME", false, true, false},
      {"int __FILE__x, my__FILE__, __TIME, __LINE__;", false, false, false},
  };
  for (const Circumstances& row : rows) {
    const IncludeScan scan = scan_includes(row.source);
    EXPECT_EQ(scan.has_include, row.has_include) << row.source;
    EXPECT_EQ(scan.names_file, row.names_file) << row.source;
    EXPECT_EQ(scan.names_time, row.names_time) << row.source;
  }
}

TEST(IncludeScan, FindsOtherWaysToTakeAFile) {
  struct Found {
    std::string source;
    bool embeds, imports;
  };
  const std::vector<Found> rows = {
      {"#embed \"a\"", true, false},     {"%:embed <a>", true, false},
      {"import <a>;", false, true},      {"int x;\nimport \"a\";", false, true},
      {"export import a;", false, true}, {"import :part;", false, true},
      {"import a;", false, true},        {"int import = 1;\nint y = 2 +\nimport + 1;", false, false},
      {"import = 3;", false, false},     {"// import <a>;\n\"import <a>\"", false, false},
      {"#include <a>", false, false},
  };
  for (const Found& row : rows) {
    const IncludeScan scan = scan_includes(row.source);
    EXPECT_EQ(scan.embeds, row.embeds) << row.source;
    EXPECT_EQ(scan.imports, row.imports) << row.source;
  }
}

TEST(IncludeScan, FindsPasteOperators) {
  for (const char* source : {"#define P(a, b) a##b", "#define P(a, b) a %:%: b", "#define P(a, b) a #\\\n# b", "a##b"})
    EXPECT_TRUE(scan_includes(source).pastes) << source;
  for (const char* source : {"// ##", "\"##\"", "#define S(a) #a", "#define M a % b"})
    EXPECT_FALSE(scan_includes(source).pastes) << source;
}

TEST(IncludeScan, KnowsWhereCompilersDisagree) {
  for (const std::string& source :
       {std::string("a\0b", 3), std::string("// a \\ \nb"), std::string("// a \\\t\r\nb"), std::string("// a\rb"),
        std::string("a\r"), std::string("R\"x( )\\\nx\" )x\""), std::string("#define A R\"(\\\n)\"")})
    EXPECT_TRUE(scan_includes(source).is_doubtful) << source;
  for (const char* source :
       {"a\r\nb", "#define A \\\n 1", "#define A \\\r\n 1", "\"\\n\"", "R\"(a)\"", "\"ERROR\" \\\n x", "'\\\\'"})
    EXPECT_FALSE(scan_includes(source).is_doubtful) << source;
}

// can_include, the fast check, must be true for every source in which the complete scan could find an include.
TEST(IncludeScan, SaysQuicklyWhatCanInclude) {
  for (const char* source :
       {"#include <a>", "#import \"a\"", "#embed \"a\"", "import a;", "#inc\\\nlude <a>", "#inc\\ \nlude <a>",
        "#inc\\\r\nlude <a>", "#inc?\?/\nlude <a>", "__has_include(<a>)", "__has_embed(\"a\")"})
    EXPECT_TRUE(can_include(source)) << source;
  for (const char* source : {"", "__device__ float f(float x) { return x; }", "#define A 1\n", "\"\\n\\\"\"", "'\\\\'"})
    EXPECT_FALSE(can_include(source)) << source;
}

// If the fast check stands_alone returns true for a source, the complete scan must find nothing in the source. The test
// makes the sources from random pieces.
TEST(IncludeScan, FindsNothingInATextThatStandsAlone) {
  for (const char* source :
       {"", "__device__ float f(float x) { return x > 0 ? x : 0; }", "#define A(x) (x % 2)\n", "\"#\""})
    EXPECT_TRUE(stands_alone(source)) << source;
  const std::vector<std::string> pieces = {"#include <a>\n",
                                           "import a;\n",
                                           "#embed \"a\"\n",
                                           "%:",
                                           "##",
                                           "?\?=",
                                           "\\\n",
                                           "\\ \n",
                                           "\r",
                                           std::string(1, '\0'),
                                           "__FILE__",
                                           "__BASE_FILE__",
                                           "__builtin_FILE()",
                                           "source_location",
                                           "assert(x);",
                                           "__DATE__",
                                           "__TIME__",
                                           "__TIMESTAMP__",
                                           "__has_include(<a>)",
                                           "__has_embed(<a>)",
                                           "x",
                                           " ",
                                           "\n",
                                           "\"",
                                           "'",
                                           "// ",
                                           "/*",
                                           "*/",
                                           "R\"(",
                                           ")\"",
                                           "__device__ float f(float x) { return x; }\n",
                                           "#define A 1\n",
                                           "__has_",
                                           "__FI",
                                           "LE__",
                                           "?"};
  std::mt19937 random(1);
  int alone = 0;
  for (int round = 0; round < 20'000; ++round) {
    std::string text;
    for (std::size_t i = random() % 6; i > 0; --i) text += pieces[random() % pieces.size()];
    if (!stands_alone(text)) continue;
    ++alone;
    const IncludeScan found = scan_includes(text);
    EXPECT_TRUE(found.includes.empty()) << text;
    EXPECT_FALSE(found.has_include || found.names_file || found.names_time || found.embeds || found.imports ||
                 found.pastes || found.is_doubtful || found.may_spell_hash)
        << text;
  }
  EXPECT_GT(alone, 1000);
}

TEST(SpecialNames, ArePutTogetherFromPieces) {
  struct Pieces {
    std::vector<std::string> words;
    std::string_view made;
  };
  const std::vector<Pieces> rows = {
      {{"__FI", "LE__"}, "__FILE__"},
      {{"LE__", "x", "__FI"}, "__FILE__"},
      {{"_", "FILE"}, "__FILE__"},
      {{"__FILE", "_"}, "__FILE__"},
      {{"__FI", "__"}, ""},
      {{"__FI", "LE", "__"}, "__FILE__"},
      {{"__", "TIME"}, "__TIME__"},
      {{"__TIME", "STAMP__"}, "__TIMESTAMP__"},
      {{"ass", "ert"}, "assert"},
      {{"__has_", "include"}, "__has_include"},
      {{"__DATE__"}, ""},
      {{}, ""},
      {{"__LINE", "__COUNTER", "__"}, ""},
  };
  for (const Pieces& row : rows) {
    NamePieces pieces;
    for (const std::string& word : row.words) pieces.add(word);
    EXPECT_EQ(pieces.makes(), row.made);
  }
}

}  // namespace
}  // namespace graft::reflect
