// Calls cub::DeviceReduce, cub::DeviceSegmentedReduce and Thrust as their documentation shows, for the reductions of
// bench_reduce and bench_reduce_views. They are those of the toolkit, or of another CCCL (GRAFT_BENCH_CCCL).
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <string>

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

// The version of CUB: "3.0.1".
std::string cub_version();

// Reduces `count` elements. With null `workspace`, only sets `bytes` to the size of the workspace.
void cub_reduce(cudaStream_t stream, Reduction reduction, const void* in, void* out, long long count, void* workspace,
                std::size_t& bytes);

// Does the same with Thrust, which waits for the result.
void thrust_reduce(cudaStream_t stream, Reduction reduction, const void* in, void* out, long long count);

// Whether CUB has sums with the same bits on each GPU, and such a sum of the squares of floats or of doubles.
bool cub_has_reproducible_sums();
template <class T>
void cub_reproducible_sum(cudaStream_t stream, const T* in, T* out, long long count);

// Whether CUB has segments of one size, and the sums of the squares of floats in such segments.
bool cub_has_rows();
void cub_rows(cudaStream_t stream, const float* in, float* out, long long rows, int length, void* workspace,
              std::size_t& bytes);

// Sums the squares of floats in `rows` segments, which begin and end at `offsets`, of which there is one more.
void cub_segments(cudaStream_t stream, const float* in, float* out, long long rows, const long long* offsets,
                  void* workspace, std::size_t& bytes);
// Makes such offsets for segments of this length.
void fill_offsets(long long* offsets, long long rows, long long length);

// Fills an array with `count` numbers of the reduction's element type.
void fill_for(Reduction reduction, void* array, long long count);

}  // namespace graft::bench
