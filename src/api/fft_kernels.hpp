// The kernels of which an FFT consists, wherever they come from: callbacks that are compiled for the device at hand, a
// set of packs, or images that were built before. All of them say which FFT they compute (FftPlan), and which kernels
// an architecture takes, in the order of their launches.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/bytes.hpp"
#include "core/image_data.hpp"
#include "families/fft/kernel_request.hpp"
#include "graft/fft.hpp"

namespace graft {

// One kernel. It has either a callback, from which the engine builds it, or an image.
struct FftKernel {
  families::fft::KernelRequest request;
  std::optional<Callback> callback = {};
  std::shared_ptr<const Image::Data> image = {};
};

class FftKernels {
 public:
  // Each throws Error(InvalidArgument) or Error(ImageRefused). `batch` is FftPlan::batch, which no file contains.
  static FftKernels of_callbacks(const FftPlan& plan, const FftCallbacks& callbacks);
  static FftKernels of_pack(std::span<const std::byte> pack, std::size_t batch);
  static FftKernels of_images(const std::vector<Image>& images, std::size_t batch);

  const FftPlan& plan() const noexcept { return plan_; }
  bool has_between() const noexcept { return has_between_; }
  bool is_of_images() const noexcept { return !made_.empty() && made_.front().image != nullptr; }
  bool is_on_host(const Options& options) const;
  // The callback that a request's options are checked with. Null for images, which are finished.
  const Callback* callback() const noexcept;

  // The plan for an architecture or, without one, for the host. Throws Error if there is none.
  std::shared_ptr<const families::fft::Plan> plan_for(std::optional<Architecture> architecture) const;
  // The kernels of that plan: those of the forward FFT, then those of the inverse. Throws Error if there are none.
  std::vector<FftKernel> kernels_for(std::optional<Architecture> architecture) const;

  // What a kernel must compute, whatever its architecture.
  families::fft::KernelRequest request(Direction direction) const;

 private:
  static FftKernels of_made(std::vector<FftKernel> made, std::size_t batch);
  void check_made() const;
  std::vector<FftKernel> made_for(std::optional<Architecture> architecture) const;

  FftPlan plan_;
  bool has_between_ = false;
  std::optional<Callback> composition_;  // of load, between and store; not for kernels that were made before
  std::vector<FftKernel> made_;
};

// Returns the options of a request as the engine takes them. Throws Error(InvalidArgument) for options that FFTs do not
// have, and what engine::TakenOptions throws.
Options taken_options(Engine& engine, const FftKernels& kernels, const Options& options);

}  // namespace graft
