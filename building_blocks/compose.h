// Compositions: several callbacks in one kernel.
//
//     Chain<A, B, C>      computes C(B(A(inputs...))). The outputs of A are the first inputs of B. All inputs of A and
//                         the other inputs of B and C are the inputs of the chain. Values stay in registers between
//                         the callbacks.
//     Staged<L, Op, S>    has a load callback for the first input, an op (the computation), and a
//                         store callback for the first output. Each of the three may be absent (`NoStage`). Load and
//                         store have cuFFT's signatures.
//
// A, B, C, L, Op and S are parts. A part is a struct that GRAFT_PART defines for one callback: it has the callback's
// function type, and a function that calls the callback. A composition gives kernel.h the same members that `Accepted`
// of adapter.h has for one callback. A composition also has a function type of its own, so the host reads the facts of
// a composition in the same way as the facts of a single callback.
//
// This file is included after adapter.h and before the users' texts. GRAFT_PART is expanded between these texts, where
// the macros of the text before it are in effect. So this macro uses only names that begin with graft_ and that
// behind.h defines. Each text is in a namespace of its own, so equal names in different texts are no conflict.
#pragma once

#define GRAFT_PART(graft_name, ...)                                                            \
  struct graft_name {                                                                          \
    using graft_function = graft_function_of<decltype(__VA_ARGS__)>;                           \
    template <class... graft_A>                                                                \
    static __device__ __forceinline__ decltype(auto) graft_run(graft_A&&... graft_arguments) { \
      return __VA_ARGS__(static_cast<graft_A&&>(graft_arguments)...);                          \
    }                                                                                          \
  };

// A user's text that is in a namespace of its own may define a function named like one of CUDA's, such as `max`. This
// function would hide CUDA's functions of this name from the text: `max(a, max(b, c))` in a max of three parameters
// would not compile. GRAFT_OVERLOAD_GLOBAL(max) is written in front of such a text, in its namespace. The template
// calls the global functions, so that the text finds them as it would at global scope. The text's own function is
// preferred where both fit, because it is no template.
//
// GRAFT_MAY_BE_GLOBAL(max) is written outside the namespace. A host compiler may have no global function of the name,
// and `::max` would then be an error; name lookup finds this declaration only if there is no other.
#define GRAFT_MAY_BE_GLOBAL(graft_name)       \
  namespace graft_absent {                    \
  struct graft_nothing;                       \
  __device__ void graft_name(graft_nothing&); \
  }                                           \
  using namespace graft_absent;
#define GRAFT_OVERLOAD_GLOBAL(graft_name)                                                                              \
  template <class... graft_A>                                                                                          \
  __device__ __forceinline__ auto graft_name(graft_A... graft_arguments)->decltype(::graft_name(graft_arguments...)) { \
    return ::graft_name(graft_arguments...);                                                                           \
  }

// GRAFT_SHARED_MEMORY is the argument that load and store callbacks receive as `shared`: dynamic shared memory of
// GRAFT_SHARED_BYTES bytes, or a null pointer if the kernel's options ask for no shared memory. On the host route each
// thread has a buffer of its own.
#ifndef GRAFT_SHARED_BYTES
#define GRAFT_SHARED_MEMORY nullptr
#else
#define GRAFT_SHARED_MEMORY graft_shared_memory
#ifdef GRAFT_HOST
static thread_local __align__(16) unsigned char graft_shared_memory[GRAFT_SHARED_BYTES];
#else
extern __shared__ __align__(16) unsigned char graft_shared_memory[];
#endif
#endif

