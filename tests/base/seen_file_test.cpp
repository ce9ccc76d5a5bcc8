// Tests SeenFile, which describes the file that the system finds at a path.
#include "base/seen_file.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <string>

#include "base/files.hpp"
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

}  // namespace
}  // namespace graft::base
