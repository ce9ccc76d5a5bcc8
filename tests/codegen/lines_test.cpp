// Tests how the leading lines of a user's text are separated from its code, also in long texts: the functions tokenize
// a text once, so they take linear time.
#include "codegen/lines.hpp"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace graft::codegen {
namespace {

// Returns the text with a bar at each cut.
std::string barred(std::string_view text, const std::vector<Cut>& cuts) {
  std::string result(text);
  for (std::size_t i = cuts.size(); i-- > 0;) result.insert(cuts[i].offset, "|");
  return result;
}

// The code of a header is in a namespace, behind its #include lines and inside its guard, with the same line numbers.
TEST(Lines, HeadersGetAnInlineNamespace) {
  const auto wrapped = [](const char* text) { return in_inline_namespace(reflect::Text(text), "n").value_or("none"); };
  EXPECT_EQ(wrapped("int x;\n"), "\ninline namespace n {\n#line 1\nint x;\n\n}\n#line 2\n");
  EXPECT_EQ(wrapped("#pragma once\n#include <a>\n\nint x;"),
            "#pragma once\n#include <a>\n\ninline namespace n {\n#line 3\n\nint x;\n}\n#line 4\n");
  EXPECT_EQ(wrapped("// a\n#ifndef A_H\n#define A_H\n#include <a>\n#define B\nint x;\n#endif  // A_H\n"),
            "// a\n#ifndef A_H\n#define A_H\n#include <a>\n#define B\n\ninline namespace n {\n#line 6\nint x;\n\n}\n"
            "#line 7\n#endif  // A_H\n");
  EXPECT_EQ(wrapped("#ifndef A_H\n#define A_H\nint x;\n#endif"),
            "#ifndef A_H\n#define A_H\n\ninline namespace n {\n#line 3\nint x;\n\n}\n#line 4\n#endif");
  for (const char* text : {"#define A 1\n", "", "// nothing\n", "#pragma once\n#include <a>\n"})
    EXPECT_EQ(wrapped(text), text);
  for (const char* text : {"int x;\n#include <a>\nint y;", "namespace a {\n", "#if A\nint x;\n"})
    EXPECT_EQ(wrapped(text), "none") << text;
}

TEST(Lines, LeadingLinesEndBehindTheLastDirective) {
  for (const char* text : {"int x;", "", "#define A 1\n", "#if A\nint x;\n#endif\n#define B\nint y;", "// a\nint x;"})
    EXPECT_TRUE(leading_lines(text).empty()) << text;
  for (const char* expected : {
           "#define A 1\n|int x;",
           "// a\n#define A 1 \r\n|\n// b\nint x;",
           "#define A 1 /* a\nb */\n|int x;",
           "#define A 1 // a \\\nb\n|int x;",
           "#define A 1 \\\n  \\\n\n|int x;",
           "/* a\n*/ #define A \\\n1\n|/* b\n*/ int x;",
           "#ifdef A\n#define B\n#endif\n|#ifdef B\nint x;\n#endif",
       }) {
    std::string text = expected;
    const std::size_t bar = text.find('|');
    text.erase(bar, 1);
    EXPECT_EQ(barred(text, leading_lines(text)), expected);
  }
}

TEST(Lines, AreCutBehindEachInclude) {
  const std::pair<const char*, const char*> rows[] = {
      {"int x;", "int x;"},
      {"#define A\nint x;", "#define A\nint x;"},
      {"#include <a>\n", "#include <a>\n"},
      {"#include <a>\nint x;", "#include <a>\n|int x;"},
      {"#define A\n#include <a>\n#undef A\n#include <b>\n#define B\nint x;",
       "#define A\n#include <a>\n|#undef A\n#include <b>\n|#define B\nint x;"},
      {"#ifdef A\n#include <a>\n#endif\n#if B\n#endif\nint x;",
       "#ifdef A\n#include <a>\n#endif\n|#if B\n#endif\nint x;"},
      {"#include <a>\nint x;\n#include <b>\n", "#include <a>\n|int x;\n#include <b>\n"},
  };
  for (const auto& [text, expected] : rows) EXPECT_EQ(barred(text, ends_of_includes(text)), expected);
}

TEST(Lines, FindALateInclude) {
  EXPECT_EQ(line_of_late_include("#include <a>\nint x;\n"), 0);
  EXPECT_EQ(line_of_late_include("#include <a>\nint x;\n\n#include <b>\n"), 4);
  EXPECT_EQ(line_of_late_include("#if A\nint x;\n#include <b>\n#endif"), 3);
}

// Each of these texts took minutes when a text was tokenized once for every line.
TEST(Lines, TakeLinearTime) {
  constexpr std::size_t kLines = 200'000;
  const std::string comment = "#define A 1\n/*" + std::string(kLines, '\n') + "*/ int x;";
  EXPECT_EQ(leading_lines(comment).at(0).offset, std::string_view("#define A 1\n").size());
  std::string pragmas;
  for (std::size_t i = 0; i < kLines; ++i) pragmas += "#pragma \\\nonce\n";
  const std::string without = without_include_guard(pragmas + "int x;").source();
  EXPECT_EQ(without.find_first_not_of(" \n\\"), without.size() - 6);
  std::string includes;
  for (std::size_t i = 0; i < kLines; ++i) includes += "#include <a>\n";
  EXPECT_EQ(ends_of_includes(includes + "int x;").size(), kLines);
}

TEST(Lines, OfAnIncludeGuardBecomeSpaces) {
  EXPECT_EQ(without_include_guard("#ifndef A\n#define A\nint x;\n#endif").source(),
            "         \n         \nint x;\n      ");
  EXPECT_EQ(without_include_guard("#ifndef A\n#define A\n#if B\n#else\n#endif\nint x;\n#endif  // A").source(),
            "         \n         \n#if B\n#else\n#endif\nint x;\n            ");
  for (const char* other :
       {"#ifndef A\n#define A\n#ifdef A\nint x;\n#endif\n#endif", "#ifndef A\n#define A\nA int x;\n#endif"})
    EXPECT_EQ(without_include_guard(other).source(), other);
  EXPECT_EQ(without_include_guard("#ifndef A\n#define A 1\nint x;\n#endif").source(),
            "         \n           \nint x;\n      ");
  EXPECT_EQ(without_include_guard("#if !defined(A)\n# define A\nint x;\n#endif").source(),
            "               \n          \nint x;\n      ");
  EXPECT_EQ(without_include_guard("/* a\n*/ #if ! defined A\n#define A\nint x;\n#endif /* b */").source(),
            "/* a\n*/                \n         \nint x;\n              ");
  EXPECT_EQ(without_include_guard("#pragma once\n#ifndef A\n#define A\nint x;\n#endif").source(),
            "            \n         \n         \nint x;\n      ");
  EXPECT_EQ(without_include_guard("#pragma once\nint x;").source(), "            \nint x;");
  EXPECT_EQ(without_include_guard("#ifndef \\\n A\n#define A\nint \\\nx;\n#endif").source(),
            "         \n  \n         \nint \\\nx;\n      ");
  for (const char* other :
       {"", "int x;", "#ifndef A\n#define B\nint x;\n#endif", "#if !defined(A) && B\n#define A\nint x;\n#endif",
        "#ifndef A\n#define A\nint x;\n#endif\nint y;", "#ifndef A\n#define A\nint x;",
        "#ifndef A\n#define A\nint x;\n#else\nint y;\n#endif", "int y;\n#ifndef A\n#define A\n#endif"})
    EXPECT_EQ(without_include_guard(other).source(), other);
}

}  // namespace
}  // namespace graft::codegen
