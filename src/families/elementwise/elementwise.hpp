// Elementwise transforms: outputs[i] = callback(inputs[i]..., state, i), one launch.
#pragma once

#include "families/family.hpp"

namespace graft::elementwise {

const families::Family& family();

}  // namespace graft::elementwise
