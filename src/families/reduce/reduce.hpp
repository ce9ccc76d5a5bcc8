// The family of reductions. A kernel of this family combines the elements of whole arrays into one result, in one
// launch, in an order that the number of elements decides (building_blocks/reduce/order.h).
#pragma once

#include "families/family.hpp"

namespace graft::families::reduce {

inline constexpr const char* kFamily = "reduce";

const Family& family();

}  // namespace graft::families::reduce
