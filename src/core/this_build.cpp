#include "core/this_build.hpp"

#include "graft/version.hpp"

namespace graft {

std::string this_build() {
  return std::string(GRAFT_VERSION_STRING " ") + std::string(hash_of_sources());
}

}  // namespace graft
