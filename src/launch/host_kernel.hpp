// A host image in this process: a shared object loaded from memory, and its loop over a launch's items.
#pragma once

#include <cstddef>
#include <span>

#include "base/memory_object.hpp"

namespace graft::launch {

// Thread-safe once made. Owns the object's mapping, so it does not move.
class HostKernel {
 public:
  // Throws Error(DriverFailed) when the bytes are no object that graft made for this machine.
  explicit HostKernel(std::span<const std::byte> object);

  // Handles the items [begin, end) of a launch (families::Call). `parameter` is laid out as for the GPU.
  void run(const void* parameter, unsigned long long begin, unsigned long long end) const {
    run_(parameter, begin, end);
  }

 private:
  base::MemoryObject object_;
  void (*run_)(const void*, unsigned long long, unsigned long long) = nullptr;
};

}  // namespace graft::launch
