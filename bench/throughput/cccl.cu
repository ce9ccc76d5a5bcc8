// The peers from CCCL, called as CCCL's documentation shows: cub::DeviceTransform over a tuple of input pointers, and
// thrust::transform (generate, tabulate) on a stream without Thrust's synchronisation. This file is compiled against
// the toolkit's CCCL and, for a second program, against a newer CCCL.
#include <thrust/execution_policy.h>
#include <thrust/generate.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/tabulate.h>
#include <thrust/transform.h>
#include <thrust/zip_function.h>

#include <algorithm>
#include <cub/device/device_transform.cuh>
#include <cuda/std/tuple>
#include <limits>

#include "../cuda_check.hpp"
#include "family.cuh"

namespace graft::bench {
namespace {

// Turns a callback with two outputs into a function that returns a tuple.
template <class Call, class First, class Second>
struct ReturningPair {
  template <class... A>
  __device__ cuda::std::tuple<First, Second> operator()(const A&... arguments) const {
    First first;
    Second second;
    Call{}(arguments..., first, second);
    return {first, second};
  }
};

// Calls a callback that takes an index. The index comes from a counting iterator, which CCCL reads like an input.
template <class Call>
struct OfIndex {
  template <class Integer>
  __device__ auto operator()(Integer index) const {
    return Call{}(Index{static_cast<unsigned long long>(index)});
  }
};

// A callback in CCCL's terms: the function object, its iterators, and the size of its largest element.
template <class Call, class Inputs, class Outputs>
struct Shape;
template <class Call, class... In, class Out>
struct Shape<Call, std::tuple<In...>, std::tuple<Out>> {
  static constexpr bool takes_index = Call::Signature::takes_index;
  static constexpr std::size_t largest = std::max({sizeof(Out), sizeof(In)...});
  using Function = std::conditional_t<takes_index, OfIndex<Call>, Call>;
  static auto output(const Launch& launch) { return static_cast<Out*>(launch.out[0]); }
  static auto cub_output(const Launch& launch) { return output(launch); }
};
template <class Call, class... In, class First, class Second>
struct Shape<Call, std::tuple<In...>, std::tuple<First, Second>> {
  static constexpr bool takes_index = false;
  static constexpr std::size_t largest = std::max({sizeof(First), sizeof(Second), sizeof(In)...});
  using Function = ReturningPair<Call, First, Second>;
  static auto output(const Launch& launch) {
    return thrust::make_zip_iterator(static_cast<First*>(launch.out[0]), static_cast<Second*>(launch.out[1]));
  }
  static auto cub_output(const Launch& launch) {
#if CCCL_VERSION >= 3001000  // From this version on, CUB accepts a tuple of outputs.
    return cuda::std::make_tuple(static_cast<First*>(launch.out[0]), static_cast<Second*>(launch.out[1]));
#else
    return output(launch);
#endif
  }
};

template <class Call, class Inputs = typename Call::Signature::Inputs,
          class Places = std::make_index_sequence<std::tuple_size_v<Inputs>>>
struct Cccl;

template <class Call, class... In, std::size_t... k>
struct Cccl<Call, std::tuple<In...>, std::index_sequence<k...>> {
  using S = Shape<Call, std::tuple<In...>, typename Call::Signature::Outputs>;
  using Function = typename S::Function;

  static auto cub_inputs([[maybe_unused]] const Launch& launch) {
    if constexpr (S::takes_index) return cuda::std::make_tuple(thrust::make_counting_iterator(0));
    else return cuda::std::make_tuple(static_cast<const In*>(launch.in[k])...);
  }

  // Passes counts that fit in an int as int, as a user who wants speed would do, and larger counts as 64-bit integers.
  static void cub(cudaStream_t stream, const Launch& launch) {
    constexpr std::size_t most = (std::size_t{1} << 31) / S::largest;
    constexpr std::size_t most_in_int = std::numeric_limits<int>::max();
    if (launch.count <= most_in_int) return cub_as(stream, launch, static_cast<int>(launch.count));
    if constexpr (most > most_in_int) return cub_as(stream, launch, static_cast<long long>(launch.count));
    throw std::runtime_error("this peer was compiled for fewer elements");
  }
  template <class Count>
  static void cub_as(cudaStream_t stream, const Launch& launch, Count count) {
    check(cub::DeviceTransform::Transform(cub_inputs(launch), S::cub_output(launch), count, Function{}, stream));
  }

  static void thrust(cudaStream_t stream, const Launch& launch) {
    const auto policy = ::thrust::cuda::par_nosync.on(stream);
    thrust_on(policy, S::output(launch), launch.count, static_cast<const In*>(launch.in[k])...);
  }
  template <class Policy, class Out>
  static void thrust_on(const Policy& policy, Out out, std::size_t count) {
    if constexpr (S::takes_index) ::thrust::tabulate(policy, out, out + count, Function{});
    else ::thrust::generate(policy, out, out + count, Function{});
  }
  template <class Policy, class Out, class A>
  static void thrust_on(const Policy& policy, Out out, std::size_t count, const A* a) {
    ::thrust::transform(policy, a, a + count, out, Function{});
  }
  template <class Policy, class Out, class A, class B>
  static void thrust_on(const Policy& policy, Out out, std::size_t count, const A* a, const B* b) {
    ::thrust::transform(policy, a, a + count, b, out, Function{});
  }
  template <class Policy, class Out, class A, class B, class C>
  static void thrust_on(const Policy& policy, Out out, std::size_t count, const A* a, const B* b, const C* c) {
    const auto first = ::thrust::make_zip_iterator(a, b, c);
    ::thrust::transform(policy, first, first + static_cast<std::ptrdiff_t>(count), out,
                        ::thrust::make_zip_function(Function{}));
  }
};

}  // namespace

void GRAFT_BENCH_JOIN(add_cub_transforms_, GRAFT_BENCH_FAMILY)(std::vector<NamedLauncher>& all) {
#define GRAFT_BENCH_ADD_CUB(operation, type, ...) \
  all.push_back({#operation "_" #type, &Cccl<call_##operation##_##type>::cub});
  GRAFT_BENCH_OF_FAMILY(GRAFT_BENCH_ADD_CUB)
}

void GRAFT_BENCH_JOIN(add_thrust_transforms_, GRAFT_BENCH_FAMILY)(std::vector<NamedLauncher>& all) {
#define GRAFT_BENCH_ADD_THRUST(operation, type, ...) \
  all.push_back({#operation "_" #type, &Cccl<call_##operation##_##type>::thrust});
  GRAFT_BENCH_OF_FAMILY(GRAFT_BENCH_ADD_THRUST)
}

}  // namespace graft::bench
