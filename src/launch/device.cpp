// Uses CUDA contexts through the driver API. The error for a failed call says what graft tried, what the driver
// answered and what to check.
#include "launch/device.hpp"

#include <mutex>
#include <set>

#include "base/format.hpp"
#include "core/fail.hpp"
#include "graft/error.hpp"

namespace graft::launch {
namespace {

using toolchain::Driver;

std::string remedy_for(CUresult result) {
  // graft has initialised the driver before, so this error means that the process is a forked child.
  if (result == CUDA_ERROR_NOT_INITIALIZED)
    return "CUDA does not survive fork: use the GPU in one process only, or start CUDA after the fork. graft::build "
           "and the host route work in both processes.";
  return "Check the device with nvidia-smi, and check the environment variable CUDA_VISIBLE_DEVICES.";
}

void check(CUresult result, const std::string& what, ErrorCode code = ErrorCode::DriverFailed) {
  if (result == CUDA_SUCCESS) return;
  fail(code, base::format("{}: {}", what, driver().describe(result)), remedy_for(result), {},
       {{"CUDA driver", driver().version().text()}});
}

// Retains the device's primary context once and never releases it, because kernels loaded in the context may outlive
// every Transform and Engine. Later calls retain the context again and release the surplus reference, because retaining
// also revives a context that cudaDeviceReset has shut down.
CUcontext primary_context(CUdevice device) {
  static std::mutex mutex;
  static std::set<CUdevice>& retained = *new std::set<CUdevice>;
  const std::lock_guard lock(mutex);
  CUcontext context = nullptr;
  check(driver().api().cuDevicePrimaryCtxRetain(&context, device), "the device cannot be used", ErrorCode::NoDevice);
  if (!retained.insert(device).second) driver().api().cuDevicePrimaryCtxRelease(device);
  return context;
}

}  // namespace

const Driver& driver() {
  std::string why;
  const Driver* found = Driver::find(why);
  if (found == nullptr)
    fail(ErrorCode::NoDevice, base::format("no GPU can be used: {}", why),
         "Run on a machine with an NVIDIA GPU and driver. Without a GPU, graft::build can still build kernels, and "
         "Options::routes.required = graft::Route::Host runs callbacks on the CPU.");
  return *found;
}

ContextIdentity current_context(const Driver& driver) noexcept {
  ContextIdentity identity = kNoContext;
  // A null context means the current context.
  const CUresult result = driver.api().cuCtxGetId(nullptr, &identity);
  return result == CUDA_SUCCESS ? identity : kNoContext;
}

CurrentContext::CurrentContext() {
  CUcontext context = nullptr;
  check(driver().api().cuCtxGetCurrent(&context), "the current context cannot be read");
  if (context == nullptr) {
    push_primary_of(0);
    return;
  }
  check(driver().api().cuCtxGetDevice(&device_), "the current context's device cannot be read");
  // A context that cudaDeviceReset has shut down is still the current context, but has no identity.
  if (current_context(driver()) == kNoContext) push_primary();
}

CurrentContext::CurrentContext(int ordinal) {
  push_primary_of(ordinal);
}

void CurrentContext::push_primary_of(int ordinal) {
  check(driver().api().cuDeviceGet(&device_, ordinal), base::format("there is no device {}", ordinal),
        ErrorCode::NoDevice);
  push_primary();
}

void CurrentContext::push_primary() {
  check(driver().api().cuCtxPushCurrent(primary_context(device_)), "the device's context cannot be made current");
  pushed_ = true;
}

CurrentContext::~CurrentContext() {
  CUcontext popped = nullptr;
  if (pushed_) driver().api().cuCtxPopCurrent(&popped);
}

CUcontext context_of_this_thread() noexcept {
  std::string why;
  const Driver* found = Driver::find(why);
  CUcontext context = nullptr;
  return found != nullptr && found->api().cuCtxGetCurrent(&context) == CUDA_SUCCESS ? context : nullptr;
}

BorrowedContext::BorrowedContext(CUcontext context) {
  if (context == nullptr) return;
  check(driver().api().cuCtxPushCurrent(context), "the caller's context cannot be made current in another thread");
  pushed_ = true;
}

BorrowedContext::~BorrowedContext() {
  CUcontext popped = nullptr;
  if (pushed_) driver().api().cuCtxPopCurrent(&popped);
}

format::TunedGpu CurrentContext::gpu() const {
  char name[256] = "";
  check(driver().api().cuDeviceGetName(name, sizeof name - 1, device_), "the device's name cannot be read");
  int clock = 0;
  check(driver().api().cuDeviceGetAttribute(&clock, CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE, device_),
        "the device's memory clock cannot be read");
  return {name, clock};
}

Architecture CurrentContext::architecture() const {
  const auto capability = [this](CUdevice_attribute part) {
    int value = 0;
    check(driver().api().cuDeviceGetAttribute(&value, part, device_), "the device's compute capability cannot be read");
    return value;
  };
  return Architecture(10 * capability(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR) +
                      capability(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR));
}

}  // namespace graft::launch
