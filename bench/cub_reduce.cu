#include "cub_reduce.hpp"

#include <cuda_fp16.h>

#include <thrust/execution_policy.h>
#include <thrust/extrema.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/transform_reduce.h>
#include <cub/device/device_reduce.cuh>
#include <cub/device/device_segmented_reduce.cuh>
#include <cub/version.cuh>
#include <stdexcept>

#if CUB_VERSION >= 300300
#define HAS_ROWS_AND_REPRODUCIBLE_SUMS
#include <cuda/std/functional>
#include <cuda/stream_ref>
#endif

#include "cuda_check.hpp"

namespace graft::bench {
namespace {

struct Complex {
  float re, im;
};
struct Welford {
  float n, mean, m2;
};
struct Extremes {
  float sum, min, max;
};

struct Add {
  template <class T>
  __device__ T operator()(T a, T b) const {
    return a + b;
  }
  __device__ Complex operator()(Complex a, Complex b) const { return {a.re + b.re, a.im + b.im}; }
  __device__ Welford operator()(Welford a, Welford b) const {
    const float n = a.n + b.n, d = b.mean - a.mean, f = b.n / n;
    return {n, a.mean + d * f, a.m2 + b.m2 + d * d * a.n * f};
  }
  __device__ Extremes operator()(Extremes a, Extremes b) const {
    return {a.sum + b.sum, a.min < b.min ? a.min : b.min, a.max > b.max ? a.max : b.max};
  }
};
struct Larger {
  __device__ double operator()(double a, double b) const { return a < b ? b : a; }
};
struct Square {
  template <class T>
  __device__ T operator()(T x) const {
    return x * x;
  }
};
struct ToFloat {
  __device__ float operator()(__half x) const { return __half2float(x); }
};
struct ToInt {
  __device__ int operator()(signed char x) const { return x; }
};
struct Magnitude {
  __device__ double operator()(double x) const { return x < 0 ? -x : x; }
};
struct Same {
  __device__ Complex operator()(Complex x) const { return x; }
};
struct One {
  __device__ Welford operator()(float x) const { return {1, x, 0}; }
};
struct Thrice {
  __device__ Extremes operator()(float x) const { return {x, x, x}; }
};

// Calls `run`, a template of the types of elements and results, with the functions of a reduction.
template <class Run>
void with_functions(Reduction reduction, Run run) {
  switch (reduction) {
    case Reduction::SquaresF32:
      return run.template operator()<float>(Add(), Square(), 0.0f);
    case Reduction::SumF16:
      return run.template operator()<__half>(Add(), ToFloat(), 0.0f);
    case Reduction::SumI8:
      return run.template operator()<signed char>(Add(), ToInt(), 0);
    case Reduction::MaxF64:
      return run.template operator()<double>(Larger(), Magnitude(), 0.0);
    case Reduction::SumComplex:
      return run.template operator()<Complex>(Add(), Same(), Complex{0, 0});
    case Reduction::Moments:
      return run.template operator()<float>(Add(), One(), Welford{0, 0, 0});
    case Reduction::Three:
      return run.template operator()<float>(Add(), Thrice(), Extremes{0, 1e30f, -1e30f});
    case Reduction::ArgmaxF32:
      throw std::logic_error("argmax is no transform and reduction");
  }
}

struct Call {
  cudaStream_t stream;
  const void* in;
  void* out;
  long long count;
  void* workspace;
  std::size_t& bytes;

  template <class Element, class Result, class Combine, class Map>
  void operator()(Combine combine, Map map, Result initial) const {
    check(cub::DeviceReduce::TransformReduce(workspace, bytes, static_cast<const Element*>(in),
                                             static_cast<Result*>(out), count, combine, map, initial, stream));
  }
};

struct ThrustCall {
  cudaStream_t stream;
  const void* in;
  void* out;
  long long count;

