// The table is from the lists that NVRTC 12.4, 12.8, 12.9, 13.0, 13.2, 13.3, 13.4 and 13.5 give
// (nvrtcGetSupportedArchs), and for architectures older than these from NVIDIA's release notes.
#include "plan/architectures.hpp"

#include <algorithm>
#include <array>

#include "base/format.hpp"

namespace graft::plan {
namespace {

struct Known {
  int number;
  Version first;
  Version gone;  // the first version that no longer knows the number; 0.0 if all later versions do
  int renamed;   // the number that this version gave to the same architecture
};

constexpr std::array kTable = {
    Known{75, {10, 0}, {}, 0},  Known{80, {11, 0}, {}, 0},  Known{86, {11, 1}, {}, 0},
    Known{87, {11, 4}, {}, 0},  Known{88, {13, 0}, {}, 0},  Known{89, {11, 8}, {}, 0},
    Known{90, {11, 8}, {}, 0},  Known{100, {12, 8}, {}, 0}, Known{101, {12, 8}, {13, 0}, 110},
    Known{103, {12, 9}, {}, 0}, Known{107, {13, 4}, {}, 0}, Known{110, {13, 0}, {}, 0},
    Known{120, {12, 8}, {}, 0}, Known{121, {12, 9}, {}, 0},
};

// Family-specific targets such as sm_100f came with this version.
constexpr Version kFirstWithFamilies{12, 9};

const Known* find(Architecture architecture) {
  const auto row = std::ranges::find(kTable, architecture.number, &Known::number);
  return row == kTable.end() ? nullptr : &*row;
}

Version first_of(const Known& row, Architecture architecture) {
  return architecture.suffix == 'f' ? std::max(row.first, kFirstWithFamilies) : row.first;
}

}  // namespace

std::vector<Architecture> known_architectures() {
  std::vector<Architecture> all;
  for (const Known& row : kTable)
    if (row.renamed == 0) all.emplace_back(row.number);
  return all;
}

std::optional<Version> first_version(Architecture architecture) {
  const Known* const row = find(architecture);
  return row == nullptr ? std::nullopt : std::optional(first_of(*row, architecture));
}

bool may_know(Version tools, Architecture architecture) {
  const Known* const row = find(architecture);
  if (row == nullptr) return true;
  return tools >= first_of(*row, architecture) && (row->gone == Version{} || tools < row->gone);
}

std::optional<Architecture> new_name(Version tools, Architecture architecture) {
  const Known* const row = find(architecture);
  if (row == nullptr || row->renamed == 0 || tools < row->gone) return std::nullopt;
  return Architecture(row->renamed, architecture.suffix);
}

std::string who_does(std::string_view tool, Architecture architecture) {
  const Known* const row = find(architecture);
  if (row == nullptr) return {};
  const std::string first = first_of(*row, architecture).text();
  if (row->gone == Version{}) return base::format(" ({} {} and newer do)", tool, first);
  return base::format(" ({} {} and newer of CUDA {} do; CUDA {} calls it {})", tool, first, row->first.major,
                      row->gone.text(), Architecture(row->renamed, architecture.suffix).sm());
}

}  // namespace graft::plan
