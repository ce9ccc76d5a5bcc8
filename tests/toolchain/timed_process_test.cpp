// Tests run_process(), which runs another program and collects its output. No process that this program started
// may be left running.
#include "toolchain/timed_process.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <thread>

#include "base/bytes.hpp"
#include "base/environment.hpp"
#include "base/files.hpp"

namespace graft::toolchain {
namespace {
using testing::HasSubstr;
using testing::Not;

ProcessResult shell(const std::string& script, const std::vector<std::string>& variables = {}) {
  return run_process({"sh", "-c", script}, variables);
}

TEST(Process, GivesOutputAndErrorInOrder) {
  const ProcessResult result = shell("echo one; echo two >&2; echo three");
  EXPECT_TRUE(result.ok);
  EXPECT_EQ(result.output, "one\ntwo\nthree\n");
}

TEST(Process, ArgumentsMeetNoShell) {
  EXPECT_EQ(run_process({"printf", "%s|", "$HOME; `x`", "a b", ""}).output, "$HOME; `x`|a b||");
}

TEST(Process, FailureSaysHowItEnded) {
  const ProcessResult returned = shell("echo words; exit 3");
  EXPECT_FALSE(returned.ok);
  EXPECT_EQ(returned.output, "words\nsh returned 3\n");
  const ProcessResult killed = shell("kill -9 $$");
  EXPECT_FALSE(killed.ok);
  EXPECT_EQ(killed.output, "sh was ended by signal 9\n");
}

TEST(Process, AMissingProgramIsNamed) {
  const ProcessResult result = run_process({"/no/such/program"});
  EXPECT_FALSE(result.ok);
  EXPECT_EQ(result.output, "/no/such/program: No such file or directory\n");
}

TEST(Process, LongOutputDoesNotBlock) {
  const ProcessResult result = shell("head -c 1000000 /dev/zero | tr '\\0' x");
  EXPECT_TRUE(result.ok);
  EXPECT_EQ(result.output, std::string(1000000, 'x'));
}

TEST(Process, StandardInputIsEmpty) {
  EXPECT_EQ(shell("cat; echo end").output, "end\n");
}

TEST(Process, VariablesReplaceTheEnvironmentsOwn) {
  EXPECT_EQ(shell("echo $PATH:$GRAFT_TEST; env | grep -c ^PATH=", {"PATH=/bin:/usr/bin", "GRAFT_TEST=x y"}).output,
            "/bin:/usr/bin:x y\n1\n");
}

TEST(Process, LeavesNoChildBehind) {
  shell("exit 1");
  run_process({"/no/such/program"});
  EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), -1);
  EXPECT_EQ(errno, ECHILD);
}

TEST(Process, WorksWhereTheApplicationIgnoresChildren) {
  const auto before = ::signal(SIGCHLD, SIG_IGN);
  // graft must reset SIGCHLD in the child, so that the shell can wait for its own children.
  const ProcessResult result = shell("sh -c 'exit 5'; echo $?");
  ::signal(SIGCHLD, before);
  EXPECT_EQ(result.output, "5\n");
}

TEST(Process, HasNoFilesButItsOwn) {
  const base::TemporaryFolder folder;
  ASSERT_TRUE(base::write_file(folder.path() / "secret", {}));
  std::vector<int> files;
  // These files are open, but the child must not inherit them.
  for (int i = 0; i < 20; ++i) files.push_back(::open((folder.path() / "secret").c_str(), O_RDONLY));
  const ProcessResult result = shell("for f in /proc/$$/fd/*; do readlink $f; done; true");
  for (const int file : files) ::close(file);
  EXPECT_THAT(result.output, HasSubstr("/dev/null\n"));
  EXPECT_THAT(result.output, Not(HasSubstr("secret")));
}

TEST(Process, LeadsAGroupOfItsOwn) {
  const ProcessResult result = shell("cut -d' ' -f5 /proc/$$/stat; echo $$");
  const std::size_t line = result.output.find('\n');
  EXPECT_EQ(result.output.substr(0, line), result.output.substr(line + 1, result.output.size() - line - 2));
}

