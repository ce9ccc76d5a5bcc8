// Tests how the program writes the files that the user names, and what it leaves of them. In version 0.1, graft wrote
// the files named by -o, --out and cache export to a temporary file and renamed the temporary file over whatever had
// the file's name. The rename destroyed device nodes, FIFOs and symbolic links, and changed mode 0600 to 0644.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

#include "cli/npy_files.hpp"
#include "cli/program.hpp"
#include "store/entries.hpp"

namespace graft::test {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

// One of the three commands that write a file whose name the user gives.
struct Writer {
  const char* words;  // the command line up to the file's name
  const char* begin;  // the first bytes of the file that the command writes
};
constexpr Writer kWriters[] = {
    {"precompile gain.cu --arch 75 -o ", "\x89GRAFT"},
    {"apply gain.cu --in a.npy --route host --out ", "\x93NUMPY"},
    {"cache export --all ", "GRAFTEXP"},
};

// All three commands write files with the same code. Only `cache export` needs no compiler, so most cases below try
// only `cache export`.
constexpr Writer kExport[] = {kWriters[2]};

// A folder in which one command runs. It contains a kernel that can be exported.
struct Place {
  explicit Place(const Writer& writer) : words(writer.words), begin(writer.begin) {
    graft.write("gain.cu", "__device__ float gain(float x) { return 3 * x; }\n");
    graft.write("a.npy", npy("'<f4'", "(3,)", raw<float>({1, 2, 3})));
    graft.write("list.txt", "gain.cu --arch 90\n");
    EXPECT_EQ(graft.run("warm list.txt").exit_code, 0);
    // Copy the links of /dev into this folder, so that a failing test cannot destroy the real links.
    fs::create_directory(graft.path("dev"));
    fs::create_symlink("/proc/self/fd", graft.path("dev/fd"));
    fs::create_symlink("/proc/self/fd/1", graft.path("dev/stdout"));
  }
  Result write_to(const std::string& file) const { return graft.run(words + file); }
  struct stat state(const std::string& file) const {
    struct stat found {};
    EXPECT_EQ(::lstat(graft.path(file).c_str(), &found), 0) << file;
    return found;
  }
  mode_t mode(const std::string& file) const { return state(file).st_mode & 07777u; }
  void expect_whole(const std::string& file) const { EXPECT_THAT(graft.read(file), StartsWith(begin)); }