namespace graft_adapter {

// ---- lists of types ----

template <int... I>
struct Indices {};
template <int N, int... I>
struct MakeIndices : MakeIndices<N - 1, N - 1, I...> {};
template <int... I>
struct MakeIndices<0, I...> {
  using type = Indices<I...>;
};
template <int N>
using IndicesTo = typename MakeIndices<N>::type;

template <class... List>
struct JoinTypes;
template <class... A>
struct JoinTypes<Types<A...>> {
  using type = Types<A...>;
};
template <class... A, class... B, class... Rest>
struct JoinTypes<Types<A...>, Types<B...>, Rest...> : JoinTypes<Types<A..., B...>, Rest...> {};

template <int N, class List>
struct DropTypes {  // the primary template is chosen for an empty list
  using type = List;
};
template <class... A>
struct KeepTypes {
  using type = Types<A...>;
};
template <int N, class First, class... Rest>
struct DropTypes<N, Types<First, Rest...>>
    : Select<N == 0, KeepTypes<First, Rest...>, DropTypes<N - 1, Types<Rest...>>>::type {};

template <class List>
struct CountTypes;
template <class... A>
struct CountTypes<Types<A...>> {
  enum : int { value = sizeof...(A) };
};

// ---- inputs, outputs and state of a part ----

template <class P>
using InputOf = typename Select<Parameter<P>::role == kInput, Types<typename Parameter<P>::type>, Types<>>::type;
template <class P>
using InOutOf = typename Select<Parameter<P>::role == kInOut, Types<typename Parameter<P>::type>, Types<>>::type;
template <class P>
using OutputOf = typename Select<Parameter<P>::role == kOutput || Parameter<P>::role == kInOut,
                                 Types<typename Parameter<P>::type>, Types<>>::type;
// The type of the parameter itself: T& or, for an in-out parameter, T&&.
template <class P>
using OutputParameterOf =
    typename Select<Parameter<P>::role == kOutput || Parameter<P>::role == kInOut, Types<P>, Types<>>::type;
template <class P>
using StateOf = typename Select<Parameter<P>::role == kState, Types<typename Parameter<P>::type>, Types<>>::type;

template <class F>
struct Shape {  // the primary template is chosen for a refused signature, and has no inputs or outputs
  using inputs = Types<>;
  using in_outs = Types<>;
  using outputs = Types<>;
  using output_parameters = Types<>;
  using state = Types<>;
  enum : bool { takes_index = false, returns = false, is_selective = false };
  enum : int { coordinates = 0 };
};
template <class R, class... P>
struct Shape<R(P...)> {
  using inputs = typename JoinTypes<Types<>, InputOf<P>...>::type;
  using in_outs = typename JoinTypes<Types<>, InOutOf<P>...>::type;
  using outputs =
      typename JoinTypes<typename Select<Result<R>::role == kOutput, Types<typename Result<R>::type>, Types<>>::type,
                         OutputOf<P>...>::type;
  using output_parameters = typename JoinTypes<Types<>, OutputParameterOf<P>...>::type;
  using state = typename JoinTypes<Types<>, StateOf<P>...>::type;
  enum : bool {
    takes_index = (false || ... || (Parameter<P>::role == kIndex)),
    returns = Result<R>::role == kOutput,
    is_selective = Result<R>::role == kStore
  };
  enum : int { coordinates = Tables<R, P...>::count_coordinates() };
};

// Whether an output of type From can be the next part's input of type To. The types must be the same, or have the same
// kind (kind_of), size and alignment, because each part may define its own copy of a struct. Values are never
// converted.
template <class From, class To>
constexpr bool fits = is_same<From, To> ||
                      (kind_of<From>() == kind_of<To>() && sizeof(From) == sizeof(To) && alignof(From) == alignof(To));

template <class From, class To>
struct AllFit;
template <class... To>
struct AllFit<Types<>, Types<To...>> {
  enum : bool { value = true };
};
template <class From, class... F, class To, class... T>
struct AllFit<Types<From, F...>, Types<To, T...>> {
  enum : bool { value = fits<From, To> && AllFit<Types<F...>, Types<T...>>::value };
};
template <class From, class... F>
struct AllFit<Types<From, F...>, Types<>> {
  enum : bool { value = false };
};

// at(k) is the offset of the k-th state in a struct that has all states as members, in order. If k is the number of
// states, at(k) is the size of this struct.
__device__ constexpr int align_up(int offset, int alignment) {
  return (offset + alignment - 1) / alignment * alignment;
}
template <class List>
struct StateOffset;
template <class... S>
struct StateOffset<Types<S...>> {
  static __device__ constexpr int largest_alignment() {
    int largest = 1;
    ((largest = static_cast<int>(alignof(S)) > largest ? static_cast<int>(alignof(S)) : largest), ...);
    return largest;
  }
  static __device__ constexpr int at(int k) {
    const int sizes[] = {static_cast<int>(sizeof(S))..., 0};
    const int alignments[] = {static_cast<int>(alignof(S))..., largest_alignment()};
    int offset = 0;
    for (int i = 0; i < k; ++i) offset = align_up(offset, alignments[i]) + sizes[i];
    return align_up(offset, alignments[k]);
  }
};

// The state of a composition: nothing, the state of the only part that has one, or bytes that are laid out like a
// struct with the states of all parts as members. Each part reads its state at its offset in these bytes.
template <class... S>
struct alignas(StateOffset<Types<S...>>::largest_alignment()) AllStates {
  unsigned char bytes[StateOffset<Types<S...>>::at(sizeof...(S))];
};
template <class List>
struct States;
template <>
struct States<Types<>> {
  using type = Nothing;
};
template <class A>
struct States<Types<A>> {
  using type = A;
};
template <class A, class B, class... More>
struct States<Types<A, B, More...>> {
  using type = AllStates<A, B, More...>;
};

// The parameters by which a callback learns where its element is.
template <bool TakesIndex, int Coordinates>
using Places =
    typename JoinTypes<typename Select<TakesIndex, Types<graft::Index>, Types<>>::type,
                       typename Select<(Coordinates > 0), Types<graft::Position<Coordinates>>, Types<>>::type>::type;

// Makes a function type from a result, inputs, the parameters of further outputs, a state, and Places.
template <class R, class Inputs, class Outputs, class State, class Places>
struct FunctionType;
template <class R, class... I, class... O, class S, class... P>
struct FunctionType<R, Types<I...>, Types<O...>, S, Types<P...>> {
  using type = R(I..., O..., const S&, P...);
};
template <class R, class... I, class... O, class... P>
struct FunctionType<R, Types<I...>, Types<O...>, Nothing, Types<P...>> {
  using type = R(I..., O..., P...);
};

// The type of a composition's result.
template <bool Returns, bool IsSelective, class Outputs>
struct ResultOf {
  using type = typename Select<IsSelective, graft::Store, void>::type;
};
template <class First, class... Rest>
struct ResultOf<true, false, Types<First, Rest...>> {
  using type = First;
};

template <class T>
__device__ __forceinline__ void copy_element(const graft_share& from, int from_place, graft_share& to, int to_place) {
  Cell<T> cell;
  load_element(cell, from, from_place);
  store_element(cell, to, to_place);
}
template <class... T, int... K>
__device__ __forceinline__ void copy_elements(Types<T...>, Indices<K...>, const graft_share* from, int from_place,
                                              graft_share* to, int to_place) {
  (copy_element<T>(from[K], from_place, to[K], to_place), ...);
}
template <class... T>
__device__ __forceinline__ void copy_elements(Types<T...> types, const graft_share* from, int from_place,
                                              graft_share* to, int to_place) {
  copy_elements(types, IndicesTo<sizeof...(T)>{}, from, from_place, to, to_place);
}

// ---- arrays, for families whose kernels access memory themselves ----

// The end of a kernel's parameter: the inputs, and the state if there is one. The host lays it out by
// families::lay_out_arrays_and_state (src/families/parameter.hpp).
template <int Count, class State>
struct ArraysAndState {
  const void* in[Count];
  State state;
  __device__ __forceinline__ const void* state_at(int offset) const {
    return reinterpret_cast<const unsigned char*>(&state) + offset;
  }
};
template <int Count>
struct ArraysAndState<Count, Nothing> {
  const void* in[Count];
#ifdef GRAFT_BAKED_STATE
  __device__ __forceinline__ const void* state_at(int offset) const {
    return GRAFT_BAKED_STATE + offset;
  }
#else
  __device__ __forceinline__ const void* state_at(int) const {
    return nullptr;
  }
#endif
};
// What of the state of a composition is in the parameter.
#ifdef GRAFT_BAKED_STATE
template <class States>
using GivenState = Nothing;
#else
template <class States>
using GivenState = States;
#endif

template <class List>
struct AnyBits;
template <class... T>
struct AnyBits<Types<T...>> {
  enum : bool { value = (false || ... || is_same<T, graft::Bit>)};
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

// ---- chain ----

// Links<Given, Part, Rest...>: Part receives the outputs `Given` of the part before it.
template <class Given, class... Parts>
struct Links {  // the primary template ends the chain, after the last part
  using inputs = Types<>;
  using states = Types<>;
  using in_outs = Types<>;
  using outputs = Given;
  using output_parameters = Types<>;
  enum : bool { takes_index = false, returns = false, is_selective = false };
  enum : int { coordinates = 0 };
  static __device__ constexpr unsigned verdict(int) { return kAccepted; }
};
template <class Given, class Part, class... Rest>
struct Links<Given, Part, Rest...> {
  using shape = Shape<typename Part::graft_function>;
  using next = Links<typename shape::outputs, Rest...>;
  using inputs = typename JoinTypes<typename DropTypes<CountTypes<Given>::value, typename shape::inputs>::type,
                                    typename next::inputs>::type;
  using states = typename JoinTypes<typename shape::state, typename next::states>::type;
  using outputs = typename next::outputs;
  // Only the last part writes arrays, so only the last part may have in-out parameters or return graft::Store.
  enum : bool { is_last = sizeof...(Rest) == 0 };
  using last = typename Select<is_last, shape, next>::type;
  using in_outs = typename last::in_outs;
  using output_parameters = typename last::output_parameters;
  enum : bool {
    takes_index = shape::takes_index || next::takes_index,
    returns = last::returns,
    is_selective = last::is_selective
  };
  enum : int {
    its_coordinates = shape::coordinates,
    next_coordinates = next::coordinates,
    coordinates = its_coordinates > next_coordinates ? its_coordinates : next_coordinates
  };
  static __device__ constexpr unsigned verdict(int part) {
    return !is_last && CountTypes<typename shape::in_outs>::value > 0 ? kInOutInPart | static_cast<unsigned>(part) << 16
           : !is_last && shape::is_selective ? kStoreBeforeLastPart | static_cast<unsigned>(part) << 16
           : CountTypes<Given>::value > CountTypes<typename shape::inputs>::value
               ? kTooFewInputsForPreviousPart | static_cast<unsigned>(part) << 16
           : !AllFit<Given, typename shape::inputs>::value ? kPartsTypesDiffer | static_cast<unsigned>(part) << 16
                                                           : next::verdict(part + 1);
  }
};

// Gives the facts and the adapter of the function type F if Verdict is kAccepted. Otherwise gives facts that contain
// only the refusal, and the type `Refused`.
template <unsigned Verdict, class F>
struct FactsUnless {
  using type = Facts<(Verdict & 0xffff), (Verdict >> 16)>;
  using adapted = Refused;
};
template <class F>
struct FactsUnless<0, F> {
  using type = typename Signature<F>::facts;
  using adapted = typename Signature<F>::adapted;
};

template <class... Parts>
struct Chain {
  using links = Links<Types<>, Parts...>;
  using result = ResultOf<links::returns, links::is_selective, typename links::outputs>;
  using states = typename links::states;
  using graft_function =
      typename FunctionType<typename result::type, typename links::inputs, typename links::output_parameters,
                            typename States<states>::type, Places<links::takes_index, links::coordinates>>::type;
  using checked = FactsUnless<links::verdict(0), graft_function>;
  using facts = typename checked::type;
  using whole = typename checked::adapted;
  using parameters = typename whole::parameters;
  enum : int { inputs = whole::inputs, outputs = whole::outputs, masks = whole::masks };
  enum : unsigned long long {
    input_sizes = whole::input_sizes,
    more_input_sizes = whole::more_input_sizes,
    output_sizes = whole::output_sizes,
    input_alignments = whole::input_alignments,
    more_input_alignments = whole::more_input_alignments,
    output_alignments = whole::output_alignments
  };
  static __device__ __forceinline__ const void* state_of(const graft_launch* launch) { return whole::state_of(launch); }

