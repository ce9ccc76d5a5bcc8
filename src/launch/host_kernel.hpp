// A loaded host image. A host image is a shared object whose entry function loops over the elements of a launch on the
// CPU. HostKernel loads the shared object from memory, without a file on disk.
#pragma once

#include <cstddef>
#include <span>

#include "base/memory_object.hpp"

struct graft_view;  // building_blocks/contract.h

namespace graft::launch {

// Several threads may call run() at the same time.
class HostKernel {
 public:
  // Throws Error(DriverFailed) when the bytes are not an image that graft made for this machine, and
  // Error(SystemFailed) when the system refuses memory or an in-memory file (memfd_create) for the bytes.
  explicit HostKernel(std::span<const std::byte> object);

  // Runs the kernel for the items [begin, end) of a launch. families::Launch::items (families/call.hpp) says what an
  // item is. `parameter` points to the kernel parameter that a Caller has laid out, as for a GPU kernel.
  void run(const void* parameter, unsigned long long begin, unsigned long long end) const {
    run_(parameter, begin, end);
  }
  // The same for a call whose arrays are views. Throws Error(ImageRefused) if the image is of a graft without views.
  void run(const void* parameter, const graft_view& view, unsigned long long begin, unsigned long long end) const;

 private:
  base::MemoryObject object_;
  void (*run_)(const void*, unsigned long long, unsigned long long) = nullptr;
  void (*run_view_)(const void*, const graft_view*, unsigned long long, unsigned long long) = nullptr;
};

}  // namespace graft::launch
