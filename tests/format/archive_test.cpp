// Tests the reader of static libraries (ar archives). The reader must list the members, and a damaged archive must not
// make it read outside of the file.
#include "format/archive.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "format/samples.hpp"

namespace graft::format {
namespace {

std::string text(std::string_view archive) {
  const auto read = read_archive(base::as_bytes(archive));
  if (!read) return read.error().message;
  std::string lines;
  for (const ArchiveMember& m : *read) lines += fmt::format("{}={} ", m.name, base::as_text(m.bytes));
  return lines;
}

TEST(Archive, ListsItsMembers) {
  const std::string archive = sample("library.a");
  const auto read = read_archive(base::as_bytes(archive));
  ASSERT_TRUE(read) << read.error().message;
  ASSERT_EQ(read->size(), 2u);
  EXPECT_EQ((*read)[0].name, "a_name_of_more_than_fifteen_letters.o");
  EXPECT_EQ(base::as_text((*read)[0].bytes), sample("dlto.o"));
  EXPECT_EQ((*read)[1].name, "host.o");
  EXPECT_EQ(base::as_text((*read)[1].bytes), sample("host.o"));
}

TEST(Archive, IsReadInEachShape) {
  struct Row {
    std::string archive;
    const char* expected;
  };
  const std::string start = "!<arch>\n";
  const Row rows[] = {
      {start, ""},
      {start + archive_member("a.o/", "abc") + archive_member("b/", "d"), "a.o=abc b=d "},
      {start + archive_member("/", "symbols") + archive_member("//", "long name.o/\n") + archive_member("/0", "x"),
       "long name.o=x "},
      {start + archive_member("#1/4", std::string("n\0\0\0data", 8)), "n=data "},
      {start + archive_member("#1/12", std::string("__.SYMDEF\0\0\0xx", 14)) + archive_member("a", "y"), "a=y "},
      {"", "this is not an archive"},
      {"!<thin>\n", "this is a thin archive, which names its members' files but does not contain them"},
      {start + "a", "the archive ends inside a member's header"},
      {(start + archive_member("a/", "abcd")).substr(0, 70), "the archive ends inside a member"},
      {start + archive_member("/7", "x"), "a member's name is missing or malformed"},
      {start + archive_member("/", "") + archive_member("//", "n/\n") + archive_member("/99", "x"),
       "a member's name is missing or malformed"},
      {start + archive_member("#1/99", "x"), "a member's name is missing or malformed"},
      {start + std::string(60, ' '), "a member's header is malformed"},
      {start + archive_member("a/", "b").replace(48, 2, "-1"), "a member's header is malformed"},
  };
  for (const Row& row : rows) EXPECT_EQ(text(row.archive), row.expected) << row.archive;
}

TEST(Archive, TakesDamage) {
  read_damaged(sample("library.a"), [](const Guarded& bytes) {
    const auto read = read_archive(bytes.bytes());
    if (!was_read(read)) return;
    for (const ArchiveMember& m : *read) {
      EXPECT_TRUE(is_inside(m.name, bytes.text()));
      EXPECT_TRUE(is_inside(base::as_text(m.bytes), bytes.text()));
    }
  });
}

}  // namespace
}  // namespace graft::format
