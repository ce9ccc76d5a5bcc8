// Tests of tables would build every row for every architecture, which takes too long for each run. They build each row
// for one architecture, so that the table as a whole is built for all of them:
//
//     for (std::size_t place = 0; place < kArchitectures.size(); ++place)
//       if (is_turn_of(place, row, kArchitectures.size())) expect_build(rows[row], kArchitectures[place]);
//
// Other tests try a part of their rows in each run: `if (is_turn_of(0, row, 3))` is true for every third row.
//
// The environment variable GRAFT_TEST_ROUND, a number, says whose turn it is: in the next round, each row has the next
// architecture. Without the variable it is round 0. With GRAFT_ALL_ARCHITECTURES=1 it is everyone's turn.
#pragma once

#include <cstddef>
#include <string>

namespace graft::test {

// Returns whether the environment asks for every row on every architecture.
bool wants_all_architectures();

// Returns GRAFT_TEST_ROUND.
std::size_t test_round();

// Returns whether the row numbered `row` has its turn in the place numbered `place` of `places`.
bool is_turn_of(std::size_t place, std::size_t row, std::size_t places);

// Returns the variables with which a failed run can be repeated, for SCOPED_TRACE.
std::string rotation_text();

}  // namespace graft::test
