// The types of the array arguments of Transform::execute. Arrays are in device memory, unless the first argument of
// execute is graft::host. A count is a number of elements. The types in this file own no memory, allocate nothing and
// share nothing between threads.
//
//     t.execute(stream, in, out);                                  thrust::device_vector, any device container
//     t.execute(stream, std::span(p, n), std::span(q, n));         spans over device memory
//     t.execute(stream, {p, n}, {q, n});                           pointer and count
//     t.execute(stream, graft::inputs(x, y), graft::outputs(u, v), state);
//     t.execute(stream, graft::inputs(), out);                     a callback without inputs
//     t.execute(stream, in, graft::outputs(), state);              a callback without outputs
//     t.execute(stream, graft::count(n), state);                   a callback without arrays, for n elements
//     t.execute(stream, graft::inputs(x, graft::bits(words, n)), out);    a bit array, such as a validity mask
//     t.execute(stream, graft::view(p, {m, n}), graft::view(q, {m, n}, {pitch, 1}));   any shape: graft/view.hpp
//     t.execute(graft::host, graft::inputs(x, y), z);              std::vector and other host memory, on the host route
//
// When element types are known only at run time, pass both inputs and outputs as ArrayRef:
//
//     t.execute(stream, in, out);                                  std::vector<graft::ArrayRef>, spans, C arrays
//     t.execute(stream, {x, y}, {z}, state);                       graft::ArrayRef x, y, z; {} for no inputs
//
// Arrays must be contiguous; contiguous.hpp lists the types that graft accepts as contiguous. A class of your own needs
// data(), size(), begin() and end(), where begin() and end() return raw pointers. Pass anything else as {pointer,
// count}, or as std::span(pointer, count) in a list of several arrays.
//
// A container that owns host memory (std::vector, std::array, std::string, thrust::host_vector, Eigen) does not compile
// as a device array. graft::device(x) overrides this for memory that the device can reach (managed or pinned).
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <new>
#include <span>
#include <type_traits>
#include <utility>

#include <graft/device.h>
#include <graft/contiguous.hpp>
#include <graft/element.hpp>
#include <graft/view.hpp>

namespace graft {

// A bit array, an array of graft::Bit. It consists of 32-bit words, and its elements are single bits: element i is the
// bit at place offset + i, where place 0 is the lowest bit of the first word, and place 32 the lowest bit of the
// second. This is the layout of validity masks in Apache Arrow. graft::bits makes a BitArray. A BitArray owns no
// memory. `Word` is std::uint32_t, or const std::uint32_t for an array that can only be an input.
//
// A launch writes no bit that is not an element of an output, with one exception: if `clears_rest` is set, it clears
// the bits behind the last element in the last word. If a callback leaves the last element alone (graft::Store), it
// leaves these bits alone too.
template <class Word>
struct BitArray {
  Word* words = nullptr;    // aligned to 4 bytes
  std::size_t offset = 0;   // the place of element 0
  std::size_t count = 0;    // elements
  bool clears_rest = true;  // for an output
  // For an output: null, or a counter in the same kind of memory as the array, and in no array of the call. Each launch
  // adds the number of zeros that it stores to the counter, and does not set the counter to zero before.
  void* zeros = nullptr;

