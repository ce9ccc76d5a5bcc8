#include "families/fft/job.hpp"

#include <algorithm>
#include <utility>

#include "base/format.hpp"
#include "core/enumerators.hpp"
#include "core/fail.hpp"
#include "families/fft/lengths.hpp"
#include "families/fft/request.hpp"
#include "families/fft/storage.hpp"
#include "graft/error.hpp"

namespace graft::families::fft {
namespace {

// Whether there is a plan of an FFT whose dimension `d` has so many points, beside another one of two.
bool has_plan(KernelRequest request, std::size_t d, std::int64_t extent) {
  std::ranges::fill(request.shape, 1);
  request.shape[d == 0 ? request.shape.size() - 1 : d - 1] = 2;
  request.shape[d] = extent;
  request.length = 2 * extent;
  return !plan_of(request)->kernels.empty();
}

// Returns the longest extent below `end` that dimension `d` can have, with a prime factor above 31 or without one. With
// one, it decides only how long the convolution is, and few are tried.
std::int64_t longest_extent(const KernelRequest& request, std::size_t d, std::int64_t end, bool is_good) {
  std::int64_t tried = 0;
  for (std::int64_t extent = end - 1; extent > 1; --extent) {
    if (is_good_length(extent) != is_good) continue;
    const std::int64_t points = is_good ? extent : convolution_length(extent);
    if (points == tried) continue;
    tried = points;
    if (has_plan(request, d, extent)) return extent;
  }
  return 1;
}

// Refuses dimension `d`, which has more points than a thread block of the architecture can have.
[[noreturn]] void refuse_extent(const KernelRequest& request, std::size_t d) {
  const std::int64_t extent = request.shape[d];
  const bool is_good = is_good_length(extent);
  const std::int64_t shorter = longest_extent(request, d, std::min(extent, kLongestExtent + 1), is_good);
  std::string remedy = base::format("Choose {}", shorter);
  if (request.has_inverse) remedy += ", or two FFTs, of which the first has a store callback";
  else if (const auto below = good_length_below(extent), above = good_length_above(extent); !is_good && below && above)
    base::append(remedy, ", or a number of points without prime factors above 31, such as {} or {}", *below, *above);
  refuse(
      base::format("dimension {} of FftPlan::shape has {} points, which do not fit into a thread block: in {} on {}, "
                   "the next shorter one{} that does has {}",
                   d, extent, name_of(request.precision),
                   request.architecture.number == 0 ? std::string("the host") : request.architecture.sm(),
                   is_good ? "" : " with a prime factor above 31", shorter),
      remedy + ". The architecture and the precision decide what fits.");
}

// The architecture for which messages name a limit where none is asked for.
constexpr Architecture kExample{90};

// Refuses dimensions that no architecture can have.
void check_extents(const FftPlan& plan) {
  for (std::size_t d = 0; plan.shape.size() > 1 && plan.shape.size() <= kMostDimensions && d < plan.shape.size(); ++d) {
    if (plan.shape[d] <= kLongestExtent || plan.shape[d] > kMostPointsOfShape || is_good_length(plan.shape[d]))
      continue;
    KernelRequest request;
    request.shape = plan.shape;
    request.precision = plan.precision == FftPrecision::F32 ? Precision::Single : Precision::Double;
    request.is_real = plan.kind == FftKind::Real;
    request.architecture = kExample;
    refuse_extent(request, d);
  }
}

void check_plan(const FftPlan& plan, bool has_between) {
  check_enumerator(plan.kind, FftKind::Real, "FftPlan::kind");
  check_enumerator(plan.precision, FftPrecision::F64, "FftPlan::precision");
  if (!plan.shape.empty() && plan.length != 0)
    refuse(base::format("FftPlan::length is {}, and there is an FftPlan::shape too", plan.length),
           "Give the length of an FFT of one dimension, or the shape of one with several.");
  if (plan.shape.empty()) check_length(plan.length);
  else if (!has_between) check_extents(plan);
  if (!plan.shape.empty()) check_shape(plan.shape, has_between);
  check_enumerator(plan.directions, FftDirections::Inverse, "FftPlan::directions");
  check_enumerator(plan.scaling, FftScaling::Unitary, "FftPlan::scaling");
  check_enumerator(plan.storage_in, FftStorage::BF16, "FftPlan::storage_in");
  check_enumerator(plan.storage_out, FftStorage::BF16, "FftPlan::storage_out");
  if (plan.precision == FftPrecision::F64 &&
      (plan.storage_in != FftStorage::Same || plan.storage_out != FftStorage::Same))
    refuse("FftPlan::storage_in or storage_out asks for numbers of 16 bits, and FftPlan::precision is F64",
           "Use FftPrecision::F32, or a load or store callback that converts.");
}

// Throws Error if the callback cannot be compiled into the kernels of an FFT.
void check_callback(const Callback& callback) {
  if (callback.form() == Form::Pack)
    refuse(base::format("{} is a pack, and a pack cannot be the callback of an FFT", callback.name()),
           "Give the callback that the pack was made of. graft::Fft::load takes the pack of a whole FFT.");
  const Callback::Composition* const composition = callback.composition();
  if (composition != nullptr && composition->kind == Callback::Composition::Staged)
    refuse("a callback of the FFT has load or store callbacks of its own",
           "Give load, between and store in one graft::FftCallbacks.");
}

std::vector<std::string> methods_of(FftDirections directions, bool has_strides) {
  std::vector<std::string> methods;
  for (const Direction direction : {Direction::Forward, Direction::Inverse}) {
    const bool is_other =
        directions == (direction == Direction::Forward ? FftDirections::Inverse : FftDirections::Forward);
    if (is_other) continue;
    methods.emplace_back(method_of(direction));
    if (has_strides) methods.emplace_back(method_of_columns(direction));
  }
  return methods;
}

bool has(const Job& job, Direction direction) {
  return std::ranges::find(job.methods, method_of(direction)) != job.methods.end();
}

FftRequest request_of(const Job& job) {
  FftRequest request;
  if (const std::string why = read(job.request, request); !why.empty())
    refuse(base::format("no FFT is asked for: {}", why), "Make FFTs with graft::Fft.");
  return request;
}

// The place of a callback of one direction, if the directions have callbacks of their own.
std::string place_of(const char* stage, Direction direction) {
  return base::format("{} {}", method_of(direction), stage);
}

// Returns the callbacks of a direction as one composition. Each stage may be absent.
Callback composition_of(const Job& job, Direction direction) {
  const auto find = [&](const char* stage) {
    std::optional<Callback> found = job.find(stage);
    return found ? found : job.find(place_of(stage, direction));
  };
  return Stages{.load = find("load"), .op = job.find("between"), .store = find("store")};
}

// Throws Error if the callbacks are not those of the directions that the plan asks for.
void check_directions(const FftPlan& plan, const FftCallbacks& callbacks) {
  if (callbacks.between && plan.directions == FftDirections::Inverse)
    refuse(
        "an FFT with a callback between is forward and then inverse, but FftPlan::directions asks for the inverse only",
        "Leave FftPlan::directions unset.");
  if (callbacks.inverse && (callbacks.between || plan.directions != FftDirections::Both))
    refuse(
        base::format("FftCallbacks::inverse has the callbacks of a second direction, but {}",
                     callbacks.between ? "an FFT with a callback between has one" : "FftPlan::directions asks for one"),
        "Give all callbacks as FftCallbacks::load, between and store.");
  if (plan.kind == FftKind::Real && plan.directions == FftDirections::Both && (callbacks.load || callbacks.store) &&
      !callbacks.between && !callbacks.inverse)
    refuse(
        "a load or store callback of a real FFT takes numbers in one direction and complex numbers in the other, and "
        "FftPlan::directions asks for both",
        "Give those of the inverse direction as FftCallbacks::inverse, or set FftPlan::directions to Forward or "
        "Inverse, and make an FFT for each.");
}

// Returns the load and store callbacks of one direction: the caller's, and those that convert what the arrays hold.
FftSideCallbacks callbacks_of(const FftPlan& plan, const FftCallbacks& callbacks, Direction direction) {
  FftSideCallbacks found = {.load = callbacks.load, .store = callbacks.store};
  if (direction == Direction::Inverse && callbacks.inverse) found = *callbacks.inverse;
  const auto convert = [](std::optional<Callback>& callback, FftStorage storage, const char* stage, const char* member,
                          const auto& conversion) {
    if (storage == FftStorage::Same) return;
    if (callback)
      refuse(base::format("FftPlan::{} says what an array holds, and so does the {} callback {}", member, stage,
                          callback->name()),
             base::format("Leave FftPlan::{} unset, and have the callback convert: graft::chain joins it with "
                          "half_to_complex or complex_to_half of callbacks/conversion.cuh.",
                          member));
    callback = conversion();
  };
  const bool is_real = plan.kind == FftKind::Real, is_inverse = direction == Direction::Inverse;
  convert(found.load, plan.storage_in, "load", "storage_in",
          [&] { return loading_callback(plan.storage_in, is_real && !is_inverse); });
  convert(found.store, plan.storage_out, "store", "storage_out",
          [&] { return storing_callback(plan.storage_out, is_real && (is_inverse || callbacks.between)); });
  return found;
}

void add_callbacks(Job& job, const FftPlan& plan, const FftCallbacks& callbacks) {
  const auto add = [&](std::string place, const std::optional<Callback>& callback) {
    if (!callback) return;
    check_callback(*callback);
    job.callbacks.push_back({std::move(place), *callback});
  };
  const bool has_storage = plan.storage_in != FftStorage::Same || plan.storage_out != FftStorage::Same;
  const bool is_real_storage = plan.kind == FftKind::Real && has_storage;
  if (has(job, Direction::Forward) && has(job, Direction::Inverse) && (callbacks.inverse || is_real_storage)) {
    for (const Direction direction : {Direction::Forward, Direction::Inverse}) {
      const FftSideCallbacks sides = callbacks_of(plan, callbacks, direction);
      add(place_of("load", direction), sides.load);
      add(place_of("store", direction), sides.store);
    }
    return;
  }
  const FftSideCallbacks sides =
      callbacks_of(plan, callbacks, has(job, Direction::Forward) ? Direction::Forward : Direction::Inverse);
  add("load", sides.load);
  add("between", callbacks.between);
  add("store", sides.store);
}

}  // namespace

const char* method_of(Direction direction) {
  return direction == Direction::Forward ? "forward" : "inverse";
}

const char* method_of_columns(Direction direction) {
  return direction == Direction::Forward ? "forward columns" : "inverse columns";
}

std::string title_of(const Job& job) {
  return title_of(request_of(job));
}

Job job_of(const FftPlan& plan, const FftCallbacks& callbacks) {
  check_plan(plan, callbacks.between.has_value());
  check_directions(plan, callbacks);
  if (callbacks.between && plan.shape.empty()) check_length_with_between(plan.length);
  FftRequest request;
  request.is_real = plan.kind == FftKind::Real;
  request.length = plan.shape.empty() ? plan.length : points_of_shape(plan.shape);
  if (plan.shape.size() > 1) request.shape = plan.shape;  // one dimension is a length
  request.precision = plan.precision == FftPrecision::F32 ? Precision::Single : Precision::Double;
  request.has_inverse = callbacks.between.has_value();
  request.scaling = static_cast<Scaling>(plan.scaling);
  request.has_strides = plan.has_strides;
  request.has_long_arrays = plan.has_long_arrays;
  request.storage_in = static_cast<Storage>(plan.storage_in);
  request.storage_out = static_cast<Storage>(plan.storage_out);
  request.has_own_directions =
      serves_both_directions(request) && (callbacks.inverse || plan.directions != FftDirections::Both);
  // A callback between is called by the kernel of the forward direction.
  Job job{.family = kFamily,
          .request = write(request),
          .methods = methods_of(callbacks.between ? FftDirections::Forward : plan.directions, plan.has_strides),
          .capacity = plan.batch};
  add_callbacks(job, plan, callbacks);
  return job;
}

FftPlan plan_of(const Job& job) {
  const FftRequest request = request_of(job);
  return {.length = request.shape.empty() ? request.length : 0,
          .precision = request.precision == Precision::Single ? FftPrecision::F32 : FftPrecision::F64,
          .directions = !has(job, Direction::Inverse)   ? FftDirections::Forward
                        : !has(job, Direction::Forward) ? FftDirections::Inverse
                                                        : FftDirections::Both,
          .scaling = static_cast<FftScaling>(request.scaling),
          .has_strides = request.has_strides,
          .has_long_arrays = request.has_long_arrays,
          .batch = job.capacity,
          .shape = request.shape,
          .kind = request.is_real ? FftKind::Real : FftKind::Complex,
          .storage_in = static_cast<FftStorage>(request.storage_in),
          .storage_out = static_cast<FftStorage>(request.storage_out)};
}

namespace {

// Refuses what has no plan.
[[noreturn]] void refuse_to_plan(KernelRequest request) {
  request.kernel = 0;
  for (std::size_t d = 0; d < request.shape.size(); ++d)
    if (request.shape[d] > 1 && !has_plan(request, d, request.shape[d])) refuse_extent(request, d);
  const std::string points = points_text(request.length, request.shape);
  if (request.has_inverse)
    refuse(base::format("an FFT of {}, a callback and an inverse FFT do not fit into a thread block", points),
           "Use two FFTs, the first with a store callback.");
  refuse(base::format("an FFT of {} has no plan of kernels that fit into thread blocks", points),
         "Choose shorter dimensions; docs/fft.md says how long they can be.");
}

}  // namespace

Schedule schedule_of(const Job& job, std::optional<Architecture> architecture) {
  KernelRequest request{request_of(job)};
  if (architecture) request.architecture = Architecture(architecture->number);
  Schedule schedule;
  for (const Direction direction : {Direction::Forward, Direction::Inverse}) {
    const bool is_inverse = direction == Direction::Inverse;
    if (is_inverse && request.has_inverse) break;
    if (is_inverse && serves_both_directions(request)) {
      const std::vector<Method> forward = schedule.methods;
      for (const Method& method : forward)
        schedule.methods.push_back(
            {method.name == method_of(Direction::Forward) ? method_of(direction) : method_of_columns(direction),
             method.kernels});
      break;
    }
    request.is_inverse = is_inverse;
    const Callback composition = composition_of(job, direction);
    // Returns the kernels of the request's plan.
    const auto add_kernels = [&] {
      std::vector<std::size_t> kernels;
      const auto count = static_cast<std::int64_t>(plan_of(request)->kernels.size());
      for (request.kernel = 0; request.kernel < count; ++request.kernel) {
        kernels.push_back(schedule.kernels.size());
        schedule.kernels.emplace_back(composition, kFamily, write(request));
      }
      return kernels;
    };
    request.is_of_columns = false;
    const std::vector<std::size_t> kernels = add_kernels();
    if (kernels.empty()) refuse_to_plan(request);
    schedule.methods.push_back({method_of(direction), kernels});
    if (!request.has_strides) continue;
    request.is_of_columns = true;
    const std::vector<std::size_t> of_columns = add_kernels();
    schedule.methods.push_back({method_of_columns(direction), of_columns.empty() ? kernels : of_columns});
  }
  return schedule;
}

}  // namespace graft::families::fft
