// How execute takes arrays: device memory by default, host memory only after graft::host.
//
//     t.execute(stream, in, out);                                  thrust::device_vector, any device container
//     t.execute(stream, std::span(p, n), std::span(q, n));         spans over device memory
//     t.execute(stream, {p, n}, {q, n});                           pointer and count, in elements
//     t.execute(stream, graft::inputs(x, y), graft::outputs(u, v), state);
//     t.execute(stream, graft::inputs(), out);                     a callback without inputs
//
// Where the element types are known only at run time, arrays go as ArrayRef, inputs and outputs alike:
//
//     t.execute(stream, in, out);                                  std::vector<graft::ArrayRef>, spans, C arrays
//     t.execute(stream, {x, y}, {z}, state);                       graft::ArrayRef x, y, z; {} for no inputs
//
// The elements of an array lie side by side: contiguous.hpp says of which types that is known. A class of your own
// needs data(), size(), begin() and end() with plain pointers. Anything else goes as {pointer, count}, or as
// std::span(pointer, count) among several.
//
// Containers known to own host memory (std::vector, std::array, std::string, thrust::host_vector, Eigen) do not
// compile; graft::device(x) takes them all the same, for managed or pinned memory.
#pragma once

#include <concepts>
#include <cstddef>
#include <initializer_list>
#include <new>
#include <span>
#include <type_traits>
#include <utility>

#include <graft/contiguous.hpp>
#include <graft/element.hpp>

namespace graft {

// One array as the launch sees it: where it is, how many elements it has, and what one of them is. A value; it owns
// nothing.
//
//     graft::ArrayRef x(pointer, count, graft::ElementType::named("f32"));
struct ArrayRef {
  void* pointer = nullptr;
  std::size_t count = 0;  // elements
  ElementType type = {};

  constexpr ArrayRef() noexcept = default;
  // Of an input the elements may be const. An output is written, whatever pointer it was made of.
  constexpr ArrayRef(const void* first, std::size_t elements, ElementType element) noexcept
      : pointer(const_cast<void*>(first)), count(elements), type(element) {}
};

class ArrayRefs;

namespace detail {

// ArrayRef, and contiguous ranges of them.
template <class C>
inline constexpr bool are_refs = std::is_constructible_v<std::span<const ArrayRef>, const C&>;
template <class C>
concept Untyped =
    std::same_as<std::remove_cv_t<C>, ArrayRef> || std::same_as<std::remove_cv_t<C>, ArrayRefs> || are_refs<C>;

}  // namespace detail

// How execute takes several ArrayRef: a vector, span or C array of them, a braced list, or one by itself. Refers to
// them, so it is for the arguments of a call.
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

// An array said to be accessible from the device, whatever container it came from.
template <class T>
struct DeviceArray {
  T* pointer;
  std::size_t count;
  T* data() const noexcept { return pointer; }
  std::size_t size() const noexcept { return count; }
  T* begin() const noexcept { return pointer; }
  T* end() const noexcept { return pointer + count; }
};

// Selects the overloads of execute that run a `host` transform on host memory.
struct HostTag {};
inline constexpr HostTag host{};

namespace detail {

// Up to `Limit` arrays of C++ types. Only the first size() are ever written, so making one costs what it holds.
template <std::size_t Limit>
class Arrays {
 public:
  std::size_t size() const noexcept { return size_; }
  ArrayRefs refs() const noexcept { return ArrayRefs(arrays_, size_); }

 protected:
  Arrays() noexcept {}

  template <class T>
  void add(T* pointer, std::size_t count) noexcept;
  template <class T>
  void add_output(T* pointer, std::size_t count) noexcept {
    static_assert(!std::is_const_v<T>, "graft: an output array must not be const");
    add(pointer, count);
  }

