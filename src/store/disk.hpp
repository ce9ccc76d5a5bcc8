// Everything that the store asks of the system, one call each, so that a test can make any of them fail.
//
// As the system's calls, but for how failure is told: a negative result is an errno with its sign changed. Nothing is
// retried here. Names are relative to an open folder, as for openat; a folder of kNoFolder means that the name is a
// path.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace graft::store {

inline constexpr int kNoFolder = -100;  // AT_FDCWD

struct FileState {
  bool is_folder = false;
  bool is_file = false;  // a regular one
  std::uint32_t owner = 0;
  std::uint32_t mode = 0;  // the permission bits
  std::uint64_t size = 0;
  std::chrono::system_clock::time_point used;  // the time of modification, which the store moves on at each use
};

class Disk {
 public:
  virtual ~Disk() = default;

  // Opens never follow a symbolic link in the last component, never wait, and are not inherited by other programs.
  virtual int open_folder(int folder, const char* name) = 0;
  virtual int open_to_read(int folder, const char* name) = 0;
  virtual int open_to_lock(int folder, const char* name) = 0;  // made where it is missing
  virtual int create(int folder, const char* name) = 0;        // new, for this user alone; fails when it is there
  virtual int close(int file) = 0;

  virtual int state(int file, FileState& state) = 0;
  virtual int state_of(int folder, const char* name, FileState& state) = 0;  // of the link, where it is one
  virtual ssize_t read(int file, void* to, std::size_t size) = 0;
  virtual ssize_t write(int file, const void* from, std::size_t size) = 0;  // failures raise no signal
  virtual int set_used_now(int file) = 0;

  virtual int make_folder(int folder, const char* name) = 0;  // for this user alone
  virtual int rename(int folder, const char* from, const char* to) = 0;
  virtual int remove(int folder, const char* name) = 0;               // anything but a folder
  virtual int remove_folder(int folder, const char* name) = 0;        // an empty one
  virtual int list(int folder, std::vector<std::string>& names) = 0;  // without "." and ".."

  // A lock on one byte of the file, dropped by close and by the end of the process. -EAGAIN: held by
  // another.
  virtual int try_lock(int file, std::uint64_t byte) = 0;

  virtual std::uint32_t user() = 0;
  virtual std::chrono::system_clock::time_point now() = 0;
  virtual void sleep(std::chrono::milliseconds time) = 0;
};

// The machine's. Thread-safe.
Disk& real_disk();

}  // namespace graft::store
