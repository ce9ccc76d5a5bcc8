// Engine finds, builds and loads kernels. An engine keeps three maps in memory. images_ and kernels_ make each value
// once, even if many threads request it at the same time:
//
//     jobs_         request (callback and options)  ->  LoadedJob, for Transform::create
//     images_       request and architecture        ->  image, read from the cache on disk or built (KernelCache)
//     kernels_      image                           ->  kernel loaded into the driver
//
// Requests in the closed mode are built in a child process (ClosedBuilds), all others in this process.
#include "graft/engine.hpp"
#include "base/format.hpp"
#include "core/slots.hpp"

#include <utility>

#include "base/environment.hpp"
#include "base/hash.hpp"
#include "base/seen_file.hpp"
#include "compile/option_check.hpp"
#include "core/enumerators.hpp"
#include "core/fail.hpp"
#include "core/image_data.hpp"
#include "engine/engine_impl.hpp"
#include "engine/loaded_job.hpp"
#include "engine/taken_options.hpp"
#include "engine/thread_check.hpp"
#include "families/registry.hpp"
#include "graft/error.hpp"
#include "launch/device_memory.hpp"
#include "launch/kernel.hpp"
#include "plan/agreement.hpp"
#include "plan/key.hpp"
#include "routes/builder.hpp"
#include "routes/pack_entry.hpp"
#include "routes/precompile.hpp"
#include "routes/routes.hpp"
#include "toolchain/driver.hpp"

