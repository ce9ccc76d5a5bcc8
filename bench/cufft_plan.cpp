#include "cufft_plan.hpp"

#include <cufftXt.h>
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
  decltype(&cufftCreate) create = find<decltype(&cufftCreate)>(library, "cufftCreate");
  decltype(&cufftMakePlanMany) make = find<decltype(&cufftMakePlanMany)>(library, "cufftMakePlanMany");
  decltype(&cufftXtSetJITCallback) set_callback =
      find<decltype(&cufftXtSetJITCallback)>(library, "cufftXtSetJITCallback");
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

CufftPlan::CufftPlan(std::vector<int> shape, Precision precision, std::int64_t batch, cudaStream_t stream,
                     const CufftCallback& load, const CufftCallback& store)
    : precision_(precision), load_info_(load.caller_info), store_info_(store.caller_info) {
  check_cufft(cufft().create(&plan_));
  const bool is_single = precision == Precision::Single;
  const auto set = [this](const CufftCallback& callback, cufftXtCallbackType type, void** info) {
    if (!callback.name.empty())
      check_cufft(
          cufft().set_callback(plan_, callback.name.c_str(), callback.ltoir.data(), callback.ltoir.size(), type, info));
  };
  try {
    set(load, is_single ? CUFFT_CB_LD_COMPLEX : CUFFT_CB_LD_COMPLEX_DOUBLE, &load_info_);
    set(store, is_single ? CUFFT_CB_ST_COMPLEX : CUFFT_CB_ST_COMPLEX_DOUBLE, &store_info_);
    int points = 1;
    for (const int extent : shape) points *= extent;
    std::size_t workspace = 0;
    check_cufft(cufft().make(plan_, static_cast<int>(shape.size()), shape.data(), nullptr, 1, points, nullptr, 1,
                             points, is_single ? CUFFT_C2C : CUFFT_Z2Z, static_cast<int>(batch), &workspace));
    check_cufft(cufft().set_stream(plan_, stream));
  } catch (...) {
    cufft().destroy(plan_);
    throw;
  }
}

CufftPlan::~CufftPlan() {
  cufft().destroy(plan_);
}

void CufftPlan::set_stream(cudaStream_t stream) const {
  check_cufft(cufft().set_stream(plan_, stream));
}

void CufftPlan::execute(void* in, void* out, int direction) const {
  if (precision_ == Precision::Single)
    check_cufft(
        cufft().execute_single(plan_, static_cast<cufftComplex*>(in), static_cast<cufftComplex*>(out), direction));
  else
    check_cufft(cufft().execute_double(plan_, static_cast<cufftDoubleComplex*>(in),
                                       static_cast<cufftDoubleComplex*>(out), direction));
}

}  // namespace graft::bench
