#include "scenarios/cufft/patterns.hpp"

#include <cmath>
#include <numbers>

#include "base/format.hpp"

namespace graft::test::cufft {

FftPlan Pattern::plan() const {
  return {.length = kLength, .precision = precision, .directions = FftDirections::Forward};
}

FftCallbacks Pattern::callbacks() const {
  const Callback callback = Callback::source(text, name + ".cu").with_entry(entry);
  return is_load ? FftCallbacks{.load = callback} : FftCallbacks{.store = callback};
}

Options Pattern::options_for(Route route) const {
  Options options;
  options.routes.required = route;
  options.shared_bytes = shared_bytes;
  return options;
}

double number_at(std::size_t i) {
  return static_cast<double>((i * 37 + 11) % 64) / 32 - 1;
}
Wide complex_at(std::size_t i) {
  return {number_at(2 * i), number_at(2 * i + 1)};
}

std::vector<Wide> spectra_of(const std::function<Wide(std::size_t)>& point) {
  std::vector<Wide> spectra(kCount);
  for (std::size_t k = 0; k < kCount; ++k)
    for (std::size_t n = 0; n < kLength; ++n) {
      const double turns = static_cast<double>(k % kLength * n) / static_cast<double>(kLength);
      spectra[k] += point(k / kLength * kLength + n) * std::polar(1.0, -2 * std::numbers::pi * turns);
    }
  return spectra;
}

std::string difference(const std::vector<double>& found, const std::vector<double>& expected, double tolerance) {
  if (found.size() != expected.size()) return base::format("{} numbers, not {}", found.size(), expected.size());
  for (std::size_t i = 0; i < found.size(); ++i)
    if (!(std::abs(found[i] - expected[i]) <= tolerance))
      return base::format("number {} is {}, not {}", i, found[i], expected[i]);
  return {};
}

const std::vector<Pattern>& all_patterns() {
  static const std::vector<Pattern> patterns = [] {
    List list;
    add_loads(list);
    add_stores(list);
    return list.take();
  }();
  return patterns;
}

}  // namespace graft::test::cufft
