// Tests which entries of PATH graft uses. graft must leave out relative and empty entries, because they depend on the
// working folder.
#include "toolchain/program_path.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "base/bytes.hpp"
#include "base/files.hpp"

namespace graft::toolchain {
namespace {
namespace fs = std::filesystem;
using Entries = std::vector<std::string>;

TEST(ProgramPath, RelativeAndEmptyEntriesAreLeftOut) {
  struct Row {
    const char* path;
    const char* safe;
    Entries why_ignored;
  };
  const std::vector<Row> rows = {
      {"/usr/bin:/bin", "/usr/bin:/bin", {}},
      {"/usr/bin", "/usr/bin", {}},
      {".:/usr/bin", "/usr/bin", {"."}},
      {":/usr/bin", "/usr/bin", {""}},
      {"/usr/bin:", "/usr/bin", {""}},
      {"/a::/b", "/a:/b", {""}},
      {"bin:/a:./b:../c:~/d", "/a", {"bin", "./b", "../c", "~/d"}},
      {"", "/usr/bin:/bin", {}},
      {".", "/usr/bin:/bin", {"."}},
      {":", "/usr/bin:/bin", {"", ""}},
  };
  for (const Row& row : rows) {
    EXPECT_EQ(safe_path(row.path), row.safe) << row.path;
    EXPECT_EQ(left_out_of(row.path), row.why_ignored) << row.path;
  }
}

TEST(ProgramPath, TheFirstExecutableFileOfTheNameIsMeant) {
  const base::TemporaryFolder folder;
  for (const char* place : {"folder", "plain", "first", "second"}) fs::create_directory(folder.path() / place);
  fs::create_directory(folder.path() / "folder/tool");
  for (const char* place : {"plain", "first", "second"})
    ASSERT_TRUE(base::write_file(folder.path() / place / "tool", base::as_bytes("#!/bin/sh\n")));
  for (const char* place : {"first", "second"}) fs::permissions(folder.path() / place / "tool", fs::perms::owner_all);
  const std::string at = folder.path().string();
  const std::string path = at + "/folder:" + at + "/plain:" + at + "/none:" + at + "/first:" + at + "/second";
  EXPECT_EQ(find_program("tool", path), folder.path() / "first/tool");
  EXPECT_EQ(find_program("no-such-tool", path), "");
  EXPECT_TRUE(find_program("sh", "").is_absolute());
  EXPECT_FALSE(is_program(folder.path() / "plain/tool"));
  EXPECT_FALSE(is_program(folder.path() / "folder/tool"));
}

}  // namespace
}  // namespace graft::toolchain
