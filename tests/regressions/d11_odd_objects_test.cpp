// D11: if a folder had the file name of a cache entry, graft could neither read nor replace the entry, so every process
// built its kernel again. On a read-only disk, `graft cache clear` and `prune` removed nothing, reported nothing, and
// exited with code 0.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>

#include "cli/program.hpp"
#include "graft/graft.hpp"

namespace graft {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::HasSubstr;

class D11 : public testing::Test {
 protected:
  D11() { request(); }

  fs::path versioned() const { return fs::path(graft_.path("own-cache")) / "v2"; }
  fs::path file() const {
    for (const auto& one : fs::directory_iterator(versioned()))
      if (one.path().extension() == ".entry") return one.path();
    return {};
  }
  Report request() const {
    EngineOptions options;
    options.cache.policy = CachePolicy::ReadWrite;
    options.cache.folder = graft_.path("own-cache");
    options.cache.layers.emplace();
    Engine engine(options);
    return build(engine, "__device__ float twice(float x) { return 2 * x; }", Architecture(90)).report();
  }
  static std::string notes(const Report& report) { return fmt::format("{}", fmt::join(report.notes, "\n")); }

  // Counts the files with this name in the cache.
  std::size_t count(const std::string& name) const {
    std::size_t found = 0;
    for (const auto& one : fs::recursive_directory_iterator(versioned())) found += one.path().filename() == name;
    return found;
  }

  // Runs graft with a cache that is mounted read-only in a mount namespace. Some machines forbid mount namespaces.
  test::Result run_read_only(const std::string& words) const {
    const std::string mount = "mount --bind own-cache own-cache && mount -o remount,bind,ro own-cache";
    // Root can mount and unmount directly. Other users need a user namespace, which some machines forbid.
    return graft_.shell(
        "if unshare --mount --map-root-user true 2>/dev/null; then unshare --mount --map-root-user sh -c '" + mount +
        " && graft " + words + "'; else " + mount + " && { graft " + words +
        "; status=$?; umount own-cache; exit $status; }; fi");
  }
  bool can_mount() const { return run_read_only("--version").exit_code == 0; }

