// Kills a process at its n-th disk call, for every n. The files that the process leaves must be complete entries or be
// removed later, and the next process must work. tests/cli/new_file_test.cpp and program_faults_test.cpp kill processes
// in the same way while they write output files.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <csignal>
#include <functional>

#include "format/cache_export.hpp"
#include "scenarios/attacks/attack.hpp"
#include "store/entries.hpp"
#include "store/faulty_disk.hpp"
#include "store/maintenance.hpp"

namespace graft::store {
namespace {

class DiskKills : public StoreTest {
 protected:
  using Operation = std::function<void(Store&)>;

  // `removes` says whether the operation is allowed to remove complete entries.
  void attack(bool removes, const Operation& operation, std::uint64_t limit = kUsualLimit) {
    Settings own = settings();
    own.limit = limit;
    for (int call = 0;; ++call) {
      fs::remove_all(folder());
      for (const int number : {1, 2}) Store(settings()).put(entry_of(number));
      SCOPED_TRACE(fmt::format("killed at call {}", call));
      const int ended = attacks::run_in_child([&] {
        FaultyDisk disk;
        disk.before_call = [call](int number) {
          if (number == call) ::raise(SIGKILL);
        };
        Store store(own, disk);
        operation(store);
        return 0;
      });
      expect_sound(removes);
      if (ended == 0 || HasFailure()) break;
      ASSERT_EQ(ended, -SIGKILL);
      ++kills_;
    }
    attacks::print_counts(fmt::format("{} kills, {} of them left a temporary file", kills_, leftovers_));
    EXPECT_GT(kills_, 5);
  }

 private:
  void expect_sound(bool removes) {
    Store store(settings());
    for (const int number : {1, 2, 3, 4}) {
      const Lookup lookup = find(store, entry_of(number));
      EXPECT_EQ(lookup.rejected, 0u) << number;
      EXPECT_EQ(lookup.problem, "");
      if (lookup.entry) expect_hit(lookup, entry_of(number));
      else EXPECT_TRUE(removes || number > 2) << "entry " << number << " is gone";
    }
    leftovers_ += temporaries() > 0 ? 1 : 0;
    EXPECT_EQ(store.put(entry_of(3)).problem, "");
    expect_hit(find(store, entry_of(3)), entry_of(3));
    EXPECT_TRUE(store.lock(hash_of(entry_of(3))).is_held()) << "the dead process still holds the lock";
    // This disk's clock is two hours ahead, so leftover temporary files are old enough that an ordinary sweep (removal
    // of old files) removes them.
    FaultyDisk later;
    later.ahead = std::chrono::hours(2);
    EXPECT_TRUE(Store(settings(), later).sweep(kUsualLimit).ran);
    EXPECT_EQ(temporaries(), 0u);
  }

  int kills_ = 0;
  int leftovers_ = 0;
};

TEST_F(DiskKills, Keep) {
  attack(false, [](Store& store) { store.put(entry_of(3)); });
}

TEST_F(DiskKills, KeepOverAnEntry) {
  attack(false, [](Store& store) { store.put(entry_of(1)); });
}

TEST_F(DiskKills, KeepUnderALock) {
  attack(false, [](Store& store) {
    const KeyLock lock = store.lock(hash_of(entry_of(3)));
    store.put(entry_of(3));
  });
}

TEST_F(DiskKills, KeepInAFullCache) {
  attack(
      true,
      [](Store& store) {
        for (const int number : {3, 4}) store.put(entry_of(number));
      },
      2 * format::write_cache_entry(entry_of(1)).size());
}

TEST_F(DiskKills, Prune) {
  attack(true, [](Store& store) { store.sweep(format::write_cache_entry(entry_of(1)).size()); });
}

TEST_F(DiskKills, Clear) {
  attack(true, [](Store& store) { clear(store); });
}

TEST_F(DiskKills, Import) {
  const base::Bytes exported =
      format::write_cache_export({format::write_cache_entry(entry_of(1)), format::write_cache_entry(entry_of(4))});
  attack(false, [&](Store& store) { import_entries(store, exported); });
}

}  // namespace
}  // namespace graft::store
