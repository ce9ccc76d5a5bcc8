// The machine's GPUs, by the driver's account.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "graft/architecture.hpp"

namespace graft::cli {

struct Device {
  int ordinal = 0;
  std::string name;
  Architecture architecture;
  std::uint64_t memory_bytes = 0;
};

// None with `why` where there is no driver or no device.
std::vector<Device> find_devices(std::string& why);

}  // namespace graft::cli
