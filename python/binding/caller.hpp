// The base classes of the package's jobs and of its formulas without types (called.hpp): their ordinary calls
// (direct.hpp) take no Python code.
#pragma once

#include <nanobind/nanobind.h>

namespace graft_python {

void bind_callers(nanobind::module_& module);

}  // namespace graft_python
