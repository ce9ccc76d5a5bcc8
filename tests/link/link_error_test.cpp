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

}  // namespace
}  // namespace graft::link
