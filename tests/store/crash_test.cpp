// Kills processes that share a cache folder at random moments. 32 processes request 200 keys. A build takes a few
// milliseconds and appends a byte to a file, which counts the builds. GRAFT_CRASH_SECONDS sets the duration of the
// test.
#include <fcntl.h>
#include <gtest/gtest.h>

#include <thread>

#include "store/entries.hpp"
#include "store/maintenance.hpp"
#include "store/store.hpp"
#include "support/processes.hpp"

namespace graft::store {
namespace {

constexpr int kProcesses = 32;
constexpr int kKeys = 200;

class CrashTest : public StoreTest {
 protected:
  fs::path log() const { return scratch() / "builds"; }

  // Requests a kernel in the same steps as the engine: look, lock, look again, build, put. Returns nonzero if the image
  // that was found belongs to another key.
  int request(Store& store, int number) const {
    const format::CacheEntry wanted = entry_of(number);
    Lookup found = find(store, wanted);
    if (!found.entry) {
      const KeyLock lock = store.lock(hash_of(wanted));
      found = find(store, wanted);
      if (!found.entry) {
        build(number);
        store.put(wanted);
        return 0;
      }
    }
    return found.entry->image == wanted.image && found.entry->key == wanted.key ? 0 : 1;
  }

  void build(int) const {
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    const int file = ::open(log().c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    EXPECT_EQ(::write(file, "b", 1), 1);
    ::close(file);
  }

  void expect_clean(std::size_t most_entries) const {
    const Store store(settings());
    std::vector<std::string> problems;
    for (const EntryInfo& info : list_entries(store, problems)) EXPECT_TRUE(info.entry) << info.file << info.trouble;
    EXPECT_TRUE(problems.empty());
    EXPECT_LE(entries(), most_entries);
    store.sweep(kUsualLimit, std::chrono::seconds(0));
    EXPECT_EQ(temporaries(), 0u);
  }
};

// No process is killed. Each key must be built once, by one process.
TEST_F(CrashTest, WithLocksEachKeyIsBuiltOnce) {
  std::vector<pid_t> processes;
  for (int i = 0; i < kProcesses; ++i)
    processes.push_back(test::start(i, [this](int number) {
      Store store(settings());
      std::mt19937 random(static_cast<unsigned>(number));
      std::vector<int> keys(kKeys);
      for (int key = 0; key < kKeys; ++key) keys[static_cast<std::size_t>(key)] = key;
      std::shuffle(keys.begin(), keys.end(), random);
      int wrong = 0;
      for (const int key : keys) wrong += request(store, key);
      return wrong;
    }));
  for (const pid_t process : processes) EXPECT_TRUE(test::ended_well(process, false));
  EXPECT_EQ(fs::file_size(log()), kKeys);
  EXPECT_EQ(entries(), kKeys);
  expect_clean(kKeys);
}

TEST_F(CrashTest, KilledProcessesLeaveNothingWrong) {
  const test::Seconds time = test::crash_time(5);
  const auto end = test::Clock::now() + std::chrono::duration_cast<test::Clock::duration>(time);
  Settings small = settings();  // a small limit, so that entries are removed while other processes read them
  small.limit = kKeys / 2 * format::write_cache_entry(entry_of(0)).size();
  test::run_and_kill(kProcesses, time, [&](int number) {
    Store store(small);
    std::mt19937 random(static_cast<unsigned>(number));
    while (test::Clock::now() < end)
      if (request(store, static_cast<int>(random() % kKeys)) != 0) return 1;
    return 0;
  });
  EXPECT_GT(fs::file_size(log()), kKeys) << "the limit is small, so removed kernels must be built again";
  expect_clean(kKeys);
  Store store(settings());
  for (int key = 0; key < kKeys; ++key) {
    EXPECT_EQ(request(store, key), 0);
    expect_hit(find(store, entry_of(key)), entry_of(key));
  }
}

// The cache folder is deleted again and again while processes use it.
TEST_F(CrashTest, AFolderMayVanishAtAnyMoment) {
  const auto end = test::Clock::now() + std::chrono::seconds(2);
  std::vector<pid_t> processes;
  for (int i = 0; i < 8; ++i)
    processes.push_back(test::start(i, [&](int number) {
      Store store(settings());
      std::mt19937 random(static_cast<unsigned>(number));
      while (test::Clock::now() < end)
        if (request(store, static_cast<int>(random() % 20)) != 0) return 1;
      return 0;
    }));
  while (test::Clock::now() < end) {
    std::error_code ignored;
    fs::remove_all(folder(), ignored);
    ::usleep(5'000);
  }
  for (const pid_t process : processes) EXPECT_TRUE(test::ended_well(process, false));
  expect_clean(20);
}

}  // namespace
}  // namespace graft::store
