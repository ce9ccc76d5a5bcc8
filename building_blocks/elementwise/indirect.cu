// The elementwise building block of the route `indirect`, for linkers without link-time optimisation. It is compiled to
// PTX when graft is built, and serves every callback.
//
// This building block chooses the elements of each thread, and calls a thunk through a function pointer, once for each
// element. The thunk is a function that knows the signature. The thunk finds the arrays' pointers after graft_launch,
// loads all inputs of its element before it stores an output (so in-place works), and uses loads and stores of the
// element's own width. Neighbouring threads handle neighbouring elements, so narrow accesses still fill whole cache
// lines.
//
// The thunk gets an index and no addresses: in a version that filled a table of addresses in local memory for each
// element, a kernel whose callback has few instructions was five times slower than with the callback inlined
// (docs/design.md).
//
// This file is compiled a second time, with GRAFT_HAS_BITS defined as true, for kernels that have bit arrays. This
// variant also has the functions by which the thunks load and store bits.
#include "contract.h"

#if GRAFT_HAS_BITS
#include "elementwise/bits.h"

GRAFT_ANSWER unsigned int graft_load_bit(const void* words, const graft_mask* mask, unsigned long long index) {
  return graft_bits::load(words, *mask, index, 1) & 1;
}

GRAFT_ANSWER void graft_store_bit(const graft_launch* launch, void* words, const graft_mask* mask,
                                  unsigned long long index, unsigned int value) {
  graft_bits::store_one(launch, words, *mask, index, value != 0);
}
#endif

extern "C" __device__ void graft_indirect(const graft_launch* launch, graft_thunk thunk) {
  const unsigned long long tile = GRAFT_BLOCK_THREADS * GRAFT_INDIRECT_ELEMENTS;
  const unsigned long long begin = blockIdx.x * tile;
  const unsigned long long count = launch->count;
  const unsigned long long end = begin + tile < count ? begin + tile : count;
#pragma unroll 1
  for (unsigned long long i = begin + threadIdx.x; i < end; i += GRAFT_BLOCK_THREADS) thunk(launch, i);
}
