// A Reduce is a job of the family of reductions (families/reduce/job.hpp).
#include "graft/reduce.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "api/example_shapes.hpp"
#include "api/job_options.hpp"
#include "api/load_check.hpp"
#include "api/run_in_engine.hpp"
#include "base/format.hpp"
#include "core/fail.hpp"
#include "engine/job_ahead.hpp"
#include "engine/job_kernels.hpp"
#include "engine/loaded_job.hpp"
#include "families/reduce/checks.hpp"
#include "families/reduce/job.hpp"
#include "families/reduce/kernels.hpp"
#include "families/reduce/order.hpp"
#include "families/reduce/reduce.hpp"
#include "graft/error.hpp"

namespace graft {

namespace {

using engine::JobKernels;

families::reduce::CallArguments arguments_of(ArrayRefs in, ArrayRefs out, const StateRef& state) {
  families::reduce::CallArguments arguments;
  arguments.inputs = in.span();
  arguments.outputs = out.span();
  arguments.state = state.bytes;
  arguments.state_type = state.type;
  return arguments;
}

families::reduce::CallArguments arguments_of(ArrayRefs in, const ArrayRef& offsets, ArrayRefs out,
                                             const StateRef& state) {
  families::reduce::CallArguments arguments = arguments_of(in, out, state);
  arguments.offsets = &offsets;
  return arguments;
}

}  // namespace

struct Reduce::Impl {
  // `options` are as options_of_job returned them.
  Impl(const std::shared_ptr<Engine::Impl>& its_engine, JobKernels kernels, Options options)
      : engine(its_engine), job(its_engine, std::move(kernels), std::move(options)) {
    job.prepare_chosen();
    add_kernels_for_examples(job, [&](ArrayRefs in, ArrayRefs out) { return method_for(arguments_of(in, out, {})); });
  }

  // Returns the method that serves such calls best. Refuses one that a loaded reduction does not have.
  std::string method_for(const families::reduce::CallArguments& arguments) const {
    std::string method = job.method_for(arguments);
    require({method});
    return method;
  }

  void require(const std::vector<std::string>& methods) const {
    const bool is_loaded = job.job().callbacks.empty();
    for (const std::string& method : methods)
      if (is_loaded && std::ranges::find(job.job().methods, method) == job.job().methods.end())
        refuse(base::format("the reduction was loaded without the kernel `{}`", method),
               "Make the pack or the images with Options::any_shape: they then have all kernels.");
  }

