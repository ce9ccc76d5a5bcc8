// Makes and runs cuFFT plans. cuFFT accepts a load callback only between cufftCreate and cufftMakePlan1d.
#include "plan.hpp"

#include <cufftXt.h>
#include <fmt/format.h>

#include <stdexcept>

#include "samples.hpp"

namespace cufft_example {
namespace {

void must(const char* call, cufftResult result) {
  if (result == CUFFT_SUCCESS) return;
  const char* hint = result == CUFFT_MISSING_DEPENDENCY ? ": cuFFT cannot find or use nvJitLink" : "";
  throw std::runtime_error(fmt::format("cuFFT: {} failed with code {}{}", call, static_cast<int>(result), hint));
}

}  // namespace

Plan::Handle::Handle() {
  must("cufftCreate", cufftCreate(&value));
}

Plan::Plan() {
  std::size_t work = 0;
  must("cufftMakePlan1d", cufftMakePlan1d(handle_.value, kLength, CUFFT_C2C, kFrames, &work));
}

Plan::Plan(std::span<const std::byte> code, float* window) {
  const cufftHandle plan = handle_.value;
  // [plan]
  caller_info_ = window;  // device memory; the callback gets this pointer as `caller_info`
  must("cufftXtSetJITCallback",
       cufftXtSetJITCallback(plan, "load_iq", code.data(), code.size(), CUFFT_CB_LD_COMPLEX, &caller_info_));
  std::size_t work = 0;  // the next call reads the name and the code: both must still be alive
  must("cufftMakePlan1d", cufftMakePlan1d(plan, kLength, CUFFT_C2C, kFrames, &work));
  // [/plan]
}

void Plan::forward(void* in, std::complex<float>* out) const {
  must("cufftExecC2C", cufftExecC2C(handle_.value, static_cast<cufftComplex*>(in), reinterpret_cast<cufftComplex*>(out),
                                    CUFFT_FORWARD));
}

}  // namespace cufft_example
