// Reduces whole arrays on the host, in the order of order.h: what whole.h does on a GPU, chunk by chunk. The lanes of a
// chunk are variables, to which the elements go in the order of memory. This file is included after hooks.h and before
// the users' texts.
#pragma once

namespace graft_adapter {

template <class Hooks>
struct HostReduction {
  using cell = typename Hooks::cell;
  using arguments = typename Hooks::arguments;
  enum : int { width = Hooks::width, input_count = Hooks::input_count };

  // Combines the accumulators of the lanes in lane 0.
  static void combine_lanes(cell* sums, unsigned int lanes) {
    const unsigned int warps = (lanes + 31) / 32;
    for (unsigned int warp = 0; warp < warps; ++warp) combine_some(sums + 32 * warp, 1, 32, lanes - 32 * warp);
    combine_some(sums, 32, GRAFT_REDUCE_LANES / 32, warps);
  }
  static void combine_some(cell* sums, unsigned int step, unsigned int most, unsigned int count) {
    for (unsigned int distance = most / 2; distance > 0; distance /= 2)
      for (unsigned int i = 0; i < distance && i + distance < count; ++i)
        Hooks::run_combine(sums[i * step], sums[(i + distance) * step]);
  }

  static void combine_chunk(const arguments& all, unsigned int chunk, cell* sums) {
    const unsigned long long begin = chunk * all.call.chunk_groups * width;
    const unsigned long long end = chunk + 1 < all.call.chunks ? begin + all.call.chunk_groups * width : all.call.count;
    for (unsigned long long index = begin; index < end; ++index) {
      const unsigned long long group = (index - begin) / width;
      cell& sum = sums[group % GRAFT_REDUCE_LANES];
      graft_share taken[GRAFT_MAX_INPUTS];
      load_all(typename Hooks::inputs(), IndicesTo<input_count>(), all.arrays.in, index, taken);
      cell made;
      Hooks::run_map(all, taken, 0, index, made);
      if (group < GRAFT_REDUCE_LANES && (index - begin) % width == 0) sum = made;
      else Hooks::run_combine(sum, made);
    }
    const unsigned long long groups = (end - begin + width - 1) / width;
    combine_lanes(sums, groups < GRAFT_REDUCE_LANES ? static_cast<unsigned int>(groups) : GRAFT_REDUCE_LANES);
  }

  static void combine_chunks(const arguments& all, cell* sums) {
    const cell* const accumulators = static_cast<const cell*>(all.call.accumulators);
    const unsigned int chunks = all.call.chunks;
    for (unsigned int i = 0; i < chunks; ++i) {
      cell next = accumulators[i];
      if (i < GRAFT_REDUCE_LANES) sums[i] = next;
      else Hooks::run_combine(sums[i % GRAFT_REDUCE_LANES], next);
    }
    combine_lanes(sums, chunks < GRAFT_REDUCE_LANES ? chunks : GRAFT_REDUCE_LANES);
  }

  static void run(const arguments& all, unsigned long long begin, unsigned long long end) {
    cell sums[GRAFT_REDUCE_LANES];
    if (all.call.combines_chunks != 0) {
      combine_chunks(all, sums);
      Hooks::run_finish(all, sums[0]);
      return;
    }
    for (unsigned long long chunk = begin; chunk < end; ++chunk) {
      combine_chunk(all, static_cast<unsigned int>(chunk), sums);
      if (all.call.chunks == 1) Hooks::run_finish(all, sums[0]);
      else static_cast<cell*>(all.call.accumulators)[chunk] = sums[0];
    }
  }
};

}  // namespace graft_adapter

template <class Hooks>
void graft_reduce_on_host(const graft_reduce_arguments<Hooks>& all, unsigned long long begin, unsigned long long end) {
  if constexpr (Hooks::verdict() == graft_adapter::kAccepted) graft_adapter::HostReduction<Hooks>::run(all, begin, end);
}
