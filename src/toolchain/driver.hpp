// The CUDA driver (libcuda.so.1). graft opens the driver at run time, so that a program with graft also starts on a
// machine that has no driver. Driver::api() is the table of the driver's functions, with the types that cuda.h
// declares.
#pragma once

#include <cuda.h>

#include <memory>
#include <string>

#include "core/version.hpp"

namespace graft::toolchain {

// Function pointers with the names of cuda.h. cuda.h defines some names as macros for the current version of a function
// (cuCtxPushCurrent is cuCtxPushCurrent_v2). Such a macro also renames the member of this struct, so member, type and
// symbol always agree. In a Driver that find() returns, only cuFuncLoad can be null: drivers before CUDA 12.4 (550)
// lack it. The other functions exist from CUDA 12.0 (driver 525) on.
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
  decltype(&::cuPointerGetAttribute) cuPointerGetAttribute;
  decltype(&::cuMemsetD8Async) cuMemsetD8Async;
  decltype(&::cuMemcpyHtoD) cuMemcpyHtoD;
  decltype(&::cuMemcpyDtoH) cuMemcpyDtoH;
  decltype(&::cuLibraryLoadData) cuLibraryLoadData;
  decltype(&::cuLibraryUnload) cuLibraryUnload;
  decltype(&::cuLibraryGetKernel) cuLibraryGetKernel;
  decltype(&::cuLibraryGetGlobal) cuLibraryGetGlobal;
  decltype(&::cuKernelGetFunction) cuKernelGetFunction;
  decltype(&::cuKernelGetAttribute) cuKernelGetAttribute;
  decltype(&::cuFuncLoad) cuFuncLoad;
  decltype(&::cuFuncGetAttribute) cuFuncGetAttribute;
  decltype(&::cuFuncSetAttribute) cuFuncSetAttribute;
  decltype(&::cuLaunchKernel) cuLaunchKernel;
  decltype(&::cuLaunchKernelEx) cuLaunchKernelEx;
  decltype(&::cuOccupancyMaxActiveBlocksPerMultiprocessor) cuOccupancyMaxActiveBlocksPerMultiprocessor;
  decltype(&::cuThreadExchangeStreamCaptureMode) cuThreadExchangeStreamCaptureMode;
  decltype(&::cuStreamGetId) cuStreamGetId;
  // Named with its version, because the newer one that cuda.h defines the name as is missing in drivers before CUDA
  // 12.3. cuda.h declares only the newer one.
  CUresult(CUDAAPI* cuStreamGetCaptureInfo_v2)(CUstream, CUstreamCaptureStatus*, cuuint64_t*, CUgraph*,
                                               const CUgraphNode**, std::size_t*);
  decltype(&::cuUserObjectCreate) cuUserObjectCreate;
  decltype(&::cuUserObjectRelease) cuUserObjectRelease;
  decltype(&::cuGraphRetainUserObject) cuGraphRetainUserObject;
  decltype(&::cuLinkCreate) cuLinkCreate;
  decltype(&::cuLinkAddData) cuLinkAddData;
  decltype(&::cuLinkComplete) cuLinkComplete;
  decltype(&::cuLinkDestroy) cuLinkDestroy;
};

class Driver {
 public:
  // Returns the process's driver. The first call opens and initialises the driver; later calls return the first call's
  // result, also after a failure. Returns null and sets `why` if there is no driver, the driver is too old, or the
  // driver finds no device. Thread-safe.
  static const Driver* find(std::string& why);

  // The newest CUDA version that the driver supports, such as 13.0.
  Version version() const noexcept { return version_; }
  const std::string& path() const noexcept { return path_; }
  const DriverFunctions& api() const noexcept { return functions_; }

  // The name and the text of an error: "CUDA_ERROR_INVALID_VALUE: invalid argument".
  std::string describe(CUresult result) const;

 private:
  friend struct DriverLoader;
  DriverFunctions functions_{};
  Version version_;
  std::string path_;
};

}  // namespace graft::toolchain
