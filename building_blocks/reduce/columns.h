// Reduces views whose results lie side by side, as the sums of a matrix's columns do, in the order of order.h. A thread
// block has neighbouring results, several for each thread, so that it loads whole words; its other threads have other
// lanes of the same results. Included after lanes.h and places.h and before the users' texts.
#pragma once

namespace graft_adapter {

template <class Hooks>
struct ColumnReduction {
  using cell = typename Hooks::cell;
  using arguments = typename Hooks::view_arguments;
  enum : int {
    width = Hooks::width,
    columns = graft_reduce_columns(width, static_cast<int>(sizeof(cell))),
    // A thread block has as many columns for each thread as a group has elements, a part of them at a time.
    parts = (width + columns - 1) / columns,
    // Elements of a group, whose loads are under way together.
    elements_at_once = columns >= 16                 ? 2
                       : static_cast<int>(width) < 4 ? static_cast<int>(width)
                                                     : 4,
  // Of a multiprocessor, for which the compiler keeps registers free. Columns of few elements have little work for a
  // thread block, and need others that load meanwhile. sm_75 has no room for more than three.
#if __CUDA_ARCH__ >= 800
    most_blocks = 4,
#else
    most_blocks = 3,
#endif
    blocks_at_once = Hooks::input_count == 1 && static_cast<int>(width) <= 4 && sizeof(cell) <= 8 ? most_blocks : 2
  };

  // Where a thread is. Threads with the same `lane` have neighbouring columns.
  struct Thread {
    unsigned int lanes;   // that the thread block has at once: those of the first 32 that there are, or all 256
    unsigned int across;  // threads with the same lane
    unsigned int lane, x;
    int valid;  // columns
    ResultPlace<Hooks> place;
    unsigned int rest;  // columns of the thread block from the first of the thread on
  };
  // What is combined: the groups of a chunk, or the accumulators of all chunks.
  struct Items {
    const cell* accumulators;  // null: elements of inputs
    unsigned long long begin, count;
  };

  static __device__ __forceinline__ void run(const arguments& all) {
    __shared__ cell of_lanes[GRAFT_REDUCE_LANES * columns];
    wait_for_earlier_kernels();
    const graft_reduce_shape& shape = all.shape;
    const unsigned int chunks = all.call.chunks, tile = blockIdx.x / chunks, chunk = blockIdx.x - tile * chunks;
    Thread thread;
    thread.lanes = 1u << shape.lanes;
    thread.across = 1u << shape.threads;
    thread.lane = threadIdx.x >> shape.threads;
    thread.x = threadIdx.x & (thread.across - 1);
    const unsigned int results = thread.across * columns;  // of a part
    cell* const accumulators =
        static_cast<cell*>(all.call.accumulators) + static_cast<unsigned long long>(tile) * chunks * parts * results;
    const unsigned long long groups = (all.call.count + width - 1) / width;
    Items items = {nullptr, chunk * all.call.chunk_groups, 0};
    items.count = groups - items.begin < all.call.chunk_groups ? groups - items.begin : all.call.chunk_groups;
    bool combines_chunks = chunks == 1;
    // One loop, so that the code of both is there once.
#pragma unroll 1
    for (;;) {
#pragma unroll 1
      for (unsigned int part = 0; part < parts; ++part) {
        find_columns(all, shape.first + tile, part, thread);
        if (items.accumulators != nullptr) items.accumulators = accumulators + part * results;
        combine(all, thread, items, of_lanes);
        if (combines_chunks) finish(all, thread, of_lanes);
        else
          for (unsigned int i = threadIdx.x; i < results; i += blockDim.x)
            accumulators[(chunk * parts + part) * results + i] = of_lanes[i];
        __syncthreads();
      }
      if (combines_chunks) return;
      if (!is_last_block(counters_of(all.call) + tile, chunks)) return;
      items = {accumulators, 0, chunks};
      combines_chunks = true;
    }
  }

 private:
  static __device__ __forceinline__ void finish(const arguments& all, const Thread& thread, const cell* sums) {
#pragma unroll 1
    for (int column = thread.lane; column < thread.valid; column += thread.lanes) {
      void* to[Hooks::output_count];
#pragma unroll
      for (int k = 0; k < Hooks::output_count; ++k)
        to[k] = static_cast<unsigned char*>(thread.place.out[k]) +
                column * all.strides[Hooks::array_count + k][all.shape.reduced];
      cell sum = sums[column * thread.across + thread.x];
      Hooks::finish_if_any(all, all.call.count, sum, to);
    }
  }

