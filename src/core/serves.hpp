// Decides whether device code that was built for one architecture can be used for another.
#pragma once

#include "graft/architecture.hpp"

namespace graft {

// LTO-IR and PTX are still to be compiled, so they serve their own architecture and all newer ones. Relocatable machine
// code serves its own architecture and newer ones of the same generation (sm_80 serves sm_86 and not sm_90), and no
// target with a suffix unless it has one itself. Code with the suffix 'a' serves exactly its own architecture; code
// with the suffix 'f' serves its own architecture and newer ones of the same generation.
constexpr bool serves(Architecture made_for, Architecture wanted, bool is_machine_code = false) {
  if (made_for.suffix == 'a') return made_for == wanted;
  const bool is_of_generation = made_for.number / 10 == wanted.number / 10;
  if ((made_for.suffix == 'f' || is_machine_code) && !is_of_generation) return false;
  if (is_machine_code && made_for.suffix == '\0' && wanted.suffix != '\0') return false;
  return made_for.number <= wanted.number;
}

}  // namespace graft
