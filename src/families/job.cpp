#include "families/job.hpp"

#include <algorithm>
#include <optional>

#include "base/format.hpp"
#include "core/fail.hpp"

namespace graft::families {

const Entry* Schedule::find(std::string_view name) const {
  const auto found = std::ranges::find(entries, name, &Entry::name);
  return found == entries.end() ? nullptr : &*found;
}

Schedule with_entries(const Schedule& schedule, const std::vector<std::string>& names) {
  for (const std::string& name : names)
    if (schedule.find(name) == nullptr)
      refuse(base::format("the kernels have no entry \"{}\"", name), "Ask for an entry that the family documents.");
  Schedule chosen;
  std::vector<std::optional<std::size_t>> places(schedule.kernels.size());  // of the kernels in `chosen`
  for (const Entry& entry : schedule.entries) {
    if (std::ranges::find(names, entry.name) == names.end()) continue;
    Entry& taken = chosen.entries.emplace_back(Entry{entry.name, {}});
    for (const std::size_t kernel : entry.kernels) {
      std::optional<std::size_t>& place = places[kernel];
      if (!place) {
        place = chosen.kernels.size();
        chosen.kernels.push_back(schedule.kernels[kernel]);
      }
      taken.kernels.push_back(*place);
    }
  }
  return chosen;
}

}  // namespace graft::families
