// What comes out: a line for each cell as it is measured, and the record.
//
// The record's cells have, for each contender, GB/s read and written (median, smallest, largest, quartiles) and the
// median's microseconds, and for each peer how many times its speed graft has, with the spread of that (spread.hpp).
#pragma once

#include <nlohmann/json.hpp>
#include <optional>

#include "cell.hpp"
#include "spread.hpp"

namespace graft::bench {

// graft's speed in a cell over a peer's; nothing when either failed or is missing. For the copy: of GB/s.
std::optional<Ratio> against(const GroupResult& result, std::string_view peer, Alignment alignment);

// graft's speed with arrays aligned so over that with aligned arrays.
std::optional<Ratio> against_aligned(const GroupResult& result, Alignment alignment);

void print_header();
void print(const GroupResult& result);

// Those with a wrong result or an error, one line each.
std::vector<std::string> failures(const GroupResult& result);

// One object for each cell of the group.
void add_cells(nlohmann::json& cells, const GroupResult& result);

// Five significant digits: more are noise, and make records long.
double rounded(double value);

// As write_record, with one line for each element of a list.
void write_in_rows(const Arguments& arguments, const nlohmann::json& record);

}  // namespace graft::bench
