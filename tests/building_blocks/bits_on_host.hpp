// Runs the building block with bit arrays (building_blocks/elementwise/bits.h) on the CPU, with threads that exchange
// values within their warp (warps_on_host.hpp).
#pragma once

#include "block_on_host.hpp"
#include "warps_on_host.hpp"

namespace blocks {

void run_bits(const Subject& subject, const Policy& policy, const graft_launch* launch, unsigned blocks,
              Convergence convergence);

}  // namespace blocks
