// The peers of graft, compiled by nvcc ahead of time for the same callbacks. Each peer is a table with a launcher for
// each callback of operations.hpp. The callbacks are split into families that are compiled separately.
#pragma once

#include <string>
#include <vector>

#include "launch.hpp"

namespace graft::bench {

// Returns kernels as a CUDA engineer would write them. They use 16-byte words if all arrays have the same address
// modulo 16 bytes, otherwise one element per thread.
std::vector<NamedLauncher> kernels_by_hand();

// Return launchers of cub::DeviceTransform and thrust::transform, from the version of CCCL (NVIDIA's CUB and Thrust)
// with which this program was compiled.
std::vector<NamedLauncher> cub_transforms();
std::vector<NamedLauncher> thrust_transforms();
std::string cccl_version();
// Returns true if the peers were compiled with the toolkit's CCCL, and false if they were compiled with a newer CCCL.
bool cccl_is_the_toolkits();

// Declares each family's part of the tables.
#define GRAFT_BENCH_FAMILIES(X) X(NARROW) X(SINGLE) X(DOUBLE) X(HALF) X(MATH)
#define GRAFT_BENCH_DECLARE(family)                                   \
  void add_kernels_by_hand_##family(std::vector<NamedLauncher>& all); \
  void add_cub_transforms_##family(std::vector<NamedLauncher>& all);  \
  void add_thrust_transforms_##family(std::vector<NamedLauncher>& all);
GRAFT_BENCH_FAMILIES(GRAFT_BENCH_DECLARE)
#undef GRAFT_BENCH_DECLARE

}  // namespace graft::bench
