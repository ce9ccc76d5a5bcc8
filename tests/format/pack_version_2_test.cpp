// Tests the reader of sets of packs: a set is read as it was written, and every cut or changed header is refused. Sets
// whose packs are read too are in pack_test.cpp.
#include "format/pack_version_2.hpp"

#include <gtest/gtest.h>

#include <string_view>
#include <vector>

#include "base/hash.hpp"
#include "base/little_endian.hpp"
#include "format/pack.hpp"

namespace graft::format {
namespace {

base::Bytes bytes_of(std::string_view text) {
  const auto bytes = base::as_bytes(text);
  return {bytes.begin(), bytes.end()};
}

// Writes a set as graft did.
base::Bytes write_pack_set(const std::vector<base::Bytes>& packs) {
  base::LittleEndianWriter writer;
  writer.bytes(base::as_bytes("\x89GRSET\r\n"));
  writer.u32(1);
  writer.u32(static_cast<std::uint32_t>(packs.size()));
  for (const base::Bytes& pack : packs) writer.u64(pack.size());
  for (const base::Bytes& pack : packs) {
    while (writer.written().size() % 16 != 0) writer.bytes(base::Bytes(1));
    writer.bytes(pack);
  }
  const base::Hash128 checksum = base::hash(base::as_text(writer.written()));
  writer.u64(checksum.low);
  writer.u64(checksum.high);
  return writer.take();
}

const std::vector<base::Bytes> kPacks = {bytes_of("the first pack"), bytes_of(""),
                                         bytes_of("sixteen bytes...and one more"), bytes_of("last")};

TEST(PackSet, IsReadBack) {
  const base::Bytes set = write_pack_set(kPacks);
  EXPECT_TRUE(is_pack_set(set));
  const auto packs = read_pack_set(set);
  ASSERT_TRUE(packs) << packs.error().message;
  ASSERT_EQ(packs->size(), kPacks.size());
  for (std::size_t i = 0; i < kPacks.size(); ++i) EXPECT_EQ(base::as_text((*packs)[i]), base::as_text(kPacks[i])) << i;
}

TEST(PackSet, EveryCutAndEveryExtraByteIsRefused) {
  base::Bytes set = write_pack_set(kPacks);
  for (std::size_t size = 0; size < set.size(); ++size) {
    const auto packs = read_pack_set(std::span(set).first(size));
    ASSERT_FALSE(packs) << size;
    EXPECT_EQ(packs.error().flaw, size < 8 ? Flaw::Unknown : Flaw::Truncated) << size;
  }
  set.push_back(std::byte{0});
  const auto packs = read_pack_set(set);
  ASSERT_FALSE(packs);
  EXPECT_EQ(packs.error().message, "the set of packs has extra bytes after its last pack");
}

TEST(PackSet, EveryChangedByteIsRefused) {
  const base::Bytes set = write_pack_set(kPacks);
  for (std::size_t at = 0; at < set.size(); ++at)
    for (const int change : {1, 16, 255}) {
      base::Bytes other = set;
      other[at] ^= std::byte(change);
      EXPECT_FALSE(read_pack_set(other)) << at << " " << change;
    }
}

// A set in a set could nest as deeply as a file is long.
TEST(PackSet, InASetIsRefused) {
  const auto read = read_pack(write_pack_set({write_pack_set(kPacks)}));
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().message, "this is not a pack");
}

TEST(PackSet, SaysWhatIsWrong) {
  const auto message = [](std::size_t at, int value) {
    base::Bytes set = write_pack_set(kPacks);
    set[at] = std::byte(value);
    return read_pack_set(set).error().message;
  };
  EXPECT_EQ(message(0, 'x'), "this is not a set of packs");
  EXPECT_EQ(message(8, 2), "the set of packs has format version 2, but this graft reads only version 1");
  EXPECT_EQ(message(8, 0), "the set of packs has format version 0, which does not exist");
  EXPECT_EQ(message(12, 0), "the set of packs has an impossible number of packs");
  EXPECT_EQ(message(14, 1), "the set of packs has an impossible number of packs");
  EXPECT_EQ(message(50, 'x'), "the set of packs is damaged: its checksum does not match");
  EXPECT_EQ(message(63, 'x'), "the padding between the packs is not zero");
}

}  // namespace
}  // namespace graft::format
