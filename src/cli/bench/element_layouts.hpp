// Finds how the elements of a callback's arrays lie in memory: of structs and vector types, the compiler is asked for
// their members.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/bytes.hpp"
#include "cli/bench/elements.hpp"
#include "cli/child/child.hpp"
#include "cli/commands/build_options.hpp"
#include "graft/image.hpp"

namespace graft::cli {

struct ElementLayouts {
  std::vector<ElementLayout> layouts;  // in the order of Subject::arrays
  // The first type of an output whose members are not known, so that results cannot be compared: that of a compiled
  // callback, for example. Empty if there is none.
  std::string unknown_output;
};

// `image` is the kernel that was built from the request, or the first one of its job. `make` makes the object with the
// debug information, as for fields_of_state().
ElementLayouts element_layouts(const BuildRequest& request, const Image& image,
                               const std::function<base::Bytes(const BuildRequest&)>& make = state_object_in_child);

}  // namespace graft::cli
