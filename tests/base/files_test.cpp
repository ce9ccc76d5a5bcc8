#include "base/files.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdlib>
#include <string>

#include "base/bytes.hpp"
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

TEST(Files, AFailedWriteIsReported) {
  const TemporaryFolder folder;
  EXPECT_FALSE(write_file(folder.path() / "absent" / "file", as_bytes("text")));
  EXPECT_FALSE(write_file("/dev/full", as_bytes("text")));
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
