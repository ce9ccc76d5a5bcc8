// Registers the family of these tests (two_launch_sum.hpp) in the command line tool when the program starts.
#include "families/two_launch_sum.hpp"

namespace {
[[maybe_unused]] const bool is_there = (graft::test::add_two_launch_sum(), true);
}
