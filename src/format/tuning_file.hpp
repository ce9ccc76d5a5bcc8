// A tuning file holds what `graft tune` measured on one GPU: for callbacks whose arrays have elements of certain sizes,
// the numbers of the tuning with which their kernels are faster than with graft's own rules, and the same for kernels
// of other families. It is JSON, because people read, share and compare these files:
//
//     {
//       "graft_tuning": 1,
//       "gpu": "NVIDIA H200", "architecture": 90, "memory_clock_khz": 3201000,
//       "elementwise": [
//         {"inputs": [2], "outputs": [2], "short_integers": false, "long_math": true,
//          "vector_width": 8, "vectors_per_thread": 4, "block_threads": 64, "single_below": 8388608}
//       ],
//       "<family>": [{...}, ...]
//     }
//
// `graft_tuning` is the version of the format. All members are required but the lists of other families, and others are
// refused: a file of a later graft may mean something else by the members that this graft knows. The rows of another
// family are kept as text, because only the family knows what they say; a name that no family has is refused when all
// families check the file (engine/tunings.hpp).
//
// A file may be damaged or hostile, so the reader checks its size, its nesting, and every number. Whether the kernel
// with these numbers can exist is the family's to say (families::Family::objection_to_tuning).
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "format/outcome.hpp"
#include "graft/options.hpp"

namespace graft::format {

inline constexpr int kTuningVersion = 1;
inline constexpr std::size_t kLargestTuningFile = std::size_t{1} << 20;  // bytes
inline constexpr int kMostRowsOfTuning = 1000;

// The facts of a callback by which its kernel's tuning was measured: those on which graft's own rules depend.
struct MeasuredKind {
  std::vector<int> inputs = {}, outputs = {};  // the size of an element of each array, in bytes
  bool short_integers = false;                 // all arrays hold integers of one or two bytes
  bool long_math = false;                      // the callback calls math functions of dozens of instructions
  auto operator<=>(const MeasuredKind&) const = default;
};

struct MeasuredRow {
  MeasuredKind kind;
  MeasuredPolicy policy;
  bool operator==(const MeasuredRow&) const = default;
};

// A GPU, as far as a measurement is true for it.
struct TunedGpu {
  std::string name = {};     // as the driver says it: "NVIDIA H200"
  int memory_clock_khz = 0;  // the highest clock of its memory; 0 if the driver does not say it
  bool operator==(const TunedGpu&) const = default;
};

// The rows of other families, each the text of a JSON object, by the name of the family.
using FurtherRows = std::map<std::string, std::vector<std::string>>;

struct TuningFile {
  TunedGpu gpu;
  int architecture = 0;                       // its number: 90
  std::vector<MeasuredRow> elementwise = {};  // no kind twice
  FurtherRows further = {};
  bool operator==(const TuningFile&) const = default;
};

Outcome<TuningFile> read_tuning_file(std::string_view text);
// Returns the text, with a row on each line.
std::string write_tuning_file(const TuningFile& file);

// Returns the name under which a cache's folder has the GPU's file: "NVIDIA_H200_3201000.json". Different GPUs may have
// the same name, so the reader of the file compares the GPU too.
std::string tuning_file_name(const TunedGpu& gpu);

}  // namespace graft::format
