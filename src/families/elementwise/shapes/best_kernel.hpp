// Chooses the kernel that serves calls with arrays of given shapes best.
#pragma once

#include <cstdint>

#include "families/elementwise/arguments.hpp"
#include "families/elementwise/launch_geometry.hpp"
#include "families/elementwise/shapes/shape_class.hpp"
#include "graft/call_shapes.hpp"
#include "graft/signature.hpp"

namespace graft::elementwise {

// Makes arguments without a state pass the checks of ViewCall, for callers who only ask about shapes.
void leave_state_out(const LaunchGeometry& geometry, Arguments& arguments);

// Does not look at the arrays' memory or the state. Throws what ViewCall throws.
KernelShapes best_kernel(const LaunchGeometry& geometry, const Signature& signature, const Arguments& arguments);

// The kernel for a callback whose signature is not known yet, if its arrays have the types of the example. An index, or
// an array that a load or store callback reaches itself, can make another one the best. The flat one for an example
// that has a mistake: best_kernel() says what is wrong, when the signature is known.
KernelShapes likely_kernel(const CallShapes& example, std::uint32_t shared_bytes);

}  // namespace graft::elementwise
