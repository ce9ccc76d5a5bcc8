#include "families/job.hpp"

#include <algorithm>
#include <optional>

#include "base/format.hpp"
#include "core/fail.hpp"

namespace graft::families {

std::optional<Callback> Job::find(std::string_view place) const {
  const auto found = std::ranges::find(callbacks, place, &NamedCallback::name);
  return found == callbacks.end() ? std::nullopt : std::optional(found->callback);
}

const Method* Schedule::find(std::string_view name) const {
  const auto found = std::ranges::find(methods, name, &Method::name);
  return found == methods.end() ? nullptr : &*found;
}

Schedule with_methods(const Schedule& schedule, const std::vector<std::string>& names) {
  for (const std::string& name : names)
    if (schedule.find(name) == nullptr)
      refuse(base::format("the kernels have no method \"{}\"", name), "Ask for a method that the family documents.");
  Schedule chosen;
  std::vector<std::optional<std::size_t>> places(schedule.kernels.size());  // of the kernels in `chosen`
  for (const Method& method : schedule.methods) {
    if (std::ranges::find(names, method.name) == names.end()) continue;
    Method& taken = chosen.methods.emplace_back(Method{method.name, {}});
    for (const std::size_t kernel : method.kernels) {
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
