// Reduces arrays of any shape on the host, in the order of order.h. The lanes of a chunk are variables, to which the
// elements go in the order of their indices. This file is included after places.h and before the users' texts.
#pragma once

namespace graft_adapter {

template <class Hooks>
struct HostReduction {
  using cell = typename Hooks::cell;
  using arguments = typename Hooks::view_arguments;

  // Combines the accumulators of the lanes in lane 0.
  static void combine_lanes(cell* sums, unsigned int lanes) {
    for (unsigned int lane = GRAFT_REDUCE_FIRST_LANES; lane < lanes; ++lane)
      Hooks::run_combine(sums[lane % GRAFT_REDUCE_FIRST_LANES], sums[lane]);
    for (unsigned int distance = GRAFT_REDUCE_FIRST_LANES / 2; distance > 0; distance /= 2)
      for (unsigned int i = 0; i < distance && i + distance < lanes; ++i)
        Hooks::run_combine(sums[i], sums[i + distance]);
  }

  template <class... T, int... K>
  static void load(Types<T...>, Indices<K...>, const arguments& all, const ResultPlace<Hooks>& result,
                   unsigned long long element, graft_share* shares) {
    const ElementPlace<Hooks> at(all, element);
    (load_one<T>(at.in(all, result.in[K], K), shares[K], 0), ...);
  }

  // Elements of the arrays that map stores to, which have one dimension.
  template <class... T, int... K>
  static void load_in_outs(Types<T...>, Indices<K...>, const arguments& all, unsigned long long element,
                           graft_share* shares) {
    (load_from<T>(all.call.outputs[Hooks::in_out_at(K)], element, shares[K]), ...);
  }
  template <class... T, int... K>
  static void store(Types<T...>, Indices<K...>, const arguments& all, unsigned long long element,
                    const graft_share* shares) {
    (store_to<T>(all.call.outputs[Hooks::output_count + K], element, shares[K]), ...);
  }

  // Combines the elements from `begin` to `end`, which are a chunk.
  static void combine_chunk(const arguments& all, const ResultPlace<Hooks>& result, unsigned long long begin,
                            unsigned long long end, cell* sums) {
    for (unsigned long long element = begin; element < end; ++element) {
      const unsigned long long group = (element - begin) / Hooks::width;
      graft_share taken[Hooks::taken_count], made[Hooks::made_count];
      load(typename Hooks::inputs(), IndicesTo<Hooks::input_count>(), all, result, element, taken);
      load_in_outs(typename Hooks::in_outs(), IndicesTo<Hooks::in_out_count>(), all, element,
                   taken + Hooks::input_count);
      const unsigned int is_stored = add_element<Hooks>(
          all, taken, 0, all.call.first + element, group < GRAFT_REDUCE_LANES && (element - begin) % Hooks::width == 0,
          sums[group % GRAFT_REDUCE_LANES], made);
      if (is_stored != 0) store(typename Hooks::stored(), IndicesTo<Hooks::stored_count>(), all, element, made);
    }
    const unsigned long long groups = (end - begin + Hooks::width - 1) / Hooks::width;
    combine_lanes(sums, groups < GRAFT_REDUCE_LANES ? static_cast<unsigned int>(groups) : GRAFT_REDUCE_LANES);
  }

  static void combine_chunks(const cell* accumulators, unsigned int chunks, cell* sums) {
    for (unsigned int i = 0; i < chunks; ++i) {
      cell next = accumulators[i];
      if (i < GRAFT_REDUCE_LANES) sums[i] = next;
      else Hooks::run_combine(sums[i % GRAFT_REDUCE_LANES], next);
    }
    combine_lanes(sums, chunks < GRAFT_REDUCE_LANES ? chunks : GRAFT_REDUCE_LANES);
  }

  // Makes chunks, or results of the accumulators of chunks: those from `begin` to `end` of the launch.
  static void run(const arguments& all, unsigned long long begin, unsigned long long end) {
    cell sums[GRAFT_REDUCE_LANES];
    const unsigned int chunks = all.call.chunks;
    cell* const accumulators = static_cast<cell*>(all.call.accumulators);
    for (unsigned long long item = begin; item < end; ++item) {
      const bool makes_chunk = all.call.step != GRAFT_REDUCE_STEP_RESULTS;
      const unsigned long long number = makes_chunk ? item / chunks : item;
      ResultPlace<Hooks> result;
      result.find(all, all.shape.reduced, all.shape.first + number);
      unsigned long long count = all.call.count;
      if (all.shape.offsets != nullptr) {
        const Segment segment(all.shape, all.shape.first + number);
        result.move_inputs(all, segment.begin);
        count = segment.count;
        combine_chunk(all, result, 0, count, sums);
      } else if (makes_chunk) {
        const unsigned long long chunk = item - number * chunks, length = all.call.chunk_groups * Hooks::width;
        combine_chunk(all, result, chunk * length, chunk + 1 < chunks ? (chunk + 1) * length : count, sums);
      } else {
        combine_chunks(accumulators + number * chunks, chunks, sums);
      }
      if (makes_chunk && (chunks > 1 || all.call.step == GRAFT_REDUCE_STEP_CHUNKS)) accumulators[item] = sums[0];
      else Hooks::finish_if_any(all, count, sums[0], result.out);
    }
  }
};

}  // namespace graft_adapter

template <class Hooks>
void graft_reduce_on_host(const graft_reduce_view_arguments<Hooks>& all, unsigned long long begin,
                          unsigned long long end) {
  if constexpr (Hooks::verdict() == graft_adapter::kAccepted) graft_adapter::HostReduction<Hooks>::run(all, begin, end);
}
