// Reduces views whose results have several chunks of elements along one dimension, in the order of order.h: each result
// has one thread block or 32, whose warps make chunks. Included after warps.h and before the users' texts.
#pragma once

namespace graft_adapter {

template <class Hooks>
struct ChunksReduction {
  using cell = typename Hooks::cell;
  using arguments = typename Hooks::view_arguments;
  enum : int {
    // For how many thread blocks of a multiprocessor the compiler keeps registers free.
    blocks_at_once = Hooks::input_count > 2 || sizeof(cell) > 8 || __CUDA_ARCH__ >= 1000 ? 2
                     : __CUDA_ARCH__ >= 800                                              ? 4
                                                                                         : 3
  };

  // Makes every `blocks`th chunk of a result, beginning with `first`, by warps. With one block, each lane of chunks
  // gets its accumulator; with 32, the block's lanes differ by multiples of 32, so that thread 0 gets the accumulator
  // of them all.
  static __device__ __forceinline__ void combine_own(const arguments& all, const ResultPlace<Hooks>& result,
                                                     unsigned int first, unsigned int blocks, cell& sum) {
    __shared__ cell of_chunks[GRAFT_REDUCE_LANES];
    const unsigned int chunks = all.call.chunks, own_lanes = GRAFT_REDUCE_LANES / blocks;
    const unsigned long long groups = (all.call.count + Hooks::width - 1) / Hooks::width;
#pragma unroll 1
    for (unsigned int i = threadIdx.x / 32;; i += GRAFT_REDUCE_LANES / 32) {
      const unsigned int chunk = first + i * blocks;
      if (chunk >= chunks) break;
      cell of_chunk;
      const unsigned long long begin = chunk * all.call.chunk_groups, rest = groups - begin;
      combine_by_warp<Hooks>(all, result, all.call.count, begin,
                             begin + (rest < all.call.chunk_groups ? rest : all.call.chunk_groups), of_chunk);
      if (threadIdx.x % 32 != 0) continue;
      cell& of_lane = of_chunks[i % own_lanes];
      if (i < own_lanes) of_lane = of_chunk;
      else Hooks::run_combine(of_lane, of_chunk);
    }
    __syncthreads();
    sum = of_chunks[threadIdx.x];
    if (blocks == 1 || threadIdx.x > 0) return;
#pragma unroll 1
    for (unsigned int i = 1; i < own_lanes && first + i * blocks < chunks; ++i) Hooks::run_combine(sum, of_chunks[i]);
  }

  static __device__ __forceinline__ void run(const arguments& all) {
    __shared__ cell of_lanes[GRAFT_REDUCE_LANES];
    wait_for_earlier_kernels();
    const unsigned int chunks = all.call.chunks, blocks = all.shape.threads;  // of a result
    const unsigned int number = blockIdx.x / blocks, first = blockIdx.x - number * blocks;
    ResultPlace<Hooks> result;
    result.find(all, all.shape.reduced, all.shape.first + number);
    cell sum;
    combine_own(all, result, first, blocks, sum);
    unsigned int lanes = chunks < GRAFT_REDUCE_LANES ? chunks : GRAFT_REDUCE_LANES;
    if (blocks > 1) {
      cell* const accumulators =
          static_cast<cell*>(all.call.accumulators) + static_cast<unsigned long long>(number) * blocks;
      if (threadIdx.x == 0) accumulators[first] = sum;
      if (!is_last_block(counters_of(all.call) + number, blocks)) return;
      lanes = combine_chunks<Hooks>(accumulators, blocks, sum);
    }
    combine_lanes<Hooks>(sum, lanes, of_lanes);
    if (threadIdx.x == 0) Hooks::finish_if_any(all, all.call.count, sum, result.out);
  }
};

}  // namespace graft_adapter

template <class Hooks>
constexpr int graft_reduce_blocks = graft_adapter::ChunksReduction<Hooks>::blocks_at_once;
template <class Hooks>
__device__ __forceinline__ void graft_reduce_chunks(const graft_reduce_view_arguments<Hooks>& all) {
  if constexpr (Hooks::verdict() == graft_adapter::kAccepted) graft_adapter::ChunksReduction<Hooks>::run(all);
}
