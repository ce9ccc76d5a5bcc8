// The templates of the general adapter, which connect a callback of any signature to the untyped building blocks.
//
// The templates take the callback's own type, so one compile yields both the signature and the code, and no user writes
// a signature twice. This file is included before the user's text, so that the user's macros cannot change it.
// kernel.h, included after the user's text, applies the templates to the callback, under the names that behind.h gives
// them.
//
//   * `Parameter` and `Result` give every parameter and result a role, which its type alone decides. contract.h has the
//     numbers for roles, kinds and refusals.
//   * `Accepted` has the sizes for which the building blocks ask, and calls the callback.
//   * `Signature::facts` lists roles, sizes, alignments and kinds.
//   * `graft_probe`, the probe, has the facts in its mangled name, and the host reads the facts from this name.
//
// If GRAFT_READING is defined, `Accepted` is left out, because that compile only reads the signature.
//
// Code for a signature that graft refuses must still compile. The facts of this signature then contain the reason, so
// that the user gets graft's message instead of a template error. This file includes no header, because NVRTC would
// take longer for any header than for this whole file.
#pragma once

struct __half;
struct __half2;
struct __nv_bfloat16;
struct __nv_bfloat162;

namespace graft_adapter {

// ---- types ----

template <bool Condition, class A, class B>
struct Select {
  using type = A;
};
template <class A, class B>
struct Select<false, A, B> {
  using type = B;
};
template <class A, class B>
constexpr bool is_same = false;
template <class A>
constexpr bool is_same<A, A> = true;
template <class T>
struct RemoveConst {
  using type = T;
};
template <class T>
struct RemoveConst<const T> {
  using type = T;
};
template <class T>
constexpr bool is_pointer = false;
template <class T>
constexpr bool is_pointer<T*> = true;
template <>
constexpr bool is_pointer<decltype(nullptr)> = true;

template <class T>
__device__ T example();
template <class T, class = void>
constexpr bool is_complex = false;
template <class T>  // accepts any class with real() and imag() that has the size of two components
constexpr bool is_complex<T, decltype(void(example<const T&>().real() + example<const T&>().imag()))> =
    sizeof(T) == 2 * sizeof(example<const T&>().real());

template <class T, class = void>
constexpr bool is_integer = false;
template <class T>  // of the non-class types, only integers have the operator %=
constexpr bool is_integer<T, decltype(void(example<T&>() %= 1))> = !__is_class(T) && !__is_union(T);

template <class T>
__device__ constexpr unsigned kind_of() {
  if constexpr (is_same<T, graft::Bit>) return kBit;
  else if constexpr (__is_enum(T)) return kEnum;
  else if constexpr (is_same<T, bool>) return kBool;
  else if constexpr (is_integer<T>) return T(-1) < T(0) ? kSigned : kUnsigned;
  else if constexpr (is_same<T, float> || is_same<T, double> || is_same<T, __half>) return kFloat;
  else if constexpr (is_same<T, __nv_bfloat16>) return kBfloat;
  else if constexpr (is_same<T, float2> || is_same<T, double2> || is_complex<T>) return kComplex;
  else return kClass;
}

// ---- roles ----

template <class T>
constexpr bool is_member_pointer = false;
template <class C, class T>
constexpr bool is_member_pointer<T C::*> = true;

// Whether copying the bytes of a T copies the T. __half2 and __nv_bfloat162 have copy constructors of their own, which
// only copy, so compilers do not call these types or structs of them trivially copyable. An aggregate has no copy
// constructor of its own, and members that own something would have a destructor.
#ifdef __clang__
#define GRAFT_HAS_TRIVIAL_DESTRUCTOR(T) __is_trivially_destructible(T)
#else
#define GRAFT_HAS_TRIVIAL_DESTRUCTOR(T) __has_trivial_destructor(T)
#endif
template <class T>
constexpr bool is_copied_by_bytes = __is_trivially_copyable(T) || is_same<T, __half2> || is_same<T, __nv_bfloat162> ||
                                    (__is_aggregate(T) && !__is_polymorphic(T) && GRAFT_HAS_TRIVIAL_DESTRUCTOR(T));
#undef GRAFT_HAS_TRIVIAL_DESTRUCTOR

template <class T>
__device__ constexpr Refusal element_refusal() {
  if constexpr (is_pointer<T>) return kPointer;
  else if constexpr (is_same<T, graft::Store>) return kStoreAsParameter;
  else if constexpr (is_member_pointer<T>) return kMemberPointer;
  else if constexpr (is_same<T, long double>) return kLongDouble;
  else if constexpr (!is_copied_by_bytes<T>) return kNotTriviallyCopyable;
  else if constexpr (sizeof(T) > GRAFT_MAX_ELEMENT_BYTES) return kTooLarge;
  else return kAccepted;
}

// Whether T is graft::Index or a graft::Position.
template <class T>
constexpr bool is_place = is_same<T, graft::Index>;
template <int N>
constexpr bool is_place<graft::Position<N>> = true;

// Describes one parameter: `type` is its type without const and reference, `role` its role, and `refusal` the reason
// why graft refuses the parameter (or kAccepted).
template <class T>
struct Parameter {  // a parameter that is passed by value
  using type = T;
  enum : unsigned { role = is_same<T, graft::Index> ? kIndex : kInput };
  enum : unsigned { refusal = is_same<T, graft::Index> ? kAccepted : element_refusal<T>() };
};
template <int N>
struct Parameter<graft::Position<N>> {
  enum : bool { is_possible = N >= 1 && N <= GRAFT_MAX_COORDINATES };
  using type = graft::Position<is_possible ? N : 1>;
  enum : unsigned { role = kPosition };
  enum : unsigned { refusal = is_possible ? kAccepted : kTooManyCoordinates };
};
// What a reduction combines. It stands in the function type of the reduction, so that the host learns its size.
template <class A>
struct AccumulatorOf {};
template <class A>
struct Parameter<AccumulatorOf<A>> {
  using type = A;
  enum : unsigned { role = kAccumulator };
  enum : unsigned { refusal = kAccepted };
};
template <class T>
struct Parameter<volatile T> {
  using type = T;
  enum : unsigned { role = kInput };
  enum : unsigned { refusal = kVolatile };
};
template <class T>
struct Parameter<T&> {
  using type = T;
  enum : unsigned { role = kOutput };
  enum : unsigned { refusal = is_place<T> ? kIndexByReference : element_refusal<T>() };
};
template <class T>
struct Parameter<volatile T&> {
  using type = T;
  enum : unsigned { role = kOutput };
  enum : unsigned { refusal = kVolatile };
};
template <class T>
struct Parameter<const T&> {
  using type = T;
  enum : unsigned { role = kState };
  enum : unsigned {
    refusal = is_place<T>                              ? kIndexByReference
              : !is_copied_by_bytes<T>                 ? kNotTriviallyCopyable
              : sizeof(T) > GRAFT_MAX_STATE_BYTES      ? kStateTooLarge
              : alignof(T) > GRAFT_MAX_STATE_ALIGNMENT ? kOveraligned
                                                       : kAccepted
  };
};
template <class T>
struct Parameter<const volatile T&> {
  using type = T;
  enum : unsigned { role = kState };
  enum : unsigned { refusal = kVolatile };
};
template <class T>
struct Parameter<T&&> {  // graft::InOut<T>
  using type = T;
  enum : unsigned { role = kInOut };
  enum : unsigned { refusal = is_place<T> ? kIndexByReference : element_refusal<T>() };
};
template <class T>
struct Parameter<const T&&> {
  using type = T;
  enum : unsigned { role = kInput };
  enum : unsigned { refusal = kRvalueReference };
};
template <class T>
struct Parameter<const volatile T&&> : Parameter<const T&&> {};
template <class T>
struct Parameter<volatile T&&> {
  using type = T;
  enum : unsigned { role = kInOut };
  enum : unsigned { refusal = kVolatile };
};
template <class T, int N>
struct Parameter<T (&)[N]> {  // refused: an output is one value of type T, not N values
  using type = unsigned char;
  enum : unsigned { role = kOutput };
  enum : unsigned { refusal = kPointer };
};
template <class T, int N>
struct Parameter<const T (&)[N]> : Parameter<T (&)[N]> {};
template <class T, int N>
struct Parameter<T (&&)[N]> : Parameter<T (&)[N]> {};
template <class T, int N>
struct Parameter<const T (&&)[N]> : Parameter<T (&)[N]> {};
template <class R, class... P>
struct Parameter<R (&)(P...)> {
  using type = unsigned char;
  enum : unsigned { role = kInput };
  enum : unsigned { refusal = kPointer };
};
template <class R, class... P>
struct Parameter<R (&&)(P...)> : Parameter<R (&)(P...)> {};

template <class R>
struct Result {
  using type = typename RemoveConst<R>::type;
  enum : unsigned { role = kOutput };
  enum : unsigned { refusal = element_refusal<type>() };
};
template <>
struct Result<void> {
  using type = unsigned char;
  enum : unsigned { role = kNone };
  enum : unsigned { refusal = kAccepted };
};
template <>
struct Result<graft::Store> {
  using type = graft::Store;
  enum : unsigned { role = kStore };
  enum : unsigned { refusal = kAccepted };
};
template <>
struct Result<const graft::Store> : Result<graft::Store> {};
template <class R>
struct Result<R&> {
  using type = unsigned char;
  enum : unsigned { role = kOutput };
  enum : unsigned { refusal = kReturnsReference };
};
template <class R>
struct Result<R&&> : Result<R&> {};

// ---- the signature ----

template <unsigned... Values>
struct Facts {};
struct Nothing {};

template <class... T>
struct Types {};
template <int I, class First, class... Rest>
struct TypeAt : TypeAt<I - 1, Rest...> {};
template <class First, class... Rest>
struct TypeAt<0, First, Rest...> {
  using type = First;
};

// Whether F has the type of a cuFFT load or store callback. Callbacks of cuFFT's LTO-IR declare the offset as unsigned
// long long, and those of cufftXtSetCallback as size_t, which is unsigned long. graft takes both.
template <class F>
struct IsCufft {
  enum : bool { value = false };
};
template <class R>
struct IsCufft<R(void*, unsigned long long, void*, void*)> {
  enum : bool { value = Result<R>::role == kOutput && Result<R>::refusal != kReturnsReference };
};
template <class T>
struct IsCufft<void(void*, unsigned long long, T, void*, void*)> {
  enum : bool { value = Parameter<T>::role == kInput };
};
template <class R>
struct IsCufft<R(void*, unsigned long, void*, void*)> : IsCufft<R(void*, unsigned long long, void*, void*)> {};
template <class T>
struct IsCufft<void(void*, unsigned long, T, void*, void*)>
    : IsCufft<void(void*, unsigned long long, T, void*, void*)> {};

// Whether P look like the parameters of a cuFFT callback, for a callback that is none: a pointer, then an integer, and
// one of the pointers is a void*. graft::Index is what a callback of graft's would have in the place of the integer.
template <class T>
constexpr bool is_void_pointer = is_same<T, void*> || is_same<T, const void*>;
template <class... P>
struct IsAlmostCufft {
  enum : bool { value = false };
};
template <class Data, class Offset, class... More>
struct IsAlmostCufft<Data, Offset, More...> {
  using offset = typename Parameter<Offset>::type;
  enum : bool {
    value = is_pointer<Data> && (is_integer<offset> || is_same<offset, graft::Index>)&&(is_void_pointer<Data> || ... ||
                                                                                        is_void_pointer<More>)
  };
};

// The size that the building blocks are told for elements of type T.
template <class T>
__device__ constexpr unsigned long long size_in_array() {
  return is_same<T, graft::Bit> ? GRAFT_BIT_SIZE : sizeof(T);
}

enum : int { kPacked = 10 };  // the number of 6-bit values in an integer of 64 bits

// Sets of roles, with one bit for each role. To the building block, an in-out array is an input and an output that have
// the same address.
enum : unsigned { kReadRoles = 1u << kInput | 1u << kInOut, kWrittenRoles = 1u << kOutput | 1u << kInOut };

// The parameters of a signature by position; position 0 is the result. The members are functions and enumerators,
// because NVRTC would put each constexpr variable into the module as a global.
template <class R, class... P>
struct Tables {
  enum : int { n = 1 + static_cast<int>(sizeof...(P)) };

