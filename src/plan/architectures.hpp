// Which versions of CUDA know an architecture, for tools that cannot be asked (nvJitLink) and for messages that say
// which version to install.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/version.hpp"
#include "graft/architecture.hpp"

namespace graft::plan {

// Returns the architectures of the table that graft supports, without those that later versions of CUDA call otherwise.
std::vector<Architecture> known_architectures();

// Returns the first version of CUDA whose NVRTC and nvJitLink know the architecture. Returns nothing if the table has
// no such architecture, for example because it is newer than this version of graft.
std::optional<Version> first_version(Architecture architecture);

// Returns false if tools of this CUDA version do not know the architecture by the table. Returns true for an
// architecture that is not in the table.
bool may_know(Version tools, Architecture architecture);

// Returns the name that tools of this CUDA version have for an architecture whose number older tools knew. Returns
// nothing if they know it by its own number, or not at all.
std::optional<Architecture> new_name(Version tools, Architecture architecture);

// Returns a clause for a message that a tool does not know the architecture: " (NVRTC 12.9 and newer do)". Returns an
// empty text for an architecture that is not in the table.
std::string who_does(std::string_view tool, Architecture architecture);

}  // namespace graft::plan
