// Implements the functions of Store that find, write and lock cache entries. sweep.cpp removes old entries.
#include "store/store.hpp"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <random>
#include <utility>

#include "base/format.hpp"
#include "families/kept_kernels.hpp"
#include "format/compressed.hpp"
#include "store/file_time.hpp"

namespace graft::store {
namespace {

using format::CacheEntry;
using format::EntryFault;

// The largest entry file that is read, in bytes. No kernel comes near this size, so graft did not write a larger file.
constexpr std::uint64_t kLargestEntry = format::kLargestContent;

// A lookup that finds an entry updates the entry's time of last use only if the last use was more than 10 minutes ago.
// The sweep does not need exact times, and a lookup should rarely write.
constexpr auto kUseIsRecent = std::chrono::minutes(10);

// How often the store checks the folder's size: after one write in 16 on average, and also whenever this process has
// written a sixteenth of the size limit since its last check.
constexpr std::uint64_t kWritesPerLook = 16;

const std::string kNotKept = "the kernel is not kept on disk: ";

std::uint64_t lock_byte(const base::Hash128& hash) {
  // The hash is shifted, because file positions are signed and a position must not be negative. The 1 is added because
  // byte 0 is the lock of the sweep.
  return 1 + (hash.low >> 2);
}

bool cannot_lock(int error) {
  return error != -EAGAIN && error != -EINTR;
}

bool is_hash_with(std::string_view suffix, std::string_view name) {
  return name.size() == 32 + suffix.size() && name.ends_with(suffix) &&
         name.find_first_not_of("0123456789abcdef") == 32;
}

}  // namespace

struct Store::Written {
  std::atomic<std::uint64_t> since_look{0};
};

Store::Store(Settings settings, Disk& disk)
    : settings_(std::move(settings)), disk_(disk), written_(std::make_unique<Written>()) {}
Store::~Store() = default;

std::string entry_name(const base::Hash128& hash) {
  return hash.hex() + kEntrySuffix;
}

bool is_entry_name(std::string_view name) {
  return is_hash_with(kEntrySuffix, name);
}

bool is_code_name(std::string_view name) {
  return is_hash_with(kCodeSuffix, name);
}

bool is_temporary_name(std::string_view name) {
  return name.ends_with(kTemporarySuffix) && name.find_first_not_of("0123456789abcdef") == 32;
}

FileRead read_entry_file(Disk& disk, const Folder& folder, const std::string& name, Access access) {
  const int at = folder.versioned.get();
  FileRead read;
  read.file = File(disk, uninterrupted([&] { return disk.open_to_read(at, name.c_str()); }));
  read.error = read.file.error();
  if (read.error == -ENOENT) return read;
  // If the file cannot be opened, examines the directory entry: the name may belong to a symbolic link, a socket, or a
  // file of another user.
  const int judged = read.file.is_open() ? uninterrupted([&] { return disk.state(read.file.get(), read.state); })
                                         : uninterrupted([&] { return disk.state_of(at, name.c_str(), read.state); });
  if (judged == 0) read.flaw = read.state.is_file ? objection_to(read.state, disk, access) : "is not a regular file";
  if (!read.flaw.empty()) read.error = 0;
  else if (read.error == 0) read.error = judged;
  if (read.error < 0 || !read.flaw.empty()) return read;
  if (read.state.size > kLargestEntry) read.error = -EFBIG;
  else read.error = read_whole(disk, read.file, read.state.size, read.bytes);
  return read;
}

int remove_entry(Disk& disk, const Folder& folder, const std::string& name) {
  const int at = folder.versioned.get();
  const int error = uninterrupted([&] { return disk.remove(at, name.c_str()); });
  if (error != -EISDIR && error != -EPERM) return error;
  FileState state;
  if (uninterrupted([&] { return disk.state_of(at, name.c_str(), state); }) < 0 || !state.is_folder) return error;
  const int removed = uninterrupted([&] { return disk.remove_folder(at, name.c_str()); });
  if (removed != -ENOTEMPTY && removed != -EEXIST) return removed;
  // The folder is kept under another name, because somebody may need its files.
  const std::string aside = unique_name(name, kAsideSuffix);
  return uninterrupted([&] { return disk.rename(at, name.c_str(), aside.c_str()); });
}

Lookup Store::find(const base::Hash128& hash, std::string_view key, const Accept& accept) const {
  Lookup result;
  for (const std::filesystem::path& layer : settings_.layers)
    if (!result.entry) find_in(layer, true, hash, key, accept, result);
  if (!result.entry && !settings_.folder.empty()) find_in(settings_.folder, false, hash, key, accept, result);
  return result;
}

void Store::find_in(const std::filesystem::path& path, bool is_layer, const base::Hash128& hash, std::string_view key,
                    const Accept& accept, Lookup& result) const {
  const auto note = [&](std::string problem) {
    if (result.problem.empty()) result.problem = std::move(problem);
  };
  const Access access = is_layer ? Access::Layer : Access::Own;
  const Folder folder = open_folder(disk_, path, access);
  if (!folder.is_open()) return note(folder.problem);
  const std::string name = entry_name(hash);
  FileRead read = read_entry_file(disk_, folder, name, access);
  if (read.error == -ENOENT) return;
  const std::string where = (path / version_folder() / name).string();
  if (!read.flaw.empty()) {
    ++result.rejected;
    return note(base::format("{} {}", where, read.flaw));
  }
  if (read.error < 0) return note(base::format("{} cannot be read: {}", where, words_for(read.error)));

  auto entry = families::read_cache_entry(read.bytes);
  if (const EntryFault* fault = std::get_if<EntryFault>(&entry)) {
    ++result.rejected;
    result.is_of_other_version |= *fault != EntryFault::Damaged;
    if (*fault == EntryFault::Compressed) return note(base::format("{} {}", where, format::kNeedsZstd));
    if (*fault != EntryFault::Damaged) return note(base::format("{} was written by another version of graft", where));
    // A damaged entry is removed. An entry that could not be read because of an I/O error stays.
    if (!is_layer && settings_.is_writable)
      uninterrupted([&] { return disk_.remove(folder.versioned.get(), name.c_str()); });
    return note(base::format("{} is damaged", where));
  }
  CacheEntry& found = std::get<CacheEntry>(entry);
  if (found.key != key) {
    ++result.rejected;
    return note(base::format("{} is the entry of another key", where));
  }
  // An entry counts as used even if `accept` refuses it. Another version of graft may have written such an entry. This
  // version's kernel for the same request is then stored under a second key, which also contains a hash of what graft
  // itself adds to the kernel (add_recipe in plan/key.hpp). A lookup tries the second key only after it has found the
  // refused entry, so the sweep must not remove the refused entry as unused.
  if (!is_layer && settings_.is_writable && age(disk_.now(), read.state.used) > kUseIsRecent)
    disk_.set_used_now(read.file.get());
  if (!accept(found)) {
    ++result.rejected;
    return;
  }
  result.entry = std::move(found);
  result.from_layer = is_layer;
  result.bytes = read.bytes.size();
}

WrittenEntry::~WrittenEntry() {
  if (is_written()) uninterrupted([&] { return disk_->remove(folder_.versioned.get(), temporary_.c_str()); });
}

WrittenEntry::WrittenEntry(WrittenEntry&& other) noexcept
    : disk_(other.disk_),
      folder_(std::move(other.folder_)),
      temporary_(std::exchange(other.temporary_, {})),
      hash_(other.hash_),
      name_(std::move(other.name_)),
      bytes_(other.bytes_),
      problem_(std::move(other.problem_)) {}

Stored Store::put(const CacheEntry& entry) {
  if (const std::string why = families::objection_to(entry); !why.empty()) return {0, kNotKept + why};
  return put_file(base::hash(entry.key), format::write_cache_entry(entry));
}

// Writes once more if another process has removed the folder between the write and the rename.
Stored Store::put_file(const base::Hash128& hash, std::span<const std::byte> file, const char* suffix) {
  WrittenEntry first = write_file(hash, file, suffix);
  int error = 0;
  const Stored stored = publish(first, error);
  return error == -ENOENT ? publish(write_file(hash, file, suffix)) : stored;
}

Stored Store::put_file(const base::Hash128& hash, std::span<const std::byte> file) {
  return put_file(hash, file, kEntrySuffix);
}

Stored Store::put_code(const base::Hash128& hash, std::span<const std::byte> file) {
  return put_file(hash, file, kCodeSuffix);
}

std::optional<base::Bytes> Store::find_code(const base::Hash128& hash) const {
  const std::string name = hash.hex() + kCodeSuffix;
  for (const std::filesystem::path& layer : settings_.layers)
    if (auto found = find_code_in(layer, true, name)) return found;
  return settings_.folder.empty() ? std::nullopt : find_code_in(settings_.folder, false, name);
}

std::optional<base::Bytes> Store::find_code_in(const std::filesystem::path& path, bool is_layer,
                                               const std::string& name) const {
  const Access access = is_layer ? Access::Layer : Access::Own;
  const Folder folder = open_folder(disk_, path, access);
  if (!folder.is_open()) return std::nullopt;
  FileRead read = read_entry_file(disk_, folder, name, access);
  if (read.error < 0 || !read.flaw.empty()) return std::nullopt;
  if (!is_layer && settings_.is_writable && age(disk_.now(), read.state.used) > kUseIsRecent)
    disk_.set_used_now(read.file.get());
  return std::move(read.bytes);
}

WrittenEntry Store::write(const CacheEntry& entry) const {
  WrittenEntry refused;
  refused.problem_ = families::objection_to(entry);
  if (refused.problem_.empty()) return write_file(base::hash(entry.key), format::write_cache_entry(entry));
  refused.problem_.insert(0, kNotKept);
  return refused;
}

WrittenEntry Store::write_file(const base::Hash128& hash, std::span<const std::byte> file, const char* suffix) const {
  WrittenEntry written;
  if (!settings_.is_writable || settings_.folder.empty()) return written;
  written.disk_ = &disk_;
  written.hash_ = hash;
  written.name_ = hash.hex() + suffix;
  written.bytes_ = file.size();
  const std::string temporary = unique_name(written.name_, kTemporarySuffix);
  int error = 0;
  for (const int attempt : {0, 1}) {
    written.folder_ = open_folder(disk_, settings_.folder, Access::Make);
    written.problem_ = written.folder_.problem;
    if (!written.folder_.is_open()) return written;
    error = try_write(written.folder_, temporary, file);
    // ENOENT means that another process has removed the folder after this process opened it. In this case, try_write
    // runs once more, in a folder that open_folder makes anew.
    if (error != -ENOENT || attempt == 1) break;
  }
  if (error < 0) written.problem_ = cannot_write(error).problem;
  else written.temporary_ = temporary;
  return written;
}

Stored Store::publish(WrittenEntry entry) {
  int ignored = 0;
  return publish(entry, ignored);
}

// Sets `error` to the result of the rename.
Stored Store::publish(WrittenEntry& entry, int& error) {
  if (!entry.is_written()) return {0, entry.problem()};
  error = try_publish(entry.folder_, entry.temporary_, entry.name_);
  if (error < 0) return cannot_write(error);
  entry.temporary_.clear();
  Stored stored{entry.bytes_, {}};
  if (sweep_is_due(entry.hash_, entry.bytes_)) stored.problem = sweep(settings_.limit).problem;
  return stored;
}

Stored Store::cannot_write(int error) const {
  return {0, base::format("cannot write to {}: {}", (settings_.folder / version_folder()).string(), words_for(error))};
}

int Store::try_write(const Folder& folder, const std::string& temporary, std::span<const std::byte> bytes) const {
  const int at = folder.versioned.get();
  File file(disk_, uninterrupted([&] { return disk_.create(at, temporary.c_str()); }));
  if (!file.is_open()) return file.error();
  int error = write_whole(disk_, file, bytes);
  const int closed = file.close();
  // When close fails with EINTR, the file is closed already.
  if (error == 0 && closed != -EINTR) error = closed;
  if (error < 0) uninterrupted([&] { return disk_.remove(at, temporary.c_str()); });
  return error;
}

int Store::try_publish(const Folder& folder, const std::string& temporary, const std::string& name) const {
  const int at = folder.versioned.get();
  const auto rename = [&] { return uninterrupted([&] { return disk_.rename(at, temporary.c_str(), name.c_str()); }); };
  int error = rename();
  // EISDIR means that a folder has the name of the entry.
  if (error == -EISDIR) {
    error = remove_entry(disk_, folder, name);
    if (error == 0 || error == -ENOENT) error = rename();
  }
  return error;
}

bool Store::sweep_is_due(const base::Hash128& hash, std::uint64_t bytes) {
  const std::uint64_t written = written_->since_look += bytes;
  // Checks the size after one write in kWritesPerLook on average. The entry's hash decides which writes these are, so
  // the processes need no shared counter.
  if (hash.high % kWritesPerLook != 0 && written < settings_.limit / kWritesPerLook) return false;
  written_->since_look = 0;
  return true;
}

KeyLock Store::lock(const base::Hash128& hash) const {
  KeyLock lock;
  if (!settings_.is_writable || settings_.folder.empty()) return lock;
  const Folder folder = open_folder(disk_, settings_.folder, Access::Make);
  if (!folder.is_open()) return lock;
  File file(disk_, uninterrupted([&] { return disk_.open_to_lock(folder.versioned.get(), kLocks); }));
  if (!file.is_open()) return lock;
  std::chrono::milliseconds waited{0};
  std::chrono::milliseconds pause{1};
  while (true) {
    const int error = disk_.try_lock(file.get(), lock_byte(hash));
    if (error == 0) {
      lock.file_ = std::move(file);
      return lock;
    }
    if (cannot_lock(error) || waited >= settings_.lock_wait) return lock;
    lock.waited_ = lock.waited_ || error == -EAGAIN;
    disk_.sleep(pause);
    waited += pause;
    pause = std::min(2 * pause, std::chrono::milliseconds(20));
  }
}

}  // namespace graft::store
