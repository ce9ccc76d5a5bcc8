// Tests the host compiler as the program runs it. In version 0.1:
//
// - If the compiler left a process behind, graft waited for that process too. graft kept the compiler's output without
//   a limit. The compiler inherited every file that the application had open.
// - A killed process left the host route's temporary folder behind, and nothing ever removed it.
// - GRAFT_CXX was split at every space, so users could not name a compiler whose path or arguments contain a space.
// - "-I @file" made the compiler read options from the file. g++ passes the include folder's name to cc1plus as a
//   separate argument, and cc1plus takes an argument that begins with @ as the name of a file of options.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "cli/program.hpp"

namespace graft::test {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::Not;

constexpr const char* kInspectOnHost = "graft inspect '[](float x) { return 3 * x; }' --route host";

class HostCompilerOfTheProgram : public testing::Test {
 protected:
  // Installs a fake compiler that runs this script and then the real compiler.
  void compiler(const std::string& script, const std::string& name = "compiler") const {
    graft_.write(name, "#!/bin/sh\n" + script + "\nexec c++ \"$@\"\n");
    fs::permissions(graft_.path(name), fs::perms::owner_all);
  }
  Result build(const std::string& before = "") const {
    return graft_.shell(before + " GRAFT_CXX=$PWD/compiler " + kInspectOnHost);
  }

