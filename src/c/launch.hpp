// Converts the arrays and states of a launch. Conversions allocate nothing unless they throw, because execute must not.
#pragma once

#include <cstddef>
#include <new>

#include "c/handles.hpp"

namespace graft::c {

// The most arrays of one list. No callback takes as many; graft then says how many it takes.
inline constexpr std::size_t kMostArrays = 32;

// A list of arrays as execute takes it. Only the first size() elements are constructed, as in detail::Arrays.
class ArrayList {
 public:
  // Throws Error(InvalidArgument). `what` names the list in the message: "inputs".
  ArrayList(const graft_array* arrays, std::size_t count, const char* what);
  ArrayList(const ArrayList&) = delete;  // not copyable, because only size() elements could be copied
  ArrayList& operator=(const ArrayList&) = delete;

  ArrayRefs refs() const noexcept { return ArrayRefs(refs_, size_); }
  std::size_t size() const noexcept { return size_; }

 private:
  union {
    ArrayRef refs_[kMostArrays];
  };
  std::size_t size_ = 0;
};

// The state of a launch; none if `bytes` is null. Throws Error(InvalidArgument).
StateRef state_of(const void* bytes, graft_type type);

[[noreturn, gnu::cold]] void refuse_reserved(const char* what);

// Throws Error(InvalidArgument) unless all numbers are zero: members of structs that have no meaning yet.
template <class... Number>
void check_reserved(const char* what, Number... reserved) {
  if (((reserved != 0) || ...)) [[unlikely]]
    refuse_reserved(what);
}

}  // namespace graft::c
