// How the accumulators of threads come together (order.h): the tree of a chunk's lanes, and the accumulators of thread
// blocks. Included after loads.h.
#pragma once

namespace graft_adapter {

// For programmatic dependent launch, as graft_start_programmatic_launch in elementwise/transform.cu.
__device__ __forceinline__ void wait_for_earlier_kernels() {
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.launch_dependents; griddepcontrol.wait;" ::: "memory");
#endif
}

// The accumulator of the lane `distance` above, of the same warp.
template <class T>
__device__ __forceinline__ Cell<T> of_lane_above(const Cell<T>& mine, unsigned int distance) {
  Cell<T> other;
#pragma unroll
  for (int i = 0; i < Cell<T>::count; ++i)
    other.words[i] = static_cast<typename Cell<T>::word>(
        __shfl_down_sync(0xffffffffu, static_cast<unsigned int>(mine.words[i]), distance));
  return other;
}

// The last steps of the tree, from a distance on, for the lanes below `lanes`. `lane` is the thread's lane, of the same
// warp as those above it.
template <class Hooks, class Sum, class Number>
__device__ __forceinline__ void combine_in_warp(Sum& sum, unsigned int distance, unsigned int lane, Number lanes) {
#pragma unroll 1
  for (; distance > 0; distance /= 2) {
    Sum other = of_lane_above(sum, distance);
    if (lane < distance && lane + distance < lanes) Hooks::run_combine(sum, other);
  }
}

// Combines the accumulators of the lanes below `lanes`, each of which is a thread of the block. Thread 0 gets the
// result. `of_lanes` has room for all lanes, and may be used again when all threads have met again.
template <class Hooks, class Sum>
__device__ __forceinline__ void combine_lanes(Sum& sum, unsigned int lanes, Sum* of_lanes) {
  const unsigned int lane = threadIdx.x;
  of_lanes[lane] = sum;
  __syncthreads();
  if (lane >= GRAFT_REDUCE_FIRST_LANES) return;
#pragma unroll 1
  for (unsigned int other = lane + GRAFT_REDUCE_FIRST_LANES; other < lanes; other += GRAFT_REDUCE_FIRST_LANES)
    Hooks::run_combine(sum, of_lanes[other]);
  combine_in_warp<Hooks>(sum, GRAFT_REDUCE_FIRST_LANES / 2, lane, lanes);
}

template <class T>
__device__ __forceinline__ Cell<T> of_another_block(const Cell<T>& from) {
  Cell<T> to;
#pragma unroll
  for (int i = 0; i < Cell<T>::count; ++i) to.words[i] = static_cast<const volatile Cell<T>&>(from).words[i];
  return to;
}

// Combines the accumulators of all chunks, as far as one thread does for its lane. Returns how many lanes have one.
template <class Hooks, class Sum>
__device__ __forceinline__ unsigned int combine_chunks(const Sum* accumulators, unsigned int chunks, Sum& sum) {
#pragma unroll 1
  for (unsigned int i = threadIdx.x; i < chunks; i += GRAFT_REDUCE_LANES) {
    Sum next = of_another_block(accumulators[i]);
    if (i == threadIdx.x) sum = next;
    else Hooks::run_combine(sum, next);
  }
  return chunks < GRAFT_REDUCE_LANES ? chunks : GRAFT_REDUCE_LANES;
}

// The counters of a workspace.
__device__ __forceinline__ unsigned int* counters_of(const graft_reduce_call& call) {
  return static_cast<unsigned int*>(call.accumulators) - GRAFT_REDUCE_COUNTERS;
}

// Returns whether all of `blocks` thread blocks have called this with the same counter, which is 0 before the first and
// after the last. What thread 0 wrote before in each of them, and what it saw behind __syncthreads, can then be read.
// All threads call it.
__device__ __forceinline__ bool is_last_block(unsigned int* counter, unsigned int blocks) {
  __shared__ bool is_last;
  if (threadIdx.x == 0) {
    __threadfence();
    is_last = atomicInc(counter, blocks - 1) == blocks - 1;
  }
  __syncthreads();
  if (is_last) __threadfence();
  return is_last;
}

}  // namespace graft_adapter
