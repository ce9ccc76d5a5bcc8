// Kernels that were made before come from files, which may be damaged or forged. check_made() checks that the kernels
// are those of one FFT, and that none is missing. The engine checks each pack and each image as it does for transforms.
#include "api/fft_kernels.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <tuple>
#include <utility>

#include "base/format.hpp"
#include "core/enumerators.hpp"
#include "core/fail.hpp"
#include "core/serves.hpp"
#include "engine/engine_impl.hpp"
#include "engine/taken_options.hpp"
#include "families/fft/lengths.hpp"
#include "format/pack_set.hpp"
#include "graft/error.hpp"
#include "routes/pack_contents.hpp"

namespace graft {
namespace {

namespace fft = families::fft;

constexpr const char* kMakeAgain = "Make them again: graft::precompile and graft::build make all kernels of an FFT.";

[[noreturn]] void refuse_made(std::string message) {
  fail(ErrorCode::ImageRefused, std::move(message), kMakeAgain);
}

bool wants(FftDirections wanted, Direction direction) {
  if (wanted == FftDirections::Both) return true;
  return (wanted == FftDirections::Forward) == (direction == Direction::Forward);
}

Direction direction_of(const fft::KernelRequest& request) {
  return request.is_inverse ? Direction::Inverse : Direction::Forward;
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

// What the description of a kernel asks for. Throws Error(ImageRefused) if it is no kernel of an FFT.
fft::KernelRequest request_of(const KernelSpec& kernel, const std::string& file) {
  fft::KernelRequest request;
  if (kernel.family != fft::kFamily)
    fail(ErrorCode::ImageRefused, base::format("{} holds a kernel of the family {}, not of FFTs", file, kernel.family),
         "Load it with graft::Transform.");
  if (const std::string why = fft::read_tuning(kernel.tuning, request); !why.empty())
    refuse_made(base::format("{} holds no kernel of an FFT: {}", file, why));
  return request;
}

// The request without what differs between the kernels of one FFT.
fft::KernelRequest common(fft::KernelRequest request) {
  request.architecture = {};
  request.kernel = 0;
  request.is_inverse = false;
  return request;
}

void check_plan(const FftPlan& plan) {
  fft::check_length(plan.length);
  check_enumerator(plan.precision, FftPrecision::F64, "FftPlan::precision");
  check_enumerator(plan.directions, FftDirections::Inverse, "FftPlan::directions");
  check_enumerator(plan.scaling, FftScaling::Unitary, "FftPlan::scaling");
}

}  // namespace

FftKernels FftKernels::of_callbacks(const FftPlan& plan, const FftCallbacks& callbacks) {
  check_plan(plan);
  if (callbacks.between && plan.directions == FftDirections::Inverse)
    refuse(
        "an FFT with a callback between is forward and then inverse, but FftPlan::directions asks for the inverse only",
        "Leave FftPlan::directions unset.");
  for (const std::optional<Callback>& callback : {callbacks.load, callbacks.between, callbacks.store})
    if (callback) check_callback(*callback);
  FftKernels kernels;
  kernels.plan_ = plan;
  kernels.has_between_ = callbacks.between.has_value();
  // A callback between is called by the kernel of the forward direction.
  if (kernels.has_between_) kernels.plan_.directions = FftDirections::Forward;
  kernels.composition_ = Stages{.load = callbacks.load, .op = callbacks.between, .store = callbacks.store};
  return kernels;
}

FftKernels FftKernels::of_pack(std::span<const std::byte> pack, std::size_t batch) {
  const auto packs = format::read_pack_set(pack);
  if (!packs)
    fail(ErrorCode::ImageRefused, base::format("these bytes are not a pack of an FFT: {}", packs.error().message),
         packs.error().flaw == format::Flaw::Newer ? "Use a newer graft, or make the pack with this one."
                                                   : "Give the bytes that graft::precompile made of an FftPlan.");
  std::vector<FftKernel> made;
  for (const std::span<const std::byte> one : *packs) {
    const std::string name = base::format("pack {} of the FFT", made.size() + 1);
    made.push_back({request_of(routes::read_pack(one, name).kernel, name), Callback::pack(one, name)});
  }
  return of_made(std::move(made), batch);
}

FftKernels FftKernels::of_images(const std::vector<Image>& images, std::size_t batch) {
  if (images.empty()) refuse("an FFT is loaded from no image", "Pass the images that graft::build made of an FftPlan.");
  std::vector<FftKernel> made;
  for (const Image& image : images) {
    const std::string name = base::format("image {} of the FFT", made.size() + 1);
    const KernelSpec& kernel = image.report().kernel;
    const fft::KernelRequest request = request_of(kernel, name);
    // The image runs on its own architecture only, which is that of its plan.
    if (kernel.route != Route::Host && request.architecture.number != kernel.architecture.number)
      refuse_made(base::format("{} is for {}, but its plan is for {}", name, kernel.architecture.sm(),
                               request.architecture.sm()));
    made.push_back({request, std::nullopt, Image::Data::of(image)});
  }
  return of_made(std::move(made), batch);
}

FftKernels FftKernels::of_made(std::vector<FftKernel> made, std::size_t batch) {
  FftKernels kernels;
  kernels.made_ = std::move(made);
  const fft::KernelRequest& first = kernels.made_.front().request;
  const auto has = [&](bool is_inverse) {
    return std::ranges::any_of(kernels.made_,
                               [&](const FftKernel& one) { return one.request.is_inverse == is_inverse; });
  };
  kernels.has_between_ = first.has_inverse;
  kernels.plan_.length = first.length;
  kernels.plan_.precision = first.precision == fft::Precision::Single ? FftPrecision::F32 : FftPrecision::F64;
  kernels.plan_.scaling = static_cast<FftScaling>(first.scaling);
  kernels.plan_.has_strides = !first.has_unit_stride_in;
  kernels.plan_.has_long_arrays = first.has_long_arrays;
  kernels.plan_.directions = !has(true)    ? FftDirections::Forward
                             : !has(false) ? FftDirections::Inverse
                                           : FftDirections::Both;
  kernels.plan_.batch = batch;
  kernels.check_made();
  return kernels;
}

void FftKernels::check_made() const {
  // The kernels of a plan, by architecture and direction.
  std::map<std::pair<Architecture, Direction>, std::vector<std::int64_t>> numbers;
  for (const FftKernel& one : made_) {
    if (common(one.request) != common(made_.front().request) ||
        one.request.has_unit_stride_in != one.request.has_unit_stride_out)
      refuse_made("the kernels are not those of one FFT");
    numbers[{one.request.architecture, direction_of(one.request)}].push_back(one.request.kernel);
  }
  for (const FftKernel& one : made_)
    for (const Direction direction : {Direction::Forward, Direction::Inverse}) {
      if (!wants(plan_.directions, direction)) continue;
      std::vector<std::int64_t>& found = numbers[{one.request.architecture, direction}];
      std::ranges::sort(found);
      const std::size_t wanted = fft::plan_of(one.request)->kernels.size();
      if (found.size() != wanted || std::ranges::adjacent_find(found) != found.end())
        refuse_made(base::format("the {} FFT of {} points for {} has {} kernels, but it takes {}",
                                 direction == Direction::Forward ? "forward" : "inverse", plan_.length,
                                 one.request.architecture.sm(), found.size(), wanted));
    }
}

std::vector<FftKernel> FftKernels::made_for(std::optional<Architecture> architecture) const {
  // A pack for an older architecture serves newer ones; an image runs on its own.
  const auto is_here = [&](const FftKernel& one) {
    if (one.image != nullptr) {
      const KernelSpec& kernel = one.image->kernel();
      return architecture ? kernel.architecture == *architecture : kernel.route == Route::Host;
    }
    return architecture && serves(one.request.architecture, *architecture);
  };
  std::optional<Architecture> newest;
  for (const FftKernel& one : made_)
    if (is_here(one) && (!newest || *newest < one.request.architecture)) newest = one.request.architecture;
  if (!newest)
    fail(ErrorCode::ImageRefused,
         base::format("an FFT of {} points was not made for {}", plan_.length,
                      architecture ? architecture->sm() : "the host"),
         "Make it for this architecture, or as a pack for an older one.");
  std::vector<FftKernel> found;
  for (const FftKernel& one : made_)
    if (one.request.architecture == *newest && is_here(one)) found.push_back(one);
  std::ranges::sort(found, {},
                    [](const FftKernel& one) { return std::pair(one.request.is_inverse, one.request.kernel); });
  return found;
}

fft::KernelRequest FftKernels::request(Direction direction) const {
  fft::KernelRequest request;
  request.length = plan_.length;
  request.precision = plan_.precision == FftPrecision::F32 ? fft::Precision::Single : fft::Precision::Double;
  request.has_inverse = has_between_;
  request.is_inverse = direction == Direction::Inverse;
  request.scaling = static_cast<fft::Scaling>(plan_.scaling);
  request.has_unit_stride_in = request.has_unit_stride_out = !plan_.has_strides;
  request.has_long_arrays = plan_.has_long_arrays;
  return request;
}

std::shared_ptr<const fft::Plan> FftKernels::plan_for(std::optional<Architecture> architecture) const {
  if (!composition_) return fft::plan_of(made_for(architecture).front().request);
  fft::KernelRequest wanted = request(Direction::Forward);
  if (architecture) wanted.architecture = Architecture(architecture->number);
  auto plan = fft::plan_of(wanted);
  if (plan->kernels.empty())
    refuse(base::format("an FFT of {} points, a callback and an inverse FFT do not fit into the shared memory",
                        plan_.length),
           "Use two FFTs, the first with a store callback.");
  return plan;
}

std::vector<FftKernel> FftKernels::kernels_for(std::optional<Architecture> architecture) const {
  if (!composition_) return made_for(architecture);
  const auto count = static_cast<std::int64_t>(plan_for(architecture)->kernels.size());
  std::vector<FftKernel> kernels;
  for (const Direction direction : {Direction::Forward, Direction::Inverse}) {
    if (!wants(plan_.directions, direction)) continue;
    fft::KernelRequest wanted = request(direction);
    if (architecture) wanted.architecture = Architecture(architecture->number);
    for (; wanted.kernel < count; ++wanted.kernel)
      kernels.push_back({wanted, composition_->for_family(fft::kFamily, fft::to_tuning(wanted))});
  }
  return kernels;
}

bool FftKernels::is_on_host(const Options& options) const {
  return is_of_images() ? made_.front().image->kernel().route == Route::Host : options.routes.required == Route::Host;
}

const Callback* FftKernels::callback() const noexcept {
  if (composition_) return &*composition_;
  return made_.front().callback ? &*made_.front().callback : nullptr;
}

Options taken_options(Engine& engine, const FftKernels& kernels, const Options& options) {
  if (!options.entry.empty())
    refuse("Options::entry names one function, but an FFT can have several callbacks",
           "Name the entry function of each callback with Callback::with_entry.");
  if (kernels.callback() == nullptr) return options;
  return engine::TakenOptions(*kernels.callback(), options, &Engine::Impl::of(engine)->logger()).get();
}

}  // namespace graft
