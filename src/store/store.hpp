// The cache on disk. A kernel's entry has the hash of its key as its file name. Lookups go to the read-only layers
// first and then to the user's own folder.
//
// The store needs no locks to be correct, on any file system: an entry is written under a temporary name, renamed when
// it is whole, and never changed afterwards; it contains a checksum, its lengths and its whole key. Nothing is synced
// to the disk either: an entry that a power cut leaves half-written is damaged like any other, and costs one build.
// When two processes build the same key, each uses its own kernel, and the last rename stays.
//
// Locks only save work: of the processes that want one key, one builds, and the others wait for it up to
// Settings::lock_wait. The system drops the lock of a process that dies.
//
// No function here throws because of a file system error. It returns one line that says what went wrong, and its caller
// goes on without the cache.
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
  std::filesystem::path folder;  // the user's own folder; empty: only layers are used
  std::vector<std::filesystem::path> layers;
  bool is_writable = true;  // false: entries are read, and nothing in the folder is changed
  std::uint64_t limit = kUsualLimit;
  std::chrono::milliseconds lock_wait{30'000};
};

struct Lookup {
  std::optional<format::CacheEntry> entry;
  bool from_layer = false;
  std::uint64_t bytes = 0;     // the size of the entry's file
  std::uint64_t rejected = 0;  // files with this key's name that could not be used
  std::string problem;         // one line; empty when all went well
  bool is_of_others = false;   // another version of graft wrote one of the rejected files
};

struct Stored {
  std::uint64_t bytes = 0;  // 0: nothing was written
  std::string problem;
};

// What a sweep saw and did.
struct Sweep {
  std::uint64_t entries = 0;  // entries that are left, and their bytes
  std::uint64_t bytes = 0;
  std::uint64_t removed = 0;
  std::uint64_t bytes_removed = 0;
  std::uint64_t temporaries_removed = 0;
  std::uint64_t failed = 0;  // files that could not be removed
  bool ran = false;          // false: another process is sweeping, or there is no folder to sweep
  std::string problem;
};

// RAII lock for building one key. It is empty when the cache is read-only, when the file system has no locks, and when
// the wait took too long; the caller then builds without it.
class KeyLock {
 public:
  bool is_held() const noexcept { return file_.is_open(); }
  bool waited() const noexcept { return waited_; }  // another process held the lock: look for its entry first

 private:
  friend class Store;
  File file_;
  bool waited_ = false;
};

// Thread-safe. Its only state besides the settings is the number of bytes written since the last size check.
class Store {
 public:
  explicit Store(Settings settings, Disk& disk = real_disk());
  ~Store();
  Store(const Store&) = delete;  // the count of written bytes belongs to one store
  Store& operator=(const Store&) = delete;

  using Accept = std::function<bool(const format::CacheEntry&)>;

  // The first entry with exactly this key for which `accept` returns true. Its file must belong to the user (in a
  // layer, to the user or root) and must not be writable by others. A damaged entry in the user's own folder is
  // removed.
  Lookup find(const base::Hash128& hash, std::string_view key, const Accept& accept) const;

  // Writes the entry under the hash of its key and replaces whatever has that name. Some of the writes sweep the folder
  // (kWritesPerLook). An entry that a reader would take for damaged is not written.
  Stored put(const format::CacheEntry& entry);
  // The same for the bytes of an entry, which the caller must have checked by reading them.
  Stored put_file(const base::Hash128& hash, std::span<const std::byte> file);

  // Locks the key. Waits up to Settings::lock_wait while another process builds it.
  KeyLock lock(const base::Hash128& hash) const;

  // Removes temporary files older than `stale` and entries that were not used for `unused_for`. If the folder is larger
  // than `limit`, also removes the least recently used entries until it is a tenth below. One process sweeps at a time.
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

// An entry's file, read whole. It is read only if it is a regular file of the expected owner and mode, and not larger
// than any entry.
struct FileRead {
  base::Bytes bytes;
  FileState state;
  File file;
  int error = 0;     // a negative errno; -ENOENT when there is no such file
  std::string flaw;  // why the file must not be used, whatever its content: "is not a regular file"
};
FileRead read_entry_file(Disk& disk, const Folder& folder, const std::string& name, Access access);

// Removes an entry, or whatever else has its name. A folder that is not empty is renamed instead. Returns zero or a
// negative errno.
int remove_entry(Disk& disk, const Folder& folder, const std::string& name);

}  // namespace graft::store
