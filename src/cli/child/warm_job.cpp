// Runs one job of `graft warm`. warm_in_worker is the parent's part, and serve_warm_jobs is the child's part. The
// parent sends a BuildRequest (write_request) as the question, and the child sends a ChildMessage as the answer.
//
// The child builds the kernel with an engine whose cache on disk is enabled, and then checks that the kernel really is
// in the cache.
#include "cli/child/warm_job.hpp"

#include "base/format.hpp"
#include "cli/child/child.hpp"
#include "cli/child/child_message.hpp"
#include "core/fail.hpp"
#include "core/image_data.hpp"
#include "engine/engine_impl.hpp"
#include "engine/taken_options.hpp"

namespace graft::cli {
namespace {

EngineOptions engine_options() {
  EngineOptions options;
  // GRAFT_CACHE=off or GRAFT_CACHE=memory keeps other programs from using the cache on disk. This command fills the
  // cache on disk all the same.
  options.cache.policy = CachePolicy::ReadWrite;
  return options;
}

// An engine does not cache a kernel if one of its headers changed in the last 20 ms before the build
// (graft/engine.hpp). In this case, build_to_keep builds the kernel again. After the first build, the change is more
// than 20 ms old, so only a further change of a header can make the second build fail to cache the kernel.
std::shared_ptr<const Image::Data> build_to_keep(Engine& engine, const engine::Request& request) {
  constexpr int kMostTries = 3;
  const std::shared_ptr<Engine::Impl>& impl = Engine::Impl::of(engine);
  std::shared_ptr<const Image::Data> image = impl->find_or_build(request);
  for (int tries = 1; tries < kMostTries && image->is_for_one_call; ++tries) image = impl->find_or_build(request);
  if (image->is_for_one_call)
    fail(ErrorCode::FileUnreadable,
         base::format("the kernel was built, but cannot be stored in the cache: {}",
                      base::join(image->report.notes, "; ")),
         "Try again when no one is editing the callback's headers.");
  return image;
}

// Builds one kernel into the cache. Throws Error if the kernel is not in the cache afterwards.
CachedKernel warm(Engine& engine, const BuildRequest& request) {
  const Step step = request.step();
  const Callback& callback = step.callback;
  const Options options = request.options();
  const engine::TakenOptions taken(callback, options);
  const engine::Request wanted = {step, options.architecture.value(), taken.get()};
  const auto key = [&] { return Engine::Impl::of(engine)->cache().key_of(wanted); };
  if (const std::vector<std::string> reasons = key().memory_only; !reasons.empty())
    refuse(base::format("{} cannot be stored in the cache on disk, because {}", callback.name(),
                        base::join(reasons, ", and ")),
           "Remove what the message names: only the source and its headers may determine a cached kernel.");
  const Counters before = engine.counters();
  const std::shared_ptr<const Image::Data> image = build_to_keep(engine, wanted);
  const Counters after = engine.counters();
  const bool was_there = after.builds == before.builds;
  if (!was_there && after.bytes_written == before.bytes_written)
    fail(ErrorCode::FileUnreadable,
         base::format("the kernel was built, but cannot be stored in the cache: {}",
                      base::join(image->report.notes, "; ")),
         "Make room in the cache's folder, or name another folder with GRAFT_CACHE_DIR.");
  return {.name = key().hash.hex(),
          .was_there = was_there,
          .is_source = callback.form() == Form::Source && callback.link_inputs().empty()};
}

}  // namespace

ChildMessage warm_in_worker(Worker& worker, const BuildRequest& request) {
  try {
    ChildMessage answer = read_message(worker.ask(write_request(request), "building the kernel"));
    // If the callback is a binary, it may be damaged and may have corrupted the linker's memory without a crash. So end
    // this child. The next kernel is built in a new child.
    if (!answer.kept || !answer.kept->is_source) worker.end();
    return answer;
  } catch (const Error& error) {
    return {.error = error};
  }
}

void serve_warm_jobs() {
  Engine engine(engine_options());
  answer_parent([&](std::span<const std::byte> question) -> ChildMessage {
    return {.kept = warm(engine, asked(read_request(question)))};
  });
}

}  // namespace graft::cli