// Waits until a process is gone, or is a zombie that its new parent has not reaped yet. Returns false if the process is
// still running after 30 seconds.
bool ends(const std::string& state_file) {
  for (int i = 0; i < 300; ++i) {
    const std::string state = base::read_file(state_file).value_or("(gone) Z");
    if (state.find(") Z") != std::string::npos) return true;
    ::usleep(100'000);
  }
  return false;
}

// The child has ended, but a process that the child started still holds the pipe and writes to it.
TEST(Process, WhatItLeavesBehindIsEndedAndNotWaitedFor) {
  const auto begin = std::chrono::steady_clock::now();
  const ProcessResult result = shell("(sleep 100; echo late) & echo $!");
  EXPECT_TRUE(result.ok);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(50));
  const ProcessResult flood = shell("yes & echo $!");
  EXPECT_TRUE(flood.ok);
  for (const ProcessResult* one : {&result, &flood}) {
    const std::string left = one->output.substr(one->output.find_first_of("0123456789"));
    EXPECT_TRUE(ends("/proc/" + left.substr(0, left.find('\n')) + "/stat")) << left;
  }
}

// The application ignores SIGCHLD, so the system reaps the child at once, and graft cannot know whether the child's
// process group still exists. graft must return without waiting for the processes in this group.
TEST(Process, WhatItLeavesBehindIsNotWaitedForWithoutReapingEither) {
  const auto before = ::signal(SIGCHLD, SIG_IGN);
  const auto begin = std::chrono::steady_clock::now();
  const ProcessResult result = shell("sleep 20 & echo done");
  ::signal(SIGCHLD, before);
  EXPECT_EQ(result.output, "done\n");
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(15));
}

TEST(Process, AnEndOfOutputIsNotItsEnd) {
  const ProcessResult result = shell("echo words; exec >&- 2>&-; sleep 0.3; exit 4");
  EXPECT_EQ(result.output, "words\nsh returned 4\n");
}

TEST(Process, TimeHasABound) {
  const ProcessLimits limits{.time = std::chrono::milliseconds(200)};
  for (const char* script : {"echo words; sleep 100", "echo words; exec >&- 2>&-; sleep 100",
                             "echo words; trap '' TERM INT HUP; sleep 100 & wait; sleep 100"}) {
    const ProcessResult result = run_process({"sh", "-c", script}, {}, limits);
    EXPECT_FALSE(result.ok);
    EXPECT_TRUE(result.timed_out);
    EXPECT_EQ(result.output, "words\nsh took more than 0.2 seconds and was killed\n") << script;
  }
  EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), -1);
}

TEST(Process, OutputHasABound) {
  const ProcessResult result = run_process(
      {"sh", "-c", "echo begin; head -c 3000000 /dev/zero | tr '\\0' x; echo; echo end"}, {}, {.output = 100});
  EXPECT_TRUE(result.ok);
  EXPECT_THAT(result.output, testing::MatchesRegex("begin\nx+\n.2999911 bytes left out.\nx+\nend\n"));
}

TEST(Process, NamesAreNotLookedForInTheWorkingFolder) {
  const base::TemporaryFolder folder;
  ASSERT_TRUE(base::write_file(folder.path() / "tool", base::as_bytes("#!/bin/sh\necho trap\n")));
  std::filesystem::permissions(folder.path() / "tool", std::filesystem::perms::owner_all);
  const auto here = std::filesystem::current_path();
  const std::string path = base::environment("PATH");
  std::filesystem::current_path(folder.path());
  ::setenv("PATH", (".::" + path).c_str(), 1);
  const ProcessResult trapped = run_process({"tool"});
  const ProcessResult asked = run_process({"./tool"});
  ::setenv("PATH", path.c_str(), 1);
  std::filesystem::current_path(here);
  EXPECT_EQ(trapped.output, "tool: No such file or directory\n");
  EXPECT_EQ(trapped.start_error, ENOENT);
  EXPECT_EQ(asked.output, "trap\n");
}

TEST(Process, ThreadsDoNotMixTheirOutputs) {
  std::vector<std::thread> threads;
  std::vector<std::string> outputs(8);
  for (int i = 0; i < 8; ++i)
    threads.emplace_back([&, i] {
      outputs[static_cast<std::size_t>(i)] = shell("echo a; sleep 0.05; echo " + std::to_string(i)).output;
    });
  for (std::thread& thread : threads) thread.join();
  for (int i = 0; i < 8; ++i) EXPECT_EQ(outputs[static_cast<std::size_t>(i)], "a\n" + std::to_string(i) + "\n");
}

}  // namespace
}  // namespace graft::toolchain
