#include <cuda_fp16.h>
#include <thrust/iterator/counting_iterator.h>

#include <cub/device/device_transform.cuh>

#include "cuda_check.hpp"
#include "strided.hpp"

namespace graft::bench {
namespace {

template <class Result, class... Elements>
struct Types {
  using Output = Result;
};

struct Twice : Types<float, float> {
  __device__ static float of(float x) { return 2 * x; }
};
struct TwiceHalf : Types<__half, __half> {
  __device__ static __half of(__half x) { return __float2half(2 * __half2float(x)); }
};
struct GeluHalf : Types<__half, __half> {
  __device__ static __half of(__half h) {
    const float x = __half2float(h);
    return __float2half(0.5f * x * (1.0f + erff(x * 0.70710678f)));
  }
};
struct InvertByte : Types<unsigned char, unsigned char> {
  __device__ static unsigned char of(unsigned char x) { return static_cast<unsigned char>(~x); }
};
struct NegateDouble : Types<double, double> {
  __device__ static double of(double x) { return -x; }
};
struct Triad : Types<float, float, float, float> {
  __device__ static float of(float a, float b, float c) { return a * b + c; }
};
struct Add : Types<float, float, float> {
  __device__ static float of(float a, float b) { return a + b; }
};
struct Multiply : Types<float, float, float> {
  __device__ static float of(float a, float b) { return a * b; }
};
struct Unpack : Types<float, unsigned char> {
  __device__ static float of(unsigned char x) { return x * (1.0f / 255); }
};

// The place of an element in each array, in elements.
struct Places {
  long long of[kMostStridedArrays] = {};
};

__device__ Places places_of(const StridedCall& call, unsigned int index) {
  Places places;
  for (int d = call.rank - 1; d >= 0; --d) {
    const unsigned int place = index % call.extents[d];
    index /= call.extents[d];
    for (int k = 0; k < kMostStridedArrays; ++k) places.of[k] += place * call.arrays[k].strides[d];
  }
  return places;
}

template <class Operation, class Result, class... Elements>
__device__ Result apply(const StridedCall& call, const Places& places, Types<Result, Elements...>*) {
  int k = 0;
  // Braces, because only there the order of the elements is that in the text.
  struct Arguments {
    Result result;
    __device__ Arguments(Elements... elements) : result(Operation::of(elements...)) {}
  };
  const auto next = [&](auto* element) {
    const int i = k++;
    return static_cast<decltype(element)>(call.arrays[i].pointer)[places.of[i]];
  };
  return Arguments{next(static_cast<Elements*>(nullptr))...}.result;
}

template <class Operation>
__device__ typename Operation::Output result_at(const StridedCall& call, const Places& places) {
  return apply<Operation>(call, places, static_cast<Operation*>(nullptr));
}

// The output is the last array of the call.
template <class Operation>
__global__ void like_cupy(const __grid_constant__ StridedCall call, int output) {
  for (unsigned int i = blockIdx.x * 128u + threadIdx.x; i < call.count; i += gridDim.x * 128u) {
    const Places places = places_of(call, i);
    static_cast<typename Operation::Output*>(call.arrays[output].pointer)[places.of[output]] =
        result_at<Operation>(call, places);
  }
}

template <class Operation>
struct At {
  StridedCall call;
  __device__ typename Operation::Output operator()(unsigned int i) const {
    return result_at<Operation>(call, places_of(call, i));
  }
};

template <class Result, class... Elements>
constexpr int inputs_of(Types<Result, Elements...>*) {
  return sizeof...(Elements);
}

template <class Run>
void with(Operation operation, Run run) {
  switch (operation) {
    case Operation::Twice:
      return run(static_cast<Twice*>(nullptr));
    case Operation::TwiceHalf:
      return run(static_cast<TwiceHalf*>(nullptr));
    case Operation::GeluHalf:
      return run(static_cast<GeluHalf*>(nullptr));
    case Operation::InvertByte:
      return run(static_cast<InvertByte*>(nullptr));
    case Operation::NegateDouble:
      return run(static_cast<NegateDouble*>(nullptr));
    case Operation::Triad:
      return run(static_cast<Triad*>(nullptr));
    case Operation::Add:
      return run(static_cast<Add*>(nullptr));
    case Operation::Multiply:
      return run(static_cast<Multiply*>(nullptr));
    case Operation::Unpack:
      return run(static_cast<Unpack*>(nullptr));
  }
}

}  // namespace

void run_like_cupy(cudaStream_t stream, Operation operation, const StridedCall& call) {
  with(operation, [&](auto* one) {
    using Chosen = std::remove_pointer_t<decltype(one)>;
    const unsigned int blocks = (call.count + 127) / 128;
    like_cupy<Chosen><<<blocks, 128, 0, stream>>>(call, inputs_of(one));
  });
  check(cudaGetLastError());
}

void run_cub(cudaStream_t stream, Operation operation, const StridedCall& call) {
  with(operation, [&](auto* one) {
    using Chosen = std::remove_pointer_t<decltype(one)>;
    auto* const output = static_cast<typename Chosen::Output*>(call.arrays[inputs_of(one)].pointer);
    check(cub::DeviceTransform::Transform(thrust::counting_iterator<unsigned int>(0), output, call.count,
                                          At<Chosen>{call}, stream));
  });
}

}  // namespace graft::bench
