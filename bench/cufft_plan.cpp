#include "cufft_plan.hpp"

#include <cufftXt.h>
#include <dlfcn.h>
#include <fmt/format.h>

#include <stdexcept>

namespace graft::bench {
namespace {

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
  decltype(&cufftExecC2C) c2c = find<decltype(&cufftExecC2C)>(library, "cufftExecC2C");
  decltype(&cufftExecR2C) r2c = find<decltype(&cufftExecR2C)>(library, "cufftExecR2C");
  decltype(&cufftExecC2R) c2r = find<decltype(&cufftExecC2R)>(library, "cufftExecC2R");
  decltype(&cufftExecZ2Z) z2z = find<decltype(&cufftExecZ2Z)>(library, "cufftExecZ2Z");
  decltype(&cufftExecD2Z) d2z = find<decltype(&cufftExecD2Z)>(library, "cufftExecD2Z");
  decltype(&cufftExecZ2D) z2d = find<decltype(&cufftExecZ2D)>(library, "cufftExecZ2D");
  decltype(&cufftXtMakePlanMany) make_of_type = find<decltype(&cufftXtMakePlanMany)>(library, "cufftXtMakePlanMany");
  decltype(&cufftXtExec) exec = find<decltype(&cufftXtExec)>(library, "cufftXtExec");
  decltype(&cufftDestroy) destroy = find<decltype(&cufftDestroy)>(library, "cufftDestroy");
};

const Cufft& cufft() {
  static const Cufft one;
  return one;
}

void check_cufft(cufftResult result) {
  if (result != CUFFT_SUCCESS) throw std::runtime_error(fmt::format("cuFFT's error {}", static_cast<int>(result)));
}

struct CallbackTypes {
  cufftXtCallbackType load, store;
};

CallbackTypes callback_types(cufftType type) {
  switch (type) {
    case CUFFT_R2C:
      return {CUFFT_CB_LD_REAL, CUFFT_CB_ST_COMPLEX};
    case CUFFT_C2R:
      return {CUFFT_CB_LD_COMPLEX, CUFFT_CB_ST_REAL};
    case CUFFT_D2Z:
      return {CUFFT_CB_LD_REAL_DOUBLE, CUFFT_CB_ST_COMPLEX_DOUBLE};
    case CUFFT_Z2D:
      return {CUFFT_CB_LD_COMPLEX_DOUBLE, CUFFT_CB_ST_REAL_DOUBLE};
    case CUFFT_Z2Z:
      return {CUFFT_CB_LD_COMPLEX_DOUBLE, CUFFT_CB_ST_COMPLEX_DOUBLE};
    case CUFFT_C2C:
      break;
  }
  return {CUFFT_CB_LD_COMPLEX, CUFFT_CB_ST_COMPLEX};
}

}  // namespace

CufftPlan::CufftPlan(std::vector<int> shape, cufftType type, std::int64_t batch, cudaStream_t stream,
                     const CufftCallback& load, const CufftCallback& store)
    : type_(type), load_info_(load.caller_info), store_info_(store.caller_info) {
  check_cufft(cufft().create(&plan_));
  const auto set = [this](const CufftCallback& callback, cufftXtCallbackType kind, void** info) {
    if (!callback.name.empty())
      check_cufft(
          cufft().set_callback(plan_, callback.name.c_str(), callback.ltoir.data(), callback.ltoir.size(), kind, info));
  };
  try {
    set(load, callback_types(type).load, &load_info_);
    set(store, callback_types(type).store, &store_info_);
    std::size_t workspace = 0;
    check_cufft(cufft().make(plan_, static_cast<int>(shape.size()), shape.data(), nullptr, 1, 0, nullptr, 1, 0, type,
                             static_cast<int>(batch), &workspace));
    check_cufft(cufft().set_stream(plan_, stream));
  } catch (...) {
    cufft().destroy(plan_);
    throw;
  }
}

CufftPlan::CufftPlan(std::vector<int> shape, cudaDataType type, std::int64_t batch) : is_of_data_type_(true) {
  check_cufft(cufft().create(&plan_));
  std::vector<long long> extents(shape.begin(), shape.end());
  std::size_t workspace = 0;
  const cufftResult result = cufft().make_of_type(plan_, static_cast<int>(extents.size()), extents.data(), nullptr, 1,
                                                  0, type, nullptr, 1, 0, type, batch, &workspace, type);
  if (result != CUFFT_SUCCESS) cufft().destroy(plan_);
  check_cufft(result);
}

CufftPlan::~CufftPlan() {
  cufft().destroy(plan_);
}

void CufftPlan::set_stream(cudaStream_t stream) const {
  check_cufft(cufft().set_stream(plan_, stream));
}

void CufftPlan::execute(void* in, void* out, int direction) const {
  const auto run = [&](auto function, auto of_in, auto of_out, auto... more) {
    check_cufft(function(plan_, static_cast<decltype(of_in)*>(in), static_cast<decltype(of_out)*>(out), more...));
  };
  if (is_of_data_type_) return check_cufft(cufft().exec(plan_, in, out, direction));
  switch (type_) {
    case CUFFT_C2C:
      return run(cufft().c2c, cufftComplex(), cufftComplex(), direction);
    case CUFFT_R2C:
      return run(cufft().r2c, cufftReal(), cufftComplex());
    case CUFFT_C2R:
      return run(cufft().c2r, cufftComplex(), cufftReal());
    case CUFFT_Z2Z:
      return run(cufft().z2z, cufftDoubleComplex(), cufftDoubleComplex(), direction);
    case CUFFT_D2Z:
      return run(cufft().d2z, cufftDoubleReal(), cufftDoubleComplex());
    case CUFFT_Z2D:
      return run(cufft().z2d, cufftDoubleComplex(), cufftDoubleReal());
  }
}

}  // namespace graft::bench
