// The result of `graft bench`: a table, a plot of bars, and JSON with the same facts.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "cli/bench/measurement.hpp"
#include "graft/report.hpp"

namespace graft::cli {

struct BenchResult {
  std::string title;  // "relu.cu"
  std::string place;  // Place::title
  std::string word;   // Subject::word
  std::vector<BenchRow> rows;
  base::Spread host_seconds;    // of a call of the smallest number of items
  std::vector<Report> reports;  // of the kernels
  std::string unverified;       // why results were not compared with the CPU route; empty if they were
};

// Returns one sentence for each row whose results are wrong.
std::vector<std::string> problems_of(const BenchResult& result);

// Returns the table, and what else was measured. Rows that are wrong show no figures.
std::string table_of(const BenchResult& result);

// Returns a bar for each row: '#' up to the subject's speed, then '.' up to that of the copy.
std::string plot_of(const BenchResult& result);

nlohmann::json bench_json(const BenchResult& result);

}  // namespace graft::cli
