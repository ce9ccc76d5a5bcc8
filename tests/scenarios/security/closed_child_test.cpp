// Tests of sentence 23 of docs/security.md: what the child process that compiles gets, opens and starts, that nothing
// of it outlives the build, and that it is graft's own program.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/inotify.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "base/descriptor.hpp"
#include "scenarios/security/closed.hpp"
#include "store/folder.hpp"
#include "support/spy_nvrtc.hpp"
#include "toolchain/timed_process.hpp"

namespace graft::test {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;
using testing::Not;
using Clock = std::chrono::steady_clock;

// Whether the process does work. A process that was killed and that nobody has reaped yet is a zombie (state Z).
bool runs(const std::string& process) {
  const std::string state = base::read_file("/proc/" + process + "/stat").value_or("");
  return !state.empty() && state.find(") Z") == state.npos;
}

// graft must kill the child process and every process of its group.
TEST(Security, S23_AChildThatHangsIsKilled) {
  const base::TemporaryFolder folder;
  const std::string file = (folder.path() / "started").string();
  const Double hang("sleep 1000 & echo $! $$ >" + file + "; sleep 1000");
  const auto begin = Clock::now();
  const Error error = error_of_closed(kFormula, closed({.time = 500ms}), hang.engine());
  EXPECT_THAT(error.message(), HasSubstr("500 ms"));
  EXPECT_LT(Clock::now() - begin, 30s);
  std::istringstream started(base::read_file(file).value_or(""));
  std::string background, child;
  ASSERT_TRUE(started >> background >> child);
  while (runs(background) && Clock::now() - begin < 30s) std::this_thread::sleep_for(10ms);
  EXPECT_FALSE(runs(background));
  EXPECT_FALSE(runs(child));
}

TEST(Security, S23_TheChildHasNoOtherFilesAndNoInput) {
  const base::TemporaryFolder folder;
  const Double spy("ls -l /proc/self/fd >" + (folder.path() / "files").string() + "; exit 3");
  const int secret = ::open("/etc/hostname", 0);
  error_of_closed(kFormula, closed(), spy.engine());
  ::close(secret);
  const std::string files = base::read_file(folder.path() / "files").value_or("");
  EXPECT_THAT(files, HasSubstr("0 -> /dev/null"));
  EXPECT_THAT(files, HasSubstr("3 -> /memfd:graft question"));
  EXPECT_THAT(files, HasSubstr("4 -> /memfd:graft answer"));
  EXPECT_EQ(files.find("/etc/"), files.npos);
}

// A process that has left the child's group, by setsid, would outlive the child. The spy is NVRTC with code that tries
// to start processes, as a formula that exploits the compiler could.
TEST(Security, S23_TheChildStartsNoProcess) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "LeakSanitizer starts a process, so the child of such a build may start processes";
#endif
  const SpyToolkit spy;
  EngineOptions options = no_cache();
  options.cuda_path = spy.path();
  Engine engine(options);
  const std::string here = spy.escapes_of([&] { build(engine, kFormula, kArchitecture); });
  EXPECT_THAT(here, HasSubstr("fork: started\nclone: started\n")) << "a build in this process may start processes";
  EXPECT_THAT(here, HasSubstr("execve: No such file or directory\nthread: started\n"));
  const std::string in_child = spy.escapes_of([&] { build(engine, kFormula, kArchitecture, closed()); });
  EXPECT_THAT(in_child, HasSubstr("fork: Operation not permitted\nclone: Operation not permitted\n"));
  EXPECT_THAT(in_child, HasSubstr("execve: Operation not permitted\nthread: started\n"));
  EXPECT_THAT(in_child, Not(HasSubstr("k: started")));
}

// Sees whether a file or folder was opened since construction.
class Watch {
 public:
  explicit Watch(const std::vector<std::filesystem::path>& paths)
      : inotify_(::inotify_init1(IN_NONBLOCK | IN_CLOEXEC)) {
    for (const std::filesystem::path& path : paths)
      EXPECT_GE(::inotify_add_watch(inotify_.get(), path.c_str(), IN_OPEN | IN_ACCESS | IN_CREATE), 0) << path;
  }
  bool saw() {
    alignas(inotify_event) char events[4096];
    return ::read(inotify_.get(), events, sizeof events) > 0;
  }

 private:
  base::Descriptor inotify_;
};

// The child gets an environment that names a cache and, in the loader's path, a file with the driver's name.
TEST(Security, S23_TheChildOpensNoCacheAndNoDriver) {
  const base::TemporaryFolder folder;
  const std::filesystem::path cache = folder.path() / "cache", libraries = folder.path() / "libraries";
  std::filesystem::create_directory(libraries);
  ASSERT_TRUE(base::write_file(libraries / "libcuda.so.1", base::as_bytes("no library")));
  const std::string with = "export GRAFT_CACHE= GRAFT_CACHE_DIR=" + cache.string() +
                           " LD_LIBRARY_PATH=" + libraries.string() + ":\"$LD_LIBRARY_PATH\"; exec " GRAFT_PROGRAM;
  const auto run_open = [&] {
    return toolchain::run_process({"/bin/sh", "-c", with + " inspect --arch 90 '" + kFormula + "'"}).output;
  };
  EXPECT_THAT(run_open(), HasSubstr("NVRTC"));  // fills the cache
  Watch cache_watch({cache, cache / store::version_folder()}), driver_watch({libraries / "libcuda.so.1"});
  EXPECT_THAT(run_open(), HasSubstr("from the cache"));
  EXPECT_TRUE(cache_watch.saw()) << "an open build opens the cache";
  EXPECT_TRUE(driver_watch.saw()) << "an open build looks for the driver";

  const Double in_child(with + " \"$@\"");
  Engine engine(in_child.engine());
  EXPECT_FALSE(build(engine, kFormula, kArchitecture, closed()).bytes().empty());
  EXPECT_FALSE(cache_watch.saw());
  EXPECT_FALSE(driver_watch.saw());
}

TEST(Security, S23_AnotherProgramIsRefused) {
  const auto expect = [](const std::string& script, const char* words) {
    const Error error = error_of_closed(kFormula, closed(), Double(script).engine());
    EXPECT_EQ(error.code(), ErrorCode::ToolMissing) << error.what();
    EXPECT_THAT(error.message(), HasSubstr(words));
  };
  expect("exit 2", "is not the program `graft` of this library's build");
  expect("exit 0", "it exited with 0 and left no answer");
  // A record of 7 bytes whose field 1 has one byte. It is the message of a child process that belongs to the build "x".
  expect(R"(printf '\007\000\000\000\001\000\001\000\000\000x' >&4)", "it is of the build x");

  EngineOptions missing = no_cache();
  missing.program = "/nonexistent/graft";
  const Error error = error_of_closed(kFormula, closed(), missing);
  EXPECT_EQ(error.code(), ErrorCode::ToolMissing);
  EXPECT_THAT(error.message(), HasSubstr("EngineOptions::program is /nonexistent/graft"));
}

TEST(Security, S23_TheProgramIsFoundByTheEnvironmentToo) {
  const auto with_variable = [](const char* value) {
    ::setenv("GRAFT_PROGRAM", value, 1);
    const Error error = error_of_closed(kFormula);
    ::unsetenv("GRAFT_PROGRAM");
    return error.message();
  };
  EXPECT_THAT(with_variable("/nonexistent/graft"), HasSubstr("GRAFT_PROGRAM is /nonexistent/graft"));
  EXPECT_THAT(with_variable("graft"), HasSubstr("relative path, which graft ignores"));
}

}  // namespace
}  // namespace graft::test
