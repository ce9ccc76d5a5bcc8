// Makes packs of own kernels (own_kernels/packed.hpp): of their code, with open slots, and of callbacks that were
// compiled for a slot. KernelCode::pack reads those of code: it returns what the author's KernelCode was, with compiled
// code and with defaults that are compiled for their slots.
#include <algorithm>
#include <deque>
#include <utility>

#include "base/format.hpp"
#include "base/hash.hpp"
#include "core/compiler_options.hpp"
#include "core/fail.hpp"
#include "graft/error.hpp"
#include "graft/version.hpp"
#include "routes/pack_builder.hpp"
#include "routes/pack_contents.hpp"
#include "routes/routes.hpp"
#include "routes/slot_build.hpp"
#include "routes/slot_choice.hpp"
#include "routes/slot_parts.hpp"

namespace graft::routes {
namespace {

using format::PackPartKind;
using toolchain::LinkInput;
using toolchain::LinkInputKind;

// A pack with one kernel, and the bytes of its parts.
class Packing {
 public:
  Packing(const Step& step, const Options& options) {
    kernel_.spec.family = step.family;
    kernel_.spec.floating_point = options.floating_point;
    kernel_.spec.max_registers = options.max_registers;
    kernel_.spec.compiler_options = canonical_compiler_options(options.compiler_options);
    kernel_.standard = options.standard;
    kernel_.line_info = options.line_info;
    kernel_.tools = {{"graft", GRAFT_VERSION_STRING}};
  }

  void add(PackPartKind kind, Architecture architecture, std::span<const std::byte> bytes, base::Bytes details) {
    bytes_.emplace_back(bytes.begin(), bytes.end());
    kernel_.parts.push_back(
        {.kind = kind, .architecture = architecture, .bytes = bytes_.back(), .details = std::move(details)});
  }

  format::PackedKernel& kernel() { return kernel_; }

  void add_finished(Image::Data image, const std::string& title) {
    check_storable(image, title);
    kernel_.spec.further_entries = image.report.kernel.further_entries;
    add_tools(image.report, kernel_);
    add(PackPartKind::Cubin, image.report.kernel.architecture, image.bytes, {});
    kernel_.parts.back().facts = facts_of(image.report);
  }

  // The request of a job is that of its kernels. Without one, the kernel stands for itself. The job has views of the
  // bytes in this object.
  format::PackJob job(base::Bytes request) const {
    return {.family = kernel_.spec.family, .request = std::move(request), .kernels = {kernel_}};
  }

