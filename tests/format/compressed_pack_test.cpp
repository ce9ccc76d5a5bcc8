// Tests compressed packs. A compressed pack must be read as the pack in it, and a file that is not exactly one must be
// refused. The packs are golden files, which pack_test.cpp describes.
#include "format/compressed_pack.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <random>
#include <string>

#include "base/files.hpp"
#include "families/kept_kernels.hpp"
#include "format/compressed.hpp"
#include "format/pack.hpp"
#include "fuzz/sealed.hpp"
#include "support/changed_entries.hpp"
#include "support/zstd_frames.hpp"

namespace graft::format {
namespace {

using fuzz::pack_around_frame;
using test::bytes_of;
using test::seal;

constexpr std::size_t kHeaderBytes = 32;

base::Bytes golden(const std::string& name) {
  const std::string bytes = base::read_file(GRAFT_SOURCE_DIR "/tests/format/golden/" + name).value();
  return {base::as_bytes(bytes).begin(), base::as_bytes(bytes).end()};
}

void put(base::Bytes& bytes, std::size_t at, std::uint64_t value) {
  for (std::size_t i = 0; i < 8; ++i) bytes[at + i] = static_cast<std::byte>(value >> (8 * i));
}

// Returns the bytes of all parts.
std::string parts_of(const Pack& pack) {
  std::string all;
  for (const PackJob& job : pack.jobs)
    for (const PackedKernel& kernel : job.kernels)
      for (const PackPart& part : kernel.parts) all += std::string(base::as_text(part.bytes)) + "|";
  return all;
}

FormatError error_of(std::span<const std::byte> bytes) {
  const auto read = families::read_pack(bytes);
  return read ? FormatError{} : read.error();
}

TEST(CompressedPack, IsReadAsThePackInIt) {
  for (const char* name : {"pack_3.graft", "pack_3_jobs.graft"}) {
    const base::Bytes plain = golden(name);
    const base::Bytes file = compressed_pack(plain);
    EXPECT_TRUE(is_pack(file));
    EXPECT_EQ(is_compressed_pack(file), has_zstd());
    if (!has_zstd()) continue;
    EXPECT_LT(file.size(), plain.size());
    EXPECT_EQ(*decompressed_pack(file), plain);
    const auto read = families::read_pack(file);
    ASSERT_TRUE(read) << read.error().message;
    EXPECT_EQ(*families::write_pack(*read), plain);
  }
}

// The parts are views, and nobody else has the decompressed bytes.
TEST(CompressedPack, PartsOutliveThePackAndTheFile) {
  PackedKernel kernel;
  {
    const base::Bytes file = compressed_pack(golden("pack_3.graft"));
    if (!is_compressed_pack(file)) return;
    auto read = families::read_pack(file);
    ASSERT_TRUE(read);
    kernel = std::move(read->jobs.front().kernels.front());
  }
  EXPECT_EQ(base::as_text(kernel.parts.front().bytes), "pretend that this is LTO-IR");
}

TEST(CompressedPack, OfTheGoldenFileIsRead) {
  const std::string path = GRAFT_SOURCE_DIR "/tests/format/golden/pack_4.graft";
  const bool asked = has_zstd() && std::getenv("GRAFT_WRITE_GOLDEN") != nullptr;
  EXPECT_TRUE(!asked || base::write_file(path, compressed_pack(golden("pack_3_jobs.graft"))));
  const base::Bytes file = golden("pack_4.graft");
  EXPECT_EQ(kCompressedPackVersion, 4u);
  if (has_zstd()) {
    const auto read = families::read_pack(file);
    ASSERT_TRUE(read) << read.error().message;
    const base::Bytes plain = golden("pack_3_jobs.graft");
    EXPECT_EQ(parts_of(*read), parts_of(*families::read_pack(plain)));
  }
  const WithoutZstd without;
  EXPECT_EQ(error_of(file).flaw, Flaw::Compressed);
  EXPECT_EQ(error_of(file).message, "it is compressed with zstd, which this build of graft does not have");
}

TEST(CompressedPack, OtherBytesStayAsTheyAre) {
  const base::Bytes noise = bytes_of({0x89, 'G', 'R', 'A', 'F', 'T', 0x0d});
  EXPECT_EQ(compressed_pack(noise), noise);
  EXPECT_EQ(compressed_pack({}), base::Bytes());
  for (const char* name : {"pack_2.graft", "pack_2_set.graft", "pack_4.graft"})
    EXPECT_EQ(compressed_pack(golden(name)), golden(name)) << name;
  const WithoutZstd without;
  EXPECT_EQ(compressed_pack(golden("pack_3.graft")), golden("pack_3.graft"));
}

TEST(CompressedPack, EveryCutAndFlipIsRefused) {
  base::Bytes file = golden("pack_4.graft");
  for (std::size_t size = 0; size < file.size(); ++size)
    EXPECT_FALSE(families::read_pack(std::span(file).first(size))) << size;
  for (std::size_t bit = 0; bit < 8 * file.size(); ++bit) {
    const std::byte mask{static_cast<unsigned char>(1u << bit % 8)};
    file[bit / 8] ^= mask;
    EXPECT_FALSE(families::read_pack(file)) << bit;
    file[bit / 8] ^= mask;
  }
}

TEST(CompressedPack, IsRefusedWithItsReason) {
  const base::Bytes whole = golden("pack_4.graft");
  base::Bytes longer = whole;
  longer.push_back(std::byte{0});
  base::Bytes tiny(whole.begin(), whole.begin() + kHeaderBytes);
  put(tiny, 16, kHeaderBytes);
  base::Bytes coded = whole;
  coded[12] = std::byte{2};
  seal(coded);
  const auto expect = [](std::span<const std::byte> bytes, Flaw flaw, const std::string& message) {
    EXPECT_EQ(error_of(bytes).message, message);
    EXPECT_EQ(error_of(bytes).flaw, flaw) << message;
  };
  const std::string size = std::to_string(whole.size());
  expect(std::span(whole).first(31), Flaw::Truncated, "the pack ends inside its header");
  expect(std::span(whole).first(40), Flaw::Truncated, "the pack is cut off after 40 of " + size + " bytes");
  expect(longer, Flaw::Damaged, "the file has more than the pack's " + size + " bytes");
  expect(tiny, Flaw::Damaged, "the pack's header gives an impossible size of the pack");
  expect(coded, Flaw::Newer, "the pack has the coding 2, which this graft does not know");
}

TEST(CompressedPack, FramesAreNotTrusted) {
  if (!has_zstd()) return;
  const base::Bytes plain = golden("pack_3.graft");
  const base::Bytes frame = compressed(plain, Effort::Thorough).value();
  EXPECT_EQ(pack_around_frame(frame, plain.size()), compressed_pack(plain));
  for (const auto& [why, wrong] : test::wrong_frames(frame, plain))
    EXPECT_EQ(error_of(pack_around_frame(wrong, plain.size())).flaw, Flaw::Damaged) << why;
  for (const std::uint64_t size : {std::uint64_t{0}, plain.size() - 1, plain.size() + 1, std::size_t{1} << 30,
                                   std::size_t{1} << 63, ~std::size_t{0}})
    EXPECT_EQ(error_of(pack_around_frame(frame, size)).flaw, Flaw::Damaged) << size;
  const base::Bytes bomb = test::bomb();
  EXPECT_EQ(error_of(pack_around_frame(bomb, 1 << 20)).message,
            "the file gives an impossible size of its compressed content");
}

// Only packs of version 3 are compressed, so a pack does not unpack in several steps.
TEST(CompressedPack, HoldsNoOtherThing) {
  if (!has_zstd()) return;
  base::Bytes text(1000, std::byte{'x'});
  for (const base::Bytes& content : {golden("pack_2.graft"), golden("pack_2_set.graft"), text}) {
    const auto frame = compressed(content, Effort::Thorough);
    ASSERT_TRUE(frame);
    EXPECT_EQ(error_of(pack_around_frame(*frame, content.size())).message,
              "the compressed content is no pack of version 3");
  }
  base::Bytes nested = compressed_pack(golden("pack_3.graft"));
  nested.resize(nested.size() + 1000);
  const auto frame = compressed(nested, Effort::Thorough);
  ASSERT_TRUE(frame);
  EXPECT_EQ(error_of(pack_around_frame(*frame, nested.size())).message,
            "the compressed content is no pack of version 3");
  base::Bytes damaged = golden("pack_3.graft");
  damaged[100] ^= std::byte{1};
  EXPECT_EQ(error_of(pack_around_frame(*compressed(damaged, Effort::Quick), damaged.size())).message,
            "the pack is damaged: its checksum does not match");
}

// These packs have random sizes and frames, but a correct checksum.
TEST(CompressedPack, ForgedPacksAreRefusedOrRead) {
  const base::Bytes file = golden("pack_4.graft");
  std::mt19937 random(1);
  for (int round = 0; round < 5'000; ++round) {
    base::Bytes forged = file;
    const std::size_t changes = 1 + random() % 4;
    for (std::size_t i = 0; i < changes; ++i)
      forged[kHeaderBytes - 8 + random() % (file.size() - kHeaderBytes - 8)] = static_cast<std::byte>(random());
    seal(forged);
    (void)families::read_pack(forged);  // may be refused or read; the sanitizers check the accesses
  }
}

}  // namespace
}  // namespace graft::format
