// Tests the reader of fatbins, which lists the entries of a fatbin and the files in the entries. The reader must refuse
// damaged fatbins.
#include "format/fatbin.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "format/samples.hpp"

namespace graft::format {
namespace {

std::string_view word(CodeKind kind) {
  return kind == CodeKind::Ptx     ? "ptx"
         : kind == CodeKind::Cubin ? "cubin"
         : kind == CodeKind::LtoIr ? "ltoir"
                                   : "other";
}

std::string text(const Outcome<std::vector<FatbinEntry>>& read) {
  if (!read) return read.error().message;
  std::string lines;
  for (const FatbinEntry& e : *read)
    lines += fmt::format("{} {} {} {} {}\n", word(e.kind), e.architecture.sm(), e.version.text(),
                         e.is_compressed ? "compressed" : "plain", e.size);
  return lines;
}

TEST(Fatbin, ListsItsEntries) {
  EXPECT_EQ(text(read_fatbin(base::as_bytes(sample("compressed.fatbin")))),
            "ptx sm_75 9.0 compressed 3566\ncubin sm_75 1.8 compressed 8256\ncubin sm_100f 1.8 compressed 15504\n"
            "ltoir sm_90a 1.65 compressed 3584\n");
  EXPECT_EQ(text(read_fatbin(base::as_bytes(sample("plain.fatbin")))),
            "ptx sm_75 9.0 plain 3568\ncubin sm_75 1.8 plain 8256\nptx sm_90a 9.0 plain 3568\n");
  EXPECT_EQ(text(read_fatbin(base::as_bytes(sample("plain_lto.fatbin")))), "ltoir sm_75 1.65 plain 3584\n");
}

TEST(Fatbin, PayloadsAreTheFilesThatWentIn) {
  const std::string ptx_and_cubin = sample("plain.fatbin");
  const auto read = read_fatbin(base::as_bytes(ptx_and_cubin));
  ASSERT_TRUE(read);
  for (const FatbinEntry& entry : *read) {
    const std::string_view payload = base::as_text(entry.payload);
    const bool is_ptx = payload.find(".version") != payload.npos;
    const bool is_elf = payload.starts_with(
        "\x7f"
        "ELF");
    EXPECT_EQ(is_ptx, entry.kind == CodeKind::Ptx);
    EXPECT_EQ(is_elf, entry.kind == CodeKind::Cubin);
  }
}

TEST(Fatbin, ContainersMayFollowOneAnother) {
  const std::string one = sample("plain_lto.fatbin");
  const auto twice = read_fatbin(base::as_bytes(one + one + std::string(24, '\0')));
  ASSERT_TRUE(twice) << twice.error().message;
  EXPECT_EQ(twice->size(), 2u);
  const auto tail = read_fatbin(base::as_bytes(one + "tail"));
  ASSERT_FALSE(tail);
  EXPECT_EQ(tail.error().message, "the fatbin is followed by other data");
}

TEST(Fatbin, IsRefusedWhenItsLengthsAreDamaged) {
  struct Row {
    std::size_t offset;
    char value;
    Flaw flaw;
  };
  const Row rows[] = {{0, 0, Flaw::Unknown},         {6, 8, Flaw::Damaged},        {15, 127, Flaw::Truncated},
                      {16 + 4, 8, Flaw::Damaged},    {16 + 7, 127, Flaw::Damaged}, {16 + 15, 127, Flaw::Damaged},
                      {16 + 19, 127, Flaw::Damaged}, {16 + 31, 127, Flaw::Damaged}};
  for (const Row& row : rows) {
    std::string bytes = sample("compressed.fatbin");
    bytes[row.offset] = row.value;
    const auto read = read_fatbin(base::as_bytes(bytes));
    ASSERT_FALSE(read) << row.offset;
    EXPECT_EQ(read.error().flaw, row.flaw) << row.offset << ": " << read.error().message;
  }
}

TEST(Fatbin, TakesDamage) {
  for (const char* name : {"compressed.fatbin", "plain.fatbin", "plain_lto.fatbin"})
    read_damaged(sample(name), [](const Guarded& bytes) {
      const auto read = read_fatbin(bytes.bytes());
      if (!was_read(read)) return;
      for (const FatbinEntry& entry : *read) EXPECT_TRUE(is_inside(base::as_text(entry.payload), bytes.text()));
    });
}

}  // namespace
}  // namespace graft::format
