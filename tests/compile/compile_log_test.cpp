// Parses logs that NVRTC 13.0 wrote. Tests that the user's messages are separated from graft's own messages and from
// those of ptxas, and that undefined functions are found.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>

#include "compile/compile_log.hpp"

namespace graft::compile {
namespace {

constexpr const char* kErrors =
    "callback.cu(3): error: identifier \"y\" is undefined\n"
    "    return y + z;\n"
    "           ^\n"
    "\n"
    "callback.cu(2): warning #177-D: variable \"unused\" was declared but never referenced\n"
    "    int unused;\n"
    "        ^\n"
    "\n"
    "Remark: The warnings can be suppressed with \"-diag-suppress <warning-number>\"\n"
    "\n"
    "graft_adapter(2): error: identifier \"B\" is undefined\n"
    "  int q = A;\n"
    "          ^\n"
    "\n"
    "2 errors detected in the compilation of \"graft_program\".\n";

// Summarises the messages of a log, for example "callback.cu 3 error; graft_adapter 2 own error".
std::string heads(std::string_view log) {
  std::string text;
  for (const CompileMessage& message : parse_compile_log(log))
    text += fmt::format("{}{} {}{}{}", text.empty() ? "" : "; ", message.file, message.line,
                        message.is_own ? " own" : "", message.is_error ? " error" : "");
  return text;
}

TEST(CompileLog, IsToldApart) {
  EXPECT_EQ(heads(kErrors), "callback.cu 3 error; callback.cu 2; graft_adapter 2 own error");
  EXPECT_EQ(heads(""), "");
  EXPECT_EQ(heads("nothing that looks like a message\n"), "");
  EXPECT_EQ(heads("call(7): back.cu(2): warning #177-D: variable\n"), "call(7): back.cu 2");
  EXPECT_EQ(heads("callback.cu(1): catastrophic error: cannot open source file \"absent.h\""), "callback.cu 1 error");
  EXPECT_EQ(heads("graft/adapter.h(391): error: x\ngraft_declared_signature(2): error: y\n"),
            "graft/adapter.h 391 own error; graft_declared_signature 2 own error");
}

TEST(CompileLog, KeepsTheUsersMessagesWhole) {
  EXPECT_EQ(user_log(parse_compile_log(kErrors)),
            "callback.cu(3): error: identifier \"y\" is undefined\n"
            "    return y + z;\n"
            "           ^\n"
            "callback.cu(2): warning #177-D: variable \"unused\" was declared but never referenced\n"
            "    int unused;\n"
            "        ^\n");
}

TEST(CubinLog, NamesTheUndefinedFunction) {
  EXPECT_EQ(undefined_function("ptxas fatal   : Unresolved extern function '_Z6absentf'\nERROR"), "_Z6absentf");
  EXPECT_EQ(undefined_function("error   : Undefined reference to 'f' in 'k'\nERROR 1: finish\n"), "f");
  EXPECT_EQ(undefined_function("ERROR 90 in LTOIR arch newer than target arch\n"), "");
  EXPECT_EQ(undefined_function("Undefined reference to '"), "");
}

TEST(CubinLog, IsPtxasAndCompilerApart) {
  const SplitLog split = split_ptxas_log(
      "callback.cu(1): warning #177-D: x\n  int x;\n\nptxas info    : 0 bytes gmem\nptxas         .     0 bytes stack");
  EXPECT_EQ(split.compiler, "callback.cu(1): warning #177-D: x\n  int x;\n\n");
  EXPECT_EQ(split.ptxas, "ptxas info    : 0 bytes gmem\nptxas         .     0 bytes stack");
  EXPECT_EQ(split_ptxas_log("").compiler, "");
}

}  // namespace
}  // namespace graft::compile
