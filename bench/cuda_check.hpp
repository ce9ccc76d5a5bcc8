// Checks CUDA calls, and owns streams, events and device memory.
#pragma once

#include <cuda_runtime_api.h>

#include <memory>
#include <stdexcept>
#include <string>

namespace graft::bench {

inline void check(cudaError_t result) {
  if (result != cudaSuccess)
    throw std::runtime_error(std::string(cudaGetErrorName(result)) + ": " + cudaGetErrorString(result));
}

struct FreeDevice {
  void operator()(void* pointer) const noexcept { cudaFree(pointer); }
};
using DeviceBytes = std::unique_ptr<void, FreeDevice>;

inline DeviceBytes allocate(std::size_t bytes) {
  void* pointer = nullptr;
  check(cudaMalloc(&pointer, bytes));
  return DeviceBytes(pointer);
}

struct DestroyEvent {
  void operator()(cudaEvent_t event) const noexcept { cudaEventDestroy(event); }
};
using Event = std::unique_ptr<CUevent_st, DestroyEvent>;

inline Event make_event() {
  cudaEvent_t event = nullptr;
  check(cudaEventCreate(&event));
  return Event(event);
}

struct DestroyStream {
  void operator()(cudaStream_t stream) const noexcept { cudaStreamDestroy(stream); }
};
using Stream = std::unique_ptr<CUstream_st, DestroyStream>;

inline Stream make_stream() {
  cudaStream_t stream = nullptr;
  check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  return Stream(stream);
}

}  // namespace graft::bench
