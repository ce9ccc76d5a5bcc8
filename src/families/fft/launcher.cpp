// The kernel's parameter consists of a ParameterHead, the pointers of the input arrays, and the state (program.hpp,
// FftArguments in building_blocks/fft/hooks.h). The table of roots of unity is the launcher's constants.
#include "families/fft/launcher.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <vector>

#include "base/format.hpp"
#include "core/fail.hpp"
#include "families/fft/kernel_request.hpp"
#include "families/fft/program.hpp"
#include "families/fft/roots.hpp"

namespace graft::families::fft {
namespace {

// CUDA launches at most this many thread blocks in a grid of one dimension.
constexpr std::int64_t kMostBlocks = std::numeric_limits<std::int32_t>::max();

constexpr std::size_t align_up(std::size_t offset, std::size_t alignment) {
  return (offset + alignment - 1) / alignment * alignment;
}

template <class Real>
std::vector<std::byte> bytes_of_roots(const Kernel& kernel) {
  const std::vector<graft_fft::Complex<Real>> roots = roots_of<Real>(kernel);
  std::vector<std::byte> bytes(roots.size() * sizeof roots[0]);
  std::memcpy(bytes.data(), roots.data(), bytes.size());
  return bytes;
}

class FftLauncher final : public Launcher {
 public:
  explicit FftLauncher(const KernelSpec& spec) : signature_(spec.signature) {
    KernelRequest request;
    read_tuning(spec.tuning, request);
    plan_ = plan_of(request);
    kernel_ = &plan_->kernels[static_cast<std::size_t>(request.kernel)];
    roots_ =
        request.precision == Precision::Single ? bytes_of_roots<float>(*kernel_) : bytes_of_roots<double>(*kernel_);
    shared_bytes_ = static_cast<std::uint32_t>(shared_bytes(*kernel_, spec.shared_bytes));
  }

  std::size_t workspace_bytes() const noexcept override { return roots_.size(); }
  std::span<const std::byte> constants() const noexcept override { return roots_; }
  std::uint32_t most_shared_bytes() const noexcept override { return shared_bytes_; }

  void lay_out(const Arguments& arguments, void* roots, Call& call) const override {
    const FftCall& fft = *static_cast<const FftCall*>(arguments.more);
    const auto batch = static_cast<std::int64_t>(fft.batch);
    const std::int64_t blocks = launch_blocks(*kernel_, batch);
    if (blocks > kMostBlocks)
      refuse(base::format("a batch of {} FFTs of {} points has {} thread blocks, but CUDA launches at most {}", batch,
                          plan_->length, blocks, kMostBlocks),
             "Split the batch into several calls.");
    Call::Launch& launch = call.launches[0];
    call.count = blocks == 0 ? 0 : 1;
    launch.grid = {static_cast<unsigned>(blocks), static_cast<unsigned>(kernel_->block.block_threads())};
    launch.programmatic = false;
    launch.shared_bytes = shared_bytes_;
    launch.parameter = 0;
    launch.items = static_cast<unsigned long long>(blocks);

    ParameterHead head;
    head.batch = fft.batch;
    head.in_stride = fft.in_stride, head.in_distance = fft.in_distance;
    head.out_stride = fft.out_stride, head.out_distance = fft.out_distance;
    head.workspace = fft.workspace;
    head.roots = roots;
    head.load_info = arguments.load_info, head.store_info = arguments.store_info;
    head.out = arguments.outputs[0].pointer;
    std::memcpy(call.parameters, &head, sizeof head);

    const std::size_t alignment = state_alignment();
    std::size_t at = align_up(sizeof head, alignment);
    for (const ArrayRef& array : arguments.inputs) {
      std::memcpy(call.parameters + at, &array.pointer, sizeof array.pointer);
      at += sizeof array.pointer;
    }
    if (arguments.inputs.empty()) at += sizeof(void*);  // the kernel has room for one pointer at least
    if (const std::optional<ElementType>& state = signature_.state()) {
      at = align_up(at, state->alignment);
      std::memcpy(call.parameters + at, arguments.state, state->size);
      at += state->size;
    }
    launch.parameter_bytes = static_cast<std::uint32_t>(align_up(at, alignment));
  }

 private:
  std::size_t state_alignment() const {
    const std::size_t own = signature_.state() ? signature_.state()->alignment : 1;
    return std::max(own, alignof(void*));
  }

  Signature signature_;
  std::shared_ptr<const Plan> plan_;
  const Kernel* kernel_;
  std::vector<std::byte> roots_;
  std::uint32_t shared_bytes_;
};

}  // namespace

std::unique_ptr<const Launcher> make_launcher(const KernelSpec& kernel) {
  return std::make_unique<FftLauncher>(kernel);
}

}  // namespace graft::families::fft