  template <class Element, class Result, class Combine, class Map>
  void operator()(Combine combine, Map map, Result initial) const {
    const Element* const first = static_cast<const Element*>(in);
    const Result result =
        thrust::transform_reduce(thrust::cuda::par_nosync.on(stream), first, first + count, map, initial, combine);
    check(cudaMemcpyAsync(out, &result, sizeof result, cudaMemcpyHostToDevice, stream));
  }
};

template <class T>
__global__ void fill(T* array, long long count) {
  const long long step = static_cast<long long>(gridDim.x) * blockDim.x;
  for (long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x; i < count; i += step) {
    const float value =
        static_cast<float>(static_cast<int>((static_cast<unsigned>(i) * 2654435761u) >> 9 & 1023) - 500);
    if constexpr (sizeof(T) == 1) array[i] = static_cast<T>(static_cast<int>(value));
    else if constexpr (std::is_same_v<T, Complex>) array[i] = {value / 997, value / -499};
    else array[i] = static_cast<T>(value / 997);
  }
}
__global__ void multiples(long long* array, long long count, long long of) {
  const long long step = static_cast<long long>(gridDim.x) * blockDim.x;
  for (long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x; i < count; i += step)
    array[i] = i * of;
}
template <class T>
void fill_with(void* array, long long count) {
  fill<<<1024, 256>>>(static_cast<T*>(array), count);
  check(cudaGetLastError());
}

}  // namespace

void cub_reduce(cudaStream_t stream, Reduction reduction, const void* in, void* out, long long count, void* workspace,
                std::size_t& bytes) {
  if (reduction != Reduction::ArgmaxF32)
    return with_functions(reduction, Call{stream, in, out, count, workspace, bytes});
  check(cub::DeviceReduce::ArgMax(workspace, bytes, static_cast<const float*>(in),
                                  reinterpret_cast<float*>(static_cast<char*>(out) + 64), static_cast<long long*>(out),
                                  count, stream));
}

void thrust_reduce(cudaStream_t stream, Reduction reduction, const void* in, void* out, long long count) {
  const auto policy = thrust::cuda::par_nosync.on(stream);
  if (reduction != Reduction::ArgmaxF32) return with_functions(reduction, ThrustCall{stream, in, out, count});
  const float* const first = static_cast<const float*>(in);
  const long long place = thrust::max_element(policy, first, first + count) - first;
  check(cudaMemcpyAsync(out, &place, sizeof place, cudaMemcpyHostToDevice, stream));
}

std::string cub_version() {
  return std::to_string(CUB_MAJOR_VERSION) + "." + std::to_string(CUB_MINOR_VERSION) + "." +
         std::to_string(CUB_SUBMINOR_VERSION);
}

#ifdef HAS_ROWS_AND_REPRODUCIBLE_SUMS
bool cub_has_reproducible_sums() {
  return true;
}
bool cub_has_rows() {
  return true;
}
template <class T>
void cub_reproducible_sum(cudaStream_t stream, const T* in, T* out, long long count) {
  const auto env = cuda::std::execution::env{cuda::stream_ref{stream},
                                             cuda::execution::require(cuda::execution::determinism::gpu_to_gpu)};
  check(cub::DeviceReduce::Reduce(thrust::make_transform_iterator(in, Square()), out, count, cuda::std::plus<>{}, T(0),
                                  env));
}
void cub_rows(cudaStream_t stream, const float* in, float* out, long long rows, int length, void* workspace,
              std::size_t& bytes) {
  const auto squares = thrust::make_transform_iterator(in, Square());
  check(cub::DeviceSegmentedReduce::Reduce(workspace, bytes, squares, out, rows, length, Add(), 0.0f, stream));
}
#else
bool cub_has_reproducible_sums() {
  return false;
}
bool cub_has_rows() {
  return false;
}
template <class T>
void cub_reproducible_sum(cudaStream_t, const T*, T*, long long) {}
void cub_rows(cudaStream_t, const float*, float*, long long, int, void*, std::size_t&) {}
#endif
template void cub_reproducible_sum(cudaStream_t, const float*, float*, long long);
template void cub_reproducible_sum(cudaStream_t, const double*, double*, long long);

void cub_segments(cudaStream_t stream, const float* in, float* out, long long rows, const long long* offsets,
                  void* workspace, std::size_t& bytes) {
  const auto squares = thrust::make_transform_iterator(in, Square());
  check(cub::DeviceSegmentedReduce::Reduce(workspace, bytes, squares, out, rows, offsets, offsets + 1, Add(), 0.0f,
                                           stream));
}

void fill_offsets(long long* offsets, long long rows, long long length) {
  multiples<<<1024, 256>>>(offsets, rows + 1, length);
  check(cudaGetLastError());
}

void fill_for(Reduction reduction, void* array, long long count) {
  switch (reduction) {
    case Reduction::SumF16:
      return fill_with<__half>(array, count);
    case Reduction::SumI8:
      return fill_with<signed char>(array, count);
    case Reduction::MaxF64:
      return fill_with<double>(array, count);
    case Reduction::SumComplex:
      return fill_with<Complex>(array, count);
    default:
      return fill_with<float>(array, count);
  }
}

}  // namespace graft::bench
