// What host code and device code agree on: the limits of a signature, the head of a kernel's parameters, and the
// functions through which a building block asks and is answered. Included by the host library, by the blocks (nvcc,
// NVRTC) and by the adapter (NVRTC, host compilers), so it includes nothing itself.
#pragma once
#define GRAFT_CONTRACT

#define GRAFT_MAX_INPUTS 8
#define GRAFT_MAX_OUTPUTS 4
#define GRAFT_MAX_ELEMENT_BYTES 32
#define GRAFT_MAX_STATE_BYTES 2048
#define GRAFT_MAX_STATE_ALIGNMENT 64
#define GRAFT_BLOCK_THREADS 256

// The widest word that a thread moves at once, in bytes.
#define GRAFT_WORD_BYTES 16

// Room for one array's part of a thread, in bytes: 16 elements of 32 at most (the policy keeps width * size within it).
#define GRAFT_SHARE_BYTES 512

// graft_body() answers one of these.
#define GRAFT_BODY_VECTOR 0
#define GRAFT_BODY_ROLLED 1

// The head of every kernel's one parameter. The layout is compiled into cached kernels and packs: change it only with
// their format versions.
struct graft_launch {
  unsigned long long count;  // elements
  unsigned int tiles;        // blocks that handle a tile each; those behind them handle what no tile covers
  unsigned short head;       // elements in front of the first tile
  unsigned char unlike;      // 1: where a tile begins outputs are aligned to their words, and inputs are not
  unsigned char single;      // 1: a thread handles one group of a tile and not several; only for plain adapters
  void* load_info;           // caller info of a load callback
  void* store_info;          // caller info of a store callback
};

// What a kernel's one parameter holds besides its head. A field that a kernel does not use takes no bytes.
struct graft_parameter_fields {
  unsigned int inputs;
  unsigned int outputs;
  unsigned int rank;             // of strided arrays; contiguous ones have rank 0
  bool has_offsets;              // each array begins so many elements behind its pointer
  unsigned int state_bytes;      // 0: no state
  unsigned int state_alignment;  // a power of two; of no meaning without a state
};

// Where each field begins, in bytes. One that is absent begins where the next one does.
struct graft_parameter_layout {
  unsigned int pointers;  // of the inputs, then of the outputs
  unsigned int extents;   // `rank` of them: the shape that all strided arrays share
  unsigned int strides;   // `rank` for each array, in the order of the pointers
  unsigned int offsets;   // one for each array
  unsigned int state;     // at its own alignment
  unsigned int bytes;     // of the whole
  unsigned int alignment;
};

#if defined(__CUDACC__) || defined(__CUDACC_RTC__)
#define GRAFT_CONSTEXPR __host__ __device__ constexpr
#else
#define GRAFT_CONSTEXPR constexpr
#endif

GRAFT_CONSTEXPR unsigned int graft_round_up(unsigned int value, unsigned int alignment) {
  return (value + alignment - 1) / alignment * alignment;
}

// The one rule that places them: the host packs by it, and a kernel reads by it and does not compile where its compiler
// disagrees. Pointers, extents, strides and offsets have 8 bytes each. It is compiled into cached kernels and packs as
// graft_launch is.
GRAFT_CONSTEXPR graft_parameter_layout graft_lay_out(graft_parameter_fields fields) {
  const unsigned int arrays = fields.inputs + fields.outputs;
  graft_parameter_layout layout = {};
  layout.pointers = sizeof(graft_launch);
  layout.extents = layout.pointers + 8 * arrays;
  layout.strides = layout.extents + 8 * fields.rank;
  layout.offsets = layout.strides + 8 * fields.rank * arrays;
  layout.state = layout.offsets + (fields.has_offsets ? 8 * arrays : 0);
  layout.bytes = layout.state;
  layout.alignment = alignof(graft_launch);
  if (fields.state_bytes > 0) {
    if (fields.state_alignment > layout.alignment) layout.alignment = fields.state_alignment;
    layout.state = graft_round_up(layout.state, fields.state_alignment);
    layout.bytes = graft_round_up(layout.state + fields.state_bytes, layout.alignment);
  }
  return layout;
}

// Where `unlike` is 1, so many elements at least stand in front of the first tile and behind the last one: a thread may
// read so much more than its own than a 4-byte word takes to be whole.
#define GRAFT_UNLIKE_MARGIN 4

// The registers of one array: elements side by side, as many as a thread handles at once.
struct alignas(32) graft_share {
  unsigned int words[GRAFT_SHARE_BYTES / 4];
};

#ifndef GRAFT_ANSWER  // a program that only wants the adapter's types makes them static
#if defined(__CUDACC__) || defined(__CUDACC_RTC__)
#define GRAFT_ANSWER extern "C" __device__
#else
#define GRAFT_ANSWER extern "C"
#endif
#endif

// Answered by the adapter. Sizes and alignments are in bytes; a size of 0 means that the callback moves the data
// itself.
GRAFT_ANSWER int graft_input_count();
GRAFT_ANSWER int graft_input_size(int input);
GRAFT_ANSWER int graft_input_alignment(int input);
GRAFT_ANSWER int graft_output_count();
GRAFT_ANSWER int graft_output_size(int output);
GRAFT_ANSWER int graft_output_alignment(int output);

// 1: the block may use shared memory of its own, 0: the callback has all of it.
GRAFT_ANSWER int graft_stages();

// Calls the callback for the elements at one place of each share: inputs[k] and outputs[k] are the shares of the k-th
// arrays.
GRAFT_ANSWER void graft_apply(const graft_share* inputs, graft_share* outputs, int place, unsigned long long index,
                              const graft_launch* launch);

// Answered by the policy: elements that a thread handles side by side, such groups per thread, which body runs, and
// whether the kernel may begin before the one in front of it in the stream has ended (Hopper and newer). For each of
// these answers CMakeLists.txt makes a fragment that is linked.
GRAFT_ANSWER int graft_vector_width();         // answers: 1 2 4 8 16
GRAFT_ANSWER int graft_vectors_per_thread();   // answers: 1 2 4
GRAFT_ANSWER int graft_body();                 // answers: 0 1
GRAFT_ANSWER int graft_programmatic_launch();  // answers: 0 1

// What one thread does: its groups of a tile, of which the first begins at `first` and each further one a block's width
// behind; and one element by itself. Answered by elementwise/tile.cu, which asks the adapter, or by an adapter that
// graft writes for exactly one signature (src/families/elementwise/plain_program.hpp).
GRAFT_ANSWER void graft_tile(const graft_launch* launch, unsigned long long first);
GRAFT_ANSWER void graft_element(const graft_launch* launch, unsigned long long index);

// Answered by the block, called by the kernel in the adapter.
GRAFT_ANSWER void graft_transform(const graft_launch* launch);

// The block of the indirect route knows nothing of a signature: it calls the callback through a pointer to
// graft_element or what does the same: loads the element of that index from each input, calls, stores one to each
// output. A thread handles so many elements, one after the other.
#define GRAFT_INDIRECT_ELEMENTS 4
typedef void (*graft_thunk)(const graft_launch* launch, unsigned long long index);
