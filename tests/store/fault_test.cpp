// Makes each call to the disk fail in turn during every operation of the store. The store must return the right answer
// or a miss without an entry, and no damaged file may have an entry's name afterwards.
#include <gtest/gtest.h>

#include <functional>

#include "format/cache_export.hpp"
#include "store/entries.hpp"
#include "store/faulty_disk.hpp"
#include "store/maintenance.hpp"
#include "store/store.hpp"

namespace graft::store {
namespace {

class FaultTest : public StoreTest {
 protected:
  struct Fault {
    const char* name;
    int error;
    bool lasting;
  };

  static constexpr Fault kFaults[] = {
      {"EIO", -EIO, false},         {"ENOSPC", -ENOSPC, false},           {"EACCES", -EACCES, false},
      {"EINTR", -EINTR, false},     {"short", FaultyDisk::kShort, false}, {"EROFS for good", -EROFS, true},
      {"EIO for good", -EIO, true}, {"EINTR for good", -EINTR, true},     {"ENOENT", -ENOENT, false},
      {"EMFILE", -EMFILE, false},   {"EAGAIN", -EAGAIN, false},
  };

  // For each kind of fault, runs `operation` again and again. The fault hits the first call to the disk in the first
  // run, the second call in the second run, and so on, until the operation ends before it makes that call. `arrange`
  // prepares the folder before each run.
  void try_all(const std::function<void()>& arrange, const std::function<void(Store&, const Fault*)>& operation) {
    int most = 0;
    for (const Fault& fault : kFaults) {
      for (int call = 0;; ++call) {
        fs::remove_all(folder());
        arrange();
        FaultyDisk disk;
        Settings impatient = settings();
        impatient.layers = {scratch() / "layer"};
        Store store(impatient, disk);
        disk.fail(call, fault.error, fault.lasting);
        SCOPED_TRACE(testing::Message() << fault.name << " at call " << call);
        operation(store, &fault);
        expect_sound();
        if (disk.calls() <= call) break;
        most = std::max<int>(most, call + 1);
        ASSERT_LT(call, 5000);
      }
    }
    EXPECT_GT(most, 5) << "the operations make too few calls that could fail";
  }

  // With a working disk, expects that entries which can be found are right, and that a put succeeds.
  void expect_sound() {
    Store store(settings());
    for (const int number : {1, 2, 3})
      if (const Lookup lookup = find(store, entry_of(number)); lookup.entry) expect_hit(lookup, entry_of(number));
      else EXPECT_EQ(lookup.rejected, 0u) << "a damaged file has the name of entry " << number;
    EXPECT_EQ(store.put(entry_of(3)).problem, "");
    expect_hit(find(store, entry_of(3)), entry_of(3));
    store.sweep(kUsualLimit, std::chrono::seconds(0));
    EXPECT_EQ(temporaries(), 0u);
  }

  // Returns whether the operation must succeed despite the fault: a single EINTR or a short read or write only requires
  // another try.
  static bool is_harmless(const Fault* fault) {
    return !fault->lasting && (fault->error == -EINTR || fault->error == FaultyDisk::kShort);
  }
};

TEST_F(FaultTest, Find) {
  try_all([&] { Store(settings()).put(entry_of(1)); },
          [](Store& store, const Fault* fault) {
            const Lookup lookup = find(store, entry_of(1));
            if (lookup.entry) expect_hit(lookup, entry_of(1));
            else EXPECT_FALSE(is_harmless(fault));
            EXPECT_EQ(lookup.rejected, 0u) << "an I/O error must not count as a damaged entry";
          });
}

// Only bad content may cause an entry's removal. An I/O error leaves the entry in the folder.
TEST_F(FaultTest, FindRemovesNothing) {
  try_all([&] { Store(settings()).put(entry_of(1)); },
          [this](Store& store, const Fault*) {
            find(store, entry_of(1));
            EXPECT_EQ(entries(), 1u);
          });
}

TEST_F(FaultTest, FindOfADamagedEntry) {
  try_all(
      [&] {
        Store(settings()).put(entry_of(1));
        fs::resize_file(file_of(entry_of(1)), 900);
      },
      [this](Store& store, const Fault*) {
        EXPECT_FALSE(find(store, entry_of(1)).entry);
        fs::remove(file_of(entry_of(1)));  // still there if the injected fault made the store's own removal fail
      });
}

TEST_F(FaultTest, PutIntoANewFolder) {
  try_all([] {},
          [this](Store& store, const Fault* fault) {
            const Stored stored = store.put(entry_of(1));
            if (stored.bytes == 0) {
              EXPECT_FALSE(is_harmless(fault)) << stored.problem;
              EXPECT_NE(stored.problem, "");
            } else {
              expect_hit(find(Store(settings()), entry_of(1)), entry_of(1));
            }
          });
}

TEST_F(FaultTest, PutOverAnOlderEntry) {
  try_all([&] { Store(settings()).put(entry_of(1)); },
          [this](Store& store, const Fault*) {
            store.put(entry_of(1));
            // The store may find the old entry or the new entry, but the entry must be complete.
            expect_hit(find(Store(settings()), entry_of(1)), entry_of(1));
          });
}

TEST_F(FaultTest, LockFindAndPut) {
  try_all([] {},
          [](Store& store, const Fault*) {
            const KeyLock lock = store.lock(hash_of(entry_of(1)));
            find(store, entry_of(1));
            store.put(entry_of(1));
          });
}

TEST_F(FaultTest, Sweep) {
  try_all(
      [&] {
        Store store(settings());
        for (const int number : {1, 2, 3}) store.put(entry_of(number));
      },
      [this](Store& store, const Fault* fault) {
        const auto sweep = store.sweep(2 * fs::file_size(file_of(entry_of(1))));
        EXPECT_TRUE(!is_harmless(fault) || entries() == 1);
        EXPECT_TRUE(sweep.ran || entries() == 3);
      });
}

TEST_F(FaultTest, Maintenance) {
  const base::Bytes exported = format::write_cache_export({format::write_cache_entry(entry_of(1)), {}});
  try_all([&] { Store(settings()).put(entry_of(2)); },
          [&](Store& store, const Fault* fault) {
            const Imported imported = import_entries(store, exported);
            if (is_harmless(fault)) {
              EXPECT_EQ(imported.taken, 1u);
              EXPECT_EQ(imported.refused, 1u);
            }
            std::vector<std::string> problems;
            for (const EntryInfo& info : list_entries(store, problems))
              EXPECT_TRUE(info.entry.has_value() || !info.trouble.empty());
            for (const EntryInfo& info : verify(store, problems)) EXPECT_NE(info.trouble, "");
          });
}

TEST_F(FaultTest, Clear) {
  try_all([&] { Store(settings()).put(entry_of(1)); },
          [this](Store& store, const Fault* fault) {
            clear(store);
            EXPECT_TRUE(!is_harmless(fault) || entries() == 0);
          });
}

}  // namespace
}  // namespace graft::store
