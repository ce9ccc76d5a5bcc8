// Runs a built kernel over arrays in host memory: on the CPU, or on a device, to which the inputs are copied and from
// which the outputs are copied back. The element types are known only at run time, from the image's signature.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/bytes.hpp"
#include "graft/engine.hpp"
#include "graft/image.hpp"
#include "graft/transform.hpp"

namespace graft::cli {

struct ArrayRun {
  std::uint64_t count = 0;  // the number of elements in each array
  std::vector<const std::byte*> inputs;
  std::vector<std::byte*> outputs;  // the array of an in-out parameter has its values on entry
  base::Bytes state;                // empty if the callback has no state
};

// Returns an engine that searches no cache, for kernels that are already built.
Engine engine_without_cache();

// Returns a reference to the state. The size in its type is the number of bytes that the user gave, so that execute can
// check this number against the signature.
StateRef state_ref_of(const Image& image, const base::Bytes& bytes);

// Runs the kernel on the CPU. Each pointer in `run` is aligned to 64 bytes and has room for `count` elements of the
// type that the image's signature gives to the array, and for `count` bools if this type is graft::Bit. Throws the
// errors of execute.
void run_on_host(const Image& image, const ArrayRun& run);

// Runs the kernel on a device: copies the inputs to the device and the outputs back, through the driver. Throws the
// errors of create and execute, and Error(DriverFailed) if the device has too little memory.
void run_on_device(const Image& image, int device, const ArrayRun& run);

}  // namespace graft::cli
