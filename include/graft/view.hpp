// Views: arrays of any shape as arguments of Transform::execute. A view owns no memory, and no data moves.
//
//     graft::view(p, {rows, columns})                       row-major and dense
//     graft::view(p, {rows, columns}, {pitch, 1})           with strides, in elements
//     graft::view(p, {rows, columns}, {1, rows})            column-major
//     graft::view(p)                                        one element, which all elements of the call share
//     graft::view(span)                                     std::mdspan and what has its members
//     t.execute(stream, graft::inputs(graft::view(a, {m, n}), graft::view(row, {n})), graft::view(out, {m, n}));
//
// Shapes align at the right, as in NumPy: an input repeats along a dimension that it lacks, and along one in which it
// has the extent 1. An array that is no view is a view of one dimension. An output repeats never, so its shape is the
// shape of the call. graft::Index is the row-major index of an element in that shape, whatever the strides are.
//
// The pointer is that of the element (0, 0, ...). A stride may be negative, and the elements then lie in front of the
// pointer; one of 0 repeats an input. A call may have up to 64 dimensions, of which at most 8 may be left when those
// that lie in memory like one are merged.
//
// graft/dlpack_view.hpp makes views of DLPack's tensors.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <type_traits>

#include <graft/contiguous.hpp>
#include <graft/export.hpp>

namespace graft {

inline constexpr std::size_t kMaxRank = 8;  // of a View; an ArrayRef may have more dimensions

// An array of `rank` dimensions of elements T, which are const if the array can only be an input. graft::view makes it:
// strides that are left out here are 0, so that all elements of an input are the first one.
template <class T>
struct View {
  T* pointer = nullptr;
  std::uint32_t rank = 0;
  std::array<std::int64_t, kMaxRank> shape = {};
  std::array<std::int64_t, kMaxRank> strides = {};  // in elements
};

namespace detail {

// An extent or stride in a braced list, from an integer of any type.
struct Extent {
  std::int64_t value = 0;
  template <std::integral I>
  constexpr Extent(I given) noexcept : value(static_cast<std::int64_t>(given)) {}
};

// Throws Error(InvalidArgument): a view of more than kMaxRank dimensions, or with another number of strides.
[[noreturn]] GRAFT_API void refuse_view(std::size_t rank, std::size_t strides);

// std::mdspan, cuda::std::mdspan, Kokkos::mdspan, and what else has these members.
template <class M>
concept MdspanLike = requires(const M& m) {
  { M::rank() } -> std::convertible_to<std::size_t>;
  { m.extent(0) } -> std::convertible_to<std::int64_t>;
  { m.stride(0) } -> std::convertible_to<std::int64_t>;
  m.data_handle();
};

template <class C>
inline constexpr bool kIsView = false;
template <class T>
inline constexpr bool kIsView<View<T>> = true;

// Makes a view of the extents and strides that the two functions return.
template <class T, class ExtentOf, class StrideOf>
View<T> make_view(T* pointer, std::size_t rank, ExtentOf extent_of, StrideOf stride_of) {
  View<T> view{pointer, static_cast<std::uint32_t>(rank), {}, {}};
  for (std::size_t d = rank; d-- > 0;) {
    view.shape[d] = extent_of(d);
    view.strides[d] = stride_of(view, d);
  }
  return view;
}

// The stride of dimension d of a dense array. Extents that make it overflow are refused by execute.
template <class T>
std::int64_t dense_stride(const View<T>& view, std::size_t d) {
  if (d + 1 >= view.rank) return 1;
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(view.strides[d + 1]) *
                                   static_cast<std::uint64_t>(view.shape[d + 1] > 1 ? view.shape[d + 1] : 1));
}

}  // namespace detail

// A view of one element: a scalar in memory, without dimensions.
template <detail::AnyPointer P>
auto view(const P& pointer) {
  return View<std::remove_pointer_t<decltype(detail::raw_pointer(pointer))>>{detail::raw_pointer(pointer), 0, {}, {}};
}

// A row-major, dense view. Throws Error(InvalidArgument) for more than kMaxRank dimensions.
template <detail::AnyPointer P>
auto view(const P& pointer, std::span<const std::int64_t> shape) {
  if (shape.size() > kMaxRank) detail::refuse_view(shape.size(), shape.size());
  return detail::make_view(
      detail::raw_pointer(pointer), shape.size(), [&](std::size_t d) { return shape[d]; },
      [](const auto& view, std::size_t d) { return detail::dense_stride(view, d); });
}
template <detail::AnyPointer P>
auto view(const P& pointer, std::initializer_list<detail::Extent> shape) {
  if (shape.size() > kMaxRank) detail::refuse_view(shape.size(), shape.size());
  return detail::make_view(
      detail::raw_pointer(pointer), shape.size(), [&](std::size_t d) { return shape.begin()[d].value; },
      [](const auto& view, std::size_t d) { return detail::dense_stride(view, d); });
}

// A view with strides in elements. Throws Error(InvalidArgument) for more than kMaxRank dimensions, or if there are not
// as many strides as extents.
template <detail::AnyPointer P>
auto view(const P& pointer, std::span<const std::int64_t> shape, std::span<const std::int64_t> strides) {
  if (shape.size() > kMaxRank || shape.size() != strides.size()) detail::refuse_view(shape.size(), strides.size());
  return detail::make_view(
      detail::raw_pointer(pointer), shape.size(), [&](std::size_t d) { return shape[d]; },
      [&](const auto&, std::size_t d) { return strides[d]; });
}
template <detail::AnyPointer P>
auto view(const P& pointer, std::initializer_list<detail::Extent> shape,
          std::initializer_list<detail::Extent> strides) {
  if (shape.size() > kMaxRank || shape.size() != strides.size()) detail::refuse_view(shape.size(), strides.size());
  return detail::make_view(
      detail::raw_pointer(pointer), shape.size(), [&](std::size_t d) { return shape.begin()[d].value; },
      [&](const auto&, std::size_t d) { return strides.begin()[d].value; });
}

// A view of an mdspan, or of a type with its members.
template <detail::MdspanLike M>
auto view(const M& span) {
  static_assert(M::rank() <= kMaxRank, "graft: a view has at most 8 dimensions");
  if constexpr (requires {
                  typename M::accessor_type;
                  typename M::reference;
                  typename M::element_type;
                })
    static_assert(std::is_same_v<typename M::reference, typename M::element_type&>,
                  "graft: this mdspan's accessor changes its elements, and a kernel reads the elements in memory");
  return detail::make_view(
      detail::raw_pointer(span.data_handle()), M::rank(),
      [&](std::size_t d) { return static_cast<std::int64_t>(span.extent(d)); },
      [&](const auto&, std::size_t d) { return static_cast<std::int64_t>(span.stride(d)); });
}

// The same elements with the dimensions in another order: permuted(v, 1, 0) is the transpose of two dimensions. The
// numbers are those of the old dimensions, each once.
template <class T, std::integral... D>
View<T> permuted(const View<T>& given, D... from) {
  View<T> view = given;
  const std::array<std::size_t, sizeof...(D)> order = {static_cast<std::size_t>(from)...};
  bool is_taken[kMaxRank] = {};
  if (order.size() != given.rank || given.rank > kMaxRank) detail::refuse_view(given.rank, order.size());
  for (std::size_t d = 0; d < order.size(); ++d) {
    if (order[d] >= given.rank || is_taken[order[d]]) detail::refuse_view(given.rank, order.size());
    is_taken[order[d]] = true;
    view.shape[d] = given.shape[order[d]];
    view.strides[d] = given.strides[order[d]];
  }
  return view;
}

}  // namespace graft
