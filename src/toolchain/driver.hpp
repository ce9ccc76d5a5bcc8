// The CUDA driver, opened at run time: a table of its functions, typed by cuda.h.
#pragma once

#include <cuda.h>

#include <memory>
#include <string>

#include "toolchain/version.hpp"

namespace graft::toolchain {

// Function pointers under the names of cuda.h. Its macros stand for versions of a function (cuCtxPushCurrent is
// cuCtxPushCurrent_v2), and here name the member, its type and the symbol alike. None is ever null.
struct DriverFunctions {
  decltype(&::cuInit) cuInit;
  decltype(&::cuDriverGetVersion) cuDriverGetVersion;
  decltype(&::cuGetErrorName) cuGetErrorName;
  decltype(&::cuGetErrorString) cuGetErrorString;
  decltype(&::cuDeviceGet) cuDeviceGet;
  decltype(&::cuDeviceGetCount) cuDeviceGetCount;
  decltype(&::cuDeviceGetName) cuDeviceGetName;
  decltype(&::cuDeviceGetAttribute) cuDeviceGetAttribute;
  decltype(&::cuDevicePrimaryCtxRetain) cuDevicePrimaryCtxRetain;
  decltype(&::cuDevicePrimaryCtxRelease) cuDevicePrimaryCtxRelease;
  decltype(&::cuCtxGetCurrent) cuCtxGetCurrent;
  decltype(&::cuCtxSetCurrent) cuCtxSetCurrent;
  decltype(&::cuCtxPushCurrent) cuCtxPushCurrent;
  decltype(&::cuCtxPopCurrent) cuCtxPopCurrent;
  decltype(&::cuCtxGetDevice) cuCtxGetDevice;
  decltype(&::cuCtxGetId) cuCtxGetId;
  decltype(&::cuCtxSynchronize) cuCtxSynchronize;
  decltype(&::cuDeviceTotalMem) cuDeviceTotalMem;
  decltype(&::cuMemAlloc) cuMemAlloc;
  decltype(&::cuMemFree) cuMemFree;
  decltype(&::cuMemcpyHtoD) cuMemcpyHtoD;
  decltype(&::cuMemcpyDtoH) cuMemcpyDtoH;
  decltype(&::cuLibraryLoadData) cuLibraryLoadData;
  decltype(&::cuLibraryUnload) cuLibraryUnload;
  decltype(&::cuLibraryGetKernel) cuLibraryGetKernel;
  decltype(&::cuLibraryGetGlobal) cuLibraryGetGlobal;
  decltype(&::cuKernelGetFunction) cuKernelGetFunction;
  decltype(&::cuKernelGetAttribute) cuKernelGetAttribute;
  decltype(&::cuFuncLoad) cuFuncLoad;
  decltype(&::cuLaunchKernel) cuLaunchKernel;
  decltype(&::cuLaunchKernelEx) cuLaunchKernelEx;
  decltype(&::cuLinkCreate) cuLinkCreate;
  decltype(&::cuLinkAddData) cuLinkAddData;
  decltype(&::cuLinkComplete) cuLinkComplete;
  decltype(&::cuLinkDestroy) cuLinkDestroy;
};

class Driver {
 public:
  // The process's driver, opened and initialised at the first call; null with `why` when there is none or no device.
  // Thread-safe; the outcome is remembered, a failure too.
  static const Driver* find(std::string& why);

  Version version() const noexcept { return version_; }  // the CUDA version that it supports: 13.0
  const std::string& path() const noexcept { return path_; }
  const DriverFunctions& api() const noexcept { return functions_; }

  // "CUDA_ERROR_INVALID_VALUE: invalid argument"
  std::string describe(CUresult result) const;

 private:
  friend struct DriverLoader;
  DriverFunctions functions_{};
  Version version_;
  std::string path_;
};

}  // namespace graft::toolchain