  Program graft_;
};

TEST_F(HostCompilerOfTheProgram, AProcessThatItLeavesBehindIsNotWaitedFor) {
  compiler("(sleep 40; echo >\"" + graft_.path("waited") + "\") &");
  EXPECT_EQ(build().exit_code, 0);
  EXPECT_FALSE(graft_.has("waited"));
}

TEST_F(HostCompilerOfTheProgram, AProcessThatItLeavesBehindIsEnded) {
  compiler("sleep 1000 & echo $! >>\"" + graft_.path("left") + "\"");
  EXPECT_EQ(graft_.shell("GRAFT_CXX=$PWD/compiler timeout 30 " + std::string(kInspectOnHost)).exit_code, 0);
  // The process that the compiler left behind must be gone, or a zombie that its new parent has not reaped yet.
  const Result alive = graft_.shell(
      "for p in $(cat left); do for i in $(seq 100); do grep -qs '^State:.[^Z]' /proc/$p/status || continue 2; sleep "
      "0.1; done; echo $p; done");
  EXPECT_EQ(alive.out, "");
  graft_.shell("kill $(cat left)");
}

TEST_F(HostCompilerOfTheProgram, HasNoFilesButItsOwn) {
  compiler("readlink /proc/$$/fd/* >>\"" + graft_.path("files") + "\"");
  graft_.write("secret", "");
  EXPECT_EQ(build("exec 7<secret 9<secret;").exit_code, 0);
  EXPECT_THAT(graft_.read("files"), Not(HasSubstr("secret")));
}

TEST_F(HostCompilerOfTheProgram, ItsOutputHasABound) {
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

// The fake compiler kills the program that starts it.
TEST_F(HostCompilerOfTheProgram, WhatAKilledProcessLeftIsRemovedByTheNext) {
  compiler("case \"$*\" in *--version*) ;; *) kill -$SIGNAL $PPID; sleep 1; exit 1;; esac");
  fs::create_directory(graft_.path("tmp"));
  for (const char* signal : {"INT", "TERM", "HUP", "KILL"}) {
    SCOPED_TRACE(signal);
    const std::string environment = "export TMPDIR=$PWD/tmp SIGNAL=" + std::string(signal) + ";";
    EXPECT_NE(build(environment).exit_code, 0);
    EXPECT_EQ(std::distance(fs::directory_iterator(graft_.path("tmp")), fs::directory_iterator()), 1);
    const Result next = graft_.shell(environment + kInspectOnHost);
    EXPECT_EQ(next.exit_code, 0) << next.err;
    EXPECT_TRUE(fs::is_empty(graft_.path("tmp")));
  }
}

// A compiler whose path has spaces writes the words that it is given into the file `words`.
class CompilerWithSpaces : public HostCompilerOfTheProgram {
 protected:
  CompilerWithSpaces() {
    fs::create_directory(graft_.path("my tools"));
    compiler("for word in \"$@\"; do echo \"$word\" >>\"" + graft_.path("words") + "\"; done", "my tools/c++ 12");
  }
  // Runs a build with GRAFT_CXX set to `value`, in which HERE means the program's folder.
  Result build_with(std::string value) const {
    for (std::size_t at = value.find("HERE"); at != value.npos; at = value.find("HERE"))
      value.replace(at, 4, graft_.path(""));
    graft_.write("value", value);
    return graft_.shell(
        "export GRAFT_CXX=\"$(cat value)\"; graft inspect '[](float x) { return WORDS(x); }' --route host");
  }
};

TEST_F(CompilerWithSpaces, AValueThatIsAFileIsThatFile) {
  for (const char* variable : {"GRAFT_CXX", "CXX"}) {
    fs::remove(graft_.path("words"));
    const Result run = graft_.shell(std::string(variable) + "=\"$PWD/my tools/c++ 12\" " + kInspectOnHost);
    EXPECT_EQ(run.exit_code, 0) << run.err;
    EXPECT_TRUE(graft_.has("words"));
  }
}

TEST_F(CompilerWithSpaces, WordsAreQuotedAsInAShell) {
  for (const char* words :
       {"\"HEREmy tools/c++ 12\" '-DWORDS(x)=3 * x'", "HEREmy\\ tools/c++\\ 12 -DWORDS\\(x\\)=3\\ *\\ x",
        "'HEREmy tools'/c++\" 12\" \"-DWORDS(x)=3 * x\""}) {
    fs::remove(graft_.path("words"));
    const Result run = build_with(words);
    EXPECT_EQ(run.exit_code, 0) << words << run.err;
    EXPECT_THAT(graft_.read("words"), HasSubstr("-DWORDS(x)=3 * x\n")) << words;
  }
}

TEST_F(CompilerWithSpaces, AQuoteThatIsNotClosedIsAReason) {
  const Result run = build_with("'HEREmy tools/c++ 12");
  EXPECT_EQ(run.exit_code, 1);
  EXPECT_THAT(run.err, HasSubstr("GRAFT_CXX"));
  EXPECT_THAT(run.err, HasSubstr("quote"));
}

const char* const kInjected =
    "#ifdef INJECTED\n"
    "__device__ float f(float x) { return INJECTED * x; }\n"
    "#endif\n";

TEST(OptionsFile, AnIncludeFolderIsNoFileOfOptions) {
  const Program program;
  program.write("callback.cu", kInjected);
  program.write("options", "inc -DINJECTED=7");
  const Result result = program.run("inspect callback.cu --route host -I @options");
  EXPECT_NE(result.exit_code, 0) << result.out;
}

TEST(OptionsFile, AFolderWhoseNameBeginsSoIsAFolder) {
  const Program program;
  program.write("callback.cu", "#include \"k.h\"\n__device__ float f(float x) { return K * x; }\n");
  ASSERT_EQ(program.shell("mkdir @inc && echo '#define K 2' > @inc/k.h").exit_code, 0);
  const Result result = program.run("inspect callback.cu --route host -I @inc");
  EXPECT_EQ(result.exit_code, 0) << result.err;
}

TEST(OptionsFile, ADefineIsNoFileOfOptions) {
  const Program program;
  program.write("callback.cu", kInjected);
  program.write("options=1", "GRAFT_UNUSED=1 -DINJECTED=7");
  const Result result = program.run("inspect callback.cu --route host -D @options");
  EXPECT_NE(result.exit_code, 0) << result.out;
}

}  // namespace
}  // namespace graft::test