  // Runs the parts one after the other. `given` has the outputs of the previous part: one share (a buffer in registers)
  // for each output, with the value at position 0. The previous parts have used the first `Used` inputs and the first
  // `State` states of the chain.
  template <int Used, int State, class... Given, class Part, class... Rest>
  static __device__ __forceinline__ unsigned int run(Types<Given...> types, Types<Part, Rest...>,
                                                     const graft_share* given, const graft_share* in, graft_share* out,
                                                     int place, const Place& at, const void* all_states) {
    using shape = Shape<typename Part::graft_function>;
    using own = typename DropTypes<sizeof...(Given), typename shape::inputs>::type;
    using adapted = typename Signature<typename Part::graft_function>::adapted;
    constexpr int own_count = CountTypes<own>::value;
    constexpr int state_count = CountTypes<typename shape::state>::value;
    graft_share taken[GRAFT_MAX_INPUTS];
    graft_share made[GRAFT_MAX_OUTPUTS];
    copy_elements(types, given, 0, taken, 0);
    copy_elements(own{}, in + Used, place, taken + sizeof...(Given), 0);
    if constexpr (sizeof...(Rest) == 0)  // the loaded values of in-out arrays follow those of all inputs
      copy_elements(typename shape::in_outs{}, in + CountTypes<typename links::inputs>::value, place,
                    taken + CountTypes<typename shape::inputs>::value, 0);
    const void* state = static_cast<const unsigned char*>(all_states) + StateOffset<states>::at(State);
    const unsigned int is_stored = adapted::template apply_with<Part>(state, taken, made, 0, at);
    if constexpr (sizeof...(Rest) == 0) {
      copy_elements(typename shape::outputs{}, made, 0, out, place);
      return is_stored;
    } else {
      return run<Used + own_count, State + state_count>(typename shape::outputs{}, Types<Rest...>{}, made, in, out,
                                                        place, at, all_states);
    }
  }

