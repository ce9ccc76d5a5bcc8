// Connects the callbacks of a reduction, which may have any types, to the code that combines (whole.h, host.h).
//
//     map       A f(T..., U&..., const S&, graft::Index): a callback of graft::Transform, or a chain, that returns the
//               accumulator. Its further outputs are stored, each in an array of the inputs' length. Absent if the
//               elements are accumulators themselves.
//     combine   A f(A, A)
//     finish    R f(A, const S&) or void f(A, T&..., const S&): makes the outputs, of which graft::InOut are also read.
//               Absent if the output is an accumulator.
//
// ReduceHooks has a function type and facts, as compositions have, by which the host learns the types: the inputs of
// map, the outputs of finish, the states of both, and behind the accumulator the further outputs of map. This file is
// included after compose.h, refusals.h and order.h, and before the users' texts.
#pragma once

namespace graft_adapter {

// The parameter of a kernel.
template <int Count, class State>
struct ReduceArguments {
  graft_reduce_call call;
  ArraysAndState<Count, State> arrays;
};

// That of a kernel for views. The strides are those of the inputs, then those of the outputs, in bytes.
template <int Inputs, int Outputs, class State>
struct ReduceViewArguments {
  graft_reduce_call call;
  graft_reduce_shape shape;
  long long strides[Inputs + Outputs][GRAFT_MAX_RANK];
  ArraysAndState<Inputs, State> arrays;
};

// The accumulator of a combine callback. `type` of other signatures stands in for that of one that verdict() refuses.
template <class F>
struct CombineCallback {
  enum : bool { is = false };
  using type = unsigned char;
};
template <class A>
struct CombineCallback<A(A, A)> {
  enum : bool { is = Parameter<A>::role == kInput && !is_same<A, graft::Bit> };
  using type = typename Select<is, A, unsigned char>::type;
};
template <class A>
struct CombineCallback<const A(A, A)> : CombineCallback<A(A, A)> {};

template <class A>
constexpr bool is_accumulator =
    is_copied_by_bytes<A> && !is_pointer<A> && !is_member_pointer<A> &&
    (sizeof(A) == 1 || sizeof(A) == 2 || sizeof(A) % 4 == 0) && sizeof(A) <= GRAFT_MAX_ACCUMULATOR_BYTES &&
    alignof(A) <= GRAFT_MAX_ACCUMULATOR_ALIGNMENT;

// Gives a function type in which accumulators that are larger than elements may be have another type. The rules for
// signatures then apply to the other types.
template <class A, class F>
struct WithoutLargeAccumulator;
template <class A, class R, class... P>
struct WithoutLargeAccumulator<A, R(P...)> {
  enum : bool { is_large = sizeof(A) > GRAFT_MAX_ELEMENT_BYTES };
  template <class T>
  using other =
      typename Select<is_large && is_same<T, A>, int, typename Select<is_large && is_same<T, A&>, int&, T>::type>::type;
  using type = other<R>(other<P>...);
};
template <class F>
struct AcceptedFor;
template <class R, class... P>
struct AcceptedFor<R(P...)> {
  using type = Accepted<R, P...>;
};

// Map or finish: a callback, or a chain of them. `A` is its own type of the accumulator.
template <class Part, class A, class = void>
struct ReducePart {
  using function = typename Part::graft_function;
  static __device__ constexpr unsigned verdict() {
    return VerdictOfFacts<typename Signature<typename WithoutLargeAccumulator<A, function>::type>::facts>::value;
  }
  // Returns 0 if the callback returns graft::Store(false), and 1 otherwise.
  static __device__ __forceinline__ unsigned int run(const void* state, const graft_share* in, graft_share* out,
                                                     int place, unsigned long long index) {
    return AcceptedFor<function>::type::template apply_with<Part>(state, in, out, place, {index, nullptr});
  }
};
template <class Part, class A>
struct ReducePart<Part, A, decltype(void(static_cast<typename Part::links*>(nullptr)))> {
  static __device__ constexpr unsigned verdict() {
    return VerdictOfOp<VerdictOfParts<Part>::value, typename Part::graft_function>::value;
  }
  static __device__ __forceinline__ unsigned int run(const void* state, const graft_share* in, graft_share* out,
                                                     int place, unsigned long long index) {
    return Part::template apply_with<Part>(state, in, out, place, {index, nullptr});
  }
};
template <class Part, class = void>
constexpr bool is_chain = false;
template <class Part>
constexpr bool is_chain<Part, decltype(void(static_cast<typename Part::links*>(nullptr)))> = true;

template <class List>
struct WidestOf;
template <class... T>
struct WidestOf<Types<T...>> {
  static __device__ constexpr int bytes() {
    int widest = 1;
    ((widest = static_cast<int>(sizeof(T)) > widest ? static_cast<int>(sizeof(T)) : widest), ...);
    return widest;
  }
};

// The output that is the in-out array of this rank.
template <class F>
struct InOutPlaces {
  static __device__ constexpr int at(int) { return 0; }
};
template <class R, class... P>
struct InOutPlaces<R(P...)> {
  static __device__ constexpr int at(int rank) {
    return Tables<R, P...>::output(Tables<R, P...>::find(1u << kInOut, rank));
  }
};

template <class Map, class Combine, class Finish>
struct ReduceHooks {
  enum : bool { maps = !is_same<Map, NoStage>, finishes = !is_same<Finish, NoStage> };
  using combine = CombineCallback<typename Combine::graft_function>;
  using accumulator = typename combine::type;
  using cell = Cell<accumulator>;

