// The little of the CUDA runtime that the examples need: is there a GPU, device memory and a stream that free
// themselves, and the time of a launch.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <functional>
#include <graft/architecture.hpp>
#include <memory>
#include <string>
#include <vector>

namespace examples {

// Throws std::runtime_error with CUDA's own words.
void check(cudaError_t result);

// Makes device 0 current. False when there is no driver or no GPU.
bool use_gpu();
std::string gpu_name();
graft::Architecture gpu_architecture();

struct DeviceFree {
  void operator()(void* pointer) const noexcept { cudaFree(pointer); }
};

// An array in device memory. graft takes it as it is: a contiguous range, whose begin() and end() are pointers.
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

// What the array holds once all work of the device is done.
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

// One that waits for the copies of DeviceBuffer, which the default stream makes.
Stream make_stream();

// The median of 21 launches, by CUDA's events, after 3 that do not count.
double median_milliseconds(const std::function<void(cudaStream_t)>& launch);

}  // namespace examples
