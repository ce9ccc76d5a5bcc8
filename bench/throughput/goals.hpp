// The goals of the benchmark, and whether this run meets them.
//
// A cell misses its goal if its ratio plus the ratio's spread is below the goal. Cells whose largest array is smaller
// than 64 MiB are reported but not judged; they do count in the geometric means.
#pragma once

#include <nlohmann/json.hpp>

#include "cell.hpp"

namespace graft::bench {

// The geometric means for each peer: over all cells, those from 64 MiB on and those below. Aligned cells that are
// measured only for comparison with misaligned ones are left out, because the aligned part contains them already.
nlohmann::json geometric_means(const std::vector<GroupResult>& results);

// One JSON object per goal: its name, the wanted figure, the figure found (for goals of single cells the worst one),
// whether it is met, the number of cells judged, and the cells that miss it.
nlohmann::json judge(const std::vector<GroupResult>& results, std::size_t largest_array, bool toolkits_cccl);

void print_goals(const nlohmann::json& means, const nlohmann::json& goals);

}  // namespace graft::bench
