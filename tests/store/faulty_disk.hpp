// FaultyDisk passes all calls to the machine's real disk, except for the calls that the test chooses to fail: one call,
// or a chosen call and every later call.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <cerrno>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "store/disk.hpp"

namespace graft::store {

class FaultyDisk final : public Disk {
 public:
  // A fault for fail(): the chosen call reads or writes only half of the bytes and succeeds. Calls that are neither
  // reads nor writes are not changed.
  static constexpr int kShort = 1;

  // Chooses the call that fails. Calls are numbered from 0, and -1 makes no call fail. If `and_all_behind_it` is true,
  // every later call fails too.
  void fail(int call, int negative_errno, bool and_all_behind_it = false) {
    chosen_ = call;
    fault_ = negative_errno;
    all_ = and_all_behind_it;
    calls_ = 0;
    log_.clear();
  }
  // Makes every call of this name fail.
  void fail_each(std::string name, int negative_errno) {
    fail(-1, negative_errno);
    each_ = std::move(name);
  }
  int calls() const { return calls_; }
  const std::vector<std::string>& log() const { return log_; }  // the names of all calls, in order
  std::optional<std::uint32_t> other_user;                      // if set, the user id that user() returns
  std::optional<int> lock_result;                               // if set, the result of every try_lock()

  int open_folder(int folder, const char* name) override {
    return failing("open_folder") ? fault_ : real_.open_folder(folder, name);
  }
  int open_to_read(int folder, const char* name) override {
    return failing("open_to_read") ? fault_ : real_.open_to_read(folder, name);
  }
  int open_to_lock(int folder, const char* name) override {
    return failing("open_to_lock") ? fault_ : real_.open_to_lock(folder, name);
  }
  int open_to_append(int folder, const char* name) override {
    return failing("open_to_append") ? fault_ : real_.open_to_append(folder, name);
  }
  int create(int folder, const char* name) override { return failing("create") ? fault_ : real_.create(folder, name); }
  int close(int file) override {
    const int result = real_.close(file);  // Linux closes the file even if close() reports a failure
    return failing("close") ? fault_ : result;
  }
  int state(int file, FileState& state) override { return failing("state") ? fault_ : real_.state(file, state); }
  int state_of(int folder, const char* name, FileState& state) override {
    return failing("state_of") ? fault_ : real_.state_of(folder, name, state);
  }
  ssize_t read(int file, void* to, std::size_t size) override {
    if (failing("read", true)) return fault_ != kShort ? fault_ : real_.read(file, to, (size + 1) / 2);
    return real_.read(file, to, size);
  }
  ssize_t write(int file, const void* from, std::size_t size) override {
    if (failing("write", true)) return fault_ != kShort ? fault_ : real_.write(file, from, (size + 1) / 2);
    return real_.write(file, from, size);
  }
  int set_used_now(int file) override { return failing("set_used_now") ? fault_ : real_.set_used_now(file); }
  int make_folder(int folder, const char* name) override {
    return failing("make_folder") ? fault_ : real_.make_folder(folder, name);
  }
  int rename(int folder, const char* from, const char* to) override {
    return failing("rename") ? fault_ : real_.rename(folder, from, to);
  }
  int remove(int folder, const char* name) override { return failing("remove") ? fault_ : real_.remove(folder, name); }
  int remove_folder(int folder, const char* name) override {
    return failing("remove_folder") ? fault_ : real_.remove_folder(folder, name);
  }
  int list(int folder, std::vector<std::string>& names) override {
    return failing("list") ? fault_ : real_.list(folder, names);
  }
  int try_lock(int file, std::uint64_t byte) override {
    if (failing("try_lock")) return fault_;
    return lock_result ? *lock_result : real_.try_lock(file, byte);
  }
  std::uint32_t user() override { return other_user.value_or(real_.user()); }
  std::chrono::system_clock::time_point now() override { return real_.now() + ahead; }
  void sleep(std::chrono::milliseconds time) override { slept += time; }

  std::function<void(int call)> before_call;  // called before each call, with the call's number
  std::chrono::seconds ahead{0};              // added to the real time in now()
  std::chrono::milliseconds slept{0};         // sum of all sleep() calls, none of which really sleeps

 private:
  bool failing(const char* name, bool can_be_short = false) {
    if (before_call) before_call(calls_);
    const int call = calls_++;
    log_.emplace_back(name);
    if (name == each_) return true;
    const bool is_chosen = chosen_ >= 0 && (all_ ? call >= chosen_ : call == chosen_);
    return is_chosen && (fault_ != kShort || can_be_short);
  }

  Disk& real_ = real_disk();
  int chosen_ = -1;
  int fault_ = -EIO;
  bool all_ = false;
  std::string each_;
  int calls_ = 0;
  std::vector<std::string> log_;
};

}  // namespace graft::store