  static __device__ constexpr Role role(int i) {
    const Role all[] = {static_cast<Role>(Result<R>::role), static_cast<Role>(Parameter<P>::role)...};
    return all[i];
  }
  static __device__ constexpr bool is_one_of(int i, unsigned roles) { return (roles >> role(i) & 1) != 0; }
  // Returns the number of positions before `end` whose role is one of `roles`.
  static __device__ constexpr int count(unsigned roles, int end = n) {
    int found = 0;
    for (int i = 0; i < end; ++i) found += is_one_of(i, roles);
    return found;
  }
  // Returns the index of the array from which position i is loaded: first come the arrays of all inputs, then those of
  // all in-out parameters.
  static __device__ constexpr int input(int i) {
    return role(i) == kInOut ? count(1u << kInput) + count(1u << kInOut, i) : count(1u << kInput, i);
  }
  // Returns the index of the array to which position i is stored, in the order of the positions.
  static __device__ constexpr int output(int i) { return count(kWrittenRoles, i); }
  // Returns the position of the rank-th parameter with one of `roles` (rank 0 is the first), or -1 if there is none.
  static __device__ constexpr int find(unsigned roles, int rank) {
    for (int i = 0; i < n; ++i)
      if (is_one_of(i, roles) && rank-- == 0) return i;
    return -1;
  }
  // Returns the values (sizes or alignments) of the inputs or outputs in one integer, with 6 bits for each value. The
  // value of array `first` + k begins at bit 6 * k, so the building block gets the value by one shift of a constant,
  // which takes less link time than a chain of comparisons. An integer has room for kPacked arrays, so the values of
  // many arrays need two integers: that of array 0, and that of array kPacked.
  template <class... V>
  static __device__ constexpr unsigned long long packed(unsigned roles, int first, V... values) {
    const unsigned long long all[] = {values...};
    unsigned long long bits = 0;
    for (int i = 0; i < n; ++i) {
      const int array = is_one_of(i, roles) ? (roles == kReadRoles ? input(i) : output(i)) - first : -1;
      if (array >= 0 && array < kPacked) bits |= all[i] << (6 * array);
    }
    return bits;
  }
  // Returns the number of bit arrays. The array of an in-out parameter counts twice, as in the kernel's pointers.
  static __device__ constexpr int count_masks() {
    const bool is_bit[] = {is_same<typename Result<R>::type, graft::Bit>,
                           is_same<typename Parameter<P>::type, graft::Bit>...};
    int found = 0;
    for (int i = 0; i < n; ++i)
      if (is_bit[i]) found += is_one_of(i, kReadRoles) + is_one_of(i, kWrittenRoles);
    return found;
  }
  // Returns how many coordinates the callback takes: as many as the longest of its graft::Position.
  static __device__ constexpr int count_coordinates() {
    const int coordinates[] = {0, Parameter<P>::role == kPosition
                                      ? static_cast<int>(sizeof(typename Parameter<P>::type) / sizeof(unsigned int))
                                      : 0 ...};
    int most = 0;
    for (int i = 1; i < n; ++i) most = coordinates[i] > most ? coordinates[i] : most;
    return most;
  }
  // Returns one number with the refusal in the lower 16 bits and the position of the refused parameter in the upper 16.
  static __device__ constexpr unsigned at(unsigned refusal, int i) { return refusal | static_cast<unsigned>(i) << 16; }
  // Returns why graft refuses the signature, in the form of at(), or kAccepted.
  static __device__ constexpr unsigned verdict() {
    if (IsCufft<R(P...)>::value) return at(kCufft, 1);
    if (IsAlmostCufft<P...>::value) return kAlmostCufft;
    const unsigned refusals[] = {Result<R>::refusal, Parameter<P>::refusal...};
    for (int i = 0; i < n; ++i)
      if (refusals[i] != kAccepted) return at(refusals[i], i);
    if (count(1u << kState) > 1) return at(kSecondState, find(1u << kState, 1));
    if (count(kReadRoles) > GRAFT_MAX_INPUTS) return at(kTooManyInputs, find(kReadRoles, GRAFT_MAX_INPUTS));
    if (count(kWrittenRoles) > GRAFT_MAX_OUTPUTS) return at(kTooManyOutputs, find(kWrittenRoles, GRAFT_MAX_OUTPUTS));
    if (role(0) == kStore && count(kWrittenRoles) == 0) return kStoreWithoutOutput;
    if (n == 1 && count(kWrittenRoles) == 0) return kNoOutput;
    return kAccepted;
  }
};

#ifndef GRAFT_READING
// Where an element is in the call: its index, and the parameter's dividers, which make its coordinates of the index.
struct Place {
  unsigned long long index;
  const graft_divider* dividers;
};

// The type of a kernel's only parameter. The compiler decides the layout of this struct. `Masks` are those of bit
// arrays and, behind them, the dividers, which have the same size and alignment.
template <int Arrays, int Masks, class State>
struct Parameters {
  graft_launch launch;
  void* arrays[Arrays];
  graft_mask masks[Masks];
  State state;
};
template <int Arrays, int Masks>
struct Parameters<Arrays, Masks, Nothing> {
  graft_launch launch;
  void* arrays[Arrays];
  graft_mask masks[Masks];
};
template <int Arrays, class State>
struct Parameters<Arrays, 0, State> {
  graft_launch launch;
  void* arrays[Arrays];
  State state;
};
template <int Arrays>
struct Parameters<Arrays, 0, Nothing> {
  graft_launch launch;
  void* arrays[Arrays];
};
template <class State>
struct Parameters<0, 0, State> {
  graft_launch launch;
  State state;
};
template <>
struct Parameters<0, 0, Nothing> {
  graft_launch launch;
};

// The layout that graft_lay_out (contract.h) computes for the same parameter. The host writes the parameter in this
// layout, so a static_assert in `Accepted` checks that both layouts are equal.
template <int Arrays, int Masks, int Coordinates, unsigned StateBytes, unsigned StateAlignment>
struct Layout {
  enum : unsigned {
    dividers = graft_lay_out({Arrays, 0, Masks, Coordinates, StateBytes, StateAlignment}).dividers,
    state = graft_lay_out({Arrays, 0, Masks, Coordinates, StateBytes, StateAlignment}).state,
    bytes = graft_lay_out({Arrays, 0, Masks, Coordinates, StateBytes, StateAlignment}).bytes,
    alignment = graft_lay_out({Arrays, 0, Masks, Coordinates, StateBytes, StateAlignment}).alignment
  };
};
static_assert(sizeof(graft_mask) == sizeof(graft_divider) && alignof(graft_mask) == alignof(graft_divider),
              "graft: Parameters has dividers in the place of masks");

// Copies the element at position `place` of a share to a cell, or back. The shares of bit arrays differ: in that of an
// input, word `place` is 0 or not, and in that of an output, the element is bit `place` of the first word. At place 0
// this is the same.
//
// Where all arrays are bit arrays, compilers combine what the callback does to 16 elements into operations on words: `a
// && b` of 16 elements is one instruction. If the callback has other arrays too, assembly hides from NVRTC what the
// bits are, so that each bit of an input or output costs one instruction. NVRTC 13.0 would need three for an input,
// which it moves to place 0 first, and more than one for an output, which it selects and then adds. A kernel of int8
// and bit arrays spent most of its time on these instructions.
template <bool HasOtherArrays = false, class T>
__device__ __forceinline__ void load_element(Cell<T>& cell, const graft_share& share, int place) {
  if constexpr (is_same<T, graft::Bit>) {
    unsigned int word = share.words[place];
#ifdef __CUDACC__
    if constexpr (HasOtherArrays) asm("" : "+r"(word));
#endif
    cell.value() = word != 0;
  } else {
    cell.load(reinterpret_cast<const unsigned char*>(share.words) + place * static_cast<int>(sizeof(T)));
  }
}
template <bool HasOtherArrays = false, class T>
__device__ __forceinline__ void store_element(Cell<T>& cell, graft_share& share, int place) {
  if constexpr (is_same<T, graft::Bit>) {
    unsigned int word = place == 0 ? 0 : share.words[0];
    const unsigned int bit = 1u << place;
#ifdef __CUDACC__
    if constexpr (HasOtherArrays)
      asm("{ .reg .pred graft_p; setp.ne.u32 graft_p, %1, 0; @graft_p or.b32 %0, %0, %2; }"
          : "+r"(word)
          : "r"(cell.value() ? 1u : 0u), "r"(bit));
    else word |= cell.value() ? bit : 0;
#else
    word |= cell.value() ? bit : 0;
#endif
    share.words[0] = word;
  } else {
    cell.store(reinterpret_cast<unsigned char*>(share.words) + place * static_cast<int>(sizeof(T)));
  }
}

// The adapter of an accepted signature R(P...).
template <class R, class... P>
struct Accepted {
  using tables = Tables<R, P...>;
  enum : int {
    inputs = tables::count(kReadRoles),
    outputs = tables::count(kWrittenRoles),
    masks = tables::count_masks(),
    coordinates = tables::count_coordinates(),
    state_at = tables::find(1u << kState, 0)
  };
  enum : bool { is_selective = Result<R>::role == kStore, has_other_arrays = masks < inputs + outputs };
  enum : unsigned long long {
    input_sizes = tables::packed(kReadRoles, 0, size_in_array<typename Result<R>::type>(),
                                 size_in_array<typename Parameter<P>::type>()...),
    more_input_sizes = tables::packed(kReadRoles, kPacked, size_in_array<typename Result<R>::type>(),
                                      size_in_array<typename Parameter<P>::type>()...),
    output_sizes = tables::packed(kWrittenRoles, 0, size_in_array<typename Result<R>::type>(),
                                  size_in_array<typename Parameter<P>::type>()...),
    input_alignments =
        tables::packed(kReadRoles, 0, alignof(typename Result<R>::type), alignof(typename Parameter<P>::type)...),
    more_input_alignments =
        tables::packed(kReadRoles, kPacked, alignof(typename Result<R>::type), alignof(typename Parameter<P>::type)...),
    output_alignments =
        tables::packed(kWrittenRoles, 0, alignof(typename Result<R>::type), alignof(typename Parameter<P>::type)...)
  };
  using state = typename TypeAt<state_at + 1, Nothing, typename Result<R>::type, typename Parameter<P>::type...>::type;
#ifdef GRAFT_BAKED_STATE
  enum : bool { is_given_state = false };
#else
  enum : bool { is_given_state = state_at >= 0 };
#endif
  using parameters =
      Parameters<inputs + outputs, masks + coordinates, typename Select<is_given_state, state, Nothing>::type>;
  using layout = Layout<inputs + outputs, masks, coordinates, is_given_state ? sizeof(state) : 0, alignof(state)>;
  static_assert(sizeof(parameters) == layout::bytes && alignof(parameters) == layout::alignment,
                "graft: host and device lay out the kernel's parameter differently");

