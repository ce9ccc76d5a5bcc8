// Makes an engine's paths absolute when the engine is created, so that a later chdir does not change what they mean.
#pragma once

#include "graft/engine.hpp"

namespace graft::engine {

// Returns the options with all paths absolute. A host compiler without a slash stays as it is: it is a name to be
// found in PATH. Throws Error(SystemFailed) for a relative path if the working folder was removed.
EngineOptions with_absolute_paths(EngineOptions options);

}  // namespace graft::engine
