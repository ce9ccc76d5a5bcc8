// Connects the callbacks of an FFT, which may have any signature, to the kernel that src/families/fft writes.
//
// The kernel calls `load` for each point of its inputs, `store` for each point of its results, and `between` for each
// frequency of a kernel that also computes the inverse. Each callback may be absent. Load and store callbacks have one
// of two shapes:
//
//     cuFFT's   T load(void* data, unsigned long long offset, void* caller_info, void* shared)
//               void store(void* data, unsigned long long offset, T point, void* caller_info, void* shared)
//               The callback accesses memory itself.
//     graft's   that of a callback of graft::Transform. A load callback takes one element of each input array and
//               returns the point; a store callback takes the point, then one element of each further input array, and
//               returns the element of the output. Both may take a state and the index. The kernel accesses memory.
//
// A callback between an FFT and its inverse has graft's shape, takes the frequency's value and returns a new one; it
// has no arrays.
//
// FftHooks has a function type and facts, as compositions have, by which the host learns the types of arrays and
// states: the arrays of the load callback, then the further arrays of the store callback; one state, or a struct with
// the states of load, between and store as members, in this order. This file is included after compose.h and before the
// users' texts.
#pragma once

namespace graft_adapter {

// The end of the kernel's parameter: the arrays, and the state if there is one.
template <int Count, class State>
struct FftArguments {
  const void* in[Count];
  State state;
  __device__ __forceinline__ const void* state_at(int offset) const {
    return reinterpret_cast<const unsigned char*>(&state) + offset;
  }
};
template <int Count>
struct FftArguments<Count, Nothing> {
  const void* in[Count];
  __device__ __forceinline__ const void* state_at(int) const { return nullptr; }
};

// Moves an element between an array and a share, in one access if the element's type has an assignment.
template <class T>
__device__ __forceinline__ void load_from(const void* array, unsigned long long offset, graft_share& share) {
  const T* const from = static_cast<const T*>(array) + offset;
  Cell<T> cell;
  if constexpr (__is_assignable(T&, const T&)) cell.value() = *from;
  else cell.load(from);
  store_element(cell, share, 0);
}
template <class T>
__device__ __forceinline__ void store_to(void* array, unsigned long long offset, const graft_share& share) {
  T* const to = static_cast<T*>(array) + offset;
  Cell<T> cell;
  load_element(cell, share, 0);
  if constexpr (__is_assignable(T&, const T&)) *to = cell.value();
  else cell.store(to);
}
template <class... T, int... K>
__device__ __forceinline__ void load_all(Types<T...>, Indices<K...>, const void* const* in, unsigned long long offset,
                                         graft_share* shares) {
  (load_from<T>(in[K], offset, shares[K]), ...);
}

// Whether a point of the FFT, which has the type Complex, can be a T: a complex number, or a struct of its size.
template <class T, class Complex>
constexpr bool is_point = (kind_of<T>() == kComplex || kind_of<T>() == kClass) && sizeof(T) == sizeof(Complex);

// Converts a point to the callback's type, or back, by copying its bits.
template <class To, class From>
__device__ __forceinline__ To copied_to(const From& from) {
  Cell<To> cell;
  memcpy(cell.words, &from, sizeof(To));
  return cell.value();
}

// A callback of graft's shape, or a chain of them.
template <class Part>
struct FftPart {
  using shape = Shape<typename Part::graft_function>;
  using adapted = typename AdaptedOf<Part>::type;
  enum : int {
    inputs = CountTypes<typename shape::inputs>::value,
    outputs = CountTypes<typename shape::outputs>::value
  };