  // Makes the arguments of the callback one by one, beginning at position I, and then calls the callback. Each by-value
  // parameter and each output gets a Cell, a variable that holds one element. As its state, the callback gets a
  // reference to the state inside the kernel's one parameter; as its index or position, a value. `T&` outputs are zero
  // on entry; in-out parameters are passed as T&&, which has the type of graft::InOut<T>. Returns 0 if the callback
  // returns graft::Store(false), and 1 otherwise.
  template <class Callback, int I, class... Bound>
  static __device__ __forceinline__ unsigned int bind(Types<>, const graft_share*, graft_share* out, int place,
                                                      const Place&, const void*, Bound&&... bound) {
    if constexpr (static_cast<Role>(Result<R>::role) == kOutput) {
      Cell<typename Result<R>::type> result;
      result.take(Callback::graft_run(static_cast<Bound&&>(bound)...));
      store_element<has_other_arrays>(result, out[0], place);
    } else if constexpr (is_selective) {
      return Callback::graft_run(static_cast<Bound&&>(bound)...).value ? 1 : 0;
    } else {
      Callback::graft_run(static_cast<Bound&&>(bound)...);
    }
    return 1;
  }
  template <class Callback, int I, class First, class... Rest, class... Bound>
  static __device__ __forceinline__ unsigned int bind(Types<First, Rest...>, const graft_share* in, graft_share* out,
                                                      int place, const Place& at, const void* its_state,
                                                      Bound&&... bound) {
    if constexpr (static_cast<Role>(Parameter<First>::role) == kIndex) {
      graft::Index value{at.index};
      return bind<Callback, I + 1>(Types<Rest...>{}, in, out, place, at, its_state, static_cast<Bound&&>(bound)...,
                                   value);
    } else if constexpr (static_cast<Role>(Parameter<First>::role) == kPosition) {
      auto value = graft_position<typename Parameter<First>::type>(at.index, at.dividers);
      return bind<Callback, I + 1>(Types<Rest...>{}, in, out, place, at, its_state, static_cast<Bound&&>(bound)...,
                                   value);
    } else if constexpr (static_cast<Role>(Parameter<First>::role) == kState) {
      const state& value = *static_cast<const state*>(its_state);
      return bind<Callback, I + 1>(Types<Rest...>{}, in, out, place, at, its_state, static_cast<Bound&&>(bound)...,
                                   value);
    } else {
      using type = typename Parameter<First>::type;
      using passed = typename Select<static_cast<Role>(Parameter<First>::role) == kInOut, type&&, type&>::type;
      Cell<type> cell;
      if constexpr (tables::is_one_of(I, kReadRoles)) load_element<has_other_arrays>(cell, in[tables::input(I)], place);
      else cell.zero();
      const unsigned int is_stored =
          bind<Callback, I + 1>(Types<Rest...>{}, in, out, place, at, its_state, static_cast<Bound&&>(bound)...,
                                static_cast<passed>(cell.value()));
      if constexpr (tables::is_one_of(I, kWrittenRoles))
        store_element<has_other_arrays>(cell, out[tables::output(I)], place);
      return is_stored;
    }
  }

