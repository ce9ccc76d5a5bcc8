// Reduces views with at most two groups of elements for each result, in the order of order.h: a thread makes several
// results, whose loads are under way together. Included after groups.h and before the users' texts.
#pragma once

namespace graft_adapter {

template <class Hooks>
struct TinyReduction {
  using cell = typename Hooks::cell;
  using arguments = typename Hooks::view_arguments;
  enum : int {
    results_of_thread =
        graft_reduce_results_of_thread(Hooks::width, static_cast<int>(sizeof(cell)), Hooks::input_count),
    blocks_at_once = Hooks::input_count > 2 || sizeof(cell) > 8 ? 2 : 4
  };

  static __device__ __forceinline__ void run(const arguments& all) {
    wait_for_earlier_kernels();
    const unsigned long long first =
        static_cast<unsigned long long>(blockIdx.x) * (GRAFT_REDUCE_LANES * results_of_thread) + threadIdx.x;
    const auto count = static_cast<unsigned int>(all.call.count);
    ResultPlace<Hooks> results[results_of_thread];
    bool exists[results_of_thread];
    cell sums[results_of_thread];
#pragma unroll
    for (int j = 0; j < results_of_thread; ++j) {
      const unsigned long long number = first + static_cast<unsigned int>(j * GRAFT_REDUCE_LANES);
      exists[j] = number < all.shape.results;
      results[j].find(all, all.shape.reduced, all.shape.first + (exists[j] ? number : 0));
    }
    graft_share taken[2][results_of_thread][Hooks::array_count];
#pragma unroll
    for (unsigned int group = 0; group < 2; ++group)
#pragma unroll
      for (int j = 0; j < results_of_thread; ++j)
        if (exists[j] && group * Hooks::width < count) {
          const unsigned int rest = count - group * Hooks::width;
          load_neighbours<Hooks>(all, results[j].in, group * Hooks::width,
                                 rest < Hooks::width ? static_cast<int>(rest) : static_cast<int>(Hooks::width), rest,
                                 taken[group][j]);
        }
        // Each group is a lane. Lane 0 is combined with lane 1, if there is one.
#pragma unroll
    for (unsigned int group = 0; group < 2; ++group)
#pragma unroll
      for (int j = 0; j < results_of_thread; ++j) {
        const unsigned int element = group * Hooks::width;
        if (!exists[j] || element >= count) continue;
        cell made;
#pragma unroll
        for (unsigned int place = 0; place < Hooks::width; ++place)
          if (element + place < count)
            add_element<Hooks>(all, taken[group][j], place, element + place, place == 0, made);
        if (group == 0) sums[j] = made;
        else Hooks::run_combine(sums[j], made);
      }
#pragma unroll
    for (int j = 0; j < results_of_thread; ++j)
      if (exists[j]) Hooks::finish_if_any(all, count, sums[j], results[j].out);
  }
};

}  // namespace graft_adapter

template <class Hooks>
constexpr int graft_reduce_blocks = graft_adapter::TinyReduction<Hooks>::blocks_at_once;
template <class Hooks>
__device__ __forceinline__ void graft_reduce_tiny(const graft_reduce_view_arguments<Hooks>& all) {
  if constexpr (Hooks::verdict() == graft_adapter::kAccepted) graft_adapter::TinyReduction<Hooks>::run(all);
}