  // Returns a copy whose zeros (the nulls, if the array is a validity mask) are counted in *counter. `counter` is a
  // pointer, also a fancy one, to a 64-bit integer.
  template <detail::AnyPointer P>
  BitArray count_zeros(const P& counter) const noexcept {
    using Counter = std::remove_pointer_t<decltype(detail::raw_pointer(counter))>;
    static_assert(std::is_integral_v<Counter> && sizeof(Counter) == 8 && !std::is_const_v<Counter>,
                  "graft: the counter of zeros is a 64-bit integer");
    static_assert(!std::is_const_v<Word>, "graft: only an output's zeros are counted");
    BitArray counted = *this;
    counted.zeros = detail::raw_pointer(counter);
    return counted;
  }
};

// Returns the bit array whose first element is at place `offset`, which may be any number. As an output, all bits in
// front of its elements and behind them keep their values, so launches for other parts of a mask may run at the same
// time.
//
// `words` is a pointer, also a fancy one such as thrust::device_ptr, to unsigned integers of any size, because bytes
// and 64-bit words hold the same bits in the same order. The memory must be aligned to 4 bytes, and consist of whole
// 4-byte words.
template <detail::AnyPointer P>
auto bits(P words, std::size_t offset, std::size_t count) noexcept {
  using Given = std::remove_pointer_t<decltype(detail::raw_pointer(words))>;
  static_assert(std::is_unsigned_v<std::remove_cv_t<Given>> && !std::is_same_v<std::remove_cv_t<Given>, bool>,
                "graft: the words of a bit array are unsigned integers, for example std::uint32_t");
  using Word = std::conditional_t<std::is_const_v<Given>, const std::uint32_t, std::uint32_t>;
  return BitArray<Word>{reinterpret_cast<Word*>(detail::raw_pointer(words)), offset, count, false};
}

// The same for a container of the words, such as a thrust::device_vector<std::uint32_t>.
template <detail::Sized C>
auto bits(C&& words, std::size_t offset, std::size_t count) noexcept {
  return bits(detail::data_of(words), offset, count);
}

// Returns the bit array whose first element is the lowest bit of the first word. As an output, the bits behind the last
// element in its word become zero, as Arrow recommends for the padding of a mask.
template <detail::AnyPointer P>
auto bits(P words, std::size_t count) noexcept {
  auto all = bits(words, 0, count);
  all.clears_rest = true;
  return all;
}

template <detail::Sized C>
auto bits(C&& words, std::size_t count) noexcept {
  return bits(detail::data_of(words), count);
}

// Describes one array by its address, its number of elements and its element type. An ArrayRef does not own the memory
// of the array.
//
//     graft::ArrayRef x(pointer, count, graft::ElementType::named("f32"));
//     graft::ArrayRef valid = graft::bits(words, offset, count);
//
// An ArrayRef(words, count, graft::ElementType::named("bit")) is the array graft::bits(words, count).
struct ArrayRef {
  void* pointer = nullptr;
  std::size_t count = 0;  // elements
  ElementType type = {};
  // The members below matter only for a bit array. `first_bit` is the bit of the first word that is element 0, 0 to 31.
  std::uint8_t first_bit = 0;
  bool keeps_rest = false;  // the opposite of BitArray::clears_rest
  void* zeros = nullptr;    // as in BitArray
  // The members below are those of a view (graft/view.hpp). An array without a shape has one dimension. An ArrayRef
  // does not own the extents and strides, which must live as long as it is used. The strides are counted in elements;
  // without them, the array is row-major and dense.
  std::uint32_t rank = 0;
  const std::int64_t* shape = nullptr;
  const std::int64_t* strides = nullptr;

  constexpr ArrayRef() noexcept = default;
  // `first` may point to const elements if the array is an input. The kernel writes to an output even if `first`
  // pointed to const elements.
  constexpr ArrayRef(const void* first, std::size_t elements, ElementType element) noexcept
      : pointer(const_cast<void*>(first)), count(elements), type(element) {}
  template <class Word>
  ArrayRef(const BitArray<Word>& bits) noexcept
      : pointer(bits.words == nullptr ? nullptr : const_cast<std::uint32_t*>(bits.words) + bits.offset / 32),
        count(bits.count),
        type(element_type<Bit>()),
        first_bit(static_cast<std::uint8_t>(bits.offset % 32)),
        keeps_rest(!bits.clears_rest),
        zeros(bits.zeros) {}
  // Keeps pointers into the view, so the view must live as long as the ArrayRef: `ArrayRef a = graft::view(...)` refers
  // to a view that is gone.
  template <class T>
  ArrayRef(const View<T>& view) noexcept
      : ArrayRef(shaped(view.pointer, element_type<T>(), view.rank <= kMaxRank ? view.rank : kMostDimensions + 1,
                        view.shape.data(), view.strides.data())) {}

  // The most dimensions of a view that execute takes.
  static constexpr std::uint32_t kMostDimensions = 64;

  // Describes an array of `its_rank` dimensions: `extents` has as many numbers, and `its_strides` is null or has as
  // many. The count is the product of the extents; if there is no such number, it is 0, and execute refuses the array.
  GRAFT_API static ArrayRef shaped(const void* first, ElementType element, std::uint32_t its_rank,
                                   const std::int64_t* extents, const std::int64_t* its_strides = nullptr) noexcept;

  // Whether the array is a view. One of rank 0 is a single element.
  constexpr bool is_view() const noexcept { return shape != nullptr; }
};

// The number of elements of a call without arrays, whose callback has only an index or a state.
class Count {
 public:
  constexpr std::size_t elements() const noexcept { return elements_; }
  friend constexpr Count count(std::size_t elements) noexcept;

