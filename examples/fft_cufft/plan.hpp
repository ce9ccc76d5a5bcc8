// An owning cuFFT plan for a batch of forward FFTs with a load and a store callback.
#pragma once

#include <cuda_runtime_api.h>
#include <cufft.h>

#include <cstddef>
#include <vector>

namespace fft_cufft {

// A callback as cuFFT takes it: LTO-IR, the function's plain name, and the pointer that the function gets.
struct LinkedCallback {
  const std::vector<std::byte>& ltoir;
  const char* name;
  void* caller_info;
};

class Plan {
 public:
  // Throws std::runtime_error with cuFFT's error code.
  Plan(int length, int batch, const LinkedCallback& load, const LinkedCallback& store);
  ~Plan();
  Plan(const Plan&) = delete;
  Plan& operator=(const Plan&) = delete;

  // The arrays are those that the callbacks access, of any type.
  void forward(cudaStream_t stream, void* in, void* out) const;

 private:
  cufftHandle plan_ = 0;
  // cuFFT keeps the addresses of these pointers, so that they live as long as the plan.
  void* load_info_;
  void* store_info_;
};

}  // namespace fft_cufft