  template <class List>
  static __device__ constexpr bool has_bits(List*) {
    return false;
  }
  template <class... T>
  static __device__ constexpr bool has_bits(Types<T...>*) {
    return (false || ... || is_same<T, graft::Bit>);
  }
  // Whether an FFT can call the part. It reads and writes arrays one element at a time, and one output only.
  static __device__ constexpr bool is_possible() {
    return VerdictOfParts<Part>::value == kAccepted &&
           VerdictOfFacts<typename Signature<typename Part::graft_function>::facts>::value == kAccepted &&
           CountTypes<typename shape::in_outs>::value == 0 && outputs == 1 &&
           !has_bits(static_cast<typename shape::inputs*>(nullptr)) &&
           !has_bits(static_cast<typename shape::outputs*>(nullptr));
  }
};

template <class Load, class Between, class Store, class Complex>
struct FftHooks {
  enum : bool {
    loads = !is_same<Load, NoStage>,
    is_between = !is_same<Between, NoStage>,
    stores = !is_same<Store, NoStage>,
    is_cufft_load = LoadCallback<typename Load::graft_function>::is,
    is_cufft_store = StoreCallback<typename Store::graft_function>::is,
    is_graft_load = loads && !is_cufft_load,
    is_graft_store = stores && !is_cufft_store
  };
  using cufft_load = LoadCallback<typename Load::graft_function>;
  using cufft_store = StoreCallback<typename Store::graft_function>;
  using load = FftPart<Load>;
  using between = FftPart<Between>;
  using store = FftPart<Store>;

  // Without a callback, an array holds the points themselves.
  using point = typename Select<sizeof(Complex) == sizeof(float2), float2, double2>::type;
  using loaded = typename Select<is_graft_load, typename load::shape::inputs,
                                 Types<typename Select<is_cufft_load, typename cufft_load::type, point>::type>>::type;
  using further =
      typename Select<is_graft_store, typename DropTypes<1, typename store::shape::inputs>::type, Types<>>::type;
  using stored = typename Select<is_graft_store, typename FirstOf<typename store::shape::outputs>::type,
                                 typename Select<is_cufft_store, typename cufft_store::type, point>::type>::type;
  using arrays = typename JoinTypes<loaded, further>::type;
  enum : int { loaded_count = CountTypes<loaded>::value, array_count = CountTypes<arrays>::value };

  using states = typename JoinTypes<typename load::shape::state, typename between::shape::state,
                                    typename store::shape::state>::type;
  enum : int {
    between_state = CountTypes<typename load::shape::state>::value,
    store_state = between_state + CountTypes<typename between::shape::state>::value
  };
  using arguments = FftArguments<(array_count > 0 ? array_count : 1), typename States<states>::type>;

  using graft_function =
      typename FunctionType<stored, arrays, Types<>, typename States<states>::type,
                            load::shape::takes_index || between::shape::takes_index || store::shape::takes_index>::type;

  // Returns a refusal, with the index of the refused callback in the upper 16 bits: 0 for load, 1 for between, 2 for
  // store.
  static __device__ constexpr unsigned verdict() {
    if constexpr (is_cufft_load) {
      if constexpr (!is_point<typename cufft_load::type, Complex>) return kFftLoad;
    } else if constexpr (loads) {
      if constexpr (!load::is_possible() || load::shape::is_selective) return kFftLoad;
      else if constexpr (!is_point<typename FirstOf<typename load::shape::outputs>::type, Complex>) return kFftLoad;
    }
    if constexpr (is_between) {
      if constexpr (!between::is_possible() || between::shape::is_selective || between::inputs != 1)
        return kFftBetween | 1u << 16;
      else if constexpr (!is_point<typename FirstOf<typename between::shape::inputs>::type, Complex> ||
                         !is_point<typename FirstOf<typename between::shape::outputs>::type, Complex>)
        return kFftBetween | 1u << 16;
    }
    if constexpr (is_cufft_store) {
      if constexpr (!is_point<typename cufft_store::type, Complex>) return kFftStore | 2u << 16;
    } else if constexpr (stores) {
      if constexpr (!store::is_possible() || store::inputs == 0) return kFftStore | 2u << 16;
      else if constexpr (!is_point<typename FirstOf<typename store::shape::inputs>::type, Complex>)
        return kFftStore | 2u << 16;
    }
    return VerdictOfFacts<typename Signature<graft_function>::facts>::value;
  }
  using facts = typename StagedFactsUnless<verdict(), graft_function, is_cufft_load, is_cufft_store>::type;

  static __device__ __forceinline__ Complex run_load(const arguments& all, unsigned long long offset,
                                                     unsigned long long index, void* info, void* shared) {
    if constexpr (verdict() != kAccepted) {
      return Complex();
    } else if constexpr (is_cufft_load) {
      return copied_to<Complex>(Load::graft_run(const_cast<void*>(all.in[0]), offset, info, shared));
    } else if constexpr (loads) {
      graft_share taken[GRAFT_MAX_INPUTS];
      graft_share made[GRAFT_MAX_OUTPUTS];
      load_all(loaded(), IndicesTo<loaded_count>(), all.in, offset, taken);
      load::adapted::template apply_with<Load>(all.state_at(StateOffset<states>::at(0)), taken, made, 0, index);
      return point_in<typename FirstOf<typename load::shape::outputs>::type>(made[0]);
    } else {
      return static_cast<const Complex*>(all.in[0])[offset];
    }
  }

