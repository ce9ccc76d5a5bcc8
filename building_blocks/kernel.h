// The last part of the general adapter: applies the adapter's templates to the callback and defines the kernel. This
// file is included after the user's text, where the user's macros are in effect. So all names in this file begin with
// graft_, because no user's macro has such a name (behind.h). The lines before the #include define:
//
//     GRAFT_CALLBACK        the expression that names the callback: `::relu`, `::math::scale<float>`, or
//                           `graft_callback()` for a lambda
//     GRAFT_KERNEL          the kernel's name, which profilers show: `graft_transform_relu`
//     GRAFT_KERNEL_OPTIONS  `__launch_bounds__(256)` or `__maxnreg__(64)`
//     GRAFT_OVERLOAD        a function type; only if GRAFT_CALLBACK names several functions
//     GRAFT_COMPOSITION     a type of compose.h, instead of GRAFT_CALLBACK
//     GRAFT_VIEWS           only for a kernel for views (elementwise/strided.cu)
//     GRAFT_TRANSPOSED      only for a kernel for transposed inputs (elementwise/transposed.cu): a bit for each of them
//
// This file then
//
//   * defines the functions that the building block calls: sizes (`graft_input_size`, ...) and the call of the callback
//     (`graft_apply`),
//   * defines the kernel, whose one parameter is exactly as large as this signature needs,
//   * defines the types of the probe. The host asks NVRTC for the lowered name of `graft_probe<graft_function,
//     graft_facts>`, and parses types, roles, sizes and alignments from that name, so nothing has to run.
//
// If GRAFT_READING is defined, this file defines only the types of the probe, because that compile only reads the
// signature. With GRAFT_ELEMENT the adapter also defines graft_element, for the route `indirect`.
#pragma once

// CUDA's words __global__, __shared__, __launch_bounds__, __maxnreg__ and __grid_constant__ expand to these names,
// which the user's macros may have.
#undef global
#undef shared
#undef launch_bounds
#undef maxnreg
#undef grid_constant

#ifdef GRAFT_COMPOSITION
using graft_adapted = GRAFT_COMPOSITION;
using graft_function = graft_adapted::graft_function;
using graft_facts = graft_facts_of_composition<graft_adapted>;
struct graft_call {};  // unused: a composition calls its parts itself
#else
#ifdef GRAFT_OVERLOAD
using graft_function = graft_function_of<decltype(static_cast<GRAFT_OVERLOAD*>(GRAFT_CALLBACK))>;
#else
using graft_function = graft_function_of<decltype(GRAFT_CALLBACK)>;
#endif
using graft_facts = graft_facts_of<graft_function>;
#ifndef GRAFT_READING
using graft_adapted = graft_adapted_to<graft_function>;

struct graft_call {
  template <class... graft_A>
  static __device__ __forceinline__ decltype(auto) graft_run(graft_A&&... graft_arguments) {
    return GRAFT_CALLBACK(static_cast<graft_A&&>(graft_arguments)...);
  }
};
#endif
#endif

#ifndef GRAFT_READING
GRAFT_ANSWER int graft_input_count() {
  return graft_count_inputs<graft_adapted>();
}
GRAFT_ANSWER int graft_output_count() {
  return graft_count_outputs<graft_adapted>();
}
GRAFT_ANSWER int graft_input_size(int graft_k) {
  return graft_size_of_input<graft_adapted>(graft_k);
}
GRAFT_ANSWER int graft_output_size(int graft_k) {
  return graft_size_of_output<graft_adapted>(graft_k);
}
GRAFT_ANSWER int graft_input_alignment(int graft_k) {
  return graft_alignment_of_input<graft_adapted>(graft_k);
}
GRAFT_ANSWER int graft_output_alignment(int graft_k) {
  return graft_alignment_of_output<graft_adapted>(graft_k);
}
GRAFT_ANSWER int graft_may_use_shared() {
#ifdef GRAFT_SHARED_BYTES
  return 0;
#else
  return 1;
#endif
}
GRAFT_ANSWER unsigned int graft_apply(const graft_share* graft_in, graft_share* graft_out, int graft_place,
                                      unsigned long long graft_index, const graft_launch* graft_parameter) {
  return graft_apply_to<graft_adapted, graft_call>(graft_in, graft_out, graft_place, graft_index, graft_parameter);
}

#ifdef GRAFT_ELEMENT
GRAFT_ANSWER void graft_element(const graft_launch* graft_parameter, unsigned long long graft_index) {
  graft_move_element<graft_adapted, graft_call>(graft_parameter, graft_index);
}
#endif

#if defined(GRAFT_KERNEL) && !defined(GRAFT_HOST)
#ifdef GRAFT_VIEWS
using graft_parameter_type = graft_parameters_for_views<graft_adapted>;
GRAFT_ANSWER unsigned int graft_shape_place() {
  return sizeof(graft_parameters_of<graft_adapted>);
}
#ifdef GRAFT_TRANSPOSED
GRAFT_ANSWER int graft_is_transposed(int graft_k) {
  return GRAFT_TRANSPOSED >> graft_k & 1;
}
GRAFT_ANSWER int graft_tile_edge() {
  return graft_edge_of_tiles<graft_adapted, GRAFT_TRANSPOSED>();
}
GRAFT_ANSWER unsigned char* graft_tiles() {
  __shared__ graft_tile_word graft_words[graft_bytes_of_tiles<graft_adapted, GRAFT_TRANSPOSED>() / GRAFT_WORD_BYTES];
  return reinterpret_cast<unsigned char*>(graft_words);
}
#endif
#else
using graft_parameter_type = graft_parameters_of<graft_adapted>;
#endif
extern "C" __global__ void GRAFT_KERNEL_OPTIONS
GRAFT_KERNEL(const __grid_constant__ graft_parameter_type graft_parameter) {
  graft_transform(graft_launch_in(graft_parameter));
}
#endif
#endif
