// The peers of graft, compiled by nvcc ahead of time for the same callbacks: tables with a launcher for each callback
// of operations.hpp. The callbacks are split into families that are compiled separately.
#pragma once

#include <string>
#include <vector>

#include "launch.hpp"

namespace graft::bench {

// Kernels as a CUDA engineer would write them: 16-byte words if all arrays are aligned alike, otherwise one element per
// thread.
std::vector<NamedLauncher> kernels_by_hand();

// cub::DeviceTransform and thrust::transform of the CCCL that this program was compiled with.
std::vector<NamedLauncher> cub_transforms();
std::vector<NamedLauncher> thrust_transforms();
std::string cccl_version();
bool cccl_is_the_toolkits();  // false: a newer CCCL's

// Declares each family's part of the tables.
#define GRAFT_BENCH_FAMILIES(X) X(NARROW) X(SINGLE) X(DOUBLE) X(HALF) X(MATH)
#define GRAFT_BENCH_DECLARE(family)                                   \
  void add_kernels_by_hand_##family(std::vector<NamedLauncher>& all); \
  void add_cub_transforms_##family(std::vector<NamedLauncher>& all);  \
  void add_thrust_transforms_##family(std::vector<NamedLauncher>& all);
GRAFT_BENCH_FAMILIES(GRAFT_BENCH_DECLARE)
#undef GRAFT_BENCH_DECLARE

}  // namespace graft::bench
