// Computes, for the host, the layout of an elementwise kernel's one parameter. Kernels read their parameter by the same
// rule, graft_lay_out in building_blocks/contract.h. The layout for a kernel without state is:
//
//     offset 0     graft_launch
//     offset 32    pointers of the inputs, then of the outputs
//     behind them  one graft_mask for each bit array, in the order of the pointers
//     behind them  one graft_divider for each coordinate of graft::Position
//
// The pointer of an in-out array is twice in the parameter: behind the pointers of the inputs, and among those of the
// outputs. The same is true of its graft_mask. A state comes last.
#pragma once

#include <cstddef>
#include <vector>

#include "contract.h"
#include "families/call.hpp"
#include "graft/signature.hpp"

namespace graft::elementwise {

using ParameterFields = graft_parameter_fields;
using ParameterLayout = graft_parameter_layout;

constexpr ParameterLayout lay_out_parameter(const ParameterFields& fields) {
  return graft_lay_out(fields);
}
ParameterLayout lay_out_parameter(const Signature& signature);

// Whether an array with elements of this type is a bit array.
constexpr bool is_bit(const ElementType& type) noexcept {
  return type.kind == ElementKind::Bit;
}

// Returns the element types of the arrays to which the parameter's pointers point, in the order of the pointers.
std::vector<ElementType> types_of_pointers(const Signature& signature);

// Returns the number of graft_masks in the parameter.
std::size_t count_masks(const Signature& signature);

// The layout of the largest parameter that a signature can have. The size grows with each field, so inputs, outputs and
// state are at their limits.
inline constexpr ParameterLayout kLargestParameter =
    lay_out_parameter(ParameterFields{.inputs = GRAFT_MAX_INPUTS,
                                      .outputs = GRAFT_MAX_OUTPUTS,
                                      .masks = GRAFT_MAX_INPUTS + GRAFT_MAX_OUTPUTS,
                                      .coordinates = GRAFT_MAX_COORDINATES,
                                      .state_bytes = GRAFT_MAX_STATE_BYTES,
                                      .state_alignment = GRAFT_MAX_STATE_ALIGNMENT});
static_assert(kLargestParameter.bytes <= families::kMostParameterBytes);

}  // namespace graft::elementwise
