// The arrays of whole.h for all callbacks: loads of inputs and of what map updates, and stores of what it made.
// Included after hooks.h and loads.h.
#pragma once

namespace graft_adapter {

template <class Hooks>
struct WholeArrays {
  using arguments = typename Hooks::arguments;

  // Loads a group, or an element as a group of one.
  template <int Width>
  static __device__ __forceinline__ void load(const arguments& all, unsigned long long group, graft_share* shares) {
    load<Width>(typename Hooks::inputs(), IndicesTo<Hooks::input_count>(), typename Hooks::in_outs(),
                IndicesTo<Hooks::in_out_count>(), all, group, shares);
  }
  // Stores what map made of it.
  template <int Width>
  static __device__ __forceinline__ void store(const arguments& all, unsigned long long group,
                                               const graft_share* shares) {
    store<Width>(typename Hooks::stored(), IndicesTo<Hooks::stored_count>(), all, group, shares);
  }

  // Stores a group, or those elements of it whose bits are set.
  static __device__ __forceinline__ void store_some(const arguments& all, unsigned long long group,
                                                    const graft_share* shares, unsigned int stored) {
    constexpr int width = Hooks::width;
    if constexpr (!Hooks::stores_some) {
      store<width>(all, group, shares);
    } else if (stored == (1u << width) - 1) {
      store<width>(all, group, shares);
    } else {
#pragma unroll
      for (int place = 0; place < width; ++place) {
        graft_share one[Hooks::made_count];
        copy_elements(typename Hooks::stored(), shares, place, one, 0);
        if ((stored >> place & 1) != 0) store<1>(all, group * width + place, one);
      }
    }
  }

  // Whether an array is not aligned to words, of which its elements are parts.
  static __device__ __forceinline__ bool are_shifted(const arguments& all) {
    return are_shifted(typename Hooks::inputs(), IndicesTo<Hooks::input_count>(), all.arrays.in) ||
           are_in_outs_shifted(typename Hooks::in_outs(), IndicesTo<Hooks::in_out_count>(), all.call.outputs);
  }

 private:
  template <int Width, class... T, int... K, class... InOut, int... I>
  static __device__ __forceinline__ void load(Types<T...>, Indices<K...>, Types<InOut...>, Indices<I...>,
                                              const arguments& all, unsigned long long group, graft_share* shares) {
    (load_group<T, Width>(all.arrays.in[K], group, shares[K]), ...);
    (load_group<InOut, Width>(all.call.outputs[Hooks::in_out_at(I)], group, shares[Hooks::input_count + I]), ...);
  }
  template <int Width, class... T, int... K>
  static __device__ __forceinline__ void store(Types<T...>, Indices<K...>, const arguments& all,
                                               unsigned long long group, const graft_share* shares) {
    (store_group<T, Width>(all.call.outputs[Hooks::output_count + K], group, shares[K]), ...);
  }
  template <class... T, int... K>
  static __device__ __forceinline__ bool are_shifted(Types<T...>, Indices<K...>, const void* const* in) {
    return (false || ... || is_shifted<T>(in[K]));
  }
  template <class... T, int... K>
  static __device__ __forceinline__ bool are_in_outs_shifted(Types<T...>, Indices<K...>, void* const* out) {
    return (false || ... || is_shifted<T>(out[Hooks::in_out_at(K)]));
  }
};

}  // namespace graft_adapter
