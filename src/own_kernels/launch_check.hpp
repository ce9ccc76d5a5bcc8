// Compares the arguments of a launch with the kernel's parameters. The driver copies as many bytes as the image says,
// whatever they are, so sizes and places are the image's. Types are those of the kernel's symbol.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "graft/kernel.hpp"

namespace graft::own_kernels {

struct Parameter {
  std::uint64_t size = 0;
  std::uint64_t offset = 0;  // among the parameters of the kernel
  ArgumentType type = {};
};

// Reads a spelling such as "const float*".
ArgumentType argument_type(std::string_view spelling);

// `offsets` has one number for each parameter, or none.
std::vector<Parameter> parameters_of(const KernelEntry& entry, std::span<const std::uint64_t> offsets);

// Throws Error: CountMismatch, TypeMismatch.
void check_arguments(const KernelEntry& entry, std::span<const Parameter> parameters,
                     std::span<const KernelArgument> arguments);

}  // namespace graft::own_kernels