  using map_shape = Shape<typename Map::graft_function>;
  using finish_shape = Shape<typename Finish::graft_function>;
  using mapped = typename FirstOf<typename map_shape::outputs>::type;
  using finished = typename FirstOf<typename finish_shape::inputs>::type;
  using map = ReducePart<Map, mapped>;
  using finish = ReducePart<Finish, finished>;

  using inputs = typename Select<maps, typename map_shape::inputs, Types<accumulator>>::type;
  using outputs = typename Select<finishes, typename finish_shape::outputs, Types<accumulator>>::type;
  using output_parameters = typename Select<finishes, typename finish_shape::output_parameters, Types<>>::type;
  // Map returns the accumulator. If it returns graft::Store, the accumulator is its first T&.
  enum : bool { stores_some = map_shape::is_selective };
  // What map stores, and what of it is also read.
  using stored = typename DropTypes<(CountTypes<typename map_shape::outputs>::value > 0 ? 1 : 0),
                                    typename map_shape::outputs>::type;
  using in_outs = typename map_shape::in_outs;
  enum : bool { returns = !finishes || finish_shape::returns };
  enum : int {
    input_count = CountTypes<inputs>::value,
    output_count = CountTypes<outputs>::value,
    stored_count = CountTypes<stored>::value,
    in_out_count = CountTypes<in_outs>::value,
    taken_count = input_count + in_out_count > 0 ? input_count + in_out_count : 1,  // shares of a group
    made_count = stored_count > 0 ? stored_count : 1,
    // Elements of a group (order.h).
    width = WidestOf<inputs>::bytes() > 8 ? 1 : 16 / WidestOf<inputs>::bytes()
  };

  using states = typename JoinTypes<typename map_shape::state, typename finish_shape::state>::type;
  enum : int { finish_state = CountTypes<typename map_shape::state>::value };
  enum : int { array_count = input_count > 0 ? input_count : 1 };
  using given_state = GivenState<typename States<states>::type>;
  using arguments = ReduceArguments<array_count, given_state>;
  using view_arguments = ReduceViewArguments<array_count, output_count, given_state>;
  using graft_function = typename FunctionType<
      typename ResultOf<returns, false, outputs>::type, inputs, output_parameters, typename States<states>::type,
      typename JoinTypes<
          Places<map_shape::takes_index, 0>, Types<AccumulatorOf<accumulator>>,
          typename DropTypes<(stores_some ? 1 : 0), typename map_shape::output_parameters>::type>::type>::type;

