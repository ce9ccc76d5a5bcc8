// Checks a request in the closed mode (Options::closed, for formulas from authors whom the application does not trust),
// before graft compiles anything or searches a cache. The closed mode accepts callbacks as source only. It refuses
// requests with preprocessor directives or inline assembly in any text, with headers, with the host route, or with
// bounds (Closed::time, memory, max_registers) in which no build can succeed.
#pragma once

#include "graft/callback.hpp"
#include "graft/options.hpp"

namespace graft::engine {

// Throws Error(InvalidArgument) if options.closed is set and the closed mode does not allow the options, or the
// callback.
void check_closed(const Options& options);
void check_closed(const Callback& callback, const Options& options);

// Returns the register limit of the request: Options::max_registers, or in the closed mode the smaller of
// Options::max_registers and Closed::max_registers. In Options::max_registers and in the result, 0 means no limit.
int closed_registers(const Options& options) noexcept;

}  // namespace graft::engine
