// Reduces views with many elements for each result, in the order of order.h: each chunk has a thread block, and a
// result's last one combines the accumulators. A segment has one thread block. Included after groups.h and before the
// users' texts.
#pragma once

namespace graft_adapter {

template <class Hooks, bool HasSegments>
struct LongReduction {
  using cell = typename Hooks::cell;
  using arguments = typename Hooks::view_arguments;
  enum : int {
    width = Hooks::width,
    // How many groups of a lane are under way at a time.
    groups_at_once = groups_under_way<Hooks>,
    // For how many thread blocks of a multiprocessor the compiler keeps registers free.
    for_views = Hooks::input_count > 2 || sizeof(cell) > 8 || __CUDA_ARCH__ >= 1000 ? 2
                : __CUDA_ARCH__ < 800                                               ? 3
                : width <= 4                                                        ? 5
                                                                                    : 4,
    blocks_at_once = HasSegments && for_views < 5 ? for_views - 1 : for_views
  };

  // The groups of a lane in a chunk, of which the first are already under way.
  struct Lane {
    unsigned long long count;       // elements of the result
    unsigned long long group, end;  // the next group, and that behind the chunk
    unsigned long long whole_end;   // groups below it are whole, if the elements lie along one dimension
    int loaded;                     // groups under way; 0: those from here on are taken one element after the other
    graft_share taken[groups_at_once][Hooks::array_count];

    // Begins a chunk, of which so many groups are in front. Returns how many of its lanes have groups.
    __device__ __forceinline__ unsigned int begin(const arguments& all, const ResultPlace<Hooks>& result,
                                                  unsigned long long its_count, unsigned long long first,
                                                  unsigned long long most) {
      count = its_count;
      const unsigned long long groups = (count + width - 1) / width, rest = groups - first;
      const unsigned long long length = rest < most ? rest : most;
      group = first + threadIdx.x;
      end = first + length;
      const unsigned long long whole = count / width;
      whole_end = whole < end ? whole : end;
      load(all, result);
      return length < GRAFT_REDUCE_LANES ? static_cast<unsigned int>(length) : GRAFT_REDUCE_LANES;
    }

    // Begins to load the next groups, if there are any.
    __device__ __forceinline__ void load(const arguments& all, const ResultPlace<Hooks>& result) {
      loaded = 0;
      if (group >= whole_end) return;
      const ElementPlace<Hooks> at(all, group * width);
      const unsigned char* from[Hooks::array_count];
#pragma unroll
      for (int k = 0; k < Hooks::array_count; ++k) from[k] = at.in(all, result.in[k], k);
      const bool along_one = all.shape.reduced < 2;
      const unsigned long long rest = (along_one ? count : all.shape.dividers[0].extent) - at.inner;
      if (rest < width) return;
#pragma unroll
      for (int k = 0; k < groups_at_once; ++k)
        if (k == 0 || (along_one && group + k * GRAFT_REDUCE_LANES < whole_end)) {
          constexpr int step = GRAFT_REDUCE_LANES * width;
          load_neighbours<Hooks>(all, from, k * step, width, rest - k * step, taken[k]);
          loaded = k + 1;
        }
    }

    // Makes the lane's accumulator.
    __device__ __forceinline__ void combine(const arguments& all, const ResultPlace<Hooks>& result, cell& sum) {
      bool is_first = true;
#pragma unroll 1
      while (group < end) {
        if (loaded == 0) {
          combine_one(all, result, is_first, sum);
          group += GRAFT_REDUCE_LANES;
        } else {
#pragma unroll
          for (int k = 0; k < groups_at_once; ++k)
            if (k < loaded) {
#pragma unroll
              for (int place = 0; place < width; ++place)
                add_element<Hooks>(all, taken[k], place, (group + k * GRAFT_REDUCE_LANES) * width + place,
                                   k == 0 && place == 0 && is_first, sum);
            }
          group += loaded * GRAFT_REDUCE_LANES;
        }
        is_first = false;
        load(all, result);
      }
    }

    // Takes one group, which is not whole, or whose elements are not neighbours.
    __device__ __forceinline__ void combine_one(const arguments& all, const ResultPlace<Hooks>& result, bool is_first,
                                                cell& sum) {
      const unsigned long long begin = group * width, rest = count - begin;
      const int valid = rest < width ? static_cast<int>(rest) : static_cast<int>(width);
#pragma unroll 1
      for (int place = 0; place < valid; ++place) {
        const ElementPlace<Hooks> at(all, begin + place);
        const unsigned char* from[Hooks::array_count];
#pragma unroll
        for (int k = 0; k < Hooks::array_count; ++k) from[k] = at.in(all, result.in[k], k);
        load_element<Hooks>(from, taken[0]);
        add_element<Hooks>(all, taken[0], 0, begin + place, place == 0 && is_first, sum);
      }
    }
  };

  static __device__ __forceinline__ void run(const arguments& all) {
    __shared__ cell of_lanes[GRAFT_REDUCE_LANES];
    wait_for_earlier_kernels();
    const unsigned int blocks = all.shape.threads;  // of a result
    const unsigned int number = blockIdx.x / blocks, chunk = blockIdx.x - number * blocks;
    ResultPlace<Hooks> result;
    result.find(all, all.shape.reduced, all.shape.first + number);
    unsigned long long count = all.call.count;
    if constexpr (HasSegments) {
      const Segment segment(all.shape, all.shape.first + number);
      result.move_inputs(all, segment.begin);
      count = segment.count;
    }
    Lane lane;
    unsigned int lanes = lane.begin(all, result, count, HasSegments ? 0 : chunk * all.call.chunk_groups,
                                    HasSegments ? ~0ull : all.call.chunk_groups);
    cell sum;
    lane.combine(all, result, sum);
    bool is_result = blocks == 1;
    // One loop, so that the tree is in the code once.
#pragma unroll 1
    for (;;) {
      combine_lanes<Hooks>(sum, lanes, of_lanes);
      if (is_result) break;
      cell* const accumulators =
          static_cast<cell*>(all.call.accumulators) + static_cast<unsigned long long>(number) * blocks;
      if (threadIdx.x == 0) accumulators[chunk] = sum;
      if (!is_last_block(counters_of(all.call) + number, blocks)) return;
      lanes = combine_chunks<Hooks>(accumulators, blocks, sum);
      is_result = true;
    }
    if (threadIdx.x == 0) Hooks::finish_if_any(all, count, sum, result.out);
  }
};

}  // namespace graft_adapter

template <class Hooks, bool HasSegments = false>
constexpr int graft_reduce_blocks = graft_adapter::LongReduction<Hooks, HasSegments>::blocks_at_once;
template <class Hooks>
__device__ __forceinline__ void graft_reduce_long(const graft_reduce_view_arguments<Hooks>& all) {
  if constexpr (Hooks::verdict() == graft_adapter::kAccepted) graft_adapter::LongReduction<Hooks, false>::run(all);
}
template <class Hooks>
__device__ __forceinline__ void graft_reduce_long_segments(const graft_reduce_view_arguments<Hooks>& all) {
  if constexpr (Hooks::verdict() == graft_adapter::kAccepted) graft_adapter::LongReduction<Hooks, true>::run(all);
}
