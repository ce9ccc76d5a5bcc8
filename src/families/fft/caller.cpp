#include "families/fft/caller.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>
#include <vector>

#include "base/format.hpp"
#include "core/enumerators.hpp"
#include "core/fail.hpp"
#include "families/fft/arguments.hpp"
#include "families/fft/batch.hpp"
#include "families/fft/job.hpp"
#include "families/fft/program.hpp"
#include "families/fft/request.hpp"
#include "families/fft/roots.hpp"
#include "families/parameter.hpp"
#include "graft/error.hpp"

namespace graft::families::fft {
namespace {

// A kernel, with the plan that it belongs to. The kernel was checked when it was loaded.
struct PlannedKernel {
  KernelRequest request;
  std::shared_ptr<const Plan> plan;
  const Kernel* kernel = nullptr;
};

PlannedKernel planned(const KernelSpec& spec) {
  PlannedKernel result;
  read(spec, result.request);
  result.plan = plan_of(result.request);
  result.kernel = &result.plan->kernels[static_cast<std::size_t>(result.request.kernel)];
  return result;
}

template <class Real>
base::Bytes bytes_of_roots(const PlannedKernel& known) {
  const std::vector<graft_fft::Complex<Real>> roots =
      serves_both_directions(known.request)
          ? roots_of_both_directions<Real>(*known.kernel, scale_of(known.request, false), scale_of(known.request, true))
          : roots_of<Real>(*known.kernel);
  base::Bytes bytes(roots.size() * sizeof roots[0]);
  if (!bytes.empty()) std::memcpy(bytes.data(), roots.data(), bytes.size());  // kernels of one pass need no roots
  return bytes;
}

// Of a convolution's table of roots.
std::size_t bytes_of_one_direction(const PlannedKernel& known) {
  return static_cast<std::size_t>(known.kernel->root_count) *
         static_cast<std::size_t>(complex_bytes(known.request.precision));
}

class FftCaller final : public Caller {
 public:
  FftCaller(const Job& job, const Schedule& schedule, std::span<const KernelSpec* const> kernels)
      : title_(title_of(job)),
        name_(kernels.front()->name),
        plan_(planned(*kernels.front()).plan),
        capacity_(job.capacity),
        is_on_host_(kernels.front()->route == Route::Host) {
    for (const KernelSpec* const kernel : kernels) {
      const Plan& plan = *launches_.emplace_back(PlannedLaunch{planned(*kernel), shared_bytes_of(*kernel)}).kernel.plan;
      // The directions of a real FFT have plans of their own.
      if (plan.has_workspace()) workspace_points_ = std::max(workspace_points_, plan.workspace_points());
    }
    for (const Direction direction : {Direction::Forward, Direction::Inverse})
      if (const Method* const method = schedule.find(method_of(direction))) {
        kernels_[static_cast<std::size_t>(direction)] = method->kernels;
        const Method* const of_columns = schedule.find(method_of_columns(direction));
        if (of_columns != nullptr && of_columns->kernels != method->kernels)
          columns_[static_cast<std::size_t>(direction)] = of_columns->kernels;
        for (const Method* const one : {method, of_columns != nullptr ? of_columns : method})
          for (const std::size_t kernel : one->kernels)
            check_callbacks(*kernels[kernel], *kernels[method->kernels.front()]);
        signatures_[static_cast<std::size_t>(direction)] = kernels[method->kernels.front()]->signature;
        const PlannedKernel &first = launches_[method->kernels.front()].kernel,
                            &last = launches_[method->kernels.back()].kernel;
        extents_[static_cast<std::size_t>(direction)] = {extents_of_side(*first.plan, first.kernel->in),
                                                         extents_of_side(*last.plan, last.kernel->out)};
      }
  }

  std::string title() const override { return title_; }

  std::string size_text(std::uint64_t batch) const override { return base::format("a batch of {}", batch); }

  std::size_t workspace_bytes(std::uint64_t batch) const override {
    if (workspace_points_ == 0) return 0;
    const std::optional<std::uint64_t> points = points_of(workspace_points_, batch);
    if (!points)
      refuse(base::format("a batch of {} FFTs of {} needs a larger workspace than any memory holds", batch,
                          points_text(*plan_)),
             "Use a smaller batch.");
    return *points * static_cast<std::size_t>(complex_bytes(plan_->precision));
  }

