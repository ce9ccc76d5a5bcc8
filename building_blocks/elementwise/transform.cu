// The elementwise building block: out[i] = callback(in[i]...), for callbacks of every signature.
//
// This file decides which thread handles which elements. graft_tile and graft_element do the work of a thread; they
// come from tile.cu, which serves every signature, or from the exact adapter.
//
//     elements        head | tile 0 | tile 1 | ... | tile n-1 | rest
//     thread blocks          0        1              n-1        n and following, for rest and head
//
// n is launch->tiles. The head is the elements before the first tile, and the rest is the elements after the last tile.
// In the thread blocks from n on, each thread handles one element of the head or of the rest.
//
// The host chooses the head so that tiles begin at aligned addresses. No thread loops over elements: a loop over the
// rest made every link 2 to 4 ms longer, while additional thread blocks cost no measurable time on the GPU.
#ifndef GRAFT_CONTRACT  // generated text may have included contract.h already
#include "contract.h"
#endif

// For programmatic dependent launch. Lets the thread blocks of the next kernel in the stream be scheduled now, then
// waits until all earlier kernels have finished and their writes are visible. Both instructions have no effect unless
// the host sets the launch attribute.
//
// `threads` is blockDim.x. As an operand it is read before the wait, which empties the cache of constants: a kernel
// that reads blockDim.x behind it waits for it for 0.17 microseconds. Sigmoid of 2^16 halves took 1.10 times as long.
__device__ __forceinline__ void graft_start_programmatic_launch([[maybe_unused]] unsigned int& threads) {
#ifdef __CUDACC__
  asm volatile("griddepcontrol.launch_dependents; griddepcontrol.wait;" : "+r"(threads)::"memory");
#endif
}

GRAFT_ANSWER void graft_transform(const graft_launch* launch) {
  unsigned int threads = blockDim.x;
  if (graft_programmatic_launch()) graft_start_programmatic_launch(threads);
  const bool is_single = graft_vectors_per_thread() > 1 && launch->single;
  const unsigned int tile = threads * graft_vector_width() * (is_single ? 1 : graft_vectors_per_thread());
  if (graft_body() == GRAFT_BODY_VECTOR && blockIdx.x < launch->tiles) {
    const unsigned long long begin = launch->head + static_cast<unsigned long long>(blockIdx.x) * tile;
    graft_tile(launch, begin + threadIdx.x * graft_vector_width());
  } else {
    const unsigned long long place =
        static_cast<unsigned long long>(blockIdx.x - launch->tiles) * threads + threadIdx.x;
    const unsigned long long index =
        place < launch->head ? place : place + static_cast<unsigned long long>(launch->tiles) * tile;
    if (index < launch->count) graft_element(launch, index);
  }
}
