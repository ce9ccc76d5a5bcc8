// The goals of the benchmark, which are ratios of speeds that graft must reach, and the decision whether this run meets
// them.
//
// A cell is one measurement (cell.hpp). Its ratio is graft's speed divided by a peer's, and for misaligned arrays also
// graft's speed divided by graft's speed with aligned arrays. The cell misses a goal if its ratio plus the ratio's
// spread is below the goal. Cells whose largest array is smaller than 64 MiB are reported but not judged. They do count
// in the geometric means.
#pragma once

#include <nlohmann/json.hpp>

#include "cell.hpp"

namespace graft::bench {

// Returns three geometric means for each peer: over all cells, over cells from 64 MiB on, and over smaller cells. Some
// aligned cells are measured only for comparison with misaligned cells. The means leave these cells out, because the
// aligned part of the benchmark contains them already.
nlohmann::json geometric_means(const std::vector<GroupResult>& results);

// Returns one JSON object per goal. It contains the goal's name, the wanted figure, the figure found (if the goal
// judges each cell separately, the worst cell's figure), whether the goal is met, the number of judged cells, and the
// cells that miss the goal.
nlohmann::json judge(const std::vector<GroupResult>& results, std::size_t largest_array, bool toolkits_cccl);

void print_goals(const nlohmann::json& means, const nlohmann::json& goals);

}  // namespace graft::bench
