#include "core/version.hpp"

#include "graft/version.hpp"

namespace graft {

const std::string& this_build() {
  static const std::string name = GRAFT_VERSION_STRING " " + std::string(hash_of_sources());
  return name;
}

}  // namespace graft
