#include "families/fft/kernel_request.hpp"

#include <cmath>
#include <deque>
#include <mutex>
#include <tuple>
#include <utility>

#include "base/format.hpp"
#include "base/hash.hpp"
#include "families/fft/lengths.hpp"

namespace graft::families::fft {
namespace {

// The host executes thread blocks of this architecture, one after the other.
constexpr Architecture kHostsArchitecture{90};

// The most plans that are kept. Programs use few lengths.
constexpr std::size_t kMostPlans = 64;

Plan new_plan(const KernelRequest& request) {
  const Architecture architecture = request.architecture.number == 0 ? kHostsArchitecture : request.architecture;
  if (!request.has_inverse) return make_plan(request.length, request.precision, architecture);
  return make_plan_with_inverse(request.length, request.precision, architecture).value_or(Plan());
}

constexpr std::int64_t kOldest = 50, kNewest = 999;  // numbers that an architecture can have

// A number that differs between plans. A kernel is launched as its plan says, but a file can hold a kernel that another
// version of graft compiled, with another plan for the same request. Raise the number in front if kernels of equal
// plans have other parameters, tables or roles of inputs than before (2: Role::FurtherInput).
std::int64_t fingerprint(const Plan& plan) {
  return static_cast<std::int64_t>(base::hash("2 " + describe(plan)).low >> 1);
}

}  // namespace

std::shared_ptr<const Plan> plan_of(const KernelRequest& request) {
  using Key = std::tuple<std::int64_t, Precision, Architecture, bool>;
  static std::mutex mutex;
  static std::deque<std::pair<Key, std::shared_ptr<const Plan>>> plans;
  const Key key(request.length, request.precision, request.architecture, request.has_inverse);
  const std::lock_guard lock(mutex);
  for (const auto& [known, plan] : plans)
    if (known == key) return plan;
  auto plan = std::make_shared<const Plan>(new_plan(request));
  plans.emplace_front(key, plan);
  if (plans.size() > kMostPlans) plans.pop_back();
  return plan;
}

Tuning to_tuning(const KernelRequest& request) {
  return Tuning({{"length", request.length},
                 {"real_bytes", real_bytes(request.precision)},
                 {"architecture", request.architecture.number},
                 {"has_inverse", request.has_inverse ? 1 : 0},
                 {"kernel", request.kernel},
                 {"is_inverse", request.is_inverse ? 1 : 0},
                 {"scaling", static_cast<std::int64_t>(request.scaling)},
                 {"unit_stride_in", request.has_unit_stride_in ? 1 : 0},
                 {"unit_stride_out", request.has_unit_stride_out ? 1 : 0},
                 {"long_arrays", request.has_long_arrays ? 1 : 0},
                 {"plan", fingerprint(*plan_of(request))}});
}

std::string read_tuning(const Tuning& tuning, KernelRequest& request) {
  const auto number = [&](std::string_view name, std::int64_t least, std::int64_t most, std::string& why) {
    const std::int64_t* const value = tuning.find(name);
    if (value != nullptr && *value >= least && *value <= most) return *value;
    if (why.empty())
      why = value == nullptr ? base::format("it has no {}", name) : base::format("its {} is {}", name, *value);
    return least;
  };
  std::string why;
  request.length = number("length", 1, kLongestLength, why);
  const std::int64_t bytes = number("real_bytes", 4, 8, why);
  request.precision = bytes == 4 ? Precision::Single : Precision::Double;
  const std::int64_t architecture = number("architecture", 0, kNewest, why);
  request.architecture = Architecture(static_cast<int>(architecture));
  request.has_inverse = number("has_inverse", 0, 1, why) == 1;
  request.kernel = number("kernel", 0, 4, why);
  request.is_inverse = number("is_inverse", 0, 1, why) == 1;
  request.scaling = static_cast<Scaling>(number("scaling", 0, 2, why));
  request.has_unit_stride_in = number("unit_stride_in", 0, 1, why) == 1;
  request.has_unit_stride_out = number("unit_stride_out", 0, 1, why) == 1;
  request.has_long_arrays = number("long_arrays", 0, 1, why) == 1;
  if (!why.empty()) return why;
  if (bytes != 4 && bytes != 8) return base::format("its real_bytes is {}", bytes);
  if (architecture != 0 && architecture < kOldest) return base::format("its architecture is {}", architecture);
  if (!is_good_length(request.length)) return base::format("its length is {}", request.length);
  if (request.has_inverse && request.is_inverse) return "it has two inverses";
  const std::shared_ptr<const Plan> plan = plan_of(request);
  if (static_cast<std::size_t>(request.kernel) >= plan->kernels.size())
    return base::format("it is kernel {} of a plan that has {}", request.kernel, plan->kernels.size());
  const std::int64_t* const made_for = tuning.find("plan");
  if (made_for == nullptr || *made_for != fingerprint(*plan))
    return base::format("it was made for another plan of {} points, by another version of graft", request.length);
  return {};
}

double scale_of(const KernelRequest& request) {
  const auto length = static_cast<double>(request.length);
  switch (request.scaling) {
    case Scaling::None:
      break;
    case Scaling::ByLength:
      return request.is_inverse || request.has_inverse ? 1 / length : 1;
    case Scaling::Unitary:
      return request.has_inverse ? 1 / length : 1 / std::sqrt(length);
  }
  return 1;
}

}  // namespace graft::families::fft
