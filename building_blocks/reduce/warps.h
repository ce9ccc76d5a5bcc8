// Chunks of elements along one dimension that one warp makes: its threads have the lanes thread, thread + 32, ... one
// after the other. Included after groups.h.
#pragma once

namespace graft_adapter {

// Makes the chunk of the groups from `begin` to `end`. The warp's first thread gets the accumulator.
template <class Hooks>
__device__ __forceinline__ void combine_by_warp(const typename Hooks::view_arguments& all,
                                                const ResultPlace<Hooks>& result, unsigned long long count,
                                                unsigned long long begin, unsigned long long end,
                                                typename Hooks::cell& sum) {
  constexpr int width = Hooks::width, groups_at_once = groups_under_way<Hooks>;
  const unsigned int thread = threadIdx.x % 32;
  // The next group of the thread is the one `of_lane` groups behind the first of the lane.
  unsigned int lane = thread;
  unsigned long long of_lane = 0;
  typename Hooks::cell made;
#pragma unroll 1
  while (lane < GRAFT_REDUCE_LANES && begin + lane < end) {
    graft_share taken[groups_at_once][Hooks::array_count];
    unsigned long long elements[groups_at_once];
    int valid[groups_at_once];  // of the group's elements; 0: there is none
    bool begin_lane[groups_at_once], end_lane[groups_at_once], are_of_first[groups_at_once];
#pragma unroll
    for (int k = 0; k < groups_at_once; ++k) {
      begin_lane[k] = of_lane == 0;
      are_of_first[k] = lane == thread;
      elements[k] = (begin + lane + of_lane) * width;
      valid[k] = 0;
      if (lane < GRAFT_REDUCE_LANES && begin + lane < end) {
        const unsigned long long rest = count - elements[k];
        valid[k] = rest < width ? static_cast<int>(rest) : static_cast<int>(width);
        load_neighbours<Hooks>(all, result.in, static_cast<long long>(elements[k]), valid[k], rest, taken[k]);
      }
      of_lane += GRAFT_REDUCE_LANES;
      end_lane[k] = begin + lane + of_lane >= end;
      if (end_lane[k]) {
        lane += 32;
        of_lane = 0;
      }
    }
#pragma unroll
    for (int k = 0; k < groups_at_once; ++k) {
      if (valid[k] == 0) break;
#pragma unroll
      for (int place = 0; place < width; ++place)
        if (place < valid[k])
          add_element<Hooks>(all, taken[k], place, elements[k] + place, place == 0 && begin_lane[k], made);
      if (!end_lane[k]) continue;
      if (are_of_first[k]) sum = made;
      else Hooks::run_combine(sum, made);
    }
  }
  combine_in_warp<Hooks>(sum, GRAFT_REDUCE_FIRST_LANES / 2, thread, end - begin);
}

}  // namespace graft_adapter
