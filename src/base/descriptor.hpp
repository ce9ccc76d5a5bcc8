// An owned file descriptor of the system: of a file, folder, pipe or socket. The store has an owner of its own
// (store/file.hpp), which closes through the store's Disk so that tests can make closing fail.
#pragma once

#include <unistd.h>

#include <utility>

namespace graft::base {

// Closes its descriptor when it ends. Move-only: after one owner has closed the descriptor, a second owner would close
// whatever file got its number.
class Descriptor {
 public:
  Descriptor() = default;
  // Takes ownership. A negative number, such as the result of an open() that failed, is no descriptor.
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

  // Gives up ownership.
  int release() noexcept { return std::exchange(number_, -1); }
  void close() noexcept {
    if (const int number = release(); number >= 0) ::close(number);
  }

 private:
  int number_ = -1;
};

}  // namespace graft::base
