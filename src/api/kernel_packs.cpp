// Makes packs of own kernels, and reads those of their code (own_kernels/packed.hpp). KernelCode::pack returns what the
// author's KernelCode was, with compiled code and with defaults that are compiled for their slots.
#include <utility>

#include "api/own_kernels.hpp"
#include "base/format.hpp"
#include "base/record.hpp"
#include "core/fail.hpp"
#include "engine/job_ahead.hpp"
#include "families/own_kernels.hpp"
#include "graft/error.hpp"
#include "own_kernels/packed.hpp"
#include "routes/pack_contents.hpp"
#include "routes/slot_build.hpp"

namespace graft {
namespace {

void refuse_closed_mode(const Options& options) {
  if (options.closed)
    refuse("packs of own kernels are not made in the closed mode",
           "Leave Options::closed out, or give it to graft::Kernel::create or graft::build.");
}

}  // namespace

KernelCode KernelCode::pack(std::span<const std::byte> bytes, std::string name) {
  format::Pack pack = routes::read_kernel_pack(bytes, name);
  format::PackJob& job = pack.jobs.front();
  if (job.request.empty() || job.kernels.size() != 1)
    fail(ErrorCode::ImageRefused, base::format("{} is the pack of a slot's callback, not of a kernel's code", name),
         "Give it to graft::Callback::pack, and fill the slot with that.");
  const format::PackedKernel& kernel = job.kernels.front();
  const std::optional<own_kernels::PackedHeaders> packed = own_kernels::read_packed_headers(kernel.details);
  if (!packed)
    fail(ErrorCode::ImageRefused,
         base::format("{} cannot be read as a pack: its kernel has a malformed description", name),
         "Make or copy the pack again.");
  KernelCode code(Callback::made_of(Form::Pack, std::string(base::as_text(bytes)), name)
                      .with_floating_point(kernel.spec.floating_point));
  // families::read_pack has read the request.
  families::AskedKernels asked = base::read_record<families::AskedKernels>(job.request).value();
  for (std::size_t i = 0; i < asked.optional_slots.size(); ++i)
    code.optionals_.push_back({asked.optional_slots[i], asked.optional_constants[i]});
  for (std::string& slot : asked.always_inlined) code.wishes_.push_back({std::move(slot), Inlining::Always});
  for (std::string& slot : asked.never_inlined) code.wishes_.push_back({std::move(slot), Inlining::Never});
  for (std::size_t i = 0; i < asked.constants.size(); ++i)
    code.constants_.push_back({std::move(asked.constants[i]), {static_cast<std::int64_t>(asked.values[i])}});
  code.thread_words_ = std::move(asked.thread_word_slots);
  code.headers_ = packed->headers;
  for (std::size_t i = 1; i < pack.jobs.size(); ++i) {
    const std::string slot = pack.jobs[i].kernels.front().spec.name;
    code.defaults_.push_back({slot, Callback::pack(routes::pack_of(std::move(pack.jobs[i]), name), name)});
  }
  return code;
}

std::vector<std::byte> KernelCode::precompile(const std::vector<Architecture>& architectures, PrecompileFormat format,
                                              const Options& options) const {
  return precompile(Engine::shared(), architectures, format, options);
}

std::vector<std::byte> KernelCode::precompile(Engine& engine, const std::vector<Architecture>& architectures,
                                              PrecompileFormat format, const Options& options) const {
  refuse_closed_mode(options);
  const std::shared_ptr<Engine::Impl>& impl = Engine::Impl::of(engine);
  return engine::precompile(impl, engine::JobKernels(families::job_of_own_kernels(*this, {})), architectures, format,
                            own_kernel_options(impl, *this, {}, options));
}

std::vector<std::byte> KernelCode::precompile_for(const SlotCallback& callback,
                                                  const std::vector<Architecture>& architectures,
                                                  const Options& options) const {
  return precompile_for(Engine::shared(), callback, architectures, options);
}

std::vector<std::byte> KernelCode::precompile_for(Engine& engine, const SlotCallback& callback,
                                                  const std::vector<Architecture>& architectures,
                                                  const Options& options) const {
  refuse_closed_mode(options);
  const std::shared_ptr<Engine::Impl>& impl = Engine::Impl::of(engine);
  return engine::precompile(impl, engine::JobKernels(families::job_of_callback_for_slot(*this, callback)),
                            architectures, PrecompileFormat::Pack,
                            own_kernel_options(impl, *this, {callback}, options));
}

}  // namespace graft
