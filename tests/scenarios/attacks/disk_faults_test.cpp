// Runs a whole session with a cache (store, find, prune, list, verify, import, clear) in which each disk call in turn
// fails, either once or together with all later calls. Each operation also works with the files that a failed operation
// before it left behind. tests/store/fault_test.cpp attacks each operation alone instead.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <vector>

#include "format/cache_export.hpp"
#include "scenarios/attacks/attack.hpp"
#include "store/entries.hpp"
#include "store/faulty_disk.hpp"
#include "store/maintenance.hpp"

namespace graft::store {
namespace {

struct Fault {
  const char* name;
  int error;
};

constexpr Fault kFaults[] = {
    {"ENOSPC", -ENOSPC}, {"EIO", -EIO},       {"EACCES", -EACCES}, {"EINTR", -EINTR},
    {"EMFILE", -EMFILE}, {"ESTALE", -ESTALE}, {"EDQUOT", -EDQUOT}, {"EROFS", -EROFS},
    {"ENOENT", -ENOENT}, {"ENFILE", -ENFILE}, {"ENOMEM", -ENOMEM}, {"short", FaultyDisk::kShort},
};

bool means_again(int error) {
  return error == -EINTR || error == FaultyDisk::kShort;
}

std::vector<Fault> faults_of(int call) {
  constexpr std::size_t kShortRun = 3;
  std::vector<Fault> all(std::begin(kFaults), std::end(kFaults));
  std::rotate(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(call * 5 + attacks::seed()) % std::ssize(all),
              all.end());
  if (!attacks::is_long()) all.resize(kShortRun);
  return all;
}

class DiskFaults : public StoreTest {
 protected:
  using Operation = std::function<void(Store&)>;

  // Runs the operation with a fault at each disk call in turn, until the operation ends before it reaches the call with
  // the fault. A long run tries every fault at each call. A short run tries three faults at each call, and a different
  // choice of three at the next call.
  void attack(const Operation& operation) {
    const long open = attacks::open_files();
    bool was_reached = true;
    for (int call = 0; was_reached && !HasFailure(); ++call) {
      ASSERT_LT(call, 5000);
      was_reached = false;
      for (const Fault& fault : faults_of(call))
        for (const bool is_lasting : {false, true}) was_reached |= attack_one(fault, is_lasting, call, operation);
    }
    EXPECT_EQ(attacks::open_files(), open) << "a file descriptor was not closed";
    attacks::print_counts(
        fmt::format("{} faults, {} operations that said why they failed, {} entries found with the right content",
                    faults_, told_, found_));
    EXPECT_GT(faults_, 20);
  }

  // An entry that is found must have the right content. If an existing entry is not found, the lookup must give a
  // reason.
  void expect_right_or_told(Store& store, int number, bool is_there) {
    const Lookup lookup = find(store, entry_of(number));
    found_ += lookup.entry ? 1 : 0;
    told_ += lookup.problem.empty() ? 0 : 1;
    if (lookup.entry) expect_hit(lookup, entry_of(number));
    EXPECT_TRUE(lookup.entry || !is_there || is_absence_ || !lookup.problem.empty()) << number;
  }

  bool put(Store& store, int number) {
    const Stored stored = store.put(entry_of(number));
    told_ += stored.problem.empty() ? 0 : 1;
    EXPECT_TRUE(stored.bytes != 0 || !stored.problem.empty())
        << "the entry was not written, and no problem was reported";
    if (stored.bytes != 0) expect_hit(find(Store(settings()), entry_of(number)), entry_of(number));
    return stored.bytes != 0;
  }

  bool is_absence_ = false;  // the fault is ENOENT, which means "no entry", so no reason is needed
  bool is_again_ = false;    // the fault occurs once and the call must be retried, so the result must be unchanged
  int told_ = 0;

 private:
  bool attack_one(const Fault& fault, bool is_lasting, int call, const Operation& operation) {
    fs::remove_all(folder());
    for (const int number : {1, 2}) Store(settings()).put(entry_of(number));
    FaultyDisk disk;
    Store store(settings(), disk);
    disk.fail(call, fault.error, is_lasting);
    is_absence_ = fault.error == -ENOENT;
    is_again_ = means_again(fault.error) && !is_lasting;
    SCOPED_TRACE(fmt::format("{}{} at call {}", fault.name, is_lasting ? " for good" : "", call));
    operation(store);
    expect_clean_run();
    faults_ += disk.calls() > call ? 1 : 0;
    return disk.calls() > call;
  }

  void expect_clean_run() {
    Store store(settings());
    for (const int number : {1, 2, 3, 4}) {
      const Lookup lookup = find(store, entry_of(number));
      EXPECT_EQ(lookup.rejected, 0u) << "a damaged file was left as entry " << number;
      if (lookup.entry) expect_hit(lookup, entry_of(number));
    }
    EXPECT_EQ(store.put(entry_of(3)).problem, "");
    expect_hit(find(store, entry_of(3)), entry_of(3));
    EXPECT_EQ(store.sweep(kUsualLimit, std::chrono::seconds(0)).problem, "");
    EXPECT_EQ(temporaries(), 0u);
  }

  int faults_ = 0;
  int found_ = 0;
};

TEST_F(DiskFaults, KeepFindPruneVerifyClear) {
  attack([this](Store& store) {
    const bool is_kept = put(store, 3);
    for (const int number : {1, 2, 3}) expect_right_or_told(store, number, number < 3 || is_kept);
    store.sweep(2 * fs::file_size(file_of(entry_of(1))));
    for (const int number : {1, 2, 3}) expect_right_or_told(store, number, fs::exists(file_of(entry_of(number))));
    std::vector<std::string> problems;
    for (const EntryInfo& info : verify(store, problems)) EXPECT_NE(info.trouble, "");
    told_ += static_cast<int>(problems.size());
    clear(store);
    EXPECT_TRUE(!is_again_ || entries() == 0);
  });
}

TEST_F(DiskFaults, ImportOverEntriesAndList) {
  const base::Bytes exported =
      format::write_cache_export({format::write_cache_entry(entry_of(1)), {}, format::write_cache_entry(entry_of(4))});
  attack([&](Store& store) {
    const Imported imported = import_entries(store, exported);
    told_ += imported.problem.empty() ? 0 : 1;
    EXPECT_TRUE(imported.taken + imported.known == 2 || !imported.problem.empty());
    EXPECT_TRUE(!is_again_ || (imported.taken == 1 && imported.known == 1 && imported.refused == 1));
    std::vector<std::string> problems;
    std::size_t seen = 0;
    for (const EntryInfo& info : list_entries(store, problems)) {
      EXPECT_TRUE(info.entry || !info.trouble.empty());
      ++seen;
    }
    EXPECT_TRUE(seen == entries() || !problems.empty() || is_absence_);
  });
}

// If prune or clear cannot remove a file, they must report the file.
TEST_F(DiskFaults, WhatIsNotRemovedIsSaid) {
  attack([this](Store& store) {
    const Sweep cleared = clear(store);
    told_ += cleared.problem.empty() ? 0 : 1;
    EXPECT_TRUE(entries() == 0 || !cleared.problem.empty() || is_absence_);
  });
}

TEST_F(DiskFaults, LockKeepAndFindAgain) {
  attack([this](Store& store) {
    const KeyLock lock = store.lock(hash_of(entry_of(3)));
    EXPECT_TRUE(!is_again_ || lock.is_held());
    expect_right_or_told(store, 3, false);
    expect_right_or_told(store, 3, put(store, 3));
  });
}

}  // namespace
}  // namespace graft::store
