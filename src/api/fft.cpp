// An Fft is a job of the family of FFTs (families/fft/job.hpp), whose kernels are loaded for each architecture among
// the devices that were prepared (engine/loaded_job.hpp).
#include "graft/fft.hpp"

#include <utility>

#include "api/job_options.hpp"
#include "api/load_check.hpp"
#include "api/run_in_engine.hpp"
#include "core/fail.hpp"
#include "engine/job_ahead.hpp"
#include "engine/job_kernels.hpp"
#include "engine/loaded_job.hpp"
#include "families/fft/caller.hpp"
#include "families/fft/job.hpp"
#include "families/fft/request.hpp"

namespace graft {

struct Fft::Impl {
  // `options` are as options_of_job returned them.
  Impl(const std::shared_ptr<Engine::Impl>& its_engine, engine::JobKernels kernels, Options options)
      : engine(its_engine),
        plan(families::fft::plan_of(kernels.job())),
        job(its_engine, std::move(kernels), std::move(options)) {
    job.prepare_chosen();
  }

  std::shared_ptr<Engine::Impl> engine;  // which a LoadedJob does not own
  FftPlan plan;
  LoadedJob job;
};

namespace {

using engine::JobKernels;
using families::fft::FftArguments;

FftArguments arguments_of(ArrayRefs in, ArrayRefs out, Direction direction, const FftLaunch& launch) {
  return {{in.span(), out.span(), launch.state.bytes, launch.state.type, launch.info.load, launch.info.store},
          direction,
          &launch};
}

}  // namespace

Fft Fft::create(const FftPlan& plan, const FftCallbacks& callbacks, const Options& options) {
  return create(Engine::shared(), plan, callbacks, options);
}

Fft Fft::create(Engine& engine, const FftPlan& plan, const FftCallbacks& callbacks, const Options& options) {
  return Fft(load_job<Impl>(engine, JobKernels(families::fft::job_of(plan, callbacks)), options));
}

Pending<Fft> Fft::create_async(const FftPlan& plan, const FftCallbacks& callbacks, const Options& options) {
  return create_async(Engine::shared(), plan, callbacks, options);
}

Pending<Fft> Fft::create_async(Engine& engine, const FftPlan& plan, const FftCallbacks& callbacks,
                               const Options& options) {
  const std::shared_ptr<Engine::Impl>& impl = Engine::Impl::of(engine);
  return run_in_engine<Fft>(impl, options, [&] {
    JobKernels kernels(families::fft::job_of(plan, callbacks));
    Options taken = options_of_job(engine, kernels, options);
    return [impl, kernels = std::move(kernels), taken = std::move(taken)] {
      return Fft(std::make_shared<Impl>(impl, kernels, taken));
    };
  });
}

Fft Fft::load(std::span<const std::byte> pack, std::size_t batch, const Options& options) {
  return load(Engine::shared(), pack, batch, options);
}

Fft Fft::load(Engine& engine, std::span<const std::byte> pack, std::size_t batch, const Options& options) {
  return Fft(load_job<Impl>(engine, JobKernels::of_pack(families::fft::kFamily, pack, batch), options));
}

Fft Fft::load(const std::vector<Image>& images, std::size_t batch, const Options& options) {
  return load(Engine::shared(), images, batch, options);
}

Fft Fft::load(Engine& engine, const std::vector<Image>& images, std::size_t batch, const Options& options) {
  for (const Image& image : images) check_load(image, options);
  return Fft(load_job<Impl>(engine, JobKernels::of_images(families::fft::kFamily, images, batch), options));
}

void Fft::execute(CUstream_st* stream, ArrayRefs in, ArrayRefs out, Direction direction,
                  const FftLaunch& launch) const {
  impl_->job.execute(stream, arguments_of(in, out, direction, launch));
}

void Fft::execute(HostTag, ArrayRefs in, ArrayRefs out, Direction direction, const FftLaunch& launch) const {
  impl_->job.execute_on_host(arguments_of(in, out, direction, launch));
}

void Fft::prepare(int device) {
  impl_->job.prepare(launch::CurrentContext(device));
}
void Fft::prepare_current() {
  impl_->job.prepare(launch::CurrentContext());
}

std::size_t Fft::workspace_bytes(std::size_t batch) const {
  return impl_->job.workspace_bytes(batch);
}

const FftPlan& Fft::plan() const noexcept {
  return impl_->plan;
}

const std::vector<Report>& Fft::reports() const noexcept {
  return impl_->job.reports();
}

std::vector<Image> build(const FftPlan& plan, const FftCallbacks& callbacks, Architecture architecture,
                         const Options& options) {
  return build(Engine::shared(), plan, callbacks, architecture, options);
}

std::vector<Image> build(Engine& engine, const FftPlan& plan, const FftCallbacks& callbacks, Architecture architecture,
                         const Options& options) {
  const JobKernels kernels(families::fft::job_of(plan, callbacks));
  return engine::build(Engine::Impl::of(engine), kernels, architecture, options_of_job(engine, kernels, options));
}

std::vector<std::byte> precompile(const FftPlan& plan, const FftCallbacks& callbacks,
                                  const std::vector<Architecture>& architectures, PrecompileFormat format,
                                  const Options& options) {
  return precompile(Engine::shared(), plan, callbacks, architectures, format, options);
}

std::vector<std::byte> precompile(Engine& engine, const FftPlan& plan, const FftCallbacks& callbacks,
                                  const std::vector<Architecture>& architectures, PrecompileFormat format,
                                  const Options& options) {
  const JobKernels kernels(families::fft::job_of(plan, callbacks));
  const Options taken = options_of_job(engine, kernels, options);
  return engine::precompile(Engine::Impl::of(engine), kernels, architectures, format, taken);
}

}  // namespace graft
