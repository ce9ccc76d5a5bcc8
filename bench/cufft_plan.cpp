#include "cufft_plan.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <stdexcept>

namespace graft::bench {
namespace {

using families::fft::Precision;

void* open_cufft() {
  for (const char* name : {"libcufft.so.12", "libcufft.so.11", "libcufft.so"})
    if (void* const library = dlopen(name, RTLD_NOW)) return library;
  throw std::runtime_error("there is no libcufft.so: set LD_LIBRARY_PATH");
}

template <class Function>
Function find(void* library, const char* name) {
  void* const found = dlsym(library, name);
  if (found == nullptr) throw std::runtime_error(fmt::format("cuFFT has no {}", name));
  return reinterpret_cast<Function>(found);
}

struct Cufft {
  void* library = open_cufft();
  decltype(&cufftPlanMany) plan_many = find<decltype(&cufftPlanMany)>(library, "cufftPlanMany");
  decltype(&cufftSetStream) set_stream = find<decltype(&cufftSetStream)>(library, "cufftSetStream");
  decltype(&cufftExecC2C) execute_single = find<decltype(&cufftExecC2C)>(library, "cufftExecC2C");
  decltype(&cufftExecZ2Z) execute_double = find<decltype(&cufftExecZ2Z)>(library, "cufftExecZ2Z");
  decltype(&cufftDestroy) destroy = find<decltype(&cufftDestroy)>(library, "cufftDestroy");
};

const Cufft& cufft() {
  static const Cufft one;
  return one;
}

void check_cufft(cufftResult result) {
  if (result != CUFFT_SUCCESS) throw std::runtime_error(fmt::format("cuFFT's error {}", static_cast<int>(result)));
}

}  // namespace

CufftPlan::CufftPlan(std::int64_t length, Precision precision, std::int64_t batch, cudaStream_t stream)
    : precision_(precision) {
  int n = static_cast<int>(length);
  check_cufft(cufft().plan_many(&plan_, 1, &n, nullptr, 1, n, nullptr, 1, n,
                                precision == Precision::Single ? CUFFT_C2C : CUFFT_Z2Z, static_cast<int>(batch)));
  check_cufft(cufft().set_stream(plan_, stream));
}

CufftPlan::~CufftPlan() {
  cufft().destroy(plan_);
}

void CufftPlan::execute(void* in, void* out) const {
  if (precision_ == Precision::Single)
    check_cufft(
        cufft().execute_single(plan_, static_cast<cufftComplex*>(in), static_cast<cufftComplex*>(out), CUFFT_FORWARD));
  else
    check_cufft(cufft().execute_double(plan_, static_cast<cufftDoubleComplex*>(in),
                                       static_cast<cufftDoubleComplex*>(out), CUFFT_FORWARD));
}

}  // namespace graft::bench
