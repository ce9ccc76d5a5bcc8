// A shared object loaded from bytes in memory. The destructor unloads it.
#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace graft::base {

class MemoryObject {
 public:
  // Loads the object and runs its initialisers. When the loader refuses the bytes, is_open() is false and failure()
  // says why.
  explicit MemoryObject(std::span<const std::byte> object);
  ~MemoryObject();
  MemoryObject(const MemoryObject&) = delete;  // symbols point into the mapping that this object owns
  MemoryObject& operator=(const MemoryObject&) = delete;

  bool is_open() const noexcept { return handle_ != nullptr; }
  const std::string& failure() const noexcept { return failure_; }
  // True when the operating system refused the memory or the file, so that the loader never saw the bytes.
  bool is_system_failure() const noexcept { return is_system_failure_; }

  // The symbol's address; null when the object has no such symbol.
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
