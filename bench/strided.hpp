// Calls on arrays of any shape as other libraries make them, for bench_shapes: a kernel as CuPy writes it, which
// divides the number of each thread by the extents, and cub::DeviceTransform over a counting iterator.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>

namespace graft::bench {

inline constexpr int kMostStridedArrays = 4, kMostStridedDimensions = 5;

// The operations of the cases. All of them have one output, the last array.
enum class Operation { Twice, TwiceHalf, GeluHalf, InvertByte, NegateDouble, Triad, Add, Multiply, Unpack };

struct StridedCall {
  int rank = 0;
  unsigned int extents[kMostStridedDimensions] = {};  // the outermost first
  unsigned int count = 0;                             // their product
  struct Array {
    void* pointer = nullptr;
    long long strides[kMostStridedDimensions] = {};  // in elements
  };
  Array arrays[kMostStridedArrays] = {};
};

void run_like_cupy(cudaStream_t stream, Operation operation, const StridedCall& call);
// The output must be dense and row-major.
void run_cub(cudaStream_t stream, Operation operation, const StridedCall& call);

}  // namespace graft::bench
