// What is measured: cells (an operation, a count and an alignment), and what came of each contender in them. Cells that
// are compared with each other, misaligned arrays with aligned ones, are one group and are measured by turns.
#pragma once

#include <string>
#include <vector>

#include "arena.hpp"
#include "operation.hpp"
#include "options.hpp"

namespace graft::bench {

struct Group {
  const Operation* operation;
  std::size_t count;
  std::vector<Alignment> alignments;  // aligned first

  std::string name() const;  // "mul f32 2^24", and "misaligned" behind it where that is asked
  bool about_alignment() const { return alignments.size() > 1; }
  std::size_t largest_array() const { return count * operation->largest_element(); }  // bytes
  std::size_t bytes() const { return count * operation->bytes_per_element(); }        // read and written
};

// All groups of the chosen part that the filter and the counts leave, by operation.
std::vector<Group> choose_groups(const ThroughputOptions& options, std::size_t largest_array);

// One contender in one cell.
struct Timing {
  std::string contender;
  Alignment alignment = Alignment::Aligned;
  double bytes = 0;             // that a launch of its reads and writes
  std::vector<double> seconds;  // of one launch, one for each repetition
  unsigned long long wrong = 0;
  std::string error;

  bool usable() const { return wrong == 0 && error.empty() && !seconds.empty(); }
  double gigabytes_per_second() const;  // the median; 0 when not usable
};

struct GroupResult {
  Group group;
  int batch = 0;
  std::vector<Timing> timings;

  const Timing* find(std::string_view contender, Alignment alignment) const;
  std::string cell_name(Alignment alignment) const;
};

}  // namespace graft::bench
