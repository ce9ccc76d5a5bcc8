// What graft/view.hpp, graft/dlpack_view.hpp and graft/call_shapes.hpp need besides types.
#include <cstdint>
#include <limits>
#include <vector>

#include "base/format.hpp"
#include "core/fail.hpp"
#include "graft/arrays.hpp"
#include "graft/call_shapes.hpp"
#include "graft/dlpack_view.hpp"
#include "graft/error.hpp"

namespace graft {
namespace {

// Stands for the extents of an array without dimensions.
constexpr std::int64_t kNoExtents[1] = {};

// Returns the product of the extents, or 0 if one is negative or no 64-bit number is so large.
std::size_t count_of(std::span<const std::int64_t> extents) {
  std::int64_t count = 1;
  for (const std::int64_t extent : extents)
    if (extent < 0 || __builtin_mul_overflow(count, extent, &count)) return 0;
  return static_cast<std::size_t>(count);
}

std::vector<CallShapes::Array> shapes_of(std::span<const ArrayRef> arrays) {
  std::vector<CallShapes::Array> shapes;
  for (const ArrayRef& array : arrays) {
    if (array.rank > ArrayRef::kMostDimensions)
      refuse("an array of an example of shapes has more than 64 dimensions, or no extents",
             "Give its extents, at most 64.");
    CallShapes::Array& shape = shapes.emplace_back(CallShapes::Array{array.type, array.is_view()});
    if (!array.is_view()) shape.extents = {static_cast<std::int64_t>(array.count)};
    else shape.extents.assign(array.shape, array.shape + array.rank);
    if (array.strides != nullptr) shape.strides.assign(array.strides, array.strides + array.rank);
  }
  return shapes;
}

}  // namespace

ArrayRef ArrayRef::shaped(const void* first, ElementType element, std::uint32_t its_rank, const std::int64_t* extents,
                          const std::int64_t* its_strides) noexcept {
  ArrayRef array(first, 0, element);
  // Extents that are missing are refused by execute, as are too many.
  array.rank = extents == nullptr && its_rank > 0 ? std::numeric_limits<std::uint32_t>::max() : its_rank;
  array.shape = extents == nullptr ? kNoExtents : extents;
  array.strides = its_strides;
  if (array.rank <= kMostDimensions) array.count = count_of({array.shape, array.rank});
  return array;
}

CallShapes::CallShapes(ArrayRefs in, ArrayRefs out) : inputs_(shapes_of(in.span())), outputs_(shapes_of(out.span())) {}

ArrayRef CallShapes::Array::ref() const noexcept {
  if (!is_view) return {nullptr, static_cast<std::size_t>(extents.empty() ? 0 : extents.front()), type};
  return ArrayRef::shaped(nullptr, type, static_cast<std::uint32_t>(extents.size()),
                          extents.empty() ? kNoExtents : extents.data(), strides.empty() ? nullptr : strides.data());
}

namespace detail {

void refuse_view(std::size_t rank, std::size_t strides) {
  if (rank > kMaxRank)
    refuse(base::format("a graft::View has at most {} dimensions, and {} were given", kMaxRank, rank),
           "Describe the array by graft::ArrayRef::shaped, which takes up to 64 dimensions.");
  refuse(base::format("a view of {} dimensions was given {} strides or places of dimensions", rank, strides),
         "Give one stride for each dimension; to graft::permuted, give the number of each dimension once.");
}

ElementType element_of_dlpack(int code, int bits, int lanes) {
  struct Kind {
    const char* name;
    ElementKind kind;
  };
  constexpr Kind kKinds[] = {{"int", ElementKind::Signed},    {"uint", ElementKind::Unsigned},
                             {"float", ElementKind::Float},   {"handle", ElementKind::Class},
                             {"bfloat", ElementKind::Bfloat}, {"complex", ElementKind::Complex},
                             {"bool", ElementKind::Bool}};
  const bool is_known = code >= 0 && static_cast<std::size_t>(code) < std::size(kKinds) && code != 3;
  const bool is_whole = bits == 8 || bits == 16 || bits == 32 || bits == 64 || (bits == 128 && code == 5);
  const bool is_small = (code == 2 || code == 4) && bits == 8;  // floating-point numbers of one byte have other codes
  if (!is_known || !is_whole || is_small || (code == 4 && bits != 16) || (code == 5 && bits < 32) ||
      (code == 6 && bits != 8) || lanes != 1)
    fail(ErrorCode::TypeMismatch,
         base::format("graft has no element type for DLPack's type code {}{}, {} bits, {} lanes", code,
                      is_known ? base::format(" ({})", kKinds[code].name) : "", bits, lanes),
         "View the tensor's bytes as another type, or describe the array by graft::ArrayRef::shaped with "
         "graft::ElementType::structure.");
  const auto size = static_cast<std::uint32_t>(bits / 8);
  return {kKinds[code].kind, size, code == 5 ? size / 2 : size};
}

}  // namespace detail
}  // namespace graft