  // Whether map makes an accumulator, and stores something if it says for which elements.
  static __device__ constexpr bool makes_accumulator() {
    if constexpr (!stores_some) return map_shape::returns;
    else return stored_count > 0 && (in_out_count == 0 || InOutPlaces<typename Map::graft_function>::at(0) > 0);
  }

  // Returns a refusal, with the index of the refused callback in the upper 16 bits: 0 for map, 1 for combine, 2 for
  // finish.
  static __device__ constexpr unsigned verdict() {
    constexpr unsigned of_combine = 1u << 16, of_finish = 2u << 16;
    if constexpr (is_chain<Combine> || !combine::is) return kReduceCombine | of_combine;
    if constexpr (!is_accumulator<accumulator>) return kReduceAccumulator | of_combine;
    if constexpr (!(maps && finishes) && sizeof(accumulator) > GRAFT_MAX_ELEMENT_BYTES)
      return kReduceElement | of_combine;
#ifdef GRAFT_REDUCE_INITIAL
    constexpr unsigned char initial[] = {GRAFT_REDUCE_INITIAL};
    constexpr unsigned kind = kind_of<accumulator>();
    if constexpr (sizeof initial != sizeof(accumulator) ||
                  (kind != kClass && GRAFT_REDUCE_INITIAL_KIND != kClass && kind != GRAFT_REDUCE_INITIAL_KIND))
      return kReduceInitial | of_combine;
#endif
    if constexpr (map_shape::coordinates > 0) return kReducePosition;
    if constexpr (finish_shape::coordinates > 0) return kReducePosition | of_finish;
    if constexpr (maps) {
      if constexpr (input_count == 0 || map::verdict() != kAccepted || !makes_accumulator() ||
                    AnyBits<typename map_shape::inputs>::value || AnyBits<typename map_shape::outputs>::value)
        return kReduceMap;
#ifdef GRAFT_REDUCE_VIEWS
      else if constexpr (stored_count > 0) return kReduceStored;
#endif
      else if constexpr (!fits<mapped, accumulator>) return kReduceMapDiffers;
    }
    if constexpr (finishes) {
      if constexpr (finish::verdict() != kAccepted || CountTypes<typename finish_shape::inputs>::value != 1 ||
                    finish_shape::is_selective || finish_shape::takes_index || output_count == 0 ||
                    AnyBits<typename finish_shape::outputs>::value)
        return kReduceFinish | of_finish;
      else if constexpr (!fits<accumulator, finished>) return kReduceFinishDiffers | of_finish;
    }
    return VerdictOfFacts<typename Signature<graft_function>::facts>::value;
  }
  using facts = typename FactsUnless<verdict(), graft_function>::type;

  // Makes the accumulator of the element at `place` of shares that hold a group, and what map stores of it. Returns 0
  // if that is not to be stored, and 1 otherwise.
  template <class Arguments>
  static __device__ __forceinline__ unsigned int run_map(const Arguments& all, const graft_share* taken, int place,
                                                         unsigned long long index, cell& made, graft_share* to_store) {
    const int offset = place * static_cast<int>(sizeof(accumulator));
    if constexpr (maps && width * sizeof(accumulator) > GRAFT_SHARE_BYTES) {
      // The share of a group of such accumulators would be too large, so the element goes to a share of its own.
      graft_share one[taken_count], out[1 + stored_count];
      copy_elements(inputs(), taken, place, one, 0);
      copy_elements(in_outs(), taken + input_count, place, one + input_count, 0);
      const unsigned int is_stored = map::run(all.arrays.state_at(StateOffset<states>::at(0)), one, out, 0, index);
      made.load(out[0].words);
      copy_elements(stored(), out + 1, 0, to_store, place);
      return is_stored;
    } else if constexpr (maps) {
      graft_share out[1 + stored_count];
      const unsigned int is_stored =
          map::run(all.arrays.state_at(StateOffset<states>::at(0)), taken, out, place, index);
      made.load(reinterpret_cast<const unsigned char*>(out[0].words) + offset);
      copy_elements(stored(), out + 1, place, to_store, place);
      return is_stored;
    } else {
      made.load(reinterpret_cast<const unsigned char*>(taken[0].words) + offset);
      return 1;
    }
  }

