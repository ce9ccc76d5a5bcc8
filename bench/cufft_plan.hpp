// FFTs of cuFFT, whose library is opened at run time, so that the program starts on machines without it.
#pragma once

#include <cufft.h>

#include <cstdint>

#include "families/fft/plan.hpp"

namespace graft::bench {

// A batch of forward FFTs, one behind the other. Throws std::runtime_error if there is no cuFFT, or if a call fails.
class CufftPlan {
 public:
  CufftPlan(std::int64_t length, families::fft::Precision precision, std::int64_t batch, cudaStream_t stream);
  ~CufftPlan();
  // Not copyable, because the plan is owned.
  CufftPlan(const CufftPlan&) = delete;
  CufftPlan& operator=(const CufftPlan&) = delete;

  void execute(void* in, void* out) const;

 private:
  families::fft::Precision precision_;
  cufftHandle plan_ = 0;
};

}  // namespace graft::bench
