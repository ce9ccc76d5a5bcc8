// Tests MemoryFile: what a child process reads from the file, what the parent process reads back, and which descriptor
// the file gets.
#include "base/memory_file.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <string>
#include <system_error>

#include "base/bytes.hpp"
#include "base/files.hpp"

namespace graft::base {
namespace {

TEST(MemoryFile, AReaderBeginsAtItsBeginning) {
  const MemoryFile file("file", as_bytes("question"));
  EXPECT_EQ(read_open_file(file.descriptor(), kMebibyte), "question");
  EXPECT_EQ(file.content(), "question");
  EXPECT_EQ(file.content(), "question");  // content() does not depend on the file position
  EXPECT_EQ(file.content(7).fault(), ReadFault::TooLarge);
}

TEST(MemoryFile, IsWrittenFromItsBeginningAfterClear) {
  const MemoryFile file("file");
  EXPECT_EQ(file.content(), "");
  ASSERT_TRUE(write_all(file.descriptor(), as_bytes("a long answer")));
  EXPECT_EQ(file.content(), "a long answer");
  file.clear();
  EXPECT_EQ(file.content(), "");
  ASSERT_TRUE(write_all(file.descriptor(), as_bytes("short")));
  EXPECT_EQ(file.content(), "short");
}

// If standard input is closed, the next file that the process opens gets descriptor 0. A MemoryFile must not take a
// descriptor of the standard streams.
TEST(MemoryFile, IsNoStandardStream) {
  const Descriptor input(::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 10));
  ::close(STDIN_FILENO);
  {
    const MemoryFile file("file");
    EXPECT_GT(file.descriptor(), STDERR_FILENO);
    EXPECT_EQ(::fcntl(STDIN_FILENO, F_GETFD), -1);
    EXPECT_EQ(::fcntl(file.descriptor(), F_GETFD), FD_CLOEXEC);
  }
  if (input.is_open()) ::dup2(input.get(), STDIN_FILENO);
}

TEST(MemoryFile, ARefusalNamesTheCall) {
  const std::string too_long(300, 'n');
  std::string said;
  try {
    const MemoryFile file(too_long.c_str());
  } catch (const std::system_error& error) {
    said = error.what();
  }
  EXPECT_EQ(said, "memfd_create: Invalid argument");
}

}  // namespace
}  // namespace graft::base
