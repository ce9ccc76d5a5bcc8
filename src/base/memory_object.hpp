// A shared object that was never a file: loaded from bytes, unloaded by its owner.
#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace graft::base {

class MemoryObject {
 public:
  // Not open afterwards when the loader refuses the bytes; failure() says why. Runs the object's initialisers.
  explicit MemoryObject(std::span<const std::byte> object);
  ~MemoryObject();
  MemoryObject(const MemoryObject&) = delete;  // owns the mapping that its symbols point into
  MemoryObject& operator=(const MemoryObject&) = delete;

  bool is_open() const noexcept { return handle_ != nullptr; }
  const std::string& failure() const noexcept { return failure_; }
  // The operating system refused the memory or the file; the bytes were not looked at.
  bool is_system_failure() const noexcept { return is_system_failure_; }

  // Null when the object has no such symbol.
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
