// Tests the cache on a machine with two users. graft must never use files that another user planted, owns or could have
// written, and must never change another user's files through the cache. Only root can act as two users, so the tests
// are skipped for all other users.
#include <fmt/format.h>
#include <grp.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <functional>

#include "format/cache_entry.hpp"
#include "scenarios/attacks/attack.hpp"
#include "store/entries.hpp"
#include "store/maintenance.hpp"

namespace graft::store {
namespace {

constexpr uid_t kUser = 65534;      // runs the program that uses the cache
constexpr uid_t kAttacker = 65533;  // the user who tries to plant files wherever file modes permit it
constexpr const char* kPrecious = "precious";

class TwoUsers : public StoreTest {
 protected:
  void SetUp() override {
    if (::geteuid() != 0) GTEST_SKIP() << "only root can act as two users";
    fs::permissions(scratch(), fs::perms(0755));
    if (as(kUser, [&] { return ::access(scratch().c_str(), X_OK) == 0 ? 0 : 1; }) != 0)
      GTEST_SKIP() << "other users cannot reach " << scratch();
    make_cache(folder(), kUser);
  }
  void TearDown() override {
    if (!IsSkipped()) attacks::print_counts(fmt::format("{} plants, {} of them used", plants_, used_));
  }

  static int as(uid_t user, const std::function<int()>& work) {
    return attacks::run_in_child([&] {
      if (::setgroups(0, nullptr) != 0 || ::setresgid(user, user, user) != 0 || ::setresuid(user, user, user) != 0)
        return 99;
      return work();
    });
  }

  // Creates a cache that contains entry 1 and belongs to `owner`.
  static void make_cache(const fs::path& root, uid_t owner) {
    Store({.folder = root, .layers = {}}).put(entry_of(1));
    for (const auto& one : fs::recursive_directory_iterator(root)) give(one.path(), owner);
    give(root, owner);
  }
  static void give(const fs::path& path, uid_t owner) { ASSERT_EQ(::lchown(path.c_str(), owner, owner), 0) << path; }

  enum Answer { kNothing, kRefused, kUsed, kWrong };
  // Looks up entry 1 in a process of the user kUser and returns what the process found (an Answer).
  static int ask(const Settings& settings) {
    return as(kUser, [&] {
      const Lookup lookup = find(Store(settings), entry_of(1));
      if (!lookup.entry) return lookup.problem.empty() ? kNothing : kRefused;
      return lookup.entry->image == entry_of(1).image ? kUsed : kWrong;
    });
  }

  // Expects that graft refuses the planted file and gives a reason.
  void expect_refused(const std::string& what, const Settings& settings) {
    SCOPED_TRACE(what);
    ++plants_;
    const int answer = ask(settings);
    used_ += answer == kUsed || answer == kWrong ? 1 : 0;
    EXPECT_EQ(answer, kRefused);
  }
  void expect_refused(const std::string& what) { expect_refused(what, settings()); }

  // Creates a file that belongs to the user kUser and has nothing to do with graft, and returns its path.
  fs::path precious() const {
    const fs::path path = scratch() / kPrecious;
    EXPECT_TRUE(base::write_file(path, base::as_bytes(kPrecious)));
    give(path, kUser);
    return path;
  }

