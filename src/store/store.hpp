// The cache on disk. Each kernel has one file, its cache entry, which is named after the hash of the kernel's key. A
// lookup searches the layers first, which are read-only cache folders, and then the user's own folder.
//
// The store is correct without locks, on any file system. An entry is written under a temporary name, renamed when it
// is complete, and never changed afterwards. Each entry contains a checksum, the sizes of its parts and the kernel's
// whole key. The store never calls fsync. If a power cut leaves an entry incomplete, a reader recognises the entry as
// damaged, and graft builds the kernel again. When two processes build the kernel of the same key, each uses its own
// kernel, and the entry that was renamed last remains.
//
// Locks only save work: when several processes want the same key, one of them builds, and the others wait up to
// Settings::lock_wait. The system releases the lock of a process that dies.
//
// No function here throws because of a file system error. Each function returns one line that says what went wrong, and
// the caller builds the kernel without the cache.
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
  // The user's own folder. If the path is empty, only the layers are used.
  std::filesystem::path folder;
  // Read-only cache folders, for example of an administrator. A lookup searches them before the user's own folder.
  std::vector<std::filesystem::path> layers;
  // If false, entries are read, and nothing in the folder is changed.
  bool is_writable = true;
  // The size in bytes above which a sweep removes entries of the user's own folder.
  std::uint64_t limit = kUsualLimit;
  // The longest time that Store::lock waits for another process.
  std::chrono::milliseconds lock_wait{30'000};
};

struct Lookup {
  std::optional<format::CacheEntry> entry;
  bool from_layer = false;
  // The size of the entry's file in bytes.
  std::uint64_t bytes = 0;
  // The number of files that are named after the hash of the key but could not be used.
  std::uint64_t rejected = 0;
  // One line that says what went wrong. Empty when nothing went wrong.
  std::string problem;
  // True when another version of graft wrote one of the rejected files.
  bool is_of_other_version = false;
};

struct Stored {
  // The size of the written file in bytes. 0 when nothing was written.
  std::uint64_t bytes = 0;
  std::string problem;
};

// What Store::sweep found and removed.
struct Sweep {
  // `entries` and `bytes` are the number and the size of the entries that are left.
  std::uint64_t entries = 0;
  std::uint64_t bytes = 0;
  std::uint64_t removed = 0;
  std::uint64_t bytes_removed = 0;
  std::uint64_t temporaries_removed = 0;
  // The number of files that could not be removed.
  std::uint64_t failed = 0;
  // False when another process is sweeping, and when there is no folder to sweep.
  bool ran = false;
  std::string problem;
};

// An entry that was written under a temporary name. Store::publish gives it its name, and other processes find it then.
// The destructor removes an entry that was not published.
class WrittenEntry {
 public:
  WrittenEntry() = default;
  ~WrittenEntry();
  WrittenEntry(WrittenEntry&& other) noexcept;
  // Not copyable, because a second owner would remove the file twice. Not assignable, because nobody needs it.
  WrittenEntry& operator=(WrittenEntry&&) = delete;
  WrittenEntry(const WrittenEntry&) = delete;
  WrittenEntry& operator=(const WrittenEntry&) = delete;

  // False if nothing was written. problem() then says why; it is empty if the store is not writable.
  bool is_written() const noexcept { return !temporary_.empty(); }
  const std::string& problem() const noexcept { return problem_; }

 private:
  friend class Store;
  Disk* disk_ = nullptr;
  Folder folder_;
  std::string temporary_;  // the file's name; empty if there is none
  base::Hash128 hash_;
  std::string name_;  // that it gets
  std::uint64_t bytes_ = 0;
  std::string problem_;
};

// Holds the lock of one key while a process builds the key's kernel. The destructor releases the lock. A KeyLock holds
// no lock when the cache is read-only, when the file system has no locks, and when the wait took too long. The caller
// then builds without a lock.
class KeyLock {
 public:
  bool is_held() const noexcept { return file_.is_open(); }
  // True when another process held the lock. Before the caller builds the kernel, it should then look for the entry
  // that the other process may have written.
  bool waited() const noexcept { return waited_; }

 private:
  friend class Store;
  File file_;
  bool waited_ = false;
};

// Thread-safe. In memory a Store has only its settings and the number of bytes that it wrote since it last checked the
// folder's size.
class Store {
 public:
  explicit Store(Settings settings, Disk& disk = real_disk());
  ~Store();
  // Not copyable, because the number of written bytes belongs to one store.
  Store(const Store&) = delete;
  Store& operator=(const Store&) = delete;

