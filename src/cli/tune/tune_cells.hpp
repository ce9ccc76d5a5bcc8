// The callbacks that `graft tune` measures: one for each kind of callback (format::MeasuredKind) that programs have
// most. Kinds that are not here keep graft's own rules.
#pragma once

#include <string>
#include <vector>

#include "format/tuning_file.hpp"

namespace graft::cli {

struct TuneCell {
  std::string name;    // "f16 gelu"
  std::string source;  // of the callback
};

const std::vector<TuneCell>& tune_cells();

// Returns the kind of the cell's callback, as an engine finds it.
format::MeasuredKind kind_of(const TuneCell& cell);

// "2 bytes to 2 bytes, long math"
std::string text_of(const format::MeasuredKind& kind);

}  // namespace graft::cli
