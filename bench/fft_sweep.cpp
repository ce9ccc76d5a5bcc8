#include "fft_sweep.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "families/fft/candidates.hpp"
#include "graft/error.hpp"
#include "in_parallel.hpp"

namespace graft::bench {
namespace {

namespace fft = families::fft;
using fft::Precision;

constexpr int kRoundsOfCandidate = 5;
constexpr std::size_t kBestWithOtherBlocks = 3, kBestWithResidentBlocks = 16, kFinalists = 6;

// Plans of the choices that a plan can have.
template <class Plan>
std::vector<fft::Plan> plans_of(const std::vector<fft::Choices>& candidates, const Plan& plan_with) {
  struct Planned {
    const fft::Choices& choices;
    std::optional<fft::Plan> plan = {};
  };
  std::vector<Planned> planned;
  for (const fft::Choices& choices : candidates) planned.push_back({choices});
  // Choosing the padding of shared memory takes up to 30 ms.
  for_each_in_parallel(planned, [&](Planned& one) { one.plan = plan_with(one.choices); });
  std::vector<fft::Plan> plans;
  std::set<std::string> known;
  for (Planned& one : planned)
    if (one.plan && known.insert(describe(*one.plan)).second) plans.push_back(std::move(*one.plan));
  return plans;
}

bool are_same(const fft::Plan& one, const fft::Plan& other) {
  return describe(one) == describe(other);
}

// ---- the line for the table ----

std::string braces(const std::vector<std::int64_t>& numbers) {
  return fmt::format("{{{}}}", fmt::join(numbers, ", "));
}
std::string braces(const std::vector<int>& numbers) {
  return fmt::format("{{{}}}", fmt::join(numbers, ", "));
}

// The members of a table's entry behind the choices.
std::string of_work(const fft::Plan& plan, bool has_inverse) {
  const bool loads_numbers = plan.kernels.front().in.has_numbers(),
             stores_numbers = plan.kernels.back().out.has_numbers();
  if (loads_numbers && stores_numbers) return ", true, Half::Between";
  if (loads_numbers || stores_numbers) return loads_numbers ? ", false, Half::Stored" : ", false, Half::Loaded";
  return has_inverse ? ", true" : "";
}

std::string entry_of(const fft::Plan& plan) {
  const fft::Choices choices = choices_of(plan);
  std::vector<std::string> radices, members;
  for (const std::vector<int>& of_kernel : choices.radices) radices.push_back(braces(of_kernel));
  if (!choices.factors.empty()) members.push_back(".factors = " + braces(choices.factors));
  members.emplace_back(fmt::format(".radices = {{{}}}", fmt::join(radices, ", ")));
  members.push_back(".threads = " + braces(choices.threads));
  members.push_back(".ffts = " + braces(choices.ffts));
  if (!choices.resident_blocks.empty()) members.push_back(".resident_blocks = " + braces(choices.resident_blocks));
  if (choices.splits_complex) members.emplace_back(".splits_complex = true");
  const bool has_inverse =
      std::ranges::any_of(plan.kernels, [](const fft::Kernel& kernel) { return kernel.block.inverse_begin > 0; });
  return fmt::format("{{{}, Precision::{}, {{{}}}{}}},", plan.length,
                     plan.precision == Precision::Single ? "Single" : "Double", fmt::join(members, ", "),
                     of_work(plan, has_inverse));
}

// ---- the sweep ----

struct Candidate {
  fft::Plan plan;
  double milliseconds = 0;  // with callbacks
};

// A plan in step 4. Times are in units of cuFFT's without callbacks.
struct Finalist {
  fft::Plan plan;
  double plain = 0, with_callbacks = 0;

  double score() const { return std::sqrt(plain * with_callbacks); }
  nlohmann::json json() const {
    return {{"plan", describe(plan)}, {"plain", plain}, {"with_callbacks", with_callbacks}};
  }
};

class Sweep {
 public:
  Sweep(Subject& subject, int rounds)
      : subject_(subject),
        rounds_(rounds),
        calls_(is_filter(subject.work()) ? Calls::Filter : Calls::LoadAndStore),
        used_(subject.plan().value()),
        estimated_(subject.estimated_plan().value()) {}

