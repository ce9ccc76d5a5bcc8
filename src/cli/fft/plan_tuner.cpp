#include "cli/fft/plan_tuner.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <set>
#include <stdexcept>
#include <utility>

#include "base/format.hpp"
#include "base/thread_pool.hpp"
#include "cli/bench/measurement.hpp"
#include "cli/bench/place.hpp"
#include "cli/fft/fft_subject.hpp"
#include "cli/tune/tune_choice.hpp"
#include "core/fail.hpp"
#include "engine/job_ahead.hpp"
#include "engine/taken_options.hpp"
#include "families/fft/candidates.hpp"
#include "families/fft/job.hpp"
#include "graft/error.hpp"

namespace graft::cli {
namespace {

namespace fft = families::fft;
using fft::Choices;
using fft::Half;
using fft::Precision;
using fft::TunedKind;
using nlohmann::json;

constexpr int kSamplesOfCandidate = 5;
constexpr std::size_t kBestWithOtherExchanges = 8, kBestWithOtherBlocks = 2, kBestWithResidentBlocks = 6,
                      kMostConfirmedPlans = 4;
// Of a call. Fewer points take the time of a launch alone.
constexpr std::uint64_t kFewestPoints = std::uint64_t{1} << 16, kMostPoints = std::uint64_t{1} << 24;

enum class Use : std::uint8_t { Plain, WithCallbacks };
constexpr std::array kUses = {Use::Plain, Use::WithCallbacks};
constexpr std::array<const char*, kUses.size()> kNamesOfUses = {"plain", "callbacks"};

// Arithmetic for which memory does not wait, on numbers and on complex numbers.
std::string scaling_callback(bool is_number, Precision precision, bool by_place) {
  const bool is_single = precision == Precision::Single;
  const char* const real = is_single ? "float" : "double";
  const char* const point = is_number ? real : is_single ? "float2" : "double2";
  const std::string factor =
      by_place ? base::format("({0}(i & 63) * {0}(0.0078125) + {0}(0.5))", real) : base::format("{}(0.75)", real);
  return base::format("__device__ {0} f({0} z{1}) {{ const {2} w = {3}; return {4}; }}", point,
                      by_place ? ", graft::Index i" : "", real, factor, is_number ? "w * z" : "{w * z.x, w * z.y}");
}

bool loads_numbers(const TunedKind& kind) {
  return kind.half && *kind.half != Half::Loaded;
}
bool stores_numbers(const TunedKind& kind) {
  return kind.half && *kind.half != Half::Stored;
}

families::Job job_of(const TunedKind& kind, Use use, const std::optional<Choices>& choices) {
  const bool is_inverse = kind.half == Half::Loaded;
  FftPlan plan = {.length = kind.length,
                  .precision = kind.precision == Precision::Single ? FftPrecision::F32 : FftPrecision::F64,
                  .kind = kind.half ? FftKind::Real : FftKind::Complex};
  if (!kind.has_inverse) plan.directions = is_inverse ? FftDirections::Inverse : FftDirections::Forward;
  FftCallbacks callbacks;
  if (kind.has_inverse) callbacks.between = Callback(scaling_callback(false, kind.precision, true));
  if (use == Use::WithCallbacks) {
    callbacks.load = Callback(scaling_callback(loads_numbers(kind), kind.precision, true));
    callbacks.store = Callback(scaling_callback(stores_numbers(kind), kind.precision, false));
  }
  families::Job job = fft::job_of(plan, callbacks);
  fft::FftRequest request;
  if (const std::string why = fft::read(job.request, request); !why.empty())
    refuse(base::format("an FFT cannot be measured: {}", why), "Give another length.");
  if (choices) (is_inverse ? request.tuned_inverse : request.tuned) = *choices;
  job.request = fft::write(request);
  return job;
}

FftItems items_of(const TunedKind& kind) {
  const auto length = static_cast<std::uint64_t>(kind.length);
  FftItems items = {.in = length, .out = length};
  if (kind.half == Half::Stored) items.out = length / 2 + 1;
  if (kind.half == Half::Loaded) items = {.in = length / 2 + 1, .out = length, .direction = Direction::Inverse};
  return items;
}

// The layouts of the input and the output.
std::vector<ElementLayout> layouts_of(const TunedKind& kind) {
  const auto size = static_cast<std::size_t>(real_bytes(kind.precision));
  const auto layout = [&](bool is_number) {
    ElementLayout one{.size = is_number ? size : 2 * size, .parts = {{ElementKind::Float, 0, size}}};
    if (!is_number) one.parts.push_back({ElementKind::Float, size, size});
    return one;
  };
  return {layout(loads_numbers(kind)), layout(stores_numbers(kind))};
}

// How many FFTs have about so many points.
std::uint64_t batch_of(std::uint64_t points, const TunedKind& kind) {
  return std::max<std::uint64_t>(points / static_cast<std::uint64_t>(kind.length), 1);
}

// Without the log of a compiler.
std::string message_of(const std::exception& error) {
  const auto* const of_graft = dynamic_cast<const Error*>(&error);
  return of_graft != nullptr ? of_graft->message() : std::string(error.what());
}

using SubjectPointer = std::unique_ptr<const Subject>;

class PlanTuner {
 public:
  PlanTuner(const TuneContext& context, const TunedKind& kind)
      : context_(context),
        kind_(kind),
        place_(gpu_place(context.device)),
        shipped_images_(build(Use::Plain, std::nullopt)),
        shipped_{load(shipped_images_), load(build(Use::WithCallbacks, std::nullopt))},
        measurement_(*place_, shipped(Use::Plain), layouts_of(kind), nullptr) {
    batches_ = measurement_.usual_counts(batch_of(kFewestPoints, kind));
    std::erase_if(batches_, [&](std::uint64_t batch) { return batch > most_batch(); });
    if (batches_.size() > 2) batches_ = {batches_.front(), batches_.back()};
    measurement_.prepare(batches_);
    known_.insert(text_of(choices_of_shipped()));
  }

