// Tests where graft looks for the program `graft`. These tests link graft statically, so the file that contains graft's
// code is the test program itself.
#include "toolchain/graft_program.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>

#include "base/child_process.hpp"
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