  std::string words;
  std::string begin;
  Program graft;
};

TEST(OutputFiles, SymbolicLinksAreFollowedAndStay) {
  for (const Writer& writer : kWriters) {
    SCOPED_TRACE(writer.words);
    const Place p(writer);
    fs::create_directories(p.graft.path("there/deep"));
    p.graft.write("there/old", "old");
    fs::create_symlink("there/old", p.graft.path("link"));
    fs::create_symlink("../link", p.graft.path("there/second"));
    fs::create_symlink("there/deep/new", p.graft.path("dangling"));
    fs::create_symlink(p.graft.path("there"), p.graft.path("folder"));
    for (const auto& [name, target] : {std::pair{"link", "there/old"},
                                       {"there/second", "there/old"},
                                       {"dangling", "there/deep/new"},
                                       {"folder/plain", "there/plain"}}) {
      SCOPED_TRACE(name);
      p.graft.write("there/old", "old");
      const bool was_link = fs::is_symlink(p.graft.path(name));
      const Result run = p.write_to(name);
      EXPECT_EQ(run.exit_code, 0) << run.err;
      EXPECT_EQ(fs::is_symlink(p.graft.path(name)), was_link);
      EXPECT_FALSE(fs::is_symlink(p.graft.path(target)));
      p.expect_whole(target);
    }
  }
}

TEST(OutputFiles, ALoopOfLinksIsAnError) {
  for (const Writer& writer : kExport) {
    SCOPED_TRACE(writer.words);
    const Place p(writer);
    fs::create_symlink("two", p.graft.path("one"));
    fs::create_symlink("one", p.graft.path("two"));
    const Result run = p.write_to("one");
    EXPECT_EQ(run.exit_code, 1);
    EXPECT_THAT(run.err, HasSubstr("one: it cannot be written: Too many levels of symbolic links [FileUnreadable]"));
    EXPECT_TRUE(fs::is_symlink(p.graft.path("one")));
  }
}

TEST(OutputFiles, AFifoIsWrittenThrough) {
  for (const Writer& writer : kExport) {
    SCOPED_TRACE(writer.words);
    const Place p(writer);
    ASSERT_EQ(::mkfifo(p.graft.path("pipe").c_str(), 0600), 0);
    const Result run = p.graft.shell("timeout 10 cat pipe >copy & graft " + p.words + "pipe && wait");
    EXPECT_EQ(run.exit_code, 0) << run.err;
    EXPECT_TRUE(S_ISFIFO(p.state("pipe").st_mode));
    if (fs::is_fifo(p.graft.path("pipe"))) p.expect_whole("copy");
  }
}

TEST(OutputFiles, DevicesAreWrittenThrough) {
  for (const Writer& writer : kExport) {
    SCOPED_TRACE(writer.words);
    const Place p(writer);
    if (::mknod(p.graft.path("null").c_str(), S_IFCHR | 0666, makedev(1, 3)) != 0 ||
        ::mknod(p.graft.path("full").c_str(), S_IFCHR | 0666, makedev(1, 7)) != 0)
      GTEST_SKIP() << "this user may not make device nodes";
    fs::create_symlink("null", p.graft.path("link"));
    for (const char* name : {"null", "link"}) {
      EXPECT_EQ(p.write_to(name).exit_code, 0) << name;
      EXPECT_TRUE(S_ISCHR(p.state("null").st_mode));
    }
    const Result full = p.write_to("full");
    EXPECT_EQ(full.exit_code, 1);
    EXPECT_THAT(full.err, HasSubstr("full: it cannot be written: No space left on device [FileUnreadable]"));
    EXPECT_TRUE(S_ISCHR(p.state("full").st_mode));
  }
}

// If the user names a file that is already open (as /dev/stdout does), graft writes into the open file instead of
// replacing it.
TEST(OutputFiles, OpenFilesAreWrittenThrough) {
  for (const Writer& writer : kWriters) {
    SCOPED_TRACE(writer.words);
    const Place p(writer);
    for (const std::string name : {"dev/stdout", "dev/fd/7", "/proc/self/fd/7", "/proc/thread-self/fd/7", "own"}) {
      SCOPED_TRACE(name);
      fs::remove(p.graft.path("own"));
      fs::create_symlink("dev/fd/7", p.graft.path("own"));
      const std::string words = p.words + name;
      const std::string number = name == "dev/stdout" ? "1" : "7";
      const Result run =
          p.graft.shell("exec 7>out; echo front >&7; (graft " + words + ") " + number + ">&7; echo back >&7");
      EXPECT_EQ(run.exit_code, 0) << run.err;
      EXPECT_THAT(p.graft.read("out"), StartsWith(std::string("front\n") + p.begin));
      EXPECT_THAT(p.graft.read("out"), testing::EndsWith("back\n"));
      EXPECT_TRUE(fs::is_symlink(p.graft.path("own")));
    }
  }
}

TEST(OutputFiles, StandardOutputMayBeAPipeOrASocket) {
  for (const Writer& writer : kExport) {
    SCOPED_TRACE(writer.words);
    const Place p(writer);
    const Result pipe = p.graft.shell("graft " + p.words + "dev/stdout | cat >copy");
    EXPECT_EQ(pipe.exit_code, 0) << pipe.err;
    p.expect_whole("copy");
    int ends[2];
    ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
    ASSERT_EQ(::dup2(ends[1], 9), 9);
    const Result socket = p.graft.shell("graft " + p.words + "dev/stdout >&9");
    EXPECT_EQ(socket.exit_code, 0) << socket.err;
    ::close(9);
    ::close(ends[1]);
    char begin[64] = "";
    EXPECT_GT(::read(ends[0], begin, sizeof begin - 1), 0);
    EXPECT_THAT(begin, StartsWith(p.begin));
    ::close(ends[0]);
  }
}

// If an export goes to standard output, graft prints nothing else there.
TEST(OutputFiles, AnExportToStandardOutputCanBeImported) {
  const Program graft;
  graft.write("list.txt", "'[](float x) { return x; }' --arch 90\n");
  ASSERT_EQ(graft.run("warm list.txt").exit_code, 0);
  const Result run = graft.shell(
      "ln -s /proc/self/fd/1 out; graft cache export --all out | GRAFT_CACHE_DIR=$PWD/b graft cache import /dev/stdin");
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_EQ(run.out, "imported 1 kernel\n");
}

TEST(OutputFiles, AFileKeepsItsModeAndOwner) {
  for (const Writer& writer : kExport) {
    SCOPED_TRACE(writer.words);
    const Place p(writer);
    for (const mode_t wanted : {mode_t{0600}, mode_t{0640}, mode_t{0666}, mode_t{0755}}) {
      p.graft.write("old", "old");
      ASSERT_EQ(::chmod(p.graft.path("old").c_str(), wanted), 0);
      EXPECT_EQ(p.write_to("old").exit_code, 0);
      EXPECT_EQ(p.mode("old"), wanted);
      p.expect_whole("old");
    }
    if (::geteuid() != 0) continue;  // only root can change the owner of a file
    ASSERT_EQ(::chown(p.graft.path("old").c_str(), 12345, 23456), 0);
    EXPECT_EQ(p.write_to("old").exit_code, 0);
    EXPECT_EQ(p.state("old").st_uid, 12345u);
    EXPECT_EQ(p.state("old").st_gid, 23456u);
  }
}

TEST(OutputFiles, ANewFileHasTheModeThatTheUmaskGives) {
  for (const Writer& writer : kExport) {
    SCOPED_TRACE(writer.words);
    const Place p(writer);
    const Result run = p.graft.shell("umask 027; graft " + p.words + "new");
    EXPECT_EQ(run.exit_code, 0) << run.err;
    EXPECT_EQ(p.mode("new"), 0640u);
  }
}

TEST(OutputFiles, WhatCannotBeWrittenIsAnErrorWithItsReason) {
  for (const Writer& writer : kExport) {
    SCOPED_TRACE(writer.words);
    const Place p(writer);
    fs::create_directory(p.graft.path("folder"));
    p.graft.write("file", "old");
    fs::create_symlink("no/such/file", p.graft.path("dangling"));
    for (const auto& [name, reason] : {std::pair{"folder", "Is a directory"},
                                       {".", "Is a directory"},
                                       {"folder/", "Is a directory"},
                                       {"new/", "No such file or directory"},
                                       {"missing/new", "No such file or directory"},
                                       {"dangling", "No such file or directory"},
                                       {"file/new", "Not a directory"},
                                       {"/dev/fd/99", "it cannot be written: "},
                                       {"/proc/new", "it cannot be written: "}}) {
      SCOPED_TRACE(name);
      const std::size_t files = p.graft.files();
      const Result run = p.write_to(name);
      EXPECT_EQ(run.exit_code, 1);
      EXPECT_THAT(run.err, HasSubstr(std::string("graft: ") + name));
      EXPECT_THAT(run.err, HasSubstr("it cannot be written"));
      EXPECT_THAT(run.err, HasSubstr(reason));
      EXPECT_THAT(run.err, HasSubstr("[FileUnreadable]"));
      EXPECT_EQ(p.graft.files(), files);
      EXPECT_EQ(p.graft.read("file"), "old");
    }
  }
}

// In version 0.1, a killed run left the file FILE.<pid>.tmp behind, and O_EXCL then made every later run with the same
// pid fail. In a container a program often has the same pid in each run.
class LeftoverFiles : public testing::Test {
 protected:
  LeftoverFiles() {
    graft.write("gain.cu", "__device__ float gain(float x) { return 3 * x; }\n");
    fs::create_directory(graft.path("out"));
  }
  std::vector<std::string> names() const {
    std::vector<std::string> found;
    for (const auto& one : fs::directory_iterator(graft.path("out"))) found.push_back(one.path().filename());
    std::ranges::sort(found);
    return found;
  }

