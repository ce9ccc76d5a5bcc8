// Makes packs of own kernels, and reads those of their code (own_kernels/packed.hpp). KernelCode::pack returns what the
// author's KernelCode was, with compiled code and with defaults that are compiled for their slots.
#include <set>
#include <utility>

#include "api/own_kernels.hpp"
#include "base/format.hpp"
#include "base/record.hpp"
#include "core/fail.hpp"
#include "core/image_data.hpp"
#include "engine/job_ahead.hpp"
#include "families/own_kernels.hpp"
#include "format/pack.hpp"
#include "graft/error.hpp"
#include "own_kernels/packed.hpp"
#include "routes/pack_contents.hpp"
#include "routes/slot_build.hpp"

namespace graft {
namespace {

using engine::JobKernels;
using format::PackPartKind;

own_kernels::PackedWishes wishes_of(const KernelCode& code) {
  return {code.optionals(), code.wishes(), code.constants(), code.headers(), code.thread_words()};
}

std::vector<Architecture> sorted(const std::vector<Architecture>& architectures) {
  const std::set<Architecture> all(architectures.begin(), architectures.end());
  if (all.empty())
    refuse("no architecture is given to precompile for", "Name at least the oldest architecture that you support.");
  return {all.begin(), all.end()};
}

void check(const KernelCode& code, PrecompileFormat format) {
  if (format != PrecompileFormat::Pack && format != PrecompileFormat::PackWithCubins)
    refuse(base::format("{} cannot be precompiled to the format {}", code.name(), name(format)),
           "Make a pack, with or without cubins.");
  if (code.code().form() == Form::Pack)
    refuse(base::format("{} is already a pack", code.name()), "Precompile the code from which the pack was made.");
}

// Writes the pack of a kernel's code so that its request is the one that a KernelCode of this pack makes.
base::Bytes write_code_pack(format::Pack& pack, const std::string& name) {
  format::PackJob& job = pack.jobs.front();
  const auto written = [&] {
    job.kernels.front().spec.request = job.request;
    return routes::written_pack(pack, name);
  };
  job.request = families::job_of_own_kernels(KernelCode::pack(written(), name), {}).request;
  return written();
}

void add_cubins(const std::shared_ptr<Engine::Impl>& engine, const KernelCode& code,
                const std::vector<Architecture>& architectures, const Options& options, format::Pack& pack,
                std::vector<Image>& images) {
  const JobKernels kernels(families::job_of_own_kernels(code, {}));
  const Options taken = own_kernel_options(engine, code, {}, options);
  format::PackedKernel& kernel = pack.jobs.front().kernels.front();
  for (const Architecture architecture : architectures)
    images.push_back(engine::build(engine, kernels, architecture, taken).front());
  for (const Image& image : images) {
    const Report& report = image.report();
    kernel.spec.further_entries = report.kernel.further_entries;
    kernel.parts.push_back({.kind = PackPartKind::Cubin,
                            .architecture = report.kernel.architecture,
                            .bytes = image.bytes(),
                            .facts = format::PartFacts{.resources = report.resources,
                                                       .remaining_calls = report.remaining_calls,
                                                       .cuda_helpers = report.cuda_helpers}});
  }
}

}  // namespace

KernelCode KernelCode::pack(std::span<const std::byte> bytes, std::string name) {
  format::Pack pack = routes::read_kernel_pack(bytes, name);
  format::PackJob& job = pack.jobs.front();
  const std::optional<own_kernels::PackedWishes> wishes = own_kernels::read_packed_wishes(job.kernels.front().details);
  if (job.request.empty() || job.kernels.size() != 1)
    fail(ErrorCode::ImageRefused, base::format("{} is the pack of a slot's callback, not of a kernel's code", name),
         "Give it to graft::Callback::pack, and fill the slot with that.");
  if (!wishes)
    fail(ErrorCode::ImageRefused,
         base::format("{} cannot be read as a pack: its kernel has a malformed description", name),
         "Make or copy the pack again.");
  KernelCode code(Callback::made_of(Form::Pack, std::string(base::as_text(bytes)), name)
                      .with_floating_point(job.kernels.front().spec.floating_point));
  code.optionals_ = wishes->optionals;
  code.wishes_ = wishes->wishes;
  code.constants_ = wishes->constants;
  code.headers_ = wishes->headers;
  code.thread_words_ = wishes->thread_words;
  for (std::size_t i = 1; i < pack.jobs.size(); ++i) {
    const std::string slot = pack.jobs[i].kernels.front().spec.name;
    code.defaults_.push_back({slot, Callback::pack(routes::pack_of(std::move(pack.jobs[i]), name), name)});
  }
  return code;
}

std::vector<std::byte> precompile_for(const KernelCode& code, const SlotCallback& callback,
                                      const std::vector<Architecture>& architectures, const Options& options) {
  return precompile_for(Engine::shared(), code, callback, architectures, options);
}

std::vector<std::byte> precompile_for(Engine& engine, const KernelCode& code, const SlotCallback& callback,
                                      const std::vector<Architecture>& architectures, const Options& options) {
  const std::shared_ptr<Engine::Impl>& impl = Engine::Impl::of(engine);
  if (callback.callback.form() == Form::Pack)
    refuse(base::format("{} is already a pack", callback.callback.name()),
           "Precompile the callback from which the pack was made.");
  const KernelCallbacks callbacks = {callback};
  const JobKernels kernels(families::job_of_own_kernels(code, callbacks));
  return impl->precompile_slot({kernels.job().callbacks.front().callback, kernels.job().family, kernels.job().request},
                               sorted(architectures), own_kernel_options(impl, code, callbacks, options));
}

std::vector<std::byte> precompile(const KernelCode& code, const std::vector<Architecture>& architectures,
                                  PrecompileFormat format, const Options& options) {
  return precompile(Engine::shared(), code, architectures, format, options);
}

std::vector<std::byte> precompile(Engine& engine, const KernelCode& code,
                                  const std::vector<Architecture>& architectures, PrecompileFormat format,
                                  const Options& options) {
  check(code, format);
  const std::shared_ptr<Engine::Impl>& impl = Engine::Impl::of(engine);
  const std::vector<Architecture> wanted = sorted(architectures);
  const JobKernels kernels(families::job_of_own_kernels(code, {}));
  std::vector<base::Bytes> made = {
      impl->precompile_code({kernels.job().callbacks.front().callback, kernels.job().family, kernels.job().request},
                            wishes_of(code), wanted, own_kernel_options(impl, code, {}, options))};
  for (const SlotCallback& one : code.defaults())
    made.push_back(one.callback.form() == Form::Pack
                       ? base::Bytes(one.callback.bytes().begin(), one.callback.bytes().end())
                       : precompile_for(engine, code, one, wanted, options));
  format::Pack pack;
  for (const base::Bytes& one : made)
    pack.jobs.push_back(std::move(routes::read_kernel_pack(one, code.name()).jobs.front()));
  base::Bytes written = write_code_pack(pack, code.name());
  if (format == PrecompileFormat::Pack) return written;
  std::vector<Image> images;
  add_cubins(impl, KernelCode::pack(written, code.name()), wanted, options, pack, images);
  return routes::written_pack(pack, code.name());
}

}  // namespace graft