 private:
  constexpr explicit Count(std::size_t elements) noexcept : elements_(elements) {}
  std::size_t elements_;
};
constexpr Count count(std::size_t elements) noexcept {
  return Count(elements);
}

class ArrayRefs;

namespace detail {

// are_refs is true for a contiguous range of ArrayRef. Untyped accepts such a range, an ArrayRefs, and a single
// ArrayRef: arrays whose element types are known only at run time.
template <class C>
inline constexpr bool are_refs = std::is_constructible_v<std::span<const ArrayRef>, const C&>;
template <class C>
concept Untyped =
    std::same_as<std::remove_cv_t<C>, ArrayRef> || std::same_as<std::remove_cv_t<C>, ArrayRefs> || are_refs<C>;

}  // namespace detail

// The parameter type of execute for arrays whose element types are known only at run time. A vector, span, C array or
// braced list of ArrayRef converts to ArrayRefs, and so does one ArrayRef. An ArrayRefs keeps a pointer to these
// ArrayRef objects, so use it only as a function argument.
class ArrayRefs {
 public:
  constexpr ArrayRefs() noexcept = default;
  constexpr ArrayRefs(const ArrayRef& array) noexcept : arrays_(&array, 1) {}
  constexpr ArrayRefs(std::initializer_list<ArrayRef> arrays) noexcept : arrays_(arrays.begin(), arrays.size()) {}
  constexpr ArrayRefs(const ArrayRef* arrays, std::size_t number) noexcept : arrays_(arrays, number) {}
  template <detail::Untyped C>
  constexpr ArrayRefs(const C& arrays) noexcept : arrays_(arrays) {}

  constexpr std::span<const ArrayRef> span() const noexcept { return arrays_; }

 private:
  std::span<const ArrayRef> arrays_;
};

// The result of graft::device: an array whose memory the device can access, as the caller guarantees.
template <class T>
struct DeviceArray {
  T* pointer;
  std::size_t count;
  T* data() const noexcept { return pointer; }
  std::size_t size() const noexcept { return count; }
  T* begin() const noexcept { return pointer; }
  T* end() const noexcept { return pointer + count; }
};

// The first argument of the execute overloads that run a transform of the `host` route on host memory.
struct HostTag {};
inline constexpr HostTag host{};

namespace detail {

// A list of up to `Limit` arrays whose C++ element types are known at compile time. Only the first size() elements are
// constructed, so that making a list of one array does not take the time to initialise all `Limit` elements. The list
// owns the extents and strides of its views.
template <std::size_t Limit>
class Arrays {
 public:
  std::size_t size() const noexcept { return size_; }
  ArrayRefs refs() const noexcept { return ArrayRefs(arrays_, size_); }

  Arrays(const Arrays& other) noexcept { copy(other); }
  Arrays& operator=(const Arrays& other) noexcept {
    if (this != &other) copy(other);
    return *this;
  }

 protected:
  Arrays() noexcept {}

  template <class T>
  void add(T* pointer, std::size_t count) noexcept;
  template <class T>
  void add_output(T* pointer, std::size_t count) noexcept {
    static_assert(!std::is_const_v<T>, "graft: an output array must not be const");
    add(pointer, count);
  }
  template <class Word>
  void add(const BitArray<Word>& array) noexcept {
    ::new (static_cast<void*>(arrays_ + size_++)) ArrayRef(array);
  }
  template <class Word>
  void add_output(const BitArray<Word>& array) noexcept {
    static_assert(!std::is_const_v<Word>, "graft: the words of an output must not be const");
    add(array);
  }
  template <class T>
  void add(const View<T>& view) noexcept {
    add(view.pointer, 0);
    arrays_[size_ - 1] = ArrayRef(view);
    own_extents(size_ - 1);
  }
  template <class T>
  void add_output(const View<T>& view) noexcept {
    static_assert(!std::is_const_v<T>, "graft: the elements of an output must not be const");
    add(view);
  }

 private:
  void copy(const Arrays& other) noexcept {
    size_ = other.size_;
    for (std::size_t i = 0; i < size_; ++i) {
      ::new (static_cast<void*>(arrays_ + i)) ArrayRef(other.arrays_[i]);
      if (arrays_[i].is_view()) own_extents(i);
    }
  }

  // Copies the extents and strides of a view, which has at most kMaxRank of them, and always strides.
  void own_extents(std::size_t i) noexcept {
    for (std::size_t d = 0; d < arrays_[i].rank && d < kMaxRank; ++d) {
      shapes_[i][d] = arrays_[i].shape[d];
      strides_[i][d] = arrays_[i].strides[d];
    }
    arrays_[i].shape = shapes_[i];
    arrays_[i].strides = strides_[i];
  }

