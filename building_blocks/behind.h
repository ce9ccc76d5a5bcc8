// Defines names for the code that graft puts after the user's text.
//
// A user's macros affect everything after them: `#define inputs 3` would change `adapted::inputs` in kernel.h.
// Therefore the code after the user's text (kernel.h, and text that src/families writes) uses only keywords and names
// that begin with graft_ or GRAFT_. This file is included after adapter.h and before the user's text, and gives names
// that begin with graft_ to the adapter's templates and members.
#pragma once

template <class Expression>
using graft_function_of = graft_adapter::FunctionBehind<Expression>;
template <class Function>
using graft_facts_of = typename graft_adapter::Signature<Function>::facts;

// Gives a function object the signature Function if its call operator is a template or overloaded, and returns every
// other object as it is.
template <class Function, class Object>
__device__ __forceinline__ decltype(auto) graft_called_as(Object&& object) {
  if constexpr (graft_adapter::IsCalledAs<Object, Function>::value)
    return graft_adapter::CalledAs<Object, Function>{static_cast<Object&&>(object)};
  else return static_cast<Object&&>(object);
}
#ifndef GRAFT_READING
template <class Function>
using graft_adapted_to = typename graft_adapter::Signature<Function>::adapted;
template <class Adapted>
using graft_parameters_of = typename Adapted::parameters;

template <class Adapted>
__device__ __forceinline__ constexpr int graft_count_inputs() {
  return Adapted::inputs;
}
template <class Adapted>
__device__ __forceinline__ constexpr int graft_count_outputs() {
  return Adapted::outputs;
}
template <class Adapted>
__device__ __forceinline__ constexpr int graft_size_of_input(int k) {
  return graft_adapter::unpack<Adapted::input_sizes, Adapted::more_input_sizes>(k);
}
template <class Adapted>
__device__ __forceinline__ constexpr int graft_size_of_output(int k) {
  return graft_adapter::unpack<Adapted::output_sizes, 0>(k);
}
template <class Adapted>
__device__ __forceinline__ constexpr int graft_alignment_of_input(int k) {
  return graft_adapter::unpack<Adapted::input_alignments, Adapted::more_input_alignments>(k);
}
template <class Adapted>
__device__ __forceinline__ constexpr int graft_alignment_of_output(int k) {
  return graft_adapter::unpack<Adapted::output_alignments, 0>(k);
}
template <class Adapted, class Call>
__device__ __forceinline__ unsigned int graft_apply_to(const graft_share* in, graft_share* out, int place,
                                                       unsigned long long index, const graft_launch* launch) {
  return Adapted::template apply<Call>(in, out, place, index, launch);
}

template <class Parameters>
__device__ __forceinline__ const graft_launch* graft_launch_in(const Parameters& parameters) {
  return &parameters.launch;
}

// The parameter of a kernel for views: that of other kernels, the dimensions, and the strides of each pointer.
template <class Adapted>
struct graft_parameters_for_views {
  graft_parameters_of<Adapted> first;
  graft_shape shape;
  long long strides[Adapted::inputs + Adapted::outputs == 0 ? 1 : Adapted::inputs + Adapted::outputs][GRAFT_MAX_RANK];
};
template <class Adapted>
__device__ __forceinline__ const graft_launch* graft_launch_in(const graft_parameters_for_views<Adapted>& parameters) {
  static_assert(sizeof(parameters.first) % alignof(graft_shape) == 0, "the dimensions follow without a gap");
  return &parameters.first.launch;
}

// The tiles of a kernel for transposed inputs (contract.h).
using graft_tile_word = uint4;
template <class Adapted, unsigned int transposed>
__device__ __forceinline__ constexpr int graft_edge_of_tiles() {
  int widest = 1;
  for (int k = 0; k < Adapted::inputs; ++k)
    if ((transposed >> k & 1) != 0 && graft_size_of_input<Adapted>(k) > widest)
      widest = graft_size_of_input<Adapted>(k);
  return GRAFT_TILE_EDGE(widest);
}
template <class Adapted, unsigned int transposed>
__device__ __forceinline__ constexpr int graft_bytes_of_tiles() {
  int bytes = 0;
  for (int k = 0; k < Adapted::inputs; ++k)
    if ((transposed >> k & 1) != 0) bytes += graft_size_of_input<Adapted>(k);
  return bytes * graft_edge_of_tiles<Adapted, transposed>() * graft_edge_of_tiles<Adapted, transposed>();
}

// ---- the work for one element, which the route `indirect` calls through a function pointer ----

