// Parses logs that NVRTC 13.0 and g++ wrote. Tests that the user's messages are separated from graft's own messages and
// from those of ptxas, and that undefined functions are found.
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
std::string heads(std::string_view log, Compiler compiler = Compiler::Nvrtc) {
  std::string text;
  for (const CompileMessage& message : parse_compile_log(log, compiler))
    text += fmt::format("{}{} {}{}{}", text.empty() ? "" : "; ", message.file, message.line,
                        message.is_own ? " own" : "", message.is_error() ? " error" : "");
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
  EXPECT_EQ(heads("At end of source: error: expected a \"}\"\n"), "graft_adapter 0 own error");
}

TEST(CompileLog, KeepsTheUsersMessagesWhole) {
  EXPECT_EQ(user_log(parse_compile_log(kErrors, Compiler::Nvrtc)),
            "callback.cu(3): error: identifier \"y\" is undefined\n"
            "    return y + z;\n"
            "           ^\n"
            "callback.cu(2): warning #177-D: variable \"unused\" was declared but never referenced\n"
            "    int unused;\n"
            "        ^\n");
}

constexpr const char* kHostErrors =
    "a.cu: In function 'float f(float)':\n"
    "a.cu:3:10: error: 'foo' was not declared in this scope\n"
    "    3 |   return foo;\n"
    "graft/adapter.h:409:36:   required from here\n"
    "In file included from program.cpp:9:\n"
    "graft/adapter.h:12:1: error: no\n"
    "a.cu:4: warning: odd\n"
    "1 warning and 2 errors generated.\n";

TEST(HostLog, TellsMessagesApart) {
  EXPECT_EQ(heads(kHostErrors, Compiler::Host), "a.cu 3 error; graft/adapter.h 12 own error; a.cu 4");
  const CompileMessage first = parse_compile_log(kHostErrors, Compiler::Host).at(0);
  EXPECT_EQ(first.head, "a.cu:3:10: error: 'foo' was not declared in this scope");
  EXPECT_EQ(first.text,
            "a.cu: In function 'float f(float)':\na.cu:3:10: error: 'foo' was not declared in this scope\n"
            "    3 |   return foo;\n");
}

// The user chooses the words of an #error or a static_assert, so these words may look like another line of a compiler's
// log.
TEST(HostLog, FindsAMessageWhoseWordsLookLikeAnotherLine) {
  EXPECT_EQ(heads("a.cu:3:10: error: static assertion failed: In place\n"
                  "a.cu:4:2: error: #error this file is generated.\n",
                  Compiler::Host),
            "a.cu 3 error; a.cu 4 error");
}

TEST(CompilerLogs, NameOwnFilesAsTheirCompilerDoes) {
  EXPECT_EQ(heads("program.cpp(3): error: x\n__nv_name_map(1): error: y\ngraft_program(2): error: z\n"),
            "program.cpp 3 error; __nv_name_map 1 own error; graft_program 2 own error");
  EXPECT_EQ(heads("program.cpp:3:1: error: x\ngraft_adapter:1:1: error: y\n", Compiler::Host),
            "program.cpp 3 own error; graft_adapter 1 own error");
}

// Writes the messages about the user's source, one per line: "a.cu:3:10 error 'foo' was not declared in this scope".
std::string listed(std::string_view log, Compiler compiler) {
  std::string text;
  for (const Diagnostic& found : user_diagnostics(parse_compile_log(log, compiler)))
    text += fmt::format("{}:{}:{} {} {}\n", found.file, found.line, found.column, name(found.severity), found.text);
  return text;
}

TEST(CompilerLogs, BecomeDataOfOneForm) {
  EXPECT_EQ(listed(kErrors, Compiler::Nvrtc),
            "callback.cu:3:10 error identifier \"y\" is undefined\n"
            "callback.cu:2:7 warning variable \"unused\" was declared but never referenced\n");
  EXPECT_EQ(listed(kHostErrors, Compiler::Host),
            "a.cu:3:10 error 'foo' was not declared in this scope\na.cu:4:0 warning odd\n");
  EXPECT_EQ(listed("a.h(7): catastrophic error: cannot open source file \"b: c.h\"\n", Compiler::Nvrtc),
            "a.h:7:0 error cannot open source file \"b: c.h\"\n");
  EXPECT_EQ(listed("a.cu(1): remark #1-D: odd\n  x\n^\n", Compiler::Nvrtc), "a.cu:1:0 note odd\n");
  EXPECT_EQ(
      listed("a.cu(2): error: no\n  \treturn 2 * absent;  // b.cu(9): error: x\n  \t           ^\n", Compiler::Nvrtc),
      "a.cu:2:13 error no\n");
  EXPECT_EQ(listed("At end of source: error: expected a \"}\"\n", Compiler::Nvrtc), "");
}

TEST(CompilerLogs, TellWhetherAReturnIsMissing) {
  const auto lacks = [](const char* log, Compiler compiler) {
    return lacks_return(parse_compile_log(log, compiler).at(0));
  };
  EXPECT_TRUE(lacks("a.cu(1): error: missing return statement at end of non-void function \"f\"", Compiler::Nvrtc));
  EXPECT_TRUE(lacks("a.cu(1): error: non-void function \"f\" should return a value", Compiler::Nvrtc));
  EXPECT_TRUE(lacks("a.cu:1:2: error: no return statement in function returning non-void [-Werror=return-type]",
                    Compiler::Host));
  EXPECT_TRUE(
      lacks("a.cu:1:2: error: non-void function does not return a value [-Werror,-Wreturn-type]", Compiler::Host));
  EXPECT_FALSE(lacks("a.cu:1:2: error: expected ';' after return statement", Compiler::Host));
}

TEST(CubinLog, NamesTheUndefinedFunction) {
  EXPECT_EQ(undefined_function("ptxas fatal   : Unresolved extern function '_Z6absentf'\nERROR"), "_Z6absentf");
  EXPECT_EQ(undefined_function("error   : Undefined reference to 'f' in 'k'\nERROR 1: finish\n"), "f");
  EXPECT_EQ(undefined_function("ERROR 90 in LTOIR arch newer than target arch\n"), "");
  EXPECT_EQ(undefined_function("Undefined reference to '"), "");
}

TEST(CubinLog, NamesTheUndefinedVariable) {
  EXPECT_EQ(undefined_variable("ptxas warning : Unresolved extern variable 'w' in whole program compilation, ignoring "
                               "extern qualifier\nptxas info    : 4 bytes gmem\n"),
            "w");
  EXPECT_EQ(undefined_variable("ptxas fatal   : Unresolved extern function '_Z6absentf'\n"), "");
  EXPECT_EQ(undefined_variable("Unresolved extern variable '"), "");
}

TEST(CubinLog, HasTheFirstErrorOfPtxas) {
  EXPECT_EQ(assembler_error("ptxas info    : 0 bytes gmem\n"
                            "ptxas application ptx input, line 24; error   : Not a name of any known instruction: 'b'\n"
                            "ptxas application ptx input, line 25; error   : another\n"),
            "Not a name of any known instruction: 'b'");
  EXPECT_EQ(assembler_error("ptxas fatal   : Unresolved extern function '_Z6absentf'\n"), "");
  EXPECT_EQ(assembler_error("callback.cu(3): error: at line 3; error: no\n"), "");
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