  union {  // a union leaves its elements unconstructed until add() constructs them
    ArrayRef arrays_[Limit];
  };
  std::size_t size_ = 0;
  std::int64_t shapes_[Limit][kMaxRank], strides_[Limit][kMaxRank];
};

template <std::size_t Limit>
void any_list(const Arrays<Limit>&);

// Satisfied by Inputs, Outputs, HostInputs and HostOutputs.
template <class C>
concept ArrayList = requires(const C& c) {
  any_list(c);
};

// True if T is std::span or one of graft's own array types. graft refuses these types as element types, because a
// caller who passes an array of arrays usually wants to pass the inner arrays. A user's own struct of a pointer and a
// count is a valid element type.
template <class T>
inline constexpr bool kIsArray = std::is_same_v<T, ArrayRefs> || ArrayList<T> || IsSpan<T>::value;
template <class T>
inline constexpr bool kIsArray<DeviceArray<T>> = true;

// Does not compile if an Untyped argument is in a list of arrays with C++ element types.
template <class C>
constexpr void require_typed() {
  static_assert(!Untyped<C>,
                "graft: pass ArrayRefs directly to execute, as inputs and as outputs: execute(stream, {x, y}, {z}), "
                "with {} for no inputs; they cannot be mixed with arrays of C++ types");
}

template <std::size_t Limit>
template <class T>
void Arrays<Limit>::add(T* pointer, std::size_t count) noexcept {
  using Element = std::remove_cv_t<T>;
  static_assert(!std::is_void_v<T>,
                "graft: an array needs an element type, and a void pointer has none; with graft::ArrayRef you pass the "
                "element type as a value");
  static_assert(
      !std::is_same_v<Element, Bit>,
      "graft: an array of graft::Bit in memory has one bit for each element: pass graft::bits(words, count) or "
      "graft::bits(words, offset, count)");
  static_assert(!kIsArray<Element>,
                "graft: this is an array of arrays; pass each inner array to graft::inputs, graft::outputs, "
                "graft::host_inputs or graft::host_outputs");
  require_typed<Element>();
  if constexpr (!std::is_void_v<T> && !std::is_same_v<Element, Bit> && !kIsArray<Element> && !Untyped<Element>)
    ::new (static_cast<void*>(arrays_ + size_++)) ArrayRef(const_cast<Element*>(pointer), count, element_type<T>());
}

template <class C>
inline constexpr bool kIsBits = false;
template <class Word>
inline constexpr bool kIsBits<BitArray<Word>> = true;
// The arrays that graft's own types describe: bit arrays and views.
template <class C>
concept Described = kIsBits<std::remove_const_t<C>> || kIsView<std::remove_const_t<C>>;

template <class C>
concept TypedDeviceContainer = DeviceContainer<C> && !Untyped<C>;
template <class C>
concept TypedHostArray = HostArray<C> && !Untyped<C>;

// True for arrays whose types show that they are in host memory.
template <class C>
inline constexpr bool kIsOnHost = (HostContainer<C> || (HostArray<C> && !DeviceContainer<C>)) && !Untyped<C>;

// True for arrays whose types do not show where their memory is: spans, graft::device(x), bit arrays, views.
template <class C>
inline constexpr bool kIsAnywhere = Described<C> || (DeviceContainer<C> && HostArray<C>);

// Makes the lists of several arrays, for graft::inputs and its like.
struct ListMaker {
  template <class List, class... C>
  static List make(C&... arrays) noexcept(kNeverStrided<C...>) {
    List list;
    (list.add_array(arrays), ...);
    return list;
  }
};

// True for std::vector<bool>, which has no data().
template <class C>
concept HasBoolElements = requires {
  typename C::value_type;
  typename C::allocator_type;
}
&&std::is_same_v<typename C::value_type, bool>;
template <class C>
inline constexpr bool kIsVectorOfBool = HasBoolElements<std::remove_const_t<C>> && !Sized<C>;

// Accepts types that resemble an array. If graft does not accept such a type as an array, a static_assert shows graft's
// own message. Every other type matches no overload of execute, and the compiler reports that.
template <class C>
concept Lookalike = ArrayList<C> || Sized<C> || HasStrides<C> || EigenLike<C> || kIsVectorOfBool<C>;

// The lookalikes that graft does not accept as arrays. A constructor of Self (Inputs, Outputs, HostInputs or
// HostOutputs) takes them, to show that message. Self itself is left out, so that a copy calls the copy constructor.
template <class C, class Self>
concept DeviceLookalike = (Lookalike<C> || HostContainer<C>)&&!DeviceContainer<C> && !Untyped<C> &&
                          !std::is_base_of_v<Self, std::remove_const_t<C>>;
template <class C, class Self, class Any>
concept HostLookalike = Lookalike<C> && !HostArray<C> && !Untyped<C> && !std::is_same_v<std::remove_const_t<C>, Self> &&
                        !std::is_same_v<std::remove_const_t<C>, Any>;

// A pointer without a count. Constructors take it to show graft's message.
template <class P>
concept LonePointer = AnyPointer<P> && !Sized<P>;
template <class P>
constexpr void require_count() {
  static_assert(!LonePointer<P>, "graft: a pointer has no number of elements; pass {pointer, count} for each array");
}

// One array of a braced list of several, such as {x, y}, {p, q} or {{p, n}, {q, n}}. Constructors take up to four to
// show graft's message; a third and fourth array may be missing.
struct Listed {
  constexpr Listed() noexcept = default;
  template <AnyPointer P>
  constexpr Listed(const P&, std::size_t) noexcept {}
  template <AnyPointer P>
  constexpr Listed(const P&) noexcept {}
  template <class C>
  requires((HostArray<const C> || HostContainer<const C> || DeviceContainer<const C> ||
            Described<C>)&&!Untyped<C>) constexpr Listed(const C&) noexcept {}
};
// Keeps the compiler from deducing a type from a braced list, which has none.
template <class T>
using Alone = std::type_identity_t<T>;
template <class T>
inline constexpr bool kIsListed = std::is_same_v<T, Listed>;

// Does not compile unless `kIsTaken` is true. `kIsTaken` is true if graft accepts C as an array, or if another
// static_assert refuses C with a more specific message.
template <class C, bool kIsTaken>
constexpr void require_contiguous() {
  static_assert(
      !kIsVectorOfBool<C>,
      "graft: std::vector<bool> has no array of bools: pass an array of bool, or words with graft::bits(words, "
      "count) to a callback that takes graft::Bit");
  static_assert(kIsTaken || kIsVectorOfBool<C>,
                "graft: this is not a contiguous range of elements; if its elements are contiguous, pass {pointer, "
                "count}, or std::span(pointer, count) in a list of several arrays; for an Eigen expression pass "
                "x.eval()");
}

// Does not compile if C is not a contiguous array in device memory. Host containers and ArrayRefs pass this check,
// because other checks refuse them with messages of their own.
template <class C>
constexpr void require_device_array() {
  require_contiguous<C, ArrayList<C> || Untyped<C> || Described<C> || HostContainer<C> || DeviceContainer<C>>();
}

// The same check for arrays in host memory.
template <class C>
constexpr void require_host_array() {
  static_assert(
      !FancyData<C> || HostArray<C>,
      "graft: this container holds device memory; if the host can reach that memory, pass {raw pointer, count}");
  require_contiguous<C, ArrayList<C> || Untyped<C> || Described<C> || HostArray<C> || FancyData<C>>();
}

}  // namespace detail

// Passes a host container as a device array. The caller guarantees that the device can reach the container's memory:
// managed or pinned memory, or a system where host and device share one address space. Throws Error(InvalidArgument)
// for an Eigen expression with gaps between its elements.
template <class Container>
auto device(Container&& container) noexcept(detail::kNeverStrided<std::remove_reference_t<Container>>) {
  using C = std::remove_reference_t<Container>;
  static_assert(!detail::ArrayList<C>, "graft: graft::device takes one array");
  if constexpr (detail::HostArray<C> || detail::DeviceContainer<C>) {
    detail::require_no_gaps<C>(container, detail::ArrayRole::Device, 0);
    using Element = std::remove_pointer_t<decltype(detail::data_of(container))>;
    return DeviceArray<Element>{detail::data_of(container), detail::size_of(container)};
  } else {
    detail::require_contiguous<C, detail::ArrayList<C>>();
  }
}

inline constexpr std::size_t kMaxInputs = 16;
inline constexpr std::size_t kMaxOutputs = 8;
class AnyInputs;
class AnyOutputs;
class HostInputs;
class HostOutputs;

// The input arrays of a call, in device memory. One array converts to Inputs; graft::inputs makes Inputs from several
// arrays.
class Inputs : public detail::Arrays<kMaxInputs> {
 public:
  template <class C>
  requires detail::TypedDeviceContainer<const C> Inputs(const C& container)
  noexcept { add(detail::data_of(container), detail::size_of(container)); }
  template <class C>
  requires detail::DeviceLookalike<const C, Inputs> Inputs(const C&)
  noexcept {
    static_assert(!std::is_same_v<C, HostInputs>,
                  "graft: inputs are device arrays; host containers need graft::device(x)");
    static_assert(!detail::ArrayList<C> || std::is_same_v<C, HostInputs>,
                  "graft: use graft::inputs(...) here: a transform on a stream takes its inputs in device memory");
    static_assert(!detail::HostContainer<const C>,
                  "graft: inputs are device arrays; host containers need graft::device(x)");
    detail::require_device_array<const C>();
  }
  template <detail::Untyped C>
  Inputs(const C&) noexcept {
    detail::require_typed<C>();
  }
  template <detail::AnyPointer P>
  Inputs(const P& pointer, std::size_t count) noexcept {
    add(detail::raw_pointer(pointer), count);
  }