  nlohmann::json run() {
    std::vector<fft::Choices> candidates = fft::first_candidates(subject_.length());
    candidates.push_back(choices_of(estimated_));
    try_all(candidates);
    if (fft::may_be_split(subject_.length()) && !is_real(subject_.work()))
      try_variants_of_best(kBestWithOtherBlocks, true, fft::with_other_blocks);
    try_variants_of_best(kBestWithResidentBlocks, false, fft::with_resident_blocks);
    std::vector<fft::Plan> plans;
    for (const Candidate& candidate : best(kFinalists)) plans.push_back(candidate.plan);
    for (const fft::Plan* plan : {&used_, &estimated_})
      if (std::ranges::none_of(plans, [&](const fft::Plan& other) { return are_same(other, *plan); }))
        plans.push_back(*plan);
    return report(finals(plans));
  }

 private:
  // Measures the candidates that are new.
  void try_all(const std::vector<fft::Choices>& candidates) {
    std::vector<fft::Plan> plans =
        plans_of(candidates, [this](const fft::Choices& choices) { return subject_.plan(choices); });
    std::erase_if(plans, [&](const fft::Plan& plan) { return !known_.insert(describe(plan)).second; });
    subject_.compile(plans, calls_);
    for (fft::Plan& plan : plans) {
      std::optional<Contender> contender = prepared(plan, calls_);
      if (!contender) continue;
      std::vector<Contender> alone = {std::move(*contender)};
      measure(alone, subject_.stream(), kRoundsOfCandidate);
      tried_.push_back({std::move(plan), alone[0].median()});
    }
  }

  // Tries variants of the best plans' first kernels, then variants of the second kernels of those that are best by
  // then, and so on: what one kernel takes does not depend on the others.
  template <class Variants>
  void try_variants_of_best(std::size_t count, bool only_split, const Variants& variants_of) {
    for (std::size_t kernel = 0; kernel < 3; ++kernel) {
      std::vector<fft::Choices> candidates;
      for (const Candidate& candidate : best(count)) {
        if (kernel >= candidate.plan.kernels.size() || (only_split && !candidate.plan.has_workspace())) continue;
        const std::vector<fft::Choices> variants = variants_of(candidate.plan, kernel);
        candidates.insert(candidates.end(), variants.begin(), variants.end());
      }
      try_all(candidates);
    }
  }

  std::vector<Candidate> best(std::size_t count) const {
    std::vector<Candidate> sorted = tried_;
    std::ranges::sort(sorted, {}, &Candidate::milliseconds);
    if (sorted.size() > count) sorted.resize(count);
    return sorted;
  }

  // Returns nothing if the plan does not work.
  std::optional<Contender> prepared(const fft::Plan& plan, Calls calls) {
    try {
      return subject_.graft(plan, calls);
    } catch (const std::exception& error) {
      fmt::print("    left out ({}): {}\n", error.what(), describe(plan));
    }
    cudaGetLastError();              // forgets an error that concerns only this plan
    check(cudaDeviceSynchronize());  // fails if no kernel can run any more
    return std::nullopt;
  }

  std::vector<Finalist> finals(const std::vector<fft::Plan>& plans) {
    // A filter has no plain variant, and is measured twice.
    const Calls no_calls = is_filter(subject_.work()) ? Calls::Filter : Calls::Nothing;
    subject_.compile(plans, no_calls);
    std::vector<Contender> contenders = {subject_.cufft()};
    std::vector<Finalist> finalists;
    for (const fft::Plan& plan : plans) {
      std::optional<Contender> plain = prepared(plan, no_calls), with_callbacks = prepared(plan, calls_);
      if (!plain || !with_callbacks) continue;
      contenders.push_back(std::move(*plain));
      contenders.push_back(std::move(*with_callbacks));
      finalists.push_back({plan});
    }
    measure(contenders, subject_.stream(), rounds_);
    cufft_ = contenders[0].median();
    for (std::size_t i = 0; i < finalists.size(); ++i) {
      finalists[i].plain = contenders[2 * i + 1].median() / cufft_;
      finalists[i].with_callbacks = contenders[2 * i + 2].median() / cufft_;
    }
    std::ranges::sort(finalists, {}, &Finalist::score);
    return finalists;
  }

