// What the commands that run kernels over arrays check before they run.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "cli/arrays/npy.hpp"
#include "graft/architecture.hpp"
#include "graft/image.hpp"

namespace graft::cli {

// Returns the architecture of the device with this number. Throws Error(NoDevice) if there is no such device.
Architecture device_architecture(int ordinal);

// Throws Error(CountMismatch) unless as many arrays were given as the kernel takes. `kind` and `option` are for the
// message: "input", "--in".
void check_number(const Image& image, const char* kind, std::size_t wanted, std::size_t given, const char* option);

// Checks the type of the file of input `i`: element sizes must be equal. Element kinds must be equal too, if both are
// known. The kind of a structured or void dtype is unknown, so such a dtype fits every type of its size. Throws
// Error(TypeMismatch).
void check_type(const std::string& file, const Dtype& given, const ElementType& of_callback, std::size_t i,
                const char* command);

// Refuses two outputs that name the same file, because the second output would replace the first. Several outputs may
// name the same device or pipe. Ignores a path that cannot be resolved: write_npy reports it after the run. Throws
// CLI::ValidationError.
void check_outputs(const std::vector<std::string>& outputs);

}  // namespace graft::cli