  test::Program graft_;
};

constexpr const char* kCannotMount = "this machine allows no read-only mount";

struct Odd {
  const char* name;
  std::function<void(const fs::path&)> make;
};

std::vector<Odd> odd_objects() {
  return {
      {"an empty folder", [](const fs::path& at) { fs::create_directory(at); }},
      {"a folder with a file",
       [](const fs::path& at) {
         fs::create_directory(at);
         std::ofstream(at / "precious") << "x";
       }},
      {"a folder with folders", [](const fs::path& at) { fs::create_directories(at / "a" / "precious"); }},
      {"a link to nothing", [](const fs::path& at) { fs::create_symlink("nowhere", at); }},
      {"a link to a folder", [](const fs::path& at) { fs::create_symlink("..", at); }},
      {"a pipe", [](const fs::path& at) { ASSERT_EQ(::mkfifo(at.c_str(), 0600), 0); }},
      {"a socket",
       [](const fs::path& at) {
         const fs::path before = fs::current_path();
         fs::current_path(at.parent_path());
         sockaddr_un address{};
         address.sun_family = AF_UNIX;
         const std::string name = at.filename().string();
         std::copy(name.begin(), name.end(), address.sun_path);
         const int socket = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
         EXPECT_EQ(::bind(socket, reinterpret_cast<const sockaddr*>(&address), sizeof(address)), 0);
         ::close(socket);
         fs::current_path(before);
       }},
  };
}

TEST_F(D11, TheNextKernelIsKept) {
  const fs::path at = file();
  for (const Odd& odd : odd_objects()) {
    SCOPED_TRACE(odd.name);
    fs::remove_all(at);
    odd.make(at);
    const Report first = request();
    EXPECT_FALSE(first.from_cache);
    EXPECT_THAT(notes(first), HasSubstr(at.string() + " is not a regular file"));
    const Report second = request();
    EXPECT_TRUE(second.from_cache) << notes(second);
    EXPECT_THAT(second.notes, testing::IsEmpty());
  }
  EXPECT_EQ(count("precious"), 2u) << "graft must not delete the files in these folders";
}

TEST_F(D11, VerifyMakesRoom) {
  const fs::path at = file();
  for (const Odd& odd : odd_objects()) {
    SCOPED_TRACE(odd.name);
    fs::remove_all(at);
    odd.make(at);
    const test::Result first = graft_.run("cache verify");
    EXPECT_EQ(first.out, at.string() + ": it is not a regular file; removed\n");
    EXPECT_EQ(first.exit_code, 0) << first.err;
    EXPECT_FALSE(fs::exists(fs::symlink_status(at)));
    EXPECT_EQ(graft_.run("cache verify").out, "");
  }
  EXPECT_EQ(count("precious"), 2u);
}

TEST_F(D11, ClearMakesRoom) {
  const fs::path at = file();
  for (const Odd& odd : odd_objects()) {
    SCOPED_TRACE(odd.name);
    fs::remove_all(at);
    odd.make(at);
    const test::Result result = graft_.run("cache clear");
    EXPECT_EQ(result.exit_code, 0) << result.err;
    EXPECT_FALSE(fs::exists(fs::symlink_status(at)));
  }
  EXPECT_EQ(count("precious"), 2u);
}

TEST_F(D11, OnAReadOnlyDiskClearSaysThatItFailed) {
  if (!can_mount()) GTEST_SKIP() << kCannotMount;
  const fs::path at = file();
  const test::Result result = run_read_only("cache clear");
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.out, HasSubstr("removed 0 kernels"));
  EXPECT_THAT(result.out, HasSubstr("left: 1 kernel "));
  EXPECT_THAT(result.err, HasSubstr("1 of the cache's files cannot be removed"));
  EXPECT_THAT(result.err, HasSubstr(at.string() + ": Read-only file system"));
  EXPECT_TRUE(fs::exists(at));
  const test::Result as_json = run_read_only("cache clear --json");
  EXPECT_EQ(as_json.exit_code, 1);
  EXPECT_EQ(json::parse(as_json.out).at("failed"), 1);
}

TEST_F(D11, OnAReadOnlyDiskPruneSaysThatItFailed) {
  if (!can_mount()) GTEST_SKIP() << kCannotMount;
  for (const char* words : {"cache prune --max-bytes 0", "cache prune --older-than 0h"}) {
    const test::Result result = run_read_only(words);
    EXPECT_EQ(result.exit_code, 1) << words << result.out;
    EXPECT_THAT(result.err, HasSubstr("Read-only file system")) << words;
  }
  EXPECT_EQ(run_read_only("cache prune").exit_code, 0)
      << "the cache is below its size limit, so prune had nothing to remove";
}

TEST_F(D11, OnAReadOnlyDiskTemporaryFilesCountToo) {
  if (!can_mount()) GTEST_SKIP() << kCannotMount;
  const fs::path at = file();
  fs::rename(at, at.parent_path() / (at.stem().string() + ".1-1-1.tmp"));
  const test::Result result = run_read_only("cache clear");
  EXPECT_EQ(result.exit_code, 1) << result.out;
  EXPECT_THAT(result.err, HasSubstr("Read-only file system"));
}

TEST_F(D11, OnAReadOnlyDiskVerifySaysWhyItLeftAnEntry) {
  if (!can_mount()) GTEST_SKIP() << kCannotMount;
  const fs::path at = file();
  EXPECT_EQ(run_read_only("cache verify").exit_code, 0);
  fs::resize_file(at, 50);
  const test::Result result = run_read_only("cache verify");
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.out, HasSubstr(at.string() + ": it is damaged; left there"));
  EXPECT_THAT(result.err, HasSubstr(at.string() + " cannot be removed: Read-only file system"));
}

}  // namespace
}  // namespace graft