  template <class>
  static __device__ __forceinline__ unsigned int apply_with(const void* all_states, const graft_share* in,
                                                            graft_share* out, int place, const Place& at) {
    if constexpr (links::verdict(0) == kAccepted)
      return run<0, 0>(Types<>{}, Types<Parts...>{}, in, in, out, place, at, all_states);
    else return 1;
  }
  template <class Call>
  static __device__ __forceinline__ unsigned int apply(const graft_share* in, graft_share* out, int place,
                                                       unsigned long long index, const graft_launch* launch) {
    return apply_with<Call>(state_of(launch), in, out, place, {index, whole::dividers_of(launch)});
  }
};

// ---- load and store callbacks ----

struct NoStage {
  using graft_function = void();
};

// The element of a load or store callback. `type` of other signatures stands in for that of a callback that verdict()
// refuses, so that a composition with it still compiles.
template <class F>
struct LoadCallback {
  enum : bool { is = false };
  using type = unsigned char;
};
template <class T>
struct LoadCallback<T(void*, unsigned long long, void*, void*)> {
  enum : bool { is = IsCufft<T(void*, unsigned long long, void*, void*)>::value };
  using type = typename Select<is, typename RemoveConst<T>::type, unsigned char>::type;
};
template <class T>
struct LoadCallback<T(void*, unsigned long, void*, void*)> : LoadCallback<T(void*, unsigned long long, void*, void*)> {
};
template <class F>
struct StoreCallback {
  enum : bool { is = false };
  using type = unsigned char;
};
template <class T>
struct StoreCallback<void(void*, unsigned long long, T, void*, void*)> {
  enum : bool { is = IsCufft<void(void*, unsigned long long, T, void*, void*)>::value };
  using type = typename Select<is, T, unsigned char>::type;
};
template <class T>
struct StoreCallback<void(void*, unsigned long, T, void*, void*)>
    : StoreCallback<void(void*, unsigned long long, T, void*, void*)> {};

// Takes the place of the op in a composition that has no op. Returns the element unchanged.
template <class T>
struct Identity {
  using graft_function = T(T);
  static __device__ __forceinline__ T graft_run(T value) { return value; }
};
template <class Op, class Load, class Store>
struct OpOf {
  using type = Op;
};
template <class Load, class Store>
struct OpOf<NoStage, Load, Store> {
  using type = Identity<typename LoadCallback<typename Load::graft_function>::type>;
};
template <class Store>
struct OpOf<NoStage, NoStage, Store> {
  using type = Identity<typename StoreCallback<typename Store::graft_function>::type>;
};

template <class List>
struct FirstOf {
  using type = Nothing;
};
template <class First, class... Rest>
struct FirstOf<Types<First, Rest...>> {
  using type = First;
};

// The type of output I of a part, or int if it has no such output.
template <int I, class F>
struct OutputAt {
  using left = typename DropTypes<I, typename Shape<F>::outputs>::type;
  using type = typename Select<CountTypes<left>::value == 0, FirstOf<Types<int>>, FirstOf<left>>::type::type;
};

// Finds the type whose apply_with runs an op. For a chain, this type is the chain itself; for a single callback, it is
// the adapter of the callback's signature.
template <class Op, class = void>
struct AdaptedOf {
  using type = typename Signature<typename Op::graft_function>::adapted;
};
template <class Op>
struct AdaptedOf<Op, decltype(void(static_cast<typename Op::links*>(nullptr)))> {
  using type = Op;
};

// The facts of an op with load and store callbacks. A load callback accesses the first input array itself, and a store
// callback the first output array. Such an array is opaque to graft: its facts are size 0, alignment 1 and kind
// kOpaque. Of an FFT, the inputs from number FirstFurther on are arrays of the store callback.
template <class F, bool Loads, bool Stores, int FirstFurther>
struct StagedFacts;
template <class R, class... P, bool Loads, bool Stores, int FirstFurther>
struct StagedFacts<R(P...), Loads, Stores, FirstFurther> {
  using tables = Tables<R, P...>;
  using result = Result<R>;
  static __device__ constexpr bool is_opaque(int position) {
    const Role role = tables::role(position);
    return (Loads && role == kInput && tables::input(position) == 0) ||
           (Stores && role == kOutput && tables::output(position) == 0);
  }
  static __device__ constexpr Role role_of(int position) {
    const Role role = tables::role(position);
    return role == kInput && tables::input(position) >= FirstFurther ? kFurtherInput : role;
  }
  template <int... I>
  static __device__ auto list(Indices<I...>)
      -> Facts<0, 0, result::role, role_of(I + 1)..., is_opaque(0) ? 0 : sizeof(typename result::type),
               (is_opaque(I + 1) ? 0 : sizeof(typename Parameter<P>::type))...,
               is_opaque(0) ? 1 : alignof(typename result::type),
               (is_opaque(I + 1) ? 1 : alignof(typename Parameter<P>::type))...,
               is_opaque(0) ? kOpaque : kind_of<typename result::type>(),
               (is_opaque(I + 1) ? kOpaque : kind_of<typename Parameter<P>::type>())...>;
  using type = decltype(list(IndicesTo<sizeof...(P)>{}));
};
template <unsigned Verdict, class F, bool Loads, bool Stores, int FirstFurther = GRAFT_MAX_INPUTS>
struct StagedFactsUnless {
  using type = Facts<(Verdict & 0xffff), (Verdict >> 16)>;
};
template <class F, bool Loads, bool Stores, int FirstFurther>
struct StagedFactsUnless<0, F, Loads, Stores, FirstFurther> : StagedFacts<F, Loads, Stores, FirstFurther> {};

// Why the parts of a chain do not fit. kAccepted for an op that is no chain.
template <class Op, class = void>
struct VerdictOfParts {
  enum : unsigned { value = kAccepted };
};
template <class Op>
struct VerdictOfParts<Op, decltype(void(static_cast<typename Op::links*>(nullptr)))> {
  enum : unsigned { value = Op::links::verdict(0) };
};

// Why graft refuses a signature with these facts, in the form of Tables::verdict().
template <class Facts>
struct VerdictOfFacts;
template <unsigned Refusal, unsigned Position, unsigned... Rest>
struct VerdictOfFacts<Facts<Refusal, Position, Rest...>> {
  enum : unsigned { value = Refusal | Position << 16 };
};

// Why the parts of an op do not fit, or else why graft refuses the op as a whole, whose function type is F.
template <unsigned OfParts, class F>
struct VerdictOfOp {
  enum : unsigned { value = OfParts };
};
template <class F>
struct VerdictOfOp<kAccepted, F> : VerdictOfFacts<typename Signature<F>::facts> {};

template <class Load, class AnyOp, class Store>
struct Staged {
  enum : bool { loads = !is_same<Load, NoStage>, stores = !is_same<Store, NoStage> };
  using load = LoadCallback<typename Load::graft_function>;
  using store = StoreCallback<typename Store::graft_function>;
  using Op = typename OpOf<AnyOp, Load, Store>::type;
  using graft_function = typename Op::graft_function;
  using shape = Shape<graft_function>;
  using first_input = typename FirstOf<typename shape::inputs>::type;
  using first_output = typename FirstOf<typename shape::outputs>::type;

