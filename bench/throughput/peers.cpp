// A peer is what graft is compared with: the hand-written kernels, CUB and Thrust. The benchmark's operations are split
// into groups (GRAFT_BENCH_FAMILIES), so that each group compiles in a file of its own. This file collects the
// functions that launch the operations of all groups into one table for each peer.
#include "peers.hpp"

namespace graft::bench {

#define GRAFT_BENCH_ADD_BY_HAND(family) add_kernels_by_hand_##family(all);
#define GRAFT_BENCH_ADD_CUB(family) add_cub_transforms_##family(all);
#define GRAFT_BENCH_ADD_THRUST(family) add_thrust_transforms_##family(all);

std::vector<NamedLauncher> kernels_by_hand() {
  std::vector<NamedLauncher> all;
  GRAFT_BENCH_FAMILIES(GRAFT_BENCH_ADD_BY_HAND)
  return all;
}

std::vector<NamedLauncher> cub_transforms() {
  std::vector<NamedLauncher> all;
  GRAFT_BENCH_FAMILIES(GRAFT_BENCH_ADD_CUB)
  return all;
}

std::vector<NamedLauncher> thrust_transforms() {
  std::vector<NamedLauncher> all;
  GRAFT_BENCH_FAMILIES(GRAFT_BENCH_ADD_THRUST)
  return all;
}

}  // namespace graft::bench
