// Where a kernel's one parameter holds what: as a compiler lays out the adapter's Parameters<>
// (building_blocks/adapter.h).
//
//     offset 0     graft_launch
//     offset 32    pointers of the inputs, then of the outputs
//     behind them  the state, at its own alignment
#pragma once

#include <cstdint>

#include "graft/signature.hpp"

namespace graft::plan {

struct ParameterLayout {
  std::uint32_t state_offset = 0;  // 0: no state
  std::uint32_t bytes = 0;
  std::uint32_t alignment = 8;
};

ParameterLayout lay_out_parameter(const Signature& signature);

}  // namespace graft::plan