  template <class Callback>
  static __device__ __forceinline__ unsigned int apply_with(const void* its_state, const graft_share* in,
                                                            graft_share* out, int place, const Place& at) {
    return bind<Callback, 1>(Types<P...>{}, in, out, place, at, its_state);
  }
  template <class Callback>
  static __device__ __forceinline__ unsigned int apply(const graft_share* in, graft_share* out, int place,
                                                       unsigned long long index, const graft_launch* launch) {
    return apply_with<Callback>(state_of(launch), in, out, place, {index, dividers_of(launch)});
  }
  static __device__ __forceinline__ const graft_divider* dividers_of(const graft_launch* launch) {
    if constexpr (coordinates == 0) return nullptr;
    else
      return reinterpret_cast<const graft_divider*>(reinterpret_cast<const unsigned char*>(launch) + layout::dividers);
  }
  static __device__ __forceinline__ const void* state_of(const graft_launch* launch) {
#ifdef GRAFT_BAKED_STATE
    return GRAFT_BAKED_STATE;
#else
    if constexpr (is_given_state) return reinterpret_cast<const unsigned char*>(launch) + layout::state;
    else return nullptr;
#endif
  }
};

// Takes the place of the adapter for a refused signature. The program must compile, because the host reads the reason
// from its facts, but the program is never linked.
struct Refused {
  using parameters = Parameters<1, 0, Nothing>;
  enum : int { inputs = 0, outputs = 0, masks = 0 };
  enum : unsigned long long {
    input_sizes = 0,
    more_input_sizes = 0,
    output_sizes = 0,
    input_alignments = 0,
    more_input_alignments = 0,
    output_alignments = 0
  };
  template <class Callback>
  static __device__ unsigned int apply(const graft_share*, graft_share*, int, unsigned long long, const graft_launch*) {
    return 1;
  }
  template <class Callback>
  static __device__ unsigned int apply_with(const void*, const graft_share*, graft_share*, int, const Place&) {
    return 1;
  }
  static __device__ const graft_divider* dividers_of(const graft_launch*) { return nullptr; }
  static __device__ const void* state_of(const graft_launch*) { return nullptr; }
};

template <bool Acceptable, class R, class... P>
struct Choose {
  using type = Accepted<R, P...>;
};
template <class R, class... P>
struct Choose<false, R, P...> {
  using type = Refused;
};
#endif

// A signature's facts are numbers in this order: why the signature is refused, and the position of the refused
// parameter; then all roles, all sizes, all alignments and all kinds. Each of these four lists begins with the result;
// the parameters follow in order.
template <class F>
struct Signature {  // the primary template is chosen if F is not a function type
#ifndef GRAFT_READING
  using adapted = Refused;
#endif
  using facts = Facts<kNotCallable, 0>;
};

template <class R, class... P>
struct Signature<R(P...)> {
  using tables = Tables<R, P...>;
  enum : unsigned { verdict = tables::verdict() };
#ifndef GRAFT_READING
  using adapted = typename Choose<verdict == kAccepted, R, P...>::type;
#endif
  using result = Result<R>;
  using facts = Facts<verdict & 0xffff, (verdict >> 16), result::role, Parameter<P>::role...,
                      sizeof(typename result::type), sizeof(typename Parameter<P>::type)...,
                      alignof(typename result::type), alignof(typename Parameter<P>::type)...,
                      kind_of<typename result::type>(), kind_of<typename Parameter<P>::type>()...>;
};
template <class R, class... P>
struct Signature<R(P..., ...)> {
#ifndef GRAFT_READING
  using adapted = Refused;
#endif
  using facts = Facts<kVariadic, 0>;
};

// Returns the value for array k from the integers that Tables::packed made: `Packed` for array 0, and `More` for array
// kPacked. `More` is 0 if there are no more arrays.
template <unsigned long long Packed, unsigned long long More>
__device__ __forceinline__ constexpr int unpack(int k) {
  if constexpr (More == 0) return static_cast<int>(Packed >> (6 * k) & 63);
  else return static_cast<int>((k < kPacked ? Packed >> (6 * k) : More >> (6 * (k - kPacked))) & 63);
}
static_assert(GRAFT_MAX_ELEMENT_BYTES < GRAFT_BIT_SIZE && GRAFT_BIT_SIZE < 64 && GRAFT_MAX_INPUTS <= 2 * kPacked &&
                  GRAFT_MAX_OUTPUTS <= kPacked,
              "graft: with 6 bits for each, the sizes of all inputs fit into two integers, and those of all outputs "
              "into one");

// FunctionOf finds the function type of a callback expression. The expression names a function or an object with one
// call operator.
template <class T>
struct MemberFunction {
  using type = T;
};
template <class C, class R, class... P>
struct MemberFunction<R (C::*)(P...)> {
  using type = R(P...);
};
template <class C, class R, class... P>
struct MemberFunction<R (C::*)(P...) const> {
  using type = R(P...);
};
template <class C, class R, class... P>
struct MemberFunction<R (C::*)(P...) noexcept> {
  using type = R(P...);
};
template <class C, class R, class... P>
struct MemberFunction<R (C::*)(P...) const noexcept> {
  using type = R(P...);
};

template <class T, class = void>
struct FunctionOf {
  using type = T;
};
template <class T>
struct FunctionOf<T, decltype(void(&T::operator()))> {
  using type = typename MemberFunction<decltype(&T::operator())>::type;
};
template <class T>
struct FunctionOf<T&> : FunctionOf<T> {};
template <class T>
struct FunctionOf<T&&> : FunctionOf<T> {};
template <class T>
struct FunctionOf<const T> : FunctionOf<T> {};
template <class T>
struct FunctionOf<T*> : FunctionOf<T> {};

// graft ignores `noexcept` in a callback's type.
template <class T>
struct WithoutNoexcept {
  using type = T;
};
template <class R, class... P>
struct WithoutNoexcept<R(P...) noexcept> {
  using type = R(P...);
};
template <class R, class... P>
struct WithoutNoexcept<R(P..., ...) noexcept> {
  using type = R(P..., ...);
};

template <class Expression>
using FunctionBehind = typename WithoutNoexcept<typename FunctionOf<Expression>::type>::type;

// CalledAs gives an object whose call operator is a template or overloaded one signature, the declared one. It is only
// made if the object, called with parameters of these types, returns exactly the declared result.
template <class Object, class Function>
struct CalledAs;
template <class Object, class R, class... P>
struct CalledAs<Object, R(P...)> {
  Object object;
  __device__ __forceinline__ R operator()(P... values) const { return Object(object)(static_cast<P&&>(values)...); }
};

template <class A, class B>
struct Same {};
template <class A>
struct Same<A, A> {
  static constexpr bool yes = true;
};
template <class Object>
__device__ Object&& some();
template <class Object, class Function, class = void>
struct IsCalledAs {
  static constexpr bool value = false;
};
template <class Object, class R, class... P>
struct IsCalledAs<Object, R(P...), decltype(void(Same<R, decltype(some<Object>()(some<P>()...))>::yes))> {
  static constexpr bool value = __is_class(Object) && __is_class(typename FunctionOf<Object>::type);
};

}  // namespace graft_adapter

// The probe has the callback's type and facts in its mangled name, and the host uses only this name. For a GPU the
// probe is a variable that is declared but never defined, so that the kernel does not contain the probe. On the host
// the probe is a type.
#ifdef GRAFT_HOST
template <class Function, class Facts>
struct graft_probe {};
#else
template <class Function, class Facts>
extern __device__ char graft_probe;
#endif
