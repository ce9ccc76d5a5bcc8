#include "families/fft/tuned_plans.hpp"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <set>
#include <string_view>
#include <utility>

#include "base/format.hpp"
#include "base/thread_pool.hpp"
#include "families/fft/lengths.hpp"
#include "families/fft/planner.hpp"
#include "fft/butterfly.h"
#include "format/tuning_members.hpp"

namespace graft::families::fft {
namespace {

using nlohmann::json;

constexpr std::size_t kMostKernels = 3, kMostRows = 256;
constexpr int kMostThreadsInBlock = 1024, kMostResidentBlocks = 32;
constexpr std::array<std::string_view, 2> kPrecisions = {"f32", "f64"};

struct Work {
  std::string_view name;
  bool has_inverse;
  std::optional<Half> half;
};
constexpr std::array<Work, 5> kWorks = {{{"complex", false, {}},
                                         {"complex with a filter", true, {}},
                                         {"real forward", false, Half::Stored},
                                         {"real inverse", false, Half::Loaded},
                                         {"real with a filter", true, Half::Between}}};

std::string_view name_of_work(const TunedKind& kind) {
  return std::ranges::find_if(
             kWorks, [&](const Work& work) { return work.has_inverse == kind.has_inverse && work.half == kind.half; })
      ->name;
}

template <class Number>
std::int64_t product_of(const std::vector<Number>& numbers) {
  std::int64_t product = 1;
  for (const Number number : numbers) {
    if (number < 1 || number > kLongestLength) return 0;
    product *= number;
    if (product > kLongestLength) return 0;
  }
  return product;
}

// Whether a kernel can have the numbers of this place in the lists.
bool is_possible_kernel(const Choices& choices, std::size_t kernel, std::int64_t points) {
  const std::vector<int>& radices = choices.radices[kernel];
  const std::int64_t threads = choices.threads[kernel], ffts = choices.ffts[kernel];
  const int resident = choices.resident_blocks.empty() ? 0 : choices.resident_blocks[kernel];
  return points >= 2 && points <= kMostPointsOfBlock && radices.size() <= graft_fft::kMostPasses &&
         std::ranges::all_of(radices, [](int radix) { return radix >= 2 && graft_fft::is_radix(radix); }) &&
         product_of(radices) == points && threads >= 1 && ffts >= 1 && threads <= kMostThreadsInBlock &&
         ffts <= kMostThreadsInBlock && threads * ffts <= kMostThreadsInBlock && resident >= 0 &&
         resident <= kMostResidentBlocks;
}

bool are_possible(const TunedKind& kind, const Choices& choices) {
  const std::int64_t points = points_of(kind);
  const std::vector<std::int64_t> lengths = choices.factors.empty() ? std::vector{points} : choices.factors;
  const std::size_t kernels = lengths.size();
  if (kernels > (kind.half ? 1 : kMostKernels) || (kernels == 1 && !choices.factors.empty()) ||
      product_of(lengths) != points || choices.radices.size() != kernels || choices.threads.size() != kernels ||
      choices.ffts.size() != kernels || choices.split ||
      (!choices.resident_blocks.empty() && choices.resident_blocks.size() != kernels))
    return false;
  for (std::size_t i = 0; i < kernels; ++i)
    if (!is_possible_kernel(choices, i, lengths[i])) return false;
  return true;
}

template <class To, class From>
std::vector<To> as(const std::vector<From>& from) {
  return {from.begin(), from.end()};
}

TunedPlan read_row(const json& object, const std::string& where, format::Problem& problem) {
  format::Members members(object, where, problem);
  std::array<std::string_view, kWorks.size()> works;
  std::ranges::transform(kWorks, works.begin(), &Work::name);
  TunedPlan row;
  row.kind.length = members.number("length", 2, kLongestLength);
  row.kind.precision = static_cast<Precision>(members.word("precision", kPrecisions));
  const Work& work = kWorks.at(members.word("work", works));
  row.kind.has_inverse = work.has_inverse;
  row.kind.half = work.half;
  Choices& choices = row.choices;
  choices.factors = members.numbers("factors", {kMostKernels, 2, kMostPointsOfBlock});
  for (const auto& radices :
       members.lists("radices", kMostKernels, {graft_fft::kMostPasses, 2, graft_fft::kLargestRadix}))
    choices.radices.push_back(as<int>(radices));
  choices.threads = as<int>(members.numbers("threads", {kMostKernels, 1, kMostThreadsInBlock}));
  choices.ffts = as<int>(members.numbers("ffts", {kMostKernels, 1, kMostThreadsInBlock}));
  choices.resident_blocks = as<int>(members.numbers("resident_blocks", {kMostKernels, 0, kMostResidentBlocks}));
  choices.splits_complex = members.flag("splits_complex");
  members.refuse_others();
  if (std::string why = objection_to(row.kind, choices); !why.empty()) problem.note(where + ": " + why);
  return row;
}

// Returns the rows of a length, of a file that was checked. Only these are parsed, because each create comes here.
std::vector<TunedPlan> plans_of_length(const format::TuningFile& file, std::int64_t length) {
  std::vector<TunedPlan> plans;
  const auto rows = file.further.find(kFamily);
  if (rows == file.further.end()) return plans;
  const std::string member = base::format("\"length\":{},", length);  // as text_of(json) writes it
  for (const std::string& text : rows->second) {
    if (text.find(member) == text.npos) continue;
    format::Problem problem;
    TunedPlan plan = read_row(json::parse(text, nullptr, false), kFamily, problem);
    if (!problem.exists()) plans.push_back(std::move(plan));
  }
  return plans;
}

std::string spaced(const auto& numbers) {
  return base::join(numbers, " ");
}

}  // namespace

std::int64_t points_of(const TunedKind& kind) {
  return kind.half ? kind.length / 2 : kind.length;
}

std::optional<TunedKind> tuned_kind(const FftRequest& request, bool is_inverse) {
  if (!request.shape.empty() || !is_good_length(request.length) || has_half_arrays(request)) return std::nullopt;
  if (request.is_real && !has_half(request.length)) return std::nullopt;
  TunedKind kind = {request.length, request.precision, request.has_inverse, {}};
  if (request.is_real) kind.half = request.has_inverse ? Half::Between : is_inverse ? Half::Loaded : Half::Stored;
  return kind;
}

std::vector<TunedKind> tuned_kinds(std::int64_t length) {
  std::vector<TunedKind> kinds;
  if (length < 2 || !is_good_length(length)) return kinds;
  for (const Precision precision : {Precision::Single, Precision::Double})
    for (const Work& work : kWorks)
      if (!work.half || has_half(length)) kinds.push_back({length, precision, work.has_inverse, work.half});
  return kinds;
}

std::string text_of(const TunedKind& kind) {
  return base::format("{} {}, {}, {}", kind.length, kind.half ? "numbers" : "points", name_of(kind.precision),
                      name_of_work(kind));
}

std::string text_of(const Choices& choices) {
  std::string text, radices;
  if (!choices.factors.empty()) base::append(text, "factors {}, ", spaced(choices.factors));
  for (const std::vector<int>& of_kernel : choices.radices) radices += " " + base::join(of_kernel, "x");
  base::append(text, "radices{}, threads {}, FFTs {}", radices, spaced(choices.threads), spaced(choices.ffts));
  if (!choices.resident_blocks.empty()) base::append(text, ", resident blocks {}", spaced(choices.resident_blocks));
  return text + (choices.splits_complex ? ", real and imaginary parts apart" : "");
}

std::optional<Plan> tuned_plan(const TunedKind& kind, const Choices& choices, Architecture architecture) {
  return make_plan_of_choices(points_of(kind), kind.precision, architecture, kind.has_inverse, kind.half, choices);
}

std::optional<Choices> choices_of_candidate(const TunedKind& kind, const Choices& candidate,
                                            Architecture architecture) {
  const Planner planner(points_of(kind), kind.precision, architecture, candidate);
  const std::optional<Plan> plan = kind.half          ? planner.make_half(*kind.half)
                                   : kind.has_inverse ? planner.make_with_inverse()
                                                      : planner.make();
  if (!plan) return std::nullopt;
  Choices choices = choices_of(*plan);
  if (!are_possible(kind, choices)) return std::nullopt;
  const std::optional<Plan> again = tuned_plan(kind, choices, architecture);
  return again && describe(*again) == describe(*plan) ? std::optional(std::move(choices)) : std::nullopt;
}

std::string objection_to(const TunedKind& kind, const Choices& choices) {
  return are_possible(kind, choices) ? "" : base::format("its choices are those of no FFT of {}", text_of(kind));
}

std::string objection_to_tuned_choices(const FftRequest& request) {
  for (const bool is_inverse : {false, true}) {
    const Choices& choices = is_inverse ? request.tuned_inverse : request.tuned;
    if (choices == Choices{}) continue;
    const bool may_have = !is_inverse || (request.is_real && !request.has_inverse);
    const std::optional<TunedKind> kind = may_have ? tuned_kind(request, is_inverse) : std::nullopt;
    if (!kind) return "it has the choices of a plan that is not measured";
    if (std::string why = objection_to(*kind, choices); !why.empty()) return why;
  }
  return {};
}

std::string read_tuned_plans(const format::TuningFile& file, std::vector<TunedPlan>& plans) {
  const auto rows = file.further.find(kFamily);
  if (rows == file.further.end()) return {};
  if (rows->second.size() > kMostRows) return base::format("it has more than {} rows of FFTs", kMostRows);
  format::Problem problem;
  std::set<TunedKind> kinds;
  for (const std::string& text : rows->second) {
    const std::string where = base::format("row {} of `{}`", plans.size() + 1, kFamily);
    plans.push_back(read_row(json::parse(text, nullptr, false), where, problem));
    if (!kinds.insert(plans.back().kind).second) problem.note(where + " is of the same kind as an earlier one");
    if (problem.exists()) return problem.what();
  }
  return {};
}

std::string row_of(const TunedPlan& plan) {
  const Choices& choices = plan.choices;
  return format::text_of({{"length", plan.kind.length},
                          {"precision", name_of(plan.kind.precision)},
                          {"work", name_of_work(plan.kind)},
                          {"factors", choices.factors},
                          {"radices", choices.radices},
                          {"threads", choices.threads},
                          {"ffts", choices.ffts},
                          {"resident_blocks", choices.resident_blocks},
                          {"splits_complex", choices.splits_complex}});
}

FftRequest with_tuned_plans(FftRequest request, const format::TuningFile& file) {
  const std::vector<TunedPlan> plans = plans_of_length(file, request.length);
  const auto choices_for = [&](bool is_inverse) {
    const std::optional<TunedKind> kind = tuned_kind(request, is_inverse);
    const auto found = kind ? std::ranges::find(plans, *kind, &TunedPlan::kind) : plans.end();
    return found == plans.end() ? Choices{} : found->choices;
  };
  request.tuned = choices_for(false);
  if (request.is_real && !request.has_inverse) request.tuned_inverse = choices_for(true);
  return request;
}

std::string objection_to_tuned_plans(const format::TuningFile& file) {
  std::vector<TunedPlan> plans;
  if (std::string why = read_tuned_plans(file, plans); !why.empty()) return why;
  std::vector<std::uint8_t> exist(plans.size());  // bytes, because threads write to neighbours
  base::ThreadPool pool(0);
  for (std::size_t i = 0; i < plans.size(); ++i)
    pool.run([&, i] {
      exist[i] = tuned_plan(plans[i].kind, plans[i].choices, Architecture(file.architecture)).has_value() ? 1 : 0;
    });
  pool.finish();
  const auto missing = std::ranges::find(exist, 0);
  if (missing == exist.end()) return {};
  return base::format("row {} of `{}` is no plan of sm_{}", missing - exist.begin() + 1, kFamily, file.architecture);
}

}  // namespace graft::families::fft
