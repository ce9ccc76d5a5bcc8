// Makes the paths in EngineOptions absolute when the engine is created, so that the paths name the same files after a
// later chdir.
#pragma once

#include "graft/engine.hpp"

namespace graft::engine {

// Returns the options with all paths absolute. A host compiler without a slash stays unchanged, because it is not a
// path but a name that graft looks up in PATH. Throws Error(SystemFailed) when a path is relative and the working
// folder was removed.
EngineOptions with_absolute_paths(EngineOptions options);

}  // namespace graft::engine