  static __device__ __forceinline__ void find_columns(const arguments& all, unsigned long long tile, unsigned int part,
                                                      Thread& thread) {
    const graft_reduce_shape& shape = all.shape;
    const unsigned long long extent = shape.dividers[shape.reduced].extent, outer = divide(tile, shape.tiles);
    const unsigned long long tile_begin = (tile - outer * shape.tiles.extent) * thread.across * width;
    const unsigned long long first = tile_begin + (part * thread.across + thread.x) * columns;
    const unsigned long long end =
        tile_begin + thread.across * width < extent ? tile_begin + thread.across * width : extent;
    thread.rest = first < end ? static_cast<unsigned int>(end - first) : 0;
    thread.valid = thread.rest < columns ? static_cast<int>(thread.rest) : static_cast<int>(columns);
    thread.place.find(all, shape.reduced + 1, outer);
    thread.place.move(all, shape.reduced, thread.valid > 0 ? first : 0);
  }

  // Combines the items of each column. The results are then the first ones of `of_lanes`, where all threads see them:
  // those of the first column of each thread, then those of the second, ...
  static __device__ __forceinline__ void combine(const arguments& all, const Thread& thread, const Items& items,
                                                 cell* of_lanes) {
    cell sums[columns];
    if (thread.valid > 0) combine_lanes(all, thread, items, sums);
    cell* const mine = of_lanes + thread.lane * thread.across * columns + thread.x;
#pragma unroll
    for (int v = 0; v < columns; ++v) mine[v * thread.across] = sums[v];
    unsigned int lanes = thread.lanes;
    if (lanes > GRAFT_REDUCE_FIRST_LANES) {
      combine_with_first(thread, items, mine, sums);
      lanes = GRAFT_REDUCE_FIRST_LANES;
    }
#pragma unroll 1
    for (unsigned int distance = lanes / 2; distance > 0; distance /= 2) {
      __syncthreads();
      if (thread.valid == 0 || thread.lane >= distance || thread.lane + distance >= items.count) continue;
#pragma unroll
      for (int v = 0; v < columns; ++v) {
        cell other = mine[(distance * columns + v) * thread.across];
        Hooks::run_combine(sums[v], other);
        mine[v * thread.across] = sums[v];
      }
    }
    __syncthreads();
  }

  // Combines the first 32 lanes with the others, if each lane has a thread.
  static __device__ __forceinline__ void combine_with_first(const Thread& thread, const Items& items, cell* mine,
                                                            cell* sums) {
    __syncthreads();
    if (thread.valid == 0 || thread.lane >= GRAFT_REDUCE_FIRST_LANES) return;
#pragma unroll 1
    for (unsigned int above = GRAFT_REDUCE_FIRST_LANES; thread.lane + above < thread.lanes;
         above += GRAFT_REDUCE_FIRST_LANES) {
      if (thread.lane + above >= items.count) break;
#pragma unroll
      for (int v = 0; v < columns; ++v) {
        cell other = mine[(above * columns + v) * thread.across];
        Hooks::run_combine(sums[v], other);
      }
    }
#pragma unroll
    for (int v = 0; v < columns; ++v) mine[v * thread.across] = sums[v];
  }

  // Combines the thread's lanes: its own, and, unless each has a thread, those 32, 64, ... above it.
  static __device__ __forceinline__ void combine_lanes(const arguments& all, const Thread& thread, const Items& items,
                                                       cell* sums) {
    const unsigned int step = thread.lanes > GRAFT_REDUCE_FIRST_LANES ? GRAFT_REDUCE_LANES : GRAFT_REDUCE_FIRST_LANES;
#pragma unroll 1
    for (unsigned int lane = thread.lane; lane < GRAFT_REDUCE_LANES && lane < items.count; lane += step) {
      cell made[columns];
      if (items.accumulators != nullptr) take_accumulators(thread, items, lane, made);
      else take_elements(all, thread, items, lane, made);
      if (lane == thread.lane) copy(sums, made);
      else combine_columns(sums, made);
    }
  }