namespace graft {
namespace {

int driver_major() {
  std::string why;
  const toolchain::Driver* driver = toolchain::Driver::find(why);
  return driver == nullptr ? 0 : driver->version().major;
}

// Returns the options that were asked for, with the floating-point options that the callback or a part of a composition
// declares (Callback::with_floating_point).
Options agreed(const Callback& callback, const Options& asked) {
  Options options = asked;
  options.floating_point = plan::agreed_floating_point(callback, asked.floating_point);
  return options;
}

// Returns the working folder if the request can #include a file, and an empty string otherwise. Asking the system for
// the working folder takes longer than finding a transform in memory. Requests that include nothing do not need the
// working folder, so graft does not ask for it.
std::string working_folder_of(const Callback& callback, const Options& options) {
  return plan::can_include(callback, options) ? base::working_folder() : std::string();
}

// Refuses a request of graft::build or graft::precompile in which a parameter and Options::architecture name different
// architectures. These functions take architectures as parameters; Options::architecture is meant for
// Transform::create.
void check_architectures(const Options& options, const std::vector<Architecture>& named, std::string_view function) {
  if (!options.architecture) return;
  for (const Architecture architecture : named)
    if (architecture != *options.architecture)
      refuse(base::format("{} was given {}, but Options::architecture is {}", function, architecture.sm(),
                          options.architecture->sm()),
             base::format("Leave Options::architecture unset: {} takes it as a parameter.", function));
}

// The bytes of an image that count: those of the kernel, and the long texts of its report.
std::uint64_t bytes_of(const Image::Data& image) noexcept {
  const Report& report = image.report;
  return image.bytes.size() + report.source.size() + report.compiler_log.size() + report.linker_log.size();
}

}  // namespace

JobKey::JobKey(const Callback& callback, const Options& options)
    : callback_(callback),
      options_(plan::options_key(options, working_folder_of(callback, options))),
      hash_(callback.hash() ^ (options_.empty() ? 0 : base::hash(options_).low)) {}

Engine::Impl::Impl(EngineOptions options)
    : logger_(std::move(options.log)),
      max_unused_image_bytes_(options.max_unused_image_bytes),
      slots_(options.max_builds),
      closed_builds_(options.program, base::environment("GRAFT_PROGRAM"), options.cuda_path, driver_major()),
      tools_(std::move(options.cuda_path), std::move(options.host_compiler), driver_major()),
      cache_(engine::resolve(options.cache, base::environment), tools_, counters_, logger_),
      tunings_(cache_.settings(), std::move(options.tuning_file), logger_),
      pool_(options.threads) {}
Engine::Impl::~Impl() = default;

Engine::Impl::JobPointer Engine::Impl::find_job(const JobKey& key) const {
  if (!cache_.settings().uses_memory()) return nullptr;
  const std::shared_lock lock(jobs_mutex_);
  const auto found = jobs_.find(key);
  return found == jobs_.end() ? nullptr : found->second;
}

Engine::Impl::JobPointer Engine::Impl::keep_job(const JobKey& key, JobPointer job, const JobPointer& before) {
  if (!cache_.settings().uses_memory()) return job;
  const std::lock_guard lock(jobs_mutex_);
  JobPointer& kept = jobs_[key];
  if (kept == nullptr || kept == before) kept = std::move(job);
  return kept;
}

void Engine::Impl::count_memory_hit(const Callback& callback) noexcept {
  ++counters_.creates;
  ++counters_.memory_hits;
  logger_.tell(LogKind::MemoryHit, LogSeverity::Debug, callback.name(), 0,
               [&] { return base::format("the transform of {} was found in memory", callback.name()); });
}

// Text that cannot be read has no measured tuning: the build says what is wrong with it.
Options Engine::Impl::completed(const engine::Request& asked) {
  const Callback& callback = asked.step.callback;
  Options options = agreed(callback, asked.options);
  if (asked.tuning == nullptr || !asked.architecture || options.shipped_tuning || options.measured ||
      callback.form() == Form::Pack)
    return options;
  try {
    options.measured = families::of(asked.step.family).measured(asked.step, options, *asked.tuning);
  } catch (const Error&) {  // NOLINT(bugprone-empty-catch): see above
  }
  return options;
}

Image::Data Engine::Impl::build(const engine::Request& request, const plan::HeaderScan* scan) {
  const engine::BuildSlots::Slot slot(slots_);
  if (request.options.closed) return closed_builds_.image(request.step, request.architecture, request.options);
  return routes::build_image(request.step, request.architecture, request.options, tools_, scan,
                             cache_.settings().uses_memory() ? &codes_ : nullptr);
}

Engine::Impl::ImagePointer Engine::Impl::find_or_build(const engine::Request& asked) {
  ++counters_.creates;
  if (asked.architecture) check_architectures(asked.options, {*asked.architecture}, "graft::build");
  const Options options = completed(asked);
  const engine::Request request = {asked.step, asked.architecture, options};
  const auto make = [&] {
    engine::told_if_it_fails(logger_, request.step.callback.name(),
                             [&] { engine::check_thread_words(request.step, request.options); });
    ImagePointer image =
        cache_.find_or_build(request, [&](const plan::HeaderScan* scan) { return build(request, scan); });
    engine::told_if_it_fails(logger_, request.step.callback.name(), [&] {
      engine::check_thread_words(request.step.callback, request.options, image->kernel().signature);
    });
    return image;
  };
  if (!cache_.settings().uses_memory()) return make();
  const auto made = find_or_make_image(request, make);
  const ImagePointer& image = made.first;
  const base::Found found = made.second;
  const auto tell = [&](LogKind kind, std::string_view how) {
    logger_.tell(kind, LogSeverity::Debug, request.step.callback.name(), 0,
                 [&] { return base::format("the kernel {} {}", image->kernel().name, how); });
  };
  if (found == base::Found::Ready) {
    ++counters_.memory_hits;
    tell(LogKind::MemoryHit, "was found in memory");
  } else if (found == base::Found::Waited) {
    ++counters_.waits;
    tell(LogKind::Waited, "was built by another thread, for which this request waited");
  } else {
    drop_unused_images();
  }
  return image;
}

KernelShape Engine::Impl::describe_slots(const Step& step, Architecture architecture, const Options& options) const {
  compile::check_options(options);
  return routes::read_slots(step, architecture, agreed(step.callback, options), tools_);
}

template <class Make>
std::pair<Engine::Impl::ImagePointer, base::Found> Engine::Impl::find_or_make_image(const engine::Request& request,
                                                                                    Make make) {
  const bool on_host = request.options.routes.required == Route::Host;
  const std::string folder = working_folder_of(request.step.callback, request.options);
  const std::string key =
      plan::request_key(request.step, on_host ? std::nullopt : request.architecture, request.options, folder);
  // If another thread changed the working folder during the build, the compiler may have read headers from the new
  // folder. The image then does not match this key and is not shared.
  const auto is_shared = [&](const ImagePointer&) {
    return working_folder_of(request.step.callback, request.options) == folder;
  };
  return images_.find_or_make(key, make, is_shared);
}

std::vector<std::byte> Engine::Impl::precompile(const Step& step, const std::vector<Architecture>& architectures,
                                                PrecompileFormat format, const Options& options) {
  check_enumerator(format, PrecompileFormat::Cubin, "the format of graft::precompile");
  check_architectures(options, architectures, "graft::precompile");
  const engine::TakenOptions taken(step.callback, options, &logger_);
  return engine::told_if_it_fails(logger_, step.callback.name(),
                                  [&] { return precompile_checked(step, architectures, format, taken.get()); });
}

std::vector<std::byte> Engine::Impl::precompile_checked(const Step& step,
                                                        const std::vector<Architecture>& architectures,
                                                        PrecompileFormat format, const Options& options) {
  const Callback& callback = step.callback;
  cache_.check_headers(callback, options);
  const Options agreed_options = agreed(callback, options);
  // Formats other than packs are for kernels that graft does not write.
  const bool is_pack = format == PrecompileFormat::Pack || format == PrecompileFormat::PackWithCubins;
  if (is_pack) engine::check_thread_words(step, agreed_options);
  std::vector<std::byte> made = [&] {
    const engine::BuildSlots::Slot slot(slots_);
    return options.closed ? closed_builds_.precompile(step, architectures, format, agreed_options)
                          : routes::precompile(step, architectures, format, agreed_options, tools_);
  }();
  if (is_pack && callback.composition() != nullptr && !has_slots(callback))
    engine::check_thread_words(callback, agreed_options, routes::read_packed_kernel(made, "the pack").spec.signature);
  return made;
}

std::string Engine::Impl::kernel_ptx(const Step& step, Architecture architecture, const Options& options) {
  const engine::TakenOptions taken(step.callback, options, &logger_);
  const engine::BuildSlots::Slot slot(slots_);
  return routes::kernel_ptx(step, architecture, agreed(step.callback, taken.get()), tools_);
}

Engine::Impl::KernelPointer Engine::Impl::find_or_load(const ImagePointer& image, Milliseconds& time) {
  const auto begin = std::chrono::steady_clock::now();
  KernelPointer kernel = kernels_
                             .find_or_make(image.get(),
                                           [&] {
                                             ++counters_.loads;
                                             KernelPointer loaded = launch::Kernel::load(image);
                                             const Milliseconds taken = std::chrono::steady_clock::now() - begin;
                                             logger_.tell(LogKind::Loaded, LogSeverity::Debug, {}, taken.count(), [&] {
                                               return base::format("the kernel {} was loaded in {:.2f} ms",
                                                                   image->kernel().name, taken.count());
                                             });
                                             return loaded;
                                           })
                             .first;
  time += std::chrono::steady_clock::now() - begin;
  return kernel;
}

Engine::Impl::KernelPointer Engine::Impl::find_kernel(const engine::Request& request, Milliseconds& load_time) {
  const ImagePointer image = find_or_build(request);
  try {
    return find_or_load(image, load_time);
  } catch (const Error& error) {
    if (!image->is_from_disk || error.code() != ErrorCode::DriverFailed || !cache_.settings().may_build()) throw;
    return find_or_load(build_in_place_of(image, request, error.message()), load_time);
  }
}

Engine::Impl::ImagePointer Engine::Impl::build_in_place_of(const ImagePointer& refused, const engine::Request& asked,
                                                           const std::string& why) {
  const Options options = completed(asked);
  const engine::Request request = {asked.step, asked.architecture, options};
  // Several threads may find that the driver refuses the image. The first of these threads removes the image from the
  // map. The first thread that then calls find_or_make_image builds the image again, and the others wait for it.
  if (!images_.remove_if([&](const ImagePointer& image) { return image == refused; }).empty())
    ++counters_.rejected_entries;
  const auto make = [&] {
    return cache_.build_anew(
        request, [&](const plan::HeaderScan* scan) { return build(request, scan); },
        base::format("the entry on disk was not used: {}", why));
  };
  return find_or_make_image(request, make).first;
}

// Jobs refer to kernels and images, and kernels refer to images, so the maps are cleared in the order jobs, kernels,
// images. An object is unused if the map holds the only reference to it. The object stays unused while it is
// erased, because new references are copied from the map or from an object of the application, such as a Transform. The
// application has no reference to the unused object, and this function holds the lock of the map.
std::size_t Engine::Impl::release_unused() {
  const auto is_unused = [](const auto& kept) { return kept.use_count() == 1; };
  {
    const std::lock_guard lock(jobs_mutex_);
    std::erase_if(jobs_, [&](const auto& one) { return is_unused(one.second); });
  }
  std::vector<KernelPointer> kernels = kernels_.remove_if(is_unused);
  for (const KernelPointer& kernel : kernels) kernel->unload();
  const std::size_t unloaded = kernels.size();
  kernels.clear();
  images_.remove_if(is_unused);
  codes_.forget_unused();
  launch::free_put_off_memory();
  return unloaded;
}

void Engine::Impl::drop_unused_images() {
  if (max_unused_image_bytes_ == 0) return;
  std::uint64_t kept = 0;
  const auto is_too_much = [&](const ImagePointer& image) {
    if (image.use_count() != 1) return false;
    const std::uint64_t bytes = bytes_of(*image);
    if (kept + bytes > max_unused_image_bytes_) return true;
    kept += bytes;
    return false;
  };
  const std::size_t dropped = images_.remove_if(is_too_much).size();
  if (dropped != 0)
    logger_.tell(LogKind::ImagesDropped, LogSeverity::Debug, {}, 0, [&] {
      return base::format("{} unused images were dropped from memory; unused ones may have {} bytes", dropped,
                          max_unused_image_bytes_);
    });
}

void Engine::Impl::preload() {
  std::string why;
  const toolchain::Toolkit& toolkit = tools_.toolkit();
  unsigned choice = 0;
  bool has_both = false;
  // If NVRTC or nvJitLink of the chosen installation cannot be loaded, the toolkit chooses another installation. The
  // loop then opens both tools again, because both must come from the same installation.
  do {
    choice = toolkit.choice();
    has_both = toolkit.nvrtc(why) != nullptr && toolkit.nvjitlink(why) != nullptr;
  } while (choice != toolkit.choice());
  if (!has_both) fail(ErrorCode::ToolMissing, why, "Install the CUDA toolkit, or set GRAFT_CUDA_PATH to where it is.");
}

std::string Engine::Impl::describe_tools() const {
  std::string text = tools_.toolkit().describe();
  std::string why;
  const toolchain::Driver* driver = toolchain::Driver::find(why);
  text += driver == nullptr ? base::format("driver: none ({})\n", why)
                            : base::format("driver: {}, for CUDA {}\n", driver->path(), driver->version().text());
  const auto compiler = tools_.host_compiler(why);
  text += compiler ? base::format("host compiler: {} ({})\n", compiler->path().string(), compiler->version())
                   : base::format("host compiler: none ({})\n", why);
  return text;
}

Engine::Engine(EngineOptions options)
    : impl_(std::make_shared<Impl>(engine::with_absolute_paths(std::move(options)))) {}
// Finishes the jobs here and not in ~Impl(): a job may hold the last reference to Impl, and ~Impl() would then run in a
// thread of the pool, which cannot join itself.
Engine::~Engine() {
  impl_->finish_jobs();
}

Engine& Engine::shared() {
  // The default engine is never destroyed, because kernels may still run while the process destroys its static objects.
  static Engine* const engine = new Engine();
  return *engine;
}

Counters Engine::counters() const {
  return impl_->counters();
}
std::size_t Engine::release_unused() {
  return impl_->release_unused();
}
void Engine::preload() {
  impl_->preload();
}
std::string Engine::describe_tools() const {
  return impl_->describe_tools();
}

}  // namespace graft
