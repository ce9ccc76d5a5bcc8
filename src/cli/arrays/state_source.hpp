// Finds the text in which the struct of a callback's state is defined.
#pragma once

#include "cli/arrays/state_text.hpp"
#include "cli/commands/build_request.hpp"
#include "graft/signature.hpp"

namespace graft::cli {

// Returns the name of the state's type, and the text of the callback behind the texts of the headers that it includes:
// those beside the callback's file and in the folders of --include. The text is empty if the callback is not source.
// Headers that cannot be read are left out. `request` must hold the content of the file (BuildRequest::read_content).
StateSource state_source(const BuildRequest& request, const Signature& signature);

}  // namespace graft::cli
