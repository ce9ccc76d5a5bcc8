// The elementwise building block without a linker's optimiser: PTX, made when graft is built, that serves every
// callback.
//
// It hands out elements, and calls the callback through a pointer, once for each. What is behind the pointer knows the
// signature: it finds the arrays behind the launch, loads all inputs of its element before it stores anything (so
// in-place works), and moves them in the element's words: neighbours in neighbouring threads, so that narrow words
// still fill whole lines. Nothing goes through the block's own memory: a table of addresses there, filled for each
// element, made a light callback five times slower than an inlined one (docs/design.md).
#include "contract.h"

extern "C" __device__ void graft_indirect(const graft_launch* launch, graft_thunk thunk) {
  const unsigned long long tile = GRAFT_BLOCK_THREADS * GRAFT_INDIRECT_ELEMENTS;
  const unsigned long long begin = blockIdx.x * tile;
  const unsigned long long count = launch->count;
  const unsigned long long end = begin + tile < count ? begin + tile : count;
#pragma unroll 1
  for (unsigned long long i = begin + threadIdx.x; i < end; i += GRAFT_BLOCK_THREADS) thunk(launch, i);
}
