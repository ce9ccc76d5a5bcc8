// Tests how graft turns a linker's log into an error that names the user's file and the cause.
#include "link/link_error.hpp"

#include <gtest/gtest.h>

namespace graft::link {
namespace {

Error error_for(std::string log, std::string failure = "the link failed") {
  codegen::SourceProgram program;
  program.title = "`f` in f.ptx";
  program.parts.entry = "f";
  CallbackBinary callback;
  callback.material.name = "f.ptx";
  const base::Bytes bytes(1);
  callback.inputs = {{toolchain::LinkInputKind::Ptx, bytes, "f.ptx"}};
  return link_error({program, callback, Architecture(120), std::move(failure), std::move(log), {}});
}

// A linker ignores a callback binary for another architecture and then reports the binary's functions as undefined.
// graft's error must name the cause, which is the architecture.
TEST(LinkError, AnotherArchitectureComesBeforeWhatIsMissingForIt) {
  const std::string missing = "\nerror   : Undefined reference to 'f' in 'graft_transform_f'\n";
  ASSERT_EQ(error_for(missing).code(), ErrorCode::NoSuchEntry) << error_for(missing).what();
  for (const char* words : {"error: arch newer than target", "SM version specified by .target is higher than default",
                            "ERROR 4: ARCH_MISMATCH", "'f.ptx' is of a different SM-family architecture"}) {
    const Error error = error_for(words + missing);
    EXPECT_EQ(error.code(), ErrorCode::ImageRefused) << error.what();
    EXPECT_EQ(error.message(), "f.ptx is for another architecture than sm_120");
  }
}

// The callback is source, and two binaries are linked with it.
Error error_with_link_inputs(std::string log) {
  codegen::SourceProgram program;
  program.title = "f in callback.cu";
  program.parts.entry = "f";
  CallbackBinary callback;
  callback.material.name = "callback.cu";
  const base::Bytes bytes(1);
  callback.inputs = {{toolchain::LinkInputKind::LtoIr, bytes, "a.ltoir"},
                     {toolchain::LinkInputKind::Ptx, bytes, "b.ptx"}};
  callback.link_input_count = 2;
  return link_error({program, callback, Architecture(90), "the link failed", std::move(log), {}});
}

TEST(LinkError, OfLinkInputsNamesThem) {
  const Error missing = error_with_link_inputs("ptxas fatal   : Unresolved extern function '_Z6helperf'\n");
  EXPECT_EQ(missing.code(), ErrorCode::LinkFailed);
  EXPECT_EQ(missing.message(), "f in callback.cu does not link: `helper(float)` is called, and nothing defines it");
  EXPECT_NE(missing.remedy().find("Callback::with_link_input"), std::string::npos);
  EXPECT_EQ(error_with_link_inputs("a.ltoir: link error: error: Linking globals named '_Z6helperf': symbol multiply "
                                   "defined!\n")
                .message(),
            "`helper(float)` is defined by f in callback.cu and by a.ltoir too");
  EXPECT_EQ(error_with_link_inputs("ERROR 4: ARCH_MISMATCH").message(),
            "f in callback.cu or a.ltoir or b.ptx is for another architecture than sm_90");
}

TEST(LinkError, OfAVariableSaysThatItIsUsed) {
  EXPECT_EQ(error_with_link_inputs("error   : Undefined reference to 'w' in 'f in callback.cu'\n").message(),
            "f in callback.cu does not link: `w` is used, and nothing defines it");
  // For an array without bounds, ptxas does not make a variable of its own.
  EXPECT_EQ(error_with_link_inputs("ptxas fatal   : Unresolved extern variable 'w'\n").message(),
            "f in callback.cu does not link: `w` is used, and nothing defines it");
}

// The linker also reports the function of the module that ptxas refused.
TEST(LinkError, OfInlinePtxNamesWhatPtxasRefuses) {
  const Error error = error_with_link_inputs(
      "ptxas application ptx input, line 24; error   : Not a name of any known instruction: 'bogus'\n"
      "ptxas fatal   : Ptx assembly aborted due to errors\n"
      "error   : Undefined reference to 'graft_entry' in 'graft_transform_f'\n");
  EXPECT_EQ(error.code(), ErrorCode::LinkFailed);
  EXPECT_EQ(error.message(),
            "f in callback.cu does not link: ptxas refuses the PTX of the callback: Not a name of any known "
            "instruction: 'bogus'");
  EXPECT_NE(error.remedy().find("asm"), std::string::npos) << error.remedy();
}

// nvJitLink reports success for this log.
TEST(LinkError, OfAnotherPrototypeIsSeen) {
  const std::string log = "error   : Prototype doesn't match for 'gain' in 'ltoPtx', first defined in 'b.ptx'\n";
  EXPECT_TRUE(reports_mismatch(log));
  EXPECT_FALSE(reports_mismatch("ptxas info    : Used 8 registers\n"));
  const Error error = error_with_link_inputs(log);
  EXPECT_EQ(error.code(), ErrorCode::LinkFailed);
  EXPECT_EQ(error.message(),
            "f in callback.cu declares `gain` with other parameters or another result than its definition has");
}

}  // namespace
}  // namespace graft::link
