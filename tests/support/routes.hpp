// The routes by kind, and options that require one route.
#pragma once

#include "graft/graft.hpp"

namespace graft::test {

// The GPU routes, all of which compile a callback's source.
inline constexpr Route kGpuRoutes[] = {Route::Lto, Route::Program, Route::Ptx, Route::Indirect};
inline constexpr Route kAllRoutes[] = {Route::Lto, Route::Program, Route::Ptx, Route::Indirect, Route::Host};

inline Options by(Route route) {
  Options options;
  options.routes.required = route;
  return options;
}

}  // namespace graft::test
