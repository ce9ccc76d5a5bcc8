// Loads the driver's functions by dlsym, under the symbols that cuda.h's macros name ("cuCtxPushCurrent_v2"). In
// libcuda.so.1 each version of a function has its own symbol, and the type of a version never changes. So in every
// driver that has the symbol, the function has the type that cuda.h declares.
#include "toolchain/driver.hpp"

#include "base/format.hpp"
#include "toolchain/driver_symbol.hpp"
#include "toolchain/shared_library.hpp"

namespace graft::toolchain {

struct DriverLoader {
  Driver driver;
  std::string why;  // why the driver cannot be used; empty if it can

  DriverLoader() {
    const SharedLibrary library = SharedLibrary::open_by_loader("libcuda.so.1");
    driver.path_ = library.path();
    if (!library.is_open()) why = base::format("no CUDA driver: {}", library.failure());
    else if (load_functions(library)) initialise();
  }

 private:
  bool load_functions(const SharedLibrary& library);
  bool check(const char* call, CUresult result);
  void initialise();
};

#define GRAFT_LOAD(name) load(driver.functions_.name, GRAFT_DRIVER_SYMBOL(name))

bool DriverLoader::load_functions(const SharedLibrary& library) {
  const auto load = [&](auto& function, const char* symbol) {
    if (!library.load(function, symbol) && why.empty())
      why = base::format(
          "the CUDA driver {} is too old: it has no function {}; graft needs driver 525 (CUDA 12.0) or "
          "newer",
          driver.path_, symbol);
  };
  GRAFT_LOAD(cuInit);
  GRAFT_LOAD(cuDriverGetVersion);
  GRAFT_LOAD(cuGetErrorName);
  GRAFT_LOAD(cuGetErrorString);
  GRAFT_LOAD(cuDeviceGet);
  GRAFT_LOAD(cuDeviceGetCount);
  GRAFT_LOAD(cuDeviceGetName);
  GRAFT_LOAD(cuDeviceGetAttribute);
  GRAFT_LOAD(cuDevicePrimaryCtxRetain);
  GRAFT_LOAD(cuDevicePrimaryCtxRelease);
  GRAFT_LOAD(cuCtxGetCurrent);
  GRAFT_LOAD(cuCtxSetCurrent);
  GRAFT_LOAD(cuCtxPushCurrent);
  GRAFT_LOAD(cuCtxPopCurrent);
  GRAFT_LOAD(cuCtxGetDevice);
  GRAFT_LOAD(cuCtxGetId);
  GRAFT_LOAD(cuCtxSynchronize);
  GRAFT_LOAD(cuDeviceTotalMem);
  GRAFT_LOAD(cuMemAlloc);
  GRAFT_LOAD(cuMemFree);
  GRAFT_LOAD(cuPointerGetAttribute);
  GRAFT_LOAD(cuMemsetD8Async);
  GRAFT_LOAD(cuMemcpyHtoD);
  GRAFT_LOAD(cuMemcpyDtoH);
  GRAFT_LOAD(cuLibraryLoadData);
  GRAFT_LOAD(cuLibraryUnload);
  GRAFT_LOAD(cuLibraryGetKernel);
  GRAFT_LOAD(cuLibraryGetGlobal);
  GRAFT_LOAD(cuKernelGetFunction);
  GRAFT_LOAD(cuKernelGetAttribute);
  library.load(driver.functions_.cuFuncLoad, GRAFT_DRIVER_SYMBOL(cuFuncLoad));  // null in drivers before CUDA 12.4
  GRAFT_LOAD(cuFuncGetAttribute);
  GRAFT_LOAD(cuFuncSetAttribute);
  GRAFT_LOAD(cuLaunchKernel);
  GRAFT_LOAD(cuLaunchKernelEx);
  GRAFT_LOAD(cuOccupancyMaxActiveBlocksPerMultiprocessor);
  GRAFT_LOAD(cuThreadExchangeStreamCaptureMode);
  GRAFT_LOAD(cuStreamGetId);
  GRAFT_LOAD(cuStreamGetCaptureInfo_v2);
  GRAFT_LOAD(cuUserObjectCreate);
  GRAFT_LOAD(cuUserObjectRelease);
  GRAFT_LOAD(cuGraphRetainUserObject);
  GRAFT_LOAD(cuLinkCreate);
  GRAFT_LOAD(cuLinkAddData);
  GRAFT_LOAD(cuLinkComplete);
  GRAFT_LOAD(cuLinkDestroy);
  return why.empty();
}

bool DriverLoader::check(const char* call, CUresult result) {
  if (result != CUDA_SUCCESS) why = base::format("{} of {} failed: {}", call, driver.path_, driver.describe(result));
  return result == CUDA_SUCCESS;
}

void DriverLoader::initialise() {
  const DriverFunctions& cuda = driver.functions_;
  int version = 0;
  int devices = 0;
  if (!check("cuInit", cuda.cuInit(0)) || !check("cuDriverGetVersion", cuda.cuDriverGetVersion(&version)) ||
      !check("cuDeviceGetCount", cuda.cuDeviceGetCount(&devices)))
    return;
  driver.version_ = {version / 1000, version % 1000 / 10};
  if (devices == 0) why = base::format("the CUDA driver {} finds no device", driver.path_);
}

const Driver* Driver::find(std::string& why) {
  // The loader is never destroyed, because static destructors and other threads may launch kernels after main has
  // returned.
  static const DriverLoader& found = *new DriverLoader;
  why = found.why;
  return why.empty() ? &found.driver : nullptr;
}

std::string Driver::describe(CUresult result) const {
  const char* name = nullptr;
  const char* text = nullptr;
  functions_.cuGetErrorName(result, &name);
  functions_.cuGetErrorString(result, &text);
  if (!name || !text) return base::format("CUDA error {}", static_cast<int>(result));
  return base::format("{}: {}", name, text);
}

}  // namespace graft::toolchain
