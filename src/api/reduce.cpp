// A Reduce is a job of the family of reductions (families/reduce/job.hpp).
#include "graft/reduce.hpp"

#include <utility>

#include "core/fail.hpp"
#include "engine/job_kernels.hpp"
#include "engine/loaded_job.hpp"
#include "engine/taken_options.hpp"
#include "families/reduce/job.hpp"

namespace graft {

struct Reduce::Impl {
  Impl(const std::shared_ptr<Engine::Impl>& its_engine, engine::JobKernels kernels, Options options)
      : engine(its_engine), job(its_engine, std::move(kernels), std::move(options)) {
    job.prepare_chosen();
  }

  std::shared_ptr<Engine::Impl> engine;  // which a LoadedJob does not own
  LoadedJob job;
};

namespace {

families::Arguments arguments_of(ArrayRefs in, ArrayRefs out, const StateRef& state) {
  return {in.span(), out.span(), state.bytes, state.type};
}

}  // namespace

Reduce Reduce::create(const ReduceCallbacks& callbacks, const Options& options) {
  return create(Engine::shared(), callbacks, options);
}

Reduce Reduce::create(Engine& engine, const ReduceCallbacks& callbacks, const Options& options) {
  if (!options.entry.empty())
    refuse("Options::entry names one function, but a reduction can have several callbacks",
           "Name the entry function of each callback with Callback::with_entry.");
  engine::JobKernels kernels(families::reduce::job_of(callbacks));
  const std::shared_ptr<Engine::Impl>& impl = Engine::Impl::of(engine);
  Options taken = engine::TakenOptions(kernels.callbacks(), options, &impl->logger()).get();
  return Reduce(std::make_shared<Impl>(impl, std::move(kernels), std::move(taken)));
}

void Reduce::execute(CUstream_st* stream, ArrayRefs in, ArrayRefs out, const StateRef& state) const {
  impl_->job.execute(stream, arguments_of(in, out, state));
}

void Reduce::execute(HostTag, ArrayRefs in, ArrayRefs out, const StateRef& state) const {
  impl_->job.execute_on_host(arguments_of(in, out, state));
}

void Reduce::prepare(int device) {
  impl_->job.prepare(launch::CurrentContext(device));
}
void Reduce::prepare_current() {
  impl_->job.prepare(launch::CurrentContext());
}
void Reduce::prepare(CUstream_st* stream) const {
  impl_->job.prepare_stream(stream);
}

const Signature& Reduce::signature() const noexcept {
  return report().kernel.signature;
}
const Report& Reduce::report() const noexcept {
  return impl_->job.reports().front();
}

}  // namespace graft
