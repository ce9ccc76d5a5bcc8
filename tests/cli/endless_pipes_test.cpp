// Tests that an endless pipe in place of a file is read only as far as its bytes can be those of a file of this kind.
// The program runs with little memory and little time, so that a read without end fails with another message.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "cli/program.hpp"

namespace graft::test {
namespace {

using testing::HasSubstr;

// Runs `graft` with a FIFO named `pipe`, into which the writer writes.
Result run_with(const Program& graft, const std::string& writer, const std::string& words) {
  return graft.shell("rm -f pipe; mkfifo pipe; (timeout 20 " + writer +
                     " >pipe) & (ulimit -v 600000; timeout 20 graft " + words + ")");
}

const char* const kCommands[] = {"inspect pipe", "inspect pipe --arch 90", "precompile pipe --arch 90 -o x",
                                 "cache explain pipe --arch 90"};

TEST(EndlessPipes, OfZerosAreNoCallback) {
  const Program graft;
  for (const char* words : kCommands) {
    const Result result = run_with(graft, "cat /dev/zero", words);
    EXPECT_EQ(result.exit_code, 1) << words;
    EXPECT_THAT(result.err, HasSubstr("this is neither text nor any kind of device code")) << words;
  }
}

TEST(EndlessPipes, OfTextAreTooLarge) {
  const Program graft;
  for (const char* words : kCommands) {
    const Result result = run_with(graft, "yes", words);
    EXPECT_EQ(result.exit_code, 1) << words;
    EXPECT_THAT(result.err, HasSubstr("it is larger than 64 MiB")) << words;
  }
}

TEST(EndlessPipes, AreNoExport) {
  const Program graft;
  for (const char* writer : {"cat /dev/zero", "yes", "sh -c 'printf GRAFTEXP; cat /dev/zero'"}) {
    const Result result = run_with(graft, writer, "cache import pipe");
    EXPECT_EQ(result.exit_code, 1);
    EXPECT_THAT(result.err, HasSubstr("the file cannot be imported as a cache export: ")) << writer;
  }
}

TEST(EndlessPipes, OfZerosAreNoList) {
  const Program graft;
  for (const char* words : {"warm --arch 90 pipe", "warm --arch 90 - <pipe"}) {
    const Result result = run_with(graft, "cat /dev/zero", words);
    EXPECT_EQ(result.exit_code, 1) << words;
    EXPECT_THAT(result.err, HasSubstr("it is not text")) << words;
  }
}

}  // namespace
}  // namespace graft::test
