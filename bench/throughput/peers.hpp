// What graft is compared with, compiled ahead by nvcc for the same callbacks: tables of launchers, one entry for each
// callback of operations.hpp, in families that are compiled apart.
#pragma once

#include <string>
#include <vector>

#include "launch.hpp"

namespace graft::bench {

// The kernels that a CUDA engineer would write: 16-byte words where the arrays are aligned alike, else one element per
// thread.
std::vector<NamedLauncher> kernels_by_hand();

// cub::DeviceTransform and thrust::transform of the CCCL that this program was compiled with.
std::vector<NamedLauncher> cub_transforms();
std::vector<NamedLauncher> thrust_transforms();
std::string cccl_version();
bool cccl_is_the_toolkits();  // and not a newer one's

// One family's part of them; GRAFT_BENCH_FAMILIES names all.
#define GRAFT_BENCH_FAMILIES(X) X(NARROW) X(SINGLE) X(DOUBLE) X(HALF) X(MATH)
#define GRAFT_BENCH_DECLARE(family)                                   \
  void add_kernels_by_hand_##family(std::vector<NamedLauncher>& all); \
  void add_cub_transforms_##family(std::vector<NamedLauncher>& all);  \
  void add_thrust_transforms_##family(std::vector<NamedLauncher>& all);
GRAFT_BENCH_FAMILIES(GRAFT_BENCH_DECLARE)
#undef GRAFT_BENCH_DECLARE

}  // namespace graft::bench
