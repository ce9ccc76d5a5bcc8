// Tests where graft looks for the program `graft`. These tests link graft statically, so the file that contains graft's
// code is the test program itself.
#include "toolchain/graft_program.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <string>

#include "base/bytes.hpp"
#include "base/child_process.hpp"
#include "base/files.hpp"
#include "base/memory_file.hpp"

namespace graft::toolchain {
namespace {
namespace fs = std::filesystem;
using testing::HasSubstr;

// This test also prints the path or the reason, because the next test runs this test in a child process and reads the
// output.
TEST(GraftProgram, IsFoundOrThereIsAReason) {
  std::string why;
  const fs::path found = find_graft_program({}, {}, why);
  EXPECT_NE(found.empty(), why.empty());
  std::printf("<%s%s>\n", found.c_str(), why.c_str());
}

// Runs the test above in a child process with argv[0] = `name` and the working folder /. Returns the child's output.
std::string said_under(const std::string& name) {
  const base::MemoryFile output("output");
  base::ChildProcess child;
  const fs::path before = fs::current_path();
  fs::current_path("/");
  EXPECT_EQ(child.start({.path = "/proc/self/exe",
                         .arguments = {name, "--gtest_filter=GraftProgram.IsFoundOrThereIsAReason"},
                         .output = output.descriptor()}),
            0);
  fs::current_path(before);
  child.wait();
  return output.content().value_or("");
}

// In the closed mode (docs/security.md), graft compiles callbacks in a child process of the program `graft`. The
// process that starts the application chooses argv[0], so argv[0] must not decide which program graft runs.
TEST(GraftProgram, IsLookedForBesideTheCodeAndNotBesideTheFileOfArgv0) {
  const fs::path folder = fs::read_symlink("/proc/self/exe").parent_path();
  const std::string expected = fs::exists(folder / "graft")
                                   ? "<" + (folder / "graft").string() + ">"
                                   : "<there is no program `graft` in " + folder.string() + ", ";
  for (const char* name : {"/usr/bin/env", "env", "./env", "/no/such/file"})
    EXPECT_THAT(said_under(name), HasSubstr(expected)) << name;
}

// Copies of this test program and of a program `graft`, in a folder that belongs to this user alone.
class Installation : public testing::Test {
 protected:
  // Makes `file` an executable that does nothing, with the folders above it.
  fs::path plant(const std::string& file) const {
    const fs::path path = folder_.path() / file;
    fs::create_directories(path.parent_path());
    EXPECT_TRUE(base::write_file(path, base::as_bytes("#!/bin/sh\n")));
    fs::permissions(path, fs::perms(0755));
    return path;
  }

  // Puts graft's code into the file and returns what a process that runs it says: "<" program or reason ">".
  std::string said_in(const std::string& file) const {
    const fs::path own = folder_.path() / file;
    fs::create_directories(own.parent_path());
    fs::copy_file("/proc/self/exe", own, fs::copy_options::overwrite_existing);
    const base::MemoryFile output("output");
    base::ChildProcess child;
    EXPECT_EQ(child.start({.path = own,
                           .arguments = {"test", "--gtest_filter=GraftProgram.IsFoundOrThereIsAReason"},
                           .output = output.descriptor()}),
              0);
    child.wait();
    fs::remove(own);
    return output.content().value_or("");
  }

  static std::string in_brackets(const fs::path& program) { return "<" + program.string() + ">"; }

