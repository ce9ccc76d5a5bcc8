// Finds the header in memory (Options::headers) that stands beside another one: in the header "a/x.h", `#include "k.h"`
// means "a/k.h" if there is a header of this name, as it does for files. NVRTC compares only the names as they are
// written, so graft writes the full names into the headers' texts; the key on disk says where it does.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "graft/options.hpp"

namespace graft {

// Returns the header that `#include "name"` in the header `includer` means by its folder. Returns null if there is no
// such header, and if `name` is its name already.
const Header* header_beside(const std::vector<Header>& headers, std::string_view includer, std::string_view name);

}  // namespace graft
