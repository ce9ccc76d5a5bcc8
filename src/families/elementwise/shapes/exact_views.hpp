// Writes the exact adapters for arrays of any shape: text for exactly one signature, policy and class of shapes. What
// their kernels do is described in the building blocks that do the same for every signature
// (building_blocks/elementwise/ strided.cu and transposed.cu). Making an exact kernel takes half the time.
//
// All functions are pure.
#pragma once

#include <string>

#include "codegen/source_program.hpp"
#include "families/elementwise/policy.hpp"
#include "families/elementwise/shapes/shape_class.hpp"
#include "families/family.hpp"
#include "graft/signature.hpp"

namespace graft::elementwise {

// Whether a kernel for views of this policy can have an exact adapter: a thread has one element, or a unit in which an
// array has at most a word.
bool fits_exact_views(const Signature& signature, const Policy& policy);

// Writes the program, whose kernel is complete. Requires fits_exact_views().
std::string exact_views_text(const codegen::SourceProgram& program, const Signature& signature,
                             families::TypesFrom types, const Policy& policy, const KernelShapes& made_for);

}  // namespace graft::elementwise
