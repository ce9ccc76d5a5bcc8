// A Transform is a job with one callback (engine/loaded_job.hpp): one kernel, or several for arrays of several shapes.
//
// create finds the job of an equal request (the same callback and options) in the engine, or makes a new one.
#include "graft/transform.hpp"

#include <algorithm>
#include <cstring>
#include <optional>
#include <utility>

#include "api/example_shapes.hpp"
#include "api/instance_check.hpp"
#include "api/load_check.hpp"
#include "api/run_in_engine.hpp"
#include "base/format.hpp"
#include "core/fail.hpp"
#include "engine/engine_impl.hpp"
#include "engine/loaded_job.hpp"
#include "engine/taken_options.hpp"
#include "families/elementwise/shapes/best_kernel.hpp"
#include "families/elementwise/shapes/shape_class.hpp"
#include "graft/error.hpp"
#include "graft/generic.hpp"

namespace graft {
namespace {

using JobPointer = std::shared_ptr<LoadedJob>;

families::Arguments arguments_of(ArrayRefs in, ArrayRefs out, const StateRef& state, const CallerInfo& info) {
  return {in.span(), out.span(), state.bytes, state.type, info.load, info.store};
}

families::Arguments arguments_of(Count count, const StateRef& state) {
  families::Arguments arguments = arguments_of({}, {}, state, {});
  arguments.count = count.elements();
  return arguments;
}

// Returns the method that serves calls with these arrays best. Refuses one that the job cannot have.
std::string method_for(const LoadedJob& job, ArrayRefs in, ArrayRefs out) {
  std::string method = job.method_for(arguments_of(in, out, {}, {}));
  if (method != elementwise::method_of(elementwise::ShapeClass::Flat) && job.job().callbacks.empty())
    refuse("the transform was loaded from an image, which holds the kernel for arrays of one dimension alone",
           "Create the transform from its callback.");
  return method;
}

// Returns the job of a request. The signature is not known yet: see add_kernels_for_examples().
families::Job job_of(const Callback& callback, const Options& options) {
  families::Job job{.callbacks = {{"callback", callback}},
                    .methods = {elementwise::method_of(elementwise::ShapeClass::Flat)}};
  if (options.routes.required == Route::Host) return job;
  if (options.any_shape) job.methods = elementwise::methods_for_any_shape();
  for (const CallShapes& example : options.shapes) {
    const elementwise::KernelShapes likely =
        elementwise::likely_kernel(example, static_cast<std::uint32_t>(options.shared_bytes));
    const std::string method =
        elementwise::method_of(callback.form() == Form::Pack ? elementwise::servable_by_pack(likely) : likely);
    if (std::ranges::find(job.methods, method) == job.methods.end()) job.methods.push_back(method);
  }
  return job;
}

// Prepares a job for a new request that is equal to the request it was made for. Returns false if the new request needs
// a job of its own. This is the case when the current device has another architecture than the first kernel, because
// report() describes the first kernel.
bool prepare_again(LoadedJob& job) {
  if (job.is_ready_here()) return true;
  const Options& options = job.options();
  if (options.devices.empty() && !options.architecture &&
      launch::CurrentContext().architecture() != job.images().front().report().kernel.architecture)
    return false;
  job.prepare_devices();
  return true;
}

// Returns the job that the engine keeps for an equal request, after preparing it for this request. Makes a new job if
// the engine keeps none, or if the one that it keeps cannot be prepared for this request.
JobPointer find_or_create(const std::shared_ptr<Engine::Impl>& engine, const Callback& callback,
                          const Options& options) {
  const JobKey key(callback, options);
  JobPointer found = engine->find_job(key);
  if (found != nullptr && prepare_again(*found)) {
    engine->count_memory_hit(callback);
    return found;
  }
  auto made = std::make_shared<LoadedJob>(engine, engine::JobKernels(job_of(callback, options)), options);
  made->prepare_chosen();
  // Those that job_of() could not know of.
  add_kernels_for_examples(*made, [&](ArrayRefs in, ArrayRefs out) { return method_for(*made, in, out); });
  // The key of a request that could #include a file contains the working folder. If another thread changed the working
  // folder during the build, the key that is computed now differs from `key`, and the engine does not store the job.
  if (key != JobKey(callback, options)) return made;
  JobPointer kept = engine->keep_job(key, made, found);
  return kept == made || prepare_again(*kept) ? kept : made;
}

// Describes the only launch of a call.
class LaunchDescriber final : public families::Runner {
 public:
  LaunchDescriber(const LoadedJob::Prepared& at, LaunchParameters& described, std::byte* parameter)
      : at_(at), described_(described), parameter_(parameter) {}

  const void* constants(unsigned kernel) override { return at_.targets[at_.first[kernel]].constants; }
  void* workspace(std::size_t) override { return at_.workspace == nullptr ? nullptr : at_.workspace->get(); }

  void launch(const families::Launch& launch) override {
    if (described_.function != nullptr)
      refuse(base::format("one call of {} takes several launches, but LaunchParameters can describe only one",
                          at_.caller->title()),
             "Capture a call of execute into the graph instead.");
    described_.function = at_.target(launch).function;
    described_.grid = launch.grid.blocks;
    described_.block = launch.grid.threads;
    described_.shared_bytes = launch.shared_bytes;
    described_.kernel_params[0] = parameter_;
    if (launch.grid.blocks != 0) std::memcpy(parameter_, launch.parameter, launch.parameter_bytes);
  }