  // Returns whether the caller can use the entry. For example, KernelCache refuses an entry if the build of graft that
  // wrote it adds other text, flags or building blocks to the kernel than this build does (the entry's recipe,
  // routes/recipe.hpp).
  using Accept = std::function<bool(const format::CacheEntry&)>;

  // Returns the first entry that has exactly this key and for which `accept` returns true. `hash` must be the hash of
  // `key`. The entry's file must belong to the user (in a layer, to the user or root) and must not be writable by
  // others. Removes a damaged entry from the user's own folder.
  Lookup find(const base::Hash128& hash, std::string_view key, const Accept& accept) const;

  // Writes the entry under the hash of its key, and replaces any file that has this name. After about one write in 16
  // (kWritesPerLook in store.cpp), calls sweep with the limit Settings::limit. Does not write an entry that a reader
  // would consider damaged.
  Stored put(const format::CacheEntry& entry);
  // The two halves of put: write the entry, and let others find it.
  WrittenEntry write(const format::CacheEntry& entry) const;
  Stored publish(WrittenEntry entry);
  // Like put, for the bytes of an entry. The caller must have checked the bytes by reading them as an entry.
  Stored put_file(const base::Hash128& hash, std::span<const std::byte> file);

  // The code of own kernels. find_code() returns the content of its file, or nothing if there is none that can be
  // trusted; the caller checks the content. Neither says what went wrong, because the code is then compiled.
  std::optional<base::Bytes> find_code(const base::Hash128& hash) const;
  Stored put_code(const base::Hash128& hash, std::span<const std::byte> file);

  // Locks the key. If another process holds the lock, waits up to Settings::lock_wait.
  KeyLock lock(const base::Hash128& hash) const;

  // Removes temporary files older than `stale`, and entries that were not used for `unused_for`. If the folder is
  // larger than `limit`, also removes the least recently used entries until the folder is a tenth smaller than `limit`.
  // If another process is sweeping, does nothing.
  Sweep sweep(std::uint64_t limit, std::chrono::seconds stale = std::chrono::hours(1),
              std::optional<std::chrono::seconds> unused_for = {}) const;

  const Settings& settings() const noexcept { return settings_; }
  Disk& disk() const noexcept { return disk_; }

 private:
  void find_in(const std::filesystem::path& folder, bool is_layer, const base::Hash128& hash, std::string_view key,
               const Accept& accept, Lookup& result) const;
  std::optional<base::Bytes> find_code_in(const std::filesystem::path& folder, bool is_layer,
                                          const std::string& name) const;
  WrittenEntry write_file(const base::Hash128& hash, std::span<const std::byte> file,
                          const char* suffix = kEntrySuffix) const;
  Stored put_file(const base::Hash128& hash, std::span<const std::byte> file, const char* suffix);
  int try_write(const Folder& folder, const std::string& temporary, std::span<const std::byte> file) const;
  int try_publish(const Folder& folder, const std::string& temporary, const std::string& name) const;
  Stored publish(WrittenEntry& entry, int& error);
  Stored cannot_write(int error) const;
  bool sweep_is_due(const base::Hash128& hash, std::uint64_t bytes);

  struct Written;
  Settings settings_;
  Disk& disk_;
  std::unique_ptr<Written> written_;
};

// Returns the file name of an entry: "0123...cdef.entry".
std::string entry_name(const base::Hash128& hash);
bool is_entry_name(std::string_view name);
bool is_code_name(std::string_view name);
bool is_temporary_name(std::string_view name);

// The result of read_entry_file, which reads the entry file `name`. `bytes` is the file's content, which is read only
// if the file is a regular file, has the expected owner and mode, and is not larger than the largest possible entry.
struct FileRead {
  base::Bytes bytes;
  FileState state;
  File file;
  // A negative errno; -ENOENT when there is no such file.
  int error = 0;
  // Why the file must not be used, whatever its content is, for example "is not a regular file". Empty when the file
  // may be used.
  std::string flaw;
};
FileRead read_entry_file(Disk& disk, const Folder& folder, const std::string& name, Access access);

// Removes the entry `name`, or anything else with this name. Renames a folder that is not empty instead of removing it.
// Returns zero or a negative errno.
int remove_entry(Disk& disk, const Folder& folder, const std::string& name);

}  // namespace graft::store
