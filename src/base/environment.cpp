// Uses secure_getenv, which returns null in a set-uid program: such a program must not load a library that its caller
// names in the environment.
#include "base/environment.hpp"

#include <cstdlib>

namespace graft::base {

std::string environment(const char* name) {
  const char* value = ::secure_getenv(name);
  return value ? value : "";
}

}  // namespace graft::base