#ifdef GRAFT_ELEMENT
template <class Word>
__device__ __forceinline__ void graft_copy(const void* from, void* to, int bytes) {
#pragma unroll
  for (int i = 0; i < bytes / static_cast<int>(sizeof(Word)); ++i)
    static_cast<Word*>(to)[i] = static_cast<const Word*>(from)[i];
}
// Copies an element in the widest words, up to 8 bytes, that its address and size allow. `unit` is the bitwise or of
// the element's size and alignment, so the largest power of two that divides `unit` divides both.
__device__ __forceinline__ void graft_copy(const void* from, void* to, int bytes, int unit) {
  if (unit % 8 == 0) graft_copy<unsigned long long>(from, to, bytes);
  else if (unit % 4 == 0) graft_copy<unsigned int>(from, to, bytes);
  else if (unit % 2 == 0) graft_copy<unsigned short>(from, to, bytes);
  else graft_copy<unsigned char>(from, to, bytes);
}
// Returns the graft_mask of a bit array. `array` is its index among all arrays, the inputs first.
template <class Adapted>
__device__ __forceinline__ const graft_mask* graft_mask_of(const graft_launch* launch, int array) {
  int before = 0;
#pragma unroll
  for (int k = 0; k < Adapted::inputs + Adapted::outputs; ++k) {
    const int size =
        k < Adapted::inputs ? graft_size_of_input<Adapted>(k) : graft_size_of_output<Adapted>(k - Adapted::inputs);
    before += k < array && size == GRAFT_BIT_SIZE ? 1 : 0;
  }
  void* const* const pointers = reinterpret_cast<void* const*>(launch + 1);
  return reinterpret_cast<const graft_mask*>(pointers + Adapted::inputs + Adapted::outputs) + before;
}
// Loads one element from each input, calls the callback, and stores one element to each output, unless a selective
// callback leaves the element alone. The share of a bit array is one word, whose lowest bit is the element.
template <class Adapted, class Call>
__device__ __forceinline__ void graft_move_element(const graft_launch* launch, unsigned long long index) {
  unsigned char* const* in = reinterpret_cast<unsigned char* const*>(launch + 1);
  unsigned char* const* out = in + Adapted::inputs;
  graft_share taken[GRAFT_MAX_INPUTS];
  graft_share made[GRAFT_MAX_OUTPUTS];
#pragma unroll
  for (int k = 0; k < Adapted::inputs; ++k) {
    const int size = graft_size_of_input<Adapted>(k);
    if (Adapted::masks > 0 && size == GRAFT_BIT_SIZE)
      taken[k].words[0] = graft_load_bit(in[k], graft_mask_of<Adapted>(launch, k), index);
    else graft_copy(in[k] + index * size, taken[k].words, size, size | graft_alignment_of_input<Adapted>(k));
  }
  if (Adapted::template apply<Call>(taken, made, 0, index, launch) == 0) return;
#pragma unroll
  for (int k = 0; k < Adapted::outputs; ++k) {
    const int size = graft_size_of_output<Adapted>(k);
    if (Adapted::masks > 0 && size == GRAFT_BIT_SIZE)
      graft_store_bit(launch, out[k], graft_mask_of<Adapted>(launch, Adapted::inputs + k), index, made[k].words[0] & 1);
    else graft_copy(made[k].words, out[k] + index * size, size, size | graft_alignment_of_output<Adapted>(k));
  }
}
#endif

// ---- a callback that is compiled separately from its kernel (src/codegen/separate_program.hpp) ----

#ifdef GRAFT_STAND_INS
// Give the result type and the parameter types of a function type; parameter 0 is the first one. They are two
// templates, because a function without parameters has a result, but no type at any place.
template <class Function>
struct graft_result_behind;
template <class R, class... P>
struct graft_result_behind<R(P...)> {
  using type = typename graft_adapter::Result<R>::type;
};
template <class Function, int I>
struct graft_parameter_behind;
template <class R, class... P, int I>
struct graft_parameter_behind<R(P...), I> {
  using type = typename graft_adapter::Parameter<typename graft_adapter::TypeAt<I, P...>::type>::type;
};
template <class Function>
using graft_result_of = typename graft_result_behind<Function>::type;
template <class Function, int I>
using graft_parameter_of = typename graft_parameter_behind<Function, I>::type;

// Converts between the callback's type T and its stand-in, a struct of bytes with the size and alignment of T. The
// kernel, whose program does not know T, uses the stand-in in the place of T. The bits are copied through a Cell, which
// keeps them in registers and does not depend on T's constructors.
template <class T>
struct graft_value {
  graft_adapter::Cell<T> cell;

  graft_value() = default;
  template <class StandIn>
  __device__ __forceinline__ explicit graft_value(const StandIn& bits) {
    static_assert(sizeof(StandIn) == sizeof(T));
    cell.load(&bits);
  }
  __device__ __forceinline__ T& graft_own() { return cell.value(); }
  template <class Made>
  __device__ __forceinline__ void graft_take(Made&& made) {
    cell.take(static_cast<Made&&>(made));
  }
  template <class StandIn>
  __device__ __forceinline__ StandIn graft_as() const {
    static_assert(sizeof(StandIn) == sizeof(T));
    StandIn bits;
    cell.store(&bits);
    return bits;
  }
};
#endif
#endif
