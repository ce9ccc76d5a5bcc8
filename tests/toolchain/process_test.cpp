#include "toolchain/process.hpp"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>

#include <cerrno>
#include <thread>

namespace graft::toolchain {
namespace {

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
  const ProcessResult result = shell("sh -c 'exit 5'; echo $?");  // the child itself can wait again
  ::signal(SIGCHLD, before);
  EXPECT_EQ(result.output, "5\n");
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
