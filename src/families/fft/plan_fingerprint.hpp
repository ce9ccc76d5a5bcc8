// A number that differs between plans.
#pragma once

#include <cstdint>

#include "families/fft/plan.hpp"

namespace graft::families::fft {

// Hashes every member of the plan.
std::uint64_t fingerprint(const Plan& plan);

}  // namespace graft::families::fft
