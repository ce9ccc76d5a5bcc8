// The GPUs that the CUDA driver shows to this process.
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

// Returns an empty list if there is no driver or no device, and then says in `why` which of them is missing.
std::vector<Device> find_devices(std::string& why);

}  // namespace graft::cli