  static __device__ __forceinline__ Complex run_between(const arguments& all, unsigned long long index,
                                                        const Complex& value) {
    if constexpr (verdict() != kAccepted || !is_between) {
      return value;
    } else {
      graft_share taken[1];
      graft_share made[1];
      put_point<typename FirstOf<typename between::shape::inputs>::type>(value, taken[0]);
      between::adapted::template apply_with<Between>(all.state_at(StateOffset<states>::at(between_state)), taken, made,
                                                     0, index);
      return point_in<typename FirstOf<typename between::shape::outputs>::type>(made[0]);
    }
  }

  static __device__ __forceinline__ void run_store(const arguments& all, void* out, unsigned long long offset,
                                                   unsigned long long index, const Complex& value, void* info,
                                                   void* shared) {
    if constexpr (verdict() != kAccepted) {
    } else if constexpr (is_cufft_store) {
      Store::graft_run(out, offset, copied_to<typename cufft_store::type>(value), info, shared);
    } else if constexpr (stores) {
      graft_share taken[GRAFT_MAX_INPUTS];
      graft_share made[1];
      put_point<typename FirstOf<typename store::shape::inputs>::type>(value, taken[0]);
      load_all(further(), IndicesTo<CountTypes<further>::value>(), all.in + loaded_count, offset, taken + 1);
      const unsigned int is_stored = store::adapted::template apply_with<Store>(
          all.state_at(StateOffset<states>::at(store_state)), taken, made, 0, index);
      if (is_stored != 0) store_to<stored>(out, offset, made[0]);
    } else {
      static_cast<Complex*>(out)[offset] = value;
    }
  }

 private:
  template <class T>
  static __device__ __forceinline__ Complex point_in(const graft_share& share) {
    Cell<T> cell;
    load_element(cell, share, 0);
    return copied_to<Complex>(cell.value());
  }
  template <class T>
  static __device__ __forceinline__ void put_point(const Complex& value, graft_share& share) {
    Cell<T> cell;
    cell.load(&value);
    store_element(cell, share, 0);
  }
};

// Gives the hooks of an FFT whose load callback, callback between and store callback are those of a composition.
template <class Composition, class Complex>
struct FftHooksOf;
template <class Load, class Between, class Store, class Complex>
struct FftHooksOf<Staged<Load, Between, Store>, Complex> {
  using type = FftHooks<Load, Between, Store, Complex>;
};

}  // namespace graft_adapter

// Names for the code behind the users' texts; behind.h says why that code needs them.
template <class Composition, class Complex>
using graft_fft_hooks = typename graft_adapter::FftHooksOf<Composition, Complex>::type;
template <class Hooks>
using graft_fft_arguments = typename Hooks::arguments;
// Whether a callback has cuFFT's shape. It then knows its offset; callbacks of graft's shape know their index.
template <class Hooks>
constexpr bool graft_fft_load_has_offset = Hooks::is_cufft_load;
template <class Hooks>
constexpr bool graft_fft_store_has_offset = Hooks::is_cufft_store;
template <class Hooks, class Complex>
__device__ __forceinline__ Complex graft_fft_load(const graft_fft_arguments<Hooks>& all, unsigned long long offset,
                                                  unsigned long long index, void* info, void* shared) {
  return Hooks::run_load(all, offset, index, info, shared);
}
template <class Hooks, class Complex>
__device__ __forceinline__ Complex graft_fft_between(const graft_fft_arguments<Hooks>& all, unsigned long long index,
                                                     const Complex& value) {
  return Hooks::run_between(all, index, value);
}
template <class Hooks, class Complex>
__device__ __forceinline__ void graft_fft_store(const graft_fft_arguments<Hooks>& all, void* out,
                                                unsigned long long offset, unsigned long long index,
                                                const Complex& value, void* info, void* shared) {
  Hooks::run_store(all, out, offset, index, value, info, shared);
}
