// Tests `graft cache` with a cache on a read-only disk. In version 0.1, `graft cache clear` and `prune` removed
// nothing, reported nothing, and exited with code 0.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "scenarios/attacks/sandbox.hpp"

namespace graft::attacks {
namespace {

using nlohmann::json;
using testing::HasSubstr;

class ReadOnlyDisk : public Sandbox {
 protected:
  void SetUp() override {
    if (run_read_only("--version").exit_code != 0) GTEST_SKIP() << "this machine allows no read-only mount";
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
};

TEST_F(ReadOnlyDisk, ClearSaysThatItFailed) {
  const fs::path at = entry();
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

TEST_F(ReadOnlyDisk, PruneSaysThatItFailed) {
  for (const char* words : {"cache prune --max-bytes 0", "cache prune --older-than 0h"}) {
    const test::Result result = run_read_only(words);
    EXPECT_EQ(result.exit_code, 1) << words << result.out;
    EXPECT_THAT(result.err, HasSubstr("Read-only file system")) << words;
  }
  EXPECT_EQ(run_read_only("cache prune").exit_code, 0)
      << "the cache is below its size limit, so prune had nothing to remove";
}

TEST_F(ReadOnlyDisk, TemporaryFilesCountToo) {
  const fs::path at = entry();
  fs::rename(at, at.parent_path() / (at.stem().string() + ".1-1-1.tmp"));
  const test::Result result = run_read_only("cache clear");
  EXPECT_EQ(result.exit_code, 1) << result.out;
  EXPECT_THAT(result.err, HasSubstr("Read-only file system"));
}

TEST_F(ReadOnlyDisk, VerifySaysWhyItLeftAnEntry) {
  const fs::path at = entry();
  EXPECT_EQ(run_read_only("cache verify").exit_code, 0);
  fs::resize_file(at, 50);
  const test::Result result = run_read_only("cache verify");
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.out, HasSubstr(at.string() + ": it is damaged; left there"));
  EXPECT_THAT(result.err, HasSubstr(at.string() + " cannot be removed: Read-only file system"));
}

}  // namespace
}  // namespace graft::attacks
