// Tests that errors name their cause: the user, a missing tool, or the system. In version 0.1, error messages blamed
// the wrong cause. If the host compiler was missing, the message said "Install the CUDA toolkit". If the disk was full,
// the message said that the callback does not compile.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "cli/program.hpp"

namespace graft::test {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

constexpr const char* kCallback = "inspect '[](float x) { return 3 * x; }' ";

std::string remedy_of(const Result& run) {
  const std::size_t at = run.err.find("What to do: ");
  return at == std::string::npos ? "" : run.err.substr(at);
}

TEST(Blame, AMissingHostCompilerIsAnsweredWithACompiler) {
  const Result run = Program().run(std::string(kCallback) + "--route host", "GRAFT_CXX=/nowhere/c++");
  EXPECT_THAT(run.err, HasSubstr("[ToolMissing]"));
  EXPECT_THAT(remedy_of(run), AllOf(HasSubstr("C++ compiler"), HasSubstr("GRAFT_CXX"), Not(HasSubstr("CUDA"))));
}

TEST(Blame, AMissingToolkitIsAnsweredWithAToolkit) {
  const Result run = Program().run(std::string(kCallback) + "--arch 90", "GRAFT_CUDA_PATH=/nowhere");
  EXPECT_THAT(run.err, HasSubstr("[ToolMissing]"));
  EXPECT_THAT(remedy_of(run), AllOf(HasSubstr("GRAFT_CUDA_PATH"), Not(HasSubstr("C++ compiler"))));
}

// Compiles with a fake host compiler that prints `words` and fails.
Result compile_with(const std::string& words) {
  const Program graft;
  graft.write("compiler", "#!/bin/sh\ncase \"$*\" in *--version*) echo compiler 1;; *) echo \"" + words +
                              "\" >&2; exit 1;; esac\n");
  fs::permissions(graft.path("compiler"), fs::perms::owner_all);
  return graft.run(std::string(kCallback) + "--route host", "GRAFT_CXX=$PWD/compiler");
}

TEST(Blame, AFullDiskIsTheSystemsFault) {
  for (const char* words :
       {"/usr/bin/ld: final link failed: No space left on device",
        "{standard input}: Fatal error: can't write 37 bytes to section .text of /tmp/x.o: 'No space left on device'",
        "cc1plus: fatal error: error writing to /tmp/cc1.s: Disk quota exceeded",
        "graft/adapter.h:3:1: fatal error: error writing to /tmp/cc1.s: No space left on device",
        "callback.cu:1:1: fatal error: error closing /tmp/cc1.s: No space left on device"}) {
    const Result run = compile_with(words);
    EXPECT_EQ(run.exit_code, 1);
    EXPECT_THAT(run.err, AllOf(HasSubstr("[SystemFailed]"), HasSubstr(words), Not(HasSubstr("does not compile"))));
    EXPECT_THAT(remedy_of(run), HasSubstr("TMPDIR"));
  }
}

TEST(Blame, TheSameWordsInTheUsersOwnErrorAreTheUsers) {
  const Result run = Program().run(
      "inspect '#error No space left on device\n__device__ float f(float x) { return x; }' "
      "--route host");
  EXPECT_THAT(run.err, HasSubstr("[CompileFailed]"));
}

TEST(Blame, AFolderThatCannotBeMadeIsTheSystemsFault) {
  const Result run = Program().run(std::string(kCallback) + "--route host", "TMPDIR=/proc/none");
  EXPECT_EQ(run.exit_code, 1);
  EXPECT_THAT(run.err, AllOf(HasSubstr("[SystemFailed]"), HasSubstr("/proc/none"), Not(HasSubstr("does not compile"))));
  EXPECT_THAT(remedy_of(run), HasSubstr("TMPDIR"));
}

}  // namespace
}  // namespace graft::test
