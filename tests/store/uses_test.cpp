// Tests the counts of hits and misses: that no count is lost, that they stay small, and that hostile files do no harm.
#include "store/uses.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <thread>

#include "store/entries.hpp"
#include "store/faulty_disk.hpp"
#include "store/maintenance.hpp"

namespace graft::store {
namespace {

class UsesTest : public StoreTest {
 protected:
  std::string file(const DayOfUses& day, const char* suffix) const {
    return (versioned() / (day.day + suffix)).string();
  }
};

TEST_F(UsesTest, CountsWhatHappened) {
  Store store(settings());
  count_use(store, Use::Hit);
  EXPECT_FALSE(fs::exists(folder())) << "counting must not create the cache folder";
  store.put(entry_of(1));
  EXPECT_TRUE(read_uses(store).empty());
  for (int i = 0; i < 3; ++i) count_use(store, Use::Hit);
  count_use(store, Use::LayerHit);
  for (int i = 0; i < 2; ++i) count_use(store, Use::Miss);
  const std::vector<DayOfUses> days = read_uses(store);
  ASSERT_EQ(days.size(), 1u);
  EXPECT_EQ(days[0].day.size(), 10u);
  EXPECT_EQ(days[0].hits, 3u);
  EXPECT_EQ(days[0].layer_hits, 1u);
  EXPECT_EQ(days[0].misses, 2u);
  EXPECT_EQ(entries(), 1u);
  EXPECT_EQ(temporaries(), 0u);
}

TEST_F(UsesTest, KeepsThirtyDays) {
  FaultyDisk disk;
  Store store(settings(), disk);
  store.put(entry_of(1));
  for (int day = 0; day < 40; ++day) {
    disk.ahead = std::chrono::hours(24 * day);
    count_use(store, Use::Hit);
    count_use(store, Use::Miss);
  }
  const std::vector<DayOfUses> days = read_uses(store);
  ASSERT_EQ(days.size(), static_cast<std::size_t>(kDaysOfUses));
  EXPECT_TRUE(std::is_sorted(days.begin(), days.end(), [](auto& a, auto& b) { return a.day < b.day; }));
  // Days that are over leave no file behind.
  EXPECT_EQ(names().size(), 1u + 2 * kDaysOfUses);
  // A clock that was wrong does not show days of the future.
  disk.ahead = std::chrono::hours(24 * 20);
  EXPECT_EQ(read_uses(store).back().hits, 1u);
  EXPECT_LE(read_uses(store).size(), 21u);
}

TEST_F(UsesTest, NoCountOfThreadsAndProcessesIsLost) {
  Store(settings()).put(entry_of(1));
  constexpr int kEach = 500;
  std::vector<pid_t> children;
  for (int i = 0; i < 3; ++i) {
    const pid_t child = ::fork();
    if (child == 0) {
      const Store store(settings());
      for (int k = 0; k < kEach; ++k) count_use(store, Use::Hit);
      ::_exit(0);
    }
    children.push_back(child);
  }
  const Store store(settings());
  std::vector<std::jthread> threads;
  for (int i = 0; i < 3; ++i)
    threads.emplace_back([&] {
      for (int k = 0; k < kEach; ++k) count_use(store, Use::Hit);
    });
  threads.clear();
  for (const pid_t child : children) ::waitpid(child, nullptr, 0);
  // At midnight, the counts are on two days.
  std::uint64_t hits = 0;
  for (const DayOfUses& day : read_uses(store)) hits += day.hits;
  EXPECT_EQ(hits, 6u * kEach);
}

TEST_F(UsesTest, AFileDoesNotGrowForEver) {
  Store store(settings());
  store.put(entry_of(1));
  count_use(store, Use::Hit);
  const DayOfUses today = read_uses(store).at(0);
  fs::resize_file(file(today, ".hits"), kMostUses - 1);
  count_use(store, Use::Hit);
  count_use(store, Use::Hit);
  EXPECT_EQ(fs::file_size(file(today, ".hits")), kMostUses);
  EXPECT_EQ(read_uses(store).at(0).hits, kMostUses);
  fs::resize_file(file(today, ".hits"), std::uint64_t{1} << 40);
  EXPECT_EQ(read_uses(store).at(0).hits, kMostUses);
}

TEST_F(UsesTest, HostileFilesDoNoHarm) {
  Store store(settings());
  store.put(entry_of(1));
  count_use(store, Use::Hit);
  const DayOfUses today = read_uses(store).at(0);
  const std::string hits = file(today, ".hits");
  const std::string target = (scratch() / "target").string();
  std::ofstream(target) << "precious";

  fs::remove(hits);
  fs::create_symlink(target, hits);
  count_use(store, Use::Hit);
  EXPECT_EQ(fs::file_size(target), 8u) << "a symbolic link was followed";
  EXPECT_TRUE(read_uses(store).empty());

  fs::remove(hits);
  ASSERT_EQ(::mkfifo(hits.c_str(), 0600), 0);
  count_use(store, Use::Hit);  // must not wait for a reader
  EXPECT_TRUE(read_uses(store).empty());

  fs::remove(hits);
  fs::create_directory(hits);
  count_use(store, Use::Hit);
  EXPECT_TRUE(read_uses(store).empty());

  fs::remove(hits);
  std::ofstream(hits) << "1234";
  fs::permissions(hits, fs::perms::others_write, fs::perm_options::add);
  count_use(store, Use::Hit);
  EXPECT_EQ(fs::file_size(hits), 4u);
  EXPECT_TRUE(read_uses(store).empty());

  for (const char* name : {"0000-00-00.hits", "9999-99-99.misses", "2026-1-1.hits", ".hits", "2026-11-23.hitsx"})
    std::ofstream((versioned() / name).string()) << "123";
  EXPECT_TRUE(read_uses(store).empty());
}

TEST_F(UsesTest, ReadOnlyCachesAndFullDisksAreNotCounted) {
  Store(settings()).put(entry_of(1));
  Settings read_only = settings();
  read_only.is_writable = false;
  count_use(Store(read_only), Use::Hit);
  count_use(Store({.folder = {}, .layers = {folder()}}), Use::LayerHit);
  EXPECT_EQ(names().size(), 1u);
  for (const char* call : {"open_folder", "open_to_append", "state", "write"}) {
    FaultyDisk disk;
    const Store store(settings(), disk);
    disk.fail_each(call, -ENOSPC);
    count_use(store, Use::Miss);
    EXPECT_TRUE(read_uses(Store(settings())).empty()) << call;
  }
}

TEST_F(UsesTest, ClearForgetsThem) {
  Store store(settings());
  store.put(entry_of(1));
  count_use(store, Use::Hit);
  clear(store);
  EXPECT_TRUE(read_uses(store).empty());
  EXPECT_EQ(entries(), 0u);
}

// The sweep counts and removes entries only.
TEST_F(UsesTest, TheSweepLeavesThem) {
  Store store(settings());
  store.put(entry_of(1));
  count_use(store, Use::Hit);
  store.sweep(0);
  EXPECT_EQ(entries(), 0u);
  EXPECT_EQ(read_uses(store).size(), 1u);
}

}  // namespace
}  // namespace graft::store