  void call(const Arguments& given, Runner& runner) const override {
    const auto& arguments = static_cast<const FftArguments&>(given);
    const std::vector<std::size_t>& of_rows = kernels_of(arguments.direction);
    const PlannedKernel& first = launches_[of_rows.front()].kernel;
    const Signature& signature = signatures_[static_cast<std::size_t>(arguments.direction)];
    const Extents& extents = extents_[static_cast<std::size_t>(arguments.direction)];
    CheckedCall checked =
        check_call({name_, signature, first.request, extents.in, extents.out, workspace_points_ > 0, is_on_host_},
                   arguments, *arguments.launch);
    StridedHead& head = checked.head;
    const std::vector<std::size_t>& of_columns = columns_[static_cast<std::size_t>(arguments.direction)];
    const bool takes_columns =
        !of_columns.empty() &&
        are_columns(head.in_places, head.out_places, static_cast<std::uint64_t>(extents.in.back()),
                    static_cast<std::uint64_t>(complex_bytes(first.plan->precision)));
    const std::vector<std::size_t>& kernels = takes_columns ? of_columns : of_rows;
    if (launches_[kernels.front()].kernel.plan->has_workspace())
      head.workspace = workspace_of(*arguments.launch, head.batch, runner);
    check_grids(kernels, head.batch);
    head.load_info = arguments.load_info;
    head.store_info = arguments.store_info;
    const std::size_t inputs = arguments.inputs.size();
    head.out = checked.pointers[inputs];
    ArrayRef moved[GRAFT_MAX_INPUTS];
    for (std::size_t i = 0; i < inputs; ++i) moved[i].pointer = checked.pointers[i];
    FftArguments as_laid_out = arguments;
    as_laid_out.inputs = {moved, inputs};
    for (const std::size_t kernel : kernels) launch(kernel, as_laid_out, signature, head, runner);
  }

 private:
  struct PlannedLaunch {
    PlannedKernel kernel;
    std::uint32_t shared_bytes;
  };

  // Of an FFT, in the arrays of each side.
  struct Extents {
    std::vector<std::int64_t> in, out;
  };

  // A call is checked once, for the first kernel.
  static void check_callbacks(const KernelSpec& kernel, const KernelSpec& first) {
    if (kernel.signature == first.signature && kernel.shared_bytes == first.shared_bytes) return;
    fail(ErrorCode::ImageRefused, base::format("{} has other callbacks than {}", kernel.name, first.name),
         "Make all kernels of an FFT with the same callbacks.");
  }

  const std::vector<std::size_t>& kernels_of(Direction direction) const {
    check_enumerator(direction, Direction::Inverse, "the direction");
    const std::vector<std::size_t>& found = kernels_[static_cast<std::size_t>(direction)];
    if (!found.empty()) return found;
    if (launches_.front().kernel.request.has_inverse)
      refuse("an FFT with a callback between has no inverse direction: it is a forward and an inverse FFT",
             "Call execute with Direction::Forward, the default.");
    refuse(base::format("this FFT of {} was not prepared for the {} direction", points_text(*plan_),
                        direction == Direction::Forward ? "forward" : "inverse"),
           "Set FftPlan::directions to both.");
  }

  void check_grids(const std::vector<std::size_t>& kernels, std::uint64_t batch) const {
    for (const std::size_t kernel : kernels)
      if (const auto blocks = static_cast<std::size_t>(blocks_of(kernel, batch)); blocks > kMostBlocks)
        refuse(base::format("a batch of {} FFTs of {} has {} thread blocks, but CUDA launches at most {}", batch,
                            points_text(*plan_), blocks, kMostBlocks),
               "Split the batch into several calls.");
  }

  std::int64_t blocks_of(std::size_t kernel, std::uint64_t batch) const {
    return launch_blocks(*launches_[kernel].kernel.kernel, static_cast<std::int64_t>(batch));
  }

