// The GPUs that the CUDA driver shows to this process.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "format/tuning_file.hpp"
#include "graft/architecture.hpp"

namespace graft::cli {

struct Device {
  int ordinal = 0;
  std::string name;
  Architecture architecture;
  std::uint64_t memory_bytes = 0;
  int memory_clock_khz = 0;

  format::TunedGpu gpu() const { return {name, memory_clock_khz}; }
};

// If there is no driver or no device, returns an empty list, and sets `why` to a text that says which of the two is
// missing.
std::vector<Device> find_devices(std::string& why);

}  // namespace graft::cli
