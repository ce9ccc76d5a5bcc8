// Adds the family of two_launch_sum.hpp to the command line program `graft` when the program starts.
#include "families/two_launch_sum.hpp"

namespace {
[[maybe_unused]] const bool is_there = (graft::test::add_two_launch_sum(), true);
}
