// Uses secure_getenv, because a set-uid program must not load a library that its caller's environment names.
#include "base/environment.hpp"

#include <cstdlib>

namespace graft::base {

std::string environment(const char* name) {
  const char* value = ::secure_getenv(name);
  return value ? value : "";
}

}  // namespace graft::base
