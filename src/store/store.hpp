// Kernels on disk: found under the hash of their key, in read-only layers first and then in the user's own folder.
//
// Correct without locks, on any file system: an entry gets its name by a rename when it is whole, is never changed
// afterwards, and carries a checksum, lengths and its whole key. So nothing is synced to the medium either: what a
// power cut leaves half-written is damage like any other, and costs one build. Who loses a race uses what it built.
//
// Locks only spare work: of the processes that want one key, one builds and the others wait, no longer than they said.
// The system drops the lock of a process that dies.
//
// Nothing here throws for what a disk does. What went wrong is one line of words, and work goes on without the cache.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/hash.hpp"
#include "format/cache_entry.hpp"
#include "store/disk.hpp"
#include "store/file.hpp"
#include "store/folder.hpp"

namespace graft::store {

inline constexpr std::uint64_t kUsualLimit = std::uint64_t{1} << 30;

struct Settings {
  std::filesystem::path folder;  // empty: layers only
  std::vector<std::filesystem::path> layers;
  bool is_writable = true;  // false: entries are read and nothing in the folder is ever changed
  std::uint64_t limit = kUsualLimit;
  std::chrono::milliseconds lock_wait{30'000};
};

struct Lookup {
  std::optional<format::CacheEntry> entry;
  bool from_layer = false;
  std::uint64_t bytes = 0;     // of the file it was found in
  std::uint64_t rejected = 0;  // files under this key that could not be used
  std::string problem;         // one line; empty when all went well
  bool is_of_others = false;   // one of them is of another version
};

struct Stored {
  std::uint64_t bytes = 0;  // 0: it is not there
  std::string problem;
};

// What a sweep saw and did.
struct Sweep {
  std::uint64_t entries = 0;  // that are left
  std::uint64_t bytes = 0;
  std::uint64_t removed = 0;
  std::uint64_t bytes_removed = 0;
  std::uint64_t temporaries_removed = 0;
  std::uint64_t failed = 0;  // files that were to be removed and are still there
  bool ran = false;          // false: another process sweeps, or there is nothing to sweep
  std::string problem;
};

// The right to build one key, as long as it lives. Also without a lock, where none is to be had, work may go on.
class KeyLock {
 public:
  bool is_held() const noexcept { return file_.is_open(); }
  bool waited() const noexcept { return waited_; }  // another process held it: the entry may be there now

 private:
  friend class Store;
  File file_;
  bool waited_ = false;
};

// Thread-safe: it holds nothing but its settings and how much it wrote.
class Store {
 public:
  explicit Store(Settings settings, Disk& disk = real_disk());
  ~Store();
  Store(const Store&) = delete;  // counts what it wrote
  Store& operator=(const Store&) = delete;

  using Accept = std::function<bool(const format::CacheEntry&)>;

  // The first entry with exactly this key that `accept` takes. Its file must be the user's own (in a layer the user's
  // or root's), and nobody else may be able to write it. A damaged entry in the user's own folder is removed.
  Lookup find(const base::Hash128& hash, std::string_view key, const Accept& accept) const;

  // Writes the entry under the hash of its key, in place of whatever has that name, and now and then looks whether the
  // folder is over its limit. An entry that would be damage where it is read is not written.
  Stored put(const format::CacheEntry& entry);
  // The same for an entry's bytes, which the caller has read before.
  Stored put_file(const base::Hash128& hash, std::span<const std::byte> file);

  // Waits while another process builds this key, up to Settings::lock_wait.
  KeyLock lock(const base::Hash128& hash) const;

  // Removes the least recently used entries until the folder is a tenth below `limit`, if it is over it, entries that
  // nobody used for the time `unused_for`, and temporary files older than `stale`. One process at a time.
  Sweep sweep(std::uint64_t limit, std::chrono::seconds stale = std::chrono::hours(1),
              std::optional<std::chrono::seconds> unused_for = {}) const;

  const Settings& settings() const noexcept { return settings_; }
  Disk& disk() const noexcept { return disk_; }

 private:
  void find_in(const std::filesystem::path& folder, bool is_layer, const base::Hash128& hash, std::string_view key,
               const Accept& accept, Lookup& result) const;
  int try_put(const Folder& folder, const std::string& name, std::span<const std::byte> file) const;
  bool sweep_is_due(const base::Hash128& hash, std::uint64_t bytes);

  struct Written;
  Settings settings_;
  Disk& disk_;
  std::unique_ptr<Written> written_;
};

// "0123...cdef.entry".
std::string entry_name(const base::Hash128& hash);
bool is_entry_name(std::string_view name);
bool is_temporary_name(std::string_view name);

// A file of the store: opened, judged (a regular file of no absurd size, written by somebody trusted), read whole.
struct FileRead {
  base::Bytes bytes;
  FileState state;
  File file;
  int error = 0;     // negative errno, -ENOENT when there is none
  std::string flaw;  // why it cannot be an entry that graft wrote here, whatever is in it: "is no regular file"
};
FileRead read_entry_file(Disk& disk, const Folder& folder, const std::string& name, Access access);

// Removes what has an entry's name, whatever it is. A folder that is not empty keeps what is in it and gets another
// name. Zero, or a negative errno.
int remove_entry(Disk& disk, const Folder& folder, const std::string& name);

}  // namespace graft::store
