// A kernel over arrays in host memory, whose types are known only now.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/bytes.hpp"
#include "graft/image.hpp"

namespace graft::cli {

struct ArrayRun {
  std::uint64_t count = 0;  // elements of each array
  std::vector<const std::byte*> inputs;
  std::vector<std::byte*> outputs;  // written
  base::Bytes state;                // empty for a callback without
};

// Each pointer is to `count` elements of the image's signature, aligned to 64. Throws Error as execute does.
void run_on_host(const Image& image, const ArrayRun& run);

// Copies the inputs to a device and the outputs back, through the driver. Throws Error as create and execute do;
// DriverFailed where the device's memory does not suffice.
void run_on_device(const Image& image, int device, const ArrayRun& run);

}  // namespace graft::cli
