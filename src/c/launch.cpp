#include "c/launch.hpp"

#include <cstdint>

#include "base/format.hpp"
#include "core/fail.hpp"

namespace graft::c {
namespace {

[[noreturn, gnu::cold]] void refuse_members_of_views() {
  refuse("rank or strides is set for an array without a shape, or shape for an array whose type is GRAFT_BIT",
         "Leave these members zero, or give an array of another type a shape of `rank` extents.");
}

[[noreturn, gnu::cold]] void refuse_members_of_bits() {
  refuse("first_bit, keeps_rest or zeros is set for an array whose type is not GRAFT_BIT",
         "Leave these members zero; only bit arrays have them.");
}

// A null pointer becomes an ArrayRef with a null pointer, for bit arrays too. execute refuses it, unless the array has
// no elements.
ArrayRef array_of(const graft_array& array) {
  const ElementType type = element_of(array.type);
  const bool is_view = array.shape != nullptr;
  if (is_view ? type.kind == ElementKind::Bit : array.rank != 0 || array.strides != nullptr) [[unlikely]]
    refuse_members_of_views();
  if (type.kind == ElementKind::Bit) {
    BitArray<std::uint32_t> bits =
        graft::bits(static_cast<std::uint32_t*>(array.pointer), array.first_bit, array.count);
    bits.clears_rest = array.keeps_rest == 0;
    bits.zeros = array.zeros;
    return bits;
  }
  if (array.first_bit != 0 || array.keeps_rest != 0 || array.zeros != nullptr) [[unlikely]]
    refuse_members_of_bits();
  if (is_view) return ArrayRef::shaped(array.pointer, type, array.rank, array.shape, array.strides);
  return {array.pointer, array.count, type};
}

}  // namespace

ArrayList::ArrayList(const graft_array* arrays, std::size_t count, const char* what) {
  if (count > kMostArrays) [[unlikely]]
    refuse(base::format("{} {} were given", count, what), base::format("Give at most {} arrays.", kMostArrays));
  if (count != 0) checked(arrays, what);
  for (; size_ < count; ++size_) ::new (static_cast<void*>(refs_ + size_)) ArrayRef(array_of(arrays[size_]));
}

StateRef state_of(const void* bytes, graft_type type) {
  if (bytes == nullptr && type == 0) return {};
  return {bytes, element_of(type)};
}

void refuse_reserved(const char* what) {
  refuse(base::format("a reserved member of a {} is not zero", what),
         "Initialise the struct with zeros. If it was made for a newer version of graft, install that version.");
}

}  // namespace graft::c