 private:
  const LoadedJob::Prepared& at_;
  LaunchParameters& described_;
  std::byte* parameter_;
};

}  // namespace

Transform Transform::create(const Callback& callback, const Options& options) {
  return create(Engine::shared(), callback, options);
}

Transform Transform::create(Engine& engine, const Callback& callback, const Options& options) {
  const std::shared_ptr<Engine::Impl>& impl = Engine::Impl::of(engine);
  return Transform(find_or_create(impl, callback, engine::TakenOptions(callback, options, &impl->logger()).get()));
}

Transform Transform::create(const GenericCallback& callback, const InstanceTypes& types, const Options& options) {
  return create(Engine::shared(), callback, types, options);
}

Transform Transform::create(Engine& engine, const GenericCallback& callback, const InstanceTypes& types,
                            const Options& options) {
  // The entry selects the template, and the instance has an entry of its own.
  Options others = options;
  others.entry.clear();
  const GenericCallback chosen = options.entry.empty() ? callback : callback.with_entry(options.entry);
  Transform created = create(engine, chosen.instance(types), others);
  check_types(created.signature(), types, callback.name());
  return created;
}

Pending<Transform> Transform::create_async(const Callback& callback, const Options& options) {
  return create_async(Engine::shared(), callback, options);
}

Pending<Transform> Transform::create_async(Engine& engine, const Callback& callback, const Options& options) {
  const std::shared_ptr<Engine::Impl>& impl = Engine::Impl::of(engine);
  return run_in_engine<Transform>(impl, options, [&] {
    return [impl, callback, taken = engine::TakenOptions(callback, options, &impl->logger()).get()] {
      return Transform(find_or_create(impl, callback, taken));
    };
  });
}

Transform Transform::load(const Image& image, const Options& options) {
  return load(Engine::shared(), image, options);
}

Transform Transform::load(Engine& engine, const Image& image, const Options& options) {
  check_load(image, options);
  Options own = options;
  own.architecture = image.report().kernel.architecture;
  auto job = std::make_shared<LoadedJob>(Engine::Impl::of(engine),
                                         engine::JobKernels::of_images(kElementwise, {image}, 1), std::move(own));
  job->prepare_chosen();
  return Transform(std::move(job));
}

void Transform::prepare(int device) {
  job_->require_gpu();
  job_->prepare(launch::CurrentContext(device));
}

void Transform::prepare_current() {
  job_->require_gpu();
  job_->prepare(launch::CurrentContext());
}

void Transform::prepare_shapes(ArrayRefs in, ArrayRefs out) {
  const std::string method = method_for(*job_, in, out);
  if (method != elementwise::method_of(elementwise::ShapeClass::Flat)) job_->add_methods({method});
}

std::string Transform::describe_shapes(ArrayRefs in, ArrayRefs out) const {
  return job_->describe(arguments_of(in, out, {}, {}));
}

const Signature& Transform::signature() const noexcept {
  return report().kernel.signature;
}
const Report& Transform::report() const noexcept {
  return job_->reports().front();
}
const std::vector<Report>& Transform::reports() const noexcept {
  return job_->reports();
}
const Image& Transform::image() const noexcept {
  return job_->images().front();
}

void Transform::execute(CUstream_st* stream, ArrayRefs in, ArrayRefs out, const StateRef& state,
                        const CallerInfo& info) const {
  job_->execute(stream, arguments_of(in, out, state, info));
}

void Transform::execute(CUstream_st* stream, Count count, const StateRef& state) const {
  job_->execute(stream, arguments_of(count, state));
}

void Transform::execute(HostTag, ArrayRefs in, ArrayRefs out, const StateRef& state, const CallerInfo& info) const {
  job_->execute_on_host(arguments_of(in, out, state, info));
}

void Transform::execute(HostTag, Count count, const StateRef& state) const {
  job_->execute_on_host(arguments_of(count, state));
}

std::unique_ptr<LaunchParameters> Transform::launch_parameters(ArrayRefs in, ArrayRefs out, const StateRef& state,
                                                               const CallerInfo& info) const {
  return describe_launch(arguments_of(in, out, state, info));
}

std::unique_ptr<LaunchParameters> Transform::launch_parameters(Count count, const StateRef& state) const {
  return describe_launch(arguments_of(count, state));
}

template <class Arguments>
std::unique_ptr<LaunchParameters> Transform::describe_launch(const Arguments& arguments) const {
  static_assert(sizeof(LaunchParameters::buffer_) == sizeof(families::ParameterBytes) &&
                alignof(LaunchParameters) == alignof(families::ParameterBytes));
  const LoadedJob::Prepared& prepared = job_->here();
  std::unique_ptr<LaunchParameters> described(new LaunchParameters());
  LaunchDescriber describer(prepared, *described, described->buffer_);
  prepared.caller->call(arguments, describer);
  return described;
}

DeviceSymbol Transform::symbol(std::string_view name) const {
  const launch::Kernel& kernel = *job_->here().targets.front().kernel;
  const auto variable = kernel.find_variable(name);
  if (!variable)
    fail(ErrorCode::NoSuchSymbol, base::format("{} defines no variable `{}`", kernel.name(), name),
         "Give the name of a __device__ or __constant__ variable of the callback's source, mangled if the variable is "
         "in a namespace. The compiler may remove a variable that nothing uses.");
  const auto has_it = [&](const auto& target) { return target.kernel->find_variable(name).has_value(); };
  if (std::ranges::count_if(job_->here().targets, has_it) > 1)
    refuse(base::format("{} has several kernels, for arrays of several shapes, and each has a variable `{}` of its own",
                        kernel.name(), name),
           "Pass the value in the state, or leave out Options::any_shape, Options::shapes and prepare_shapes.");
  return {variable->pointer, variable->bytes};
}

}  // namespace graft
