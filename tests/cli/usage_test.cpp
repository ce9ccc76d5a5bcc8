// Tests the program as a shell sees it: help, version, exit codes, and which text goes to stdout and which to stderr.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "cli/program.hpp"
#include "graft/version.hpp"

namespace graft::test {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

TEST(Usage, HelpOfEachCommandNamesItsExitCodes) {
  const Program graft;
  for (const char* command : {"", "doctor ", "inspect ", "apply ", "precompile ", "warm ", "cache ", "cache dir ",
                              "cache list ", "cache stats ", "cache verify ", "cache prune ", "cache clear ",
                              "cache export ", "cache import ", "cache explain "}) {
    const Result run = graft.run(std::string(command) + "--help");
    EXPECT_EQ(run.exit_code, 0);
    EXPECT_THAT(run.out, HasSubstr("Exit codes: 0"));
    EXPECT_THAT(run.out, HasSubstr(std::string("Usage: graft ") + command));
    EXPECT_THAT(run.out, Not(HasSubstr("__")));  // help must not list the commands that graft runs for itself
    EXPECT_THAT(run.err, IsEmpty());
  }
}

TEST(Usage, Version) {
  for (const char* option : {"--version", "-V"}) {
    const Result run = Program().run(option);
    EXPECT_EQ(run.exit_code, 0) << option;
    EXPECT_EQ(run.out, "graft " GRAFT_VERSION_STRING "\n") << option;
  }
}

TEST(Usage, WrongUsageIsTwoAndSilentOnStandardOutput) {
  const Program graft;
  for (const char* words : {"", "nonsense", "inspect", "inspect --no-such-option x", "apply x", "apply x --out",
                            "doctor extra", "inspect x --std 11", "warm", "cache", "cache nonsense", "cache list extra",
                            "cache import", "apply '[](float x) { return x; }' --route host --out c"}) {
    const Result run = graft.run(words);
    EXPECT_EQ(run.exit_code, 2) << words << run.err;
    EXPECT_THAT(run.out, IsEmpty()) << words;
    EXPECT_THAT(run.err, HasSubstr("graft: ")) << words;
  }
}

TEST(Usage, WithJsonAnErrorIsJsonToo) {
  const Program graft;
  const std::string mistake = "'__device__ float f(float x) { return absent; }'";
  const Result run = graft.run("inspect --arch 90 --json " + mistake);
  EXPECT_EQ(run.exit_code, 1);
  EXPECT_THAT(run.err, HasSubstr("[CompileFailed]"));
  const auto error = nlohmann::json::parse(run.out).at("error");
  EXPECT_EQ(error.at("code"), "CompileFailed");
  EXPECT_EQ(error.at("diagnostics").at(0).at("file"), "callback.cu");
  EXPECT_EQ(error.at("diagnostics").at(0).at("line"), 1);
  EXPECT_EQ(error.at("diagnostics").at(0).at("column"), 38);
  EXPECT_EQ(error.at("diagnostics").at(0).at("severity"), "error");
  EXPECT_THAT(error.at("remedy"), HasSubstr("Correct the lines"));
  EXPECT_THAT(graft.run("inspect --arch 90 " + mistake).out, IsEmpty());
}

TEST(Usage, AFullDiskIsAnError) {
  const Result run = Program().run("--version >/dev/full");
  EXPECT_EQ(run.exit_code, 1);
  EXPECT_THAT(run.err, HasSubstr("standard output cannot be written"));
}

TEST(Usage, ACrashInAChildIsAnErrorThatNamesTheSignal) {
  const Program graft;
  for (const auto& [signal, name] : {std::pair{"11", "SIGSEGV"}, {"6", "SIGABRT"}, {"9", "SIGKILL"}}) {
    const Result run = graft.shell(std::string(GRAFT_CRASHING " __crash ") + signal);
    EXPECT_EQ(run.exit_code, 1);
    EXPECT_THAT(run.out, IsEmpty());
    EXPECT_THAT(run.err, HasSubstr(name));
    EXPECT_THAT(run.err, HasSubstr("[LinkFailed]"));
    EXPECT_THAT(run.err, HasSubstr("last words"));
    EXPECT_THAT(run.err, HasSubstr("What to do: "));
  }
}

// A worker is a child process that answers many requests. A worker must also answer large requests. If a worker
// crashes, only the request during which it crashed may fail.
TEST(Usage, ACrashInAWorkerCostsOnePieceOfWork) {
  const Result run = Program().shell(GRAFT_CRASHING " __crash --worker 11");
  EXPECT_EQ(run.exit_code, 0);
  EXPECT_EQ(run.out, "before 1\nafter 1\nxxxxxx 1\n");
  EXPECT_THAT(run.err, HasSubstr("SIGSEGV"));
  EXPECT_THAT(run.err, HasSubstr("last words"));
}

}  // namespace
}  // namespace graft::test