  template <class T = detail::Listed>
  Inputs(const detail::Alone<T>&, const detail::Alone<T>&, const detail::Alone<T>& = {},
         const detail::Alone<T>& = {}) noexcept {
    static_assert(!detail::kIsListed<T>,
                  "graft: for several arrays write graft::inputs(x, y), and std::span(pointer, count) for a pointer");
  }
  template <detail::LonePointer P>
  Inputs(const P&) noexcept {
    detail::require_count<P>();
  }

  template <class Word>
  Inputs(const BitArray<Word>& bits) noexcept {
    add(bits);
  }
  template <class T>
  Inputs(const View<T>& view) noexcept {
    add(view);
  }

 protected:
  friend struct detail::ListMaker;
  Inputs() noexcept = default;
  template <class C>
  void add_array(const C& array) noexcept {
    if constexpr (detail::Described<C>) add(array);
    else add(detail::data_of(array), detail::size_of(array));
  }
};

// The output arrays of a call, in device memory. One array converts to Outputs; graft::outputs makes Outputs from
// several arrays.
class Outputs : public detail::Arrays<kMaxOutputs> {
 public:
  template <class C>
  requires detail::TypedDeviceContainer<std::remove_reference_t<C>> Outputs(C&& container)
  noexcept { add_output(detail::data_of(container), detail::size_of(container)); }
  template <class C>
  requires detail::DeviceLookalike<std::remove_reference_t<C>, Outputs> Outputs(C&&)
  noexcept {
    using Given = std::remove_reference_t<C>;
    static_assert(!std::is_same_v<Given, HostOutputs> && !std::is_same_v<Given, const HostOutputs>,
                  "graft: outputs are device arrays; host containers need graft::device(x)");
    static_assert(!detail::ArrayList<Given> || std::is_same_v<std::remove_const_t<Given>, HostOutputs>,
                  "graft: use graft::outputs(...) for the outputs in device memory");
    static_assert(!detail::HostContainer<Given>,
                  "graft: outputs are device arrays; host containers need graft::device(x)");
    detail::require_device_array<Given>();
  }
  template <detail::Untyped C>
  Outputs(const C&) noexcept {
    detail::require_typed<C>();
  }
  template <detail::AnyPointer P>
  Outputs(const P& pointer, std::size_t count) noexcept {
    add_output(detail::raw_pointer(pointer), count);
  }

