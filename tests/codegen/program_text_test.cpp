// Tests the lines (#define, #undef, #line) that ProgramText writes into a generated program.
#include "codegen/program_text.hpp"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace graft::codegen {
namespace {

TEST(ProgramText, WritesLinesInTheirOrder) {
  ProgramText text;
  text.include("graft/device.h");
  text.lines_of("a.cu", 7);
  text.raw("int x;\n");
  text.own_lines();
  text.line("int {} = {{{}}};", "y", 2);
  text.own_lines(4);
  EXPECT_EQ(text.take(),
            "#include \"graft/device.h\"\n#line 7 \"a.cu\"\nint x;\n#line 1 \"graft_adapter\"\nint y = {2};\n"
            "#line 4 \"graft_adapter\"\n");
  EXPECT_EQ(text.take(), "");
}

TEST(ProgramText, DefinesMacros) {
  ProgramText text;
  text.define("N", "3");
  text.define("EMPTY", "");
  text.define("IS_SET");
  text.define("TWICE(x)", "(2 * (x))");
  for (const char* macro : {"N", "TWICE(x)"}) text.undefine(macro);
  EXPECT_EQ(text.take(),
            "#define N 3\n#define EMPTY \n#define IS_SET\n#define TWICE(x) (2 * (x))\n#undef N\n#undef TWICE\n");
}

TEST(ProgramText, EscapesFileNames) {
  const std::vector<std::pair<std::string, std::string>> rows = {
      {"a\"b\\c.cu", "a\\\"b\\\\c.cu"},
      {"a\nb\r.cu", "a b .cu"},
      {"gr\xc3\xbcn.cu", "gr\xc3\xbcn.cu"},
      {"\xff.cu", "?.cu"},
      {"\xc3", "?"},                  // a sequence that ends too early
      {"\xed\xa0\x80", "???"},        // a surrogate
      {"\xe0\x80\xaf.cu", "???.cu"},  // an overlong form
  };
  for (const auto& [name, shown] : rows) {
    ProgramText text;
    text.lines_of(name, 1);
    EXPECT_EQ(text.take(), "#line 1 \"" + shown + "\"\n");
  }
}

}  // namespace
}  // namespace graft::codegen
