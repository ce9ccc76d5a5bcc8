// D7: three defects in how graft runs a compiler. If the compiler left a process behind, graft waited for that process
// too. graft kept the compiler's output without a limit. The compiler inherited every file that the application had
// open.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "cli/program.hpp"

namespace graft::test {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

constexpr const char* kBuild = "graft inspect '[](float x) { return 3 * x; }' --route host";

class D7 : public testing::Test {
 protected:
  // Installs a fake compiler that runs this script and then the real compiler.
  void compiler(const std::string& script) const {
    graft_.write("compiler", "#!/bin/sh\n" + script + "\nexec c++ \"$@\"\n");
    fs::permissions(graft_.path("compiler"), fs::perms::owner_all);
  }
  Result build(const std::string& before = "") const {
    return graft_.shell(before + " GRAFT_CXX=$PWD/compiler " + kBuild);
  }

  Program graft_;
};

TEST_F(D7, AProcessThatTheCompilerLeavesBehindIsNotWaitedFor) {
  compiler("(sleep 40; echo >\"" + graft_.path("waited") + "\") &");
  EXPECT_EQ(build().exit_code, 0);
  EXPECT_FALSE(graft_.has("waited"));
}

TEST_F(D7, AProcessThatTheCompilerLeavesBehindIsEnded) {
  compiler("sleep 1000 & echo $! >>\"" + graft_.path("left") + "\"");
  EXPECT_EQ(graft_.shell("GRAFT_CXX=$PWD/compiler timeout 30 " + std::string(kBuild)).exit_code, 0);
  // The process that the compiler left behind must be gone, or a zombie that its new parent has not reaped yet.
  const Result alive = graft_.shell(
      "for p in $(cat left); do for i in $(seq 100); do grep -qs '^State:.[^Z]' /proc/$p/status || continue 2; sleep "
      "0.1; "
      "done; echo $p; done");
  EXPECT_EQ(alive.out, "");
  graft_.shell("kill $(cat left)");
}

TEST_F(D7, TheCompilerHasNoFilesButItsOwn) {
  compiler("readlink /proc/$$/fd/* >>\"" + graft_.path("files") + "\"");
  graft_.write("secret", "");
  EXPECT_EQ(build("exec 7<secret 9<secret;").exit_code, 0);
  EXPECT_THAT(graft_.read("files"), Not(HasSubstr("secret")));
}

TEST_F(D7, OutputHasABound) {
  compiler(
      "case \"$*\" in *--version*) ;; *) echo begin >&2; head -c 60000000 /dev/zero | tr '\\0' x >&2; echo end >&2; "
      "exit 1;; esac");
  const Result run = build();
  EXPECT_EQ(run.exit_code, 1);
  EXPECT_LT(run.err.size(), 20'000'000u);
  EXPECT_NE(run.err.find("begin"), std::string::npos);
  EXPECT_NE(run.err.find("end\n"), std::string::npos);
  EXPECT_NE(run.err.find("bytes left out"), std::string::npos);
}

}  // namespace
}  // namespace graft::test
