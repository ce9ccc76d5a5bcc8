// cuFFT accepts callbacks only between cufftCreate and cufftMakePlan*, and reads the LTO-IR when it makes the plan.
#include "plan.hpp"

#include <cufftXt.h>
#include <fmt/format.h>

#include <stdexcept>

namespace fft_cufft {
namespace {

void must(const char* call, cufftResult result) {
  if (result == CUFFT_SUCCESS) return;
  const char* hint = result == CUFFT_MISSING_DEPENDENCY ? ": cuFFT cannot find or use nvJitLink" : "";
  throw std::runtime_error(fmt::format("cuFFT: {} failed with code {}{}", call, static_cast<int>(result), hint));
}

// Destroys the plan if a call in the constructor of Plan throws.
struct Guard {
  cufftHandle plan;
  bool is_armed = true;
  explicit Guard(cufftHandle handle) : plan(handle) {}
  ~Guard() {
    if (is_armed) cufftDestroy(plan);
  }
  Guard(const Guard&) = delete;
  Guard& operator=(const Guard&) = delete;
};

}  // namespace

Plan::Plan(int length, int batch, const LinkedCallback& load, const LinkedCallback& store)
    : load_info_(load.caller_info), store_info_(store.caller_info) {
  must("cufftCreate", cufftCreate(&plan_));
  Guard guard(plan_);
  // [cufft]
  must("cufftXtSetJITCallback",
       cufftXtSetJITCallback(plan_, load.name, load.ltoir.data(), load.ltoir.size(), CUFFT_CB_LD_COMPLEX, &load_info_));
  must("cufftXtSetJITCallback", cufftXtSetJITCallback(plan_, store.name, store.ltoir.data(), store.ltoir.size(),
                                                      CUFFT_CB_ST_COMPLEX, &store_info_));
  std::size_t work = 0;  // the next call reads the LTO-IR and the names: they must still be alive
  must("cufftMakePlan1d", cufftMakePlan1d(plan_, length, CUFFT_C2C, batch, &work));
  // [/cufft]
  guard.is_armed = false;
}

Plan::~Plan() {
  cufftDestroy(plan_);
}

void Plan::forward(cudaStream_t stream, void* in, void* out) const {
  must("cufftSetStream", cufftSetStream(plan_, stream));
  must("cufftExecC2C",
       cufftExecC2C(plan_, static_cast<cufftComplex*>(in), static_cast<cufftComplex*>(out), CUFFT_FORWARD));
}

}  // namespace fft_cufft
