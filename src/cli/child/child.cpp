#include "cli/child/child.hpp"

#include <memory>
#include <optional>
#include <span>
#include <utility>

#include "api/instance_check.hpp"
#include "base/format.hpp"
#include "compile/state_object.hpp"
#include "core/fail.hpp"
#include "engine/engine_impl.hpp"
#include "engine/entries_ahead.hpp"
#include "engine/job_ahead.hpp"
#include "engine/taken_options.hpp"
#include "families/kept_kernels.hpp"
#include "families/kernel_check.hpp"
#include "graft/engine.hpp"
#include "graft/error.hpp"
#include "graft/generic.hpp"
#include "reflect/callback/generic.hpp"

namespace graft::cli {
namespace {

using engine::Answer;
using engine::CachedKernel;
using engine::Question;

[[noreturn]] void fail_unreadable(std::string message) {
  fail(ErrorCode::LinkFailed, std::move(message),
       "Run the command again. If that does not help, report it as a bug of graft.");
}

// ---- the child ----

// GRAFT_CACHE=off or GRAFT_CACHE=memory keeps other programs from using the cache on disk. `graft warm` fills the cache
// on disk all the same.
Engine& engine_with_disk_cache() {
  static Engine engine([] {
    EngineOptions options;
    options.cache.policy = CachePolicy::ReadWrite;
    return options;
  }());
  return engine;
}

// Builds one kernel into the cache. Throws Error if the kernel is not in the cache afterwards.
CachedKernel warm(Engine& engine, const engine::Request& asked) {
  const Options options = Engine::Impl::completed(asked);
  const engine::Request wanted = {asked.step, asked.architecture, options};
  const auto key = [&] { return Engine::Impl::of(engine)->cache().key_of(wanted); };
  if (const std::vector<std::string> reasons = key().memory_only; !reasons.empty())
    refuse(base::format("{} cannot be stored in the cache on disk, because {}", wanted.step.callback.name(),
                        base::join(reasons, ", and ")),
           "Remove what the message names: only the source and its headers may determine a cached kernel.");
  const Counters before = engine.counters();
  const std::shared_ptr<const Image::Data> image = Engine::Impl::of(engine)->find_or_build(wanted);
  const Counters after = engine.counters();
  const bool was_there = after.builds == before.builds;
  if (!was_there && after.bytes_written == before.bytes_written)
    fail(ErrorCode::FileUnreadable,
         base::format("the kernel was built, but cannot be stored in the cache: {}",
                      base::join(image->report.notes, "; ")),
         "Make room in the cache's folder, or name another folder with GRAFT_CACHE_DIR.");
  return {.name = key().hash.hex(), .was_there = was_there};
}

Answer answer_to(const Question& question) {
  const Step& step = question.step;
  switch (question.work) {
    case Question::Work::Precompiled:
      return {.bytes = Engine::Impl::of(Engine::shared())
                           ->precompile(step, question.architectures, question.format, question.options)};
    case Question::Work::StateObject:
      return {.bytes = compile::state_object(step.callback, question.architecture.value(), question.options)};
    case Question::Work::Ptx: {
      const std::string ptx =
          Engine::Impl::of(Engine::shared())->kernel_ptx(step, question.architecture.value(), question.options);
      return {.bytes = base::Bytes(base::as_bytes(ptx).begin(), base::as_bytes(ptx).end())};
    }
    case Question::Work::Image:
    case Question::Work::CacheEntry:
      break;
  }
  const engine::TakenOptions taken(step.callback, question.options);
  const engine::Request wanted = {step, question.architecture, taken.get()};
  if (question.work == Question::Work::CacheEntry) return {.cached = warm(engine_with_disk_cache(), wanted)};
  return {.image = *Engine::Impl::of(Engine::shared())->find_or_build(wanted)};
}

Answer answer_or_error(std::span<const std::byte> bytes) {
  try {
    const std::optional<Question> question = engine::read_question(bytes);
    if (!question) fail_unreadable("the child process cannot read its request");
    return answer_to(*question);
  } catch (const Error& error) {
    return {.error = error};
  }
}

// ---- the parent ----

// Returns the member of the child's answer that the question asks for. `what` names the work in messages: "building
// relu.cu".
template <class Result>
Result ask(Worker& worker, const Question& question, const std::string& what, std::optional<Result> Answer::*result) {
  std::optional<Answer> answer = engine::read_answer(worker.ask(engine::write_question(question), what));
  if (answer && answer->error) throw Error(*answer->error);
  if (!answer || !((*answer).*result) || (answer->image && !is_possible_kernel(*answer->image)))
    fail_unreadable(base::format("{}: the answer of the child process cannot be read", what));
  return std::move(*((*answer).*result));
}

Question question_of(Question::Work work, const Step& step, const Options& options) {
  return {.work = work,
          .step = step,
          .options = options,
          .architecture = options.architecture.value_or(kOldestArchitecture)};
}

Question question_of_pack(const Step& step, const std::vector<Architecture>& architectures, PrecompileFormat format,
                          const Options& options) {
  Question question = question_of(Question::Work::Precompiled, step, options);
  question.architectures = architectures;
  question.format = format;
  return question;
}

// Whether a child that worked on the callback is to end, so that the next one is built in a new child: a binary may be
// damaged, and may have corrupted the linker's memory without a crash.
bool is_binary(const Callback& callback) {
  return callback.form() != Form::Source || !callback.link_inputs().empty();
}

// Compares a signature with the types of --types.
void check_wanted_types(const BuildRequest& request, const Callback& callback, const Signature& signature) {
  if (!request.types.empty()) check_types(signature, graft::types(request.types), callback.name());
}

// The same for the signature in a pack of one callback.
void check_types_of_pack(const BuildRequest& request, const Callback& callback, const base::Bytes& pack) {
  if (request.types.empty()) return;
  const format::Outcome<format::Pack> read = families::read_pack(pack);
  if (!read) fail_unreadable(base::format("precompiling {}: {}", request.title(), read.error().message));
  check_wanted_types(request, callback, read->jobs.front().kernels.front().spec.signature);
}

}  // namespace

bool is_possible_kernel(const Image::Data& image) {
  return families::objection_to(image.report).empty() &&
         (image.report.kernel.route == Route::Host ||
          families::objection_to_image(image.report.kernel, image.bytes).empty());
}

void serve_child() {
  serve([](std::span<const std::byte> question) { return engine::write_answer(answer_or_error(question)); });
}

Image build_in_child(const BuildRequest& request) {
  Worker worker({kChildCommand});
  const Step step = request.step();
  Image image = Image::Data::image(
      std::make_shared<Image::Data>(ask(worker, question_of(Question::Work::Image, step, request.options()),
                                        "building " + request.title(), &Answer::image)));
  check_wanted_types(request, step.callback, image.signature());
  return image;
}

base::Bytes state_object_in_child(const BuildRequest& request) {
  Worker worker({kChildCommand});
  return ask(worker, question_of(Question::Work::StateObject, request.read_callback(), request.options()),
             "compiling " + request.title(), &Answer::bytes);
}

std::string ptx_in_child(const BuildRequest& request) {
  Worker worker({kChildCommand});
  const base::Bytes ptx = ask(worker, question_of(Question::Work::Ptx, request.step(), request.options()),
                              "building " + request.title(), &Answer::bytes);
  return std::string(base::as_text(ptx));
}

base::Bytes precompile_in_child(const BuildRequest& request, const std::vector<Architecture>& architectures,
                                PrecompileFormat format) {
  const Options options = request.options();
  const auto precompile_step = [&](const Step& step, const std::vector<Architecture>& of_step) {
    Worker worker({kChildCommand});
    base::Bytes made = ask(worker, question_of_pack(step, of_step, format, options), "precompiling " + request.title(),
                           &Answer::bytes);
    if (format == PrecompileFormat::Pack || format == PrecompileFormat::PackWithCubins)
      check_types_of_pack(request, step.callback, made);
    return made;
  };
  return engine::precompile(precompile_step, engine::JobKernels(request.job()), architectures, format, options);
}

base::Bytes precompile_in_children(BuildRequest request, const std::vector<std::string>& entries,
                                   const std::vector<Architecture>& architectures, PrecompileFormat format) {
  request.entry.clear();
  const Options options = request.options();
  const Callback callback = request.read_untyped();
  std::vector<PackEntry> all;
  for (const std::string& entry : entries) all.emplace_back(request.with_types(callback.with_entry(entry)));
  const auto make_step = [&] {
    return [&, worker = std::make_shared<Worker>(std::vector<std::string>{kChildCommand})](
               const Step& step, const std::vector<Architecture>& of_step) {
      base::Bytes made =
          ask(*worker, question_of_pack(step, of_step, format, options),
              base::format("precompiling {} of {}", reflect::called_function(step.callback.entry()), request.title()),
              &Answer::bytes);
      check_types_of_pack(request, step.callback, made);
      if (is_binary(step.callback)) worker->end();
      return made;
    };
  };
  return engine::precompile_several(make_step, all, architectures, format, options);
}

CachedKernel warm_in_child(Worker& worker, const BuildRequest& request) {
  const Step step = request.step();
  try {
    CachedKernel cached = ask(worker, question_of(Question::Work::CacheEntry, step, request.options()),
                              "building the kernel", &Answer::cached);
    if (is_binary(step.callback)) worker.end();
    return cached;
  } catch (const Error&) {
    worker.end();
    throw;
  }
}

}  // namespace graft::cli
