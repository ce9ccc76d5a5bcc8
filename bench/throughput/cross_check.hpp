// Compares the references of reference.hpp with a third implementation: the same formulas with Eigen's arrays of
// doubles on the host, over the same inputs.
#pragma once

#include <cuda_runtime_api.h>

#include "operation.hpp"

namespace graft::bench {

struct CrossCheck {
  std::size_t values = 0;  // number of values compared
  std::size_t unlike = 0;  // number that differ by more than 1e-11, relative, or absolute below 1
  double worst = 0;        // the largest difference
};

// Checks the references on the inputs of this launch.
CrossCheck cross_check(cudaStream_t stream, const Operation& operation, const Launch& launch);

}  // namespace graft::bench
