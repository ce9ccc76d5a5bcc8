// Measures one kind of callback on a GPU with the tuning of graft's rules and with others, and chooses.
//
// First the shape of a tile is varied, with few samples. Then the best shapes are measured again in turns with the
// rules' kernel, with all samples, until one is an improvement (tune_choice.hpp). Its results must be those of the
// rules' kernel, bit by bit.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "cli/tune/tune_cells.hpp"
#include "cli/tune/tune_choice.hpp"
#include "format/tuning_file.hpp"
#include "graft/architecture.hpp"
#include "graft/engine.hpp"

namespace graft::cli {

struct TunedCell {
  std::string name;
  format::MeasuredKind kind;
  MeasuredPolicy rules;
  std::vector<std::uint64_t> counts;  // of elements
  // The tuning that is an improvement, and its times beside those of the rules. Nothing if there is none.
  std::optional<MeasuredPolicy> tuned = {};
  TuneTimes rules_seconds = {}, tuned_seconds = {};
};

// `engine` builds the kernels; its cache must be off or in memory. Throws Error, also if a kernel with another tuning
// has other results.
TunedCell tune_cell(Engine& engine, const TuneCell& cell, int device, Architecture architecture, int samples);

}  // namespace graft::cli
