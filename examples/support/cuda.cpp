// Implements the device queries and the time measurement of cuda.hpp with the CUDA runtime.
#include "cuda.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>

namespace examples {
namespace {

class Event {
 public:
  Event() { check(cudaEventCreate(&event_)); }
  ~Event() { cudaEventDestroy(event_); }
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;

  void record(cudaStream_t stream) { check(cudaEventRecord(event_, stream)); }
  float milliseconds_since(const Event& start) const {
    check(cudaEventSynchronize(event_));
    float milliseconds = 0;
    check(cudaEventElapsedTime(&milliseconds, start.event_, event_));
    return milliseconds;
  }

 private:
  cudaEvent_t event_ = nullptr;
};

}  // namespace

void check(cudaError_t result) {
  if (result != cudaSuccess) throw std::runtime_error(std::string("CUDA: ") + cudaGetErrorString(result));
}

bool use_gpu() {
  int count = 0;
  if (cudaGetDeviceCount(&count) != cudaSuccess || count == 0) return false;
  check(cudaSetDevice(0));
  return true;
}

std::string gpu_name() {
  cudaDeviceProp properties;
  check(cudaGetDeviceProperties(&properties, 0));
  return properties.name;
}

graft::Architecture gpu_architecture() {
  int major = 0, minor = 0;
  check(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, 0));
  check(cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, 0));
  return {10 * major + minor};
}

Stream make_stream() {
  cudaStream_t stream = nullptr;
  check(cudaStreamCreate(&stream));
  return Stream(stream);
}

double median_milliseconds(const std::function<void(cudaStream_t)>& launch) {
  constexpr cudaStream_t kStream = nullptr;
  Event start, stop;
  for (int i = 0; i < 3; ++i) launch(kStream);
  std::array<float, 21> times;
  for (float& time : times) {
    start.record(kStream);
    launch(kStream);
    stop.record(kStream);
    time = stop.milliseconds_since(start);
  }
  std::nth_element(times.begin(), times.begin() + times.size() / 2, times.end());
  return times[times.size() / 2];
}

}  // namespace examples
