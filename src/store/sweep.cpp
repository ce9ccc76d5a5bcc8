// Store::sweep keeps the folder within its size limit. It deletes whole entry files, the least recently used first. A
// process that has an entry open can still read the entry to its end, because the system keeps a deleted file until the
// file is closed.

#include <algorithm>
#include <cerrno>
#include <utility>

#include "base/format.hpp"
#include "store/file_time.hpp"
#include "store/store.hpp"

namespace graft::store {
namespace {

// The position of the byte in the file `locks` that a process locks while it sweeps.
constexpr std::uint64_t kSweepersByte = 0;

struct Candidate {
  std::string name;
  FileState state;
};

// Returns true when this process may sweep: it got the lock, or the file system has no locks. Without locks two
// processes may sweep at the same time, which costs time but does no harm.
bool claim(Disk& disk, const Folder& folder, File& locks) {
  locks = File(disk, uninterrupted([&] { return disk.open_to_lock(folder.versioned.get(), kLocks); }));
  if (!locks.is_open()) return true;
  return uninterrupted([&] { return disk.try_lock(locks.get(), kSweepersByte); }) != -EAGAIN;
}

class Sweeper {
 public:
  Sweeper(Disk& disk, const Folder& folder, Sweep& result)
      : disk_(disk), folder_(folder), at_(folder.versioned.get()), result_(result) {}

  int look(std::chrono::seconds stale) {
    std::vector<std::string> names;
    if (const int error = uninterrupted([&] { return disk_.list(at_, names); }); error < 0) return error;
    for (const std::string& name : names) {
      const bool is_entry = is_entry_name(name) || is_code_name(name);
      if (!is_entry && !is_temporary_name(name)) continue;
      FileState state;
      if (const int error = uninterrupted([&] { return disk_.state_of(at_, name.c_str(), state); }); error < 0) {
        fail(name, error);
        continue;
      }
      // A folder or a pipe that has an entry's name is removed like an entry, and its size does not count.
      if (!state.is_file) state.size = 0;
      if (is_entry) {
        ++result_.entries;
        result_.bytes += state.size;
        entries_.push_back({name, state});
      } else if (age(disk_.now(), state.used) >= stale) {
        result_.temporaries_removed += remove(name) ? 1 : 0;
      }
    }
    return 0;
  }

  // Removes entries, the least recently used first. Stops when the folder is small enough and the next entry was used
  // within the time `unused_for`. Without `unused_for`, only the size counts.
  void remove_entries(std::uint64_t limit, std::optional<std::chrono::seconds> unused_for) {
    // A folder above the limit shrinks to a tenth below the limit, so that the next write does not have to sweep again.
    const std::uint64_t enough = result_.bytes <= limit ? limit : limit - limit / 10;
    std::sort(entries_.begin(), entries_.end(),
              [](const Candidate& a, const Candidate& b) { return a.state.used < b.state.used; });
    for (const Candidate& entry : entries_) {
      if (result_.bytes <= enough && !(unused_for && age(disk_.now(), entry.state.used) >= *unused_for)) break;
      if (is_unchanged(entry) && remove(entry.name)) count_removed(entry.state.size);
    }
  }

  // Names the first file that could not be removed: "<name>: Read-only file system". Empty when all files were removed.
  const std::string& first_failure() const noexcept { return first_failure_; }

 private:
  void count_removed(std::uint64_t size) {
    ++result_.removed;
    --result_.entries;
    result_.bytes -= size;
    result_.bytes_removed += size;
  }

  // Returns false when another process has used or replaced the entry since this sweep listed it.
  bool is_unchanged(const Candidate& entry) {
    FileState now;
    const int error = uninterrupted([&] { return disk_.state_of(at_, entry.name.c_str(), now); });
    if (error < 0) fail(entry.name, error);
    return error == 0 && now.used == entry.state.used;
  }

  bool remove(const std::string& name) {
    const int error = remove_entry(disk_, folder_, name);
    if (error < 0) fail(name, error);
    return error == 0;
  }

  // Records a failure to remove a file. A file that another process has removed already is not a failure.
  void fail(const std::string& name, int error) {
    if (error == -ENOENT) return;
    if (++result_.failed == 1) first_failure_ = base::format("{}: {}", name, words_for(error));
  }

  Disk& disk_;
  const Folder& folder_;
  int at_;
  Sweep& result_;
  std::vector<Candidate> entries_;
  std::string first_failure_;
};

}  // namespace

Sweep Store::sweep(std::uint64_t limit, std::chrono::seconds stale,
                   std::optional<std::chrono::seconds> unused_for) const {
  Sweep result;
  if (!settings_.is_writable || settings_.folder.empty()) return result;
  const Folder folder = open_folder(disk_, settings_.folder, Access::Own);
  result.problem = folder.problem;
  // Owns the open lock file. Closing the file at the end of this function releases the lock.
  File locks;
  if (!folder.is_open() || !claim(disk_, folder, locks)) return result;
  result.ran = true;
  Sweeper sweeper(disk_, folder, result);
  const std::filesystem::path versioned = settings_.folder / version_folder();
  if (const int error = sweeper.look(stale); error < 0) {
    result.problem = base::format("{} cannot be listed: {}", versioned.string(), words_for(error));
    return result;
  }
  sweeper.remove_entries(limit, unused_for);
  if (result.failed != 0)
    result.problem = base::format("{} of the cache's files cannot be removed; the first is {}", result.failed,
                                  (versioned / sweeper.first_failure()).string());
  return result;
}

}  // namespace graft::store
