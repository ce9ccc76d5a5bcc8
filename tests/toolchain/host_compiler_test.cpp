// Tests the search for the C++ compiler of the host route, and compiles shared objects with this compiler.
#include "toolchain/host_compiler.hpp"

#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <cstdlib>
#include <thread>

#include "base/environment.hpp"
#include "base/files.hpp"

namespace graft::toolchain {
namespace {
namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

std::shared_ptr<const HostCompiler> compiler() {
  std::string why;
  auto found = HostCompiler::find({}, why);
  EXPECT_TRUE(found) << why;
  return found;
}

// Sets environment variables for one test and restores them afterwards.
class HostCompilerTest : public testing::Test {
 protected:
  void set(const std::string& name, const std::string& value) {
    before_.emplace_back(name, base::environment(name.c_str()));
    if (value.empty()) ::unsetenv(name.c_str());
    else ::setenv(name.c_str(), value.c_str(), 1);
  }
  void TearDown() override {
    while (!before_.empty()) {
      const auto [name, value] = before_.back();
      before_.pop_back();
      if (value.empty()) ::unsetenv(name.c_str());
      else ::setenv(name.c_str(), value.c_str(), 1);
    }
  }

 private:
  std::vector<std::pair<std::string, std::string>> before_;
};

// Loads a shared object, calls its `extern "C" int f()` and returns the result.
int call(const base::Bytes& object) {
  const base::TemporaryFolder folder;
  EXPECT_TRUE(base::write_file(folder.path() / "f.so", object));
  void* const library = ::dlopen((folder.path() / "f.so").c_str(), RTLD_NOW);
  EXPECT_NE(library, nullptr) << ::dlerror();
  if (!library) return -1;
  const int result = reinterpret_cast<int (*)()>(::dlsym(library, "f"))();
  ::dlclose(library);
  return result;
}

TEST_F(HostCompilerTest, MakesASharedObject) {
  const HostCompilation result = compiler()->compile({R"(extern "C" int f() { return 42; })", {}, {"-O2"}});
  ASSERT_TRUE(result.ok) << result.log;
  EXPECT_EQ(result.log, "");
  EXPECT_EQ(call(result.object), 42);
}

TEST_F(HostCompilerTest, FindsTheHeadersGiven) {
  const HostCompilation result =
      compiler()->compile({"#include <a/b/seven.h>\nextern \"C\" int f() { return SEVEN + ONE; }",
                           {{"a/b/seven.h", "#include \"one.h\"\n#define SEVEN 7"}, {"a/b/one.h", "#define ONE 1"}},
                           {}});
  ASSERT_TRUE(result.ok) << result.log;
  EXPECT_EQ(call(result.object), 8);
}

TEST_F(HostCompilerTest, HeadersStayInsideTheFolder) {
  for (const char* name : {"/tmp/graft-escaped.h", "../graft-escaped.h", "a/../../graft-escaped.h", ""}) {
    const HostCompilation result = compiler()->compile({"", {{name, "text"}}, {}});
    EXPECT_FALSE(result.ok) << name;
    EXPECT_THAT(result.log, HasSubstr("cannot write the header"));
  }
  EXPECT_FALSE(fs::exists("/tmp/graft-escaped.h"));
}

TEST_F(HostCompilerTest, AFailureHasALogThatNamesLinesAndNoFolder) {
  const HostCompilation result = compiler()->compile({"int ok;\nint f() { return tyop; }", {}, {}});
  EXPECT_FALSE(result.ok);
  EXPECT_TRUE(result.object.empty());
  EXPECT_THAT(result.log, AllOf(HasSubstr("program.cpp:2:"), HasSubstr("tyop"), Not(HasSubstr("graft-"))));
}

TEST_F(HostCompilerTest, EqualProgramsGiveEqualBytes) {
  const HostProgram program{R"(extern "C" const char* f() { return __FILE__; })", {}, {"-g"}};
  const HostCompilation first = compiler()->compile(program);
  ASSERT_TRUE(first.ok) << first.log;
  EXPECT_EQ(first.object, compiler()->compile(program).object);
}

TEST_F(HostCompilerTest, LeavesNothingBehind) {
  const base::TemporaryFolder folder;
  set("TMPDIR", folder.path());
  EXPECT_TRUE(compiler()->compile({"int f;", {}, {}}).ok);
  EXPECT_FALSE(compiler()->compile({"int f() { return tyop; }", {}, {}}).ok);
  EXPECT_FALSE(compiler()->compile({"int f;", {{"/x", ""}}, {}}).ok);
  EXPECT_TRUE(fs::is_empty(folder.path()));
}

TEST_F(HostCompilerTest, AnUnusableTmpdirIsAnError) {
  const auto found = compiler();
  set("TMPDIR", "/proc/no/such/folder");
  const HostCompilation result = found->compile({"int f;", {}, {}});
  EXPECT_FALSE(result.ok);
  EXPECT_THAT(result.log, HasSubstr("/proc/no/such/folder"));
}

TEST_F(HostCompilerTest, TellsPathAndVersion) {
  EXPECT_TRUE(compiler()->path().is_absolute());
  EXPECT_FALSE(compiler()->version().empty());
  EXPECT_EQ(compiler()->version().find('\n'), std::string::npos);
}

TEST_F(HostCompilerTest, AnExplicitPathIsFinal) {
  std::string why;
  EXPECT_FALSE(HostCompiler::find("/no/such/c++", why));
  EXPECT_EQ(why, "no C++ compiler: /no/such/c++: No such file or directory (the path given)");
  EXPECT_FALSE(HostCompiler::find("/bin/false", why));
  EXPECT_EQ(why, "no C++ compiler: /bin/false returned 1 (the path given)");
}

TEST_F(HostCompilerTest, VariablesComeBeforePath) {
  std::string why;
  set("CXX", "/no/such/cxx");
  EXPECT_TRUE(HostCompiler::find({}, why)) << why;  // a bad CXX is skipped, because CXX is not a setting of graft
  set("CXX", "env c++ -DANSWER=6");
  const auto by_words = HostCompiler::find({}, why);
  ASSERT_TRUE(by_words) << why;
  EXPECT_EQ(by_words->path().filename(), "env");
  const HostCompilation result = by_words->compile({R"(extern "C" int f() { return ANSWER; })", {}, {}});
  ASSERT_TRUE(result.ok) << result.log;
  EXPECT_EQ(call(result.object), 6);
  set("GRAFT_CXX", "/no/such/graft-cxx");
  EXPECT_FALSE(HostCompiler::find({}, why));
  EXPECT_THAT(why, AllOf(HasSubstr("/no/such/graft-cxx"), HasSubstr("GRAFT_CXX")));
}

// Makes a compiler for one test: a shell script that runs the commands `text` and then the real compiler.
fs::path script(const base::TemporaryFolder& folder, const std::string& name, const std::string& text) {
  fs::path file = folder.path() / name;
  EXPECT_TRUE(base::write_file(file, base::as_bytes("#!/bin/sh\n" + text + "\nexec c++ \"$@\"\n")));
  fs::permissions(file, fs::perms::owner_all);
  return file;
}

TEST_F(HostCompilerTest, AVariableNamesAFileOrHoldsQuotedWords) {
  const base::TemporaryFolder folder;
  const std::string spaced = script(folder, "my c++", "").string();
  std::string why;
  set("GRAFT_CXX", spaced);
  const auto by_file = HostCompiler::find({}, why);
  ASSERT_TRUE(by_file) << why;
  EXPECT_EQ(by_file->path(), spaced);
  set("GRAFT_CXX", "'" + spaced + "' \"-DANSWER=2 + 3\"");
  const auto by_words = HostCompiler::find({}, why);
  ASSERT_TRUE(by_words) << why;
  EXPECT_EQ(by_words->path(), spaced);
  const HostCompilation result = by_words->compile({R"(extern "C" int f() { return ANSWER; })", {}, {}});
  ASSERT_TRUE(result.ok) << result.log;
  EXPECT_EQ(call(result.object), 5);
  set("GRAFT_CXX", "'" + spaced);
  EXPECT_FALSE(HostCompiler::find({}, why));
  EXPECT_EQ(why, "no C++ compiler: '" + spaced + ": unclosed quote or trailing backslash (GRAFT_CXX)");
  set("GRAFT_CXX", "  ");
  EXPECT_TRUE(HostCompiler::find({}, why)) << "a GRAFT_CXX of blanks counts as unset: " << why;
}

TEST_F(HostCompilerTest, RelativePathsAreLeftOut) {
  std::string why;
  set("CXX", "bin/c++");
  EXPECT_TRUE(HostCompiler::find({}, why)) << why;
  set("GRAFT_CXX", "./c++ -m64");
  EXPECT_FALSE(HostCompiler::find({}, why));
  EXPECT_EQ(why, "no C++ compiler: ./c++ is a relative path, which graft ignores; give an absolute path (GRAFT_CXX)");
  set("GRAFT_CXX", "");
  set("PATH", ".:bin");
  const auto found = HostCompiler::find({}, why);
  EXPECT_TRUE(found && found->path().is_absolute()) << why;
  set("PATH", ".::/no/such/folder");
  EXPECT_FALSE(HostCompiler::find({}, why));
  EXPECT_THAT(why, HasSubstr("graft ignores the relative entries \".\", \"\" of PATH"));
}

TEST_F(HostCompilerTest, TheCompilersOwnProgramsComeFromASafePathToo) {
  const base::TemporaryFolder folder;
  const auto echo = script(folder, "c++", "[ \"$1\" = --version ] || echo \"PATH is $PATH\"");
  std::string why;
  set("PATH", "." + (":" + base::environment("PATH")) + ":");
  const auto found = HostCompiler::find(echo, why);
  ASSERT_TRUE(found) << why;
  EXPECT_THAT(found->compile({"int f;", {}, {}}).log, AllOf(HasSubstr("PATH is /"), Not(HasSubstr(":\n"))));
}

TEST_F(HostCompilerTest, TimeHasABound) {
  const base::TemporaryFolder folder;
  std::string why;
  const HostCompilerTimes short_times{std::chrono::milliseconds(300), std::chrono::milliseconds(300)};
  EXPECT_FALSE(HostCompiler::find(script(folder, "mute", "sleep 100"), why, short_times));
  EXPECT_THAT(why, HasSubstr("/mute took more than 0.3 seconds and was killed (the path given)"));
  const auto slow = HostCompiler::find(script(folder, "slow", "[ \"$1\" = --version ] || sleep 100"), why,
                                       {std::chrono::seconds(30), std::chrono::milliseconds(300)});
  ASSERT_TRUE(slow) << why;
  const HostCompilation result = slow->compile({"int f;", {}, {}});
  EXPECT_FALSE(result.ok);
  EXPECT_TRUE(result.timed_out);
  EXPECT_THAT(result.log, HasSubstr("took more than 0.3 seconds and was killed"));
  EXPECT_EQ(result.system_failure, "");
}

TEST_F(HostCompilerTest, WhatTheSystemRefusesIsToldApart) {
  const auto found = compiler();
  const base::TemporaryFolder folder;
  set("TMPDIR", folder.path());
  EXPECT_EQ(found->compile({"int f() { return tyop; }", {}, {}}).system_failure, "");
  EXPECT_EQ(found->compile({"", {{"../x", ""}}, {}}).system_failure, "");
  {
    rlimit before{};
    ::getrlimit(RLIMIT_FSIZE, &before);
    const rlimit limit{10, before.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    const HostCompilation source = found->compile({"int text_of_more_than_ten_bytes;", {}, {}});
    const HostCompilation header = found->compile({"", {{"a/b.h", "int text_of_more_than_ten_bytes;"}}, {}});
    ::setrlimit(RLIMIT_FSIZE, &before);
    EXPECT_THAT(source.system_failure, AllOf(HasSubstr("/program.cpp: File too large"), HasSubstr(folder.path())));
    EXPECT_THAT(header.system_failure, HasSubstr("/a/b.h: File too large"));
    EXPECT_FALSE(source.ok || header.ok);
  }
  set("TMPDIR", "/proc/no/such/folder");
  EXPECT_EQ(found->compile({"int f;", {}, {}}).system_failure,
            "cannot make a temporary folder in /proc/no/such/folder: No such file or directory");
}

TEST_F(HostCompilerTest, ACompilerThatMakesNothingIsSaidToHave) {
  std::string why;
  const auto nothing = HostCompiler::find("/bin/true", why);
  ASSERT_TRUE(nothing) << why;
  EXPECT_EQ(nothing->compile({"int f;", {}, {}}).log, "/bin/true returned 0 but wrote no object file\n");
}

TEST_F(HostCompilerTest, WithoutAnyItSaysWhatItLookedFor) {
  std::string why;
  set("GRAFT_CXX", "");
  set("CXX", "");
  set("PATH", "/no/such/folder");
  EXPECT_FALSE(HostCompiler::find({}, why));
  EXPECT_THAT(
      why, AllOf(HasSubstr("c++: No such file"), HasSubstr("g++: No such file"), HasSubstr("clang++: No such file")));
}

TEST_F(HostCompilerTest, ThreadsCompileSideBySide) {
  const auto found = compiler();
  std::vector<HostCompilation> results(4);
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < results.size(); ++i)
    threads.emplace_back([&, i] {
      results[i] = found->compile({"extern \"C\" int f() { return " + std::to_string(i) + "; }", {}, {}});
    });
  for (std::thread& thread : threads) thread.join();
  for (std::size_t i = 0; i < results.size(); ++i) {
    ASSERT_TRUE(results[i].ok) << results[i].log;
    EXPECT_EQ(call(results[i].object), static_cast<int>(i));
  }
}

}  // namespace
}  // namespace graft::toolchain