  TunedJob tune() {
    try_first_candidates();
    if (!kind_.half && fft::may_be_split(kind_.length))
      try_variants_of_best(kBestWithOtherBlocks, true, fft::with_other_blocks);
    try_variants_of_best(kBestWithResidentBlocks, false, fft::with_resident_blocks);
    for (const Candidate& candidate : best(kMostConfirmedPlans))
      if (confirms(candidate.choices)) break;
    job_.record["tried"] = tried_.size();
    job_.record["shipped_plan"] = shipped_images_.front().report().to_text();
    return std::move(job_);
  }

 private:
  struct Candidate {
    Choices choices;
    std::vector<Image> images = {};  // with callbacks
    std::string problem = {};        // why there are none
    double seconds = 0;
  };

  std::vector<Image> build(Use use, const std::optional<Choices>& choices) const {
    Options options;
    options.shipped_tuning = true;
    const engine::JobKernels kernels(job_of(kind_, use, choices));
    return engine::build(Engine::Impl::of(context_.engine), kernels, context_.architecture,
                         engine::TakenOptions(kernels.callbacks(), options).get());
  }
  SubjectPointer load(const std::vector<Image>& images) const {
    return fft_subject(images, context_.device, most_batch(), {}, items_of(kind_));
  }
  std::uint64_t most_batch() const { return batch_of(kMostPoints, kind_); }
  const Subject& shipped(Use use) const { return *shipped_[static_cast<std::size_t>(use)]; }

  Choices choices_of_shipped() const {
    fft::KernelRequest request;
    fft::read(shipped_images_.front().report().kernel, request);
    return choices_of(*plan_of(request));
  }

  void leave_out(const Choices& choices, const std::string& why) {
    job_.left_out.push_back(base::format("{}: {}", text_of(choices), why));
    // Throws if no kernel can run any more.
    measurement_.seconds_in_turns(std::vector{&shipped(Use::Plain)}, batches_.front(), 1);
  }

  // One kind of exchange of all, and the other kind of the best.
  void try_first_candidates() {
    std::vector<Choices> candidates = fft::first_candidates(fft::points_of(kind_));
    std::erase_if(candidates, [](const Choices& one) { return one.splits_complex; });
    try_candidates(candidates);
    candidates.clear();
    for (Candidate& one : best(kBestWithOtherExchanges)) {
      one.choices.splits_complex = !one.choices.splits_complex;
      candidates.push_back(std::move(one.choices));
    }
    try_candidates(candidates);
  }

  // Measures the candidates that are new.
  void try_candidates(const std::vector<Choices>& choices) {
    std::vector<std::optional<Choices>> whole(choices.size());
    in_parallel(choices.size(),
                [&](std::size_t i) { whole[i] = fft::choices_of_candidate(kind_, choices[i], context_.architecture); });
    std::vector<Candidate> candidates;
    for (std::optional<Choices>& one : whole)
      if (one && known_.insert(text_of(*one)).second) candidates.push_back({std::move(*one)});
    in_parallel(candidates.size(), [&](std::size_t i) { compile(candidates[i]); });
    for (Candidate& candidate : candidates)
      if (measure(candidate)) tried_.push_back(std::move(candidate));
  }

  template <class Work>
  static void in_parallel(std::size_t count, const Work& work) {
    base::ThreadPool pool(0);
    for (std::size_t i = 0; i < count; ++i) pool.run([&work, i] { work(i); });
    pool.finish();
  }

  void compile(Candidate& candidate) const noexcept {
    try {
      candidate.images = build(Use::WithCallbacks, candidate.choices);
    } catch (const std::exception& error) {
      candidate.problem = message_of(error);
    }
  }

  // Returns whether the candidate runs, and sets its time.
  bool measure(Candidate& candidate) {
    try {
      if (candidate.images.empty()) throw std::runtime_error(candidate.problem);
      const SubjectPointer subject = load(candidate.images);
      candidate.seconds =
          measurement_.seconds_in_turns(std::vector{subject.get()}, batches_.back(), kSamplesOfCandidate)
              .front()
              .median;
      candidate.images.clear();
      return true;
    } catch (const std::exception& error) {
      leave_out(candidate.choices, message_of(error));
      return false;
    }
  }

