// Tests which error follows when NVRTC refuses an option that graft passed on.
#include "compile/refused_option.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "support/errors.hpp"

namespace graft::compile {
namespace {

const std::vector<std::string> kOptions = {"--device-float128", "--diag-error=99999"};

Error refused(const std::string& log) {
  return test::error_of([&] { throw_refused_option(log, kOptions, Architecture(90), {"NVRTC", "12.4"}); });
}

TEST(RefusedOption, OfAnOldNvrtcNamesOptionAndVersion) {
  const Error error = refused("nvrtc: error: unrecognized option --device-float128 found\n");
  EXPECT_EQ(error.code(), ErrorCode::ToolTooOld);
  EXPECT_EQ(error.message(),
            "NVRTC 12.4 refuses the compiler option --device-float128 for sm_90: unrecognized option "
            "--device-float128 found");
  EXPECT_EQ(error.versions(), (std::vector<ToolVersion>{{"NVRTC", "12.4"}}));
}

TEST(RefusedOption, MayFitAnotherArchitecture) {
  const Error error =
      refused("nvrtc: error: option --device-float128 is not supported on architectures earlier than sm_100\n");
  EXPECT_EQ(error.code(), ErrorCode::InvalidArgument);
}

TEST(RefusedOption, MayBeNamedByItsValueAlone) {
  const Error error = refused("Command-line error: invalid error number in diagnostic control option: 99999\n\n1 ...");
  EXPECT_EQ(error.code(), ErrorCode::InvalidArgument);
  EXPECT_EQ(error.message(),
            "NVRTC 12.4 refuses the compiler option --diag-error=99999 for sm_90: invalid error number in diagnostic "
            "control option: 99999");
}

TEST(RefusedOption, IsNotSeenInOtherLogs) {
  for (const char* log : {"", "callback.cu(1): error: unrecognized option --device-float128 found\n",
                          "nvrtc: error: unrecognized option --minimal found\n", "nvrtc: error: "})
    EXPECT_NO_THROW(throw_refused_option(log, kOptions, Architecture(90), {"NVRTC", "12.4"})) << log;
}

}  // namespace
}  // namespace graft::compile
