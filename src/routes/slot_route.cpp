// Kernels of the user's own: their code and the callbacks of their slots, each as LTO-IR, linked to one image.
//
//     compile   the code, if it is source
//     read      its kernels and slots, in the PTX of a link without callbacks
//     fill      for each slot: the callback's type, whether it fits, and the slot's function as LTO-IR
//     link      all of them
//
// Two other routes differ in the last step (slot_choice.hpp): by the route ptx the code is PTX, and by the route
// program code and callbacks are compiled as one text. Nothing of graft's is in the image.
#include <algorithm>
#include <deque>
#include <future>
#include <optional>
#include <set>

#include "base/demangle.hpp"
#include "base/format.hpp"
#include "base/in_parallel.hpp"
#include "compile/flags.hpp"
#include "compile/optimiser_check.hpp"
#include "core/fail.hpp"
#include "core/serves.hpp"
#include "families/kernel_check.hpp"
#include "format/cubin.hpp"
#include "format/elf.hpp"
#include "graft/error.hpp"
#include "link/link_error.hpp"
#include "link/linked.hpp"
#include "link/ptx_text.hpp"
#include "routes/routes.hpp"
#include "routes/slot_build.hpp"

namespace graft::routes {
namespace {

using own_kernels::CodeShape;
using toolchain::LinkInput;
using toolchain::LinkInputKind;

class SlotLink {
 public:
  SlotLink(SlotBuild& build, Architecture architecture, const Options& options)
      : build_(build), architecture_(architecture), options_(options), report_(build.image().report) {}

  void run(own_kernels::CodeCache* cache) {
    build_.begin_to_read_types();
    const CodeShape& shape = build_.read(cache);
    const std::vector<SlotBuild::Filled> filled = build_.match(shape);
    const std::vector<std::string> empty = build_.empty_slots(shape, filled);
    if (build_.route() == Route::Ptx) build_.define_empty(empty);
    fill(filled);
    const std::vector<own_kernels::Value> values = build_.values(shape, filled);
    if (build_.route() == Route::Program) {
      build_.watch().step("compile callbacks");
      report(shape, build_.compile_whole(parts_, values), options_.max_registers);
    } else {
      define_constants(values);
      build_.watch().step("compile");
      const int most_registers = options_.closed ? bound_registers(shape, filled) : options_.max_registers;
      report(shape, link_filled(filled, most_registers), most_registers);
    }
    report_slots(shape, filled);
  }

 private:
  void fill(const std::vector<SlotBuild::Filled>& filled) {
    parts_ = base::results_in_parallel(filled.size(), [&](std::size_t i) { return build_.fill(filled[i]); });
    report_.compiler_log = build_.compiler_log();
    for (const SlotBuild::Part& part : parts_) report_.compiler_log += part.log;
  }

  // A header of a callback may declare what the kernel defines. Its symbols are then those of the kernel.
  toolchain::LinkResult link_filled(const std::vector<SlotBuild::Filled>& filled, int most_registers) {
    try {
      return link(parts_, most_registers);
    } catch (const Error& error) {
      if (error.code() != ErrorCode::LinkFailed || std::ranges::none_of(parts_, &SlotBuild::Part::has_headers_apart))
        throw;
    }
    build_.share_headers();
    fill(filled);
    return link(parts_, most_registers);
  }

  void define_constants(const std::vector<own_kernels::Value>& values) {
    std::vector<own_kernels::Value> to_compile;
    for (const own_kernels::Value& value : values)
      if (const std::optional<LinkInput> packed = build_.packed(value)) constants_.push_back(*packed);
      else to_compile.push_back(value);
    if (to_compile.empty()) return;
    compiled_constants_ = build_.compile(to_compile);
    constants_.push_back({LinkInputKind::LtoIr, compiled_constants_, "constants"});
  }

  // Returns the most registers of a kernel in the closed mode: as many as it needs with callbacks that do nothing, and
  // Closed::max_registers more.
  int bound_registers(const CodeShape& shape, const std::vector<SlotBuild::Filled>& filled) {
    std::vector<SlotBuild::Part> parts = parts_;
    for (std::size_t i = 0; i < filled.size(); ++i)
      if (!filled[i].is_default) parts[i] = build_.fill(filled[i], own_kernels::SlotBody::Empty);
    const toolchain::LinkResult empty = link(parts, options_.max_registers);
    int own = 0;
    for (const KernelEntry& entry : shape.entries)
      own = std::max(own, link::read_findings({}, empty.info_log, entry.symbol).resources.registers);
    const int most = std::min(own + options_.closed->max_registers, families::kMostRegisters);
    report_.notes.push_back(base::format(
        "closed mode: the kernel has {} registers without its callbacks, and may have {} with them", own, most));
    return options_.max_registers == 0 ? most : std::min(most, options_.max_registers);
  }

