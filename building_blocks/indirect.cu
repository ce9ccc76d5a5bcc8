// The elementwise building block without a linker's optimiser: PTX, made when graft is built, that serves every
// callback.
//
// Sizes are read at run time, and the callback is called through a pointer, one element at a time, with pointers to the
// element in each array. The thunk behind the pointer has the contract's own shape (graft_apply) and does the loads and
// stores in the element's words: neighbours in neighbouring threads, so that narrow words still fill whole lines. It
// loads all inputs before it stores anything, so in-place works.
#include "contract.h"

extern "C" __device__ void graft_indirect(const graft_launch* launch, const graft_shape* shape, graft_thunk thunk) {
  unsigned char* const* arrays = reinterpret_cast<unsigned char* const*>(launch + 1);
  const unsigned count = shape->inputs + shape->outputs;
  const unsigned long long tile = GRAFT_BLOCK_THREADS * GRAFT_INDIRECT_ELEMENTS;
  const unsigned long long begin = blockIdx.x * tile;
  const unsigned long long end = begin + tile < launch->count ? begin + tile : launch->count;
  void* elements[GRAFT_MAX_INPUTS + GRAFT_MAX_OUTPUTS];
#pragma unroll 1
  for (unsigned long long i = begin + threadIdx.x; i < end; i += GRAFT_BLOCK_THREADS) {
#pragma unroll 1
    for (unsigned k = 0; k < count; ++k) elements[k] = arrays[k] + i * shape->size[k];
    thunk(elements, elements + shape->inputs, i, launch);
  }
}
