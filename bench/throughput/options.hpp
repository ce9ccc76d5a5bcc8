// The command line of bench_throughput.
#pragma once

#include <graft/options.hpp>
#include <optional>
#include <regex>
#include <string>

#include "../record.hpp"

namespace graft::bench {

enum class Part { All, Aligned, Misaligned };
enum class Counts { All, Small, Large };

struct ThroughputOptions {
  Arguments arguments;
  Part part = Part::All;
  Counts counts = Counts::All;
  std::optional<std::regex> filter;       // cells whose names contain a match are measured
  bool list = false;                      // prints the cells' names and exits; needs no GPU
  std::optional<PolicyOverrides> policy;  // adds a second graft contender with this tuning
  std::string policy_text;
};

// Parses the command line. `name` is the record's name in $OUT/<name>.json. Prints help or an error and ends the
// program if the command line requires it.
ThroughputOptions parse_throughput_options(int argc, char** argv, const std::string& name);

}  // namespace graft::bench
