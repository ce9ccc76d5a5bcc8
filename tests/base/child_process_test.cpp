// Tests ChildProcess: which open files a child process gets, how its exit is reported, and that no process that the
// child started stays running.
#include "base/child_process.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>

#include "base/bytes.hpp"
#include "base/descriptor.hpp"
#include "base/memory_file.hpp"

namespace graft::base {
namespace {

ChildProgram shell(const std::string& script, const MemoryFile& output) {
  return {.path = "/bin/sh", .arguments = {"sh", "-c", script}, .output = output.descriptor()};
}

Ending ending_of(const std::string& script) {
  const MemoryFile output("output");
  ChildProcess child;
  EXPECT_EQ(child.start(shell(script, output)), 0);
  child.wait();
  EXPECT_TRUE(child.has_ended());
  return child.end().value();
}

TEST(ChildProcess, SaysHowItEnded) {
  const Ending exited = ending_of("exit 3");
  EXPECT_EQ(exited.exit_code, 3);
  EXPECT_EQ(exited.signal, 0);
  const Ending killed = ending_of("kill -9 $$");
  EXPECT_EQ(killed.exit_code, 0);
  EXPECT_EQ(killed.signal, SIGKILL);
}

TEST(ChildProcess, AProgramThatIsNotThereIsAnErrno) {
  const MemoryFile output("output");
  ChildProcess child;
  EXPECT_EQ(child.start({.path = "/no/such/program", .arguments = {"program"}, .output = output.descriptor()}), ENOENT);
  EXPECT_FALSE(child.end());
}

// The child's file 3 is descriptor 4 in this process, and the child's file 4 is descriptor 3 in this process. start()
// must swap the two without overwriting either.
TEST(ChildProcess, GetsItsFilesWhateverTheirNumbersAreHere) {
  const MemoryFile output("output");
  const MemoryFile one("one", as_bytes("one"));
  const MemoryFile two("two", as_bytes("two"));
  const Descriptor third(::fcntl(3, F_DUPFD_CLOEXEC, 20));  // file 3, to restore it; not open if file 3 is closed
  const Descriptor fourth(::fcntl(4, F_DUPFD_CLOEXEC, 20));
  const Descriptor kept_output(::fcntl(output.descriptor(), F_DUPFD_CLOEXEC, 20));
  const Descriptor kept_two(::fcntl(two.descriptor(), F_DUPFD_CLOEXEC, 20));
  ASSERT_EQ(::dup2(one.descriptor(), 4), 4);
  ASSERT_EQ(::dup2(kept_two.get(), 3), 3);
  ChildProcess child;
  ChildProgram program = shell("cat <&3; echo; cat <&4", output);
  program.output = kept_output.get();
  program.files = {4, 3};
  EXPECT_EQ(child.start(program), 0);
  child.wait();
  if (third.is_open()) ::dup2(third.get(), 3);
  else ::close(3);
  if (fourth.is_open()) ::dup2(fourth.get(), 4);
  else ::close(4);
  ::lseek(kept_output.get(), 0, SEEK_SET);
  EXPECT_EQ(read_open_file(kept_output.get(), kMebibyte), "one\ntwo");
}

TEST(ChildProcess, IsKilledWithItsGroupByTheDestructor) {
  const MemoryFile output("output");
  {
    ChildProcess child;
    ASSERT_EQ(child.start(shell("sleep 100 & sleep 100", output)), 0);
    EXPECT_FALSE(child.has_ended());
  }
  EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), -1);
  EXPECT_EQ(errno, ECHILD);
}

TEST(ChildProcess, HasNoEndingIfTheApplicationReapedIt) {
  const auto before = ::signal(SIGCHLD, SIG_IGN);
  const MemoryFile output("output");
  ChildProcess child;
  EXPECT_EQ(child.start(shell("exit 3", output)), 0);
  child.wait();
  EXPECT_FALSE(child.end());
  ::signal(SIGCHLD, before);
}

TEST(ChildProcess, SignalsHaveNames) {
  EXPECT_EQ(signal_name(SIGSEGV), "SIGSEGV");
  EXPECT_EQ(signal_name(9999), "SIG?");
}

}  // namespace
}  // namespace graft::base
