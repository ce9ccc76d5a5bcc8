// Starts 32 processes that share a cache which has room for two of twelve entries. The processes store, find, prune,
// list, verify and clear at the same time, so nearly every entry is removed while another process reads it. Every entry
// that a process finds must have the right content.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/mman.h>

#include <atomic>
#include <memory>
#include <new>
#include <random>

#include "scenarios/attacks/attack.hpp"
#include "store/entries.hpp"
#include "store/maintenance.hpp"
#include "support/processes.hpp"

namespace graft::store {
namespace {

constexpr int kProcesses = 32;
constexpr int kKeys = 12;

struct Counts {
  std::atomic<int> kept{0};
  std::atomic<int> lost{0};
  std::atomic<int> found{0};
  std::atomic<int> missed{0};
  std::atomic<int> pruned{0};
};

class ManyProcesses : public StoreTest {
 protected:
  ManyProcesses()
      : memory_(::mmap(nullptr, sizeof(Counts), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0)) {
    if (memory_ == MAP_FAILED) throw std::bad_alloc();
    counts_ = new (memory_) Counts;
    for (int i = 0; i < kKeys; ++i) wanted_.push_back(entry_of(i, 2'000 + 3'000 * static_cast<std::size_t>(i % 3)));
    tiny_ = settings();
    tiny_.limit = 5 * format::write_cache_entry(wanted_[0]).size() / 2;
  }
  ~ManyProcesses() override { ::munmap(memory_, sizeof(Counts)); }

  // Returns 0 on success, otherwise a number that identifies what went wrong.
  int work(int number, int steps) const {
    Store store(tiny_);
    std::mt19937 random(static_cast<unsigned>(attacks::seed()) * 1000 + static_cast<unsigned>(number));
    for (int step = 0; step < steps; ++step) {
      const format::CacheEntry& entry = wanted_[random() % kKeys];
      switch (random() % 16) {
        case 0:
          counts_->pruned += static_cast<int>(store.sweep(tiny_.limit).removed);
          break;
        case 1:
          counts_->pruned += static_cast<int>(store.sweep(tiny_.limit / 2).removed);
          break;
        case 2:
          if (const int wrong = check_list(store); wrong != 0) return wrong;
          break;
        case 3:
          if (step % 10 == 0) counts_->pruned += static_cast<int>(clear(store).removed);
          break;
        default:
          if (const int wrong = request(store, entry); wrong != 0) return wrong;
      }
    }
    return 0;
  }

  // Makes the same steps as the engine: look up the entry, lock its key, look it up again, build, store.
  int request(Store& store, const format::CacheEntry& entry) const {
    if (const int answer = look(store, entry); answer != kMissing) return answer;
    const KeyLock lock = store.lock(hash_of(entry));
    if (const int answer = look(store, entry); answer != kMissing) return answer;
    const Stored stored = store.put(entry);
    if (stored.problem.empty()) return ++counts_->kept, 0;
    // A clear in another process may remove the temporary file that a put in this process is writing.
    const bool is_lost = stored.problem.find("No such file or directory") != stored.problem.npos;
    if (is_lost) return ++counts_->lost, 0;
    std::fprintf(stderr, "%s\n", stored.problem.c_str());
    return 11;
  }

  static constexpr int kMissing = -1;
  int look(const Store& store, const format::CacheEntry& entry) const {
    const Lookup lookup = find(store, entry);
    if (!lookup.problem.empty() || lookup.rejected != 0) return 12;
    if (!lookup.entry) return ++counts_->missed, kMissing;
    ++counts_->found;
    return lookup.entry->key == entry.key && lookup.entry->image == entry.image ? 0 : 13;
  }

  // Expects that no entry counts as damaged. An entry that another process removes after this process has listed it
  // must not count as damaged either.
  int check_list(const Store& store) const {
    std::vector<std::string> problems;
    for (const EntryInfo& info : list_entries(store, problems))
      if (info.is_hopeless) return 14;
    if (!problems.empty()) return 15;
    for (const EntryInfo& info : verify(store, problems))
      if (info.is_hopeless || info.is_removed) return 16;
    return 0;
  }

  Settings tiny_;
  std::vector<format::CacheEntry> wanted_;
  Counts* counts_ = nullptr;

 private:
  void* memory_;
};

TEST_F(ManyProcesses, OnATinyCache) {
  const int steps = attacks::rounds(1500);
  std::vector<pid_t> processes;
  for (int i = 0; i < kProcesses; ++i)
    processes.push_back(test::start(i, [this, steps](int number) { return work(number, steps); }));
  for (const pid_t process : processes) {
    int status = 0;
    ASSERT_EQ(::waitpid(process, &status, 0), process);
    EXPECT_TRUE(WIFEXITED(status)) << "killed by signal " << WTERMSIG(status);
    EXPECT_EQ(WEXITSTATUS(status), 0);
  }
  const Store store(tiny_);
  EXPECT_LE(store.sweep(tiny_.limit, std::chrono::seconds(0)).bytes, tiny_.limit);
  EXPECT_EQ(temporaries(), 0u);
  EXPECT_EQ(check_list(store), 0);
  attacks::print_counts(
      fmt::format("{} processes, {} entries stored, {} removed by a clear while they were stored, {} found with the "
                  "right content, {} misses, {} pruned",
                  kProcesses, counts_->kept.load(), counts_->lost.load(), counts_->found.load(), counts_->missed.load(),
                  counts_->pruned.load()));
  EXPECT_LE(1000 * counts_->lost, counts_->kept);
  EXPECT_GT(counts_->found, 100);
  EXPECT_GT(counts_->pruned, 100);
}

}  // namespace
}  // namespace graft::store
