// Tests the store on a working disk, with ordinary and with unusual folders.
#include "store/store.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <thread>

#include "store/entries.hpp"
#include "store/faulty_disk.hpp"
#include "store/maintenance.hpp"
#include "support/changed_entries.hpp"

namespace graft::store {
namespace {

TEST_F(StoreTest, FindsWhatItKept) {
  Store store(settings());
  EXPECT_FALSE(find(store, entry_of(1)).entry);
  EXPECT_EQ(find(store, entry_of(1)).problem, "");
  EXPECT_FALSE(fs::exists(folder())) << "a lookup must not create the cache folder";
  const Stored stored = store.put(entry_of(1));
  EXPECT_EQ(stored.problem, "");
  EXPECT_EQ(stored.bytes, fs::file_size(file_of(entry_of(1))));
  const Lookup lookup = find(store, entry_of(1));
  expect_hit(lookup, entry_of(1));
  EXPECT_EQ(lookup.bytes, stored.bytes);
  EXPECT_FALSE(lookup.from_layer);
  EXPECT_FALSE(find(store, entry_of(2)).entry);
  EXPECT_EQ(temporaries(), 0u);
}

TEST_F(StoreTest, IsPrivate) {
  const mode_t before = ::umask(0);
  Store store(settings());
  store.put(entry_of(1));
  store.lock(hash_of(entry_of(1)));
  ::umask(before);
  const auto permissions = [](const fs::path& path) { return static_cast<unsigned>(fs::status(path).permissions()); };
  EXPECT_EQ(permissions(folder()), 0700u);
  EXPECT_EQ(permissions(versioned()), 0700u);
  EXPECT_EQ(permissions(file_of(entry_of(1))), 0600u);
  EXPECT_EQ(permissions(versioned() / kLocks), 0600u);
}

TEST_F(StoreTest, ComparesTheWholeKey) {
  Store store(settings());
  store.put(entry_of(1));
  const Lookup lookup = store.find(hash_of(entry_of(1)), "another key", [](const auto&) { return true; });
  EXPECT_FALSE(lookup.entry);
  EXPECT_EQ(lookup.rejected, 1u);
  EXPECT_NE(lookup.problem.find("is the entry of another key"), std::string::npos) << lookup.problem;
}

TEST_F(StoreTest, GivesWhatIsAccepted) {
  Store store(settings());
  store.put(entry_of(1));
  const Lookup lookup = store.find(hash_of(entry_of(1)), entry_of(1).key, [](const auto&) { return false; });
  EXPECT_FALSE(lookup.entry);
  EXPECT_EQ(lookup.rejected, 1u);
  EXPECT_EQ(lookup.problem, "");
  EXPECT_EQ(entries(), 1u);
}

TEST_F(StoreTest, LayersComeFirstAndStayAsTheyAre) {
  const fs::path layer = scratch() / "layer";
  format::CacheEntry in_layer = entry_of(1);
  in_layer.report.kernel.name = "from_the_layer";
  in_layer.image = test::cubin(3000, in_layer.report.kernel);
  Store({.folder = layer, .layers = {}}).put(in_layer);
  Settings both = settings();
  both.layers = {scratch() / "missing", layer};
  Store store(both);
  store.put(entry_of(1));
  store.put(entry_of(2));
  const Lookup lookup = find(store, entry_of(1));
  expect_hit(lookup, in_layer);
  EXPECT_TRUE(lookup.from_layer);
  EXPECT_FALSE(find(store, entry_of(2)).from_layer);
  // A damaged entry in a layer is skipped and reported, and its file is left unchanged.
  const fs::path file = layer / version_folder() / entry_name(hash_of(in_layer));
  fs::resize_file(file, 100);
  const Lookup passed = find(store, entry_of(1));
  expect_hit(passed, entry_of(1));
  EXPECT_FALSE(passed.from_layer);
  EXPECT_EQ(passed.rejected, 1u);
  EXPECT_NE(passed.problem.find("is damaged"), std::string::npos);
  EXPECT_EQ(fs::file_size(file), 100u);
}

TEST_F(StoreTest, ReadOnlyChangesNothing) {
  Store(settings()).put(entry_of(1));
  fs::resize_file(file_of(entry_of(1)), 100);
  Settings reading = settings();
  reading.is_writable = false;
  Store store(reading);
  EXPECT_EQ(find(store, entry_of(1)).rejected, 1u);
  EXPECT_EQ(store.put(entry_of(2)).bytes, 0u);
  EXPECT_FALSE(store.lock(hash_of(entry_of(1))).is_held());
  EXPECT_FALSE(store.sweep(0).ran);
  EXPECT_EQ(names(), std::vector<std::string>{entry_name(hash_of(entry_of(1)))});
}

TEST_F(StoreTest, DamageIsRemovedAndOtherVersionsAreLeft) {
  Store store(settings());
  store.put(entry_of(1));
  fs::resize_file(file_of(entry_of(1)), 500);
  EXPECT_EQ(find(store, entry_of(1)).rejected, 1u);
  EXPECT_EQ(entries(), 0u);
  store.put(entry_of(1));
  {
    std::fstream file(file_of(entry_of(1)), std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(8).put(4);
  }
  const Lookup lookup = find(store, entry_of(1));
  EXPECT_FALSE(lookup.entry);
  EXPECT_NE(lookup.problem.find("another version"), std::string::npos) << lookup.problem;
  EXPECT_EQ(entries(), 1u);
}

// The entry has a field that only a later version of graft knows. That version can still use the entry, so this version
// must leave the file in the folder.
TEST_F(StoreTest, EntriesWithFieldsOfALaterGraftAreLeft) {
  Store store(settings());
  store.put(entry_of(1));
  const base::Bytes later = test::with_changed_report(
      format::write_cache_entry(entry_of(1), format::Coding::None),
      test::records::append(test::records::kRecord, test::records::Shape::Record, {0x7000, "later"}));
  ASSERT_TRUE(base::write_file(file_of(entry_of(1)), later));
  const Lookup lookup = find(store, entry_of(1));
  EXPECT_FALSE(lookup.entry);
  EXPECT_NE(lookup.problem.find("another version"), std::string::npos) << lookup.problem;
  std::vector<std::string> problems;
  const std::vector<EntryInfo> bad = verify(store, problems);
  ASSERT_EQ(bad.size(), 1u);
  EXPECT_FALSE(bad[0].is_removed) << bad[0].trouble;
  EXPECT_EQ(base::read_file(file_of(entry_of(1))), base::as_text(later));
}

// Builds with and without zstd may share a folder. The one without must leave what the other can read.
TEST_F(StoreTest, CompressedEntriesAreLeftByABuildWithoutZstd) {
  Store store(settings());
  format::CacheEntry entry = entry_of(1);
  entry.report.source = std::string(10'000, 'x');
  store.put(entry);
  if (!format::has_zstd()) return expect_hit(find(store, entry), entry);
  {
    const format::WithoutZstd without;
    const Lookup lookup = find(store, entry);
    EXPECT_FALSE(lookup.entry);
    EXPECT_TRUE(lookup.is_of_other_version);
    EXPECT_NE(lookup.problem.find("is compressed with zstd"), std::string::npos) << lookup.problem;
    std::vector<std::string> problems;
    const std::vector<EntryInfo> bad = verify(store, problems);
    ASSERT_EQ(bad.size(), 1u);
    EXPECT_FALSE(bad[0].is_hopeless);
    EXPECT_EQ(bad[0].trouble, "it is compressed with zstd, which this build of graft does not have");
  }
  expect_hit(find(store, entry), entry);
}

// The store must use none of these folders, and the store's message must say why.
TEST_F(StoreTest, FoldersThatCannotBeTrustedAreRefused) {
  struct Case {
    const char* what;
    std::function<void()> arrange;
    const char* words;
  };
  const auto make = [&] { Store(settings()).put(entry_of(1)); };
  const Case cases[] = {
      {"a link to a folder",
       [&] { make(), fs::rename(folder(), scratch() / "real"), fs::create_symlink("real", folder()); },
       "is a symbolic link"},
      {"a link to nothing", [&] { fs::create_symlink("nowhere", folder()); }, "is a symbolic link"},
      {"a file", [&] { std::ofstream(folder()) << "x"; }, "cannot be opened"},
      {"writable by the group", [&] { make(), fs::permissions(folder(), fs::perms(0770)); }, "written by other users"},
      {"writable by all", [&] { make(), fs::permissions(folder(), fs::perms(01777)); }, "written by other users"},
      {"entries writable by all", [&] { make(), fs::permissions(versioned(), fs::perms(0702)); },
       "written by other users"},
      {"entries behind a link",
       [&] { make(), fs::rename(versioned(), scratch() / "real"), fs::create_symlink("../real", versioned()); },
       "is a symbolic link"},
  };
  for (const Case& one : cases) {
    fs::remove_all(folder());
    fs::remove_all(scratch() / "real");
    one.arrange();
    Store store(settings());
    const Lookup lookup = find(store, entry_of(1));
    EXPECT_FALSE(lookup.entry) << one.what;
    EXPECT_NE(lookup.problem.find(one.words), std::string::npos) << one.what << ": " << lookup.problem;
    const Stored stored = store.put(entry_of(2));
    EXPECT_EQ(stored.bytes, 0u) << one.what;
    EXPECT_NE(stored.problem.find(one.words), std::string::npos) << one.what << ": " << stored.problem;
    EXPECT_FALSE(store.lock(hash_of(entry_of(1))).is_held()) << one.what;
  }
}

TEST_F(StoreTest, AnotherOwnersFolderIsRefused) {
  Store(settings()).put(entry_of(1));
  FaultyDisk disk;
  disk.other_user = ::geteuid() + 1;
  Store store(settings(), disk);
  EXPECT_NE(find(store, entry_of(1)).problem.find("belongs to another user"), std::string::npos);
  EXPECT_NE(store.put(entry_of(1)).problem.find("belongs to another user"), std::string::npos);
  // A layer is a cache folder that graft only reads. It may belong to root.
  Store layered({.folder = {}, .layers = {folder()}}, disk);
  EXPECT_EQ(find(layered, entry_of(1)).entry.has_value(), ::geteuid() == 0);
}

TEST_F(StoreTest, OddFilesUnderAnEntrysNameAreNoEntries) {
  Store store(settings());
  store.put(entry_of(0));
  const fs::path file = file_of(entry_of(1));
  ASSERT_EQ(::mkfifo(file.c_str(), 0600), 0);
  // The file is a pipe. `find` must return at once and not wait for a process that writes to the pipe.
  EXPECT_FALSE(find(store, entry_of(1)).entry);
  fs::remove(file);
  fs::create_symlink(file_of(entry_of(0)), file);
  EXPECT_FALSE(find(store, entry_of(1)).entry);
  fs::remove(file);
  fs::create_directory(file);
  EXPECT_FALSE(find(store, entry_of(1)).entry);
  fs::remove(file);
  std::ofstream(file) << "";
  fs::resize_file(file, std::uintmax_t{1} << 40);
  EXPECT_NE(find(store, entry_of(1)).problem.find("cannot be read"), std::string::npos);
}

// put() refuses an entry that every reader would reject, here that of a host kernel. If put() wrote the entry, every
// process would find the file, reject it, build the kernel, and write the same useless file again.
TEST_F(StoreTest, AnImpossibleEntryIsNotWritten) {
  Store store(settings());
  format::CacheEntry host = entry_of(1);
  host.report.kernel.route = Route::Host;
  const Stored stored = store.put(host);
  EXPECT_EQ(stored.bytes, 0u);
  EXPECT_EQ(stored.problem,
            "the kernel is not kept on disk: it is a kernel of the host route, which graft never writes to the cache");
  EXPECT_FALSE(fs::exists(folder()));
}

// If the folder cannot be written or listed, the message names the folder.
TEST_F(StoreTest, WhereNothingCanBeKeptTheNoteNamesTheVersionsFolder) {
  FaultyDisk disk;
  Store store(settings(), disk);
  store.put(entry_of(1));
  disk.fail_each("create", -EACCES);
  EXPECT_EQ(store.put(entry_of(2)).problem, "cannot write to " + versioned().string() + ": Permission denied");
  disk.fail_each("list", -EIO);
  EXPECT_EQ(store.sweep(0).problem, versioned().string() + " cannot be listed: Input/output error");
}

TEST_F(StoreTest, FoldersOnTheWayAreMade) {
  Settings deep = settings();
  deep.folder = scratch() / "a" / "b" / "c";
  Store store(deep);
  EXPECT_EQ(store.put(entry_of(1)).problem, "");
  expect_hit(find(store, entry_of(1)), entry_of(1));
}

TEST_F(StoreTest, AVanishedFolderIsMadeAnew) {
  Store store(settings());
  store.put(entry_of(1));
  fs::remove_all(folder());
  EXPECT_FALSE(find(store, entry_of(1)).entry);
  EXPECT_EQ(store.put(entry_of(1)).problem, "");
  expect_hit(find(store, entry_of(1)), entry_of(1));
}

TEST_F(StoreTest, OneLockForEachKey) {
  Settings impatient = settings();
  impatient.lock_wait = std::chrono::milliseconds(30);
  Store store(impatient);
  Store other(impatient);
  {
    const KeyLock held = store.lock(hash_of(entry_of(1)));
    EXPECT_TRUE(held.is_held());
    EXPECT_FALSE(held.waited());
    const KeyLock second = other.lock(hash_of(entry_of(1)));
    EXPECT_FALSE(second.is_held()) << "the wait for the lock must end after lock_wait";
    EXPECT_TRUE(second.waited());
    EXPECT_TRUE(other.lock(hash_of(entry_of(2))).is_held());
  }
  const KeyLock now = other.lock(hash_of(entry_of(1)));
  EXPECT_TRUE(now.is_held());
  EXPECT_FALSE(now.waited());
}

TEST_F(StoreTest, WaitersGoOnWhenTheBuilderIsDone) {
  Store store(settings());
  bool has_waited = false;
  // On a busy machine, the waiter may begin only after the lock was released.
  for (int tries = 0; tries < 50 && !has_waited; ++tries) {
    auto held = std::make_unique<KeyLock>(store.lock(hash_of(entry_of(1))));
    std::jthread waiter([&] {
      const KeyLock lock = store.lock(hash_of(entry_of(1)));
      EXPECT_TRUE(lock.is_held());
      has_waited = lock.waited();
    });
    std::this_thread::sleep_for(std::chrono::milliseconds(30));
    held.reset();
  }
  EXPECT_TRUE(has_waited);
}

TEST_F(StoreTest, WhereLocksDoNotWorkWorkGoesOn) {
  FaultyDisk disk;
  Store store(settings(), disk);
  for (const int error : {-ENOLCK, -EOPNOTSUPP, -EINVAL, -ENOSYS, -EIO}) {
    disk.lock_result = error;
    const KeyLock lock = store.lock(hash_of(entry_of(1)));
    EXPECT_FALSE(lock.is_held());
    EXPECT_FALSE(lock.waited());
    EXPECT_EQ(disk.slept.count(), 0);
    EXPECT_TRUE(store.sweep(0).ran);
  }
  disk.lock_result = -EAGAIN;  // another process holds the lock for ever
  EXPECT_TRUE(store.lock(hash_of(entry_of(1))).waited());
  EXPECT_GE(disk.slept, store.settings().lock_wait);
  EXPECT_FALSE(store.sweep(0).ran);
}

}  // namespace
}  // namespace graft::store
