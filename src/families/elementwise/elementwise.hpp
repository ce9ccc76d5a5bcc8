// The family of elementwise transforms. One launch computes outputs[i] = callback(inputs[i]..., state, i) for every i.
#pragma once

#include "families/family.hpp"

namespace graft::elementwise {

const families::Family& family();

}  // namespace graft::elementwise
