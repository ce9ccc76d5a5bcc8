// Reduces whole arrays, in the order of order.h. One function serves every alignment of the inputs.
//
// Each thread block has a chunk, whose accumulator it leaves in memory. The last block that is done combines the
// accumulators. This file is included after hooks.h and before the users' texts.
#pragma once

namespace graft_adapter {

// Loads 16 bytes from an address that is aligned to 4 bytes, and with `Shifts` to none: whole words are then shifted
// into place, of which the first may have up to 3 bytes in front of the array, and the last behind the group. The
// instructions are predicated, because branches take longer to compile, and volatile, so that they stay behind the wait
// for earlier kernels.
template <bool Shifts>
__device__ __forceinline__ void load_16_bytes(unsigned long long address, unsigned int* words) {
  const unsigned int beyond = static_cast<unsigned int>(address) & 15;
  if constexpr (Shifts) {
    const unsigned int shift = (beyond & 3) * 8;
    asm volatile(
        "{ .reg .pred whole, more; .reg .b32 last; setp.eq.u32 whole, %4, 0; setp.ne.u32 more, %5, 0; mov.b32 last, 0; "
        "@whole ld.global.v4.b32 {%0, %1, %2, %3}, [%6]; @!whole ld.global.b32 %0, [%6]; "
        "@!whole ld.global.b32 %1, [%6+4]; @!whole ld.global.b32 %2, [%6+8]; @!whole ld.global.b32 %3, [%6+12]; "
        "@more ld.global.b32 last, [%6+16]; shf.r.wrap.b32 %0, %0, %1, %5; shf.r.wrap.b32 %1, %1, %2, %5; "
        "shf.r.wrap.b32 %2, %2, %3, %5; shf.r.wrap.b32 %3, %3, last, %5; }"
        : "=&r"(words[0]), "=&r"(words[1]), "=&r"(words[2]), "=&r"(words[3])
        : "r"(beyond), "r"(shift), "l"(__cvta_generic_to_global(reinterpret_cast<const void*>(address & ~3ull))));
  } else {
    asm volatile(
        "{ .reg .pred whole; setp.eq.u32 whole, %4, 0; @whole ld.global.v4.b32 {%0, %1, %2, %3}, [%5]; "
        "@!whole ld.global.b32 %0, [%5]; @!whole ld.global.b32 %1, [%5+4]; @!whole ld.global.b32 %2, [%5+8]; "
        "@!whole ld.global.b32 %3, [%5+12]; }"
        : "=&r"(words[0]), "=&r"(words[1]), "=&r"(words[2]), "=&r"(words[3])
        : "r"(beyond), "l"(__cvta_generic_to_global(reinterpret_cast<const void*>(address))));
  }
}

// Loads a group, or one element, of an input into a share. The address is aligned only to the element's type.
template <class T, int Width>
__device__ __forceinline__ void load_group(const void* array, unsigned long long group, graft_share& share) {
  constexpr int bytes = Width * static_cast<int>(sizeof(T));
  const unsigned long long address = reinterpret_cast<unsigned long long>(array) + group * bytes;
  if constexpr (bytes % 16 == 0) {
#pragma unroll
    for (int i = 0; i < bytes; i += 16) load_16_bytes<(alignof(T) < 4)>(address + i, share.words + i / 4);
  } else {
    using part = typename Cell<T>::word;
#pragma unroll
    for (int i = 0; i < bytes / static_cast<int>(sizeof(part)); ++i)
      reinterpret_cast<part*>(share.words)[i] = reinterpret_cast<const part*>(address)[i];
  }
}
template <int Width, class... T, int... K>
__device__ __forceinline__ void load_groups(Types<T...>, Indices<K...>, const void* const* in, unsigned long long group,
                                            graft_share* shares) {
  (load_group<T, Width>(in[K], group, shares[K]), ...);
}

template <class Hooks>
struct WholeReduction {
  using cell = typename Hooks::cell;
  using arguments = typename Hooks::arguments;
  enum : int {
    width = Hooks::width,
    input_count = Hooks::input_count,
    share_count = input_count > 0 ? input_count : 1,
    accumulator_bytes = sizeof(typename Hooks::accumulator),
    // How many groups of a lane are under way at a time. More take registers from other threads.
    groups_at_once = width >= 8 || input_count > 2 || accumulator_bytes > 8     ? 1
                     : width == 4 && input_count == 1 && accumulator_bytes <= 4 ? 4
                                                                                : 2,
    // How many thread blocks a multiprocessor should hold at a time: the compiler then keeps registers free.
    blocks_at_once = accumulator_bytes > 16 ? 4
                     : groups_at_once == 4  ? 6
                                            : 8,
    words = cell::count
  };
  using input_indices = IndicesTo<input_count>;

  static __device__ __forceinline__ void add(const arguments& all, const graft_share* taken, int place,
                                             unsigned long long index, bool is_first, cell& sum) {
    cell made;
    Hooks::run_map(all, taken, place, index, made);
    if (is_first) sum = made;
    else Hooks::run_combine(sum, made);
  }

