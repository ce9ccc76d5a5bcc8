#include "families/fft/request.hpp"

#include <algorithm>
#include <cmath>
#include <deque>
#include <mutex>
#include <optional>
#include <tuple>
#include <type_traits>
#include <utility>

#include "base/format.hpp"
#include "base/immortal.hpp"
#include "base/record.hpp"
#include "core/fields.hpp"
#include "families/fft/lengths.hpp"
#include "families/fft/numbers_of_version_2.hpp"
#include "families/fft/plan_fingerprint.hpp"
#include "families/fft/tuned_plans.hpp"

namespace graft::families::fft {
namespace {

// The host executes thread blocks of this architecture, one after the other.
constexpr Architecture kHostsArchitecture{90};

// The most plans that are kept. Programs use few lengths.
constexpr std::size_t kMostPlans = 64;

std::optional<Plan> complex_plan(const KernelRequest& request, Architecture architecture) {
  if (!request.shape.empty())
    return make_plan_of_shape(request.shape, request.precision, architecture, request.has_inverse);
  if (!is_good_length(request.length)) return make_plan_of_convolution(request.length, request.precision, architecture);
  if (has_half_arrays(request)) return estimated_plan(request.length, request.precision, architecture);
  if (!request.has_inverse) return make_plan(request.length, request.precision, architecture);
  return make_plan_with_inverse(request.length, request.precision, architecture);
}

std::optional<Half> kind_of_half(const KernelRequest& request) {
  return request.is_real ? std::optional(half_of(request)) : std::nullopt;
}

Plan new_plan(const KernelRequest& request) {
  const Architecture architecture = request.architecture.number == 0 ? kHostsArchitecture : request.architecture;
  if (const Choices* const choices = tuned_choices(request))
    return tuned_plan(*tuned_kind(request, request.is_inverse), *choices, architecture).value_or(Plan{});
  if (request.is_of_columns)
    return make_plan_of_columns(request.shape.empty() ? std::vector{request.length} : request.shape, request.precision,
                                architecture, request.has_inverse, kind_of_half(request))
        .value_or(Plan{});
  if (request.is_real && request.shape.empty() && has_half(request.length))
    if (std::optional<Plan> plan =
            make_plan_of_half(request.length / 2, request.precision, architecture, half_of(request)))
      return *std::move(plan);
  if (request.is_real && request.shape.empty() && !request.has_inverse)
    if (std::optional<Plan> plan =
            make_plan_of_long_real(request.length, request.precision, architecture, request.is_inverse))
      return *std::move(plan);
  std::optional<Plan> plan = complex_plan(request, architecture);
  if (request.is_real && !request.shape.empty() && (!plan || !plan->is_in_block()))
    if (std::optional<Plan> of_halves =
            make_plan_of_real_shape(request.shape, request.precision, architecture, half_of(request)))
      return *std::move(of_halves);
  if (!plan) return {};
  if (!request.is_real) return *std::move(plan);
  return with_numbers(*std::move(plan), request.shape.empty() ? request.length : request.shape.back(),
                      half_of(request));
}

constexpr int kOldest = 50, kNewest = 999;  // numbers that an architecture can have

}  // namespace

template <class Codec, base::Is<Choices> T>
void fields(Codec& codec, T& choices) {
  codec.field(1, choices.factors);
  codec.field(2, choices.radices);
  codec.field(3, choices.threads);
  codec.field(4, choices.ffts);
  codec.field(5, choices.resident_blocks);
  codec.field(6, choices.splits_complex);
}

template <class Codec, base::Is<FftRequest> T>
void fields(Codec& codec, T& request) {
  codec.field(1, request.length);
  codec.choice(2, request.precision, Precision::Double);
  codec.field(3, request.has_inverse);
  codec.choice(4, request.scaling, Scaling::Unitary);
  codec.field(5, request.has_strides);
  codec.field(6, request.has_long_arrays);
  codec.later_field(7, request.shape);
  codec.later_field(8, request.is_real);
  codec.later_choice(9, request.storage_in, Storage::BF16);
  codec.later_choice(10, request.storage_out, Storage::BF16);
  codec.later_field(11, request.has_own_directions);
  codec.later_field(12, request.tuned);
  codec.later_field(13, request.tuned_inverse);
}

namespace {

bool is_convolution(const FftRequest& request) {
  return !request.is_real && request.shape.empty() && !is_good_length(request.length);
}

std::string objection_to(const FftRequest& request) {
  if (request.has_own_directions && !is_convolution(request))
    return "its directions are said to be apart, as only those of a convolution can be";
  if (std::string why = objection_to_tuned_choices(request); !why.empty()) return why;
  if (request.shape.empty())
    return (request.has_inverse ? is_good_length(request.length) : is_possible_length(request.length))
               ? ""
               : base::format("its length is {}", request.length);
  const bool is_good = request.shape.size() <= kMostDimensions &&
                       std::ranges::all_of(request.shape, request.has_inverse ? is_good_extent : is_possible_extent) &&
                       request.length >= 1 && request.length == points_of_possible_shape(request.shape);
  return is_good ? "" : "its shape is that of no FFT";
}

// A KernelRequest with the fingerprint of its plan. A kernel is launched as its plan says, but a file can hold a kernel
// that another version of graft compiled, with another plan for the same request.
struct KernelRecord {
  KernelRequest request;
  std::uint64_t fingerprint = 0;
};

template <class Codec, base::Is<KernelRecord> T>
void fields(Codec& codec, T& record) {
  auto& [request, fingerprint] = record;
  using Base = std::conditional_t<Codec::kReads, FftRequest, const FftRequest>;
  codec.field(1, static_cast<Base&>(request));
  codec.field(2, request.architecture);
  codec.field(3, request.kernel);
  codec.field(4, request.is_inverse);
  codec.field(5, fingerprint);
  codec.later_field(6, request.is_of_columns);
}

}  // namespace

// The table of plans was measured with arrays of single precision. Of arrays of halves, which take half the memory
// transfers, its plans take up to 1.3 times as long as the estimates' (H200).
bool has_half_arrays(const FftRequest& request) {
  const bool has_halves = request.storage_in != Storage::Same || request.storage_out != Storage::Same;
  return has_halves && !request.is_real && !request.has_inverse;
}

const Choices* tuned_choices(const KernelRequest& request) {
  if (request.is_of_columns) return nullptr;
  const Choices& choices = request.is_real && request.is_inverse ? request.tuned_inverse : request.tuned;
  return choices == Choices{} ? nullptr : &choices;
}

bool serves_both_directions(const FftRequest& request) {
  return is_convolution(request) && !request.has_own_directions;
}

Half half_of(const KernelRequest& request) {
  return request.has_inverse ? Half::Between : request.is_inverse ? Half::Loaded : Half::Stored;
}

// Threads that want the same plan at the same time may each make it, so that nobody waits for another's plan.
std::shared_ptr<const Plan> plan_of(const KernelRequest& request) {
  using Key = std::tuple<std::int64_t, Precision, Architecture, bool, std::optional<Half>, std::vector<std::int64_t>,
                         bool, bool, Choices>;
  static std::mutex mutex;
  static auto& plans = base::immortal<std::deque<std::pair<Key, std::shared_ptr<const Plan>>>>();
  const Choices* const tuned = tuned_choices(request);
  const Key key(request.length, request.precision, request.architecture, request.has_inverse, kind_of_half(request),
                request.shape, request.is_of_columns, has_half_arrays(request), tuned == nullptr ? Choices{} : *tuned);
  const auto find = [&]() -> std::shared_ptr<const Plan> {
    const auto found = std::ranges::find(plans, key, &std::pair<Key, std::shared_ptr<const Plan>>::first);
    return found == plans.end() ? nullptr : found->second;
  };
  {
    const std::lock_guard lock(mutex);
    if (std::shared_ptr<const Plan> known = find()) return known;
  }
  auto plan = std::make_shared<const Plan>(new_plan(request));
  const std::lock_guard lock(mutex);
  if (std::shared_ptr<const Plan> known = find()) return known;
  plans.emplace_front(key, plan);
  if (plans.size() > kMostPlans) plans.pop_back();
  return plan;
}

base::Bytes write(const FftRequest& request) {
  return base::write_record(request);
}

base::Bytes write(const KernelRequest& request) {
  return base::write_record(KernelRecord{request, fingerprint(*plan_of(request))});
}

std::string read(std::span<const std::byte> bytes, FftRequest& request) {
  const std::optional<FftRequest> found = base::read_record<FftRequest>(bytes);
  if (!found) return "its request cannot be read";
  if (std::string why = objection_to(*found); !why.empty()) return why;
  request = *found;
  return {};
}

std::string read(std::span<const std::byte> bytes, KernelRequest& request) {
  const std::optional<KernelRecord> found = base::read_record<KernelRecord>(bytes);
  if (!found) return "its request cannot be read";
  if (std::string why = objection_to(found->request); !why.empty()) return why;
  if (found->fingerprint != fingerprint(*plan_of(found->request)))
    return base::format("it was made for another plan of {}, by another version of graft",
                        points_text(found->request.length, found->request.shape));
  request = found->request;
  return {};
}

std::string_view words_on(Scaling scaling) {
  static constexpr std::string_view kScalings[] = {"none", "by_length", "unitary"};
  return kScalings[static_cast<std::size_t>(scaling)];
}

std::string title_of(const FftRequest& request) {
  if (!request.is_real) return "an FFT of " + points_text(request.length, request.shape);
  return base::format("a real FFT of {}", request.shape.empty() ? base::counted(request.length, "number")
                                                                : shape_text(request.shape) + " numbers");
}

std::vector<std::string> words_on(std::span<const std::byte> bytes) {
  const std::optional<KernelRecord> found = base::read_record<KernelRecord>(bytes);
  if (!found) return {};
  const auto& [request, plan] = *found;
  static constexpr const char* kStorages[] = {"same", "f16", "bf16"};
  std::vector<std::string> words = {
      request.shape.empty() ? base::format("length={}", request.length) : "shape=" + shape_text(request.shape),
      base::format("precision={}", request.precision == Precision::Single ? "single" : "double"),
      base::format("kind={}", request.is_real ? "real" : "complex"),
      base::format("has_inverse={}", request.has_inverse),
      base::format("scaling={}", words_on(request.scaling)),
      base::format("storage_in={}", kStorages[static_cast<std::size_t>(request.storage_in)]),
      base::format("storage_out={}", kStorages[static_cast<std::size_t>(request.storage_out)]),
      base::format("has_strides={}", request.has_strides),
      base::format("has_long_arrays={}", request.has_long_arrays),
      base::format("has_own_directions={}", request.has_own_directions),
      base::format("architecture={}", request.architecture.number),
      base::format("is_inverse={}", request.is_inverse),
      base::format("is_of_columns={}", request.is_of_columns),
      base::format("kernel={}", request.kernel),
      base::format("plan={}", plan)};
  if (request.tuned != Choices{}) words.push_back("tuned=" + text_of(request.tuned));
  if (request.tuned_inverse != Choices{}) words.push_back("tuned_inverse=" + text_of(request.tuned_inverse));
  return words;
}

std::string read(const KernelSpec& kernel, KernelRequest& request) {
  return kernel.request.empty() ? read_numbers_of_version_2(kernel.tuning, request) : read(kernel.request, request);
}

std::string objection_to(const KernelRequest& request) {
  const Architecture architecture = request.architecture;
  const bool is_known = architecture.number >= kOldest && architecture.number <= kNewest;
  if (architecture.suffix != '\0' || (architecture.number != 0 && !is_known))
    return base::format("its architecture is {}", architecture.sm());
  if (std::string why = objection_to(static_cast<const FftRequest&>(request)); !why.empty()) return why;
  if (request.has_inverse && request.is_inverse) return "it has two inverses";
  if (request.is_inverse && serves_both_directions(request)) return "it is of one direction of two that are the same";
  const std::size_t kernels = plan_of(request)->kernels.size();
  if (request.kernel < 0 || static_cast<std::size_t>(request.kernel) >= kernels)
    return base::format("it is kernel {} of a plan that has {}", request.kernel, kernels);
  return {};
}

double scale_of(const FftRequest& request, bool is_inverse) {
  const auto length = static_cast<double>(request.length);
  switch (request.scaling) {
    case Scaling::None:
      break;
    case Scaling::ByLength:
      return is_inverse || request.has_inverse ? 1 / length : 1;
    case Scaling::Unitary:
      return request.has_inverse ? 1 / length : 1 / std::sqrt(length);
  }
  return 1;
}

}  // namespace graft::families::fft
