// What messages say of the rows of a tuning file.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "base/format.hpp"
#include "format/tuning_file.hpp"

namespace graft::cli {

// "12 kinds of callbacks, 3 rows of <family>"
inline std::string text_of_rows(const format::TuningFile& file) {
  std::string text = base::format("{} kinds of callbacks", file.elementwise.size());
  for (const auto& [family, rows] : file.further) base::append(text, ", {} rows of {}", rows.size(), family);
  return text;
}

// Returns how many rows there are of each family beside elementwise kernels.
inline nlohmann::json counts_of_further_rows(const format::TuningFile& file) {
  nlohmann::json counts = nlohmann::json::object();
  for (const auto& [family, rows] : file.further) counts[family] = rows.size();
  return counts;
}

}  // namespace graft::cli
