// The interface through which the store uses the file system, the clock and the user's identity. Each function makes
// one system call (`list` makes a few), so that a test can pass a Disk whose calls fail one by one.
//
// A function that fails returns the negative errno. No function retries a call. The parameter `folder` is the
// descriptor of an open folder, and `name` is relative to that folder, as for openat. If `folder` is kNoFolder, `name`
// is a path.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace graft::store {

// Pass this number as `folder` if `name` is a path. The number is the value of AT_FDCWD, with which the system finds
// relative paths from the working folder.
inline constexpr int kNoFolder = -100;

struct FileState {
  bool is_folder = false;
  // True for a regular file.
  bool is_file = false;
  std::uint32_t owner = 0;
  // The permission bits.
  std::uint32_t mode = 0;
  std::uint64_t size = 0;
  // The modification time. The store uses the modification time of an entry as the time of its last use, and therefore
  // sets it to the current time when a lookup finds the entry.
  std::chrono::system_clock::time_point used;
};

class Disk {
 public:
  virtual ~Disk() = default;

  // The open functions do not follow a symbolic link in the last component, and do not block. The descriptors are
  // close-on-exec.
  virtual int open_folder(int folder, const char* name) = 0;
  virtual int open_to_read(int folder, const char* name) = 0;
  // Opens a file for locking, and creates it if it is missing.
  virtual int open_to_lock(int folder, const char* name) = 0;
  // Opens a file for writing behind its end, and creates it with mode 0600 if it is missing.
  virtual int open_to_append(int folder, const char* name) = 0;
  // Creates a file with mode 0600. Fails when the name exists.
  virtual int create(int folder, const char* name) = 0;
  virtual int close(int file) = 0;

  virtual int state(int file, FileState& state) = 0;
  // Like `state`, for a name that is not open. Does not follow a symbolic link.
  virtual int state_of(int folder, const char* name, FileState& state) = 0;
  virtual ssize_t read(int file, void* to, std::size_t size) = 0;
  // A failed write returns an error and raises no signal.
  virtual ssize_t write(int file, const void* from, std::size_t size) = 0;
  // Sets FileState::used to the current time.
  virtual int set_used_now(int file) = 0;

  // Makes a folder with mode 0700.
  virtual int make_folder(int folder, const char* name) = 0;
  virtual int rename(int folder, const char* from, const char* to) = 0;
  // Removes anything except a folder.
  virtual int remove(int folder, const char* name) = 0;
  // Removes an empty folder.
  virtual int remove_folder(int folder, const char* name) = 0;
  // Lists the names in a folder, without "." and "..".
  virtual int list(int folder, std::vector<std::string>& names) = 0;

  // Locks one byte of the file until the descriptor is closed or the process ends. Returns -EAGAIN when another owner
  // holds the lock.
  virtual int try_lock(int file, std::uint64_t byte) = 0;

  virtual std::uint32_t user() = 0;
  virtual std::chrono::system_clock::time_point now() = 0;
  virtual void sleep(std::chrono::milliseconds time) = 0;
};

// Returns the Disk that uses the machine's real file system, clock and user. Thread-safe.
Disk& real_disk();

}  // namespace graft::store
