// How execute takes arrays: device memory by default, host memory only after graft::host.
//
//     t.execute(stream, in, out);                                  thrust::device_vector, any device container
//     t.execute(stream, std::span(p, n), std::span(q, n));         spans over device memory
//     t.execute(stream, {p, n}, {q, n});                           pointer and count, in elements
//     t.execute(stream, graft::inputs(x, y), graft::outputs(u, v), state);
//     t.execute(stream, graft::inputs(), out);                     a callback without inputs
//
// Containers known to own host memory (std::vector, std::array, std::string, thrust::host_vector, Eigen) do not
// compile; graft::device(x) takes them all the same, for managed or pinned memory.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>

#include <graft/element.hpp>

namespace graft {

// One array as the launch sees it: where it is, how many elements it has and what one of them is.
struct Array {
  void* pointer;
  std::size_t count;
  ElementType type;
};

// An array said to be accessible from the device, whatever container it came from.
template <class T>
struct DeviceArray {
  T* pointer;
  std::size_t count;
  T* data() const noexcept { return pointer; }
  std::size_t size() const noexcept { return count; }
};

// Takes a host container whose memory the device can reach all the same (managed, pinned, or on a system with one
// address space). The caller vouches for it.
template <class Container>
auto device(Container&& container) {
  return DeviceArray<std::remove_pointer_t<decltype(std::data(container))>>{
      std::data(container), static_cast<std::size_t>(std::size(container))};
}

// Selects the overloads of execute that run a `host` transform on host memory.
struct HostTag {};
inline constexpr HostTag host{};

namespace detail {

template <class P>
concept FancyPointer = std::is_class_v<P> && requires(const P& p) {
  { p.get() } -> std::convertible_to<const volatile void*>;
};

template <class C>
concept Sized = requires(C& c) {
  c.data();
  { c.size() } -> std::convertible_to<std::size_t>;
};

template <class T>
struct IsSpan : std::false_type {};
template <class T, std::size_t N>
struct IsSpan<std::span<T, N>> : std::true_type {};

template <class C>
concept EigenLike = requires {
  typename C::Scalar;
  C::RowsAtCompileTime;
};

template <class C>
concept RawData = Sized<C> && std::is_pointer_v<decltype(std::declval<C&>().data())>;

// Containers that own host memory, recognised by what they are made of, so that no header of theirs is needed:
// an allocator behind a raw pointer (std::vector, std::string, thrust::host_vector), a tuple (std::array), Eigen.
template <class C>
concept HostContainer = RawData<C> && !IsSpan<C>::value &&
                        (
                            requires { typename C::allocator_type; } || requires { std::tuple_size<C>::value; } ||
                            EigenLike<C> || requires { C::npos; });

template <class C>
concept DeviceContainer =
    Sized<C> && !HostContainer<C> && (RawData<C> || FancyPointer<decltype(std::declval<C&>().data())>);

template <class P>
auto* raw_pointer(const P& pointer) noexcept {
  if constexpr (FancyPointer<P>) return pointer.get();
  else return pointer;
}

template <class T>
Array array_of(T* pointer, std::size_t count) noexcept {
  static_assert(!std::is_void_v<T>, "graft: an array needs an element type; a void pointer has none");
  return {const_cast<std::remove_cv_t<T>*>(pointer), count, element_type<T>()};
}

// Up to `Limit` arrays. Only the first size() are ever written, so making one costs what it holds.
template <std::size_t Limit>
class Arrays {
 public:
  std::size_t size() const noexcept { return size_; }
  const Array* data() const noexcept { return arrays_; }

