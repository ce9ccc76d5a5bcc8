// Device memory that each stream of a context has for itself, so that calls on several streams may run at the same time
// although each needs a workspace.
//
// The memory is made and cleared by the first call on a stream, and is freed with the owner of this object. Streams are
// in a list that only grows, so that a call walks it without a lock. A stream has an id that no other stream of the
// process gets, also if its handle is used again. While a stream is being captured, CUDA does not tell the id. It is
// then the stream that got the handle last, in this thread if the handle means another stream in each thread.
//
// A captured graph may run while the stream does other work. So a capture takes the memory away from the stream: the
// graph then owns it, and all calls that the capture puts into this stream share it, because they follow each other.
#pragma once

#include <atomic>
#include <cstddef>
#include <mutex>
#include <thread>

#include "launch/device_memory.hpp"
#include "toolchain/driver.hpp"

namespace graft::launch {

class StreamMemory {
 public:
  StreamMemory(const toolchain::Driver& driver, std::size_t bytes) : driver_(driver), bytes_(bytes) {}
  ~StreamMemory();
  StreamMemory(const StreamMemory&) = delete;
  StreamMemory& operator=(const StreamMemory&) = delete;

  // Of the memory of a stream.
  std::size_t bytes() const noexcept { return bytes_; }

  struct Found {
    void* memory = nullptr;
    CUresult result = CUDA_SUCCESS;  // the driver's answer, if there is no memory
    bool is_captured = false;        // the stream is being captured, and has no memory that its graph could own
  };
  // Returns the memory for a call on a stream of the current context. Thread-safe.
  Found of(CUstream stream);

 private:
  struct Stream {
    unsigned long long id;
    CUstream handle;
    std::thread::id thread;               // that used the stream first
    std::atomic<void*> address{nullptr};  // of `memory`, for calls, which take no lock
    DeviceMemory memory = {};
    // The capture that took memory last, and the memory.
    unsigned long long capture = 0;
    void* captured = nullptr;
    Stream* next;
  };

  template <class Is>
  Stream* find(Is is) const noexcept;
  Found make(CUstream stream, unsigned long long id);
  Found take_for_capture(CUstream stream, unsigned long long capture);

  const toolchain::Driver& driver_;
  std::size_t bytes_;
  std::mutex mutex_;  // held by functions that add streams, and that change their memory
  std::atomic<Stream*> first_{nullptr};
};

}  // namespace graft::launch
