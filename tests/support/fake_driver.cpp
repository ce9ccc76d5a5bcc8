// Defines the driver's functions that graft loads, with the types and symbols of cuda.h, except for cuFuncLoad.
#include "support/fake_driver.hpp"

#include <cuda.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace graft::test {

std::vector<std::string>& fake_driver_calls() {
  static std::vector<std::string> calls;
  return calls;
}

namespace {

thread_local CUcontext current = nullptr;

// Returns a handle that is not null. The handles are never dereferenced.
template <class Handle>
Handle handle() {
  static int place;
  return reinterpret_cast<Handle>(&place);
}

CUresult noted(const char* call) {
  fake_driver_calls().emplace_back(call);
  return CUDA_SUCCESS;
}

}  // namespace
}  // namespace graft::test

using graft::test::current;
using graft::test::handle;
using graft::test::noted;

extern "C" {

CUresult cuInit(unsigned) {
  return CUDA_SUCCESS;
}

CUresult cuDriverGetVersion(int* version) {
  const char* const wanted = std::getenv("GRAFT_FAKE_DRIVER_VERSION");
  *version = wanted == nullptr ? 12020 : std::atoi(wanted);
  return CUDA_SUCCESS;
}

CUresult cuGetErrorName(CUresult, const char** name) {
  *name = "CUDA_ERROR_OF_THE_TEST";
  return CUDA_SUCCESS;
}
CUresult cuGetErrorString(CUresult, const char** text) {
  *text = "an error of the test double";
  return CUDA_SUCCESS;
}

CUresult cuDeviceGet(CUdevice* device, int ordinal) {
  *device = ordinal;
  return ordinal == 0 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_DEVICE;
}
CUresult cuDeviceGetCount(int* count) {
  *count = 1;
  return CUDA_SUCCESS;
}
CUresult cuDeviceGetName(char* name, int size, CUdevice) {
  std::snprintf(name, static_cast<std::size_t>(size), "Test double");
  return CUDA_SUCCESS;
}
CUresult cuDeviceGetAttribute(int* value, CUdevice_attribute attribute, CUdevice) {
  *value = attribute == CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR   ? 9
           : attribute == CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR ? 0
                                                                       : 1024;
  return CUDA_SUCCESS;
}
CUresult cuDeviceTotalMem(std::size_t* bytes, CUdevice) {
  *bytes = std::size_t{1} << 30;
  return CUDA_SUCCESS;
}

CUresult cuDevicePrimaryCtxRetain(CUcontext* context, CUdevice) {
  *context = handle<CUcontext>();
  return CUDA_SUCCESS;
}
CUresult cuDevicePrimaryCtxRelease(CUdevice) {
  return CUDA_SUCCESS;
}
CUresult cuCtxGetCurrent(CUcontext* context) {
  *context = current;
  return CUDA_SUCCESS;
}
CUresult cuCtxSetCurrent(CUcontext context) {
  current = context;
  return CUDA_SUCCESS;
}
CUresult cuCtxPushCurrent(CUcontext context) {
  current = context;
  return CUDA_SUCCESS;
}
CUresult cuCtxPopCurrent(CUcontext* context) {
  *context = current;
  current = nullptr;  // graft pushes a context only if there is none
  return CUDA_SUCCESS;
}
CUresult cuCtxGetDevice(CUdevice* device) {
  *device = 0;
  return CUDA_SUCCESS;
}
CUresult cuCtxGetId(CUcontext, unsigned long long* id) {
  *id = 1;
  return CUDA_SUCCESS;
}
CUresult cuCtxSynchronize() {
  return CUDA_SUCCESS;
}

CUresult cuMemAlloc(CUdeviceptr* place, std::size_t bytes) {
  *place = reinterpret_cast<CUdeviceptr>(std::malloc(bytes));
  return CUDA_SUCCESS;
}
CUresult cuMemFree(CUdeviceptr place) {
  std::free(reinterpret_cast<void*>(place));
  return CUDA_SUCCESS;
}
CUresult cuMemcpyHtoD(CUdeviceptr to, const void* from, std::size_t bytes) {
  std::memcpy(reinterpret_cast<void*>(to), from, bytes);
  return CUDA_SUCCESS;
}
CUresult cuMemcpyDtoH(void* to, CUdeviceptr from, std::size_t bytes) {
  std::memcpy(to, reinterpret_cast<const void*>(from), bytes);
  return CUDA_SUCCESS;
}

CUresult cuLibraryLoadData(CUlibrary* library, const void*, CUjit_option*, void**, unsigned, CUlibraryOption*, void**,
                           unsigned) {
  *library = handle<CUlibrary>();
  return noted("cuLibraryLoadData");
}
CUresult cuLibraryUnload(CUlibrary) {
  return CUDA_SUCCESS;
}
CUresult cuLibraryGetKernel(CUkernel* kernel, CUlibrary, const char*) {
  *kernel = handle<CUkernel>();
  return CUDA_SUCCESS;
}
CUresult cuLibraryGetGlobal(CUdeviceptr*, std::size_t*, CUlibrary, const char*) {
  return CUDA_ERROR_NOT_FOUND;
}
CUresult cuKernelGetFunction(CUfunction* function, CUkernel) {
  *function = handle<CUfunction>();
  return noted("cuKernelGetFunction");
}
CUresult cuKernelGetAttribute(int* value, CUfunction_attribute, CUkernel, CUdevice) {
  *value = 1024;
  return CUDA_SUCCESS;
}
CUresult cuFuncGetAttribute(int* value, CUfunction_attribute, CUfunction) {
  *value = 1024;
  return noted("cuFuncGetAttribute");
}
CUresult cuFuncSetAttribute(CUfunction, CUfunction_attribute, int) {
  return CUDA_SUCCESS;
}
CUresult cuLaunchKernel(CUfunction, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, CUstream,
                        void**, void**) {
  return noted("cuLaunchKernel");
}
CUresult cuLaunchKernelEx(const CUlaunchConfig*, CUfunction, void**, void**) {
  return noted("cuLaunchKernelEx");
}

CUresult cuLinkCreate(unsigned, CUjit_option*, void**, CUlinkState*) {
  return CUDA_ERROR_NOT_SUPPORTED;
}
CUresult cuLinkAddData(CUlinkState, CUjitInputType, void*, std::size_t, const char*, unsigned, CUjit_option*, void**) {
  return CUDA_ERROR_NOT_SUPPORTED;
}
CUresult cuLinkComplete(CUlinkState, void**, std::size_t*) {
  return CUDA_ERROR_NOT_SUPPORTED;
}
CUresult cuLinkDestroy(CUlinkState) {
  return CUDA_SUCCESS;
}

}  // extern "C"
