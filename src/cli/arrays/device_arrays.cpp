// Copies arrays through the driver API, because this program does not link the CUDA runtime. RAII objects own the
// memory and the context, because every call between their construction and their destruction can throw.
#include "cli/arrays/device_arrays.hpp"

#include <vector>

#include "base/format.hpp"
#include "cli/arrays/driver_check.hpp"
#include "launch/device.hpp"
#include "launch/device_memory.hpp"

namespace graft::cli {
namespace {

struct DeviceArray {
  launch::DeviceMemory memory;  // empty for an array without elements
  std::size_t bytes = 0;

  CUdeviceptr address() const noexcept { return reinterpret_cast<CUdeviceptr>(memory.get()); }
};

DeviceArray allocated(std::size_t bytes) {
  if (bytes == 0) return {};
  CUresult result = CUDA_SUCCESS;
  DeviceArray array{launch::DeviceMemory(launch::driver(), bytes, result), bytes};
  check_driver(result, base::format("{} bytes of device memory cannot be allocated", bytes));
  return array;
}

}  // namespace

struct DeviceArrays::Impl {
  explicit Impl(int device) : context(device) {}

  launch::CurrentContext context;
  std::vector<DeviceArray> arrays;
};

DeviceArrays::DeviceArrays(int device) : impl_(std::make_unique<Impl>(device)) {}
DeviceArrays::~DeviceArrays() = default;

void* DeviceArrays::add(std::size_t bytes, const std::byte* content) {
  const DeviceArray& array = impl_->arrays.emplace_back(allocated(bytes));
  if (content != nullptr && bytes != 0)
    check_driver(launch::driver().api().cuMemcpyHtoD(array.address(), content, bytes),
                 "an array cannot be copied to the device");
  return array.memory.get();
}

void DeviceArrays::wait() const {
  check_driver(launch::driver().api().cuCtxSynchronize(), "the kernel failed");
}

void DeviceArrays::fetch(std::size_t number, std::byte* to) const {
  const DeviceArray& array = impl_->arrays.at(number);
  if (array.bytes != 0)
    check_driver(launch::driver().api().cuMemcpyDtoH(to, array.address(), array.bytes),
                 "an output cannot be copied from the device");
}

}  // namespace graft::cli
