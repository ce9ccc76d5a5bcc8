#include "cli/commands/devices.hpp"

#include "toolchain/driver.hpp"

namespace graft::cli {
namespace {

int attribute(const toolchain::DriverFunctions& cuda, CUdevice device, CUdevice_attribute which) {
  int value = 0;
  cuda.cuDeviceGetAttribute(&value, which, device);
  return value;
}

Device describe(const toolchain::DriverFunctions& cuda, int ordinal) {
  Device described;
  described.ordinal = ordinal;
  CUdevice device = 0;
  char name[256] = "";
  std::size_t bytes = 0;
  cuda.cuDeviceGet(&device, ordinal);
  cuda.cuDeviceGetName(name, sizeof name - 1, device);
  cuda.cuDeviceTotalMem(&bytes, device);
  described.name = name;
  described.memory_bytes = bytes;
  described.memory_clock_khz = attribute(cuda, device, CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE);
  described.architecture = Architecture(10 * attribute(cuda, device, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR) +
                                        attribute(cuda, device, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR));
  return described;
}

}  // namespace

std::vector<Device> find_devices(std::string& why) {
  std::vector<Device> devices;
  const toolchain::Driver* const driver = toolchain::Driver::find(why);
  if (driver == nullptr) return devices;
  int count = 0;
  driver->api().cuDeviceGetCount(&count);
  for (int i = 0; i < count; ++i) devices.push_back(describe(driver->api(), i));
  return devices;
}

}  // namespace graft::cli