  // Returns a refusal, with the index of the refused callback in the upper 16 bits: 0 for load, 1 for op, 2 for store.
  // If the op is a chain whose parts do not fit, the index is that of the part. If the parts fit but are too many
  // inputs or too large a state together, the index is that of a parameter of the whole op.
  static __device__ constexpr unsigned verdict() {
    using of_op = VerdictOfOp<VerdictOfParts<Op>::value, graft_function>;
    if constexpr (of_op::value != kAccepted) return of_op::value;
    if constexpr (CountTypes<typename shape::in_outs>::value > 0) return kInOutInOp | 1u << 16;
    if constexpr (loads) {
      if constexpr (is_same<first_input, graft::Bit>) return kBitInStage | 1u << 16;
      if constexpr (!load::is) return kNoLoadCallback;
      else if constexpr (CountTypes<typename shape::inputs>::value == 0 || !fits<typename load::type, first_input>)
        return kLoadTypeDiffers;
    }
    if constexpr (stores) {
      if constexpr (is_same<first_output, graft::Bit>) return kBitInStage | 1u << 16;
      if constexpr (!store::is) return kNoStoreCallback | 2u << 16;
      else if constexpr (CountTypes<typename shape::outputs>::value == 0 || !fits<first_output, typename store::type>)
        return kStoreTypeDiffers | 2u << 16;
    }
    return kAccepted;
  }
  using facts = typename StagedFactsUnless<verdict(), graft_function, loads, stores>::type;
  using whole = typename FactsUnless<verdict(), graft_function>::adapted;
  using parameters = typename whole::parameters;
  enum : int { inputs = whole::inputs, outputs = whole::outputs, masks = whole::masks };
  // A building block does not access an array whose elements have size 0. So the lowest 6 bits, the size for the first
  // array, become 0 if a load or store callback accesses this array itself.
  enum : unsigned long long {
    input_sizes = loads ? whole::input_sizes & ~63ull : whole::input_sizes,
    more_input_sizes = whole::more_input_sizes,
    output_sizes = stores ? whole::output_sizes & ~63ull : whole::output_sizes,
    input_alignments = whole::input_alignments,
    more_input_alignments = whole::more_input_alignments,
    output_alignments = whole::output_alignments
  };

