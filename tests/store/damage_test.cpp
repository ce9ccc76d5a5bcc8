// Damages cache entries on disk. The store must notice all damage, and a damaged entry can be written again.
#include <gtest/gtest.h>

#include <random>

#include "store/entries.hpp"
#include "store/store.hpp"

namespace graft::store {
namespace {

// Sizes of images in bytes, from an empty image to the size of a real kernel.
constexpr std::size_t kSizes[] = {0, 3'000, 40'000};

class DamageTest : public StoreTest {
 protected:
  // Expects that the store rejects the current content of the entry's file, and that a put makes the entry valid again.
  void expect_noticed(Store& store, const format::CacheEntry& entry) {
    const Lookup lookup = find(store, entry);
    EXPECT_FALSE(lookup.entry);
    EXPECT_EQ(lookup.rejected, 1u);
    ASSERT_EQ(store.put(entry).problem, "");
    expect_hit(find(store, entry), entry);
  }
};

TEST_F(DamageTest, EveryCutIsNoticed) {
  Store store(settings());
  for (const std::size_t size : kSizes) {
    const format::CacheEntry entry = entry_of(1, size);
    const std::uint64_t whole = store.put(entry).bytes;
    constexpr std::uint64_t kCuts = 96;
    for (std::uint64_t cut = 0; cut < kCuts; ++cut) {
      // Cuts the file off at each of the 24 smallest and 24 largest lengths, and at lengths between them at even
      // distances.
      const std::uint64_t length = cut < 24 ? cut : cut >= kCuts - 24 ? whole - (kCuts - cut) : whole * cut / kCuts;
      fs::resize_file(file_of(entry), length);
      SCOPED_TRACE(length);
      expect_noticed(store, entry);
    }
    fs::resize_file(file_of(entry), whole + 1);
    expect_noticed(store, entry);
  }
}

TEST_F(DamageTest, TenThousandFlipsAreNoticed) {
  Store store(settings());
  std::mt19937 random(7);
  for (const std::size_t size : kSizes) {
    const format::CacheEntry entry = entry_of(2, size);
    store.put(entry);
    const base::Bytes whole = format::write_cache_entry(entry);
    for (int round = 0; round < 4'000; ++round) {
      base::Bytes flipped = whole;
      const std::size_t at = random() % flipped.size();
      flipped[at] ^= static_cast<std::byte>(1 + random() % 255);
      ASSERT_TRUE(base::write_file(file_of(entry), flipped));
      SCOPED_TRACE(at);
      expect_noticed(store, entry);
      if (HasFailure()) return;
    }
  }
}

}  // namespace
}  // namespace graft::store
