// Device memory that graft allocated, and that it gives back: a workspace, the table that a kernel reads.
//
// Memory may be freed when nobody uses it any more. There are three kinds of users, and each of them is waited for:
//
//     the owner          an object of this class
//     queued launches    cuMemFree waits for the work of the device before it frees what cuMemAlloc allocated
//     captured graphs    each capture owns a share of the memory, as a user object of its graph (keep_for_capture).
//                        CUDA drops the share after the graph, its clones and its executables are destroyed and their
//                        launches have ended
//
// Two things cannot be done at once, and are put off until graft allocates memory or frees some again, or
// free_put_off_memory is called. CUDA drops a graph's share in a thread where no function of CUDA may be called. And
// CUDA may refuse to free memory while a stream is being captured.
//
// Memory may be gone before it is freed: with its context, after cudaDeviceReset, or in a child of fork. Its address
// may then be that of other memory, which belongs to the application. So before an address is freed, the driver is
// asked whether the allocation there is the one that was made (CU_POINTER_ATTRIBUTE_BUFFER_ID).
#pragma once

#include <atomic>
#include <cstddef>

#include "toolchain/driver.hpp"

namespace graft::launch {

class DeviceMemory {
 public:
  DeviceMemory() = default;
  // Allocates memory in the current context, and sets `result` to the driver's answer. The object is empty if the
  // driver refused.
  DeviceMemory(const toolchain::Driver& driver, std::size_t bytes, CUresult& result);
  // The same, also while another stream is being captured, which CUDA refuses otherwise.
  static DeviceMemory made_during_captures(const toolchain::Driver& driver, std::size_t bytes, CUresult& result);
  DeviceMemory(DeviceMemory&& other) noexcept;
  DeviceMemory& operator=(DeviceMemory&& other) noexcept;
  ~DeviceMemory();

  // Null if the object is empty.
  void* get() const noexcept;

  // If `stream` is being captured, lets the graph own a share of the memory. Returns the driver's answer. Call it
  // before launches that use the memory are queued in the stream.
  CUresult keep_for_capture(CUstream stream) const noexcept;

  // Makes the object empty, and leaves the memory allocated for as long as its context lives.
  void leave_allocated() noexcept;

 private:
  friend void free_put_off_memory() noexcept;
  struct Allocation;
  static void drop_share_of_graph(void* allocation);
  static void free_or_put_off(Allocation* allocation) noexcept;
  static void put_off(Allocation* allocation) noexcept;

  static std::atomic<Allocation*> put_off_;
  Allocation* allocation_ = nullptr;
};

// Frees the memory that could not be freed when its last owner dropped it.
void free_put_off_memory() noexcept;

}  // namespace graft::launch
