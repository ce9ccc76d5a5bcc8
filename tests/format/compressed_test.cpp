// Tests compression: each content comes back, and a frame that is not exactly the content of the stated size is
// refused, before memory is allocated where the sizes alone show it.
#include "format/compressed.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>

#include "support/zstd_frames.hpp"

namespace graft::format {
namespace {

std::string example() {
  std::string text;
  for (int i = 0; i < 400; ++i) text += "line " + std::to_string(i * i) + " of a program\n";
  return text;
}

TEST(Compressed, ComesBack) {
  if (!has_zstd()) return;
  for (const Effort effort : {Effort::Quick, Effort::Thorough}) {
    const std::string text = example();
    const auto frame = compressed(base::as_bytes(text), effort);
    ASSERT_TRUE(frame);
    EXPECT_LT(frame->size(), text.size() / 3);
    const auto content = decompressed(*frame, text.size());
    ASSERT_TRUE(content) << content.error().message;
    EXPECT_EQ(base::as_text(*content), text);
  }
}

TEST(Compressed, WhatDoesNotBecomeSmallerIsStored) {
  std::mt19937 random(1);
  base::Bytes noise;
  for (int i = 0; i < 10'000; ++i) noise.push_back(static_cast<std::byte>(random()));
  EXPECT_FALSE(compressed(noise, Effort::Thorough));
  EXPECT_FALSE(compressed({}, Effort::Thorough));
  EXPECT_FALSE(compressed(base::as_bytes("x"), Effort::Thorough));
}

// A reader would refuse these frames, so nobody may write them.
TEST(Compressed, WhatExpandsTooFarIsStored) {
  EXPECT_FALSE(compressed(base::Bytes(1 << 20), Effort::Quick));
  EXPECT_EQ(compressed(base::Bytes(800), Effort::Quick).has_value(), has_zstd());
}

TEST(Compressed, SizesAreChecked) {
  const base::Bytes frame(100);
  for (const std::uint64_t size : {std::uint64_t{0}, 101 * kMostTimes, kLargestContent, ~std::uint64_t{0}}) {
    const auto content = decompressed(frame, size);
    ASSERT_FALSE(content) << size;
    EXPECT_EQ(content.error().flaw, Flaw::Damaged);
    EXPECT_EQ(content.error().message, "the file gives an impossible size of its compressed content");
  }
}

TEST(Compressed, WrongFramesAreRefused) {
  if (!has_zstd()) return;
  const std::string text = example();
  const base::Bytes content(base::as_bytes(text).begin(), base::as_bytes(text).end());
  const base::Bytes frame = compressed(content, Effort::Quick).value();
  for (const auto& [why, wrong] : test::wrong_frames(frame, content)) {
    const auto read = decompressed(wrong, content.size());
    ASSERT_FALSE(read) << why;
    EXPECT_EQ(read.error().flaw, Flaw::Damaged) << why;
  }
  EXPECT_FALSE(decompressed(frame, content.size() - 1));
  EXPECT_FALSE(decompressed(frame, content.size() + 1));
  const auto bomb = decompressed(test::bomb(), 1 << 20);
  ASSERT_FALSE(bomb);
  EXPECT_EQ(bomb.error().message, "the file gives an impossible size of its compressed content");
}

// zstd reads the frames of old versions too, and with a dictionary, so each refusal is worth its message.
TEST(Compressed, RefusalsSayWhy) {
  if (!has_zstd()) return;
  const std::string text = example();
  const base::Bytes content(base::as_bytes(text).begin(), base::as_bytes(text).end());
  base::Bytes frame = compressed(content, Effort::Quick).value();
  const auto message = [&](std::span<const std::byte> bytes, std::uint64_t size) {
    return decompressed(bytes, size).error().message;
  };
  EXPECT_EQ(message(test::joined(frame, test::bytes_of({0})), content.size()),
            "the compressed content is not one frame of zstd");
  EXPECT_EQ(message(frame, content.size() + 1), "the compressed content has another size than the file says");
  const auto wrong = test::wrong_frames(frame, content);
  const auto dictionary =
      std::find_if(wrong.begin(), wrong.end(), [](const auto& row) { return row.first == "a dictionary is needed"; });
  EXPECT_EQ(message(dictionary->second, content.size()), "the compressed content needs a dictionary");
}

// Damage inside of the frame makes it unreadable or changes the content, which the checksum of the file notices. zstd
// never writes more than the stated size; the sanitizers check that.
TEST(Compressed, FlippedBitsAreHarmless) {
  if (!has_zstd()) return;
  const std::string text = example();
  base::Bytes frame = compressed(base::as_bytes(text), Effort::Quick).value();
  for (std::size_t bit = 0; bit < 8 * frame.size(); ++bit) {
    const std::byte mask{static_cast<unsigned char>(1u << bit % 8)};
    frame[bit / 8] ^= mask;
    const auto content = decompressed(frame, text.size());
    EXPECT_TRUE(!content || content->size() == text.size());
    frame[bit / 8] ^= mask;
  }
}

TEST(Compressed, ABuildWithoutZstdStoresAndNamesWhatItCannotRead) {
  const std::string text = example();
  const auto frame = compressed(base::as_bytes(text), Effort::Quick);
  const WithoutZstd without;
  EXPECT_FALSE(has_zstd());
  EXPECT_FALSE(compressed(base::as_bytes(text), Effort::Quick));
  const auto content = decompressed(frame.value_or(base::Bytes(1000)), text.size());
  ASSERT_FALSE(content);
  EXPECT_EQ(content.error().flaw, Flaw::Compressed);
  EXPECT_EQ(content.error().message, "it is compressed with zstd, which this build of graft does not have");
}

}  // namespace
}  // namespace graft::format
