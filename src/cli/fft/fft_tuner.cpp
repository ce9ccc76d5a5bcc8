#include "cli/fft/fft_tuner.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <system_error>
#include <utility>

#include "base/format.hpp"
#include "cli/fft/plan_tuner.hpp"

namespace graft::cli {
namespace {

using families::fft::Half;
using families::fft::Precision;
using families::fft::TunedKind;

// The lengths of signals and images that programs have most. Others keep graft's own plans, unless --fft names them.
const std::vector<TunedKind>& usual_kinds() {
  static const std::vector<TunedKind> kinds = [] {
    std::vector<TunedKind> found;
    for (const std::int64_t n : {64, 128, 256, 512, 1000, 1024, 2048, 4096, 8192, 16384, 65536, 1048576})
      found.push_back({n, Precision::Single, false, {}});
    for (const std::int64_t n : {256, 512, 1024, 2048, 4096}) found.push_back({n, Precision::Double, false, {}});
    for (const std::int64_t n : {1024, 4096}) {
      found.push_back({n, Precision::Single, true, {}});
      for (const Half half : {Half::Stored, Half::Loaded}) found.push_back({n, Precision::Single, false, half});
    }
    return found;
  }();
  return kinds;
}

// Returns no kinds for a word that is no length whose plans are measured.
std::vector<TunedKind> kinds_of(std::string_view word) {
  std::int64_t length = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), length);
  const bool is_number = error == std::errc() && end == word.data() + word.size();
  return is_number ? families::fft::tuned_kinds(length) : std::vector<TunedKind>();
}

std::vector<std::string_view> words_in(std::string_view list) {
  std::vector<std::string_view> words;
  for (std::size_t comma = 0; comma != list.npos; list.remove_prefix(comma == list.npos ? 0 : comma + 1)) {
    comma = list.find(',');
    words.push_back(list.substr(0, comma));
  }
  return words;
}

std::string problem_of_lengths(const std::string& list) {
  for (const std::string_view word : words_in(list))
    if (kinds_of(word).empty())
      return base::format("{} is no length whose plans are measured: it must have no prime factor above 31", word);
  return {};
}

std::vector<TunedKind> kinds_of(const std::vector<std::string>& lists) {
  if (lists.empty()) return usual_kinds();
  std::vector<TunedKind> kinds;
  for (const std::string& list : lists)
    for (const std::string_view word : words_in(list))
      for (const TunedKind& kind : kinds_of(word))
        if (std::ranges::find(kinds, kind) == kinds.end()) kinds.push_back(kind);
  return kinds;
}

// "fft 4096 f32", "fft 4096 f32 real forward"
std::string name_of(const TunedKind& kind) {
  std::string name = base::format("fft {} {}", kind.length, families::fft::name_of(kind.precision));
  if (kind.half)
    name += *kind.half == Half::Stored ? " real forward" : *kind.half == Half::Loaded ? " real inverse" : " real";
  return name + (kind.has_inverse ? " filter" : "");
}

class FftTuner final : public JobTuner {
 public:
  std::string_view family() const noexcept override { return families::fft::kFamily; }
  std::string_view noun() const noexcept override { return "FFTs"; }
  std::string_view effect() const noexcept override {
    return "An FFT by another plan adds in another order, so its results may differ in rounding.";
  }
  JobOption option() const override {
    return {"--fft",
            "Measure plans of FFTs of these lengths in place of the usual ones: complex and real, with and without a "
            "filter, in both precisions (repeatable)",
            "N[,N...]", problem_of_lengths, true};
  }
  std::vector<TuneJob> jobs(const std::vector<std::string>& values) const override {
    std::vector<TuneJob> jobs;
    for (const TunedKind& kind : kinds_of(values))
      jobs.push_back(
          {name_of(kind), text_of(kind), [kind](const TuneContext& context) { return tune_plan(context, kind); }});
    return jobs;
  }
};

}  // namespace

const JobTuner& fft_tuner() {
  static const FftTuner one;
  return one;
}

}  // namespace graft::cli
