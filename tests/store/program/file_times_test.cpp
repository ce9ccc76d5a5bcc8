// Tests cache entries with file times of other centuries. In version 0.1, file times after 2262 or before 1677
// overflowed 64-bit nanoseconds. A cache entry with a time in the far future was listed as written in 1815 and was
// pruned as the oldest entry.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "cli/program.hpp"

namespace graft::test {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::StartsWith;

constexpr std::int64_t kYear = 31'556'952;
constexpr std::int64_t kFuture = (2400 - 1970) * kYear;
constexpr std::int64_t kPast = (1500 - 1970) * kYear;

// Sets a file's time in seconds since 1970. Returns false if the file system cannot store this time.
bool set_time(const std::string& file, std::int64_t seconds) {
  const timespec times[2] = {{seconds, 0}, {seconds, 0}};
  struct stat found {};
  return ::utimensat(AT_FDCWD, file.c_str(), times, 0) == 0 && ::stat(file.c_str(), &found) == 0 &&
         found.st_mtim.tv_sec == seconds;
}

// A cache with one entry. The cache is in a memory file system (/dev/shm) if the machine has one, because a memory file
// system can store all times.
class FileTimesOfEntries : public testing::Test {
 protected:
  FileTimesOfEntries() {
    if (::access("/dev/shm", W_OK) == 0) {
      folder_ = "/dev/shm/graft-times-" + std::to_string(::getpid());
      place_ = "GRAFT_CACHE_DIR=" + folder_;
    } else {
      folder_ = graft_.path("own-cache");
    }
    EXPECT_EQ(graft_.run("inspect '[](float x) { return 3 * x; }' --arch 90", place_).exit_code, 0);
    file_ = json::parse(list()).at("entries").at(0).at("file").get<std::string>();
  }
  ~FileTimesOfEntries() override { fs::remove_all(folder_); }

  std::string list() const { return graft_.run("cache list --json", place_).out; }
  std::string used() const { return json::parse(list()).at("entries").at(0).at("used").get<std::string>(); }
  json prune(const std::string& words) const {
    return json::parse(graft_.run("cache prune --json " + words, place_).out);
  }

  Program graft_;
  std::string place_;
  std::string folder_;
  std::string file_;
};

TEST_F(FileTimesOfEntries, TheFarFutureIsNotThePast) {
  if (!set_time(file_, kFuture)) GTEST_SKIP() << "this file system cannot store a time in the year 2400";
  EXPECT_THAT(used(), StartsWith("2262-"));
  EXPECT_EQ(prune("--older-than 30d").at("removed"), 0);
  EXPECT_EQ(graft_.run("inspect '[](float x) { return 3 * x; }' --arch 90 --json", place_).exit_code, 0);
}

TEST_F(FileTimesOfEntries, TheFarPastIsNotTheFuture) {
  if (!set_time(file_, kPast)) GTEST_SKIP() << "this file system cannot store a time in the year 1500";
  EXPECT_THAT(used(), StartsWith("1677-"));
  EXPECT_EQ(prune("--older-than 30d").at("removed"), 1);
}

}  // namespace
}  // namespace graft::test