  template <class>
  static __device__ __forceinline__ unsigned int apply(const graft_share* in, graft_share* out, int place,
                                                       unsigned long long index, const graft_launch* launch) {
    if constexpr (verdict() == kAccepted) {
      void* const* arrays = reinterpret_cast<void* const*>(launch + 1);
      graft_share taken[GRAFT_MAX_INPUTS];
      graft_share made[GRAFT_MAX_OUTPUTS];
      using others = typename DropTypes<1, typename shape::inputs>::type;
      using rest = typename DropTypes<1, typename shape::outputs>::type;
      if constexpr (loads) {
        Cell<typename load::type> cell;
        cell.take(Load::graft_run(arrays[0], index, launch->load_info, GRAFT_SHARED_MEMORY));
        store_element(cell, taken[0], 0);
        copy_elements(others{}, in + 1, place, taken + 1, 0);
      } else {
        copy_elements(typename shape::inputs{}, in, place, taken, 0);
      }
      const unsigned int is_stored = AdaptedOf<Op>::type::template apply_with<Op>(
          whole::state_of(launch), taken, made, 0, {index, whole::dividers_of(launch)});
      if constexpr (stores) {
        // Also for an element that is left alone: the share of a bit array collects the bits of all elements.
        copy_elements(rest{}, made + 1, 0, out + 1, place);
        if (is_stored == 0) return 0;
        Cell<typename store::type> cell;
        load_element(cell, made[0], 0);
        Store::graft_run(arrays[inputs], index, cell.value(), launch->store_info, GRAFT_SHARED_MEMORY);
      } else {
        copy_elements(typename shape::outputs{}, made, 0, out, place);
      }
      return is_stored;
    } else {
      return 1;
    }
  }
};

}  // namespace graft_adapter

// Names for the code after the users' texts; behind.h says why that code needs them.
template <class... Parts>
using graft_chain = graft_adapter::Chain<Parts...>;
template <class Load, class Op, class Store>
using graft_staged = graft_adapter::Staged<Load, Op, Store>;
using graft_no_stage = graft_adapter::NoStage;
// The type of an output of a part, from which the next part of a chain takes its instance. `int` stands for an output
// that the part does not have; the chain is then refused.
template <class Part, int Output>
using graft_output_of = typename graft_adapter::OutputAt<Output, typename Part::graft_function>::type;
template <class Composition>
using graft_facts_of_composition = typename Composition::facts;
