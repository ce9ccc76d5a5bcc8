// Returns the version of CUB with which the peers were compiled. The function is in a file of its own, because
// bench_throughput and bench_throughput_cccl each compile this file with a different CCCL.
#include <cub/version.cuh>
#include <string>

#include "peers.hpp"

namespace graft::bench {

std::string cccl_version() {
  return std::to_string(CUB_MAJOR_VERSION) + "." + std::to_string(CUB_MINOR_VERSION) + "." +
         std::to_string(CUB_SUBMINOR_VERSION);
}

bool cccl_is_the_toolkits() {
#ifdef GRAFT_BENCH_OTHER_CCCL
  return false;
#else
  return true;
#endif
}

}  // namespace graft::bench
