// Parses logs that NVRTC and nvJitLink 13.0 really wrote: the user's messages are separated from graft's own, and
// registers, stack and undefined functions are found.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>

#include "build/compile_log.hpp"
#include "build/link_log.hpp"

namespace graft::building {
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

TEST(LinkLog, HasTheKernelsResources) {
  const LinkFindings found = parse_link_log(
      "ptxas info    : 24 bytes gmem\n"
      "ptxas info    : Compiling entry function 'graft_transform_relu' for 'sm_90'\n"
      "ptxas info    : Function properties for graft_transform_relu\n"
      "ptxas         .     32 bytes stack frame, 8 bytes spill stores, 4 bytes spill loads\n"
      "ptxas info    : Used 30 registers, used 0 barriers, 32 bytes cumulative stack size\n"
      "ptxas info    : Compile time = 95.921 ms\n"
      "ptxas info    : Function properties for _Z4slowf\n"
      "ptxas         .     64 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n"
      "ptxas info    : Function properties for __internal_trig_reduction_slowpathd\n",
      "graft_transform_relu");
  EXPECT_EQ(found.resources.registers, 30);
  EXPECT_EQ(found.resources.stack_bytes, 32u);
  EXPECT_EQ(found.resources.spill_store_bytes, 8u);
  EXPECT_EQ(found.resources.spill_load_bytes, 4u);
  EXPECT_EQ(found.resources.local_bytes, 32u);
  EXPECT_EQ(found.remaining_calls, std::vector<std::string>{"slow(float)"});
  EXPECT_EQ(found.cuda_helpers, std::vector<std::string>{"__internal_trig_reduction_slowpathd"});
}

// Without link-time optimisation the log has ptxas's lines for each input first, and then the linker's own line, which
// counts the kernel together with its callees.
TEST(LinkLog, OfPtxEndsWithTheLinkersOwnLine) {
  const LinkFindings found = parse_link_log(
      "ptxas info    : Function properties for graft_transform_relu\n"
      "ptxas         .     0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n"
      "ptxas info    : Used 24 registers, used 0 barriers\n"
      "ptxas info    : Function properties for graft_input_size\n"
      "ptxas info    : Function properties for relu\n"
      "ptxas         .     8 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n"
      "info    : 0 bytes gmem\n"
      "info    : Function properties for 'graft_transform_relu':\n"
      "info    : used 26 registers, used 0 barriers, 8 stack, 0 bytes smem, 536 bytes cmem[0], 0 bytes lmem\n",
      "graft_transform_relu");
  EXPECT_EQ(found.resources.registers, 26);
  EXPECT_EQ(found.resources.local_bytes, 8u);
  EXPECT_EQ(found.resources.constant_bytes, 536u);
  EXPECT_EQ(found.remaining_calls, std::vector<std::string>{"relu"});
}

TEST(LinkLog, NamesTheUndefinedFunction) {
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

TEST(LinkLog, MayBeEmpty) {
  const LinkFindings found = parse_link_log("", "graft_transform_relu");
  EXPECT_EQ(found.resources.registers, 0);
  EXPECT_TRUE(found.remaining_calls.empty());
}

}  // namespace
}  // namespace graft::building
