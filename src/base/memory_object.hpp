// A MemoryObject is a shared object (the content of a .so file) that is loaded from bytes in memory. The destructor
// unloads the shared object.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <utility>

namespace graft::base {

class MemoryObject {
 public:
  // Loads the object and runs its initialisers. When the loader refuses the bytes, is_open() returns false and
  // failure() says why.
  explicit MemoryObject(std::span<const std::byte> object);
  ~MemoryObject();
  // Not copyable: pointers to the symbols point into the mapping that this object owns.
  MemoryObject(const MemoryObject&) = delete;
  MemoryObject& operator=(const MemoryObject&) = delete;

  bool is_open() const noexcept { return handle_ != nullptr; }
  // Why the object is not open. The loader's message without the object's path, which would mean nothing to a reader.
  const std::string& failure() const noexcept { return failure_; }
  // Returns true when the operating system could not create a file in memory for the bytes, so that dlopen was not
  // called.
  bool is_system_failure() const noexcept { return is_system_failure_; }

  // Returns dlopen's handle, and leaves the shared object loaded for ever. is_open() is false afterwards.
  void* release() noexcept { return std::exchange(handle_, nullptr); }

  // Returns the symbol's address, or null if the object has no symbol with this name.
  void* find(const char* symbol) const noexcept;
  template <class Function>
  Function* function(const char* symbol) const noexcept {
    return reinterpret_cast<Function*>(find(symbol));
  }

 private:
  void* handle_ = nullptr;
  std::string failure_;
  bool is_system_failure_ = false;
};

}  // namespace graft::base
