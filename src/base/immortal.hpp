// Values that are never destroyed. A thread of the application may still build kernels while exit() destroys static
// objects, and would read what is no longer there.
#pragma once

#include <utility>

namespace graft::base {

template <class T>
T& immortal(T value = T()) {
  return *new T(std::move(value));
}

}  // namespace graft::base
