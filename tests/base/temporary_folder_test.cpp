// Tests that TemporaryFolder removes temporary folders that a killed process left behind, and keeps all other files in
// the same place.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include "base/bytes.hpp"
#include "base/environment.hpp"
#include "base/files.hpp"

namespace graft::base {
namespace {
namespace fs = std::filesystem;

// Gives each test a TMPDIR of its own.
class LeftFolders : public testing::Test {
 protected:
  LeftFolders() : before_(environment("TMPDIR")) { ::setenv("TMPDIR", outer_.path().c_str(), 1); }
  ~LeftFolders() override {
    if (before_.empty()) ::unsetenv("TMPDIR");
    else ::setenv("TMPDIR", before_.c_str(), 1);
  }

  fs::path make(const std::string& name, fs::perms permissions = fs::perms::owner_all) const {
    const fs::path folder = outer_.path() / name;
    fs::create_directory(folder);
    EXPECT_TRUE(write_file(folder / "file", as_bytes("text")));
    fs::permissions(folder, permissions);
    return folder;
  }

  const TemporaryFolder outer_;
  const std::string before_;
};

TEST_F(LeftFolders, OneWithoutAnOwnerIsRemovedByTheNext) {
  const fs::path left = make("graft-tmp-aB3dE6");
  fs::create_directories(left / "a/b/c");
  ASSERT_TRUE(write_file(left / "a/b/file", as_bytes("text")));
  const TemporaryFolder next;
  EXPECT_FALSE(fs::exists(left));
  EXPECT_TRUE(fs::exists(next.path()));
}

TEST_F(LeftFolders, OneOfAKilledProcessIsRemovedByTheNext) {
  const pid_t child = ::fork();
  if (child == 0) {
    const TemporaryFolder folder;
    write_file(folder.path() / "file", as_bytes("text"));
    ::kill(::getpid(), SIGKILL);
  }
  ::waitpid(child, nullptr, 0);
  ASSERT_FALSE(fs::is_empty(outer_.path()));
  { const TemporaryFolder next; }
  EXPECT_TRUE(fs::is_empty(outer_.path()));
}

TEST_F(LeftFolders, OneWithAnOwnerStays) {
  const TemporaryFolder first;
  ASSERT_TRUE(write_file(first.path() / "file", as_bytes("text")));
  const TemporaryFolder second;
  EXPECT_EQ(read_file(first.path() / "file"), "text");
  const pid_t child = ::fork();  // the child must see the locks that this process holds
  if (child == 0) {
    { const TemporaryFolder third; }
    ::_exit(fs::exists(first.path() / "file") && fs::exists(second.path()) ? 0 : 1);
  }
  int status = 1;
  ::waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
}

TEST_F(LeftFolders, OnesThatAreNotGraftsStay) {
  std::vector<fs::path> others = {make("graft-tmp-aB3dE"),
                                  make("graft-tmp-aB3dE67"),
                                  make("graft-backup"),
                                  make("graft-aB3dE6"),
                                  make("other-tmp-aB3dE6"),
                                  make("graft-tmp-shared", fs::perms(0755)),
                                  make("graft-tmp-shar01", fs::perms(0755)),
                                  make("graft-tmp-group1", fs::perms(0770))};
  ASSERT_TRUE(write_file(outer_.path() / "graft-tmp-a_file", as_bytes("text")));
  others.push_back(outer_.path() / "graft-tmp-a_file");
  const TemporaryFolder next;
  for (const fs::path& other : others) EXPECT_TRUE(fs::exists(other)) << other;
}

TEST_F(LeftFolders, LinksAreNotFollowed) {
  const fs::path kept = make("kept");
  fs::create_directory_symlink(kept, outer_.path() / "graft-tmp-aLink1");
  const fs::path left = make("graft-tmp-aB3dE6");
  fs::create_directory_symlink(kept, left / "folder");
  fs::create_symlink(kept / "file", left / "file link");
  const TemporaryFolder next;
  EXPECT_FALSE(fs::exists(left));
  EXPECT_TRUE(fs::exists(kept / "file"));
  EXPECT_TRUE(fs::is_symlink(outer_.path() / "graft-tmp-aLink1"));
}

// Processes create, use and clean up folders at the same time. No process may remove a folder that another process
// uses.
TEST_F(LeftFolders, NobodyLosesTheirFolderToAnother) {
  std::vector<pid_t> children;
  for (int i = 0; i < 8; ++i) {
    const pid_t child = ::fork();
    if (child == 0) {
      bool good = true;
      for (int round = 0; round < 150 && good; ++round) {
        const TemporaryFolder folder;
        good = write_file(folder.path() / "file", as_bytes("text")) && read_file(folder.path() / "file") == "text";
      }
      ::_exit(good ? 0 : 1);
    }
    children.push_back(child);
  }
  for (const pid_t child : children) {
    int status = 1;
    ::waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
  }
  EXPECT_TRUE(fs::is_empty(outer_.path()));
}

TEST_F(LeftFolders, ThreadsMakeTheirsSideBySide) {
  std::vector<std::thread> threads;
  std::vector<int> good(4, 0);
  for (std::size_t i = 0; i < good.size(); ++i)
    threads.emplace_back([&, i] {
      for (int round = 0; round < 100; ++round) {
        const TemporaryFolder folder;
        good[i] += write_file(folder.path() / "file", as_bytes("text")) ? 1 : 0;
      }
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(good, std::vector<int>(4, 100));
}

}  // namespace
}  // namespace graft::base
