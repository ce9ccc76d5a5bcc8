// The types that graft accepts as arrays. A kernel reads element i at pointer + i, so the elements must be contiguous:
//
// - Contiguous ranges as in C++20 (std::ranges::contiguous_range): std::vector, std::span, C arrays, and every class
//   whose begin() and end() return pointers.
// - Containers with an allocator, data() and size(): thrust::host_vector, whose iterators are not declared contiguous.
// - Containers whose data() returns a class that wraps a device pointer: thrust::device_vector.
// - Eigen matrices, arrays and expressions with data(), after a check that their strides leave no gaps.
//
// data() and size() alone do not make a type contiguous, because strided views have them too (Kokkos::View).
#pragma once

#include <concepts>
#include <cstddef>
#include <iterator>
#include <span>
#include <tuple>
#include <type_traits>
#include <utility>

#include <graft/cpp20.hpp>
#include <graft/export.hpp>

namespace graft::detail {

// A class that wraps a pointer, such as thrust::device_ptr.
template <class P>
concept FancyPointer = std::is_class_v<P> && requires(const P& p) {
  { p.get() } -> std::convertible_to<const volatile void*>;
};

template <class P>
concept AnyPointer = std::is_pointer_v<P> || FancyPointer<P>;

template <class C>
concept Sized = requires(C& c) {
  c.data();
  { c.size() } -> std::convertible_to<std::size_t>;
};

template <class C>
using DataOf = decltype(std::declval<C&>().data());

template <class C>
concept RawData = Sized<C> && std::is_pointer_v<DataOf<C>>;

template <class C>
concept FancyData = Sized<C> && FancyPointer<DataOf<C>>;

// Accepts the types of std::ranges::contiguous_range. The test uses std::span, because including <ranges> adds 0.2 s to
// a program's compile time.
template <class C>
concept ContiguousRange = requires(C& c) {
  std::span(c);
};

template <class C>
concept EigenLike = requires {
  typename C::Scalar;
  C::RowsAtCompileTime;
};

// Eigen's dense types whose elements are stored in memory, as opposed to lazy expressions.
template <class C>
concept EigenArray = EigenLike<C> && RawData<C> && requires(const C& c) {
  c.innerStride();
  c.outerStride();
  c.innerSize();
  c.outerSize();
  C::InnerSizeAtCompileTime;
  C::InnerStrideAtCompileTime;
  C::OuterStrideAtCompileTime;
  typename C::PlainObject;
};

// Accepts types with members that describe strides: Kokkos::View, mdspan, tensors. Such an array may have gaps between
// its elements. Eigen's types are excluded because require_no_gaps checks their strides.
// clang-format off
template <class C>
concept HasStrides = !EigenArray<C> &&
    (requires(C& c) { c.stride(0); } || requires(C& c) { c.stride(); } || requires(C& c) { c.stride + 0; } ||
     requires(C& c) { c.strides(); } || requires(C& c) { c.extents(); } ||
     requires(C& c) { c.is_contiguous(); } || requires(C& c) { c.span_is_contiguous(); });
// clang-format on

template <class C>
concept HasAllocator = requires {
  typename C::allocator_type;
};

template <class C>
concept Owner = HasAllocator<C> && RawData<C> && !HasStrides<C>;

// The types that execute(graft::host, ...) accepts as arrays. For Eigen types, require_no_gaps also checks the strides.
template <class C>
concept HostArray = EigenArray<C> || ContiguousRange<C> || Owner<C>;

template <class T>
struct IsSpan : std::false_type {};
template <class T, std::size_t N>
struct IsSpan<std::span<T, N>> : std::true_type {};

template <class C>
concept HasTupleSize = requires {
  std::tuple_size<C>::value;
};

template <class C>
concept HasNpos = requires {
  C::npos;
};

// Containers that own host memory. graft recognises these containers by their members, so it needs no header of their
// libraries: an allocator and a raw pointer (std::vector, std::string, thrust::host_vector), a tuple size (std::array),
// npos (std::string_view), C arrays, Eigen types.
template <class C>
concept HostContainer = std::is_array_v<C> ||
    (RawData<C> && !IsSpan<C>::value && (HasAllocator<C> || HasTupleSize<C> || EigenLike<C> || HasNpos<C>));

// The types that execute accepts as arrays in device memory.
template <class C>
concept DeviceContainer = !HostContainer<C> && ((RawData<C> && ContiguousRange<C>) || (FancyData<C> && !HasStrides<C>));

template <class P>
auto* raw_pointer(const P& pointer) noexcept {
  if constexpr (FancyPointer<P>) return pointer.get();
  else return pointer;
}

template <class C>
auto* data_of(C& array) noexcept {
  if constexpr (!EigenArray<C> && ContiguousRange<C>) return std::span(array).data();
  else return raw_pointer(array.data());
}

template <class C>
std::size_t size_of(C& array) noexcept {
  if constexpr (!EigenArray<C> && ContiguousRange<C>) return std::span(array).size();
  else return static_cast<std::size_t>(array.size());
}

// ---- Eigen's strides ----

// Whether an array has gaps between its elements. Unknown: the strides must be checked at run time.
enum class Gaps { None, Unknown, Certain };

// Says what the type of an Eigen array shows at compile time about gaps between the array's elements. Eigen stores an
// array as inner vectors (the columns, or the rows of a row-major array): each has inner_size elements, inner_stride
// apart, and the first elements of two neighbouring inner vectors are outer_stride apart. A negative number marks a
// size or stride that is known only at run time.
template <class C>
constexpr Gaps eigen_gaps() {
  constexpr int size = static_cast<int>(C::SizeAtCompileTime);
  constexpr int inner_size = static_cast<int>(C::InnerSizeAtCompileTime);
  constexpr int inner_stride = static_cast<int>(C::InnerStrideAtCompileTime);
  constexpr int outer_stride = static_cast<int>(C::OuterStrideAtCompileTime);
  constexpr bool is_plain = std::is_same_v<std::remove_const_t<C>, typename C::PlainObject>;
  constexpr bool one_inside = inner_size == 0 || inner_size == 1;
  constexpr bool one_outside = bool(C::IsVectorAtCompileTime) || (inner_size > 0 && inner_size == size);
  if (is_plain || size == 0 || size == 1) return Gaps::None;
  if (!one_inside && inner_stride >= 0 && inner_stride != 1) return Gaps::Certain;
  const bool outer_is_known = inner_size >= 0 && outer_stride >= 0;
  if (!one_outside && outer_is_known && outer_stride != inner_size) return Gaps::Certain;
  const bool inner_is_known = one_inside || inner_stride >= 0;
  return inner_is_known && (one_outside || outer_is_known) ? Gaps::None : Gaps::Unknown;
}

template <class C>
constexpr Gaps gaps() {
  if constexpr (EigenArray<C>) return eigen_gaps<C>();
  else return Gaps::None;
}

// True if none of these types needs a check of its strides at run time. Passing arrays of these types then never
// throws.
template <class... C>
inline constexpr bool kNeverStrided = ((gaps<C>() == Gaps::None) && ...);

struct Strides {
  std::ptrdiff_t rows;
  std::ptrdiff_t columns;
  std::ptrdiff_t inner;
  std::ptrdiff_t outer;
  bool is_row_major;
};

enum class ArrayRole { Input, Output, Device };

// Always throws Error(InvalidArgument). The message says which array has gaps between its elements: `role` and, for
// an input or output, its index `number`, counted from 0.
[[noreturn]] GRAFT_API void refuse_strides(ArrayRole role, std::size_t number, const Strides& strides);

// Throws Error(InvalidArgument) when an array has gaps between its elements. Does not compile when the array's type
// alone shows that it has gaps.
template <class C>
void require_no_gaps(const C& array, ArrayRole role, std::size_t number) noexcept(kNeverStrided<C>) {
  static_assert(gaps<C>() != Gaps::Certain,
                "graft: this array has gaps between its elements (strides); pass x.eval(), or copy it into a matrix");
  if constexpr (gaps<C>() == Gaps::Unknown) {
    const bool inner_is_dense = array.innerStride() == 1 || array.innerSize() <= 1;
    const bool outer_is_dense = array.outerStride() == array.innerSize() || array.outerSize() <= 1;
    if (array.size() > 1 && !(inner_is_dense && outer_is_dense)) [[unlikely]]
      refuse_strides(role, number,
                     {array.rows(), array.cols(), array.innerStride(), array.outerStride(), bool(C::IsRowMajor)});
  }
}

}  // namespace graft::detail
