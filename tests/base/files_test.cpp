// Tests reading and writing whole files, temporary folders, and reading environment variables.
#include "base/files.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <string>
#include <thread>

#include "base/bytes.hpp"
#include "base/descriptor.hpp"
#include "base/environment.hpp"

namespace graft::base {
namespace {
namespace fs = std::filesystem;

std::string binary_text() {
  std::string text;
  for (int i = 0; i < 200000; ++i) text += static_cast<char>(i * 31);
  return text;
}

TEST(Files, ReadsBackWhatWasWritten) {
  const TemporaryFolder folder;
  for (const std::string& text : {std::string(), std::string("a\0b\r\n", 5), binary_text()}) {
    ASSERT_TRUE(write_file(folder.path() / "file", as_bytes(text)));
    EXPECT_EQ(read_file(folder.path() / "file"), text);
  }
}

TEST(Files, ReadsFilesThatHaveNoSize) {
  const auto text = read_file("/proc/self/status");
  ASSERT_TRUE(text);
  EXPECT_NE(text->find("Pid:"), std::string::npos);
}

TEST(Files, WhatCannotBeReadIsNothing) {
  const TemporaryFolder folder;
  EXPECT_FALSE(read_file(folder.path() / "absent"));
  EXPECT_FALSE(read_file(folder.path()));
  EXPECT_FALSE(read_file(""));
}

TEST(Files, SaysWhyAFileIsNotRead) {
  const TemporaryFolder folder;
  ASSERT_TRUE(write_file(folder.path() / "three", as_bytes("123")));
  struct Row {
    fs::path path;
    std::uint64_t limit;
    ReadFault fault;
    const char* problem;
  };
  for (const Row& row : {Row{folder.path() / "absent", 9, ReadFault::Unreadable, "No such file or directory"},
                         Row{folder.path() / "three" / "x", 9, ReadFault::Unreadable, "Not a directory"},
                         Row{std::string("/etc/passwd\0x", 13), 9, ReadFault::Unreadable, "No such file or directory"},
                         Row{folder.path(), 9, ReadFault::Unreadable, "it is a folder"},
                         Row{"/dev/zero", 9, ReadFault::Unreadable, "it is a device"},
                         Row{"/dev/null", 9, ReadFault::Unreadable, "it is a device"},
                         Row{folder.path() / "three", 2, ReadFault::TooLarge, "it is larger than 2 bytes"},
                         Row{folder.path() / "three", 0, ReadFault::TooLarge, "it is larger than 0 bytes"},
                         Row{"/proc/self/status", 1024, ReadFault::TooLarge, "it is larger than 1 KiB"},
                         Row{folder.path() / "three", 3, ReadFault::None, ""},
                         Row{folder.path() / "three", UINT64_MAX, ReadFault::None, ""}}) {
    const FileContent content = read_file(row.path, row.limit);
    EXPECT_EQ(content.fault(), row.fault) << row.path;
    EXPECT_EQ(content.problem(), row.problem) << row.path;
    EXPECT_EQ(content.value_or("none"), row.fault == ReadFault::None ? "123" : "none");
  }
}

TEST(Files, ALargeSparseFileIsNotRead) {
  const TemporaryFolder folder;
  ASSERT_TRUE(write_file(folder.path() / "sparse", {}));
  fs::resize_file(folder.path() / "sparse", std::uintmax_t{1} << 40);
  EXPECT_EQ(read_file(folder.path() / "sparse").problem(), "it is larger than 1 GiB");
}

TEST(Files, ReadsAPipeUpToItsLimit) {
  const TemporaryFolder folder;
  const std::string fifo = folder.path() / "fifo";
  ASSERT_EQ(::mkfifo(fifo.c_str(), 0600), 0);
  const std::string text = binary_text();
  // read_file() closes a pipe that delivers more bytes than the limit. The writing thread then gets SIGPIPE, which must
  // not end the test.
  ::signal(SIGPIPE, SIG_IGN);
  for (const std::uint64_t limit : {std::uint64_t{200'000}, std::uint64_t{199'999}}) {
    std::thread writer([&] {
      const int file = ::open(fifo.c_str(), O_WRONLY | O_CLOEXEC);
      (void)write_all(file, as_bytes(text));
      ::close(file);
    });
    const FileContent content = read_file(fifo, limit);
    EXPECT_EQ(static_cast<bool>(content), limit == text.size());
    EXPECT_EQ(content.value_or("too large"), limit == text.size() ? text : "too large");
    writer.join();
  }
}

// An endless pipe is read only as far as its beginning allows: not at all behind the beginning, up to the limit of this
// beginning, or up to the limit of all files.
TEST(Files, TheBeginningSaysHowMuchIsRead) {
  const TemporaryFolder folder;
  const std::string fifo = folder.path() / "fifo";
  ASSERT_EQ(::mkfifo(fifo.c_str(), 0600), 0);
  ::signal(SIGPIPE, SIG_IGN);
  struct Row {
    std::uint64_t limit_for, limit;
    const char* problem;
    std::size_t written;  // the most bytes that can have left the writer
  };
  constexpr std::uint64_t kMany = std::uint64_t{1} << 30;
  constexpr std::size_t kPipe = std::size_t{1} << 20;
  for (const Row& row :
       {Row{0, kMany, "", kBeginning + kPipe}, Row{kMebibyte, kMany, "it is larger than 1 MiB", 2 * kMebibyte + kPipe},
        Row{kMany, 2 * kMebibyte, "it is larger than 2 MiB", 4 * kMebibyte + kPipe},
        Row{kMany, 100, "it is larger than 100 bytes", kBeginning + kPipe}}) {
    std::size_t written = 0;
    std::thread writer([&] {
      const Descriptor file(::open(fifo.c_str(), O_WRONLY | O_CLOEXEC));
      const std::string part(4096, 'x');
      while (written<64 * kMebibyte&& ::write(file.get(), part.data(), part.size())> 0) written += part.size();
    });
    std::size_t asked = 0;
    const FileContent content = read_file(fifo, row.limit, [&](std::string_view beginning) {
      ++asked;
      EXPECT_GE(beginning.size(), kBeginning);
      return row.limit_for;
    });
    writer.join();
    EXPECT_EQ(content.problem(), row.problem);
    EXPECT_LE(written, row.written) << row.problem;
    EXPECT_EQ(asked, row.limit == 100 ? 0u : 1u);
    EXPECT_EQ(content.value_or(""), std::string(content->size(), 'x'));
  }
}

TEST(Files, AShortFileIsReadWithoutItsBeginningBeingJudged) {
  const TemporaryFolder folder;
  const auto refuse = [](std::string_view) -> std::uint64_t { return 0; };
  const std::string text = binary_text();
  ASSERT_TRUE(write_file(folder.path() / "file", as_bytes(text.substr(0, kBeginning - 1))));
  EXPECT_EQ(read_file(folder.path() / "file", kGibibyte, refuse), text.substr(0, kBeginning - 1));
  ASSERT_TRUE(write_file(folder.path() / "file", as_bytes(text)));
  EXPECT_EQ(read_file(folder.path() / "file", kGibibyte, refuse), text.substr(0, kBeginning));
  EXPECT_EQ(read_file(folder.path() / "file", kGibibyte, [](std::string_view) { return kGibibyte; }), text);
}

TEST(Files, AFailedWriteIsReported) {
  const TemporaryFolder folder;
  EXPECT_FALSE(write_file(folder.path() / "absent" / "file", as_bytes("text")));
  EXPECT_FALSE(write_file("/dev/full", as_bytes("text")));
}

TEST(Files, APartIsReadWhole) {
  const TemporaryFolder folder;
  ASSERT_TRUE(write_file(folder.path() / "file", as_bytes("0123456789")));
  const Descriptor file(::open((folder.path() / "file").c_str(), O_RDONLY));
  Bytes part(4);
  EXPECT_TRUE(read_at(file.get(), part, 6));
  EXPECT_EQ(as_text(part), "6789");
  EXPECT_TRUE(read_at(file.get(), part, 0));  // the file position has no influence
  EXPECT_EQ(as_text(part), "0123");
  EXPECT_FALSE(read_at(file.get(), part, 7));
  EXPECT_EQ(errno, ENODATA);
  EXPECT_FALSE(read_at(-1, part, 0));
  EXPECT_EQ(errno, EBADF);
}

TEST(TemporaryFolder, IsPrivateAndGoesWithAllThatIsInIt) {
  fs::path path;
  {
    const TemporaryFolder folder;
    path = folder.path();
    struct stat status {};
    ASSERT_EQ(::stat(path.c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 07777u, 0700u);
    EXPECT_EQ(status.st_uid, ::geteuid());
    fs::create_directories(path / "a" / "b");
    ASSERT_TRUE(write_file(path / "a" / "b" / "file", as_bytes("text")));
  }
  EXPECT_FALSE(fs::exists(path));
}

TEST(TemporaryFolder, NoTwoAreTheSame) {
  const TemporaryFolder first;
  const TemporaryFolder second;
  EXPECT_NE(first.path(), second.path());
}

class WithVariable : public testing::Test {
 protected:
  void set(const char* name, const char* value) {
    name_ = name;
    before_ = environment(name);
    ::setenv(name, value, 1);
  }
  void TearDown() override {
    if (before_.empty()) ::unsetenv(name_.c_str());
    else ::setenv(name_.c_str(), before_.c_str(), 1);
  }

 private:
  std::string name_;
  std::string before_;
};
using TemporaryFolderPlace = WithVariable;
using Environment = WithVariable;

TEST_F(TemporaryFolderPlace, IsUnderTmpdir) {
  const TemporaryFolder outer;
  set("TMPDIR", outer.path().c_str());
  EXPECT_EQ(TemporaryFolder().path().parent_path(), outer.path());
}

TEST_F(TemporaryFolderPlace, ARelativeTmpdirIsNotTaken) {
  set("TMPDIR", "relative");
  EXPECT_EQ(TemporaryFolder().path().parent_path(), "/tmp");
}

TEST_F(TemporaryFolderPlace, ThrowsWhereNoneCanBeMade) {
  set("TMPDIR", "/proc/no/such/folder");
  EXPECT_THROW(TemporaryFolder(), fs::filesystem_error);
}

TEST_F(Environment, IsEmptyWhenUnset) {
  set("GRAFT_TEST_VARIABLE", "some value");
  EXPECT_EQ(environment("GRAFT_TEST_VARIABLE"), "some value");
  ::unsetenv("GRAFT_TEST_VARIABLE");
  EXPECT_EQ(environment("GRAFT_TEST_VARIABLE"), "");
}

}  // namespace
}  // namespace graft::base
