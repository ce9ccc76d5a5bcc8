// Converts an Architecture to text and back. Parses "sm_90a", "compute_90" and "90", and prints "sm_90" and
// "compute_90".
#include "graft/architecture.hpp"
#include "base/format.hpp"

#include <charconv>

#include "core/fail.hpp"
#include "graft/error.hpp"

namespace graft {

Architecture Architecture::parse(std::string_view text) {
  std::string_view digits = text;
  for (std::string_view prefix : {"sm_", "compute_"})
    if (digits.starts_with(prefix)) digits.remove_prefix(prefix.size());
  Architecture result;
  const char* end = digits.data() + digits.size();
  const auto [rest, failure] = std::from_chars(digits.data(), end, result.number);
  if (end - rest == 1 && (*rest == 'a' || *rest == 'f')) result.suffix = *rest;
  const bool whole = rest + (result.suffix != '\0') == end;
  if (failure != std::errc{} || !whole || result.number < 10 || result.number > 999)
    refuse(base::format("\"{}\" is not a GPU architecture", text), "Write it like sm_90, sm_90a or 90.");
  return result;
}

std::string Architecture::sm() const {
  return suffix == '\0' ? base::format("sm_{}", number) : base::format("sm_{}{}", number, suffix);
}

std::string Architecture::compute() const {
  return suffix == '\0' ? base::format("compute_{}", number) : base::format("compute_{}{}", number, suffix);
}

}  // namespace graft
