// Checks whether graft can have made the kernel that a file describes.
//
// A launch trusts its kernel spec and does not check it again: it writes a pointer for each array and the state's bytes
// into a parameter of fixed size, takes the logarithms of counts in the tuning, and hands the image to the driver or to
// the host's loader, depending on the route. A checksum detects accidental damage but no forgery, so packs, cache
// entries and every other report from outside the process must pass these checks first. The limits are those of
// building_blocks/contract.h and of the policy (graft::PolicyOverrides), which no kernel made by graft exceeds.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "graft/report.hpp"

namespace graft::families {

// The most bytes of shared memory per thread block that CUDA gives to a kernel that does not opt in to more.
inline constexpr int kMostSharedBytes = 49'152;

// The most registers that a thread of a GPU has.
inline constexpr int kMostRegisters = 255;

// Each function returns the reason why graft cannot have made the checked object, as a clause ("its vector width is
// 3"). The text is empty if graft can have made the object.

// Checks the number of arrays and states, and the role and type of each parameter.
std::string objection_to(const Signature& signature);

// Checks the family, signature, tuning, route, register limit, size of shared memory and compiler options.
std::string objection_to(const KernelSpec& kernel);

// Checks the kernel spec, and the number of registers that the report claims.
std::string objection_to(const Report& report);

// Checks the bytes of a kernel for a GPU: they must be a whole, linked cubin for the kernel's architecture and contain
// the kernel's symbol. Does not compare the suffix of the architecture, because a cubin for sm_90a is marked as one for
// sm_90 if its code does not need the suffix. Does not check the machine code.
std::string objection_to_image(const KernelSpec& kernel, std::span<const std::byte> image);

}  // namespace graft::families
