// Reduces whole arrays, in the order of order.h. One function serves every alignment of the inputs.
//
// Each thread block has a chunk, whose accumulator it leaves in memory. The last block that is done combines the
// accumulators. This file is included after lanes.h and before the users' texts.
#pragma once

namespace graft_adapter {

template <class Hooks>
struct WholeReduction {
  using cell = typename Hooks::cell;
  using arguments = typename Hooks::arguments;
  enum : int {
    width = Hooks::width,
    accumulator_bytes = sizeof(typename Hooks::accumulator),
    groups_at_once = groups_under_way<Hooks>,
    // How many thread blocks a multiprocessor should hold at a time: the compiler then keeps registers free.
    blocks_at_once = Hooks::stored_count > 0  ? (width >= 8 && Hooks::stores_some ? 2 : 4)
                     : accumulator_bytes > 16 ? 4
                     : groups_at_once == 4    ? 6
                                              : 8
  };
  using arrays = WholeArrays<Hooks>;

  // Returns how many elements may be loaded in whole words. If words are shifted into place, the last one would have
  // bytes behind the array.
  static __device__ __forceinline__ unsigned long long count_in_words(const arguments& all) {
    const unsigned long long count = all.call.count;
    if (!arrays::are_shifted(all)) return count;
    return count > GRAFT_ALIGNMENT_MARGIN ? count - GRAFT_ALIGNMENT_MARGIN : 0;
  }

  // Combines the groups first, first + lanes, ... below `end`. There is at least one.
  static __device__ __forceinline__ void combine_groups(const arguments& all, unsigned long long first,
                                                        unsigned long long end, cell& sum) {
    const unsigned long long count = all.call.count, whole = count_in_words(all) / width;
    const unsigned long long whole_end = whole < end ? whole : end;
    bool is_first = true;
    unsigned long long group = first;
#pragma unroll 1
    for (; group < whole_end; group += groups_at_once * GRAFT_REDUCE_LANES) {
      graft_share taken[groups_at_once][Hooks::taken_count];
#pragma unroll
      for (int k = 0; k < groups_at_once; ++k)
        if (k == 0 || group + k * GRAFT_REDUCE_LANES < whole_end)
          arrays::template load<width>(all, group + k * GRAFT_REDUCE_LANES, taken[k]);
#pragma unroll
      for (int k = 0; k < groups_at_once; ++k)
        if (k == 0 || group + k * GRAFT_REDUCE_LANES < whole_end) {
          graft_share made[Hooks::made_count];
          unsigned int stored = 0;  // a bit for each element
#pragma unroll
          for (int place = 0; place < width; ++place)
            stored |= add_element<Hooks>(all, taken[k], place,
                                         all.call.first + (group + k * GRAFT_REDUCE_LANES) * width + place,
                                         k == 0 && place == 0 && is_first, sum, made)
                      << place;
          arrays::store_some(all, group + k * GRAFT_REDUCE_LANES, made, stored);
        }
      is_first = false;
    }
    // The last groups of the array, which are not whole or cannot be loaded in words.
    if (first < whole_end) {
      const unsigned long long before = (whole_end - first + GRAFT_REDUCE_LANES - 1) / GRAFT_REDUCE_LANES;
      group = first + before * GRAFT_REDUCE_LANES;
    }
    if (group >= end) return;
    const unsigned long long last = (group + 1) * width < count ? (group + 1) * width : count;
#pragma unroll 1
    for (unsigned long long index = group * width; index < last; ++index) {
      graft_share taken[Hooks::taken_count], made[Hooks::made_count];
      arrays::template load<1>(all, index, taken);
      if (add_element<Hooks>(all, taken, 0, all.call.first + index, is_first, sum, made) != 0)
        arrays::template store<1>(all, index, made);
      is_first = false;
    }
  }

  // The lanes' accumulators of the chunk, and how many lanes have one.
  static __device__ __forceinline__ unsigned int combine_chunk(const arguments& all, cell& sum) {
    const graft_reduce_call& call = all.call;
    const unsigned long long groups = (call.count + width - 1) / width;
    const unsigned long long begin = blockIdx.x * call.chunk_groups, rest = groups - begin;
    const unsigned long long length = rest < call.chunk_groups ? rest : call.chunk_groups;
    if (threadIdx.x < length) combine_groups(all, begin + threadIdx.x, begin + length, sum);
    return length < GRAFT_REDUCE_LANES ? static_cast<unsigned int>(length) : GRAFT_REDUCE_LANES;
  }

  static __device__ __forceinline__ void run(const arguments& all) {
    __shared__ cell of_lanes[GRAFT_REDUCE_LANES];
    wait_for_earlier_kernels();
    // One loop, so that the tree is in the code once.
    const unsigned int step = all.call.step;
    cell* const accumulators = static_cast<cell*>(all.call.accumulators);
    bool makes_results = step == GRAFT_REDUCE_STEP_RESULTS;
    cell sum;
#pragma unroll 1
    for (;;) {
      const unsigned int lanes =
          makes_results ? combine_chunks<Hooks>(accumulators, all.call.chunks, sum) : combine_chunk(all, sum);
      combine_lanes<Hooks>(sum, lanes, of_lanes);
      if (makes_results || (all.call.chunks == 1 && step == GRAFT_REDUCE_STEP_ALL)) break;
      if (threadIdx.x == 0) accumulators[blockIdx.x] = sum;
      if (step == GRAFT_REDUCE_STEP_CHUNKS || !is_last_block(counters_of(all.call), gridDim.x)) return;
      makes_results = true;
    }
    if (threadIdx.x == 0) Hooks::finish_if_any(all, all.call.count, sum, all.call.outputs);
  }
};

}  // namespace graft_adapter

template <class Hooks>
constexpr int graft_reduce_blocks = graft_adapter::WholeReduction<Hooks>::blocks_at_once;
template <class Hooks>
__device__ __forceinline__ void graft_reduce_whole(const graft_reduce_arguments<Hooks>& all) {
  if constexpr (Hooks::verdict() == graft_adapter::kAccepted) graft_adapter::WholeReduction<Hooks>::run(all);
}