 private:
  union {  // nothing is written here before it is added
    ArrayRef arrays_[Limit];
  };
  std::size_t size_ = 0;
};

template <std::size_t Limit>
void any_list(const Arrays<Limit>&);

// Inputs, Outputs, HostInputs and HostOutputs.
template <class C>
concept ArrayList = requires(const C& c) {
  any_list(c);
};

// As elements these are mistakes: the arrays themselves were meant. A struct of a pointer and a count stays an element.
template <class T>
inline constexpr bool kIsArray = std::is_same_v<T, ArrayRefs> || ArrayList<T> || IsSpan<T>::value;
template <class T>
inline constexpr bool kIsArray<DeviceArray<T>> = true;

// Where arrays of C++ types are taken.
template <class C>
constexpr void require_typed() {
  static_assert(!Untyped<C>,
                "graft: ArrayRefs go to execute themselves, inputs and outputs alike: execute(stream, {x, y}, {z}), "
                "and {} for no inputs; they do not mix with arrays of C++ types");
}

template <std::size_t Limit>
template <class T>
void Arrays<Limit>::add(T* pointer, std::size_t count) noexcept {
  using Element = std::remove_cv_t<T>;
  static_assert(!std::is_void_v<T>,
                "graft: an array needs an element type; a void pointer has none (with graft::ArrayRef it is a value)");
  static_assert(!kIsArray<Element>,
                "graft: an array of arrays is no array of elements; give each of them to graft::inputs, "
                "graft::outputs, graft::host_inputs or graft::host_outputs");
  require_typed<Element>();
  if constexpr (!std::is_void_v<T> && !kIsArray<Element> && !Untyped<Element>)
    ::new (static_cast<void*>(arrays_ + size_++)) ArrayRef(const_cast<Element*>(pointer), count, element_type<T>());
}

template <class C>
concept TypedDeviceContainer = DeviceContainer<C> && !Untyped<C>;
template <class C>
concept TypedHostContainer = HostContainer<C> && !Untyped<C>;
template <class C>
concept TypedHostArray = HostArray<C> && !Untyped<C>;

// What is no array and looks like one: it is refused in graft's own words. All else matches no overload.
template <class C>
concept Lookalike = ArrayList<C> || Sized<C> || HasStrides<C> || EigenLike<C>;

template <class C, class Self>
concept DeviceLookalike = Lookalike<C> && !HostContainer<C> && !DeviceContainer<C> && !Untyped<C> &&
                          !std::is_same_v<std::remove_const_t<C>, Self>;
template <class C, class Self>
concept HostLookalike = Lookalike<C> && !HostArray<C> && !Untyped<C> && !std::is_same_v<std::remove_const_t<C>, Self>;

// `kIsTaken`: whether C is taken, or refused in other words.
template <class C, bool kIsTaken>
constexpr void require_contiguous() {
  static_assert(kIsTaken,
                "graft: this is no contiguous range of elements; give {pointer, count}, or among several arrays "
                "std::span(pointer, count), for elements that lie side by side; of an Eigen expression x.eval()");
}

// Host containers, which graft::device takes, and ArrayRefs have words of their own.
template <class C>
constexpr void require_device_array() {
  require_contiguous<C, ArrayList<C> || Untyped<C> || HostContainer<C> || DeviceContainer<C>>();
}

template <class C>
constexpr void require_host_array() {
  static_assert(
      !FancyData<C> || HostArray<C>,
      "graft: this container has device pointers; where the host can reach their memory, give {raw pointer, count}");
  require_contiguous<C, ArrayList<C> || Untyped<C> || HostArray<C> || FancyData<C>>();
}

}  // namespace detail

// Takes a host container whose memory the device can reach all the same (managed, pinned, or on a system with one
// address space). The caller vouches for it. Throws Error(InvalidArgument) for an Eigen expression with gaps between
// its elements.
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

inline constexpr std::size_t kMaxInputs = 8;
inline constexpr std::size_t kMaxOutputs = 4;

// Input arrays in device memory, made implicitly from one array or by graft::inputs from several.
class Inputs : public detail::Arrays<kMaxInputs> {
 public:
  template <class C>
  requires detail::TypedDeviceContainer<const C> Inputs(const C& container)
  noexcept { add(detail::data_of(container), detail::size_of(container)); }
  template <class C>
  requires detail::DeviceLookalike<const C, Inputs> Inputs(const C&)
  noexcept {
    static_assert(!detail::ArrayList<C>, "graft: use graft::inputs(...) for the inputs in device memory");
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

  template <class... C>
  friend Inputs inputs(const C&... containers) noexcept;

 private:
  Inputs() noexcept = default;
};

// Output arrays in device memory.
class Outputs : public detail::Arrays<kMaxOutputs> {
 public:
  template <class C>
  requires detail::TypedDeviceContainer<std::remove_reference_t<C>> Outputs(C&& container)
  noexcept { add_output(detail::data_of(container), detail::size_of(container)); }
  template <class C>
  requires detail::DeviceLookalike<std::remove_reference_t<C>, Outputs> Outputs(C&&)
  noexcept {
    using Given = std::remove_reference_t<C>;
    static_assert(!detail::ArrayList<Given>, "graft: use graft::outputs(...) for the outputs in device memory");
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

  template <class... C>
  friend Outputs outputs(C&&... containers) noexcept;

 private:
  Outputs() noexcept = default;
};

// Several input arrays, in the order of the callback's parameters: 0 to 8 device containers or spans.
template <class... C>
Inputs inputs(const C&... containers) noexcept {
  static_assert(sizeof...(C) <= kMaxInputs, "graft: a callback has at most 8 inputs");
  static_assert((!detail::ArrayList<C> && ...), "graft: graft::inputs takes the arrays themselves");
  (detail::require_typed<C>(), ...);
  static_assert((!detail::TypedHostContainer<const C> && ...),
                "graft: inputs are device arrays; host containers need graft::device(x)");
  (detail::require_device_array<const C>(), ...);
  Inputs all;
  if constexpr ((detail::DeviceContainer<const C> && ...))
    (all.add(detail::data_of(containers), detail::size_of(containers)), ...);
  return all;
}

// Several output arrays: the return value's first, then one for each `T&`, in order. 1 to 4.
template <class... C>
Outputs outputs(C&&... containers) noexcept {
  static_assert(sizeof...(C) <= kMaxOutputs, "graft: a callback has at most 4 outputs");
  static_assert((!detail::ArrayList<std::remove_reference_t<C>> && ...),
                "graft: graft::outputs takes the arrays themselves");
  (detail::require_typed<std::remove_reference_t<C>>(), ...);
  static_assert((!detail::TypedHostContainer<std::remove_reference_t<C>> && ...),
                "graft: outputs are device arrays; host containers need graft::device(x)");
  (detail::require_device_array<std::remove_reference_t<C>>(), ...);
  Outputs all;
  if constexpr ((detail::DeviceContainer<std::remove_reference_t<C>> && ...))
    (all.add_output(detail::data_of(containers), detail::size_of(containers)), ...);
  return all;
}

// The same for host memory: what execute(graft::host, ...) takes. Throws Error(InvalidArgument) for an Eigen expression
// with gaps between its elements; other arrays never throw.
class HostInputs : public detail::Arrays<kMaxInputs> {
 public:
  template <class C>
  requires detail::TypedHostArray<const C> HostInputs(const C& container)
  noexcept(detail::kNeverStrided<const C>) { add_array(container); }
  template <class C>
  requires detail::HostLookalike<const C, HostInputs> HostInputs(const C&)
  noexcept {
    static_assert(!detail::ArrayList<C>,
                  "graft: use graft::host_inputs(...) for the inputs of execute(graft::host, ...)");
    detail::require_host_array<const C>();
  }
  template <detail::Untyped C>
  HostInputs(const C&) noexcept {
    detail::require_typed<C>();
  }
  template <class T>
  HostInputs(T* pointer, std::size_t count) noexcept {
    add(pointer, count);
  }
  template <class... C>
  friend HostInputs host_inputs(const C&... containers) noexcept(detail::kNeverStrided<const C...>);

