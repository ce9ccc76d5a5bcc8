#include "core/version.hpp"

#include "graft/version.hpp"

#include "base/immortal.hpp"

namespace graft {

const std::string& this_build() {
  static const auto& name = base::immortal(GRAFT_VERSION_STRING " " + std::string(hash_of_sources()));
  return name;
}

}  // namespace graft
