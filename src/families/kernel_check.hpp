// Whether what a file says of a kernel can be true of one that graft made.
//
// A launch relies on a kernel's description without looking again: it writes a pointer for each array and the state's
// bytes into a parameter of fixed size, takes the logarithms of the kernel's counts, and hands the image to the driver
// or to the loader by its route. A checksum keeps out accidents and no forgers, so packs, cache entries and every other
// report that comes from outside the process pass these checks first. The limits are those of
// building_blocks/contract.h and of the policy (graft::PolicyOverrides), which no kernel of graft's exceeds.
#pragma once

#include <string>

#include "graft/report.hpp"

namespace graft::families {

inline constexpr int kMostSharedBytes = 49'152;  // what every kernel may have without asking for more

// Each gives the reason why no kernel of graft's is like that, as a clause ("its vector width is 3"), or nothing.

// Arrays, elements, state, roles.
std::string objection_to(const Signature& signature);

// The signature, and what a launch's geometry follows from: tuning and route.
std::string objection_to(const KernelSpec& kernel);

// The kernel, and the registers that it is said to use.
std::string objection_to(const Report& report);

}  // namespace graft::families
