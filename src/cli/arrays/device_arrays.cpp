// Copies arrays through the driver API, because this program does not link the CUDA runtime. RAII objects own the
// memory and the context, because every call between their construction and their destruction can throw.
#include "cli/arrays/device_arrays.hpp"

#include <bit>
#include <deque>
#include <string>
#include <string_view>

#include "base/format.hpp"
#include "core/fail.hpp"
#include "graft/error.hpp"
#include "toolchain/driver.hpp"

namespace graft::cli {
namespace {

using toolchain::Driver;

void check(const Driver& driver, CUresult result, std::string_view what) {
  if (result == CUDA_SUCCESS) return;
  fail(ErrorCode::DriverFailed, base::format("{}: {}", what, driver.describe(result)),
       result == CUDA_ERROR_OUT_OF_MEMORY ? "Give smaller arrays, or choose another device with --device."
                                          : "Run graft doctor to check the device.",
       {}, {{"CUDA driver", driver.version().text()}});
}

class DeviceMemory {
 public:
  DeviceMemory(const Driver& driver, std::size_t bytes) : driver_(driver), bytes_(bytes) {
    if (bytes != 0)
      check(driver, driver.api().cuMemAlloc(&pointer_, bytes),
            base::format("{} bytes of device memory cannot be allocated", bytes));
  }
  ~DeviceMemory() {
    if (pointer_ != 0) driver_.api().cuMemFree(pointer_);
  }
  DeviceMemory(const DeviceMemory&) = delete;
  DeviceMemory& operator=(const DeviceMemory&) = delete;

  void* get() const noexcept { return std::bit_cast<void*>(pointer_); }
  void copy_from(const std::byte* host) const {
    if (bytes_ != 0)
      check(driver_, driver_.api().cuMemcpyHtoD(pointer_, host, bytes_), "an array cannot be copied to the device");
  }
  void copy_to(std::byte* host) const {
    if (bytes_ != 0)
      check(driver_, driver_.api().cuMemcpyDtoH(host, pointer_, bytes_), "an output cannot be copied from the device");
  }

 private:
  const Driver& driver_;
  CUdeviceptr pointer_ = 0;
  std::size_t bytes_;
};

// Retains a device's primary context and makes it current. The destructor pops and releases the context.
class PrimaryContext {
 public:
  PrimaryContext(const Driver& driver, int ordinal) : driver_(driver) {
    CUcontext context = nullptr;
    check(driver, driver.api().cuDeviceGet(&device_, ordinal), base::format("there is no device {}", ordinal));
    check(driver, driver.api().cuDevicePrimaryCtxRetain(&context, device_), "the device cannot be used");
    const CUresult pushed = driver.api().cuCtxPushCurrent(context);
    if (pushed != CUDA_SUCCESS) driver.api().cuDevicePrimaryCtxRelease(device_);
    check(driver, pushed, "the device's context cannot be made current");
  }
  ~PrimaryContext() {
    CUcontext popped = nullptr;
    driver_.api().cuCtxPopCurrent(&popped);
    driver_.api().cuDevicePrimaryCtxRelease(device_);
  }
  PrimaryContext(const PrimaryContext&) = delete;
  PrimaryContext& operator=(const PrimaryContext&) = delete;

 private:
  const Driver& driver_;
  CUdevice device_ = 0;
};

const Driver& driver_here() {
  std::string why;
  return *Driver::find(why);
}

}  // namespace

struct DeviceArrays::Impl {
  explicit Impl(int device) : driver(driver_here()), context(driver, device) {}

  const Driver& driver;
  PrimaryContext context;
  std::deque<DeviceMemory> arrays;
};

DeviceArrays::DeviceArrays(int device) : impl_(std::make_unique<Impl>(device)) {}
DeviceArrays::~DeviceArrays() = default;

void* DeviceArrays::add(std::size_t bytes, const std::byte* content) {
  const DeviceMemory& memory = impl_->arrays.emplace_back(impl_->driver, bytes);
  if (content != nullptr) memory.copy_from(content);
  return memory.get();
}

void DeviceArrays::wait() const {
  check(impl_->driver, impl_->driver.api().cuCtxSynchronize(), "the kernel failed");
}

void DeviceArrays::fetch(std::size_t number, std::byte* to) const {
  impl_->arrays.at(number).copy_to(to);
}

}  // namespace graft::cli