  static __device__ __forceinline__ void take_accumulators(const Thread& thread, const Items& items, unsigned int lane,
                                                           cell* sums) {
#pragma unroll 1
    for (unsigned long long item = lane; item < items.count; item += GRAFT_REDUCE_LANES) {
      cell next[columns];
#pragma unroll
      for (int v = 0; v < columns; ++v)
        next[v] = of_another_block(items.accumulators[(item * parts * columns + v) * thread.across + thread.x]);
      if (item == lane) copy(sums, next);
      else combine_columns(sums, next);
    }
  }

  // Combines the elements of a lane's groups.
  static __device__ __forceinline__ void take_elements(const arguments& all, const Thread& thread, const Items& items,
                                                       unsigned int lane, cell* sums) {
    bool is_first = true;
#pragma unroll 1
    for (unsigned long long group = lane; group < items.count; group += GRAFT_REDUCE_LANES) {
      const unsigned long long element = (items.begin + group) * width, rest = all.call.count - element;
      const int valid = rest < width ? static_cast<int>(rest) : static_cast<int>(width);
      // Elements along one dimension are loaded several at a time.
      const int step = all.shape.reduced < 2 ? static_cast<int>(elements_at_once) : 1;
#pragma unroll 1
      for (int begin = 0; begin < valid; begin += step) {
        graft_share taken[elements_at_once][Hooks::array_count];
        const ElementPlace<Hooks> at(all, element + begin);
        const unsigned char* from[Hooks::array_count];
#pragma unroll
        for (int k = 0; k < Hooks::array_count; ++k) from[k] = at.in(all, thread.place.in[k], k);
#pragma unroll
        for (int i = 0; i < elements_at_once; ++i)
          if (i < step && begin + i < valid)
            load_columns_of_all(typename Hooks::inputs(), IndicesTo<Hooks::input_count>(), all, thread, from, i,
                                taken[i]);
#pragma unroll
        for (int i = 0; i < elements_at_once; ++i)
          if (i < step && begin + i < valid) {
#pragma unroll
            for (int v = 0; v < columns; ++v)
              add_element<Hooks>(all, taken[i], v, element + begin + i, i == 0 && is_first, sums[v]);
          }
        is_first = false;
      }
    }
  }

  template <class... T, int... K>
  static __device__ __forceinline__ void load_columns_of_all(Types<T...>, Indices<K...>, const arguments& all,
                                                             const Thread& thread, const unsigned char* const* from,
                                                             long long steps, graft_share* shares) {
    (load_columns<T>(all, thread, K, from[K] + steps * all.strides[K][0], shares[K]), ...);
  }
  template <class T>
  static __device__ __forceinline__ void load_columns(const arguments& all, const Thread& thread, int k,
                                                      const unsigned char* from, graft_share& share) {
    if ((all.shape.contiguous >> k & 1) != 0 && is_in_words<T, columns>(from, thread.rest)) {
      load_group<T, columns>(from, 0, share);
      return;
    }
    const long long stride = all.strides[k][all.shape.reduced];
#pragma unroll
    for (int v = 0; v < columns; ++v) {
      // Columns that do not exist are like the last one, because callbacks get what they can use.
      load_one<T>(from + (v < thread.valid ? v : thread.valid - 1) * stride, share, v);
    }
  }

  static __device__ __forceinline__ void copy(cell* to, const cell* from) {
#pragma unroll
    for (int v = 0; v < columns; ++v) to[v] = from[v];
  }
  static __device__ __forceinline__ void combine_columns(cell* sums, cell* next) {
#pragma unroll
    for (int v = 0; v < columns; ++v) Hooks::run_combine(sums[v], next[v]);
  }
};

}  // namespace graft_adapter

template <class Hooks>
constexpr int graft_reduce_blocks = graft_adapter::ColumnReduction<Hooks>::blocks_at_once;
template <class Hooks>
__device__ __forceinline__ void graft_reduce_columns(const graft_reduce_view_arguments<Hooks>& all) {
  if constexpr (Hooks::verdict() == graft_adapter::kAccepted) graft_adapter::ColumnReduction<Hooks>::run(all);
}