  template <class T = detail::Listed>
  Outputs(const detail::Alone<T>&, const detail::Alone<T>&, const detail::Alone<T>& = {},
          const detail::Alone<T>& = {}) noexcept {
    static_assert(!detail::kIsListed<T>,
                  "graft: for several arrays write graft::outputs(x, y), and std::span(pointer, count) for a pointer");
  }
  template <detail::LonePointer P>
  Outputs(const P&) noexcept {
    detail::require_count<P>();
  }

  template <class Word>
  Outputs(const BitArray<Word>& bits) noexcept {
    add_output(bits);
  }
  template <class T>
  Outputs(const View<T>& view) noexcept {
    add_output(view);
  }

 protected:
  friend struct detail::ListMaker;
  Outputs() noexcept = default;
  template <class C>
  void add_array(C& array) noexcept {
    if constexpr (detail::Described<C>) add_output(array);
    else add_output(detail::data_of(array), detail::size_of(array));
  }
};

// The input arrays of execute(graft::host, ...), in host memory. One array converts to HostInputs; graft::inputs makes
// a list of several arrays. The conversion throws Error(InvalidArgument) for an Eigen expression with gaps
// between its elements; for other arrays it never throws.
class HostInputs : public detail::Arrays<kMaxInputs> {
 public:
  template <class C>
  requires detail::TypedHostArray<const C> HostInputs(const C& container)
  noexcept(detail::kNeverStrided<const C>) { add_array(container); }
  template <class C>
  requires detail::HostLookalike<const C, HostInputs, AnyInputs> HostInputs(const C&)
  noexcept {
    static_assert(!detail::ArrayList<C>,
                  "graft: use graft::inputs(...) of arrays in host memory for the inputs of execute(graft::host, ...)");
    detail::require_host_array<const C>();
  }
  template <detail::Untyped C>
  HostInputs(const C&) noexcept {
    detail::require_typed<C>();
  }
  HostInputs(const AnyInputs& all) noexcept;
  template <class T>
  HostInputs(T* pointer, std::size_t count) noexcept {
    add(pointer, count);
  }
  template <class T = detail::Listed>
  HostInputs(const detail::Alone<T>&, const detail::Alone<T>&, const detail::Alone<T>& = {},
             const detail::Alone<T>& = {}) noexcept {
    static_assert(!detail::kIsListed<T>,
                  "graft: for several arrays write graft::inputs(x, y), and std::span(pointer, count) for a pointer");
  }
  template <detail::LonePointer P>
  HostInputs(const P&) noexcept {
    detail::require_count<P>();
  }
  template <class Word>
  HostInputs(const BitArray<Word>& bits) noexcept {
    add(bits);
  }
  template <class T>
  HostInputs(const View<T>& view) noexcept {
    add(view);
  }

