// KernelCache::find_or_build treats a request as follows:
//
//     1. Some requests are built at once and not stored: requests for the host route, and requests whose kernel depends
//        on something that the scan for headers cannot determine (HeaderScan::memory_only).
//     2. The cache entry of the request's key is read from disk. Usually there is such an entry, and no tool runs.
//     3. If there is no entry, the key is locked and the disk is read again, because another process may have built
//        the image in the meantime.
//     4. The image is built, from the headers that the key describes, and is stored.
//
// A problem with the cache never makes a request fail. The problem becomes a note in the report.
#include "engine/kernel_cache.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <exception>
#include <utility>

#include "base/format.hpp"
#include "base/seen_file.hpp"
#include "compile/optimiser_check.hpp"
#include "core/fail.hpp"
#include "core/image_data.hpp"
#include "core/version.hpp"
#include "engine/cache_writer.hpp"
#include "graft/error.hpp"
#include "own_kernels/packed.hpp"
#include "routes/recipe.hpp"
#include "store/uses.hpp"
#include "toolchain/profile_range.hpp"

namespace graft::engine {
namespace {

using Clock = std::chrono::steady_clock;
using ImagePointer = std::shared_ptr<const Image::Data>;

[[noreturn]] void forbid(const Request& request, const std::string& why) {
  fail(ErrorCode::CompilingForbidden,
       base::format("the kernel of {} for {} is in no cache{}, and this engine may not compile",
                    request.step.callback.name(),
                    request.architecture ? request.architecture->sm() : std::string("the host"),
                    why.empty() ? std::string() : base::format(" ({})", why)),
       "Fill the cache beforehand on a machine that may compile, with the same version of graft, or "
       "choose another CachePolicy (GRAFT_CACHE).");
}

void refuse_endless(const plan::HeaderScan& headers) {
  if (!headers.endless.empty())
    fail(ErrorCode::FileUnreadable, base::format("the header {} and cannot be read to its end", headers.endless),
         "Put a regular file in its place, or choose other folders for headers.");
}

}  // namespace

Counters LiveCounters::read() const {
  return {.creates = creates,
          .memory_hits = memory_hits,
          .layer_hits = layer_hits,
          .disk_hits = disk_hits,
          .misses = misses,
          .builds = builds,
          .failed_builds = failed_builds,
          .waits = waits,
          .process_waits = process_waits,
          .loads = loads,
          .rejected_entries = rejected_entries,
          .bytes_read = bytes_read,
          .bytes_written = bytes_written};
}

KernelCache::KernelCache(CacheSettings settings, const compile::Toolbox& tools, LiveCounters& counters,
                         const Logger& logger)
    : settings_(std::move(settings)), tools_(tools), counters_(counters), logger_(logger), store_(settings_.store) {}

KernelCache::~KernelCache() {
  finish_writing();
}

void KernelCache::finish_writing() {
  CacheWriter::of_process().wait_for_all();
}

void KernelCache::tell_problem(const std::string& callback, const std::string& problem) const {
  if (problem.empty()) return;
  logger_.tell(LogKind::CacheProblem, LogSeverity::Warning, callback, 0, [&] { return "cache: " + problem; });
}

// Tells the log the tools of a build, if it was not told these tools before.
void KernelCache::tell_tools(const Report& report) {
  if (!logger_) return;
  std::vector<std::string> words;
  for (const ToolVersion& tool : report.versions) words.push_back(base::format("{} {}", tool.tool, tool.version));
  std::string text = base::format("kernels are built with {}", base::join(words, ", "));
  if (!report.toolkit.empty()) text += base::format(" of {}", report.toolkit);
  {
    const std::lock_guard lock(told_mutex_);
    if (words.empty() || !told_tools_.insert(text).second) return;
  }
  logger_.tell(LogKind::ToolsChosen, LogSeverity::Info, {}, 0, [&] { return text; });
}

plan::DiskKey KernelCache::key_of(const Request& request) const {
  return plan::disk_key(request.step, request.architecture.value(), request.options, header_world(),
                        settings_.exact_tools ? tools_.toolkit().identity() : std::string());
}

plan::HeaderWorld KernelCache::header_world() const {
  plan::HeaderWorld world = plan::world_on_disk();
  world.toolkit_in = [this](const std::string& folder) { return tools_.toolkit().headers_in(folder); };
  world.see = base::see_file;
  return world;
}

// Host images are kept in memory only. A host image depends on this machine's compiler and libraries, which the key
// does not contain, and building a host image again is quick.
bool KernelCache::is_for_disk(const Request& request) const {
  return settings_.uses_disk() && request.architecture && request.options.routes.required != Route::Host;
}

ImagePointer KernelCache::find_or_build(const Request& request, const Build& build) {
  std::string problem = settings_.problem;
  tell_problem(request.step.callback.name(), problem);
  if (!is_for_disk(request)) return build_anew(request, build, problem);
  plan::DiskKey key = key_of(request);
  if (!key.memory_only.empty())
    return build_anew(request, build,
                      base::format("kept in memory only: the callback's text does not determine the kernel, since {}",
                                   base::join(key.memory_only, ", and ")));
  if (ImagePointer image = find(request, key, problem)) return image;
  require_building(request, problem);

  store::KeyLock lock = store_.lock(key.hash);
  if (lock.waited()) ++counters_.process_waits;
  // Another process may have built the image while this thread waited for the lock.
  if (lock.is_held() || lock.waited())
    if (ImagePointer image = find(request, key, problem)) return image;
  store::count_use(store_, store::Use::Miss);
  Image::Data image = build_from(key.headers, request, build);
  if (const std::string path = plan::appeared_since(key.headers, header_world()); path.empty())
    keep(request, key, image, std::move(lock), problem);
  else problem = base::format("the kernel was not stored: the header {} appeared while the kernel was built", path);
  if (!problem.empty()) image.report.notes.push_back("cache: " + problem);
  return std::make_shared<Image::Data>(std::move(image));
}

ImagePointer KernelCache::build_anew(const Request& request, const Build& build, const std::string& why) {
  require_building(request, why);
  plan::HeaderScan headers = scan(request);
  const bool is_for_nvrtc = request.architecture && request.options.routes.required != Route::Host;
  Image::Data image = is_for_nvrtc && headers.memory_only.empty()
                          ? build_from(headers, request, build)
                          : build_from_files(std::move(headers), request, build);
  if (!why.empty()) image.report.notes.push_back("cache: " + why);
  return std::make_shared<Image::Data>(std::move(image));
}

ImagePointer KernelCache::find(const Request& request, plan::DiskKey& key, std::string& problem) {
  const toolchain::ProfileRange range("graft: read the cache");
  CacheWriter::of_process().wait_for(key.hash.hex());
  const auto begin = Clock::now();
  // The hash of this build's recipe, which is what graft itself adds to the kernel (routes/recipe.hpp). Set when
  // `accept` refuses an entry because the entry has the hash of another recipe, and empty otherwise.
  std::string own_recipe;
  const auto accept = [&](const format::CacheEntry& entry) {
    if (!entry.tools.empty() && entry.tools != tools_.toolkit().state()) return false;
    if (entry.build == this_build()) return true;
    std::string recipe = routes::recipe_hash(request.step, request.options, entry.report.kernel);
    if (!recipe.empty() && entry.recipe == recipe) return true;
    own_recipe = std::move(recipe);
    return false;
  };
  store::Lookup lookup = store_.find(key.hash, key.text, accept);
  if (!lookup.entry && !key.has_recipe && (!own_recipe.empty() || lookup.is_of_other_version)) {
    plan::add_recipe(key, own_recipe.empty() ? this_build() : own_recipe);
    const store::Lookup first = std::exchange(lookup, store_.find(key.hash, key.text, accept));
    lookup.rejected += first.rejected;
    if (!first.problem.empty()) lookup.problem = first.problem;
  }
  if (problem.empty()) problem = lookup.problem;
  tell_problem(request.step.callback.name(), lookup.problem);
  counters_.rejected_entries += lookup.rejected;
  if (!lookup.entry) return nullptr;
  ++(lookup.from_layer ? counters_.layer_hits : counters_.disk_hits);
  store::count_use(store_, lookup.from_layer ? store::Use::LayerHit : store::Use::Hit);
  counters_.bytes_read += lookup.bytes;
  auto image =
      std::make_shared<Image::Data>(Image::Data{std::move(lookup.entry->image), std::move(lookup.entry->report)});
  image->is_from_disk = true;
  Report& report = image->report;
  report.from_cache = true;
  const double taken = std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
  report.steps = {{"read cache", taken}};
  logger_.tell(LogKind::DiskHit, LogSeverity::Debug, request.step.callback.name(), taken, [&] {
    return base::format("the kernel {} was read from {} in {:.2f} ms", report.kernel.name,
                        lookup.from_layer ? "a read-only layer of the cache" : "the cache on disk", taken);
  });
  if (!problem.empty()) report.notes.push_back("cache: " + problem);
  return image;
}

std::optional<plan::DiskKey> KernelCache::key_of_code(const own_kernels::CodeRequest& request) const {
  if (!settings_.uses_disk()) return std::nullopt;
  plan::DiskKey key = key_of({request.step, request.architecture, request.options});
  if (!key.memory_only.empty()) return std::nullopt;
  base::append(key.text, "code of {} by graft {}\n", request.tools, this_build());
  key.hash = base::hash(key.text);
  return key;
}

std::optional<own_kernels::ReadCode> KernelCache::find_code(const own_kernels::CodeRequest& request) {
  const std::optional<plan::DiskKey> key = key_of_code(request);
  const std::optional<base::Bytes> file = key ? store_.find_code(key->hash) : std::nullopt;
  return file ? own_kernels::read_code_file(*file, key->text) : std::nullopt;
}

void KernelCache::keep_code(const own_kernels::CodeRequest& request, const own_kernels::ReadCode& code) {
  if (!store_.settings().is_writable) return;
  const std::optional<plan::DiskKey> key = key_of_code(request);
  if (!key) return;
  // The key has the headers as they are now. The code was compiled from those that were scanned before.
  const auto was_compiled_from = [&](const plan::HeaderFound& header) {
    return request.headers != nullptr &&
           std::ranges::find(request.headers->headers, header) != request.headers->headers.end();
  };
  if (!std::ranges::all_of(key->headers.headers, was_compiled_from)) return;
  counters_.bytes_written += store_.put_code(key->hash, own_kernels::write_code_file(key->text, code)).bytes;
}

void KernelCache::require_building(const Request& request, const std::string& why) {
  if (settings_.may_build()) return;
  ++counters_.misses;
  forbid(request, why);
}

Image::Data KernelCache::count_build(const Request& request, const std::function<Image::Data()>& build) {
  ++counters_.misses;
  const auto begin = Clock::now();
  const auto time = [&] { return std::chrono::duration<double, std::milli>(Clock::now() - begin).count(); };
  const std::string& callback = request.step.callback.name();
  const auto tell_failure = [&](const std::string& why) {
    ++counters_.failed_builds;
    logger_.tell_failure(callback, time(), why);
  };
  try {
    Image::Data image = build();
    ++counters_.builds;
    tell_tools(image.report);
    const KernelSpec& kernel = image.report.kernel;
    logger_.tell(LogKind::Built, LogSeverity::Info, callback, time(), [&] {
      return base::format("the kernel {} was built by the route {}{}{} in {:.1f} ms", kernel.name, name(kernel.route),
                          kernel.route == Route::Host ? "" : " for ",
                          kernel.route == Route::Host ? std::string() : kernel.architecture.sm(), time());
    });
    return image;
  } catch (const Error& error) {
    tell_failure(error.message());
    throw;
  } catch (const std::exception& error) {
    tell_failure(error.what());
    throw;
  }
}

plan::HeaderScan KernelCache::scan(const Request& request) const {
  if (!plan::can_include(request.step.callback, request.options)) return {};
  return plan::scan_headers(request.step.callback, request.options, header_world());
}

void KernelCache::check_headers(const Callback& callback, const Options& options) const {
  refuse_endless(scan({{callback}, {}, options}));
}

Image::Data KernelCache::build_from(const plan::HeaderScan& scan, const Request& request, const Build& build) {
  refuse_endless(scan);
  return count_build(request, [&] { return build(scan.texts.empty() ? nullptr : &scan); });
}

// If two scans are equal, the compiler can have read other headers only if somebody edited a header and took the edit
// back in between.
Image::Data KernelCache::build_from_files(plan::HeaderScan before, const Request& request, const Build& build) {
  constexpr int kMostBuilds = 3;
  refuse_endless(before);
  return count_build(request, [&] {
    for (int builds = 0; builds < kMostBuilds; ++builds) {
      Image::Data image = build(nullptr);
      plan::HeaderScan after = scan(request);
      if (after.headers == before.headers) return image;
      before = std::move(after);
    }
    fail(ErrorCode::FileUnreadable,
         base::format("the headers of {} changed each time that the kernel was built", request.step.callback.name()),
         "Try again when no one is editing the headers.");
  });
}

// Makes exit() wait for the queued jobs before it destroys what they use. A job that examines an image links with
// nvJitLink, which makes variables during the first link for each pair of a library and an architecture; count_linked()
// counts these pairs. exit() works backwards: it destroys those variables before it calls what was registered earlier.
// So the wait is registered once more whenever the count has grown, by the thread that notices it first.
void KernelCache::finish_at_exit() {
  static std::atomic<std::size_t> registered{0};
  const std::size_t linked = compile::OptimiserCheck::count_linked();
  for (std::size_t before = registered; before < linked;)
    if (registered.compare_exchange_weak(before, linked)) return CacheWriter::finish_at_exit();
}

void KernelCache::keep(const Request& request, const plan::DiskKey& key, const Image::Data& image, store::KeyLock lock,
                       std::string& problem) {
  if (!store_.settings().is_writable) return;
  store::WrittenEntry entry =
      store_.write({key.text, image.report, image.depends_on_tools ? tools_.toolkit().state() : std::string(),
                    image.bytes, this_build(), routes::recipe_hash(request.step, request.options, image.kernel())});
  if (problem.empty()) problem = entry.problem();
  tell_problem(request.step.callback.name(), entry.problem());
  if (!entry.is_written()) return;
  const auto shared = std::make_shared<store::WrittenEntry>(std::move(entry));
  const auto held = std::make_shared<store::KeyLock>(std::move(lock));
  const auto publish_it = [this, shared, held, callback = request.step.callback.name(),
                           look = image.objection_to_storing] {
    publish(callback, std::move(*shared), look ? look() : std::string());
  };
  if (!image.objection_to_storing) return publish_it();
  finish_at_exit();
  CacheWriter::of_process().run(key.hash.hex(), publish_it);
}

void KernelCache::publish(const std::string& callback, store::WrittenEntry entry, const std::string& objection) {
  if (!objection.empty()) return tell_problem(callback, objection);
  const store::Stored stored = store_.publish(std::move(entry));
  counters_.bytes_written += stored.bytes;
  tell_problem(callback, stored.problem);
}

}  // namespace graft::engine
