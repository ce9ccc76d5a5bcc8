// The output of the benchmark: a line for each cell as soon as the cell is measured, and the JSON record.
//
// For each contender, a cell of the record contains the GB/s read and written (median, smallest, largest, quartiles)
// and the median in microseconds. For each peer, the cell contains graft's speed divided by the peer's, with the spread
// of that ratio (spread.hpp).
#pragma once

#include <nlohmann/json.hpp>
#include <optional>

#include "cell.hpp"
#include "spread.hpp"

namespace graft::bench {

// Returns graft's speed divided by the peer's, or nothing if graft or the peer failed or is missing. Speeds are
// compared in GB/s, because cudaMemcpyAsync moves another number of bytes than most operations.
std::optional<Ratio> against(const GroupResult& result, std::string_view peer, Alignment alignment);

// Returns graft's speed with this alignment divided by graft's speed with aligned arrays.
std::optional<Ratio> against_aligned(const GroupResult& result, Alignment alignment);

void print_header();
void print(const GroupResult& result);

// Returns one line for each contender that has a wrong result or an error.
std::vector<std::string> failures(const GroupResult& result);

// Appends one object for each cell of the group to `cells`.
void add_cells(nlohmann::json& cells, const GroupResult& result);

// Rounds to five significant digits, because further digits are noise and make records long.
double rounded(double value);

// Writes a record like write_record, but puts each element of a list on a line of its own.
void write_in_rows(const Arguments& arguments, const nlohmann::json& record);

}  // namespace graft::bench