 private:
  friend struct detail::ListMaker;
  HostInputs() noexcept = default;
  template <class C>
  void add_array(C& array) noexcept(detail::kNeverStrided<C>) {
    if constexpr (detail::Described<C>) {
      add(array);
    } else {
      detail::require_no_gaps<C>(array, detail::ArrayRole::Input, size());
      add(detail::data_of(array), detail::size_of(array));
    }
  }
};

// The output arrays of execute(graft::host, ...), in host memory. The conversion throws Error(InvalidArgument) for an
// Eigen expression with gaps between its elements, as for HostInputs.
class HostOutputs : public detail::Arrays<kMaxOutputs> {
 public:
  template <class C>
  requires detail::TypedHostArray<std::remove_reference_t<C>> HostOutputs(C&& container)
  noexcept(detail::kNeverStrided<std::remove_reference_t<C>>) { add_array(container); }
  template <class C>
  requires detail::HostLookalike<std::remove_reference_t<C>, HostOutputs, AnyOutputs> HostOutputs(C&&)
  noexcept {
    using Given = std::remove_reference_t<C>;
    static_assert(
        !detail::ArrayList<Given>,
        "graft: use graft::outputs(...) of arrays in host memory for the outputs of execute(graft::host, ...)");
    detail::require_host_array<Given>();
  }
  template <detail::Untyped C>
  HostOutputs(const C&) noexcept {
    detail::require_typed<C>();
  }
  HostOutputs(const AnyOutputs& all) noexcept;
  template <class T>
  HostOutputs(T* pointer, std::size_t count) noexcept {
    add_output(pointer, count);
  }
  template <class T = detail::Listed>
  HostOutputs(const detail::Alone<T>&, const detail::Alone<T>&, const detail::Alone<T>& = {},
              const detail::Alone<T>& = {}) noexcept {
    static_assert(!detail::kIsListed<T>,
                  "graft: for several arrays write graft::outputs(x, y), and std::span(pointer, count) for a pointer");
  }
  template <detail::LonePointer P>
  HostOutputs(const P&) noexcept {
    detail::require_count<P>();
  }
  template <class Word>
  HostOutputs(const BitArray<Word>& bits) noexcept {
    add_output(bits);
  }
  template <class T>
  HostOutputs(const View<T>& view) noexcept {
    add_output(view);
  }

