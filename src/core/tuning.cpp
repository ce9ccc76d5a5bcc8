// A Tuning is a list of the named numbers that graft was free to choose for a kernel. The list is short, so find() and
// set() search it linearly.
#include "graft/tuning.hpp"

#include <algorithm>

namespace graft {

const std::int64_t* Tuning::find(std::string_view name) const noexcept {
  const auto found = std::ranges::find(decisions_, name, &Decision::name);
  return found == decisions_.end() ? nullptr : &found->value;
}

std::int64_t Tuning::operator[](std::string_view name) const noexcept {
  const std::int64_t* const value = find(name);
  return value == nullptr ? 0 : *value;
}

void Tuning::set(std::string_view name, std::int64_t value) {
  const auto found = std::ranges::find(decisions_, name, &Decision::name);
  if (found == decisions_.end()) decisions_.push_back({std::string(name), value});
  else found->value = value;
}

}  // namespace graft
