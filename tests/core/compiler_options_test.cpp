// Tests which options of NVRTC graft passes on, in which form, and with which words it refuses the others.
#include "core/compiler_options.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "support/errors.hpp"

namespace graft {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

TEST(CompilerOptions, HaveOneForm) {
  EXPECT_THAT(canonical_compiler_options({}), ElementsAre());
  EXPECT_THAT(canonical_compiler_options({"-w", "--disable-warnings"}), ElementsAre("--disable-warnings"));
  EXPECT_THAT(canonical_compiler_options({"-default-device", "-diag-suppress=550,177", "--diag-suppress=177"}),
              ElementsAre("--device-as-default-execution-space", "--diag-suppress=177", "--diag-suppress=550"));
  EXPECT_THAT(canonical_compiler_options(
                  {"--extra-device-vectorization", "--diag-warn=20", "--device-float128", "--diag-error=1055"}),
              ElementsAre("--device-float128", "--diag-error=1055", "--diag-warn=20", "--extra-device-vectorization"));
}

// Packs and cache entries hold options that another program may have written.
TEST(CompilerOptions, OfFilesAreCheckedForTheirForm) {
  EXPECT_TRUE(are_canonical_compiler_options({}));
  EXPECT_TRUE(are_canonical_compiler_options({"--diag-suppress=177", "--disable-warnings"}));
  for (const std::vector<std::string>& other : std::vector<std::vector<std::string>>{
           {"-w"}, {"--disable-warnings", "--diag-suppress=177"}, {"--diag-suppress=1,2"}, {"-I/etc"}, {""}})
    EXPECT_FALSE(are_canonical_compiler_options(other)) << other[0];
}

TEST(CompilerOptions, AreRecognisedInEveryForm) {
  EXPECT_TRUE(has_warnings_disabled({"--diag-suppress=20", "-w"}));
  EXPECT_TRUE(has_warnings_disabled({"--disable-warnings"}));
  EXPECT_FALSE(has_warnings_disabled({"--diag-suppress=20"}));
  EXPECT_TRUE(are_device_by_default({"-default-device"}));
  EXPECT_FALSE(are_device_by_default({"", "-", "w"}));
  EXPECT_TRUE(makes_an_error("--diag-error=20"));
  EXPECT_FALSE(makes_an_error("--diag-warn=20"));
  EXPECT_TRUE(holds_on_the_host("--disable-warnings"));
  EXPECT_FALSE(holds_on_the_host("--diag-error=20"));
}

struct Row {
  const char* option;
  const char* message;  // text that the message must contain, after the option
  const char* remedy;   // text that the remedy must contain
};

constexpr Row kRefused[] = {
    {"--maxrregcount=32", "is set by a member of Options", "Options::max_registers"},
    {"-maxrregcount=32", "is set by a member of Options", "Options::max_registers"},
    {"--use_fast_math", "is set by a member of Options", "Options::floating_point"},
    {"--ftz=true", "is set by a member of Options", "Options::floating_point"},
    {"-fmad=false", "is set by a member of Options", "Options::floating_point"},
    {"--std=c++20", "is set by a member of Options", "Options::standard"},
    {"-DA=1", "is set by a member of Options", "Options::defines"},
    {"--define-macro=A", "is set by a member of Options", "Options::defines"},
    {"-UA", "is set by a member of Options", "Options::defines"},
    {"-I/usr/include", "is set by a member of Options", "Options::include_paths"},
    {"--include-path=.", "is set by a member of Options", "Options::include_paths"},
    {"-include=a.h", "names a file", "Options::headers"},
    {"--pre-include=a.h", "names a file", "Options::headers"},
    {"-lineinfo", "is set by a member of Options", "Options::line_info"},
    {"--generate-line-info", "is set by a member of Options", "Options::line_info"},
    {"-arch=sm_90", "is set by a member of Options", "Options::architecture"},
    {"--gpu-architecture=compute_90", "is set by a member of Options", "Options::architecture"},
    {"-G", "how much kernels are optimised", "Options::line_info"},
    {"-O3", "how much kernels are optimised", "Leave it out"},
    {"-dlto", "the form of code", "Options::routes"},
    {"--dlink-time-opt", "the form of code", "Options::routes"},
    {"-rdc=true", "the form of code", "Options::routes"},
    {"--optix-ir", "the form of code", "Options::routes"},
    {"--device-int128", "graft passes itself", "Leave it out"},
    {"--no-cache", "graft passes itself", "Leave it out"},
    {"--restrict", "pointer parameters", "__restrict__"},
    {"--ptxas-options=-O1", "for the assembler", "Options::max_registers"},
    {"-Xptxas=-v", "for the assembler", "Options::max_registers"},
    {"--expt-relaxed-constexpr", "an option of nvcc", "--device-as-default-execution-space"},
    {"--extended-lambda", "an option of nvcc", "--device-as-default-execution-space"},
    {"--create-pch=a", "writes files", "Leave it out"},
    {"--pch-dir=/tmp", "writes files", "Leave it out"},
    {"--fdevice-time-trace=a", "writes files", "Leave it out"},
    {"--time=a", "writes files", "Leave it out"},
    {"--brief-diagnostics=true", "the form of the compiler's messages", "Error::diagnostics()"},
    {"--diag-suppress 177", "is not an option that graft passes on", "with = before its value"},
    {"diag-suppress=177", "is not an option that graft passes on", "--diag-suppress=N"},
    {"@options.txt", "is not an option that graft passes on", "--diag-suppress=N"},
    {"", "is not an option that graft passes on", "--diag-suppress=N"},
    {"-", "is not an option that graft passes on", "--diag-suppress=N"},
    {"---disable-warnings", "is not an option that graft passes on", "--diag-suppress=N"},
    {"--disable-warnings=1", "takes none", "Leave the value out"},
    {"-w=", "takes none", "Leave the value out"},
    {"--diag-suppress", "needs the numbers of warnings", "#177-D"},
    {"--diag-suppress=", "needs the numbers of warnings", "#177-D"},
    {"--diag-suppress=177,", "needs the numbers of warnings", "#177-D"},
    {"--diag-suppress=-1", "needs the numbers of warnings", "#177-D"},
    {"--diag-suppress=unused", "needs the numbers of warnings", "#177-D"},
    {"--diag-suppress=99999999999", "needs the numbers of warnings", "#177-D"},
    {"--diag-suppress=20,940", "is about warning 940", "a missing return"},
    {"--diag-warn=117", "is about warning 117", "a missing return"},
    {"--diag-error=47", "is about warning 47", "suppressed"},
};

TEST(CompilerOptions, OthersAreRefusedWithTheirRemedy) {
  for (const Row& row : kRefused) {
    SCOPED_TRACE(row.option);
    const Error error = test::error_of([&] { canonical_compiler_options({row.option}); });
    EXPECT_EQ(error.code(), ErrorCode::InvalidArgument);
    EXPECT_THAT(error.message(), StartsWith("`" + std::string(row.option) + "` in Options::compiler_options "));
    EXPECT_THAT(error.message(), HasSubstr(row.message));
    EXPECT_THAT(error.remedy(), HasSubstr(row.remedy));
  }
}

TEST(CompilerOptions, ThatContradictEachOtherAreRefused) {
  const Error error = test::error_of([] {
    canonical_compiler_options({"--diag-error=177", "--diag-suppress=20,177"});
  });
  EXPECT_EQ(error.message(), "`--diag-suppress=20,177` in Options::compiler_options contradicts --diag-error=177");
}

TEST(CompilerOptions, OddTextIsShownSafely) {
  const Error error = test::error_of([] { canonical_compiler_options({"-x\n\x1b" + std::string(100, 'a')}); });
  EXPECT_THAT(error.message(), HasSubstr("`-x??aaaa"));
  EXPECT_LT(error.message().size(), 150u);
}

}  // namespace
}  // namespace graft
