// Adds the families of two_launch_sum.hpp and column_extremes.hpp to the command line program `graft` when the program
// starts.
#include "families/column_extremes.hpp"
#include "families/two_launch_sum.hpp"

namespace {
[[maybe_unused]] const bool is_there = (graft::test::add_two_launch_sum(), graft::test::add_column_extremes(), true);
}
