// A cell is one measurement: an operation, a count and an alignment, with the timing of each contender. Cells that are
// compared with each other (misaligned with aligned arrays) form a group and are measured in turns.
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
  std::vector<Alignment> alignments;  // the aligned arrays come first

  std::string name() const;  // "mul f32 2^24", followed by "misaligned" if the group compares alignments
  bool about_alignment() const { return alignments.size() > 1; }
  // Bytes of the largest array of a launch.
  std::size_t largest_array() const { return count * operation->largest_element(); }
  std::size_t bytes() const { return count * operation->bytes_per_element(); }  // bytes that a launch reads and writes
};

// Returns the groups that the options (part, filter and counts) select, ordered by operation.
std::vector<Group> choose_groups(const ThroughputOptions& options, std::size_t largest_array);

// The timing of one contender in one cell.
struct Timing {
  std::string contender;
  Alignment alignment = Alignment::Aligned;
  double bytes = 0;             // bytes that a launch reads and writes
  std::vector<double> seconds;  // seconds per launch, one value per repetition
  unsigned long long wrong = 0;
  std::string error;

  bool usable() const { return wrong == 0 && error.empty() && !seconds.empty(); }
  double gigabytes_per_second() const;  // from the median; 0 if the timing is not usable
};

struct GroupResult {
  Group group;
  int batch = 0;
  std::vector<Timing> timings;

  const Timing* find(std::string_view contender, Alignment alignment) const;
  std::string cell_name(Alignment alignment) const;
};

}  // namespace graft::bench
