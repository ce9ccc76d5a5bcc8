// The implementation of Disk for the real machine. Each function makes one system call (`list` makes a few), and
// returns a negative errno if a call fails.
#include "store/disk.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <string_view>
#include <thread>

#include "base/quiet_write.hpp"
#include "store/file_time.hpp"

namespace graft::store {
namespace {

using Clock = std::chrono::system_clock;

// The flags of every open. O_NONBLOCK keeps the open of a FIFO from waiting for a writer.
constexpr int kAlways = O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;

int result_of(int value) {
  return value < 0 ? -errno : value;
}

FileState state_from(const struct stat& stat) {
  return {.is_folder = S_ISDIR(stat.st_mode),
          .is_file = S_ISREG(stat.st_mode),
          .owner = stat.st_uid,
          .mode = static_cast<std::uint32_t>(stat.st_mode & 07777u),
          .size = static_cast<std::uint64_t>(stat.st_size),
          .used = file_time(stat.st_mtim)};
}

// Locks one byte with an open file description lock (F_OFD_SETLK). Classic POSIX record locks belong to the process, so
// they would not exclude two engines or two threads of one process.
int lock_byte(int file, std::uint64_t byte) {
  struct flock lock {};
  lock.l_type = F_WRLCK;
  lock.l_whence = SEEK_SET;
  lock.l_start = static_cast<off_t>(byte);
  lock.l_len = 1;
  const int result = result_of(::fcntl(file, F_OFD_SETLK, &lock));
  // EACCES and EAGAIN both mean that another owner holds the lock.
  return result == -EACCES ? -EAGAIN : result;
}

int read_names(DIR* stream, std::vector<std::string>& names) {
  names.clear();
  while (true) {
    // readdir returns null at the end and also on failure; only errno tells the two apart.
    errno = 0;
    const dirent* one = ::readdir(stream);
    if (one == nullptr) return -errno;
    const std::string_view name = one->d_name;
    if (name != "." && name != "..") names.emplace_back(name);
  }
}

class RealDisk final : public Disk {
 public:
  int open_folder(int folder, const char* name) override {
    return result_of(::openat(folder, name, O_RDONLY | O_DIRECTORY | kAlways));
  }
  int open_to_read(int folder, const char* name) override {
    return result_of(::openat(folder, name, O_RDONLY | kAlways));
  }
  int open_to_lock(int folder, const char* name) override {
    return result_of(::openat(folder, name, O_RDWR | O_CREAT | kAlways, 0600));
  }
  int open_to_append(int folder, const char* name) override {
    return result_of(::openat(folder, name, O_WRONLY | O_APPEND | O_CREAT | kAlways, 0600));
  }
  int create(int folder, const char* name) override {
    return result_of(::openat(folder, name, O_WRONLY | O_CREAT | O_EXCL | kAlways, 0600));
  }
  int close(int file) override { return result_of(::close(file)); }

  int state(int file, FileState& state) override {
    struct stat found {};
    const int result = result_of(::fstat(file, &found));
    if (result == 0) state = state_from(found);
    return result;
  }
  int state_of(int folder, const char* name, FileState& state) override {
    struct stat found {};
    const int result = result_of(::fstatat(folder, name, &found, AT_SYMLINK_NOFOLLOW));
    if (result == 0) state = state_from(found);
    return result;
  }
  ssize_t read(int file, void* to, std::size_t size) override {
    const ssize_t result = ::read(file, to, size);
    return result < 0 ? -errno : result;
  }
  ssize_t write(int file, const void* from, std::size_t size) override {
    const ssize_t result = base::write_quietly(file, from, size);
    return result < 0 ? -errno : result;
  }
  int set_used_now(int file) override { return result_of(::futimens(file, nullptr)); }

  int make_folder(int folder, const char* name) override { return result_of(::mkdirat(folder, name, 0700)); }
  int rename(int folder, const char* from, const char* to) override {
    return result_of(::renameat(folder, from, folder, to));
  }
  int remove(int folder, const char* name) override { return result_of(::unlinkat(folder, name, 0)); }
  int remove_folder(int folder, const char* name) override { return result_of(::unlinkat(folder, name, AT_REMOVEDIR)); }

  int list(int folder, std::vector<std::string>& names) override {
    // Opens a second descriptor of the folder, because readdir moves the descriptor's position and closedir closes the
    // descriptor.
    const int own = result_of(::openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (own < 0) return own;
    DIR* const stream = ::fdopendir(own);
    if (stream == nullptr) {
      const int error = -errno;
      ::close(own);
      return error;
    }
    const int result = read_names(stream, names);
    ::closedir(stream);
    return result;
  }

  int try_lock(int file, std::uint64_t byte) override { return lock_byte(file, byte); }

  std::uint32_t user() override { return ::geteuid(); }
  Clock::time_point now() override { return Clock::now(); }
  void sleep(std::chrono::milliseconds time) override { std::this_thread::sleep_for(time); }
};

}  // namespace

Disk& real_disk() {
  static RealDisk disk;
  return disk;
}

}  // namespace graft::store
