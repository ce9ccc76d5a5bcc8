// Where a kernel's one parameter holds what: the host's side of the rule in building_blocks/contract.h, by which
// kernels read. A contiguous launch without state:
//
//     offset 0     graft_launch
//     offset 32    pointers of the inputs, then of the outputs
//
// The rule also has places for the extents and strides of strided arrays, for offsets, and for the state behind all.
#pragma once

#include <cstddef>

#include "contract.h"
#include "graft/signature.hpp"

namespace graft::families {

using ParameterFields = graft_parameter_fields;
using ParameterLayout = graft_parameter_layout;

constexpr ParameterLayout lay_out_parameter(const ParameterFields& fields) {
  return graft_lay_out(fields);
}
ParameterLayout lay_out_parameter(const Signature& signature);

// What every driver takes. Newer ones take 32,764 bytes for a kernel that was compiled for them.
inline constexpr std::size_t kMostParameterBytes = 4096;

// The largest of those that a signature can have. It grows with each field, so no other is larger.
inline constexpr ParameterLayout kLargestParameter =
    lay_out_parameter(ParameterFields{.inputs = GRAFT_MAX_INPUTS,
                                      .outputs = GRAFT_MAX_OUTPUTS,
                                      .rank = 0,
                                      .has_offsets = false,
                                      .state_bytes = GRAFT_MAX_STATE_BYTES,
                                      .state_alignment = GRAFT_MAX_STATE_ALIGNMENT});

// The largest that the rule is for fills the limit to the last byte: one array, dimension or byte of state more, and
// another of these must become less.
static_assert(lay_out_parameter(ParameterFields{.inputs = 16,
                                                .outputs = 8,
                                                .rank = 8,
                                                .has_offsets = true,
                                                .state_bytes = GRAFT_MAX_STATE_BYTES,
                                                .state_alignment = GRAFT_MAX_STATE_ALIGNMENT})
                  .bytes == kMostParameterBytes);

}  // namespace graft::families
