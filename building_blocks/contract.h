// The contract between host code and device code:
//
//   * the limits of a signature, and the numbers for roles, kinds and refusals,
//   * the layout of a kernel's one parameter,
//   * the extern "C" functions that building blocks, policy fragments and adapter define for each other; the linker
//     connects them.
//
// The host library, the building blocks (compiled by nvcc or NVRTC) and the adapter (compiled by NVRTC or a host
// compiler) include this file, so this file includes no other file. README.md shows how a kernel is made from these
// parts.
#pragma once
#define GRAFT_CONTRACT

#define GRAFT_MAX_INPUTS 16
#define GRAFT_MAX_OUTPUTS 8
#define GRAFT_MAX_ELEMENT_BYTES 32
// The largest accumulator of a reduction, in bytes, and the strictest alignment of one.
#define GRAFT_MAX_ACCUMULATOR_BYTES 64
#define GRAFT_MAX_ACCUMULATOR_ALIGNMENT 16
#define GRAFT_MAX_STATE_BYTES 2048
#define GRAFT_MAX_STATE_ALIGNMENT 64
#define GRAFT_MAX_COORDINATES 5

// The most dimensions of a call whose arrays are views, when those that lie in memory like one are merged.
#define GRAFT_MAX_RANK 8

// The largest number of threads in a thread block. A kernel has __launch_bounds__ with this number. A kernel with a
// register limit has __maxnreg__ instead.
#define GRAFT_BLOCK_THREADS 256

// The most vectors of outputs that a thread of a tile handles: its vectors of one array times the number of outputs. A
// thread with room for more (8 outputs times 4 vectors) got other machine code even if it used no more: kernels of few
// arrays had other schedules, and some of them more registers.
#define GRAFT_MAX_OUTPUT_VECTORS 16

// The widest load or store of a thread, in bytes.
#define GRAFT_WORD_BYTES 16

// An output is stored through shared memory if a thread has 2 to this many 16-byte words of the output. Without shared
// memory, kernels that store 48 bytes per thread run at 0.75 of their speed with shared memory (docs/design.md).
#define GRAFT_WORDS_THROUGH_SHARED 4

// What graft_input_size and graft_output_size return for a bit array, an array of graft::Bit: its elements have no size
// in bytes. graft_mask, below, says where the bits are.
#define GRAFT_BIT_SIZE 63

// The number of bits in a word of a bit array.
#define GRAFT_BITS_PER_WORD 32

// Size of graft_share in bytes: room for one vector, at most 16 elements of the largest size. The host code that
// chooses the tuning keeps vector width times element size within this number.
#define GRAFT_SHARE_BYTES (16 * GRAFT_MAX_ELEMENT_BYTES)

// The values that graft_body() can return: thread blocks handle tiles, in vectors of adjacent elements, or there are no
// tiles and each thread handles one element.
#define GRAFT_BODY_VECTOR 0
#define GRAFT_BODY_ROLLED 1

namespace graft_adapter {

// The general adapter gives every parameter and result of a callback a role, and its type a kind. The compiler writes
// these numbers into the mangled name from which the host reads the signature (the probe in adapter.h). graft::Role and
// graft::ElementKind have the same numbers, which src/reflect/signature/probe.cpp checks. Packs and caches hold these
// numbers, so do not change them.
enum Role : unsigned {
  kInput = 0,
  kOutput = 1,
  kState = 2,
  kIndex = 3,
  kNone = 4,          // the result of a callback that returns void
  kBaked = 6,         // a state that is compiled into the kernel; only the host uses this number
  kInOut = 7,         // an array that is read and written
  kStore = 8,         // the result graft::Store, which says whether the outputs of an element are stored
  kFurtherInput = 9,  // an input array of a store callback, which has the output's layout
  kPosition = 10,     // graft::Position
  kAccumulator = 11,  // what a reduction combines; no array has it
};

// The kind of an element type, which the host compares with the caller's arrays.
enum Kind : unsigned {
  kClass = 0,
  kBool = 1,
  kSigned = 2,
  kUnsigned = 3,
  kFloat = 4,
  kBfloat = 5,
  kComplex = 6,
  kEnum = 7,
  kOpaque = 8,  // an array that only a load or store callback accesses; it has no fixed element type
  kBit = 9,     // graft::Bit, an element of a bit array
};

// Why a signature is refused. src/reflect/signature/refusal.cpp has the messages. A family of kernels may have
// further refusals of its own, numbered from kFirstFamilyRefusal on (Family::refusal in src/families/family.hpp).
enum Refusal : unsigned {
  kAccepted = 0,
  kPointer = 1,
  kRvalueReference = 2,
  kVolatile = 3,
  kIndexByReference = 4,
  kTooLarge = 5,
  kNotTriviallyCopyable = 6,
  kStateTooLarge = 7,
  kReturnsReference = 8,
  kSecondState = 9,
  kTooManyInputs = 10,
  kTooManyOutputs = 11,
  kNoOutput = 12,
  kVariadic = 13,
  kNotCallable = 14,
  kOveraligned = 15,
  kMemberPointer = 16,
  kLongDouble = 17,
  kAlmostCufft = 18,
  kCufft = 19,
  // The refusals below concern compositions (compose.h). For these refusals, the position in the facts (see adapter.h)
  // is the index of the refused callback in the composition.
  kTooFewInputsForPreviousPart = 20,
  kPartsTypesDiffer = 21,
  kLoadTypeDiffers = 22,
  kStoreTypeDiffers = 23,
  kNoLoadCallback = 24,
  kNoStoreCallback = 25,
  kInOutInPart = 26,
  kInOutInOp = 27,
  kStoreAsParameter = 28,
  kStoreBeforeLastPart = 29,
  kStoreWithoutOutput = 30,
  kBitInStage = 31,
  kTooManyCoordinates = 32,
  kRefusalEnd,  // one more than the last refusal
  kFirstFamilyRefusal = 64
};

// Of compositions that may have several chains (the load and the store callback of an FFT), the position of a refused
// part, or of a parameter of a refused chain, is in the lower kPartBits bits. Above them is one more than the number of
// the stage that is the chain, and 0 where there is only one chain.
enum : unsigned { kPartBits = 12 };

}  // namespace graft_adapter