 protected:
  Arrays() noexcept {}
  template <class P>
  void add(const P& pointer, std::size_t count) noexcept {
    arrays_[size_++] = array_of(raw_pointer(pointer), count);
  }
  Array arrays_[Limit];
  std::size_t size_ = 0;
};

template <class P>
concept AnyPointer = std::is_pointer_v<P> || FancyPointer<P>;

template <class P>
using ElementOf = std::remove_pointer_t<decltype(raw_pointer(std::declval<const P&>()))>;

}  // namespace detail

inline constexpr std::size_t kMaxInputs = 8;
inline constexpr std::size_t kMaxOutputs = 4;

// Input arrays in device memory, made implicitly from one array or by graft::inputs from several.
class Inputs : public detail::Arrays<kMaxInputs> {
 public:
  template <class C>
  requires detail::DeviceContainer<const std::remove_reference_t<C>> Inputs(const C& container)
  noexcept { add(container.data(), container.size()); }
  template <detail::AnyPointer P>
  Inputs(const P& pointer, std::size_t count) noexcept {
    add(pointer, count);
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
  requires detail::DeviceContainer<std::remove_reference_t<C>> Outputs(C&& container)
  noexcept { add_output(container.data(), container.size()); }
  template <detail::AnyPointer P>
  Outputs(const P& pointer, std::size_t count) noexcept {
    add_output(pointer, count);
  }

  template <class... C>
  friend Outputs outputs(C&&... containers) noexcept;

 private:
  Outputs() noexcept = default;
  template <class P>
  void add_output(const P& pointer, std::size_t count) noexcept {
    static_assert(!std::is_const_v<detail::ElementOf<P>>, "graft: an output array must not be const");
    add(pointer, count);
  }
};

// Several input arrays, in the order of the callback's parameters: 0 to 8 device containers or spans.
template <class... C>
Inputs inputs(const C&... containers) noexcept {
  static_assert(sizeof...(C) <= kMaxInputs, "graft: a callback has at most 8 inputs");
  static_assert((detail::DeviceContainer<const C> && ...),
                "graft: inputs are device arrays; host containers need graft::device(x)");
  Inputs all;
  (all.add(containers.data(), containers.size()), ...);
  return all;
}

// Several output arrays: the return value's first, then one for each `T&`, in order. 1 to 4.
template <class... C>
Outputs outputs(C&&... containers) noexcept {
  static_assert(sizeof...(C) <= kMaxOutputs, "graft: a callback has at most 4 outputs");
  static_assert((detail::DeviceContainer<std::remove_reference_t<C>> && ...),
                "graft: outputs are device arrays; host containers need graft::device(x)");
  Outputs all;
  (all.add_output(containers.data(), containers.size()), ...);
  return all;
}

// The same for host memory: what execute(graft::host, ...) takes. Any contiguous container or span.
class HostInputs : public detail::Arrays<kMaxInputs> {
 public:
  template <detail::RawData C>
  HostInputs(const C& container) noexcept {
    add(container.data(), static_cast<std::size_t>(container.size()));
  }
  template <class T>
  HostInputs(T* pointer, std::size_t count) noexcept {
    add(pointer, count);
  }
  template <class... C>
  friend HostInputs host_inputs(const C&... containers) noexcept;

 private:
  HostInputs() noexcept = default;
};

class HostOutputs : public detail::Arrays<kMaxOutputs> {
 public:
  template <class C>
  requires detail::RawData<std::remove_reference_t<C>> HostOutputs(C&& container)
  noexcept { add_output(container.data(), static_cast<std::size_t>(container.size())); }
  template <class T>
  HostOutputs(T* pointer, std::size_t count) noexcept {
    add_output(pointer, count);
  }
  template <class... C>
  friend HostOutputs host_outputs(C&&... containers) noexcept;

 private:
  HostOutputs() noexcept = default;
  template <class T>
  void add_output(T* pointer, std::size_t count) noexcept {
    static_assert(!std::is_const_v<T>, "graft: an output array must not be const");
    add(pointer, count);
  }
};

template <class... C>
HostInputs host_inputs(const C&... containers) noexcept {
  static_assert(sizeof...(C) <= kMaxInputs, "graft: a callback has at most 8 inputs");
  HostInputs all;
  (all.add(containers.data(), static_cast<std::size_t>(containers.size())), ...);
  return all;
}

template <class... C>
HostOutputs host_outputs(C&&... containers) noexcept {
  static_assert(sizeof...(C) <= kMaxOutputs, "graft: a callback has at most 4 outputs");
  HostOutputs all;
  (all.add_output(containers.data(), static_cast<std::size_t>(containers.size())), ...);
  return all;
}

}  // namespace graft
