// Computes geometric means over sets of cells (measurements, cell.hpp), and judges each goal on the cells to which the
// goal applies.
#include "goals.hpp"

#include <fmt/format.h>

#include <cmath>
#include <functional>

#include "contender.hpp"
#include "report.hpp"

namespace graft::bench {
namespace {

constexpr std::size_t kJudgedBytes = std::size_t{1} << 26;

struct Cell {
  const GroupResult* result;
  Alignment alignment;

  bool is_judged() const { return result->group.largest_array() >= kJudgedBytes; }
  bool is_new() const { return !result->group.about_alignment() || alignment != Alignment::Aligned; }
  std::string name() const { return result->cell_name(alignment); }
};

std::vector<Cell> cells_of(const std::vector<GroupResult>& results, const std::function<bool(const Cell&)>& wanted) {
  std::vector<Cell> cells;
  for (const GroupResult& result : results)
    for (const Alignment alignment : result.group.alignments)
      if (const Cell cell{&result, alignment}; wanted(cell)) cells.push_back(cell);
  return cells;
}

class Mean {
 public:
  void add(double ratio) {
    logarithms_ += std::log(ratio);
    ++cells_;
  }
  int cells() const { return cells_; }
  double value() const { return cells_ == 0 ? 0 : std::exp(logarithms_ / cells_); }
  nlohmann::json to_json() const { return {{"ratio", rounded(value())}, {"cells", cells_}}; }

 private:
  double logarithms_ = 0;
  int cells_ = 0;
};

using RatioOf = std::function<std::optional<Ratio>(const Cell&)>;

RatioOf ratio_to(std::string_view peer) {
  return [peer](const Cell& cell) { return against(*cell.result, peer, cell.alignment); };
}

// Judges each cell separately. If a cell has no ratio because a contender failed, the cell misses the goal.
nlohmann::json judge_cells(const std::string& goal, double wanted, const std::vector<Cell>& cells,
                           const RatioOf& ratio_of_cell) {
  nlohmann::json row = {{"goal", goal}, {"wanted", wanted}, {"missed", nlohmann::json::array()}};
  double worst = INFINITY;
  for (const Cell& cell : cells) {
    const std::optional<Ratio> ratio = ratio_of_cell(cell);
    if (ratio) worst = std::min(worst, ratio->value);
    if (!ratio) row["missed"].push_back({{"cell", cell.name()}, {"ratio", nullptr}});
    else if (ratio->misses(wanted))
      row["missed"].push_back(
          {{"cell", cell.name()}, {"ratio", rounded(ratio->value)}, {"spread", rounded(ratio->spread)}});
  }
  row["figure"] = std::isfinite(worst) ? nlohmann::json(rounded(worst)) : nlohmann::json();
  row["cells"] = cells.size();
  row["met"] = cells.empty() ? nlohmann::json() : nlohmann::json(row["missed"].empty());
  return row;
}

nlohmann::json judge_mean(const std::string& goal, double wanted, const std::vector<Cell>& cells,
                          std::string_view peer) {
  Mean mean;
  for (const Cell& cell : cells)
    if (const auto ratio = against(*cell.result, peer, cell.alignment)) mean.add(ratio->value);
  nlohmann::json row = {{"goal", goal}, {"wanted", wanted}, {"missed", nlohmann::json::array()}};
  row["figure"] = rounded(mean.value());
  row["cells"] = mean.cells();
  row["met"] = mean.cells() == 0 ? nlohmann::json() : nlohmann::json(mean.value() >= wanted);
  return row;
}

}  // namespace

nlohmann::json geometric_means(const std::vector<GroupResult>& results) {
  nlohmann::json means = nlohmann::json::object();
  for (const std::string_view peer : {kByHand, kCub, kThrust, kGraftWithPolicy}) {
    Mean all, large, small;
    for (const Cell& cell : cells_of(results, [](const Cell& c) { return c.is_new(); })) {
      const auto ratio = against(*cell.result, peer, cell.alignment);
      if (!ratio) continue;
      all.add(ratio->value);
      (cell.is_judged() ? large : small).add(ratio->value);
    }
    means[std::string(peer)] = {
        {"all", all.to_json()}, {"from_64_mib", large.to_json()}, {"below_64_mib", small.to_json()}};
  }
  return means;
}

nlohmann::json judge(const std::vector<GroupResult>& results, std::size_t largest_array, bool toolkits_cccl) {
  const auto every = cells_of(results, [](const Cell& c) { return c.is_new(); });
  const auto large = cells_of(results, [](const Cell& c) { return c.is_new() && c.is_judged(); });
  const auto copies = cells_of(results, [&](const Cell& c) {
    const Group& group = c.result->group;
    const bool is_largest = group.count == largest_array / group.operation->largest_element();
    return is_largest && !group.about_alignment() &&
           (group.operation->name == "copy" || group.operation->name == "mul");
  });
  const auto shifted = [&](Alignment alignment) {
    return cells_of(results, [=](const Cell& c) { return c.alignment == alignment && c.is_judged(); });
  };
  const RatioOf to_aligned = [](const Cell& cell) { return against_aligned(*cell.result, cell.alignment); };
  const std::string cub = toolkits_cccl ? "the toolkit's CUB" : "a newer CUB";
  return {judge_mean("geometric mean over all cells, against " + cub, toolkits_cccl ? 1.10 : 1.05, every, kCub),
          judge_cells("cells from 64 MiB on, against " + cub, toolkits_cccl ? 0.99 : 0.98, large, ratio_to(kCub)),
          judge_cells("copy and mul of the largest size, against cudaMemcpyAsync", 0.995, copies, ratio_to(kMemcpy)),
          judge_cells("cells from 64 MiB on, against the kernel by hand", 0.99, large, ratio_to(kByHand)),
          judge_cells("misaligned alike, against aligned", 0.95, shifted(Alignment::Alike), to_aligned),
          judge_cells("misaligned unlike, against aligned", 0.80, shifted(Alignment::Unlike), to_aligned)};
}

void print_goals(const nlohmann::json& means, const nlohmann::json& goals) {
  fmt::print("\ngeometric means of graft's speed over that of\n");
  for (const auto& [peer, mean] : means.items()) {
    const auto figure = [&mean = mean](const char* which) { return mean[which]["ratio"].get<double>(); };
    if (mean["all"]["cells"] != 0)
      fmt::print("  {:<20}{:>8.3f}   from 64 MiB on{:>8.3f}   below{:>8.3f}\n", peer, figure("all"),
                 figure("from_64_mib"), figure("below_64_mib"));
  }
  fmt::print("\n{:<62}{:>8}{:>9}{:>7}  met\n", "goal", "wanted", "figure", "cells");
  for (const nlohmann::json& goal : goals) {
    fmt::print("{:<62}{:>8}{:>9}{:>7}  {}\n", goal["goal"].get<std::string>(), goal["wanted"].get<double>(),
               goal["figure"].dump(), goal["cells"].get<int>(),
               goal["met"].is_null()     ? "-"
               : goal["met"].get<bool>() ? "yes"
                                         : "NO");
    for (const nlohmann::json& cell : goal["missed"]) {
      fmt::print("    {:<58}", cell["cell"].get<std::string>());
      if (cell["ratio"].is_null()) fmt::print("  failed\n");
      else
        fmt::print("{:>8.4f}{:>9}\n", cell["ratio"].get<double>(),
                   fmt::format("±{:.4f}", cell["spread"].get<double>()));
    }
  }
}

}  // namespace graft::bench
