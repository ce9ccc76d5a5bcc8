// Calls the toolkit's cub::DeviceReduce as its documentation shows, for the reductions of bench_reduce.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>

namespace graft::bench {

enum class Reduction {
  SquaresF32,
  SumF16,
  SumI8,
  MaxF64,
  SumComplex,
  ArgmaxF32,
  Moments,  // mean and variance by Welford's method
  Three,    // sum, least and largest
};

// Reduces `count` elements. With null `workspace`, only sets `bytes` to the size of the workspace.
void cub_reduce(cudaStream_t stream, Reduction reduction, const void* in, void* out, long long count, void* workspace,
                std::size_t& bytes);

// Sums the squares of floats in `rows` segments, which begin and end at `offsets`, of which there is one more.
void cub_segments(cudaStream_t stream, const float* in, float* out, long long rows, const long long* offsets,
                  void* workspace, std::size_t& bytes);
// Makes such offsets for segments of this length.
void fill_offsets(long long* offsets, long long rows, long long length);

// Fills an array with `count` numbers of the reduction's element type.
void fill_for(Reduction reduction, void* array, long long count);

}  // namespace graft::bench
