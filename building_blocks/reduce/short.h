// Reduces views with few elements for each result, in the order of order.h: up to 32 threads of a warp make a result.
// Its elements are one chunk, and lie along one dimension. They may be a segment; one that is much longer than the
// others is made by a whole warp. Included after warps.h and before the users' texts.
#pragma once

namespace graft_adapter {

template <class Hooks, bool HasSegments>
struct ShortReduction {
  using cell = typename Hooks::cell;
  using arguments = typename Hooks::view_arguments;
  // A chunk that is not a segment has few elements.
  using Number = typename Select<HasSegments, unsigned long long, unsigned int>::type;
  enum : int {
    lanes_of_thread = static_cast<int>(graft_reduce_lanes_of_thread(Hooks::width, Hooks::input_count)),
    // How many thread blocks a multiprocessor should hold at a time: the compiler then keeps registers free.
    blocks_at_once = (Hooks::input_count > 2 || sizeof(cell) > 8 ? 2
                      : Hooks::width >= 8                        ? 3
                                                                 : 4) -
                     (HasSegments ? 1 : 0)
  };

  static __device__ __forceinline__ void run(const arguments& all) {
    wait_for_earlier_kernels();
    const unsigned int threads = 1u << all.shape.threads, thread = threadIdx.x & (threads - 1);
    const unsigned long long number =
        (static_cast<unsigned long long>(blockIdx.x) * GRAFT_REDUCE_LANES + threadIdx.x) >> all.shape.threads;
    const bool exists = number < all.shape.results;
    ResultPlace<Hooks> result;
    result.find(all, all.shape.reduced, all.shape.first + (exists ? number : 0));
    Number count = exists ? static_cast<Number>(all.call.count) : 0;
    if constexpr (HasSegments) {
      if (exists) {
        const Segment segment(all.shape, all.shape.first + number);
        result.move_inputs(all, segment.begin);
        count = segment.count;
      }
    }
    Number groups = (count + Hooks::width - 1) / Hooks::width;
    bool is_long = false;
    if constexpr (HasSegments) {
      const unsigned int lanes = threads * lanes_of_thread;  // of a result at a time
      is_long = groups > (lanes < GRAFT_REDUCE_FIRST_LANES ? lanes : 16 * lanes);
      if (is_long) groups = count = 0;
    }
    cell sums[lanes_of_thread];
#pragma unroll 1
    for (unsigned int begin = 0; begin < GRAFT_REDUCE_LANES && begin < groups; begin += GRAFT_REDUCE_FIRST_LANES)
      combine_lanes_from(all, result, count, begin + thread, threads, begin == 0, sums);
    combine_own(sums, thread, threads, groups);
    combine_in_warp<Hooks>(sums[0], threads / 2, thread, groups);
    if (thread == 0 && exists && !is_long) Hooks::finish_if_any(all, count, sums[0], result.out);
    if constexpr (HasSegments) combine_long_ones(all, number, is_long && thread == 0);
  }

 private:
  // Makes the results of those threads of the warp that have a long one.
  static __device__ __forceinline__ void combine_long_ones(const arguments& all, unsigned long long number,
                                                           bool has_long) {
#pragma unroll 1
    for (unsigned int threads = __ballot_sync(0xffffffffu, has_long); threads != 0; threads &= threads - 1) {
      const unsigned long long its_number =
          all.shape.first + __shfl_sync(0xffffffffu, number, __ffs(static_cast<int>(threads)) - 1);
      const Segment segment(all.shape, its_number);
      ResultPlace<Hooks> result;
      result.find(all, all.shape.reduced, its_number);
      result.move_inputs(all, segment.begin);
      cell sum;
      combine_by_warp<Hooks>(all, result, segment.count, 0, (segment.count + Hooks::width - 1) / Hooks::width, sum);
      if (threadIdx.x % 32 == 0) Hooks::run_finish(all, sum, result.out);
    }
  }

  // Makes the accumulators of the lanes lane, lane + threads, ..., and combines each with that of the lane 32 below.
  static __device__ __forceinline__ void combine_lanes_from(const arguments& all, const ResultPlace<Hooks>& result,
                                                            Number count, unsigned int lane, unsigned int threads,
                                                            bool is_first, cell* sums) {
    const Number groups = (count + Hooks::width - 1) / Hooks::width;
    cell made[lanes_of_thread];
#pragma unroll 1
    for (Number base = lane; base < groups; base += GRAFT_REDUCE_LANES) {
      graft_share taken[lanes_of_thread][Hooks::array_count];
#pragma unroll
      for (int j = 0; j < lanes_of_thread; ++j) {
        const Number element = (base + j * threads) * Hooks::width;
        if (element < count) {
          const Number rest = count - element;
          load_neighbours<Hooks>(all, result.in, static_cast<long long>(element),
                                 rest < Hooks::width ? static_cast<int>(rest) : static_cast<int>(Hooks::width), rest,
                                 taken[j]);
        }
      }
#pragma unroll
      for (int j = 0; j < lanes_of_thread; ++j) {
        const Number element = (base + j * threads) * Hooks::width;
#pragma unroll
        for (unsigned int place = 0; place < Hooks::width; ++place)
          if (element + place < count)
            add_element<Hooks>(all, taken[j], place, element + place, place == 0 && base == lane, made[j]);
      }
    }
#pragma unroll
    for (int j = 0; j < lanes_of_thread; ++j)
      if (lane + j * threads < groups) {
        if (is_first) sums[j] = made[j];
        else Hooks::run_combine(sums[j], made[j]);
      }
  }

  // The first steps of the tree, in which both lanes are this thread's.
  static __device__ __forceinline__ void combine_own(cell* sums, unsigned int thread, unsigned int threads,
                                                     Number groups) {
#pragma unroll
    for (int distance = lanes_of_thread / 2; distance > 0; distance /= 2)
#pragma unroll
      for (int j = 0; j < distance; ++j)
        if (thread + (j + distance) * threads < groups) Hooks::run_combine(sums[j], sums[j + distance]);
  }
};

}  // namespace graft_adapter

template <class Hooks, bool HasSegments = false>
constexpr int graft_reduce_blocks = graft_adapter::ShortReduction<Hooks, HasSegments>::blocks_at_once;
template <class Hooks>
__device__ __forceinline__ void graft_reduce_short(const graft_reduce_view_arguments<Hooks>& all) {
  if constexpr (Hooks::verdict() == graft_adapter::kAccepted) graft_adapter::ShortReduction<Hooks, false>::run(all);
}
template <class Hooks>
__device__ __forceinline__ void graft_reduce_short_segments(const graft_reduce_view_arguments<Hooks>& all) {
  if constexpr (Hooks::verdict() == graft_adapter::kAccepted) graft_adapter::ShortReduction<Hooks, true>::run(all);
}
