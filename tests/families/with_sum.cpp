// Adds the family of these tests to the command line tool.
#include "families/two_launch_sum.hpp"

namespace {
[[maybe_unused]] const bool is_there = (graft::test::add_two_launch_sum(), true);
}
