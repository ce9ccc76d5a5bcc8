// A Reduce is a job of the family of reductions (families/reduce/job.hpp).
#include "graft/reduce.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "api/example_shapes.hpp"
#include "base/format.hpp"
#include "core/fail.hpp"
#include "engine/job_kernels.hpp"
#include "engine/loaded_job.hpp"
#include "engine/taken_options.hpp"
#include "families/reduce/checks.hpp"
#include "families/reduce/job.hpp"
#include "families/reduce/kernels.hpp"
#include "families/reduce/order.hpp"

namespace graft {

namespace {

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
  Impl(const std::shared_ptr<Engine::Impl>& its_engine, engine::JobKernels kernels, Options options)
      : engine(its_engine), job(its_engine, std::move(kernels), std::move(options)) {
    job.prepare_chosen();
    add_kernels_for_examples(job,
                             [&](ArrayRefs in, ArrayRefs out) { return job.method_for(arguments_of(in, out, {})); });
  }

  std::shared_ptr<Engine::Impl> engine;  // which a LoadedJob does not own
  LoadedJob job;
};

Reduce Reduce::create(const ReduceCallbacks& callbacks, const Options& options) {
  return create(Engine::shared(), callbacks, options);
}

Reduce Reduce::create(Engine& engine, const ReduceCallbacks& callbacks, const Options& options) {
  if (!options.entry.empty())
    refuse("Options::entry names one function, but a reduction can have several callbacks",
           "Name the entry function of each callback with Callback::with_entry.");
  families::Job job = families::reduce::job_of(callbacks);
  if (options.any_shape) job.methods = families::reduce::methods_for_any_shape();
  engine::JobKernels kernels(std::move(job));
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
  const families::reduce::Chunks chunks = families::reduce::cut(elements, width);
  const std::uint64_t begin = std::uint64_t{chunks.count} * part / parts,
                      end = std::uint64_t{chunks.count} * (part + 1) / parts;
  const auto element = [&](std::uint64_t chunk) { return std::min(chunk * chunks.groups * width, elements); };
  return {.elements = elements,
          .begin = element(begin),
          .count = element(end) - element(begin),
          .first_chunk = begin,
          .chunks = end - begin,
          .all_chunks = chunks.count};
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
  const std::string method = impl_->job.method_for(arguments_of(in, out, {}));
  if (!method.empty()) impl_->job.add_methods({method});
}
void Reduce::prepare_segments() {
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

}  // namespace graft