  void* workspace_of(const FftLaunch& launch, std::uint64_t batch, Runner& runner) const {
    const std::size_t needed = workspace_bytes(batch);
    // The host allocates what it needs for each call. It checks the caller's workspace all the same, as a GPU would.
    void* const of_caller = launch.workspace != nullptr ? workspace_of_caller(launch, batch, needed) : nullptr;
    if (is_on_host_) return runner.workspace(needed);
    if (of_caller != nullptr) return of_caller;
    if (batch == 0) return nullptr;
    if (batch > capacity_)
      refuse(base::format("a batch of {} FFTs of {} needs a workspace of {} bytes, but create allocated one for "
                          "a batch of {}",
                          batch, points_text(*plan_), needed, capacity_),
             "Set FftPlan::batch to the largest batch, or pass a workspace in FftLaunch.");
    return runner.workspace(needed);
  }

  void* workspace_of_caller(const FftLaunch& launch, std::uint64_t batch, std::size_t needed) const {
    if (launch.workspace_bytes < needed)
      refuse(base::format("a batch of {} FFTs of {} needs a workspace of {} bytes, but {} were given", batch,
                          points_text(*plan_), needed, launch.workspace_bytes),
             "Pass a workspace of Fft::workspace_bytes(batch) bytes.");
    if (reinterpret_cast<std::uintptr_t>(launch.workspace) % 16 != 0)
      fail(ErrorCode::Misaligned, "the workspace of an FFT is not aligned to 16 bytes",
           "Allocate the workspace with cudaMalloc.");
    return launch.workspace;
  }

  void launch(std::size_t number, const FftArguments& arguments, const Signature& signature, StridedHead& head,
              Runner& runner) const {
    const PlannedLaunch& planned = launches_[number];
    const auto kernel = static_cast<unsigned>(number);
    head.roots = runner.constants(kernel);
    if (arguments.direction == Direction::Inverse && serves_both_directions(planned.kernel.request))
      head.roots = static_cast<const std::byte*>(head.roots) + bytes_of_one_direction(planned.kernel);
    ParameterBytes parameter;
    const std::size_t head_bytes = planned.kernel.request.has_strides ? sizeof head : sizeof(ParameterHead);
    std::memcpy(parameter.bytes, &head, head_bytes);
    const std::size_t bytes = lay_out_arrays_and_state(head_bytes, arguments, signature.state(), parameter.bytes);
    const auto blocks = static_cast<unsigned>(blocks_of(number, head.batch));
    runner.launch({.kernel = kernel,
                   .grid = {blocks, static_cast<unsigned>(planned.kernel.kernel->block_threads())},
                   .shared_bytes = planned.shared_bytes,
                   .parameter = parameter.bytes,
                   .parameter_bytes = static_cast<std::uint32_t>(bytes),
                   .items = static_cast<unsigned long long>(
                       host_blocks(*planned.kernel.kernel, static_cast<std::int64_t>(head.batch)))});
  }

  std::string title_;
  std::string name_;  // of the first kernel
  std::shared_ptr<const Plan> plan_;
  std::int64_t workspace_points_ = 0;  // for each FFT of a batch
  std::uint64_t capacity_;
  bool is_on_host_;
  std::vector<PlannedLaunch> launches_;       // of the schedule's kernels
  std::array<Signature, 2> signatures_ = {};  // of the callbacks, in each direction
  std::array<Extents, 2> extents_ = {};       // in each direction
  // Of each direction, in the order of their launches; and those for FFTs that are neighbours in memory, if there are
  // others for them.
  std::array<std::vector<std::size_t>, 2> kernels_ = {}, columns_ = {};
};

}  // namespace

std::unique_ptr<const Caller> make_caller(const Job& job, const Schedule& schedule,
                                          std::span<const KernelSpec* const> kernels) {
  return std::make_unique<FftCaller>(job, schedule, kernels);
}

base::Bytes constants_of(const KernelSpec& kernel) {
  const PlannedKernel known = planned(kernel);
  return known.request.precision == Precision::Single ? bytes_of_roots<float>(known) : bytes_of_roots<double>(known);
}

std::uint32_t shared_bytes_of(const KernelSpec& kernel) {
  return static_cast<std::uint32_t>(shared_bytes(*planned(kernel).kernel, kernel.shared_bytes));
}

}  // namespace graft::families::fft
