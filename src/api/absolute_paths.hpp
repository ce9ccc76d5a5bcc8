// An engine's paths, taken as they are meant when the engine is made: a later chdir changes nothing.
#pragma once

#include "graft/engine.hpp"

namespace graft {

// With all paths absolute. A host compiler without a slash stays: it is a name, to be found in PATH. Throws
// Error(SystemFailed) for a relative path where the working folder is gone.
EngineOptions with_absolute_paths(EngineOptions options);

}  // namespace graft
