// A cuFFT plan that destroys itself: a batch of forward FFTs, with or without a load callback.
#pragma once

#include <cufft.h>

#include <complex>
#include <cstddef>
#include <span>

namespace cufft_example {

class Plan {
 public:
  // Throw std::runtime_error with cuFFT's code.
  Plan();
  // `code`: the callback load_iq as LTO-IR or as a fatbin. `window` is what it gets as `caller_info`.
  Plan(std::span<const std::byte> code, float* window);

  // On the default stream. `in` is what the callback reads, of whatever type; without one it is complex.
  void forward(void* in, std::complex<float>* out) const;

 private:
  // A class of its own, so that a plan is also destroyed when making it fails halfway.
  struct Handle {
    Handle();
    ~Handle() { cufftDestroy(value); }
    Handle(const Handle&) = delete;
    Handle& operator=(const Handle&) = delete;
    cufftHandle value = 0;
  };
  Handle handle_;
  void* caller_info_ = nullptr;  // cuFFT gets its address, and does not say how long it needs it
};

}  // namespace cufft_example