 private:
  HostInputs() noexcept = default;
  template <class C>
  void add_array(C& array) noexcept(detail::kNeverStrided<C>) {
    detail::require_no_gaps<C>(array, detail::ArrayRole::Input, size());
    add(detail::data_of(array), detail::size_of(array));
  }
};

class HostOutputs : public detail::Arrays<kMaxOutputs> {
 public:
  template <class C>
  requires detail::TypedHostArray<std::remove_reference_t<C>> HostOutputs(C&& container)
  noexcept(detail::kNeverStrided<std::remove_reference_t<C>>) { add_array(container); }
  template <class C>
  requires detail::HostLookalike<std::remove_reference_t<C>, HostOutputs> HostOutputs(C&&)
  noexcept {
    using Given = std::remove_reference_t<C>;
    static_assert(!detail::ArrayList<Given>,
                  "graft: use graft::host_outputs(...) for the outputs of execute(graft::host, ...)");
    detail::require_host_array<Given>();
  }
  template <detail::Untyped C>
  HostOutputs(const C&) noexcept {
    detail::require_typed<C>();
  }
  template <class T>
  HostOutputs(T* pointer, std::size_t count) noexcept {
    add_output(pointer, count);
  }
  template <class... C>
  friend HostOutputs host_outputs(C&&... containers) noexcept(detail::kNeverStrided<std::remove_reference_t<C>...>);

 private:
  HostOutputs() noexcept = default;
  template <class C>
  void add_array(C& array) noexcept(detail::kNeverStrided<C>) {
    detail::require_no_gaps<C>(array, detail::ArrayRole::Output, size());
    add_output(detail::data_of(array), detail::size_of(array));
  }
};

template <class... C>
HostInputs host_inputs(const C&... containers) noexcept(detail::kNeverStrided<const C...>) {
  static_assert(sizeof...(C) <= kMaxInputs, "graft: a callback has at most 8 inputs");
  static_assert((!detail::ArrayList<C> && ...), "graft: graft::host_inputs takes the arrays themselves");
  (detail::require_typed<C>(), ...);
  (detail::require_host_array<const C>(), ...);
  HostInputs all;
  if constexpr ((detail::HostArray<const C> && ...)) (all.add_array(containers), ...);
  return all;
}

template <class... C>
HostOutputs host_outputs(C&&... containers) noexcept(detail::kNeverStrided<std::remove_reference_t<C>...>) {
  static_assert(sizeof...(C) <= kMaxOutputs, "graft: a callback has at most 4 outputs");
  static_assert((!detail::ArrayList<std::remove_reference_t<C>> && ...),
                "graft: graft::host_outputs takes the arrays themselves");
  (detail::require_typed<std::remove_reference_t<C>>(), ...);
  (detail::require_host_array<std::remove_reference_t<C>>(), ...);
  HostOutputs all;
  if constexpr ((detail::HostArray<std::remove_reference_t<C>> && ...)) (all.add_array(containers), ...);
  return all;
}

}  // namespace graft