 private:
  friend struct detail::ListMaker;
  HostOutputs() noexcept = default;
  template <class C>
  void add_array(C& array) noexcept(detail::kNeverStrided<C>) {
    if constexpr (detail::Described<C>) {
      add_output(array);
    } else {
      detail::require_no_gaps<C>(array, detail::ArrayRole::Output, size());
      add_output(detail::data_of(array), detail::size_of(array));
    }
  }
};

// graft::inputs and graft::outputs for arrays that the host can reach, also if their types do not show it.
template <class... C>
HostInputs host_inputs(const C&... containers) noexcept(detail::kNeverStrided<const C...>) {
  static_assert(sizeof...(C) <= kMaxInputs, "graft: a callback has at most 16 inputs");
  static_assert((!detail::ArrayList<C> && ...),
                "graft: graft::host_inputs takes the arrays themselves, not a list of arrays");
  (detail::require_typed<C>(), ...);
  (detail::require_host_array<const C>(), ...);
  if constexpr (((detail::HostArray<const C> || detail::Described<C>)&&...))
    return detail::ListMaker::make<HostInputs>(containers...);
  else return detail::ListMaker::make<HostInputs>();
}

template <class... C>
HostOutputs host_outputs(C&&... containers) noexcept(detail::kNeverStrided<std::remove_reference_t<C>...>) {
  static_assert(sizeof...(C) <= kMaxOutputs, "graft: a callback has at most 8 outputs");
  static_assert((!detail::ArrayList<std::remove_reference_t<C>> && ...),
                "graft: graft::host_outputs takes the arrays themselves, not a list of arrays");
  (detail::require_typed<std::remove_reference_t<C>>(), ...);
  (detail::require_host_array<std::remove_reference_t<C>>(), ...);
  if constexpr (((detail::HostArray<std::remove_reference_t<C>> || detail::Described<std::remove_reference_t<C>>)&&...))
    return detail::ListMaker::make<HostOutputs>(containers...);
  else return detail::ListMaker::make<HostOutputs>();
}

// Lists of arrays in memory that host or device may reach: of spans, graft::device(x), bit arrays and views, and empty
// lists.
// They serve execute on a stream and execute(graft::host, ...). Only graft::inputs and graft::outputs make them.
class AnyInputs : public Inputs {
  friend struct detail::ListMaker;
  AnyInputs() noexcept = default;
};
class AnyOutputs : public Outputs {
  friend struct detail::ListMaker;
  AnyOutputs() noexcept = default;
};
inline HostInputs::HostInputs(const AnyInputs& all) noexcept : Arrays(all) {}
inline HostOutputs::HostOutputs(const AnyOutputs& all) noexcept : Arrays(all) {}

// The input arrays of a call, in the order of the callback's by-value parameters: 0 to 16 containers or spans. An array
// that the callback takes as graft::InOut<T> is one of the outputs. The result is a list of host arrays if a container
// owns host memory, of device arrays if one holds device memory, and else of either.
template <class... C>
auto inputs(const C&... containers) noexcept(detail::kNeverStrided<const C...>) {
  static_assert(sizeof...(C) <= kMaxInputs, "graft: a callback has at most 16 inputs");
  static_assert((!detail::ArrayList<C> && ...),
                "graft: graft::inputs takes the arrays themselves, not a list of arrays");
  (detail::require_typed<C>(), ...);
  if constexpr ((detail::kIsOnHost<const C> || ...)) {
    return host_inputs(containers...);
  } else {
    (detail::require_device_array<const C>(), ...);
    using List = std::conditional_t<(detail::kIsAnywhere<const C> && ...), AnyInputs, Inputs>;
    if constexpr (((detail::DeviceContainer<const C> || detail::Described<C>)&&...))
      return detail::ListMaker::make<List>(containers...);
    else return detail::ListMaker::make<List>();
  }
}

// The output arrays of a call, 0 to 8: first the array for the return value, if the callback returns a value, then one
// array for each `T&` and each `graft::InOut<T>` parameter, in order. The array of an InOut parameter is given here and
// not among the inputs; its elements are read before they are written.
template <class... C>
auto outputs(C&&... containers) noexcept(detail::kNeverStrided<std::remove_reference_t<C>...>) {
  static_assert(sizeof...(C) <= kMaxOutputs, "graft: a callback has at most 8 outputs");
  static_assert((!detail::ArrayList<std::remove_reference_t<C>> && ...),
                "graft: graft::outputs takes the arrays themselves, not a list of arrays");
  (detail::require_typed<std::remove_reference_t<C>>(), ...);
  if constexpr ((detail::kIsOnHost<std::remove_reference_t<C>> || ...)) {
    return host_outputs(std::forward<C>(containers)...);
  } else {
    (detail::require_device_array<std::remove_reference_t<C>>(), ...);
    using List = std::conditional_t<(detail::kIsAnywhere<std::remove_reference_t<C>> && ...), AnyOutputs, Outputs>;
    if constexpr (((detail::DeviceContainer<std::remove_reference_t<C>> ||
                    detail::Described<std::remove_reference_t<C>>)&&...))
      return detail::ListMaker::make<List>(containers...);
    else return detail::ListMaker::make<List>();
  }
}

}  // namespace graft
