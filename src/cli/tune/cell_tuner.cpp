#include "cli/tune/cell_tuner.hpp"

#include <algorithm>
#include <memory>
#include <span>
#include <utility>

#include "base/format.hpp"
#include "cli/bench/measurement.hpp"
#include "cli/bench/place.hpp"
#include "cli/bench/subject.hpp"
#include "core/fail.hpp"
#include "families/elementwise/measured.hpp"
#include "graft/error.hpp"

namespace graft::cli {
namespace {

constexpr int kSamplesOfTrial = 5;  // of each shape, to find those that are worth more
constexpr std::size_t kMostConfirmed = 3;
// The fewest elements of a call; others are four times as many each. Fewer take the time of a launch alone.
constexpr std::uint64_t kFewestElements = std::uint64_t{1} << 16;
constexpr std::uint64_t kMostTunedElements = std::uint64_t{1} << 26;

using SubjectPointer = std::unique_ptr<const Subject>;

class CellTuner {
 public:
  CellTuner(Engine& engine, const TuneCell& cell, int device, Architecture architecture)
      : engine_(engine),
        cell_(cell),
        device_(device),
        architecture_(architecture),
        place_(gpu_place(device)),
        rules_image_(build(std::nullopt)),
        rules_(transform_subject(rules_image_, device, {})),
        measurement_(*place_, *rules_, layouts(), nullptr) {}

  TunedCell tune(int samples) {
    TunedCell tuned = {.name = cell_.name, .kind = kind_of(cell_), .rules = policy_of_rules(), .counts = counts()};
    measurement_.prepare(tuned.counts);
    std::vector<MeasuredPolicy> best = best_shapes(tuned);
    best.resize(std::min(best.size(), kMostConfirmed));
    for (const MeasuredPolicy& policy : best) {
      const SubjectPointer subject = transform_subject(build(policy), device_, {});
      check_results(*subject, tuned.counts);
      const auto times = times_of({rules_.get(), subject.get()}, tuned.counts, samples);
      if (!is_improvement(times[0], times[1])) continue;
      tuned.tuned = policy;
      tuned.rules_seconds = times[0];
      tuned.tuned_seconds = times[1];
      break;
    }
    return tuned;
  }

 private:
  Image build(const std::optional<MeasuredPolicy>& policy) const {
    Options options;
    options.shipped_tuning = true;
    options.measured = policy;
    return graft::build(engine_, Callback(cell_.source), architecture_, options);
  }

  std::vector<ElementLayout> layouts() const {
    std::vector<ElementLayout> found;
    for (const BenchArray& array : rules_->arrays()) found.push_back(layout_of(array.type));
    return found;
  }

  MeasuredPolicy policy_of_rules() const {
    const Tuning& tuning = rules_image_.report().kernel.tuning;
    return {.vector_width = static_cast<int>(tuning["vector_width"]),
            .vectors_per_thread = static_cast<int>(tuning["vectors_per_thread"]),
            .block_threads = static_cast<int>(tuning["block_threads"]),
            .single_below = tuning["single_below"]};
  }

  std::vector<std::uint64_t> counts() const {
    std::vector<std::uint64_t> counts = measurement_.usual_counts(kFewestElements);
    std::erase_if(counts, [](std::uint64_t count) { return count > kMostTunedElements; });
    return counts;
  }

  // Returns the times of the subjects, which take turns.
  std::vector<TuneTimes> times_of(const std::vector<const Subject*>& subjects, const std::vector<std::uint64_t>& counts,
                                  int samples) {
    std::vector<TuneTimes> times(subjects.size());
    for (const std::uint64_t count : counts) {
      const std::vector<base::Spread> spreads = measurement_.seconds_in_turns(subjects, count, samples);
      for (std::size_t i = 0; i < subjects.size(); ++i) times[i].push_back(spreads[i]);
    }
    return times;
  }

  std::vector<MeasuredPolicy> best_shapes(const TunedCell& tuned) {
    const auto can_be = [&](const MeasuredPolicy& policy) {
      return elementwise::objection_to(format::MeasuredRow{tuned.kind, policy}).empty();
    };
    std::vector<TuneCandidate> candidates = {{tuned.rules, {}}};
    std::vector<SubjectPointer> made;
    std::vector<const Subject*> subjects = {rules_.get()};
    for (const MeasuredPolicy& shape : tile_shapes(tuned.rules, can_be)) {
      const Image image = build(shape);
      // Without an exact adapter, creating the kernel would take several times as long.
      if (image.report().kernel.tuning["exact"] != rules_image_.report().kernel.tuning["exact"]) continue;
      candidates.push_back({shape, {}});
      made.push_back(transform_subject(image, device_, {}));
      subjects.push_back(made.back().get());
    }
    std::vector<TuneTimes> times = times_of(subjects, tuned.counts, kSamplesOfTrial);
    for (std::size_t i = 0; i < candidates.size(); ++i) candidates[i].seconds = std::move(times[i]);
    std::vector<MeasuredPolicy> best = promising(candidates.front().seconds, candidates, tuned.counts);
    std::erase(best, tuned.rules);
    return best;
  }

  void check_results(const Subject& subject, const std::vector<std::uint64_t>& counts) {
    for (const std::uint64_t count : counts)
      if (!measurement_.has_same_results(subject, count))
        fail(ErrorCode::DriverFailed,
             base::format("{} of {} elements has other results with another tuning than with that of graft's rules",
                          cell_.name, count),
             "Check the GPU's memory (nvidia-smi -q), and measure again.");
  }

  Engine& engine_;
  const TuneCell& cell_;
  int device_;
  Architecture architecture_;
  std::unique_ptr<Place> place_;
  Image rules_image_;
  SubjectPointer rules_;
  Measurement measurement_;
};

}  // namespace

TunedCell tune_cell(Engine& engine, const TuneCell& cell, int device, Architecture architecture, int samples) {
  return CellTuner(engine, cell, device, architecture).tune(samples);
}

}  // namespace graft::cli
