// Compares the references of reference.hpp with another implementation of the same formulas: Eigen's arrays of doubles
// on the host, over the same inputs.
#pragma once

#include <cuda_runtime_api.h>

#include "operation.hpp"

namespace graft::bench {

struct CrossCheck {
  std::size_t values = 0;  // number of compared values
  // Number of values that differ by more than 1e-11. The difference is relative, or absolute for values below 1.
  std::size_t unlike = 0;
  double worst = 0;  // the largest difference; NaN if one is NaN
};

// Compares the two implementations on the inputs of this launch.
CrossCheck cross_check(cudaStream_t stream, const Operation& operation, const Launch& launch);

}  // namespace graft::bench
