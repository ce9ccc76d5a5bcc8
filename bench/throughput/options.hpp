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
  std::optional<std::regex> filter;       // searched in the names of cells
  bool list = false;                      // print the cells and end: needs no GPU
  std::optional<PolicyOverrides> policy;  // a second graft, with these
  std::string policy_text;
};

// `name` is the record's, $OUT/<name>.json. Prints help or what is wrong and ends the program where the command line
// asks for that.
ThroughputOptions parse_throughput_options(int argc, char** argv, const std::string& name);

}  // namespace graft::bench
