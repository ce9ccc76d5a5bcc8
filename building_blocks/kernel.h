// The kernel: the adapter's templates applied to the callback. Stands behind the user's text, so every name in it is
// one that no user's macro has. Three macros are defined in front of it:
//
//     GRAFT_CALLBACK        how to call the callback: `relu`, `::math::scale<float>`, `graft_callback()` for a lambda
//     GRAFT_KERNEL          the kernel's name, which profilers show: `graft_transform_relu`
//     GRAFT_KERNEL_OPTIONS  `__launch_bounds__(256)` or `__maxnreg__(64)`
//
// and GRAFT_OVERLOAD, a function type, where GRAFT_CALLBACK names several functions; or, in place of GRAFT_CALLBACK,
// GRAFT_COMPOSITION: a type of compose.h. It then
//
//   * answers the block's questions about sizes (`graft_input_size`, ...) and calls the callback (`graft_apply`),
//   * defines the kernel, whose one parameter is exactly as large as this signature needs,
//   * names the types of the probe (`graft_probe<graft_function, graft_facts>`): the host reads that variable's lowered
//     name and so learns types, roles, sizes and alignments without running anything.
#pragma once

#ifdef GRAFT_COMPOSITION
using graft_adapted = GRAFT_COMPOSITION;
using graft_function = graft_adapted::function;
using graft_facts = graft_adapted::facts;
struct graft_call {};  // a composition calls its own parts
#else
#ifdef GRAFT_OVERLOAD
using graft_function = graft_adapter::FunctionBehind<decltype(static_cast<GRAFT_OVERLOAD*>(GRAFT_CALLBACK))>;
#else
using graft_function = graft_adapter::FunctionBehind<decltype(GRAFT_CALLBACK)>;
#endif
using graft_facts = graft_adapter::Signature<graft_function>::facts;
using graft_adapted = graft_adapter::Signature<graft_function>::adapted;

struct graft_call {
  template <class... graft_A>
  static __device__ __forceinline__ decltype(auto) call(graft_A&&... graft_arguments) {
    return GRAFT_CALLBACK(static_cast<graft_A&&>(graft_arguments)...);
  }
};
#endif

GRAFT_ANSWER int graft_input_count() {
  return graft_adapted::inputs;
}
GRAFT_ANSWER int graft_output_count() {
  return graft_adapted::outputs;
}
GRAFT_ANSWER int graft_input_size(int graft_k) {
  return graft_adapter::unpack(graft_adapted::input_sizes, graft_k);
}
GRAFT_ANSWER int graft_output_size(int graft_k) {
  return graft_adapter::unpack(graft_adapted::output_sizes, graft_k);
}
GRAFT_ANSWER int graft_input_alignment(int graft_k) {
  return graft_adapter::unpack(graft_adapted::input_alignments, graft_k);
}
GRAFT_ANSWER int graft_output_alignment(int graft_k) {
  return graft_adapter::unpack(graft_adapted::output_alignments, graft_k);
}
GRAFT_ANSWER int graft_stages() {
#ifdef GRAFT_HAS_SHARED_MEMORY
  return 0;
#else
  return 1;
#endif
}
GRAFT_ANSWER void graft_apply(const graft_share* graft_in, graft_share* graft_out, int graft_place,
                              unsigned long long graft_index, const graft_launch* graft_parameter) {
  graft_adapted::apply<graft_call>(graft_in, graft_out, graft_place, graft_index, graft_parameter);
}

#ifdef GRAFT_ELEMENT  // for a block that calls through a pointer, and knows nothing of the arrays
template <class graft_word>
__device__ __forceinline__ void graft_copy(const void* graft_from, void* graft_to, int graft_bytes) {
#pragma unroll
  for (int graft_i = 0; graft_i < graft_bytes / static_cast<int>(sizeof(graft_word)); ++graft_i)
    static_cast<graft_word*>(graft_to)[graft_i] = static_cast<const graft_word*>(graft_from)[graft_i];
}
__device__ __forceinline__ void graft_copy(const void* graft_from, void* graft_to, int graft_bytes, int graft_unit) {
  if (graft_unit % 8 == 0) graft_copy<unsigned long long>(graft_from, graft_to, graft_bytes);
  else if (graft_unit % 4 == 0) graft_copy<unsigned int>(graft_from, graft_to, graft_bytes);
  else if (graft_unit % 2 == 0) graft_copy<unsigned short>(graft_from, graft_to, graft_bytes);
  else graft_copy<unsigned char>(graft_from, graft_to, graft_bytes);
}
GRAFT_ANSWER void graft_element(const graft_launch* graft_parameter, unsigned long long graft_index) {
  unsigned char* const* graft_in = reinterpret_cast<unsigned char* const*>(graft_parameter + 1);
  unsigned char* const* graft_out = graft_in + graft_adapted::inputs;
  graft_share graft_taken[GRAFT_MAX_INPUTS];
  graft_share graft_made[GRAFT_MAX_OUTPUTS];
#pragma unroll
  for (int graft_k = 0; graft_k < graft_adapted::inputs; ++graft_k)
    graft_copy(graft_in[graft_k] + graft_index * graft_input_size(graft_k), graft_taken[graft_k].words,
               graft_input_size(graft_k), graft_input_size(graft_k) | graft_input_alignment(graft_k));
  graft_apply(graft_taken, graft_made, 0, graft_index, graft_parameter);
#pragma unroll
  for (int graft_k = 0; graft_k < graft_adapted::outputs; ++graft_k)
    graft_copy(graft_made[graft_k].words, graft_out[graft_k] + graft_index * graft_output_size(graft_k),
               graft_output_size(graft_k), graft_output_size(graft_k) | graft_output_alignment(graft_k));
}
#endif

#if defined(GRAFT_KERNEL) && !defined(GRAFT_HOST)
extern "C" __global__ void GRAFT_KERNEL_OPTIONS
GRAFT_KERNEL(const __grid_constant__ graft_adapted::parameters graft_parameter) {
  graft_transform(&graft_parameter.launch);
}
#endif
