// The interface through which the store uses the file system, the clock and the user's identity. Each function is one
// system call, so that a test can make any of them fail.
//
// A failure returns the negative errno. Nothing is retried here. Names are relative to an open folder, as for openat;
// with kNoFolder as the folder, the name is a path.
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
  bool is_file = false;  // a regular file
  std::uint32_t owner = 0;
  std::uint32_t mode = 0;  // the permission bits
  std::uint64_t size = 0;
  std::chrono::system_clock::time_point used;  // the modification time, which the store updates when an entry is used
};

class Disk {
 public:
  virtual ~Disk() = default;

  // The open functions never follow a symbolic link in the last component and never block. The descriptors are
  // close-on-exec.
  virtual int open_folder(int folder, const char* name) = 0;
  virtual int open_to_read(int folder, const char* name) = 0;
  virtual int open_to_lock(int folder, const char* name) = 0;  // creates the file if it is missing
  virtual int create(int folder, const char* name) = 0;        // mode 0600; fails when the name exists
  virtual int close(int file) = 0;

  virtual int state(int file, FileState& state) = 0;
  virtual int state_of(int folder, const char* name, FileState& state) = 0;  // does not follow a symbolic link
  virtual ssize_t read(int file, void* to, std::size_t size) = 0;
  virtual ssize_t write(int file, const void* from, std::size_t size) = 0;  // a failure raises no signal
  virtual int set_used_now(int file) = 0;

  virtual int make_folder(int folder, const char* name) = 0;  // mode 0700
  virtual int rename(int folder, const char* from, const char* to) = 0;
  virtual int remove(int folder, const char* name) = 0;               // anything but a folder
  virtual int remove_folder(int folder, const char* name) = 0;        // an empty one
  virtual int list(int folder, std::vector<std::string>& names) = 0;  // without "." and ".."

  // Locks one byte of the file until close or the end of the process. Returns -EAGAIN when somebody else holds the
  // lock.
  virtual int try_lock(int file, std::uint64_t byte) = 0;

  virtual std::uint32_t user() = 0;
  virtual std::chrono::system_clock::time_point now() = 0;
  virtual void sleep(std::chrono::milliseconds time) = 0;
};

// The machine's file system, clock and user. Thread-safe.
Disk& real_disk();

}  // namespace graft::store