 private:
  format::PackedKernel kernel_;
  std::deque<base::Bytes> bytes_;
};

void add_code(const SlotBuild& build, const own_kernels::CodeShape& shape, Architecture architecture,
              Packing& packing) {
  bool is_first = true;
  for (const LinkInput& input : build.code_inputs()) {
    own_kernels::PackedCode code{.input = input.kind};
    if (std::exchange(is_first, false)) code.shape = shape;
    packing.add(PackPartKind::KernelLtoIr, architecture, input.bytes, own_kernels::write(code));
  }
  packing.kernel().spec.name = shape.entries.front().symbol;
}

// Adds the definitions that the application may need: an optional slot is filled or not, and the values of the author.
void add_constants(const SlotBuild& build, const own_kernels::CodeShape& shape, Architecture architecture,
                   Packing& packing) {
  const auto add = [&](const std::string& name, std::int64_t value) {
    const own_kernels::Variable& variable = own_kernels::find_variable(shape, name, value, build.code().name());
    packing.add(PackPartKind::ConstantLtoIr, architecture, build.compile({{&variable, value}}),
                own_kernels::write(own_kernels::PackedConstant{variable.symbol, value}));
  };
  const families::AskedKernels& asked = build.asked();
  for (const std::string& constant : asked.optional_constants)
    for (const std::int64_t is_filled : {0, 1}) add(constant, is_filled);
  for (std::size_t i = 0; i < asked.constants.size(); ++i)
    add(asked.constants[i], static_cast<std::int64_t>(asked.values[i]));
  for (std::size_t i = 0; i < asked.further_constants.size(); ++i)
    add(asked.further_constants[i], static_cast<std::int64_t>(asked.further_values[i]));
}

// A pack does not say in which folder it was made: "huber in /home/me/metric.cu" becomes "huber in metric.cu".
std::string without_folder(std::string title, const std::string& file) {
  const std::size_t at = title.rfind(file), name = file.rfind('/');
  if (at != std::string::npos && name != std::string::npos) title.erase(at, name + 1);
  return title;
}

// Packs that are linked into one kernel have namespaces of different numbers around their texts.
std::size_t number_in_packs(const SlotBuild::Filled& filled) {
  return 1000 + static_cast<std::size_t>(base::hash(filled.callback->text() + filled.slot->symbol).low % 1'000'000'000);
}

// Adds the function of a slot, which is the name of the packed kernel.
void add_slot(SlotBuild& build, SlotBuild::Filled filled, Architecture architecture, Packing& packing) {
  filled.number = number_in_packs(filled);
  const SlotBuild::Part part = build.fill(filled);
  packing.kernel().entry = filled.slot->name;
  packing.kernel().spec.name = filled.slot->symbol;
  packing.kernel().spec.request = base::write_record(families::AskedKernels{.is_for_slot = true});
  own_kernels::PackedSlot packed{.slot = *filled.slot,
                                 .title = without_folder(part.title, filled.callback->name()),
                                 .how = part.how,
                                 .state_bytes = part.state.size,
                                 .state_alignment = part.state.alignment};
  const auto add = [&](LinkInputKind kind, std::span<const std::byte> bytes) {
    packed.input = kind;
    packing.add(PackPartKind::SlotLtoIr, architecture, bytes, own_kernels::write(packed));
    packed.slot.reset();
  };
  if (!part.code.empty()) add(LinkInputKind::LtoIr, part.code);
  for (const LinkInput& binary : part.binaries) add(binary.kind, binary.bytes);
}

// Names of slots that do not exist are refused here, and not where the pack is used.
void check_names(const SlotBuild& build, const own_kernels::CodeShape& shape) {
  const families::AskedKernels& asked = build.asked();
  for (const std::vector<std::string>* const names : {&asked.optional_slots, &asked.thread_word_slots})
    for (const std::string& name : *names) own_kernels::find_slot(shape, name, build.code().name());
}

own_kernels::PackedHeaders headers_of(const families::AskedKernels& asked, const Options& options) {
  own_kernels::PackedHeaders packed;
  for (const Header& header : options.headers)
    if (std::ranges::find(asked.headers, header.name) != asked.headers.end()) packed.headers.push_back(header);
  return packed;
}

void check(const families::AskedKernels& asked, const Callback& code, PrecompileFormat format, const Options& options) {
  if (options.closed)
    refuse("packs of own kernels are not made in the closed mode",
           "Leave Options::closed out, or give it to graft::Kernel::create or graft::build.");
  if (!may_take(options.routes, Route::Lto))
    fail(ErrorCode::RouteUnavailable, base::format("a pack of {} has LTO-IR, for the route lto alone", code.name()),
         "Leave Options::routes as it is.");
  if (format != PrecompileFormat::Pack && format != PrecompileFormat::PackWithCubins)
    refuse(base::format("{} cannot be precompiled to the format {}", code.name(), name(format)),
           "Make a pack, with or without cubins.");
  if (asked.is_for_slot && format == PrecompileFormat::PackWithCubins)
    refuse("a callback for a slot is no finished kernel", "Make a pack without cubins.");
  if (!asked.is_for_slot && code.form() == Form::Pack)
    refuse(base::format("{} is already a pack", code.name()), "Precompile the code from which the pack was made.");
}

}  // namespace

base::Bytes precompile_slots(const Step& step, const std::vector<Architecture>& architectures, PrecompileFormat format,
                             const Options& given, const compile::Toolbox& toolbox) {
  const families::AskedKernels asked = base::read_record<families::AskedKernels>(step.request).value();
  const Callback& code = step.callback.composition()->parts.front().value();
  check(asked, code, format, given);
  Options options = given;
  options.routes = {.required = Route::Lto};  // also without nvJitLink, where a kernel would be one program
  Packing packed_code(step, options);
  std::deque<Packing> callbacks;
  for (const Architecture architecture : architectures) {
    SlotBuild build(step, architecture, options, toolbox, nullptr);
    const own_kernels::CodeShape& shape = build.read(nullptr);
    const std::vector<SlotBuild::Filled> filled = build.match(shape);
    for (std::size_t i = 0; i < filled.size(); ++i) {
      if (callbacks.size() == i) callbacks.emplace_back(step, options);
      add_slot(build, filled[i], architecture, callbacks[i]);
      add_tools(build.image().report, callbacks[i].kernel());
      if (asked.is_for_slot) break;
    }
    if (asked.is_for_slot) continue;
    check_names(build, shape);
    add_code(build, shape, architecture, packed_code);
    add_constants(build, shape, architecture, packed_code);
    add_tools(build.image().report, packed_code.kernel());
  }
  if (asked.is_for_slot) return pack_of(callbacks.front().job({}), step.callback.name());

  std::vector<std::string> slots;
  for (Packing& callback : callbacks) slots.push_back(callback.kernel().spec.name);
  const base::Bytes request = base::write_record(families::asked_of_pack(asked, std::move(slots)));
  packed_code.kernel().spec.request = request;
  packed_code.kernel().details = own_kernels::write(headers_of(asked, options));
  if (format == PrecompileFormat::PackWithCubins)
    for (const Architecture architecture : architectures)
      packed_code.add_finished(build_slots(step, architecture, options, toolbox, nullptr, nullptr), code.name());
  format::Pack pack;
  pack.jobs.push_back(packed_code.job(request));
  for (Packing& callback : callbacks) pack.jobs.push_back(callback.job({}));
  return written_pack(pack, code.name());
}

}  // namespace graft::routes

graft::KernelCode graft::KernelCode::pack(std::span<const std::byte> bytes, std::string name) {
  const std::string plain = routes::plain_pack(bytes, name);  // `pack` has views into it
  format::Pack pack = routes::read_kernel_pack(base::as_bytes(plain), name);
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
  KernelCode code(Callback::made_of(Form::Pack, plain, name).with_floating_point(kernel.spec.floating_point));
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
