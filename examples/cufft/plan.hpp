// An owning cuFFT plan for a batch of forward FFTs, with or without a load callback.
#pragma once

#include <cufft.h>

#include <complex>
#include <cstddef>
#include <span>

namespace cufft_example {

class Plan {
 public:
  // Both constructors throw std::runtime_error with cuFFT's code.
  Plan();
  // `code` is the callback load_iq as LTO-IR or as a fatbin. cuFFT passes `window` to the callback as `caller_info`.
  Plan(std::span<const std::byte> code, float* window);

  // Runs on the default stream. With a load callback, `in` is the array that the callback reads, of any type; without
  // one, `in` holds complex numbers.
  void forward(void* in, std::complex<float>* out) const;

 private:
  // A class of its own, so that the plan is also destroyed when a constructor of Plan throws.
  struct Handle {
    Handle();
    ~Handle() { cufftDestroy(value); }
    Handle(const Handle&) = delete;
    Handle& operator=(const Handle&) = delete;
    cufftHandle value = 0;
  };
  Handle handle_;
  // cuFFT keeps the address of this pointer. Its documentation does not say for how long, so it lives as long as the
  // plan.
  void* caller_info_ = nullptr;
};

}  // namespace cufft_example