  // The linker does not keep its bound in a kernel with launch bounds.
  void check_registers(const format::Cubin& cubin, int most) const {
    for (const format::CubinFunction& function : cubin.functions)
      if (static_cast<int>(function.registers) > most)
        fail(ErrorCode::CompileFailed,
             base::format("{} needs {} registers with its callbacks, and may have {} in the closed mode",
                          own_kernels::name_of(function.name), function.registers, most),
             "Refuse the callback, or raise Closed::max_registers.");
  }

  toolchain::LinkResult link(const std::vector<SlotBuild::Part>& parts, int most_registers) {
    std::vector<LinkInput> inputs = build_.code_inputs();
    for (const SlotBuild::Part& part : parts) {
      if (!part.code.empty()) inputs.push_back({LinkInputKind::LtoIr, part.code, part.title});
      for (const LinkInput& binary : part.binaries)  // each once, also if it fills several slots
        if (std::ranges::none_of(inputs, [&](const LinkInput& one) {
              return one.kind == binary.kind && std::ranges::equal(one.bytes, binary.bytes);
            }))
          inputs.push_back(binary);
    }
    inputs.insert(inputs.end(), constants_.begin(), constants_.end());
    // nvJitLink refuses -lto if no input is LTO-IR.
    const bool has_ltoir = std::ranges::any_of(inputs, [](const LinkInput& input) {
      return input.kind == LinkInputKind::LtoIr || input.kind == LinkInputKind::Fatbin;
    });
    std::vector<std::string> flags =
        compile::link_flags(options_, architecture_, has_ltoir ? compile::CodeKind::LtoIr : compile::CodeKind::Ptx);
    if (most_registers != 0) flags.push_back(base::format("-maxrregcount={}", most_registers));
    std::deque<std::string> texts;
    toolchain::LinkResult result = build_.tools().nvjitlink->link(
        {.inputs = link::with_untyped_parameters(std::move(inputs), texts), .options = std::move(flags)});
    if (!result.ok || link::reports_mismatch(result.error_log))
      build_.fail_link(result, base::format("{} and its callbacks cannot be linked", build_.code().name()));
    build_.watch().step("link");
    return result;
  }

  // A pack says which kernels its code has. Launches read from the image what they rely on.
  void require_entries(const CodeShape& shape, const format::Cubin& cubin) const {
    for (const KernelEntry& entry : shape.entries) {
      const format::CubinFunction* const function = cubin.find(entry.symbol);
      if (function != nullptr && function->is_kernel &&
          (!function->parameters || std::ranges::equal(*function->parameters, entry.parameters)))
        continue;
      fail(ErrorCode::ImageRefused,
           base::format("the code of {} has no kernel {} with the parameters that {} describes", build_.code().name(),
                        entry.name, build_.code().form() == Form::Pack ? "its pack" : "its PTX"),
           "Make or copy the pack again.");
    }
  }

  void report(const CodeShape& shape, toolchain::LinkResult result, int most_registers) {
    const auto elf = format::read_elf(result.code);  // families::objection_to_image refuses what is none
    const format::Cubin cubin = elf ? format::read_cubin(*elf) : format::Cubin();
    if (elf) require_entries(shape, cubin);
    if (options_.closed) check_registers(cubin, most_registers);
    report_.kernel.name = shape.entries.front().symbol;
    std::set<std::string> calls, helpers;
    for (const KernelEntry& entry : shape.entries) {
      if (&entry != &shape.entries.front()) report_.kernel.further_entries.push_back(entry.symbol);
      const link::LinkFindings found = link::read_findings(cubin, result.info_log, entry.symbol);
      if (&entry == &shape.entries.front()) report_.resources = found.resources;
      else
        report_.notes.push_back(base::format("{} needs {} registers and {} bytes of local memory", entry.name,
                                             found.resources.registers, found.resources.local_bytes));
      calls.insert(found.remaining_calls.begin(), found.remaining_calls.end());
      helpers.insert(found.cuda_helpers.begin(), found.cuda_helpers.end());
    }
    for (const KernelEntry& entry : shape.entries) calls.erase(base::readable(entry.symbol));
    report_.remaining_calls.assign(calls.begin(), calls.end());
    report_.cuda_helpers.assign(helpers.begin(), helpers.end());
    report_.linker_log = std::move(result.info_log);
    report_.image_bytes = result.code.size();
    build_.image().bytes = std::move(result.code);
  }

