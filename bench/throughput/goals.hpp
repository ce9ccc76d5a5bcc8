// What must be shown, and whether this run shows it.
//
// A cell misses its goal when its ratio plus the ratio's spread is under it. Cells whose largest array has less than
// 64 MiB are reported, not judged; they count in the geometric means.
#pragma once

#include <nlohmann/json.hpp>

#include "cell.hpp"

namespace graft::bench {

// For each peer, over all cells, those from 64 MiB on and those below. The aligned cells that misaligned ones are
// compared with are in the aligned part already and do not count again.
nlohmann::json geometric_means(const std::vector<GroupResult>& results);

// One object for each goal: what, the figure wanted, the figure found (for goals of cells that of the worst), met, how
// many cells were judged, and those that miss.
nlohmann::json judge(const std::vector<GroupResult>& results, std::size_t largest_array, bool toolkits_cccl);

void print_goals(const nlohmann::json& means, const nlohmann::json& goals);

}  // namespace graft::bench