  base::TemporaryFolder folder_;
};

TEST_F(Installation, IsSearchedAsInstallationsAreLaidOut) {
  const fs::path program = plant("x/bin/graft");
  for (const char* own : {"x/lib/app", "x/lib64/app", "x/bin/app", "x/lib/x86_64-linux-gnu/app"})
    EXPECT_THAT(said_in(own), HasSubstr(in_brackets(program))) << own;
  const fs::path beside = plant("x/lib/x86_64-linux-gnu/graft");
  EXPECT_THAT(said_in("x/lib/x86_64-linux-gnu/app"), HasSubstr(in_brackets(beside)));
}

// An application in /tmp/build/app must not run /tmp/bin/graft or /tmp/build/bin/graft, which others may create.
TEST_F(Installation, OtherFoldersNearbyAreNotSearched) {
  plant("bin/graft");
  plant("x/bin/graft");
  for (const char* own : {"x/app", "x/build/app", "x/y/z/app", "x/lib/y/z/app", "x/liberty/app"})
    EXPECT_THAT(said_in(own), HasSubstr("there is no program `graft` in ")) << own;
}

TEST_F(Installation, AProgramThatOthersCanWriteIsNotRun) {
  const fs::path program = plant("x/bin/graft");
  const auto expect_refused = [&](const fs::path& path, unsigned mode) {
    const fs::perms before = fs::status(path).permissions();
    fs::permissions(path, fs::perms(mode));
    EXPECT_THAT(said_in("x/lib/app"),
                HasSubstr(program.string() + " is not used, since " + path.string() + " can be written by other users"))
        << std::oct << mode;
    fs::permissions(path, before);
    EXPECT_THAT(said_in("x/lib/app"), HasSubstr(in_brackets(program)));
  };
  for (const unsigned mode : {0777u, 0757u, 0702u}) {
    expect_refused(program, mode);
    expect_refused(program.parent_path(), mode);
    expect_refused(program.parent_path().parent_path(), mode);
  }
  expect_refused(program.parent_path(), 01777);
  // As /tmp: others can add files to the folder, but cannot rename or remove the folder bin.
  fs::permissions(folder_.path() / "x", fs::perms(01777));
  EXPECT_THAT(said_in("x/lib/app"), HasSubstr(in_brackets(program)));
}

TEST_F(Installation, ALinkIsFollowedAndExamined) {
  const fs::path program = plant("elsewhere/graft");
  fs::create_directories(folder_.path() / "x/bin");
  const fs::path link = folder_.path() / "x/bin/graft";
  fs::create_symlink("../../elsewhere/graft", link);
  EXPECT_THAT(said_in("x/lib/app"), HasSubstr(in_brackets(link)));
  fs::permissions(program.parent_path(), fs::perms::all);
  EXPECT_THAT(said_in("x/lib/app"), HasSubstr("elsewhere can be written by other users"));
}

TEST_F(Installation, AProgramOfAnotherUserIsNotRun) {
  constexpr uid_t kAnother = 65'534;
  if (::geteuid() != 0) GTEST_SKIP() << "only root can create a program that belongs to another user";
  const fs::path program = plant("x/bin/graft");
  const auto give = [](const fs::path& path, uid_t owner) {
    EXPECT_EQ(::lchown(path.c_str(), owner, static_cast<gid_t>(-1)), 0);
  };
  for (const fs::path& path : {program, program.parent_path(), program.parent_path().parent_path()}) {
    give(path, kAnother);
    EXPECT_THAT(said_in("x/lib/app"),
                HasSubstr(program.string() + " is not used, since " + path.string() + " belongs to another user"));
    give(path, 0);
  }
  const fs::path beside = plant("x/lib/graft");
  give(beside, kAnother);
  EXPECT_THAT(said_in("x/lib/app"), HasSubstr(in_brackets(program))) << "the search goes on";
}

TEST(GraftProgram, TheUsersChoiceIsTakenOrRefused) {
  std::string why;
  EXPECT_EQ(find_graft_program("/bin/sh", "/bin/true", why), "/bin/sh");
  EXPECT_EQ(find_graft_program({}, "/bin/true", why), "/bin/true");
  EXPECT_EQ(why, "");
  EXPECT_EQ(find_graft_program({}, "true", why), "");
  EXPECT_THAT(why, HasSubstr("GRAFT_PROGRAM is \"true\", a relative path"));
  EXPECT_EQ(find_graft_program("/etc/passwd", {}, why), "");
  EXPECT_THAT(why, HasSubstr("EngineOptions::program is /etc/passwd, which is not a program"));
}

}  // namespace
}  // namespace graft::toolchain
