// Tests the cache's size limit, and the order in which entries are removed when the cache exceeds the limit.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>

#include "families/kept_kernels.hpp"
#include "store/entries.hpp"
#include "store/faulty_disk.hpp"
#include "store/maintenance.hpp"
#include "store/store.hpp"

namespace graft::store {
namespace {

class SweepTest : public StoreTest {
 protected:
  void set_age(const fs::path& file, std::chrono::seconds age) {
    fs::last_write_time(file, fs::file_time_type::clock::now() - age);
  }
  bool is_there(int number) { return fs::exists(file_of(entry_of(number))); }

 private:
  format::WithoutZstd without_;  // stored entries of equal contents have equal sizes
};

TEST_F(SweepTest, TheLeastRecentlyUsedGoFirst) {
  Store store(settings());
  for (int i = 0; i < 10; ++i) {
    store.put(entry_of(i));
    set_age(file_of(entry_of(i)), std::chrono::hours(10 - i));
  }
  const std::uint64_t each = fs::file_size(file_of(entry_of(0)));
  EXPECT_EQ(store.sweep(10 * each).removed, 0u);
  find(store, entry_of(0));  // entry 0 was the oldest; this use makes it the newest
  const Sweep sweep = store.sweep(5 * each);
  EXPECT_TRUE(sweep.ran);
  EXPECT_EQ(sweep.removed, 6u) << "a sweep removes entries down to nine tenths of the limit";
  EXPECT_EQ(sweep.entries, 4u);
  EXPECT_EQ(sweep.bytes, 4 * each);
  for (int i = 0; i < 10; ++i) EXPECT_EQ(is_there(i), i == 0 || i > 6) << i;
}

TEST_F(SweepTest, WhatNobodyUsedForLongGoesWhateverTheLimit) {
  Store store(settings());
  for (int i = 0; i < 5; ++i) {
    store.put(entry_of(i));
    set_age(file_of(entry_of(i)), std::chrono::hours(24 * i));
  }
  const Sweep sweep = store.sweep(kUsualLimit, std::chrono::hours(1), std::chrono::hours(60));
  EXPECT_EQ(sweep.removed, 2u);
  EXPECT_EQ(sweep.entries, 3u);
  EXPECT_GT(sweep.bytes_removed, 0u);
  for (int i = 0; i < 5; ++i) EXPECT_EQ(is_there(i), i <= 2) << i;
}

TEST_F(SweepTest, AHitMarksAnEntryAsUsedNowAndThen) {
  FaultyDisk disk;
  Store store(settings(), disk);
  store.put(entry_of(1));
  const auto marks = [&] {
    disk.fail(-1, 0);
    expect_hit(find(store, entry_of(1)), entry_of(1));
    return std::count(disk.log().begin(), disk.log().end(), "set_used_now");
  };
  EXPECT_EQ(marks(), 0) << "an entry that was just written needs no mark";
  set_age(file_of(entry_of(1)), std::chrono::hours(1));
  EXPECT_EQ(marks(), 1);
  EXPECT_EQ(marks(), 0);
}

TEST_F(SweepTest, WritingKeepsTheLimit) {
  Settings small = settings();
  const std::uint64_t each = format::write_cache_entry(entry_of(100)).size();
  small.limit = 20 * each;
  Store store(small);
  for (int i = 100; i < 300; ++i) {
    EXPECT_EQ(store.put(entry_of(i)).problem, "");
    EXPECT_LE(entries(), 22u);
  }
  EXPECT_GE(entries(), 15u);
}

TEST_F(SweepTest, StaleTemporariesGo) {
  Store store(settings());
  store.put(entry_of(1));
  const std::string hash = hash_of(entry_of(1)).hex();
  for (const char* name : {".1-1-1.tmp", ".1-2-1.tmp"}) std::ofstream(versioned() / (hash + name)) << "half an ent";
  std::ofstream(versioned() / "somebody else's file.tmp") << "x";
  set_age(versioned() / (hash + ".1-1-1.tmp"), std::chrono::hours(2));
  set_age(versioned() / "somebody else's file.tmp", std::chrono::hours(2));
  EXPECT_EQ(store.sweep(kUsualLimit).temporaries_removed, 1u);
  EXPECT_EQ(temporaries(), 1u);
  EXPECT_EQ(store.sweep(kUsualLimit, std::chrono::seconds(0)).temporaries_removed, 1u);
  EXPECT_TRUE(fs::exists(versioned() / "somebody else's file.tmp"));
  EXPECT_TRUE(is_there(1));
}

// If the disk refuses to remove an entry, the result of the sweep must count this entry as present and not as removed.
TEST_F(SweepTest, SaysWhatItCouldNotRemove) {
  FaultyDisk disk;
  Store store(settings(), disk);
  store.put(entry_of(1));
  store.put(entry_of(2));
  std::ofstream(versioned() / (hash_of(entry_of(1)).hex() + ".1-1-1.tmp")) << "x";
  const std::uint64_t each = fs::file_size(file_of(entry_of(1)));
  disk.fail_each("remove", -EROFS);
  const Sweep sweep = clear(store);
  EXPECT_TRUE(sweep.ran);
  EXPECT_EQ(sweep.removed, 0u);
  EXPECT_EQ(sweep.failed, 3u);
  EXPECT_EQ(sweep.entries, 2u);
  EXPECT_EQ(sweep.bytes, 2 * each);
  EXPECT_NE(sweep.problem.find("3 of the cache's files cannot be removed; the first is " + versioned().string()),
            std::string::npos)
      << sweep.problem;
  EXPECT_TRUE(sweep.problem.ends_with(": Read-only file system")) << sweep.problem;
  disk.fail_each("remove", -ENOENT);
  EXPECT_EQ(clear(store).problem, "") << "a file that another process has removed is no problem";
  disk.fail_each("", 0);
  EXPECT_EQ(clear(store).removed, 2u);
}

TEST_F(SweepTest, OneProcessSweepsAtATime) {
  Store store(settings());
  store.put(entry_of(1));
  File locks(real_disk(), real_disk().open_to_lock(kNoFolder, (versioned() / kLocks).c_str()));
  ASSERT_EQ(real_disk().try_lock(locks.get(), 0), 0);
  EXPECT_FALSE(store.sweep(0).ran);
  EXPECT_TRUE(is_there(1));
  locks.close();
  EXPECT_TRUE(store.sweep(0).ran);
  EXPECT_FALSE(is_there(1));
}

TEST_F(SweepTest, AnOpenEntryIsReadToItsEnd) {
  Store store(settings());
  store.put(entry_of(1, 100'000));
  const fs::path path = file_of(entry_of(1));
  const File file(real_disk(), real_disk().open_to_read(kNoFolder, path.c_str()));
  const std::uint64_t size = fs::file_size(path);
  store.sweep(0);
  EXPECT_FALSE(fs::exists(path));
  base::Bytes bytes;
  EXPECT_EQ(read_whole(real_disk(), file, size, bytes), 0);
  EXPECT_TRUE(std::holds_alternative<format::CacheEntry>(families::read_cache_entry(bytes)));
}

}  // namespace
}  // namespace graft::store
