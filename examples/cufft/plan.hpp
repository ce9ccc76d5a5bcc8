// An owning cuFFT plan for a batch of forward FFTs, with or without a load callback.
#pragma once

#include <cufft.h>

#include <complex>
#include <cstddef>
#include <span>

namespace cufft_example {

class Plan {
 public:
  // Both constructors throw std::runtime_error with cuFFT's error code.
  Plan();
  // `code` is the callback load_iq as LTO-IR or as a fatbin. cuFFT passes `window` to the callback as `caller_info`.
  Plan(std::span<const std::byte> code, float* window);

  // Runs the plan on the default stream. In a plan with a load callback, `in` is the array that the callback reads, of
  // any type. In a plan without load callback, `in` contains complex numbers.
  void forward(void* in, std::complex<float>* out) const;

 private:
  // Handle is a class of its own, so that its destructor destroys cuFFT's plan also if a constructor of Plan throws.
  struct Handle {
    Handle();
    ~Handle() { cufftDestroy(value); }
    Handle(const Handle&) = delete;
    Handle& operator=(const Handle&) = delete;
    cufftHandle value = 0;
  };
  Handle handle_;
  // cuFFT keeps the address of this pointer. cuFFT's documentation does not say for how long, so the pointer is a
  // member and lives as long as the plan.
  void* caller_info_ = nullptr;
};

}  // namespace cufft_example
