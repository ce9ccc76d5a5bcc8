// Compiles a callback with debug information, which describes the struct of the callback's state
// (format/debug_types.hpp).
#pragma once

#include <optional>

#include "base/bytes.hpp"
#include "graft/callback.hpp"
#include "graft/options.hpp"

namespace graft::compile {

// The struct of a kernel's parameter, and its field that is the state (building_blocks/adapter.h).
inline constexpr const char* kParameterStruct = "Parameters<";
inline constexpr const char* kStateField = "state";

// Returns an object with debug information about the parameter of the callback's kernel: a cubin, or a shared object if
// the options require the host route. The callback is source, and has a state. Throws Error: ToolMissing,
// CompileFailed.
base::Bytes state_object(const Callback& callback, Architecture architecture, const Options& options);

}  // namespace graft::compile
