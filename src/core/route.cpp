// Gives each route the name that reports, packs and the command line use.
#include "graft/route.hpp"

namespace graft {

std::string_view name(Route route) noexcept {
  switch (route) {
    case Route::Lto:
      return "lto";
    case Route::Program:
      return "program";
    case Route::Ptx:
      return "ptx";
    case Route::Indirect:
      return "indirect";
    case Route::Host:
      return "host";
  }
  return "unknown";
}

}  // namespace graft
