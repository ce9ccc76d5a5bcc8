// The hand-written peer: the "float4 kernel" of CUDA tuning guides, written for each callback. A thread block has 256
// threads. Each thread handles one group of adjacent elements, and reads and writes every array in 16-byte words. The
// group is the smallest run of elements that fills whole words in every array. Elements before the first 16-byte
// boundary and after the last whole group are handled one by one. If the arrays do not reach a 16-byte boundary at the
// same element, a kernel with one element per thread handles all elements.
#include <algorithm>
#include <numeric>

#include "../cuda_check.hpp"
#include "family.cuh"

namespace graft::bench {
namespace {

constexpr unsigned kThreads = 256;
constexpr unsigned kWord = sizeof(uint4);

template <class T, unsigned width>
struct alignas(kWord) Group {
  T element[width];
};

template <unsigned width, class T>
__device__ Group<T, width> load(const T* from) {
  Group<T, width> group;
#pragma unroll
  for (unsigned i = 0; i < sizeof group / kWord; ++i)
    reinterpret_cast<uint4*>(&group)[i] = reinterpret_cast<const uint4*>(from)[i];
  return group;
}

// Stores 16-byte words by __stwb, which is an ordinary store in assembly. Without __stwb, the compiler would split each
// 16-byte store into stores of single elements.
template <unsigned width, class T>
__device__ void store(T* to, const Group<T, width>& group) {
#pragma unroll
  for (unsigned i = 0; i < sizeof group / kWord; ++i)
    __stwb(reinterpret_cast<uint4*>(to) + i, reinterpret_cast<const uint4*>(&group)[i]);
}

// Calls a callback for one element and writes its result to `out`. apply_two() is for callbacks that write two output
// parameters.
template <class Call, class Out, class... In>
__device__ void apply(Call call, std::size_t index, Out& out, const In&... in) {
  if constexpr (Call::Signature::takes_index) out = call(Index{index}, in...);
  else out = call(in...);
}
template <class Call, class... In>
__device__ void apply_two(Call call, float& first, float& second, const In&... in) {
  call(in..., first, second);
}

template <class Call, class Out, class... In>
__global__ void __launch_bounds__(kThreads)
    one_each(std::size_t count, Call call, Out* __restrict__ out, const In* __restrict__... in) {
  const std::size_t i = std::size_t{blockIdx.x} * kThreads + threadIdx.x;
  if (i < count) apply(call, i, out[i], in[i]...);
}

template <unsigned width, class Call, class Out, class... In>
__global__ void __launch_bounds__(kThreads)
    in_words(std::size_t count, unsigned head, Call call, Out* __restrict__ out, const In* __restrict__... in) {
  if (blockIdx.x == 0 && threadIdx.x < head) apply(call, threadIdx.x, out[threadIdx.x], in[threadIdx.x]...);
  const std::size_t first = head + (std::size_t{blockIdx.x} * kThreads + threadIdx.x) * width;
  if (first + width <= count) {
    Group<Out, width> results;
    [&](const auto&... groups) {
#pragma unroll
      for (unsigned i = 0; i < width; ++i) apply(call, first + i, results.element[i], groups.element[i]...);
    }(load<width>(in + first)...);
    store<width>(out + first, results);
  } else {
#pragma unroll 1
    for (std::size_t i = first; i < count; ++i) apply(call, i, out[i], in[i]...);
  }
}

// The same as one_each(), but for callbacks with two outputs of floats.
template <class Call, class... In>
__global__ void __launch_bounds__(kThreads) one_each_two(std::size_t count, Call call, float* __restrict__ out0,
                                                         float* __restrict__ out1, const In* __restrict__... in) {
  const std::size_t i = std::size_t{blockIdx.x} * kThreads + threadIdx.x;
  if (i < count) apply_two(call, out0[i], out1[i], in[i]...);
}

template <unsigned width, class Call, class... In>
__global__ void __launch_bounds__(kThreads)
    in_words_two(std::size_t count, unsigned head, Call call, float* __restrict__ out0, float* __restrict__ out1,
                 const In* __restrict__... in) {
  if (blockIdx.x == 0 && threadIdx.x < head) apply_two(call, out0[threadIdx.x], out1[threadIdx.x], in[threadIdx.x]...);
  const std::size_t first = head + (std::size_t{blockIdx.x} * kThreads + threadIdx.x) * width;
  if (first + width <= count) {
    Group<float, width> results0, results1;
    [&](const auto&... groups) {
#pragma unroll
      for (unsigned i = 0; i < width; ++i)
        apply_two(call, results0.element[i], results1.element[i], groups.element[i]...);
    }(load<width>(in + first)...);
    store<width>(out0 + first, results0);
    store<width>(out1 + first, results1);
  } else {
#pragma unroll 1
    for (std::size_t i = first; i < count; ++i) apply_two(call, out0[i], out1[i], in[i]...);
  }
}

unsigned blocks_for(std::size_t count, std::size_t elements_per_block) {
  return static_cast<unsigned>((count + elements_per_block - 1) / elements_per_block);
}

// Returns the first element at which all arrays are on a 16-byte boundary, or kWord if there is no such element.
template <class... T>
unsigned find_head(const T*... arrays) {
  for (unsigned head = 0; head < kWord; ++head)
    if (((reinterpret_cast<std::size_t>(arrays + head) % kWord == 0) && ...)) return head;
  return kWord;
}

template <class... T>
constexpr unsigned width_for() {
  unsigned width = 1;
  ((width = std::max<unsigned>(width, kWord / std::gcd(sizeof(T), sizeof(uint4)))), ...);
  return width;
}

template <class Call, class Inputs = typename Call::Signature::Inputs,
          class Outputs = typename Call::Signature::Outputs,
          class Places = std::make_index_sequence<std::tuple_size_v<Inputs>>>
struct ByHand;

template <class Call, class... In, class Out, std::size_t... k>
struct ByHand<Call, std::tuple<In...>, std::tuple<Out>, std::index_sequence<k...>> {
  static void launch(cudaStream_t stream, const Launch& launch) {
    run(stream, launch.count, static_cast<Out*>(launch.out[0]), static_cast<const In*>(launch.in[k])...);
    check(cudaGetLastError());
  }
  static void run(cudaStream_t stream, std::size_t count, Out* out, const In*... in) {
    constexpr unsigned width = width_for<Out, In...>();
    const unsigned head = find_head(out, in...);
    if (head < kWord)
      in_words<width><<<blocks_for(count, kThreads * width), kThreads, 0, stream>>>(count, head, Call{}, out, in...);
    else one_each<<<blocks_for(count, kThreads), kThreads, 0, stream>>>(count, Call{}, out, in...);
  }
};

template <class Call, class... In, std::size_t... k>
struct ByHand<Call, std::tuple<In...>, std::tuple<float, float>, std::index_sequence<k...>> {
  static void launch(cudaStream_t stream, const Launch& launch) {
    run(stream, launch.count, static_cast<float*>(launch.out[0]), static_cast<float*>(launch.out[1]),
        static_cast<const In*>(launch.in[k])...);
    check(cudaGetLastError());
  }
  static void run(cudaStream_t stream, std::size_t count, float* out0, float* out1, const In*... in) {
    constexpr unsigned width = width_for<float, In...>();
    const unsigned head = find_head(out0, out1, in...);
    if (head < kWord)
      in_words_two<width>
          <<<blocks_for(count, kThreads * width), kThreads, 0, stream>>>(count, head, Call{}, out0, out1, in...);
    else one_each_two<<<blocks_for(count, kThreads), kThreads, 0, stream>>>(count, Call{}, out0, out1, in...);
  }
};

}  // namespace

void GRAFT_BENCH_JOIN(add_kernels_by_hand_, GRAFT_BENCH_FAMILY)(std::vector<NamedLauncher>& all) {
#define GRAFT_BENCH_ADD(operation, type, ...) \
  all.push_back({#operation "_" #type, &ByHand<call_##operation##_##type>::launch});
  GRAFT_BENCH_OF_FAMILY(GRAFT_BENCH_ADD)
}

}  // namespace graft::bench
