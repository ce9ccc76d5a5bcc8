// The references of reference.hpp against Eigen on the host: the same inputs, the same formulas written once more over
// arrays of doubles.
#pragma once

#include <cuda_runtime_api.h>

#include "operation.hpp"

namespace graft::bench {

struct CrossCheck {
  std::size_t values = 0;  // that were compared
  std::size_t unlike = 0;  // of these, by more than 1e-11, relative or below 1 absolute
  double worst = 0;        // the greatest such difference
};

// Over this launch's inputs.
CrossCheck cross_check(cudaStream_t stream, const Operation& operation, const Launch& launch);

}  // namespace graft::bench