  // What a finalist is besides, for the reader.
  std::string role_of(const fft::Plan& plan) const {
    if (are_same(plan, estimated_)) return " (the estimates' choice)";
    return are_same(plan, used_) ? " (the table's)" : "";
  }

  nlohmann::json report(const std::vector<Finalist>& finalists) const {
    fmt::print("{} {}: {} plans tried; cuFFT {:.3f} ms; with callbacks and without, in units of that:\n",
               subject_.length(), name_of(subject_.precision()), known_.size(), cufft_);
    nlohmann::json record = {{"length", subject_.length()}, {"precision", name_of(subject_.precision())},
                             {"batch", subject_.batch()},   {"tried", known_.size()},
                             {"cufft_ms", cufft_},          {"finalists", nlohmann::json::array()}};
    // A filter was measured twice.
    const bool has_filter = is_filter(subject_.work());
    const auto times_of = [&](const Finalist& finalist) {
      return has_filter ? fmt::format("{:.3f} of cuFFT's time", finalist.with_callbacks)
                        : fmt::format("{:.3f} of cuFFT's time with callbacks and {:.3f} without",
                                      finalist.with_callbacks, finalist.plain);
    };
    const auto short_times_of = [&](const Finalist& finalist) {
      return has_filter ? fmt::format("{:.3f}", finalist.with_callbacks)
                        : fmt::format("{:.3f} and {:.3f}", finalist.with_callbacks, finalist.plain);
    };
    std::string of_estimates;
    for (const Finalist& finalist : finalists) {
      fmt::print("    {:.3f} {:.3f}  {}{}\n", finalist.with_callbacks, finalist.plain, describe(finalist.plan),
                 role_of(finalist.plan));
      record["finalists"].push_back(finalist.json());
      if (!are_same(finalist.plan, estimated_)) continue;
      of_estimates = "; the estimates' choice " + short_times_of(finalist);
      record["estimated"] = finalist.json();
    }
    if (finalists.empty()) return record;
    const Finalist& best = finalists.front();
    record["graft_ms"] = best.plain * cufft_;
    record["callbacks_ms"] = best.with_callbacks * cufft_;
    if (!are_same(best.plan, estimated_)) {
      record["entry"] = entry_of(best.plan);
      fmt::print("      // {}{}\n      {}\n", times_of(best), of_estimates, entry_of(best.plan));
    }
    std::fflush(stdout);  // a run that is cut off keeps what it printed
    return record;
  }

  Subject& subject_;
  int rounds_;
  Calls calls_;
  const fft::Plan used_, estimated_;
  std::vector<Candidate> tried_;
  std::set<std::string> known_;  // descriptions
  double cufft_ = 0;             // milliseconds
};

}  // namespace

nlohmann::json sweep(Subject& subject, int rounds) {
  return Sweep(subject, rounds).run();
}

std::size_t print_first_step(std::int64_t length, Precision precision, int architecture) {
  const std::vector<fft::Plan> plans =
      plans_of(fft::first_candidates(length), [&](const fft::Choices& choices) -> std::optional<fft::Plan> {
        try {
          return make_plan(length, precision, architecture, choices);
        } catch (const Error&) {  // no plan has these choices
          return std::nullopt;
        }
      });
  std::set<std::string> texts;
  for (const fft::Plan& plan : plans)
    for (std::size_t kernel = 0; kernel < plan.kernels.size(); ++kernel)
      texts.insert(kernel_text(plan, kernel, Calls::LoadAndStore));
  fmt::print("{} {}: {} plans, {} kernels\n", length, name_of(precision), plans.size(), texts.size());
  return texts.size();
}

}  // namespace graft::bench
