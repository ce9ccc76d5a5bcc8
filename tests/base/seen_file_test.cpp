// Tests SeenFile, which describes the file that the system finds at a path, and PathStamps, which notice changed
// symbolic links on the path.
#include "base/seen_file.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <string>

#include "base/files.hpp"
#include "base/path_stamps.hpp"
#include "support/headers.hpp"

namespace graft::base {
namespace {

namespace fs = std::filesystem;
using Kind = SeenFile::Kind;

constexpr std::uint64_t kEnough = 1000;

TEST(SeenFile, IsReadAsTheSystemResolvesIt) {
  const test::HeaderFolder folder;
  folder.write("real/deep/a.h", "deep");
  folder.write("real/a.h", "real");
  folder.write("a.h", "top");
  folder.link("link", "real/deep");
  EXPECT_EQ(read_seen_file(folder.path("link/a.h"), kEnough).text, "deep");
  EXPECT_EQ(read_seen_file(folder.path("link/../a.h"), kEnough).text, "real");
  EXPECT_EQ(read_seen_file(folder.path("real/../a.h"), kEnough).text, "top");
  const SeenFile file = read_seen_file(folder.path("a.h"), kEnough);
  EXPECT_EQ(file.kind, Kind::Readable);
  EXPECT_EQ(file.size, 3u);
  EXPECT_EQ(file.folder, folder_identity(folder.path()));
  EXPECT_GT(file.changed, FileTime());
  EXPECT_EQ(file.linked_folder, "");
  EXPECT_EQ(see_file(folder.path("a.h")).identity, file.identity);
  EXPECT_EQ(see_file(folder.path("a.h")).text, "");
}

TEST(SeenFile, IsOneFileUnderAllNames) {
  const test::HeaderFolder folder;
  folder.write("one/a.h", "a");
  folder.write("one/b.h", "a");
  folder.link("two/a.h", "../one/a.h");
  folder.link("three", "one");
  fs::create_hard_link(folder.path("one/a.h"), folder.path("two/hard.h"));
  const auto see = [&](const char* name) { return see_file(folder.path(name)); };
  const SeenFile one = see("one/a.h");
  EXPECT_NE(see("one/b.h").identity, one.identity);
  EXPECT_EQ(see("two/a.h").identity, one.identity);
  EXPECT_EQ(see("two/hard.h").identity, one.identity);
  EXPECT_EQ(see("three/a.h").identity, one.identity);
  EXPECT_EQ(see("three/a.h").folder, one.folder);
  EXPECT_NE(see("two/a.h").folder, one.folder);
  EXPECT_EQ(see("two/a.h").linked_folder, fs::canonical(folder.path("one")).string());
  EXPECT_EQ(see("two/hard.h").linked_folder, "");
  EXPECT_EQ(see("three/a.h").linked_folder, "");
}

TEST(SeenFile, IsMissingOrUnusable) {
  const test::HeaderFolder folder;
  folder.write("a.h", "12345");
  folder.make_folder("folder");
  folder.link("nowhere", "nothing");
  folder.link("circle", "circle");
  folder.link("null", "/dev/null");
  ASSERT_EQ(::mkfifo(folder.path("fifo").c_str(), 0600), 0);
  for (const char* name : {"b.h", "folder", "nowhere", "a.h/b.h", "no/b.h"})
    EXPECT_EQ(read_seen_file(folder.path(name), kEnough).kind, Kind::Missing) << name;
  EXPECT_EQ(read_seen_file(folder.path(std::string(300, 'a')), kEnough).kind, Kind::Missing);
  const auto problem = [&](const char* name, std::uint64_t largest) {
    const SeenFile file = read_seen_file(folder.path(name), largest);
    EXPECT_EQ(file.kind, Kind::Unusable) << name;
    EXPECT_EQ(file.text, "");
    return file.problem;
  };
  EXPECT_EQ(problem("circle", kEnough), "cannot be read (Too many levels of symbolic links)");
  EXPECT_EQ(problem("null", kEnough), "is a device");
  EXPECT_EQ(problem("fifo", kEnough), "is a FIFO");
  EXPECT_EQ(problem("a.h", 4), "has more than 4 bytes");
  EXPECT_EQ(read_seen_file(folder.path("a.h"), 5).kind, Kind::Readable);
}

PathStamps stamps_of(const std::string& path, bool with_folder = true) {
  PathStamps stamps;
  stamps.add(path, with_folder);
  return stamps;
}

TEST(PathStamps, SeeALinkThatWasSwitchedAndBack) {
  const test::HeaderFolder folder;
  folder.write("one/a.h", "1");
  folder.write("two/a.h", "2");
  folder.link("inner", "one");
  folder.link("outer", folder.path("inner"));
  const std::string path = folder.path("outer/a.h");
  const PathStamps before = stamps_of(path);
  EXPECT_EQ(stamps_of(path).difference(before), "");
  test::let_headers_age();
  folder.link("inner", "two");
  folder.link("inner", "one");
  EXPECT_EQ(stamps_of(path).difference(before), folder.path("inner"));
}

TEST(PathStamps, SeeAFileThatCameAndWent) {
  const test::HeaderFolder folder;
  folder.make_folder("inc");
  folder.make_folder("other");
  const std::string path = folder.path("inc/sub/a.h");
  const PathStamps before = stamps_of(path);
  const PathStamps links_only = stamps_of(path, false);
  test::let_headers_age();
  folder.write("other/a.h", "");
  EXPECT_EQ(stamps_of(path).difference(before), "");
  folder.write("inc/sub/a.h", "");
  fs::remove_all(folder.path("inc/sub"));
  EXPECT_EQ(stamps_of(path).difference(before), folder.path("inc"));
  EXPECT_EQ(stamps_of(path, false).difference(links_only), "");
}

TEST(PathStamps, LeaveOutAFolderThatChangesAllTheTime) {
  const test::HeaderFolder folder;
  const std::string path = folder.path("a.h");
  const auto look = [&] {
    PathStamps stamps;
    stamps.ignore_folder(folder_identity(folder.path()));
    stamps.add(path, true);
    return stamps;
  };
  const PathStamps before = look();
  test::let_headers_age();
  folder.write("b.h", "");
  EXPECT_EQ(look().difference(before), "");
}

TEST(PathStamps, EndInACircleOfLinks) {
  const test::HeaderFolder folder;
  folder.link("a", "b");
  folder.link("b", "a");
  EXPECT_EQ(stamps_of(folder.path("a/x.h")).difference(stamps_of(folder.path("a/x.h"))), "");
}

TEST(PathStamps, KnowALinkThatIsYoung) {
  const test::HeaderFolder folder;
  folder.write("one/a.h", "1");
  folder.link("link", "one");
  const PathStamps stamps = stamps_of(folder.path("link/a.h"));
  const FileTime now = clock_now();
  EXPECT_EQ(stamps.link_changed({now.seconds - 1000, 0}, now), folder.path("link"));
  EXPECT_EQ(stamps.link_changed({now.seconds + 1000, 0}, {now.seconds + 2000, 0}), "");
  EXPECT_EQ(stamps.link_changed({}, {now.seconds - 1000, 0}), "");
}

}  // namespace
}  // namespace graft::base
