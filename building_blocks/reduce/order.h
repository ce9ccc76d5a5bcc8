// The order in which a reduction combines its elements, and what a launch tells the kernel about it. Both sides include
// this file: the kernels (whole.h, host.h) and the library, which cuts the elements into chunks
// (src/families/reduce/order.hpp). docs/reduce.md describes the order for users.
//
//     group   neighbouring elements, as many as fit into 16 bytes of the widest input, and one if none does
//     lane    one of 256 threads, which takes every 256th group of a chunk, one element after the other
//     chunk   groups whose lanes are combined in a tree; the accumulators of all chunks are then taken by 256 lanes and
//             combined in the same way
//
// The order depends on the number of elements and on their sizes alone, so that results have the same bits everywhere.
#pragma once

#define GRAFT_REDUCE_ORDER 1
#define GRAFT_REDUCE_LANES 256
#define GRAFT_REDUCE_MOST_CHUNKS 1024

// The largest accumulator, in bytes, and the strictest alignment of one.
#define GRAFT_REDUCE_MOST_BYTES 64
#define GRAFT_REDUCE_MOST_ALIGNMENT 16

// The beginning of a kernel's parameter. ArraysAndState (compose.h) follows.
struct graft_reduce_call {
  unsigned long long count;         // elements, at least one
  unsigned long long chunk_groups;  // groups of each chunk; the last chunk may have fewer
  unsigned int chunks;
  unsigned int combines_chunks;  // on the host: 0 for the launch that makes the accumulators of chunks, then 1
  void* accumulators;            // one for each chunk, if there are several
  unsigned int* arrived;         // how many thread blocks are done; 0 in front of a launch and behind it
  void* outputs[GRAFT_MAX_OUTPUTS];
};