  void report_slots(const CodeShape& shape, const std::vector<SlotBuild::Filled>& filled) {
    for (const own_kernels::Slot& slot : shape.slots) {
      Report::Slot& line = report_.slots.emplace_back(Report::Slot{.declaration = slot.declaration, .how = "empty"});
      const auto found = std::ranges::find(filled, &slot, &SlotBuild::Filled::slot);
      if (found == filled.end()) continue;
      const SlotBuild::Part& part = parts_[static_cast<std::size_t>(found - filled.begin())];
      // The slot's function, or behind it the callback's own.
      const std::string own = part.title.substr(0, part.title.find(" in ")) + "(";
      const bool is_called = std::ranges::any_of(report_.remaining_calls, [&](const std::string& call) {
        return call == base::readable(slot.symbol) || call.starts_with(own);
      });
      line.callback = part.title;
      line.how = !part.how.empty() ? part.how : is_called ? "called" : "inlined";
      line.state_bytes = part.state.size;
      line.state_alignment = part.state.alignment;
    }
  }

  SlotBuild& build_;
  const Architecture architecture_;
  const Options& options_;
  Report& report_;
  std::vector<SlotBuild::Part> parts_;  // of the callbacks
  std::vector<LinkInput> constants_;
  base::Bytes compiled_constants_;
};

// Takes the finished kernel of a pack. The driver does not check it.
void take_finished(SlotBuild& build, const format::PackPart& part) {
  const KernelSpec spec = format::spec_of(build.packed_kernel(), part);
  if (const std::string why = families::objection_to_image(spec, part.bytes); !why.empty())
    fail(ErrorCode::ImageRefused,
         base::format("{}: its finished kernel for {} is none: {}", build.code().name(), part.architecture.sm(), why),
         "Make or copy the pack again.");
  Image::Data& image = build.image();
  image.report.kernel = spec;
  image.report.resources = part.facts->resources;
  image.report.remaining_calls = part.facts->remaining_calls;
  image.report.cuda_helpers = part.facts->cuda_helpers;
  image.report.versions = build.packed_kernel().tools;
  for (std::size_t i = 1; i < build.pack().jobs.size(); ++i)
    for (const format::PackPart& default_part : build.pack().jobs[i].kernels.front().parts)
      if (const auto packed = own_kernels::read_packed_slot(default_part.details);
          packed && packed->slot && serves(default_part.architecture, part.architecture)) {
        image.report.slots.push_back({packed->slot->declaration, packed->title,
                                      packed->how.empty() ? "in the finished kernel" : packed->how, packed->state_bytes,
                                      packed->state_alignment});
        break;
      }
  image.report.notes.push_back(base::format("the finished kernel of {}", build.code().name()));
  image.report.image_bytes = part.bytes.size();
  image.bytes.assign(part.bytes.begin(), part.bytes.end());
}

}  // namespace

Image::Data build_slots(const Step& step, Architecture architecture, const Options& options,
                        const compile::Toolbox& toolbox, const plan::HeaderScan* scan, own_kernels::CodeCache* cache) {
  SlotBuild build(step, architecture, options, toolbox, scan);
  if (const format::PackPart* const finished = build.finished()) {
    take_finished(build, *finished);
    return std::move(build.image());
  }
  const bool links = build.route() != Route::Program;
  const std::future<void> look = links ? compile::look_at_linker(build.tools(), architecture) : std::future<void>();
  SlotLink(build, architecture, options).run(cache);
  if (links) compile::examine_before_storing(build.tools(), architecture, look, build.image());
  return std::move(build.image());
}

KernelShape read_slots(const Step& step, Architecture architecture, const Options& options,
                       const compile::Toolbox& toolbox) {
  return SlotBuild(step, architecture, options, toolbox, nullptr).read(nullptr).described();
}

}  // namespace graft::routes
