// A Descriptor owns a file descriptor of the operating system, which may refer to a file, folder, pipe or socket. The
// cache on disk uses its own class File (store/file.hpp) instead, which makes its system calls through the interface
// Disk, so that tests can make each call fail.
#pragma once

#include <unistd.h>

#include <utility>

namespace graft::base {

// Closes its descriptor in the destructor. Move-only: a second owner would later close an unrelated file that has got
// the same descriptor number.
class Descriptor {
 public:
  Descriptor() = default;
  // Takes ownership of the descriptor. A negative number, such as the result of a failed open(), means that there is no
  // descriptor.
  explicit Descriptor(int number) noexcept : number_(number) {}
  ~Descriptor() { close(); }
  Descriptor(Descriptor&& other) noexcept : number_(other.release()) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    if (this != &other) {
      close();
      number_ = other.release();
    }
    return *this;
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;

  bool is_open() const noexcept { return number_ >= 0; }
  int get() const noexcept { return number_; }

  // Gives up ownership, and returns the descriptor.
  int release() noexcept { return std::exchange(number_, -1); }
  void close() noexcept {
    if (const int number = release(); number >= 0) ::close(number);
  }

 private:
  int number_ = -1;
};

// Returns a descriptor of the same file whose number is above those of the three standard streams. An application may
// run without one of these streams. The next file that is opened then gets the stream's number, and whatever is printed
// goes into that file. Throws std::system_error if the process has too many open files. Does nothing if `file` is not
// open.
Descriptor above_standard_streams(Descriptor file);

}  // namespace graft::base
