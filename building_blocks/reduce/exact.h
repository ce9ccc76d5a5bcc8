// The hooks of a reduction of one array without states, whose callbacks' types are known before they are compiled: what
// hooks.h and arrays.h are for all callbacks, with the same machine code in two thirds of the time. The text
// (src/families/reduce/exact_text.hpp) declares the types graft_input, graft_accumulator and graft_result before it
// includes this file, after lanes.h, and defines graft_map, graft_combine and graft_finish behind the users' texts.
#pragma once

static __device__ __forceinline__ graft_accumulator graft_map(const graft_input& graft_x,
                                                              unsigned long long graft_index);
static __device__ __forceinline__ graft_accumulator graft_combine(const graft_accumulator& graft_a,
                                                                  const graft_accumulator& graft_b);
static __device__ __forceinline__ graft_result graft_finish(const graft_accumulator& graft_a);

namespace graft_adapter {

struct ExactHooks {
  using accumulator = graft_accumulator;
  using cell = Cell<accumulator>;
  struct arguments {
    graft_reduce_call call;
    struct {
      const void* in[1];
    } arrays;
  };
  enum : bool { stores_some = false };
  enum : int {
    input_count = 1,
    stored_count = 0,
    taken_count = 1,
    made_count = 1,
    width = sizeof(graft_input) > 8 ? 1 : 16 / static_cast<int>(sizeof(graft_input))
  };

  static __device__ constexpr unsigned verdict() { return kAccepted; }
  static __device__ __forceinline__ void run_combine(cell& sum, cell& next) {
    sum.take(graft_combine(sum.value(), next.value()));
  }
  static __device__ __forceinline__ void finish_if_any(const arguments&, unsigned long long count, cell& sum,
                                                       void* const* to) {
    if (count > 0) *static_cast<graft_result*>(to[0]) = graft_finish(sum.value());
  }
};

template <>
struct WholeArrays<ExactHooks> {
  template <int Width>
  static __device__ __forceinline__ void load(const ExactHooks::arguments& all, unsigned long long group,
                                              graft_share* shares) {
    load_group<graft_input, Width>(all.arrays.in[0], group, shares[0]);
  }
  template <int Width>
  static __device__ __forceinline__ void store(const ExactHooks::arguments&, unsigned long long, const graft_share*) {}
  static __device__ __forceinline__ void store_some(const ExactHooks::arguments&, unsigned long long,
                                                    const graft_share*, unsigned int) {}
  static __device__ __forceinline__ bool are_shifted(const ExactHooks::arguments& all) {
    return is_shifted<graft_input>(all.arrays.in[0]);
  }
};

template <class Hooks>
__device__ __forceinline__ unsigned int add_element(const ExactHooks::arguments&, const graft_share* taken, int place,
                                                    unsigned long long index, bool is_first,
                                                    Cell<graft_accumulator>& sum, graft_share*) {
  Cell<graft_input> element;
  element.load(reinterpret_cast<const unsigned char*>(taken[0].words) + place * sizeof(graft_input));
  Cell<graft_accumulator> made;
  made.take(graft_map(element.value(), index));
  if (is_first) sum = made;
  else Hooks::run_combine(sum, made);
  return 1;
}

}  // namespace graft_adapter

template <class>
using graft_reduce_arguments = graft_adapter::ExactHooks::arguments;
// A name that the users' macros do not change.
using graft_exact_hooks = graft_adapter::ExactHooks;
