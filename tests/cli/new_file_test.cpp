// Tests the writing of output files: each system call in turn fails, or the process is killed before it.
#include "cli/output/new_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "base/bytes.hpp"
#include "base/files.hpp"
#include "support/errors.hpp"

namespace graft::cli {
namespace {

namespace fs = std::filesystem;
using testing::AnyOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class NewFile : public testing::Test {
 protected:
  fs::path folder() const { return folder_.path(); }
  fs::path file() const { return folder() / "file"; }
  std::string content() const { return base::read_file(file()).value_or("<no file>"); }
  std::vector<std::string> names() const {
    std::vector<std::string> found;
    for (const auto& one : fs::directory_iterator(folder())) found.push_back(one.path().filename());
    std::ranges::sort(found);
    return found;
  }
  void write(const std::string& text, const BeforeCall& before = {}) const { write(file(), text, before); }
  // Passes the text as two parts. A large second part is written by several calls of write().
  static void write(const fs::path& path, const std::string& text, const BeforeCall& before = {}) {
    const auto bytes = base::as_bytes(text);
    write_new_file(path, {bytes.first(1), bytes.subspan(1)}, before);
  }
  static mode_t mode(const fs::path& path) {
    struct stat status {};
    EXPECT_EQ(::stat(path.c_str(), &status), 0);
    return status.st_mode & 07777u;
  }

  const std::string large_ = std::string(3'000'000, 'n');

 private:
  base::TemporaryFolder folder_;
};

TEST_F(NewFile, IsMadeAndReplaced) {
  write("old");
  EXPECT_EQ(content(), "old");
  write(large_);
  EXPECT_EQ(content(), large_);
  EXPECT_THAT(names(), ElementsAre("file"));
}

// Each system call in turn fails. The write must then fail and leave the old content. Only failures of calls that lock,
// set the owner or remove leftovers are ignored, and the file then gets the new content.
TEST_F(NewFile, AFailedCallLeavesTheOldContent) {
  int failures = 0;
  for (const bool is_there : {true, false})
    for (int failing = 0;; ++failing) {
      fs::remove(file());
      if (is_there) write("old");
      int calls = 0;
      std::string failed;
      const auto before = [&](std::string_view call) {
        if (calls++ != failing) return 0;
        failed = call;
        return EIO;
      };
      bool good = true;
      try {
        write(large_, before);
      } catch (const Error& error) {
        good = false;
        ++failures;
        EXPECT_EQ(error.code(), ErrorCode::FileUnreadable);
        EXPECT_THAT(error.message(), HasSubstr("file: it cannot be written: Input/output error"));
      }
      SCOPED_TRACE(failed);
      EXPECT_TRUE(good ? content() == large_ : content() == (is_there ? "old" : "<no file>"));
      EXPECT_EQ(names().size(), good || is_there ? 1u : 0u);
      if (failed.empty()) break;
    }
  EXPECT_GE(failures, 12);
}

// The process is killed before each system call in turn. The target file is always complete, with old or new content,
// and the next run removes what the killed process left.
TEST_F(NewFile, AKillAtAnyCallLeavesAWholeFile) {
  int killed = 0;
  int leftovers = 0;
  for (const bool is_there : {true, false})
    for (int last = 0;; ++last) {
      fs::remove(file());
      if (is_there) write("old");
      const pid_t child = ::fork();
      if (child == 0) {
        int calls = 0;
        write(large_, [&](std::string_view) { return calls++ == last ? ::raise(SIGKILL) : 0; });
        ::_exit(0);
      }
      int status = 0;
      ASSERT_EQ(::waitpid(child, &status, 0), child);
      const bool ended = WIFEXITED(status);
      EXPECT_TRUE(content() == large_ || (!ended && content() == (is_there ? "old" : "<no file>"))) << last;
      leftovers += names().size() > (fs::exists(file()) ? 1u : 0u) ? 1 : 0;
      killed += ended ? 0 : 1;
      write("next");
      EXPECT_EQ(content(), "next");
      EXPECT_THAT(names(), ElementsAre("file"));
      if (ended) break;
    }
  EXPECT_GE(killed, 20);
  EXPECT_GE(leftovers, 12);
}

// While one run writes, a second run writes the same target completely. The run that ends last determines the content.
TEST_F(NewFile, RunsForOneTargetDoNotMeet) {
  for (int moment = 0; moment < 12; ++moment) {
    int calls = 0;
    write("outer", [&](std::string_view) {
      if (calls++ == moment) {
        write("inner");
        EXPECT_EQ(content(), "inner");
      }
      return 0;
    });
    EXPECT_EQ(content(), "outer");
    EXPECT_THAT(names(), ElementsAre("file"));
  }
}

TEST_F(NewFile, ManyWritersLeaveOneWholeFile) {
  write("old");
  std::vector<std::thread> writers;
  for (char letter = 'a'; letter < 'e'; ++letter)
    writers.emplace_back([this, letter] {
      for (int i = 0; i < 30; ++i) write(std::string(100'000, letter));
    });
  for (int i = 0; i < 200; ++i) {
    const std::string seen = content();
    ASSERT_TRUE(seen == "old" || (seen.size() == 100'000 && seen == std::string(seen.size(), seen[0]))) << seen.size();
  }
  for (std::thread& writer : writers) writer.join();
  EXPECT_THAT(names(), ElementsAre("file"));
}

// A writer creates a temporary file and then locks it. Between these two calls, another run may take the file for a
// leftover and remove it. The writer must then create a new temporary file.
TEST_F(NewFile, ATemporaryThatWasRemovedIsMadeAnew) {
  int removed = 0;
  write("new", [&](std::string_view call) {
    if (call == "flock" && removed++ == 0)
      for (const std::string& name : names()) fs::remove(folder() / name);
    return 0;
  });
  EXPECT_EQ(content(), "new");
  EXPECT_THAT(names(), ElementsAre("file"));
}

TEST_F(NewFile, LeftoversOfOtherTargetsStay) {
  const pid_t child = ::fork();
  if (child == 0)
    write(folder() / "other", "x", [](std::string_view call) { return call == "rename" ? ::raise(SIGKILL) : 0; });
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_EQ(names().size(), 1u);
  write("new");
  EXPECT_EQ(names().size(), 2u);
  write(folder() / "other", "y");
  EXPECT_THAT(names(), ElementsAre("file", "other"));
}

TEST_F(NewFile, LocksAreOptional) {
  write("new", [](std::string_view call) { return call == "flock" ? ENOLCK : 0; });
  EXPECT_EQ(content(), "new");
}

TEST_F(NewFile, ANameMayBeAsLongAsNamesCanBe) {
  const fs::path path = folder() / std::string(255, 'x');
  write(path, "new");
  EXPECT_EQ(base::read_file(path), "new");
}

// The new file must get the old file's owner and group with chown. If chown fails, chown is called again for the group
// alone. The new file must get no permission that was meant for an owner or group that it did not get.
TEST_F(NewFile, AnOwnerThatCannotBeKeptTakesItsRightsAlong) {
  struct Row {
    mode_t old;
    int failing;  // number of calls of chown that fail
    mode_t expected;
  };
  for (const Row& row : {Row{0640, 1, 0640}, Row{0640, 2, 0600}, Row{0664, 2, 0644}, Row{04755, 1, 0755},
                         Row{0600, 2, 0600}, Row{0666, 2, 0666}}) {
    fs::remove(file());
    write("old");
    ASSERT_EQ(::chmod(file().c_str(), row.old), 0);
    int calls = 0;
    write("new", [&](std::string_view call) { return call == "chown" && calls++ < row.failing ? EPERM : 0; });
    EXPECT_EQ(mode(file()), row.expected) << std::oct << row.old;
  }
}

TEST_F(NewFile, AFullDiskIsSaid) {
  const Error error =
      test::error_of([&] { write(large_, [](std::string_view call) { return call == "write" ? ENOSPC : 0; }); });
  EXPECT_THAT(error.message(), HasSubstr("No space left on device"));
  EXPECT_THAT(names(), IsEmpty());
  EXPECT_THAT(test::error_of([&] { write("/dev/full", "x"); }).message(), HasSubstr("/dev/full: it cannot be written"));
}

TEST_F(NewFile, ALinkNamesItsTargetInErrors) {
  fs::create_symlink("missing/target", folder() / "link");
  const Error error = test::error_of([&] { write(folder() / "link", "x"); });
  EXPECT_THAT(error.message(), HasSubstr("link: it cannot be written: No such file or directory"));
}

}  // namespace
}  // namespace graft::cli