  Program graft;
};

TEST_F(LeftoverFiles, AFileOfTheSamePidIsNoObstacle) {
  const Result run =
      graft.shell("sh -c 'echo x >out/gain.graft.$$.tmp; exec graft precompile gain.cu --arch 75 -o out/gain.graft'");
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(graft.read("out/gain.graft"), StartsWith("\x89GRAFT"));
}

// Kills the real program at many moments. The files that killed runs leave must do no harm, and the next complete run
// must remove them. tests/cli/new_file_test.cpp kills the program at each system call instead.
TEST_F(LeftoverFiles, WhatKilledRunsLeftGoesWithTheNextRun) {
  store::Store store({.folder = graft.path("own-cache"), .layers = {}});
  for (int i = 0; i < 3; ++i) ASSERT_EQ(store.put(store::entry_of(i, 5'000'000)).problem, "");
  const auto begin = std::chrono::steady_clock::now();
  ASSERT_EQ(graft.run("cache export --all out/kernels").exit_code, 0);
  const std::chrono::duration<double> whole_run = std::chrono::steady_clock::now() - begin;
  const std::string whole = graft.read("out/kernels");
  ASSERT_GT(whole.size(), 15'000'000u);
  for (int i = 1; i <= 30; ++i) {
    const std::string moment = std::to_string(whole_run.count() * i / 30);
    graft.shell("(timeout -s KILL " + moment + " graft cache export --all out/kernels); true");
    ASSERT_TRUE(graft.read("out/kernels") == whole) << moment;
  }
  ASSERT_EQ(graft.run("cache export --all out/kernels").exit_code, 0);
  EXPECT_THAT(names(), ElementsAre("kernels"));
}

}  // namespace
}  // namespace graft::test
