// The elementwise building block: out[i] = callback(in[i]...), for every signature, without knowing any.
//
// This file says which thread handles which elements. How a thread loads, calls and stores is graft_tile and
// graft_element: tile.cu for every signature, or code that graft writes for one.
//
//     head | tile | tile | ... | tile | rest
//            one block of threads      one thread for each element, like the head, in blocks behind those of the tiles
//
// A tile's words are aligned, whatever the pointers: the host chooses the head so. No thread loops: a loop over the
// rest cost every link 2 to 4 ms, and threads of their own cost the GPU nothing.
#ifndef GRAFT_CONTRACT  // one program may have it already
#include "contract.h"
#endif

// The next kernel in the stream may begin; this one reads and writes nothing before all in front of it have ended and
// their writes can be seen. Both do nothing unless the host launches for it.
__device__ __forceinline__ void graft_begin_beside_the_last() {
#ifdef __CUDACC__
  asm volatile("griddepcontrol.launch_dependents; griddepcontrol.wait;" ::: "memory");
#endif
}

GRAFT_ANSWER void graft_transform(const graft_launch* launch) {
  if (graft_programmatic_launch()) graft_begin_beside_the_last();
  const bool is_single = graft_vectors_per_thread() > 1 && launch->single;
  const unsigned int tile = blockDim.x * graft_vector_width() * (is_single ? 1 : graft_vectors_per_thread());
  if (graft_body() == GRAFT_BODY_VECTOR && blockIdx.x < launch->tiles) {
    const unsigned long long begin = launch->head + static_cast<unsigned long long>(blockIdx.x) * tile;
    graft_tile(launch, begin + threadIdx.x * graft_vector_width());
  } else {
    const unsigned long long place =
        static_cast<unsigned long long>(blockIdx.x - launch->tiles) * blockDim.x + threadIdx.x;
    const unsigned long long index =
        place < launch->head ? place : place + static_cast<unsigned long long>(launch->tiles) * tile;
    if (index < launch->count) graft_element(launch, index);
  }
}