  int plants_ = 0;
  int used_ = 0;
};

TEST_F(TwoUsers, TheUsersOwnCacheIsUsed) {
  EXPECT_EQ(ask(settings()), kUsed);
}

TEST_F(TwoUsers, FoldersOfOthersAreNotUsed) {
  for (const uid_t owner : {kAttacker, uid_t{0}})
    for (const fs::path& one : {folder(), versioned()}) {
      give(one, owner);
      fs::permissions(one, fs::perms(0755));
      expect_refused(fmt::format("{} of user {}", one.filename().string(), owner));
      EXPECT_EQ(as(kUser, [&] { return Store(settings()).put(entry_of(2)).bytes == 0 ? 0 : 1; }), 0);
      give(one, kUser);
    }
  EXPECT_EQ(ask(settings()), kUsed);
}

TEST_F(TwoUsers, FoldersThatOthersCanWriteAreNotUsed) {
  for (const fs::path& one : {folder(), versioned()})
    for (const unsigned mode : {0777u, 0775u, 0757u, 0720u, 0702u, 01777u, 02770u}) {
      fs::permissions(one, fs::perms(mode));
      expect_refused(fmt::format("{} with mode {:o}", one.filename().string(), mode));
      EXPECT_EQ(as(kUser, [&] { return Store(settings()).put(entry_of(2)).bytes == 0 ? 0 : 1; }), 0);
      fs::permissions(one, fs::perms(0700));
    }
  EXPECT_EQ(ask(settings()), kUsed);
}

// These entries are as if the attacker had planted them while others could write to the folder. When the user makes the
// request, the modes of the folder are correct.
TEST_F(TwoUsers, EntriesOfOthersAreNotUsed) {
  const fs::path file = file_of(entry_of(1));
  for (const uid_t owner : {kAttacker, uid_t{0}})
    for (const unsigned mode : {0644u, 0444u, 0666u}) {
      give(file, owner);
      fs::permissions(file, fs::perms(mode));
      expect_refused(fmt::format("an entry of user {} with mode {:o}", owner, mode));
    }
}

TEST_F(TwoUsers, EntriesThatOthersCanWriteAreNotUsed) {
  const fs::path file = file_of(entry_of(1));
  for (const unsigned mode : {0660u, 0620u, 0602u, 0666u, 0777u}) {
    fs::permissions(file, fs::perms(mode));
    expect_refused(fmt::format("an entry with mode {:o}", mode));
  }
}

TEST_F(TwoUsers, AHardLinkToAnothersEntryIsNotUsed) {
  const fs::path file = file_of(entry_of(1));
  fs::rename(file, scratch() / "theirs");
  give(scratch() / "theirs", kAttacker);
  fs::permissions(scratch() / "theirs", fs::perms(0644));
  fs::create_hard_link(scratch() / "theirs", file);
  expect_refused("a hard link");
}

TEST_F(TwoUsers, LinksAreNotFollowed) {
  const fs::path theirs = scratch() / "theirs";
  // This cache is complete, valid and the user's own, so graft can only object to the link.
  make_cache(theirs, kUser);
  fs::permissions(theirs, fs::perms(0755));
  const fs::path file = file_of(entry_of(1));
  fs::remove(file);
  fs::create_symlink(theirs / version_folder() / file.filename(), file);
  expect_refused("a link in place of the entry");
  fs::remove_all(versioned());
  fs::create_directory_symlink(theirs / version_folder(), versioned());
  expect_refused("a link in place of the version's folder");
  fs::remove_all(folder());
  fs::create_directory_symlink(theirs, folder());
  expect_refused("a link in place of the cache");
}

TEST_F(TwoUsers, LayersAreTheUsersOrRoots) {
  const fs::path layer = scratch() / "layer";
  const Settings reading = {.folder = {}, .layers = {layer}};
  for (const uid_t owner : {kUser, uid_t{0}}) {
    fs::remove_all(layer);
    make_cache(layer, owner);
    for (const auto& one : fs::recursive_directory_iterator(layer))
      fs::permissions(one.path(), fs::perms(one.is_directory() ? 0755 : 0644));
    fs::permissions(layer, fs::perms(0755));
    EXPECT_EQ(ask(reading), kUsed) << owner;
    give(layer, kAttacker);
    expect_refused("a layer of another user", reading);
    give(layer, owner);
    fs::permissions(layer / version_folder(), fs::perms(0777));
    expect_refused("a layer that others can write", reading);
    fs::permissions(layer / version_folder(), fs::perms(0755));
  }
}

TEST_F(TwoUsers, EntriesOfOthersInLayersAreNotUsed) {
  const fs::path layer = scratch() / "layer";
  make_cache(layer, 0);
  for (const fs::path& one : {layer, layer / version_folder()}) fs::permissions(one, fs::perms(0755));
  const fs::path entry = layer / version_folder() / file_of(entry_of(1)).filename();
  const Settings reading = {.folder = {}, .layers = {layer}};
  give(entry, kAttacker);
  fs::permissions(entry, fs::perms(0644));
  expect_refused("an attacker's entry in root's layer", reading);
  give(entry, 0);
  fs::permissions(entry, fs::perms(0666));
  expect_refused("an entry that others can write in root's layer", reading);
}

// Wherever graft writes, locks or removes files, the attacker plants a link. graft must leave the target of the link
// unchanged.
TEST_F(TwoUsers, NothingBehindALinkIsChanged) {
  const fs::path target = precious();
  for (const fs::path& place : {file_of(entry_of(1)), file_of(entry_of(2)), versioned() / kLocks,
                                versioned() / (hash_of(entry_of(2)).hex() + ".1-1-1.tmp")}) {
    SCOPED_TRACE(place.filename());
    ++plants_;
    fs::remove(place);
    fs::create_symlink(target, place);
    const int ended = as(kUser, [&] {
      Store store(settings());
      { const KeyLock lock = store.lock(hash_of(entry_of(2))); }
      for (const int number : {1, 2}) store.put(entry_of(number));
      std::vector<std::string> problems;
      verify(store, problems);
      store.sweep(1, std::chrono::seconds(0));
      clear(store);
      return 0;
    });
    EXPECT_EQ(ended, 0);
    EXPECT_EQ(base::read_file(target), std::string_view(kPrecious));
    fs::remove(place);
  }
}

}  // namespace
}  // namespace graft::store
