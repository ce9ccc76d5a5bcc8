// graft::Options and graft::EngineOptions from the keyword arguments of Python.
#pragma once

#include <nanobind/nanobind.h>

#include <graft/engine.hpp>
#include <graft/options.hpp>

namespace graft_python {

// Throws graft::Error(InvalidArgument) for a name that is no option, or a value of another type.
graft::Options options_of(const nanobind::dict& words);
graft::EngineOptions engine_options_of(const nanobind::dict& words);

}  // namespace graft_python
