// The little of the CUDA runtime that the quickstart needs: is there a GPU, device memory that frees itself, and the
// time of a launch.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace quickstart {

// Throws std::runtime_error with CUDA's own words.
void check(cudaError_t result);

// Makes device 0 current. False when there is no driver or no GPU.
bool use_gpu();
std::string gpu_name();

struct DeviceFree {
  void operator()(void* pointer) const noexcept { cudaFree(pointer); }
};

// An array in device memory. graft takes it as it is: it has data() and size().
template <class T>
class DeviceBuffer {
 public:
  explicit DeviceBuffer(std::size_t count) : memory_(allocate(count)), count_(count) {}
  explicit DeviceBuffer(const std::vector<T>& from) : DeviceBuffer(from.size()) {
    check(cudaMemcpy(data(), from.data(), count_ * sizeof(T), cudaMemcpyHostToDevice));
  }

  T* data() const noexcept { return static_cast<T*>(memory_.get()); }
  std::size_t size() const noexcept { return count_; }

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

// The median of 21 launches, by CUDA's events, after 3 that do not count.
double median_milliseconds(const std::function<void(cudaStream_t)>& launch);

}  // namespace quickstart
