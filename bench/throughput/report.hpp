// The output: a line for each cell as soon as it is measured, and the JSON record.
//
// For each contender, a cell of the record contains GB/s read and written (median, smallest, largest, quartiles) and
// the median in microseconds; for each peer, graft's speed divided by the peer's, with the spread of that ratio
// (spread.hpp).
#pragma once

#include <nlohmann/json.hpp>
#include <optional>

#include "cell.hpp"
#include "spread.hpp"

namespace graft::bench {

// graft's speed divided by the peer's; nothing if either failed or is missing. For the copy, the ratio of GB/s.
std::optional<Ratio> against(const GroupResult& result, std::string_view peer, Alignment alignment);

// graft's speed with this alignment divided by its speed with aligned arrays.
std::optional<Ratio> against_aligned(const GroupResult& result, Alignment alignment);

void print_header();
void print(const GroupResult& result);

// One line for each contender with a wrong result or an error.
std::vector<std::string> failures(const GroupResult& result);

// One object for each cell of the group.
void add_cells(nlohmann::json& cells, const GroupResult& result);

// Rounds to five significant digits: further digits are noise and make records long.
double rounded(double value);

// Like write_record, but with one line for each element of a list.
void write_in_rows(const Arguments& arguments, const nlohmann::json& record);

}  // namespace graft::bench