  // Tries variants of the best plans' first kernels, then variants of the second kernels of those that are best by
  // then, and so on: what one kernel takes does not depend on the others.
  template <class Variants>
  void try_variants_of_best(std::size_t count, bool only_split, const Variants& variants_of) {
    for (std::size_t kernel = 0; kernel < 3; ++kernel) {
      std::vector<Choices> variants;
      for (const Candidate& candidate : best(count)) {
        const std::optional<fft::Plan> plan = tuned_plan(kind_, candidate.choices, context_.architecture);
        if (kernel >= candidate.choices.radices.size() || (only_split && !plan->has_workspace())) continue;
        const std::vector<Choices> some = variants_of(*plan, kernel);
        variants.insert(variants.end(), some.begin(), some.end());
      }
      try_candidates(variants);
    }
  }

  std::vector<Candidate> best(std::size_t count) const {
    std::vector<Candidate> sorted = tried_;
    std::ranges::sort(sorted, {}, &Candidate::seconds);
    if (sorted.size() > count) sorted.resize(count);
    return sorted;
  }

  // Measures the plan in all uses, and keeps it if it is an improvement.
  bool confirms(const Choices& choices) {
    TuneTimes shipped_times, tuned_times;
    std::vector<Image> images;
    try {
      for (const Use use : kUses) {
        images = build(use, choices);
        const SubjectPointer subject = load(images);
        for (const std::uint64_t batch : batches_) {
          check_results(use, *subject, batch);
          const auto times =
              measurement_.seconds_in_turns(std::vector{&shipped(use), subject.get()}, batch, context_.samples);
          shipped_times.push_back(times[0]);
          tuned_times.push_back(times[1]);
        }
      }
    } catch (const std::exception& error) {
      leave_out(choices, message_of(error));
      return false;
    }
    if (!is_improvement(shipped_times, tuned_times)) return false;
    keep(choices, images, shipped_times, tuned_times);
    return true;
  }

  void check_results(Use use, const Subject& subject, std::uint64_t batch) {
    const double difference = measurement_.relative_difference(shipped(use), subject, batch);
    if (difference <= most_difference(fft::points_of(kind_), kind_.precision)) return;
    throw std::runtime_error(base::format("its results differ by {:.3g} from those of graft's own plan", difference));
  }

  void keep(const Choices& choices, const std::vector<Image>& images, const TuneTimes& shipped_times,
            const TuneTimes& tuned_times) {
    job_.row = fft::row_of({kind_, choices});
    job_.text = base::format("{}: {}; graft's own plan has {}\n", text_of(kind_), text_of(choices),
                             text_of(choices_of_shipped()));
    base::append(job_.text, "{:>15} {:>10} {:>13} {:>13} {:>7}\n", "FFTs", "", "graft's own", "tuned", "speed");
    job_.record["tuned_plan"] = images.front().report().to_text();
    job_.record["rows"] = json::array();
    for (std::size_t i = 0; i < tuned_times.size(); ++i) {
      const std::uint64_t batch = batches_[i % batches_.size()];
      const char* const use = kNamesOfUses.at(i / batches_.size());
      const base::Spread &shipped = shipped_times[i], &tuned = tuned_times[i];
      base::append(job_.text, "{:>15} {:>10} {:>10.2f} us {:>10.2f} us {:>7.3f}\n", batch, use, shipped.median * 1e6,
                   tuned.median * 1e6, shipped.median / tuned.median);
      job_.record["rows"].push_back(
          {{"count", batch}, {"use", use}, {"rules", json_of(shipped)}, {"tuned", json_of(tuned)}});
    }
  }

  static json json_of(const base::Spread& one) {
    return {{"median_us", one.median * 1e6}, {"q1_us", one.lower * 1e6}, {"q3_us", one.upper * 1e6}};
  }

  const TuneContext& context_;
  const TunedKind kind_;
  std::unique_ptr<Place> place_;
  std::vector<Image> shipped_images_;
  std::array<SubjectPointer, kUses.size()> shipped_;
  Measurement measurement_;             // of both uses, whose arrays are the same
  std::vector<std::uint64_t> batches_;  // of the calls that are compared: a small and a large one
  std::vector<Candidate> tried_;
  std::set<std::string> known_;  // the choices of all candidates, as text
  TunedJob job_;
};

}  // namespace

double most_difference(std::int64_t points, Precision precision) {
  const double epsilon = precision == Precision::Single ? double{std::numeric_limits<float>::epsilon()}
                                                        : std::numeric_limits<double>::epsilon();
  return 4 * epsilon * std::max(1.0, std::log2(static_cast<double>(points)));
}

TunedJob tune_plan(const TuneContext& context, const TunedKind& kind) {
  return PlanTuner(context, kind).tune();
}

}  // namespace graft::cli
