#include "driver.hpp"

#include <dlfcn.h>

namespace graft_python {
namespace {

template <class Function>
Function driver_function(const char* name) {
  void* const driver = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD);
  return driver ? reinterpret_cast<Function>(dlsym(driver, name)) : nullptr;
}

}  // namespace

std::optional<int> current_device() {
  static const auto device_of_context = driver_function<int (*)(int*)>("cuCtxGetDevice");
  int device = 0;
  if (!device_of_context || device_of_context(&device) != 0) return {};
  return device;
}

bool is_captured(std::intptr_t stream) {
  static const auto status_of = driver_function<int (*)(void*, int*)>("cuStreamIsCapturing");
  int status = 0;  // CU_STREAM_CAPTURE_STATUS_NONE
  return status_of && (status_of(reinterpret_cast<void*>(stream), &status) != 0 || status != 0);
}

}  // namespace graft_python
