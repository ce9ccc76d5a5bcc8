// The order in which a reduction combines its elements, and what a launch tells the kernel about it. Both sides include
// this file: the kernels and the library, which cuts the elements into chunks (src/families/reduce/order.hpp).
// docs/reduce.md describes the order for users.
//
//     group   neighbouring elements, as many as fit into 16 bytes of the widest input, and one if none does
//     lane    one of 256 shares of a chunk, which has every 256th group of it, one element after the other
//     chunk   groups whose lanes are combined: first those of which the numbers differ by multiples of 32, then the 32
//             that are left, in a tree. The accumulators of all chunks are then given to 256 lanes, and combined in the
//             same way
//
// The order of a result depends on the number of its elements and on their sizes alone, so that results have the same
// bits everywhere, whichever kernel makes them.
#pragma once

#define GRAFT_REDUCE_ORDER 2
// Of the parameters below, for kernels in packs: raise it when one of them changes.
#define GRAFT_REDUCE_LAYOUT 3
#define GRAFT_REDUCE_LANES 256
#define GRAFT_REDUCE_FIRST_LANES 32
#define GRAFT_REDUCE_MOST_CHUNKS 1024

// What a launch does: all of it, which on the host is the accumulators of chunks, or the results if there is one chunk;
// results of the accumulators of chunks; or the accumulators alone, for a shard.
enum : unsigned int { GRAFT_REDUCE_STEP_ALL, GRAFT_REDUCE_STEP_RESULTS, GRAFT_REDUCE_STEP_CHUNKS };

#define GRAFT_REDUCE_COUNTERS 1024

// The beginning of a kernel's parameter. ArraysAndState (compose.h) follows, in kernels for views behind
// graft_reduce_shape and the strides.
struct graft_reduce_call {
  unsigned long long count;         // elements of a result; 0 only with an initial accumulator
  unsigned long long chunk_groups;  // groups of each chunk; the last chunk may have fewer
  unsigned int chunks;
  unsigned int step;  // GRAFT_REDUCE_STEP_...
  // One for each chunk of each result, if there are several. In a workspace, counters are in front of them: how many
  // thread blocks of a result are done, 0 in front of a launch and behind it.
  void* accumulators;
  unsigned long long first;  // elements in front of the inputs, if these are a shard
  void* outputs[GRAFT_MAX_OUTPUTS];
};

// Divides a number below 2^63, as graft_divider (contract.h) does.
struct graft_reduce_divider {
  unsigned long long multiplier;
  unsigned long long extent;
  unsigned int shift;
};

// What a kernel for views knows of the dimensions (src/families/form.hpp): the first are those along which a result has
// its elements, in the order of their indices; along the others lie the results.
struct graft_reduce_shape {
  unsigned long long first;    // the number of the launch's first result
  unsigned long long results;  // of this launch
  unsigned int reduced;        // dimensions of a result's elements
  unsigned int rank;           // all dimensions
  unsigned int contiguous;     // inputs that have neighbours side by side in the dimension along which a thread loads
  // short: threads of a result, as a power of 2. long, chunks: thread blocks of a result. columns: threads side by
  // side, as a power of 2.
  unsigned int threads;
  unsigned int lanes;          // columns: that a thread block makes at once, as a power of 2
  graft_reduce_divider tiles;  // columns: thread blocks across the first dimension of results
  // segments: where they begin and end, one more than there are; integers of this kind; and the elements of the inputs
  const void* offsets;
  unsigned int offset_kind;
  unsigned long long elements;
  graft_reduce_divider dividers[GRAFT_MAX_RANK];
};

enum : unsigned int {
  GRAFT_REDUCE_OFFSETS_I32,
  GRAFT_REDUCE_OFFSETS_U32,
  GRAFT_REDUCE_OFFSETS_I64,
  GRAFT_REDUCE_OFFSETS_U64,
};

// How many neighbouring results a thread of a kernel for columns has, whose accumulators are in registers: as many as a
// group has elements, or as fit. A thread block makes as many as groups have, a part of them at a time.
inline GRAFT_CONSTEXPR int graft_reduce_columns(int width, int accumulator_bytes) {
  const int most = accumulator_bytes < 64 ? 64 / accumulator_bytes : 1;
  return width < most ? width : most;
}

// How many of the first lanes a thread is, in kernels for views with few elements of each result. Their loads are under
// way together.
inline GRAFT_CONSTEXPR unsigned int graft_reduce_lanes_of_thread(int width, int inputs) {
  return width >= 8 || inputs > 2 ? 1 : 4;
}

// How many results a thread makes in a kernel for views with hardly any elements for each.
inline GRAFT_CONSTEXPR int graft_reduce_results_of_thread(int width, int accumulator_bytes, int inputs) {
  return inputs == 1 && accumulator_bytes <= 8 && width < 8 ? 4 : inputs <= 2 && accumulator_bytes <= 16 ? 2 : 1;
}
