// Tests graft under a file size limit (ulimit -f), and with pipes that nobody reads. In version 0.1, the signal SIGXFSZ
// ended the process when graft stored a kernel in the cache, and SIGPIPE ended it when graft wrote to a closed pipe. A
// library must not end its process, so the write must fail and graft must report the failure as a note.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include <csignal>
#include <string>

#include "cli/program.hpp"
#include "graft/graft.hpp"
#include "support/partial_toolkit.hpp"

namespace graft::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;

constexpr const char* kSource = "__device__ float thrice(float x) { return 3 * x; }";

void limit_files(rlim_t bytes) {
  const rlimit limit{bytes, RLIM_INFINITY};
  ::setrlimit(RLIMIT_FSIZE, &limit);
  const rlimit no_core{0, 0};
  ::setrlimit(RLIMIT_CORE, &no_core);
}

TEST(FileSizeLimit, AKernelThatCannotBeKeptForTheLimitIsStillGiven) {
  const base::TemporaryFolder folder;
  const std::string text = in_own_process([&]() -> std::string {
    limit_files(1000);
    Engine engine({.cuda_path = {},
                   .host_compiler = {},
                   .cache = {.policy = CachePolicy::ReadWrite, .folder = folder.path() / "cache"}});
    const Image image = build(engine, kSource, Architecture(90));
    return image.report().notes.empty() ? "no note" : image.report().notes.back();
  });
  EXPECT_THAT(text, AllOf(HasSubstr("cache: cannot write to"), HasSubstr("File too large")));
}

TEST(FileSizeLimit, TheHostRouteFailsWithAnErrorAndNotBySignal) {
  const std::string text = in_own_process([&]() -> std::string {
    limit_files(1000);
    Options options;
    options.routes.required = Route::Host;
    try {
      build(kSource, Architecture(90), options);
    } catch (const Error& error) {
      return std::string(name(error.code())) + " " + error.what();
    }
    return "no error";
  });
  EXPECT_THAT(text, AllOf(HasSubstr("SystemFailed"), HasSubstr("File too large")));
}

TEST(FileSizeLimit, TheProgramOutlivesTheLimit) {
  const Program graft;
  const Result kept = graft.shell("ulimit -f 0; graft inspect '" + std::string(kSource) + "' --arch 90 >/dev/null");
  EXPECT_EQ(kept.exit_code, 0) << kept.err;  // the kernel is not cached, but the command succeeds
  // The limit also applies to the files that receive the program's output.
  const Result printed = graft.shell("(ulimit -f 0; graft --version >out; echo $? >&3) 3>&1 >/dev/null | cat >status");
  EXPECT_EQ(graft.read("status"), "1\n") << printed.err;
}

TEST(FileSizeLimit, AClosedPipeIsAnErrorOfTheProgram) {
  const Program graft;
  const Result run = graft.shell("mkfifo pipe; (: <pipe) & exec 3>pipe; wait; graft --version >&3");
  EXPECT_EQ(run.exit_code, 1);
  EXPECT_THAT(run.err, HasSubstr("standard output cannot be written"));
}

}  // namespace
}  // namespace graft::test