// The beginning of every kernel's one parameter: what the host decides about one launch. A tile is the run of elements
// that one thread block handles with wide loads and stores; a vector is the run of adjacent elements that one thread
// handles at a time. Cached kernels and packs depend on this layout: change this struct only together with their format
// versions.
struct graft_launch {
  unsigned long long count;  // number of elements in each array
  // Number of tiles. Thread block i < tiles handles tile i; the other thread blocks handle the elements outside all
  // tiles.
  unsigned int tiles;
  unsigned short head;  // number of elements in front of the first tile
  // 1 if arrays are differently aligned: where a tile begins, every output is aligned for wide stores, and at least one
  // input is not aligned for wide loads. Otherwise 0.
  unsigned char differently_aligned;
  // 1 if each thread handles one vector of its tile instead of graft_vectors_per_thread() vectors. Otherwise 0. The
  // host sets 1 only for exact adapters, which are generated for one signature (see graft_tile below).
  unsigned char single;
  void* load_info;   // the pointer that a load callback receives as caller_info
  void* store_info;  // the pointer that a store callback receives as caller_info
};

// Where the elements of one bit array are. The array's pointer points to 32-bit words. Element i is the bit at place
// offset + i, counted from the lowest bit of the first word.
struct graft_mask {
  unsigned long long* zeros;  // null, or a counter, to which the kernel adds the number of zeros that it stores
  unsigned int offset;        // 0 to 31
  unsigned int clears_rest;   // 1 if the kernel clears the bits behind the last element in its word. Otherwise 0.
};

// The dimensions of a call whose arrays are views (src/families/elementwise/shapes/form.hpp), for the host route. The
// pointers of the kernel's parameter are then those of the first element.
struct graft_view {
  unsigned int rank;
  unsigned long long extents[GRAFT_MAX_RANK];  // innermost first
  // Of each pointer of the parameter, in bytes.
  long long strides[GRAFT_MAX_INPUTS + GRAFT_MAX_OUTPUTS][GRAFT_MAX_RANK];
  long long first_index;
  long long index_strides[GRAFT_MAX_RANK];
};

// Behind the last field of the parameter of a kernel for views: what such a kernel reads of the call's dimensions.
// Behind it are the strides of each pointer of the parameter, GRAFT_MAX_RANK numbers of bytes for each.
struct graft_shape {
  // Innermost first. In strided kernels, the first is the number of a row's threads, and the second, if `second` is not
  // 0, the number of threads in that dimension; in transposed kernels, the first two are numbers of tiles. A number
  // below 2^31 is divided by an extent as (number * multiplier / 2^32 + number) / 2^shift.
  unsigned int extents[GRAFT_MAX_RANK];
  unsigned int multipliers[GRAFT_MAX_RANK];
  unsigned char shifts[GRAFT_MAX_RANK];
  long long first_index;
  long long index_strides[GRAFT_MAX_RANK];
  unsigned long long inner;         // the elements of the innermost dimension
  unsigned long long second;        // those of the second, where threads do not count its elements
  unsigned int threads_with_units;  // of a row, in strided kernels (elementwise/strided.cu)
  unsigned int rank;
};

