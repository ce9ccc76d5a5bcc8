// Decides whether device code that was built for one architecture can be used for another.
#pragma once

#include "graft/architecture.hpp"

namespace graft {

// Returns whether device code for `made_for` can be used on `wanted`. The rules:
//
//     LTO-IR and PTX        run on their own architecture and on all newer ones, because the linker or the driver
//                           compiles them to machine code for the wanted architecture
//     machine code          runs on its own architecture and on newer ones of the same generation: sm_80 on sm_86, but
//                           not on sm_90. Machine code for sm_90 is not used for the target sm_90a.
//     any code for sm_NNa   runs on exactly its own architecture (suffix 'a')
//     any code for sm_NNf   runs on its own architecture and on newer ones of the same generation (suffix 'f')
constexpr bool serves(Architecture made_for, Architecture wanted, bool is_machine_code = false) {
  if (made_for.suffix == 'a') return made_for == wanted;
  const bool is_of_generation = made_for.number / 10 == wanted.number / 10;
  if ((made_for.suffix == 'f' || is_machine_code) && !is_of_generation) return false;
  if (is_machine_code && made_for.suffix == '\0' && wanted.suffix != '\0') return false;
  return made_for.number <= wanted.number;
}

}  // namespace graft
