// A loaded host image: a shared object in memory whose entry function loops over the elements of a launch.
#pragma once

#include <cstddef>
#include <span>

#include "base/memory_object.hpp"

namespace graft::launch {

// Thread-safe once constructed. Not movable, because it owns the object's mapping.
class HostKernel {
 public:
  // Throws Error(DriverFailed) when graft did not make the bytes for this machine, and Error(SystemFailed) when the
  // system has no memory or file for them.
  explicit HostKernel(std::span<const std::byte> object);

  // Handles the items [begin, end) of a launch (families::Call). `parameter` has the layout of the GPU kernel's
  // parameter.
  void run(const void* parameter, unsigned long long begin, unsigned long long end) const {
    run_(parameter, begin, end);
  }

 private:
  base::MemoryObject object_;
  void (*run_)(const void*, unsigned long long, unsigned long long) = nullptr;
};

}  // namespace graft::launch
