// An array whose elements have no values until they are assigned. For large arrays of which few elements are used,
// where setting all of them to their defaults would take most of the time.
#pragma once

#include <cstddef>
#include <type_traits>

namespace graft::base {

template <class T, std::size_t N>
class UnsetArray {
  static_assert(std::is_trivially_copyable_v<T> && std::is_trivially_destructible_v<T>);

 public:
  UnsetArray() noexcept {}  // NOLINT(modernize-use-equals-default): the default would not leave the elements unset

  T& operator[](std::size_t i) noexcept { return items_[i]; }
  const T& operator[](std::size_t i) const noexcept { return items_[i]; }
  T* data() noexcept { return items_; }
  const T* data() const noexcept { return items_; }

 private:
  union {
    T items_[N];
  };
};

}  // namespace graft::base
