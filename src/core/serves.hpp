// Which device code serves which architecture.
#pragma once

#include "graft/architecture.hpp"

namespace graft {

// Code that is still compiled or linked (LTO-IR, PTX) serves its own architecture and newer ones; relocatable machine
// code those of its generation from its own on, and none with a suffix but its own. What is marked 'a' serves its own
// architecture alone, and what is marked 'f' its generation.
constexpr bool serves(Architecture made_for, Architecture wanted, bool is_machine_code = false) {
  if (made_for.suffix == 'a') return made_for == wanted;
  const bool is_of_generation = made_for.number / 10 == wanted.number / 10;
  if ((made_for.suffix == 'f' || is_machine_code) && !is_of_generation) return false;
  if (is_machine_code && made_for.suffix == '\0' && wanted.suffix != '\0') return false;
  return made_for.number <= wanted.number;
}

}  // namespace graft