  std::shared_ptr<Engine::Impl> engine;  // which a LoadedJob does not own
  LoadedJob job;
};

namespace {

JobKernels kernels_of(const ReduceCallbacks& callbacks, const Options& options) {
  families::Job job = families::reduce::job_of(callbacks);
  if (options.any_shape) job.methods = families::reduce::methods_for_any_shape();
  return JobKernels(std::move(job));
}

// Throws Error(ImageRefused) if kernels that were made before do not begin with that for arrays of one dimension.
JobKernels with_first(JobKernels kernels) {
  const std::string first = families::reduce::method_of(families::reduce::KernelKind::Whole);
  if (std::ranges::find(kernels.job().methods, first) != kernels.job().methods.end()) return kernels;
  fail(ErrorCode::ImageRefused, "the reduction has no kernel for arrays of one dimension",
       "Load all kernels: a whole pack, or all images that graft::build returned.");
}

// What is made ahead of time has all kernels, if it has more than the first: which calls there will be is not known.
JobKernels kernels_ahead(const ReduceCallbacks& callbacks, const Options& options) {
  families::Job job = families::reduce::job_of(callbacks);
  if (options.any_shape || !options.shapes.empty()) job.methods = families::reduce::all_methods();
  return JobKernels(std::move(job));
}

}  // namespace

Reduce Reduce::create(const ReduceCallbacks& callbacks, const Options& options) {
  return create(Engine::shared(), callbacks, options);
}

Reduce Reduce::create(Engine& engine, const ReduceCallbacks& callbacks, const Options& options) {
  return Reduce(load_job<Impl>(engine, kernels_of(callbacks, options), options));
}

Pending<Reduce> Reduce::create_async(const ReduceCallbacks& callbacks, const Options& options) {
  return create_async(Engine::shared(), callbacks, options);
}

Pending<Reduce> Reduce::create_async(Engine& engine, const ReduceCallbacks& callbacks, const Options& options) {
  const std::shared_ptr<Engine::Impl>& impl = Engine::Impl::of(engine);
  return run_in_engine<Reduce>(impl, options, [&] {
    JobKernels kernels = kernels_of(callbacks, options);
    Options taken = options_of_job(engine, kernels, options);
    return [impl, kernels = std::move(kernels), taken = std::move(taken)] {
      return Reduce(std::make_shared<Impl>(impl, kernels, taken));
    };
  });
}

Reduce Reduce::load(std::span<const std::byte> pack, const Options& options) {
  return load(Engine::shared(), pack, options);
}

Reduce Reduce::load(Engine& engine, std::span<const std::byte> pack, const Options& options) {
  return Reduce(load_job<Impl>(engine, with_first(JobKernels::of_pack(families::reduce::kFamily, pack, 0)), options));
}

Reduce Reduce::load(const std::vector<Image>& images, const Options& options) {
  return load(Engine::shared(), images, options);
}

Reduce Reduce::load(Engine& engine, const std::vector<Image>& images, const Options& options) {
  for (const Image& image : images) check_load(image, options);
  return Reduce(
      load_job<Impl>(engine, with_first(JobKernels::of_images(families::reduce::kFamily, images, 0)), options));
}

void Reduce::execute(CUstream_st* stream, ArrayRefs in, ArrayRefs out, const StateRef& state) const {
  impl_->job.execute(stream, arguments_of(in, out, state));
}

void Reduce::execute(HostTag, ArrayRefs in, ArrayRefs out, const StateRef& state) const {
  impl_->job.execute_on_host(arguments_of(in, out, state));
}

const ArrayRef& Reduce::the_one(ArrayRefs offsets) {
  if (offsets.span().size() != 1) refuse("segments have one array of offsets", "Give one array of offsets.");
  return offsets.span()[0];
}

void Reduce::execute_segments(CUstream_st* stream, ArrayRefs in, const ArrayRef& offsets, ArrayRefs out,
                              const StateRef& state) const {
  impl_->job.execute(stream, arguments_of(in, offsets, out, state));
}

void Reduce::execute_segments(HostTag, ArrayRefs in, const ArrayRef& offsets, ArrayRefs out,
                              const StateRef& state) const {
  impl_->job.execute_on_host(arguments_of(in, offsets, out, state));
}

ReduceShard Reduce::shard(std::uint64_t elements, std::uint32_t part, std::uint32_t parts) const {
  if (part >= parts || elements == 0)
    refuse(base::format("part {} of {} parts of {} elements is none", part, parts, elements),
           "Cut at least one element, and name the parts from 0 on.");
  const unsigned width = families::reduce::group_width(signature());
  const std::uint64_t chunks = families::reduce::cut(elements, width).count;
  const std::uint64_t begin = chunks * part / parts, end = chunks * (part + 1) / parts;
  return families::reduce::shard_of(elements, width, begin, end - begin);
}

namespace {

families::reduce::CallArguments partials_of(ArrayRefs in, const ReduceShard& shard, void* to, const StateRef& state) {
  families::reduce::CallArguments arguments = arguments_of(in, {}, state);
  arguments.step = GRAFT_REDUCE_STEP_CHUNKS;
  arguments.partials = to;
  arguments.shard = &shard;
  return arguments;
}

families::reduce::CallArguments results_of(const void* partials, std::uint64_t elements, ArrayRefs out,
                                           const StateRef& state) {
  families::reduce::CallArguments arguments = arguments_of({}, out, state);
  arguments.step = GRAFT_REDUCE_STEP_RESULTS;
  arguments.partials = const_cast<void*>(partials);
  arguments.elements = elements;
  return arguments;
}

}  // namespace

void Reduce::partials(CUstream_st* stream, ArrayRefs in, const ReduceShard& shard, void* to,
                      const StateRef& state) const {
  impl_->job.execute(stream, partials_of(in, shard, to, state));
}
void Reduce::partials(HostTag, ArrayRefs in, const ReduceShard& shard, void* to, const StateRef& state) const {
  impl_->job.execute_on_host(partials_of(in, shard, to, state));
}
void Reduce::finish(CUstream_st* stream, const void* partials, std::uint64_t elements, ArrayRefs out,
                    const StateRef& state) const {
  impl_->job.execute(stream, results_of(partials, elements, out, state));
}
void Reduce::finish(HostTag, const void* partials, std::uint64_t elements, ArrayRefs out, const StateRef& state) const {
  impl_->job.execute_on_host(results_of(partials, elements, out, state));
}

void Reduce::prepare(int device) {
  impl_->job.prepare(launch::CurrentContext(device));
}
void Reduce::prepare_current() {
  impl_->job.prepare(launch::CurrentContext());
}
void Reduce::prepare_shapes(ArrayRefs in, ArrayRefs out) {
  const std::string method = impl_->method_for(arguments_of(in, out, {}));
  if (!method.empty()) impl_->job.add_methods({method});
}
void Reduce::prepare_segments() {
  impl_->require(families::reduce::methods_for_segments());
  impl_->job.add_methods(families::reduce::methods_for_segments());
}
std::string Reduce::describe_shapes(ArrayRefs in, ArrayRefs out) const {
  return impl_->job.describe(arguments_of(in, out, {}));
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

std::vector<Image> build(const ReduceCallbacks& callbacks, Architecture architecture, const Options& options) {
  return build(Engine::shared(), callbacks, architecture, options);
}

std::vector<Image> build(Engine& engine, const ReduceCallbacks& callbacks, Architecture architecture,
                         const Options& options) {
  const JobKernels kernels = kernels_ahead(callbacks, options);
  return engine::build(Engine::Impl::of(engine), kernels, architecture, options_of_job(engine, kernels, options));
}

std::vector<std::byte> precompile(const ReduceCallbacks& callbacks, const std::vector<Architecture>& architectures,
                                  PrecompileFormat format, const Options& options) {
  return precompile(Engine::shared(), callbacks, architectures, format, options);
}

std::vector<std::byte> precompile(Engine& engine, const ReduceCallbacks& callbacks,
                                  const std::vector<Architecture>& architectures, PrecompileFormat format,
                                  const Options& options) {
  const JobKernels kernels = kernels_ahead(callbacks, options);
  const Options taken = options_of_job(engine, kernels, options);
  return engine::precompile(Engine::Impl::of(engine), kernels, architectures, format, taken);
}

}  // namespace graft
