#include "cub_reduce.hpp"

#include <cuda_fp16.h>

#include <thrust/iterator/transform_iterator.h>
#include <cub/device/device_reduce.cuh>
#include <cub/device/device_segmented_reduce.cuh>

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
  __device__ float operator()(float x) const { return x * x; }
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

struct Call {
  cudaStream_t stream;
  const void* in;
  void* out;
  long long count;
  void* workspace;
  std::size_t& bytes;

  template <class Element, class Result, class Combine, class Map>
  void run(Combine combine, Map map, Result initial) const {
    check(cub::DeviceReduce::TransformReduce(workspace, bytes, static_cast<const Element*>(in),
                                             static_cast<Result*>(out), count, combine, map, initial, stream));
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
  const Call call = {stream, in, out, count, workspace, bytes};
  switch (reduction) {
    case Reduction::SquaresF32:
      return call.run<float>(Add(), Square(), 0.0f);
    case Reduction::SumF16:
      return call.run<__half>(Add(), ToFloat(), 0.0f);
    case Reduction::SumI8:
      return call.run<signed char>(Add(), ToInt(), 0);
    case Reduction::MaxF64:
      return call.run<double>(Larger(), Magnitude(), 0.0);
    case Reduction::SumComplex:
      return call.run<Complex>(Add(), Same(), Complex{0, 0});
    case Reduction::Moments:
      return call.run<float>(Add(), One(), Welford{0, 0, 0});
    case Reduction::Three:
      return call.run<float>(Add(), Thrice(), Extremes{0, 1e30f, -1e30f});
    case Reduction::ArgmaxF32:
      break;
  }
  check(cub::DeviceReduce::ArgMax(workspace, bytes, static_cast<const float*>(in),
                                  reinterpret_cast<float*>(static_cast<char*>(out) + 64), static_cast<long long*>(out),
                                  count, stream));
}

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