  static __device__ __forceinline__ void run_combine(cell& sum, cell& next) {
    sum.take(Combine::graft_run(static_cast<const accumulator&>(sum.value()),
                                static_cast<const accumulator&>(next.value())));
  }

  // The array that map stores to and that is its in-out array of this rank, among the outputs.
  static __device__ constexpr int in_out_at(int rank) {
    return output_count + InOutPlaces<typename Map::graft_function>::at(rank) - 1;  // without the accumulator
  }

  // Makes the outputs of an accumulator, and stores them where the pointers say.
  template <class Arguments>
  static __device__ __forceinline__ void run_finish(const Arguments& all, const cell& sum, void* const* to) {
    graft_share taken[1 + CountTypes<typename finish_shape::in_outs>::value], made[GRAFT_MAX_OUTPUTS];
    sum.store(taken[0].words);
    if constexpr (finishes) {
      load_in_outs(typename finish_shape::in_outs(), IndicesTo<CountTypes<typename finish_shape::in_outs>::value>(), to,
                   taken + 1);
      finish::run(all.arrays.state_at(StateOffset<states>::at(finish_state)), taken, made, 0, 0);
      store_all(outputs(), IndicesTo<output_count>(), to, made);
    } else {
      store_all(outputs(), IndicesTo<output_count>(), to, taken);
    }
  }

  // The same if there were elements. If not, the accumulator is the initial one, or nothing is stored.
  template <class Arguments>
  static __device__ __forceinline__ void finish_if_any(const Arguments& all, unsigned long long count, cell& sum,
                                                       void* const* to) {
#ifdef GRAFT_REDUCE_INITIAL
    if (count == 0) {
      const unsigned char bytes alignas(16)[] = {GRAFT_REDUCE_INITIAL};
      sum.load(bytes);
    }
#else
    if (count == 0) return;
#endif
    run_finish(all, sum, to);
  }

 private:
  template <class... T, int... K>
  static __device__ __forceinline__ void load_in_outs(Types<T...>, Indices<K...>, void* const* arrays,
                                                      graft_share* shares) {
    (load_from<T>(arrays[InOutPlaces<typename Finish::graft_function>::at(K)], 0, shares[K]), ...);
  }
  template <class... T, int... K>
  static __device__ __forceinline__ void store_all(Types<T...>, Indices<K...>, void* const* arrays,
                                                   const graft_share* shares) {
    (store_to<T>(arrays[K], 0, shares[K]), ...);
  }
};

// Gives the hooks of a reduction whose callbacks map, combine and finish are those of a composition.
template <class Composition>
struct ReduceHooksOf;
template <class Map, class Combine, class Finish>
struct ReduceHooksOf<Staged<Map, Combine, Finish>> {
  using type = ReduceHooks<Map, Combine, Finish>;
};

// Combines the element at `place` of shares that hold a group with the accumulator of a lane, or makes it. Returns
// whether what map stores of the element is to be stored.
template <class Hooks, class Arguments>
__device__ __forceinline__ unsigned int add_element(const Arguments& all, const graft_share* taken, int place,
                                                    unsigned long long index, bool is_first, typename Hooks::cell& sum,
                                                    graft_share* to_store = nullptr) {
  typename Hooks::cell made;
  const unsigned int is_stored = Hooks::run_map(all, taken, place, index, made, to_store);
  if (is_first) sum = made;
  else Hooks::run_combine(sum, made);
  return is_stored;
}

}  // namespace graft_adapter

// Names for the code behind the users' texts; behind.h says why that code needs them.
template <class Composition>
using graft_reduce_hooks = typename graft_adapter::ReduceHooksOf<Composition>::type;
template <class Hooks>
using graft_reduce_arguments = typename Hooks::arguments;
template <class Hooks>
using graft_reduce_view_arguments = typename Hooks::view_arguments;