  // Returns how many elements may be loaded in whole words. If words are shifted into place, the last one would have
  // bytes behind the array.
  static __device__ __forceinline__ unsigned long long count_in_words(const arguments& all) {
    const unsigned long long count = all.call.count;
    if (!are_shifted(typename Hooks::inputs(), input_indices(), all.arrays.in)) return count;
    return count > GRAFT_ALIGNMENT_MARGIN ? count - GRAFT_ALIGNMENT_MARGIN : 0;
  }
  template <class... T, int... K>
  static __device__ __forceinline__ bool are_shifted(Types<T...>, Indices<K...>, const void* const* in) {
    return (false || ... || (alignof(T) < 4 && (reinterpret_cast<unsigned long long>(in[K]) & 3) != 0));
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
      graft_share taken[groups_at_once][share_count];
#pragma unroll
      for (int k = 0; k < groups_at_once; ++k)
        if (k == 0 || group + k * GRAFT_REDUCE_LANES < whole_end)
          load_groups<width>(typename Hooks::inputs(), input_indices(), all.arrays.in, group + k * GRAFT_REDUCE_LANES,
                             taken[k]);
#pragma unroll
      for (int k = 0; k < groups_at_once; ++k)
        if (k == 0 || group + k * GRAFT_REDUCE_LANES < whole_end) {
#pragma unroll
          for (int place = 0; place < width; ++place)
            add(all, taken[k], place, (group + k * GRAFT_REDUCE_LANES) * width + place,
                k == 0 && place == 0 && is_first, sum);
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
      graft_share taken[share_count];
      load_groups<1>(typename Hooks::inputs(), input_indices(), all.arrays.in, index, taken);
      add(all, taken, 0, index, is_first, sum);
      is_first = false;
    }
  }

  static __device__ __forceinline__ void from_lane_below(const cell& mine, unsigned int distance, cell& other) {
#pragma unroll
    for (int i = 0; i < words; ++i)
      other.words[i] = static_cast<typename cell::word>(
          __shfl_down_sync(0xffffffffu, static_cast<unsigned int>(mine.words[i]), distance));
  }

  // Combines the accumulators of the lanes below `lanes` in lane 0.
  static __device__ __forceinline__ void combine_lanes(cell& sum, unsigned int lanes) {
    __shared__ cell of_warps[GRAFT_REDUCE_LANES / 32];
    const unsigned int lane = threadIdx.x;
#pragma unroll 1
    for (unsigned int distance = 16; distance > 0; distance /= 2) {
      cell other;
      from_lane_below(sum, distance, other);
      if (lane % 32 < distance && lane + distance < lanes) Hooks::run_combine(sum, other);
    }
    __syncthreads();  // the accumulators of the chunk before were read
    if (lane % 32 == 0) of_warps[lane / 32] = sum;
    __syncthreads();
    if (lane >= 32) return;
    const unsigned int warps = (lanes + 31) / 32;
    sum = of_warps[lane % (GRAFT_REDUCE_LANES / 32)];
#pragma unroll 1
    for (unsigned int distance = GRAFT_REDUCE_LANES / 64; distance > 0; distance /= 2) {
      cell other;
      from_lane_below(sum, distance, other);
      if (lane < distance && lane + distance < warps) Hooks::run_combine(sum, other);
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

  // The same for the accumulators of all chunks.
  static __device__ __forceinline__ unsigned int combine_chunks(const graft_reduce_call& call, cell& sum) {
    const cell* const accumulators = static_cast<const cell*>(call.accumulators);
#pragma unroll 1
    for (unsigned int i = threadIdx.x; i < call.chunks; i += GRAFT_REDUCE_LANES) {
      cell next;
      of_another_block(accumulators[i], next);
      if (i == threadIdx.x) sum = next;
      else Hooks::run_combine(sum, next);
    }
    return call.chunks < GRAFT_REDUCE_LANES ? call.chunks : GRAFT_REDUCE_LANES;
  }

  // Leaves the accumulator of the chunk in memory. Returns whether those of all chunks are there.
  static __device__ __forceinline__ bool is_last(const graft_reduce_call& call, const cell& sum) {
    __shared__ bool is_last_block;
    if (threadIdx.x == 0) {
      static_cast<cell*>(call.accumulators)[blockIdx.x] = sum;
      __threadfence();
      is_last_block = atomicInc(call.arrived, gridDim.x - 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (!is_last_block) return false;
    __threadfence();
    return true;
  }

  static __device__ __forceinline__ void run(const arguments& all) {
#if __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.launch_dependents; griddepcontrol.wait;" ::: "memory");
#endif
    // One loop, so that the tree is in the code once.
    bool combines_chunks = all.call.chunks == 1;
    cell sum;
    unsigned int lanes = combine_chunk(all, sum);
#pragma unroll 1
    for (;;) {
      combine_lanes(sum, lanes);
      if (combines_chunks) break;
      if (!is_last(all.call, sum)) return;
      lanes = combine_chunks(all.call, sum);
      combines_chunks = true;
    }
    if (threadIdx.x == 0) Hooks::run_finish(all, sum);
  }

  static __device__ __forceinline__ void of_another_block(const cell& from, cell& to) {
#pragma unroll
    for (int i = 0; i < words; ++i) to.words[i] = static_cast<const volatile cell&>(from).words[i];
  }
};

}  // namespace graft_adapter

template <class Hooks>
constexpr int graft_reduce_blocks = graft_adapter::WholeReduction<Hooks>::blocks_at_once;
template <class Hooks>
__device__ __forceinline__ void graft_reduce_whole(const graft_reduce_arguments<Hooks>& all) {
  if constexpr (Hooks::verdict() == graft_adapter::kAccepted) graft_adapter::WholeReduction<Hooks>::run(all);
}
