// What the examples need of the CUDA runtime: a check for a GPU, classes that own device memory and a stream, and the
// measurement of a launch's time.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <functional>
#include <graft/architecture.hpp>
#include <memory>
#include <string>
#include <vector>

namespace examples {

// Throws std::runtime_error with the CUDA runtime's message if `result` is an error.
void check(cudaError_t result);

// Makes device 0 current and returns true. Returns false if there is no driver or no GPU.
bool use_gpu();
std::string gpu_name();
graft::Architecture gpu_architecture();

struct DeviceFree {
  void operator()(void* pointer) const noexcept { cudaFree(pointer); }
};

// An owning array in device memory. graft accepts the array directly, because it is a contiguous range (begin() and
// end() return pointers).
template <class T>
class DeviceBuffer {
 public:
  explicit DeviceBuffer(std::size_t count) : memory_(allocate(count)), count_(count) {}
  explicit DeviceBuffer(const std::vector<T>& from) : DeviceBuffer(from.size()) {
    check(cudaMemcpy(data(), from.data(), count_ * sizeof(T), cudaMemcpyHostToDevice));
  }

  T* data() const noexcept { return static_cast<T*>(memory_.get()); }
  std::size_t size() const noexcept { return count_; }
  T* begin() const noexcept { return data(); }
  T* end() const noexcept { return data() + count_; }

  void copy_to(std::vector<T>& to) const {
    check(cudaMemcpy(to.data(), data(), count_ * sizeof(T), cudaMemcpyDeviceToHost));
  }

 private:
  static void* allocate(std::size_t count) {
    void* pointer = nullptr;
    check(cudaMalloc(&pointer, count * sizeof(T)));
    return pointer;
  }

  std::unique_ptr<void, DeviceFree> memory_;
  std::size_t count_;
};

// Waits for all work of the device, then returns a copy of the array in host memory.
template <class T>
std::vector<T> on_host(const DeviceBuffer<T>& array) {
  check(cudaDeviceSynchronize());
  std::vector<T> values(array.size());
  array.copy_to(values);
  return values;
}

struct StreamDestroy {
  void operator()(cudaStream_t stream) const noexcept { cudaStreamDestroy(stream); }
};
using Stream = std::unique_ptr<CUstream_st, StreamDestroy>;

// Returns a blocking stream (without cudaStreamNonBlocking). A blocking stream waits for the copies of DeviceBuffer,
// which run on the default stream.
Stream make_stream();

// Returns the median time of 21 launches after 3 warm-up launches, measured with CUDA events.
double median_milliseconds(const std::function<void(cudaStream_t)>& launch);

}  // namespace examples