// Divides a number below 2^63 by the extent of a dimension: the quotient is the upper half of number * multiplier, plus
// the number, shifted. Granlund and Montgomery, Division by Invariant Integers using Multiplication (1994), figure 4.1.
struct graft_divider {
  unsigned long long multiplier;
  unsigned int extent;
  unsigned int shift;
};

// Describes the fields that follow graft_launch in a kernel's one parameter. A field that a kernel does not use takes
// no bytes.
struct graft_parameter_fields {
  unsigned int inputs;
  unsigned int outputs;
  unsigned int masks;            // how many of the inputs and outputs are bit arrays
  unsigned int coordinates;      // that the callback takes (graft::Position)
  unsigned int state_bytes;      // 0 without a state
  unsigned int state_alignment;  // a power of two; ignored without a state
};

// The byte offset at which each field begins. An absent field has the offset of the field after it.
struct graft_parameter_layout {
  unsigned int pointers;  // the inputs' pointers, then the outputs' pointers
  unsigned int masks;     // one graft_mask for each bit array, in the order of the pointers
  unsigned int dividers;  // one graft_divider for each coordinate, the innermost first
  unsigned int state;     // aligned to its own alignment
  unsigned int bytes;     // size of the whole parameter
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

// Computes the layout of a kernel's parameter; no other code computes it. The host writes the parameter in this layout,
// and every adapter has a static_assert that its compiler lays the parameter out in the same way. Each pointer
// has 8 bytes. Example: float(float, const Scale&) with a 4-byte Scale has pointers at 32, the state
// at 48, and 56 bytes in all. Cached kernels and packs depend on this layout: change this function only together with
// their format versions.
GRAFT_CONSTEXPR graft_parameter_layout graft_lay_out(graft_parameter_fields fields) {
  const unsigned int arrays = fields.inputs + fields.outputs;
  graft_parameter_layout layout = {};
  layout.pointers = sizeof(graft_launch);
  layout.masks = layout.pointers + 8 * arrays;
  layout.dividers = layout.masks + sizeof(graft_mask) * fields.masks;
  layout.state = layout.dividers + sizeof(graft_divider) * fields.coordinates;
  layout.bytes = layout.state;
  layout.alignment = alignof(graft_launch);
  if (fields.state_bytes > 0) {
    if (fields.state_alignment > layout.alignment) layout.alignment = fields.state_alignment;
    layout.state = graft_round_up(layout.state, fields.state_alignment);
    layout.bytes = graft_round_up(layout.state + fields.state_bytes, layout.alignment);
  }
  return layout;
}

// Makes the coordinates of an element (graft::Position) of its index in the call: the innermost has the first divider.
template <class Position>
GRAFT_CONSTEXPR Position graft_position(unsigned long long index, const graft_divider* dividers) {
  Position position = {};
  for (int i = sizeof position / sizeof position.coordinates[0] - 1; i >= 0; --i, ++dividers) {
#ifdef __CUDA_ARCH__
    const unsigned long long upper = __umul64hi(index, dividers->multiplier);
#else
    __extension__ typedef unsigned __int128 Product;
    const auto upper = static_cast<unsigned long long>(static_cast<Product>(index) * dividers->multiplier >> 64);
#endif
    const unsigned long long quotient = (upper + index) >> dividers->shift;
    position.coordinates[i] = static_cast<unsigned int>(index) - static_cast<unsigned int>(quotient) * dividers->extent;
    index = quotient;
  }
  return position;
}

// When `differently_aligned` is 1, a thread's input loads may touch up to 3 bytes before and 4 bytes after its own
// elements, because they read whole 4-byte words. The host keeps at least this many elements between the tiles and each
// end of the array, so that these loads stay in bounds.
#define GRAFT_ALIGNMENT_MARGIN 4

// One thread's share of one array: one vector of adjacent elements, which the optimiser keeps in registers.
struct alignas(32) graft_share {
  unsigned int words[GRAFT_SHARE_BYTES / 4];
};

#define GRAFT_INLINE __device__ __forceinline__
// The linkage of the functions below. A program that uses only the adapter's types, and no building block, defines
// GRAFT_ANSWER itself to make these functions static.
#ifndef GRAFT_ANSWER
#if defined(__CUDACC__) || defined(__CUDACC_RTC__)
#define GRAFT_ANSWER extern "C" __device__
#else
#define GRAFT_ANSWER extern "C"
#endif
#endif

// The general adapter (kernel.h) defines the functions from graft_input_count to graft_apply. Sizes and alignments are
// in bytes. A size of 0 means that a load or store callback accesses the array itself; the building block must then not
// access the array.
GRAFT_ANSWER int graft_input_count();
GRAFT_ANSWER int graft_input_size(int input);
GRAFT_ANSWER int graft_input_alignment(int input);
GRAFT_ANSWER int graft_output_count();
GRAFT_ANSWER int graft_output_size(int output);
GRAFT_ANSWER int graft_output_alignment(int output);

// Returns 1 if the building block may use shared memory of its own, and 0 if load and store callbacks have dynamic
// shared memory.
GRAFT_ANSWER int graft_may_use_shared();

// Returns where graft_shape is in the parameter, in bytes. Only for kernels for views.
GRAFT_ANSWER unsigned int graft_shape_place();

// Kernels for transposed inputs (elementwise/transposed.cu) have thread blocks of GRAFT_TILE_THREADS, each of which
// handles a tile of graft_tile_edge() rows and columns: more if elements are small, so that a tile has about 16 KiB. A
// thread then reads at most GRAFT_TILE_VECTORS times 16 bytes of an input. graft_tiles returns shared memory for the
// tiles of all inputs for which graft_is_transposed returns 1, one after the other.
#define GRAFT_TILE_THREADS 256
#define GRAFT_TILE_VECTORS 4
#define GRAFT_TILE_EDGE(widest) ((widest) == 1 ? 128 : (widest) <= 4 ? 64 : 32)
GRAFT_ANSWER int graft_is_transposed(int input);
GRAFT_ANSWER int graft_tile_edge();
GRAFT_ANSWER unsigned char* graft_tiles();

// Calls the callback for the elements at position `place` of each share: inputs[k] and outputs[k] are the shares of the
// k-th arrays, and `index` is the index of these elements in the arrays. Returns 0 if the callback is selective
// (returns graft::Store) and leaves these elements of the output arrays alone, and 1 otherwise.
GRAFT_ANSWER unsigned int graft_apply(const graft_share* inputs, graft_share* outputs, int place,
                                      unsigned long long index, const graft_launch* launch);

// The policy fragments define the next four functions; an exact adapter defines the first two itself. The functions
// return the number of elements per vector, the number of vectors per thread of a tile, the body (GRAFT_BODY_...), and
// whether the kernel is launched with programmatic dependent launch (Hopper and newer). CMakeLists.txt reads the values
// after "answers:" and compiles one fragment for each.
GRAFT_ANSWER int graft_vector_width();         // answers: 1 2 4 8 16
GRAFT_ANSWER int graft_vectors_per_thread();   // answers: 1 2 4
GRAFT_ANSWER int graft_body();                 // answers: 0 1
GRAFT_ANSWER int graft_programmatic_launch();  // answers: 0 1

// graft_tile and graft_element do the work of one thread. graft_tile handles the thread's vectors of a tile: vector v
// begins at element first + v * blockDim.x * graft_vector_width(). graft_element handles one element. Both are defined
// by elementwise/tile.cu, which calls functions of the general adapter, or by the exact adapter
// (src/families/elementwise/exact_program.hpp).
GRAFT_ANSWER void graft_tile(const graft_launch* launch, unsigned long long first);
GRAFT_ANSWER void graft_element(const graft_launch* launch, unsigned long long index);

// graft_load_bit returns the element `index` of a bit array, 0 or 1, and graft_store_bit stores it. They are part of
// the building block of the route `indirect`, for kernels that have bit arrays.
GRAFT_ANSWER unsigned int graft_load_bit(const void* words, const graft_mask* mask, unsigned long long index);
GRAFT_ANSWER void graft_store_bit(const graft_launch* launch, void* words, const graft_mask* mask,
                                  unsigned long long index, unsigned int value);

// Finds the elements of the current thread, and calls graft_tile or graft_element for them. The building block
// elementwise/transform.cu defines this function, and the kernel in the adapter calls it. In kernels for views,
// elementwise/strided.cu or elementwise/transposed.cu defines it, which handle the elements themselves.
GRAFT_ANSWER void graft_transform(const graft_launch* launch);

// The route `indirect` has a building block that knows no signature. This building block calls a thunk through a
// function pointer, once for each element. The thunk is graft_element, or a PTX function that does the same (loads one
// element from each input, calls the callback, stores one element to each output). Each thread handles
// GRAFT_INDIRECT_ELEMENTS elements, one after the other.
#define GRAFT_INDIRECT_ELEMENTS 4
typedef void (*graft_thunk)(const graft_launch* launch, unsigned long long index);
// The thunk of kernels for views (elementwise/indirect_views.cu), which gets where the element is in each array, in the
// order of the parameter's pointers.
typedef void (*graft_view_thunk)(const graft_launch* launch, unsigned long long index, void* const* places);
