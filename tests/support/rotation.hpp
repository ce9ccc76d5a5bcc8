// Tests of tables would build every row for every architecture, which takes too long for each run. They build each row
// for one architecture, so that the table as a whole is built for all of them:
//
//     for (const int architecture : in_turn(kArchitectures, row)) expect_build(rows[row], architecture);
//
// Routes take turns in the same way. Other tests try a part of their rows in each run: `if (is_turn_of(0, row, 3))` is
// true for every third row.
//
// The environment variable GRAFT_TEST_ROUND, a number, says whose turn it is: in the next round, each row has the next
// architecture. Without the variable it is round 0. With GRAFT_ALL_ARCHITECTURES=1 it is everyone's turn.
#pragma once

#include <cstddef>
#include <iterator>
#include <string>
#include <type_traits>
#include <vector>

namespace graft::test {

// Returns whether the environment asks for every row on every architecture.
bool wants_all_architectures();

// Returns GRAFT_TEST_ROUND.
std::size_t test_round();

// Returns whether the row numbered `row` has its turn in the place numbered `place` of `places`.
bool is_turn_of(std::size_t place, std::size_t row, std::size_t places);

// Returns those of the places whose turn it is in a row: one of them, or all in a long run.
template <class Places>
auto in_turn(const Places& places, std::size_t row) {
  std::vector<std::remove_cvref_t<decltype(*std::begin(places))>> mine;
  std::size_t number = 0;
  for (const auto& place : places)
    if (is_turn_of(number++, row, std::size(places))) mine.push_back(place);
  return mine;
}

// Returns those of the rows whose turn it is: every `turns`-th, or all in a long run.
template <class Row>
std::vector<Row> rows_in_turn(const std::vector<Row>& rows, std::size_t turns) {
  std::vector<Row> mine;
  for (std::size_t i = 0; i < rows.size(); ++i)
    if (is_turn_of(0, i, turns)) mine.push_back(rows[i]);
  return mine;
}

// Returns a number for the running test, for tests that are the rows of a table: a hash of the test's name.
std::size_t row_of_test();

// Returns the variables with which a failed run can be repeated, for SCOPED_TRACE.
std::string rotation_text();

}  // namespace graft::test
